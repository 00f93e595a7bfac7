//! `map.json`: maps, their values, their files and refused files.

use serde_json::Value;
use tepal::{AnyFilter, Opened, RibbonMap, builders::RibbonMapBuilder, file::Format, hash::finish_hash};

use super::of_kind::{are_refused, can_be, embedded_are_refused, with_keys, write, written};
use super::{bytes, cases, number, open_file, small, text, vectors};

fn builder(case: &Value) -> RibbonMapBuilder {
    let builder = RibbonMap::builder()
        .value_bits(small(case, "value_bits") as u8)
        .names(case["names"].as_array().unwrap().iter().map(|name| text(name, "name")));
    let builder = match case["false_positive_rate"].as_f64().unwrap() {
        1.0 => builder.known_keys_only(),
        rate => builder.false_positive_rate(rate),
    };
    with_keys!(builder, case)
}

/// The map of a case, made from its pairs.
fn made(case: &Value) -> Opened {
    let (times, below) = (number(&case["times"]), number(&case["below"]));
    let value = |i: u64| (i.wrapping_mul(times) % below) as u32;
    let built = if let Some(numbered) = case.get("numbered_keys") {
        let prefix = text(numbered, "prefix");
        builder(case).build_from((0..number(&numbered["count"])).map(|i| (format!("{prefix}{i}"), value(i))))
    } else {
        let pairs = (0..number(&case["finished_count"])).map(|i| (finish_hash(i), value(i)));
        builder(case).build_from_hashes(pairs.collect())
    };
    Opened::new(built.unwrap(), Format::Tepal).unwrap()
}

#[test]
fn maps_are_those_of_the_reference() {
    let all = vectors("map.json");
    let files: Vec<&Value> = cases(&all, "files").iter().filter(|case| can_be(case)).collect();
    assert!(files.len() >= 16, "{}", files.len());
    for case in files {
        let name = text(case, "name");
        let written = written(case, &made(case));
        let opened = open_file(case, &written).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(write(case, &opened), written, "{name}");
        let AnyFilter::Map(map) = opened.filter() else { panic!("{name}") };
        assert_eq!(map.len(), number(&case["keys"]), "{name}");
        assert_eq!(u64::from(map.greatest()), number(&case["greatest"]), "{name}");
        assert!(map.false_positive_rate() <= case["false_positive_rate"].as_f64().unwrap(), "{name}");
        match case.get("embedded_trailer") {
            None => assert!(map.num_names() > 0 && map.to_embedded().is_err(), "{name}"),
            Some(trailer) => {
                let embedded = map.to_embedded().unwrap();
                let (body, behind) = embedded.split_at(map.size_in_bytes() as usize);
                assert_eq!(behind, bytes(trailer.as_str().unwrap()), "{name}");
                assert!(written.windows(body.len()).any(|bytes| bytes == body), "{name}");
                assert!(RibbonMap::from_embedded(&embedded, &map.key_hasher()).unwrap() == *map);
            }
        }
        for (name, expected) in map.names().zip(case["names"].as_array().unwrap()) {
            assert_eq!(name, (text(expected, "name"), number(&expected["keys"])));
        }
        for probe in case["probes"].as_array().unwrap() {
            let value = match probe.get("key") {
                Some(key) => map.get(key.as_str().unwrap()),
                None => map.get_hash(number(&probe["hash"])),
            };
            let value = value.map(u32::from);
            let expected = probe.get("value").map(|value| value.as_u64().unwrap() as u32);
            assert_eq!(value, expected, "{name}: {probe}");
        }
    }
}

#[test]
fn refused_files_of_maps_are_refused_at_their_step() {
    are_refused(&vectors("map.json"), "files", (40, &[1, 4, 5, 6, 7]), |of| written(of, &made(of)));
}

/// Each has a correct checksum, and is refused for its contents.
#[test]
fn refused_embedded_forms_of_maps() {
    let of = |case: &Value| match made(case).into_filter() {
        AnyFilter::Map(filter) => filter,
        other => panic!("{other:?}"),
    };
    let body = |case: &Value| {
        let (filter, mut embedded) = (of(case), of(case).to_embedded().unwrap());
        embedded.truncate(filter.size_in_bytes() as usize);
        embedded
    };
    let read = |case: &Value, form: &[u8]| RibbonMap::from_embedded(form, &of(case).key_hasher()).map(drop);
    embedded_are_refused(&vectors("map.json"), 4, body, read);
}

//! `map.json`: maps, their values, their files and refused files.

use serde_json::Value;
use tepal::{
    AnyFilter, Error, KeyDomain, Opened, RibbonMap, Scheme, builders::RibbonMapBuilder, facts::Labels,
    file::Format, hash::finish_hash,
};
use xxhash_rust::xxh3::xxh3_64;

use super::refused::{changed, step};
use super::{bytes, cases, number, open_file, recipe, secret, small, text, vectors};

fn builder(case: &Value) -> RibbonMapBuilder {
    let mut labels = Labels::new();
    for record in case["records"].as_array().unwrap() {
        let value = Some(text(record, "value").to_string());
        match small(record, "tag") {
            1 => labels.name = value,
            4 => labels.field = value,
            tag => panic!("tag {tag}: {case}"),
        }
    }
    let builder = RibbonMap::builder()
        .value_bits(small(case, "value_bits") as u8)
        .names(case["names"].as_array().unwrap().iter().map(|name| text(name, "name")))
        .key_domain(text(case, "key_domain").parse::<KeyDomain>().unwrap())
        .recipe(recipe(case))
        .labels(labels);
    let builder = match case["false_positive_rate"].as_f64().unwrap() {
        1.0 => builder.known_keys_only(),
        rate => builder.false_positive_rate(rate),
    };
    match (case.get("seed"), secret(case), case.get("caller_hash")) {
        (Some(seed), None, None) => builder.seed(number(seed)),
        (None, Some(key), None) => builder.secret_key(key),
        (None, None, Some(name)) => builder.caller_hash(name.as_str().unwrap()),
        _ => builder.scheme(text(case, "scheme").parse::<Scheme>().unwrap()),
    }
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

/// A file of the vectors: the reference's, which equals the library's.
fn file(case: &Value) -> Vec<u8> {
    let (name, made) = (text(case, "name"), made(case));
    let written = write(case, &made);
    if let Some(whole) = case.get("file") {
        assert_eq!(bytes(whole.as_str().unwrap()), written, "{name}");
    }
    assert_eq!(written.len() as u64, number(&case["file_len"]), "{name}");
    assert_eq!(xxh3_64(&written), number(&case["file_xxh3"]), "{name}");
    written
}

fn write(case: &Value, file: &Opened) -> Vec<u8> {
    #[cfg(feature = "seal")]
    if let Some(key) = case.get("seal_key") {
        let key = tepal::SealKey::new(&bytes(key.as_str().unwrap())).unwrap();
        return file.to_bytes_sealed(&key).unwrap();
    }
    file.to_bytes().unwrap()
}

/// Whether this build can read the case: sealed files need the feature.
fn can_be(case: &Value) -> bool {
    cfg!(feature = "seal") || case.get("seal_key").is_none()
}

#[test]
fn maps_are_those_of_the_reference() {
    let all = vectors("map.json");
    let files: Vec<&Value> = cases(&all, "files").iter().filter(|case| can_be(case)).collect();
    assert!(files.len() >= 16, "{}", files.len());
    for case in files {
        let name = text(case, "name");
        let written = file(case);
        let opened = open_file(case, &written).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(write(case, &opened), written, "{name}");
        let AnyFilter::Map(map) = opened.filter() else { panic!("{name}") };
        assert_eq!(map.len(), number(&case["keys"]), "{name}");
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
    let all = vectors("map.json");
    let files = cases(&all, "files");
    let mut steps = [0; 9];
    for case in cases(&all, "refused").iter().filter(|case| can_be(case)) {
        let (what, expected) = (text(case, "what"), small(case, "step"));
        let of = files.iter().find(|file| text(file, "name") == text(case, "file")).unwrap();
        if !can_be(of) {
            continue;
        }
        let changed = changed(file(of), case, of.get("seal_key").is_some());
        let error: Error = open_file(case, &changed).map(drop).expect_err(what);
        let text = error.to_string();
        assert!(!text.contains('\n') && !text.is_empty(), "{what}: {text}");
        assert_eq!(step(&error), expected, "{what}: {text}");
        steps[expected as usize] += 1;
    }
    assert!(steps[1] > 0 && steps[4..8].iter().all(|&cases| cases > 0), "{steps:?}");
}

/// Each has a correct checksum, and is refused for its contents.
#[test]
fn refused_embedded_forms_of_maps() {
    let all = vectors("map.json");
    let files = cases(&all, "files");
    let refused = all["embedded_refused"].as_array().unwrap();
    assert!(refused.len() >= 4);
    for case in refused {
        let what = text(case, "what");
        let of = files.iter().find(|file| text(file, "name") == text(case, "of")).unwrap();
        let AnyFilter::Map(map) = made(of).into_filter() else { panic!("{what}") };
        let mut embedded = map.to_embedded().unwrap();
        embedded.truncate(map.size_in_bytes() as usize);
        embedded.extend(bytes(text(case, "trailer")));
        let error = RibbonMap::from_embedded(&embedded, &map.key_hasher()).expect_err(what);
        assert!(matches!(error, Error::Damaged { .. } | Error::Parameter { .. }), "{what}: {error}");
    }
}

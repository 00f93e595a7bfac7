//! `ribbon.json`: bumped ribbon filters, their files and refused files.

use serde_json::Value;
use tepal::{
    AnyFilter, Opened, RibbonFilter, builders::RibbonFilterBuilder, file::Format, hash::finish_hash,
};

use super::of_kind::{are_refused, can_be, embedded_are_refused, with_keys, write, written};
use super::{bytes, cases, number, open_file, text, vectors};

fn builder(case: &Value) -> RibbonFilterBuilder {
    let builder = RibbonFilter::builder().false_positive_rate(case["false_positive_rate"].as_f64().unwrap());
    let builder = if case.get("prefers_speed").is_some() { builder.prefer_speed() } else { builder };
    with_keys!(builder, case)
}

/// A table of this many possible fingerprints with these keys, as a ribbon.
#[cfg(feature = "table")]
fn frozen(case: &Value, numbers: u64) -> tepal::Result<RibbonFilter> {
    let (prefix, count) = (text(&case["numbered_keys"], "prefix"), number(&case["numbered_keys"]["count"]));
    // The least rate for which the table has exactly this many possible fingerprints, at a capacity
    // that holds the keys.
    let (rate, capacity) = (0..54)
        .filter(|halves| numbers % (1u64 << halves) == 0 && numbers >> halves >= count.max(1))
        .map(|halves| (0.5f64.powi(halves), numbers >> halves))
        .next_back()
        .unwrap();
    let builder = tepal::QuotientFilter::builder().false_positive_rate(rate).capacity(capacity);
    let mut table = builder.seed(number(&case["seed"])).build()?;
    table.insert_many(&(0..count).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>())?;
    assert_eq!(table.numbers(), numbers, "{case}");
    table.to_ribbon(case["false_positive_rate"].as_f64().unwrap())
}

#[cfg(not(feature = "table"))]
fn frozen(_: &Value, _: u64) -> tepal::Result<RibbonFilter> {
    unreachable!("a table needs the feature `table`")
}

/// The filter of a case, made from its keys.
fn made(case: &Value) -> Opened {
    let builder = builder(case);
    let built = if let Some(numbers) = case.get("numbers") {
        frozen(case, number(numbers))
    } else if let Some(numbered) = case.get("numbered_keys") {
        let prefix = text(numbered, "prefix");
        builder.build_from((0..number(&numbered["count"])).map(|i| format!("{prefix}{i}")))
    } else if let Some(hashes) = case.get("hashes") {
        builder.build_from_hashes(hashes.as_array().unwrap().iter().map(number).collect())
    } else if let Some(count) = case.get("counted") {
        builder.build_from_hashes((0..number(count)).collect())
    } else {
        let (from, count) = (number(&case["finished_from"]), number(&case["finished_count"]));
        builder.build_from_hashes((from..from + count).map(finish_hash).collect())
    };
    let mut file = Opened::new(built.unwrap(), Format::Tepal).unwrap();
    for added in case.get("added").and_then(Value::as_array).into_iter().flatten() {
        match case.get("numbered_keys") {
            Some(numbered) => {
                file.insert(&format!("{}{}", text(numbered, "prefix"), number(added))).unwrap();
            }
            None => file.insert_many_hashes(&[number(added)]).unwrap(),
        }
    }
    file
}

#[test]
fn ribbons_are_those_of_the_reference() {
    let all = vectors("ribbon.json");
    let files: Vec<&Value> = cases(&all, "files").iter().filter(|case| can_be(case)).collect();
    assert!(files.len() >= 18, "{}", files.len());
    for case in files {
        let name = text(case, "name");
        let written = written(case, &made(case));
        let opened = open_file(case, &written).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(write(case, &opened), written, "{name}");
        let AnyFilter::Ribbon(filter) = opened.filter() else { panic!("{name}") };
        assert_eq!(filter.len() - filter.added(), number(&case["keys"]), "{name}");
        assert_eq!(filter.numbers(), case.get("numbers").map(number), "{name}");
        assert_eq!(filter.added() > 0, case.get("added").is_some(), "{name}");
        assert!(filter.false_positive_rate() <= case["false_positive_rate"].as_f64().unwrap(), "{name}");
        match case.get("embedded_trailer") {
            None => {
                assert!(filter.added() > 0 || filter.numbers().is_some(), "{name}");
                assert!(filter.to_embedded().is_err(), "{name}");
            }
            Some(trailer) => {
                let embedded = filter.to_embedded().unwrap();
                let (body, behind) = embedded.split_at(filter.size_in_bytes() as usize);
                assert_eq!(behind, bytes(trailer.as_str().unwrap()), "{name}");
                assert!(written.windows(body.len()).any(|bytes| bytes == body), "{name}");
                assert!(RibbonFilter::from_embedded(&embedded, &filter.key_hasher()).unwrap() == *filter);
            }
        }
        for probe in case["probes"].as_array().unwrap() {
            let answer = match probe.get("key") {
                Some(key) => filter.contains(key.as_str().unwrap()),
                None => filter.contains_hash(number(&probe["hash"])),
            };
            assert_eq!(answer, probe["contains"].as_bool().unwrap(), "{name}: {probe}");
        }
    }
}

#[test]
fn refused_files_of_ribbons_are_refused_at_their_step() {
    are_refused(&vectors("ribbon.json"), "files", (70, &[1, 4, 5, 6, 7]), |of| written(of, &made(of)));
}

/// Each has a correct checksum, and is refused for its contents.
#[test]
fn refused_embedded_forms_of_ribbons() {
    let of = |case: &Value| match made(case).into_filter() {
        AnyFilter::Ribbon(filter) => filter,
        other => panic!("{other:?}"),
    };
    let body = |case: &Value| {
        let (filter, mut embedded) = (of(case), of(case).to_embedded().unwrap());
        embedded.truncate(filter.size_in_bytes() as usize);
        embedded
    };
    let read =
        |case: &Value, form: &[u8]| RibbonFilter::from_embedded(form, &of(case).key_hasher()).map(drop);
    embedded_are_refused(&vectors("ribbon.json"), 12, body, read);
}

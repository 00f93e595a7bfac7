//! `ribbon.json`: bumped ribbon filters, their files and refused files.

use serde_json::Value;
use tepal::{
    AnyFilter, Error, KeyDomain, Opened, RibbonFilter, Scheme, builders::RibbonFilterBuilder, facts::Labels,
    file::Format, hash::finish_hash,
};
use xxhash_rust::xxh3::xxh3_64;

use super::refused::{changed, step};
use super::{bytes, cases, number, open_file, recipe, secret, small, text, vectors};

fn builder(case: &Value) -> RibbonFilterBuilder {
    let mut labels = Labels::new();
    for record in case["records"].as_array().unwrap() {
        let value = Some(text(record, "value").to_string());
        match small(record, "tag") {
            1 => labels.name = value,
            4 => labels.field = value,
            tag => panic!("tag {tag}: {case}"),
        }
    }
    let builder = RibbonFilter::builder()
        .false_positive_rate(case["false_positive_rate"].as_f64().unwrap())
        .key_domain(text(case, "key_domain").parse::<KeyDomain>().unwrap())
        .recipe(recipe(case))
        .labels(labels);
    let builder = if case.get("prefers_speed").is_some() { builder.prefer_speed() } else { builder };
    match (case.get("seed"), secret(case), case.get("caller_hash")) {
        (Some(seed), None, None) => builder.seed(number(seed)),
        (None, Some(key), None) => builder.secret_key(key),
        (None, None, Some(name)) => builder.caller_hash(name.as_str().unwrap()),
        _ => builder.scheme(text(case, "scheme").parse::<Scheme>().unwrap()),
    }
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

/// A file of the vectors: the reference's, which equals the library's.
fn file(case: &Value) -> Vec<u8> {
    let (name, made) = (text(case, "name"), made(case));
    let written = write(case, &made);
    if let Some(header) = case.get("header") {
        let header = bytes(header.as_str().unwrap());
        assert!(
            written.starts_with(&header),
            "{name}: another header\n{:02x?}\n{:02x?}",
            header,
            &written[..header.len()]
        );
    }
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

/// Whether this build can read the case: sealed files and tables need their features.
fn can_be(case: &Value) -> bool {
    (cfg!(feature = "seal") || case.get("seal_key").is_none())
        && (cfg!(feature = "table") || case.get("numbers").is_none())
}

#[test]
fn ribbons_are_those_of_the_reference() {
    let all = vectors("ribbon.json");
    let files: Vec<&Value> = cases(&all, "files").iter().filter(|case| can_be(case)).collect();
    assert!(files.len() >= 18, "{}", files.len());
    for case in files {
        let name = text(case, "name");
        let written = file(case);
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
    let all = vectors("ribbon.json");
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
fn refused_embedded_forms_of_ribbons() {
    let all = vectors("ribbon.json");
    let files = cases(&all, "files");
    let refused = all["embedded_refused"].as_array().unwrap();
    assert!(refused.len() >= 12);
    for case in refused {
        let what = text(case, "what");
        let of = files.iter().find(|file| text(file, "name") == text(case, "of")).unwrap();
        let AnyFilter::Ribbon(filter) = made(of).into_filter() else { panic!("{what}") };
        let mut embedded = filter.to_embedded().unwrap();
        embedded.truncate(filter.size_in_bytes() as usize);
        embedded.extend(bytes(text(case, "trailer")));
        let error = RibbonFilter::from_embedded(&embedded, &filter.key_hasher()).expect_err(what);
        assert!(matches!(error, Error::Damaged { .. } | Error::Parameter { .. }), "{what}: {error}");
    }
}

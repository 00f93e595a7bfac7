//! `expiring.json`: expiring filters, their files, and refused files.

use serde_json::Value;
use tepal::{
    AnyFilter, ExpiringFilter, Opened,
    facts::{Labels, Window},
    file::Format,
    hash::finish_hash,
};
use xxhash_rust::xxh3::xxh3_64;

use super::{bytes, number, open_file, recipe, secret, small, text, vectors};

/// The filter that a case describes, made and filled by the library.
fn made(case: &Value) -> ExpiringFilter {
    let window = number(&case["window"]);
    let labels = case["records"].as_array().unwrap().iter().fold(Labels::new(), |labels, record| {
        assert_eq!(small(record, "tag"), 1, "only the name");
        labels.name(text(record, "value"))
    });
    let builder = ExpiringFilter::builder()
        .capacity(number(&case["capacity"]))
        .false_positive_rate(case["false_positive_rate"].as_f64().unwrap())
        .generations(small(case, "generations") as u8)
        .key_domain(text(case, "key_domain").parse().unwrap())
        .over_capacity(text(case, "over_capacity").parse().unwrap())
        .recipe(recipe(case))
        .labels(labels);
    let builder = match text(case, "of") {
        "keys" => builder.window_of_keys(window),
        _ => builder.window_of_time(window),
    };
    let builder = match (secret(case), case.get("seed"), case.get("caller_hash")) {
        (Some(key), ..) => builder.secret_key(key),
        (_, Some(seed), _) => builder.seed(number(seed)),
        (.., Some(name)) => builder.caller_hash(name.as_str().unwrap()),
        _ => builder.scheme(text(case, "scheme").parse().unwrap()),
    };
    let mut filter = builder.build().unwrap();
    for step in case["steps"].as_array().unwrap() {
        if let Some(time) = step.get("time") {
            filter.advance_to(number(time)).unwrap();
        }
        for i in number(&step["from"])..number(&step["to"]) {
            match case.get("prefix") {
                Some(prefix) => filter.insert(&format!("{}{i}", prefix.as_str().unwrap())).unwrap(),
                None => filter.insert_hash(finish_hash(i)).unwrap(),
            };
        }
    }
    filter
}

fn written(case: &Value, filter: &Opened) -> Vec<u8> {
    #[cfg(feature = "seal")]
    if let Some(hex) = case.get("seal_key") {
        let key = tepal::SealKey::new(&bytes(hex.as_str().unwrap())).unwrap();
        return filter.to_bytes_sealed(&key).unwrap();
    }
    assert!(case.get("seal_key").is_none());
    filter.to_bytes().unwrap()
}

#[test]
fn expiring_filters_are_written_and_read() {
    let file = vectors("expiring.json");
    let files = file["files"].as_array().unwrap();
    assert!(files.len() >= 12);
    for case in files {
        let name = text(case, "name");
        if case.get("seal_key").is_some() && cfg!(not(feature = "seal")) {
            continue;
        }
        let filter = made(case);
        let opened = Opened::new(filter.clone(), Format::Tepal).unwrap();
        let bytes_of_it = written(case, &opened);
        assert_eq!(bytes_of_it.len() as u64, number(&case["file_len"]), "{name}");
        if let Some(whole) = case.get("file") {
            assert!(bytes_of_it == bytes(whole.as_str().unwrap()), "{name}");
        } else {
            let header = bytes(text(case, "header"));
            assert!(bytes_of_it[..header.len()] == header, "{name}");
        }
        assert_eq!(xxh3_64(&bytes_of_it), number(&case["file_xxh3"]), "{name}");

        let opened = open_file(case, &bytes_of_it).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(written(case, &opened) == bytes_of_it, "{name}");
        let facts = opened.facts().unwrap();
        let table = &facts.tables[0];
        let shape = case["shape"].as_array().unwrap();
        let small = |i: usize| shape[i].as_u64().unwrap() as u8;
        assert_eq!((table.numbers, table.lines), (number(&shape[0]), number(&shape[6])), "{name}");
        assert_eq!(
            [table.remainder_bits, table.tag_bits, table.buckets, table.slots],
            [small(1), small(2), small(3), small(4)],
            "{name}"
        );
        assert_eq!(table.taken_slots, number(&case["slots"]), "{name}");
        assert_eq!(facts.keys_inserted, Some(number(&case["keys_inserted"])), "{name}");
        let window = facts.window.unwrap();
        let length = number(&case["window"]);
        let expected = if text(case, "of") == "keys" { Window::Keys(length) } else { Window::Time(length) };
        assert_eq!((window.window, window.now), (expected, case.get("now").map(number)), "{name}");
        let AnyFilter::Expiring(read) = opened.filter() else { panic!("{name}") };
        assert!(*read == filter, "{name}");
        for probe in case["probes"].as_array().unwrap() {
            let i = number(&probe["number"]);
            let hash = match case.get("prefix") {
                Some(prefix) => read.hash_key(&format!("{}{i}", prefix.as_str().unwrap())).unwrap(),
                None => finish_hash(i),
            };
            let age = u64::try_from(probe["age"].as_i64().unwrap()).ok();
            assert_eq!(
                (read.age_estimate_hash(hash), read.contains_hash(hash)),
                (age, age.is_some()),
                "{name}"
            );
            if let Some(later) = case.get("later") {
                let later = number(later);
                let held = read.contains_hash_at(hash, later);
                assert_eq!(held, probe["held_later"].as_bool().unwrap(), "{name}: {i}");
                let mut then = read.clone();
                then.advance_to(later).unwrap();
                assert_eq!(then.contains_hash(hash), held, "{name}: {i}");
            }
        }
    }
}

#[test]
fn refused_expiring_filters_are_refused_at_their_step() {
    let file = vectors("expiring.json");
    let refused = file["refused"].as_array().unwrap();
    assert!(refused.len() >= 45);
    for case in refused {
        let (what, step) = (text(case, "what"), small(case, "step"));
        let of = file["files"].as_array().unwrap().iter().find(|file| file["name"] == case["file"]).unwrap();
        let mut changed = bytes(text(of, "file"));
        let mut is_of_body = false;
        for change in case["changes"].as_array().unwrap() {
            let (at, new) = (change["offset"].as_u64().unwrap() as usize, bytes(text(change, "bytes")));
            changed[at..at + new.len()].copy_from_slice(&new);
            is_of_body |= at >= 192;
        }
        if is_of_body {
            let sum = xxh3_64(&changed[192..]);
            changed[128..136].copy_from_slice(&sum.to_le_bytes());
        }
        let sum = xxh3_64(&changed[..184]);
        changed[184..192].copy_from_slice(&sum.to_le_bytes());
        let error = tepal::from_bytes(&changed).expect_err(what);
        assert_eq!(super::refused::step(&error), step, "{what}: {error}");
    }
}

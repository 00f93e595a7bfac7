//! `expiring.json`: expiring filters, their files, and refused files.

use serde_json::Value;
use tepal::{AnyFilter, ExpiringFilter, Opened, facts::Window, file::Format, hash::finish_hash};

use super::of_kind::{are_refused, can_be, with_keys, write, written};
use super::{bytes, number, open_file, small, text, vectors};

/// The filter that a case describes, made and filled by the library.
fn made(case: &Value) -> ExpiringFilter {
    let window = number(&case["window"]);
    let builder = ExpiringFilter::builder()
        .capacity(number(&case["capacity"]))
        .false_positive_rate(case["false_positive_rate"].as_f64().unwrap())
        .generations(small(case, "generations") as u8)
        .over_capacity(text(case, "over_capacity").parse().unwrap());
    let builder = match text(case, "of") {
        "keys" => builder.window_of_keys(window),
        _ => builder.window_of_time(window),
    };
    let builder = with_keys!(builder, case);
    let mut filter = builder.build().unwrap();
    for step in case["steps"].as_array().unwrap() {
        if let Some(time) = step.get("time") {
            filter.advance_to(number(time)).unwrap();
        }
        if let Some(time) = step.get("set") {
            filter.set_clock(number(time)).unwrap();
        }
        if step.get("cleared").is_some() {
            filter.clear().unwrap();
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

#[test]
fn expiring_filters_are_written_and_read() {
    let file = vectors("expiring.json");
    let files = file["files"].as_array().unwrap();
    assert!(files.len() >= 12);
    for case in files {
        let name = text(case, "name");
        if !can_be(case) {
            continue;
        }
        let filter = made(case);
        let opened = Opened::new(filter.clone(), Format::Tepal).unwrap();
        let bytes_of_it = written(case, &opened);
        assert!(case.get("file").or(case.get("header")).is_some(), "{name}");
        let opened = open_file(case, &bytes_of_it).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(write(case, &opened) == bytes_of_it, "{name}");
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
    are_refused(&vectors("expiring.json"), "files", (45, &[4, 5]), |of| bytes(text(of, "file")));
}

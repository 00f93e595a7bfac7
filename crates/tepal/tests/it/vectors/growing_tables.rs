//! `growing.json`: growing filters, their files, and refused files.

use tepal::{AnyFilter, GrowingFilter, Kind, Opened, facts::Labels, file::Format};

use super::of_kind::{are_refused, can_be, with_keys, write, written};
use super::{bytes, number, open_file, text, vectors};

fn filter(opened: &Opened) -> &GrowingFilter {
    let AnyFilter::Growing(filter) = opened.filter() else { panic!("{opened:?}") };
    filter
}

/// The contents of `links`.
fn links(opened: &Opened) -> Vec<serde_json::Value> {
    let of = |table: &tepal::facts::TableFacts| {
        let home = table.lines - spare(table);
        let room = match table.lines {
            1 => u64::from(table.slots),
            _ => 92 * home * u64::from(table.slots) / 100,
        };
        serde_json::json!({
            "shape": [
                table.numbers.to_string(), table.remainder_bits, table.tag_bits, table.buckets, table.slots,
                spare(table), table.lines.to_string(),
            ],
            "room": room.to_string(),
            "slots": table.taken_slots.to_string(),
            "different": table.distinct_numbers.to_string(),
        })
    };
    opened.facts().unwrap().tables.iter().map(of).collect()
}

/// The number of spare lines: those behind the lines that are home to a fingerprint.
fn spare(table: &tepal::facts::TableFacts) -> u64 {
    table.lines - table.numbers.div_ceil(u64::from(table.buckets) << table.remainder_bits)
}

/// The filter, made by the library from the keys.
fn made(case: &serde_json::Value) -> Opened {
    let builder = GrowingFilter::builder()
        .first(number(&case["first"]))
        .false_positive_rate(case["false_positive_rate"].as_f64().unwrap())
        .deletable(case["deletable"].as_bool().unwrap());
    let mut builder = with_keys!(builder, case);
    if case.get("seal_key").is_some() {
        builder = builder.labels(Labels::new().name("Gesehene Seiten").field("url"));
    }
    let mut filter = builder.build().unwrap();
    let key = |i: u64| format!("key {i}");
    let count = |field| number(&case[field]);
    let (keys, again): (Vec<_>, Vec<_>) =
        ((0..count("keys")).map(key).collect(), (0..count("again")).map(key).collect());
    filter.insert_many(&keys).unwrap();
    again.iter().for_each(|key| assert!(!filter.insert(key).unwrap()));
    (0..count("removed")).for_each(|i| assert_ne!(filter.remove(&key(i)).unwrap(), tepal::Removal::NotHeld));
    Opened::new(filter, Format::Tepal).unwrap()
}

#[test]
fn files_of_growing_filters() {
    let file = vectors("growing.json");
    let mut whole = 0;
    for case in file["files"].as_array().unwrap() {
        let name = text(case, "name");
        if !can_be(case) {
            continue;
        }
        let made = made(case);
        let written = written(case, &made);
        assert_eq!(links(&made), *case["links"].as_array().unwrap(), "{name}");
        whole += usize::from(case.get("file").is_some());
        let opened = open_file(case, &written).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((opened.format(), opened.filter().kind()), (Format::Tepal, Kind::Growing), "{name}");
        assert!(opened.filter() == made.filter() && write(case, &opened) == written, "{name}");
        for probe in case["probes"].as_array().unwrap() {
            let (key, answer) = (text(probe, "key"), probe["answer"].as_bool().unwrap());
            assert_eq!(opened.contains(key), answer, "{name}: {key}");
        }
        // All links as one table.
        let rate = 1.0 - f64::EPSILON;
        match filter(&opened).freeze(rate) {
            Ok(frozen) => assert_eq!(frozen.len(), filter(&opened).len(), "{name}"),
            Err(error) => {
                let has_too_many = matches!(error, tepal::Error::TooManyCopies { .. });
                assert!(has_too_many && name == "numbers held 64 times", "{name}: {error}");
            }
        }
    }
    assert!(whole >= 4, "{whole}");
}

#[test]
fn links_follow_from_the_first_keys_and_the_rate() {
    let file = vectors("growing.json");
    for case in file["plans"].as_array().unwrap() {
        let rate = case["false_positive_rate"].as_f64().unwrap();
        let first = number(&case["first"]);
        let links = case["links"].as_array().unwrap();
        if first > 1 << 30 {
            continue;
        }
        let filter = GrowingFilter::builder().first(first).false_positive_rate(rate).build().unwrap();
        let table = &filter.facts().tables[0];
        assert_eq!([table.numbers, table.capacity], [number(&links[0][0]), number(&links[0][1])]);
    }
}

#[test]
fn refused_files_of_growing_filters_are_refused_at_their_step() {
    are_refused(&vectors("growing.json"), "files", (30, &[4, 5]), |of| bytes(text(of, "file")));
}

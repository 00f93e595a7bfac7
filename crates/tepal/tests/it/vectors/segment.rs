//! `segment.json`: segment filters, their files, and refused files.

use serde_json::Value;
use tepal::{AnyFilter, Opened, SegmentFilter, file::Format, hash::finish_hash, segments::Segment};

use super::of_kind::{are_refused, can_be, with_keys, write, written};
use super::{bytes, number, open_file, small, text, vectors};

/// The filter that a case describes, made and filled by the library.
fn made(case: &Value) -> SegmentFilter {
    let builder = SegmentFilter::builder()
        .capacity(number(&case["capacity"]))
        .false_positive_rate(case["false_positive_rate"].as_f64().unwrap())
        .over_capacity(text(case, "over_capacity").parse().unwrap());
    let builder = with_keys!(builder, case);
    let mut filter = builder.build().unwrap();
    for name in names(case) {
        match name.as_str() {
            "" => filter.add_unnamed_segment().unwrap(),
            name => filter.add_segment(name).unwrap(),
        };
    }
    for step in case["steps"].as_array().unwrap() {
        for segment in small(step, "first")..=small(step, "last") {
            let segment = Segment::new(segment as u16);
            for i in number(&step["from"])..number(&step["to"]) {
                filter.insert_hash(segment, hash(case, &filter, i)).unwrap();
            }
        }
    }
    for segment in case["dropped"].as_array().unwrap() {
        filter.drop_segment(Segment::new(segment.as_u64().unwrap() as u16)).unwrap();
    }
    filter
}

/// The names of all segments, in the order in which they are added.
fn names(case: &Value) -> Vec<String> {
    if let Some(names) = case.get("names") {
        return names.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    }
    let numbered = |i| match text(case, "names_prefix") {
        "" => String::new(),
        prefix => format!("{prefix}{i}"),
    };
    (0..small(case, "names_count")).map(numbered).collect()
}

fn hash(case: &Value, filter: &SegmentFilter, i: u64) -> u64 {
    match case.get("prefix") {
        Some(prefix) => filter.hash_key(&format!("{}{i}", prefix.as_str().unwrap())).unwrap(),
        None => finish_hash(i),
    }
}

#[test]
fn segment_filters_are_written_and_read() {
    let file = vectors("segment.json");
    let files = file["files"].as_array().unwrap();
    assert!(files.len() >= 13);
    for case in files {
        let name = text(case, "name");
        if !can_be(case) {
            continue;
        }
        let filter = made(case);
        let opened = Opened::new(filter.clone(), Format::Tepal).unwrap();
        let bytes_of_it = written(case, &opened);
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
        assert_eq!(
            (table.taken_slots, table.keys),
            (number(&case["slots"]), number(&case["pairs"])),
            "{name}"
        );
        assert_eq!(facts.segments.iter().map(|segment| segment.keys).sum::<u64>(), table.keys, "{name}");
        let AnyFilter::Segment(read) = opened.filter() else { panic!("{name}") };
        assert!(*read == filter, "{name}");
        for probe in case["probes"].as_array().unwrap() {
            let i = number(&probe["number"]);
            let hash = hash(case, read, i);
            let expected: Vec<u64> = probe["segments"]
                .as_array()
                .unwrap()
                .iter()
                .map(|segment| segment.as_u64().unwrap())
                .collect();
            let found = read.segments_of_hash(hash).map(|segment| u64::from(segment.number()));
            assert!(found.eq(expected.iter().copied()), "{name}: {i}");
            assert_eq!(read.contains_hash(hash), !expected.is_empty(), "{name}: {i}");
        }
    }
}

#[test]
fn refused_segment_filters_are_refused_at_their_step() {
    are_refused(&vectors("segment.json"), "files", (55, &[4, 5]), |of| bytes(text(of, "file")));
}

//! `segment.json`: segment filters, their files, and refused files.

use serde_json::Value;
use tepal::{
    AnyFilter, Opened, SegmentFilter, facts::Labels, file::Format, hash::finish_hash, segments::Segment,
};
use xxhash_rust::xxh3::xxh3_64;

use super::{bytes, number, open_file, recipe, secret, small, text, vectors};

/// The filter that a case describes, made and filled by the library.
fn made(case: &Value) -> SegmentFilter {
    let labels = case["records"].as_array().unwrap().iter().fold(Labels::new(), |labels, record| {
        assert_eq!(small(record, "tag"), 1, "only the name");
        labels.name(text(record, "value"))
    });
    let builder = SegmentFilter::builder()
        .capacity(number(&case["capacity"]))
        .false_positive_rate(case["false_positive_rate"].as_f64().unwrap())
        .key_domain(text(case, "key_domain").parse().unwrap())
        .over_capacity(text(case, "over_capacity").parse().unwrap())
        .recipe(recipe(case))
        .labels(labels);
    let builder = match (secret(case), case.get("seed"), case.get("caller_hash")) {
        (Some(key), ..) => builder.secret_key(key),
        (_, Some(seed), _) => builder.seed(number(seed)),
        (.., Some(name)) => builder.caller_hash(name.as_str().unwrap()),
        _ => builder.scheme(text(case, "scheme").parse().unwrap()),
    };
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
fn segment_filters_are_written_and_read() {
    let file = vectors("segment.json");
    let files = file["files"].as_array().unwrap();
    assert!(files.len() >= 13);
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
        } else if let Some(header) = case.get("header") {
            let header = bytes(header.as_str().unwrap());
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
    let file = vectors("segment.json");
    let refused = file["refused"].as_array().unwrap();
    assert!(refused.len() >= 55);
    for case in refused {
        let (what, step) = (text(case, "what"), small(case, "step"));
        let of = file["files"].as_array().unwrap().iter().find(|file| file["name"] == case["file"]).unwrap();
        let mut changed = bytes(text(of, "file"));
        let body = u32::from_le_bytes(changed[12..16].try_into().unwrap()) as usize;
        let table = 128 + u64::from_le_bytes(changed[104..112].try_into().unwrap()) as usize;
        let mut is_of_body = false;
        for change in case["changes"].as_array().unwrap() {
            let (at, new) = (change["offset"].as_u64().unwrap() as usize, bytes(text(change, "bytes")));
            changed[at..at + new.len()].copy_from_slice(&new);
            is_of_body |= at >= body;
        }
        if is_of_body {
            let sum = xxh3_64(&changed[body..]);
            changed[table..table + 8].copy_from_slice(&sum.to_le_bytes());
        }
        let sum = xxh3_64(&changed[..body - 8]);
        changed[body - 8..body].copy_from_slice(&sum.to_le_bytes());
        let error = tepal::from_bytes(&changed).expect_err(what);
        assert_eq!(super::refused::step(&error), step, "{what}: {error}");
    }
}

//! Segment filters, in a folder of their own: each key is in the same segments, and the file is
//! written again byte for byte.

use serde_json::Value;
use tepal::{AnyFilter, Opened, file::Format, hash::finish_hash, segments::Segment};

use super::in_folder;

#[test]
fn kept_segment_filters_are_the_filters_they_were() {
    let all = in_folder("segment");
    assert!(all.len() >= 6, "{}", all.len());
    for kept in all.iter().filter(|kept| cfg!(feature = "seal") || !kept.is_sealed()) {
        let name = kept.path.display();
        let opened = kept.opened().unwrap_or_else(|error| panic!("{name}: {error}"));
        let facts = opened.facts().unwrap();
        kept.has(&facts);
        assert_eq!(kept.json["pairs"].as_u64(), facts.keys_inserted, "{name}");
        let listed = facts
            .segments
            .iter()
            .map(|segment| serde_json::json!([segment.number, segment.name, segment.keys]));
        assert_eq!(kept.json["listed"], Value::Array(listed.collect()), "{name}");

        let AnyFilter::Segment(filter) = opened.filter() else { panic!("{name}") };
        let hash = |i: u64| match kept.members_are_hashes() {
            true => finish_hash(i),
            false => filter.hash_key(&kept.key(i)).unwrap(),
        };
        let of = kept.text("segments").split(' ').collect::<Vec<_>>();
        assert_eq!(of.len() as u64, kept.number("members") + 1000, "{name}");
        for (i, of) in (0..).zip(&of) {
            let found: Vec<String> =
                filter.segments_of_hash(hash(i)).map(|segment| segment.number().to_string()).collect();
            assert_eq!(found.join(","), **of, "{name}: key {i}");
        }
        assert!(kept.written(&opened) == kept.file, "{name}: written again");

        // Filled again in another order.
        let mut again = filter.clone();
        again.clear().unwrap();
        for i in (0..kept.number("members")).rev() {
            for segment in of[i as usize].split(',').rev() {
                again.insert_hash(Segment::new(segment.parse().unwrap()), hash(i)).unwrap();
            }
        }
        let again = Opened::new(again, Format::Tepal).unwrap();
        assert!(kept.written(&again) == kept.file, "{name}: filled anew");
    }
}

//! The filter against a list of its pairs.

use std::collections::BTreeSet;

use tepal::{
    AnyFilter, Error, Kind, Opened, SegmentFilter, file::Format, hash::PreparedKeys, segments::Segment,
};

fn hash(i: u64) -> u64 {
    let z = (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i >> 7)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB) ^ (z >> 29)
}

#[test]
fn unions_and_intersections_go_by_names() {
    for (mine, theirs) in [(0..3, 2..5), (0..90, 60..300), (0..1, 1..2), (0..2, 0..0)] {
        let builder = SegmentFilter::builder().capacity(20_000);
        let filter_of = |segments: std::ops::Range<u64>, every: u64| {
            let mut filter = builder.clone().build().unwrap();
            for i in segments {
                let segment = filter.add_segment(&format!("day {i}")).unwrap();
                // Key 0 is in all segments.
                for key in (0..60).filter(|key| hash(key ^ i << 20) % every == 0 || *key == 0) {
                    filter.insert_hash(segment, hash(key)).unwrap();
                }
            }
            filter.add_unnamed_segment().unwrap();
            filter
        };
        let (one, other) = (filter_of(mine.clone(), 3), filter_of(theirs.clone(), 2));
        let names = |filter: &SegmentFilter, key: u64| -> BTreeSet<String> {
            filter
                .segments_of_hash(hash(key))
                .filter_map(|s| Some(filter.segment_name(s)?.to_string()))
                .collect()
        };
        let mut both = one.clone();
        both.union_with(&other).unwrap();
        let mut common = one.clone();
        common.intersect_with(&other).unwrap();
        for key in 0..60 {
            let (a, b) = (names(&one, key), names(&other, key));
            assert_eq!(names(&both, key), &a | &b);
            assert_eq!(names(&common, key), &a & &b);
        }
        let different = mine.clone().chain(theirs.clone()).collect::<BTreeSet<_>>().len();
        assert_eq!((both.num_segments(), common.num_segments()), (different + 2, one.num_segments()));
        // The same as inserting.
        let mut again = one.clone();
        for segment in other.all_segments() {
            let to = match other.segment_name(segment) {
                Some(name) => again.add_segment(name).unwrap(),
                None => again.add_unnamed_segment().unwrap(),
            };
            for key in (0..60).filter(|key| other.contains_hash_in(segment, hash(*key))) {
                again.insert_hash(to, hash(key)).unwrap();
            }
        }
        assert!(again == both && again != one);
    }
    let one = SegmentFilter::builder().capacity(100).build().unwrap();
    for builder in [SegmentFilter::builder().capacity(200), SegmentFilter::builder().capacity(100).seed(1)] {
        let refused = one.clone().union_with(&builder.build().unwrap());
        assert!(matches!(refused, Err(Error::Incompatible { .. })), "{refused:?}");
    }
    // Full.
    let of =
        |name: &str| SegmentFilter::builder().capacity(3).build_from([(name, "a"), (name, "b")]).unwrap();
    let mut full = of("x");
    assert!(matches!(full.union_with(&of("y")), Err(Error::CapacityReached { .. })));
    assert!(full == of("x"));
    full.union_with(&of("x")).unwrap();
}

#[test]
fn as_many_segments_as_there_can_be() {
    const MOST: usize = 1 << 16;
    let count = if cfg!(debug_assertions) { 3000 } else { MOST };
    let mut filter = SegmentFilter::builder().capacity(10 + count as u64).build().unwrap();
    filter.add_segment("none").unwrap();
    for i in 1..count {
        assert_eq!(usize::from(filter.add_segment(&format!("s{i}")).unwrap().number()), i);
    }
    // One key in all of them, in both directions.
    for i in (0..count / 2).rev().chain(count / 2..count) {
        assert!(filter.insert_hash(Segment::new(i as u16), hash(1)).unwrap());
    }
    filter.insert_hash(Segment::new(7), hash(2)).unwrap();
    assert!(filter.segments_of_hash(hash(1)).map(Segment::number).eq((0..count).map(|i| i as u16)));
    assert_eq!(filter.segments_of_hash(hash(2)).count(), 1);
    // It does not slow the others.
    assert!(filter.size_in_bytes() < 64 * 3000 + count as u64 * 4);
    let bytes = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    let opened = tepal::from_bytes(&bytes).unwrap().into_filter();
    assert!(opened == filter.clone().into());
    if count == MOST {
        let error = filter.add_segment("one more").unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
        assert!(filter.add_segment("s77").is_ok());
    }
    // The numbers of dropped segments are used again, the lowest first.
    for number in [900, 5, 7] {
        filter.drop_segment(Segment::new(number)).unwrap();
    }
    assert_eq!(filter.segments_of_hash(hash(1)).count(), count - 3);
    assert_eq!(filter.segments_of_hash(hash(2)).count(), 0);
    for number in [5, 7, 900] {
        assert_eq!(filter.add_unnamed_segment().unwrap().number(), number);
    }
    assert_eq!(filter.segments_of_hash(hash(1)).count(), count - 3);
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut filter = SegmentFilter::builder().capacity(4).build_from([("a", "1"), ("b", "2")]).unwrap();
    let before = filter.clone();
    let [a, b] = [Segment::new(0), Segment::new(1)];
    for name in ["", "line\nend", "\u{202E}", &"x".repeat(1025)] {
        assert!(matches!(filter.add_segment(name), Err(Error::Parameter { .. })), "{name:?}");
        assert!(filter.rename_segment(a, name).is_err());
    }
    assert!(filter.rename_segment(a, "b").unwrap_err().to_string().contains("merge_segments"));
    filter.rename_segment(a, "a").unwrap();
    let none = Segment::new(9);
    assert!(matches!(filter.insert(none, "x"), Err(Error::Parameter { .. })));
    assert!(filter.insert_pairs([(1, a), (2, none)].to_vec()).is_err());
    assert!(filter.drop_segment(none).is_err() && filter.merge_segments(a, none).is_err());
    assert!(!filter.contains_in(none, "1") && filter.segment_len(none) == 0);
    assert!(filter.insert_pairs((0..9).map(|i| (hash(i), b)).collect()).is_err());
    let error = filter.insert_many_hashes(b, &(0..9).map(hash).collect::<Vec<_>>()).unwrap_err();
    assert!(matches!(error, Error::CapacityReached { inserted: 2, .. }), "{error}");
    filter.drop_segment(b).unwrap();
    assert_eq!(filter.add_segment("b").unwrap(), b);
    filter.insert(b, "2").unwrap();
    assert!(filter == before);
    let names = SegmentFilter::builder().build_from_hashes(&["x", "x"], Vec::new());
    assert!(matches!(names, Err(Error::Parameter { .. })), "{names:?}");
    // Without a segment: into the only one.
    let mut any = AnyFilter::from(filter);
    for refused in [any.insert("x").map(drop), any.insert_many(&["x"])] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::NotPossible { kind: Kind::Segment, .. }), "{error}");
        assert!(error.to_string().contains("`SegmentFilter::insert`"), "{error}");
    }
    let AnyFilter::Segment(mut filter) = any else { panic!() };
    filter.drop_segment(a).unwrap();
    let mut any = AnyFilter::from(filter);
    assert!(any.insert("x").unwrap() && any.contains("x"));
}

#[test]
fn keys_that_cannot_be_hashed() {
    let mut filter = SegmentFilter::builder().capacity(100).caller_hash("ours").build().unwrap();
    let (a, b) = (filter.add_segment("a").unwrap(), filter.add_segment("b").unwrap());
    filter.insert_hash(b, 77).unwrap();
    assert!(matches!(filter.insert(a, "x"), Err(Error::CallerHashes { .. })));
    assert!(filter.segments("x").eq([a, b]) && filter.contains("x") && filter.contains_in(a, "x"));
    let answers = filter.segments_many(&["x", "y"]);
    assert!(answers.len() == 2 && answers.iter().all(|of_key| of_key == [a, b]));
    let integers = SegmentFilter::builder().key_domain(tepal::KeyDomain::Integer);
    let filter = integers.build_from([("a", "1"), ("b", "2")]).unwrap();
    let answers = filter.segments_many(&["2", "x", "1"]);
    assert_eq!(format!("{answers:?}"), "[[1], [], [0]]");
    assert!(filter.segments("x").next().is_none());
    let mut prepared = PreparedKeys::default();
    filter.key_hasher().prepare("2", &mut prepared).unwrap();
    let mut answers = answers;
    filter.segments_prepared(&prepared, &mut answers);
    assert_eq!(format!("{answers:?} {:?}", filter.segments("2")), "[[1]] [Segment(1)]");
}

//! Segments: wrong ones are at most as frequent as the rate, right ones are never missed, and files
//! give the same answers.

use tepal::{AnyFilter, Open, Opened, SegmentFilter, file::Format, hash::finish_hash, segments::Segment};

/// The most successes of this many draws at a rate, exceeded once in thousands of times.
fn credible(asked: u64, rate: f64) -> f64 {
    let mean = rate * asked as f64;
    mean + 4.0 * mean.sqrt() + 3.0
}

/// Pairs of keys and segments: half of the keys are in one segment, the others in up to five.
fn pairs(keys: u64, segments: u64, of: u64) -> Vec<(u64, Segment)> {
    let of_key = |i: u64| {
        let count = if i % 2 == 0 { 1 } else { 1 + i % 5 };
        (0..count).map(move |j| {
            let segment = finish_hash(i * 8 + j + (of << 40)) % segments;
            (finish_hash(i + (of << 32)), Segment::new(segment as u16))
        })
    };
    (0..keys).flat_map(of_key).collect()
}

fn names(segments: u64) -> Vec<String> {
    (0..segments).map(|i| format!("segment {i}")).collect()
}

/// Wrong segments of non-members, over all segments and for each alone, are at most as many as
/// promised; so are those of members.
#[test]
fn wrong_segments_are_at_most_the_promise() {
    const KEYS: u64 = if cfg!(debug_assertions) { 2000 } else { 40_000 };
    const ASKED: u64 = 5 * KEYS;
    for (rate, segments) in [(0.1, 8), (0.01, 64), (0.01, 1000), (0.001, 20_000), (0.3, 1)] {
        let mut pairs = pairs(KEYS, segments, 0);
        let filter = SegmentFilter::builder()
            .false_positive_rate(rate)
            .build_from_hashes(&names(segments), pairs.clone())
            .unwrap();
        pairs.sort_unstable();
        pairs.dedup();
        assert!(filter.capacity() == pairs.len() as u64 && filter.len() <= filter.capacity());
        assert!(filter.wrong_segments() <= rate && filter.false_positive_rate() <= filter.wrong_segments());
        let (mut wrong, mut of_first, mut any) = (0, 0, 0);
        for i in 0..ASKED {
            let hash = finish_hash(i + (1 << 50));
            let of = filter.segments_of_hash(hash);
            let before = wrong;
            for segment in of {
                wrong += 1;
                of_first += usize::from(segment.number() == 0);
            }
            any += usize::from(wrong > before);
            assert_eq!(wrong > before, filter.contains_hash(hash));
        }
        // If keys are in several segments, several wrong ones appear at a time: five times the
        // spread is enough.
        let most = credible(ASKED, rate) + 4.0 * (rate * ASKED as f64).sqrt();
        assert!(wrong as f64 <= most, "{rate} {segments}: {wrong} of {ASKED}");
        assert!(wrong as f64 >= 0.9 * filter.wrong_segments() * ASKED as f64 - 50.0, "{wrong}");
        let share = filter.segment_len(Segment::new(0)) as f64 / filter.numbers() as f64;
        assert!(of_first as f64 <= credible(ASKED, share) + 5.0, "{rate} {segments}: {of_first}, {share}");
        assert!(any as f64 <= credible(ASKED, filter.false_positive_rate()), "{any}");
        // Members: all of their segments, and wrong ones at the same rate.
        let mut beyond = 0;
        for of in pairs.chunk_by(|a, b| a.0 == b.0) {
            let found: Vec<Segment> = filter.segments_of_hash(of[0].0).collect();
            assert!(of.iter().all(|pair| found.contains(&pair.1)) && found.is_sorted());
            beyond += found.len() - of.len();
        }
        assert!(beyond as f64 <= 1.1 * rate * KEYS as f64 + 30.0, "{rate} {segments}: {beyond}");
    }
}

/// A third of all keys is in half of all segments: such tables have room, and no key is refused.
#[test]
fn keys_in_very_many_segments() {
    let (keys, segments) = if cfg!(debug_assertions) { (30, 300) } else { (300, 1000) };
    let mut pairs = Vec::new();
    for i in 0..keys {
        let every = if i % 3 == 0 { 2 } else { 20 };
        pairs.extend(
            (0..segments)
                .filter(|s| finish_hash(i << 20 | s) % every == 0)
                .map(|s| (finish_hash(i), Segment::new(s as u16))),
        );
    }
    let filter = SegmentFilter::builder().build_from_hashes(&names(segments), pairs.clone()).unwrap();
    let mut inserted = SegmentFilter::builder().capacity(filter.capacity()).build().unwrap();
    for name in names(segments) {
        inserted.add_segment(&name).unwrap();
    }
    for (hash, segment) in pairs.iter().rev() {
        assert!(inserted.insert_hash(*segment, *hash).unwrap());
    }
    assert!(inserted == filter && filter.len() == pairs.len() as u64);
    for of in pairs.chunk_by(|a, b| a.0 == b.0) {
        assert!(filter.segments_of_hash(of[0].0).eq(of.iter().map(|pair| pair.1)));
    }
    let kept = filter.size_in_bytes() as f64 * 8.0 / filter.len() as f64;
    assert!(kept < 30.0, "{kept} bits a pair in the table");
}

/// Saved, opened in every way, changed, saved again.
#[test]
fn files_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("days.tepal");
    let pairs = pairs(3000, 50, 3);
    let filter =
        SegmentFilter::builder().capacity(20_000).build_from_hashes(&names(50), pairs.clone()).unwrap();
    Opened::new(filter.clone(), Format::Tepal).unwrap().save(&path).unwrap();
    for open in [Open::new(), Open::new().quick(), Open::new().in_memory()] {
        let opened = open.open(&path).unwrap();
        let AnyFilter::Segment(mut again) = opened.into_filter() else { panic!() };
        assert!(again == filter);
        let gone = again.segment_by_name("segment 7").unwrap();
        let len = again.segment_len(gone);
        assert!(len > 50 && again.drop_segment(gone).unwrap() == len && again.len() == filter.len() - len);
        let new = again.add_segment("new").unwrap();
        assert_eq!(new, gone);
        assert_eq!(again.segments_of_hash(pairs[0].0).filter(|segment| *segment == new).count(), 0);
        // The keys of the dropped segment, in another table, are united under its old name.
        let only = filter.all_segments().filter(|segment| *segment != gone).collect::<Vec<_>>();
        let mut other = filter.clone();
        for segment in only {
            other.drop_segment(segment).unwrap();
        }
        again.union_with(&other).unwrap();
        assert_eq!((again.len(), again.num_segments()), (filter.len(), 51));
        let back = again.segment_by_name("segment 7").unwrap();
        assert!(pairs.iter().all(|(hash, segment)| {
            again.contains_hash_in(if *segment == gone { back } else { *segment }, *hash)
        }));
        Opened::new(again, Format::Tepal).unwrap().save(folder.path().join("again.tepal")).unwrap();
    }
}

/// For any keys in any number of segments, the filter takes its capacity of pairs.
/// `bench/measure/run segment_mixes` tests ten thousand of each.
#[test]
fn no_pair_is_refused_below_the_capacity() {
    for mix in crate::shared::segment_mixes::MIXES {
        // Every way of inserting with every rate and size.
        for seed in 0..126 {
            if let Err(error) = crate::shared::segment_mixes::fill(mix, seed) {
                panic!("{mix:?}, {seed}: {error}");
            }
        }
    }
}

/// The same keys in segments of other names, or of none, are another filter.
#[test]
fn filters_of_other_names_are_not_equal() {
    let of = |names: [&str; 2]| {
        let mut filter = SegmentFilter::builder().capacity(100).build().unwrap();
        let [one, other] = names.map(|name| match name {
            "" => filter.add_unnamed_segment().unwrap(),
            name => filter.add_segment(name).unwrap(),
        });
        filter.insert(one, "alice").unwrap();
        filter.insert(other, "bob").unwrap();
        filter
    };
    let filters = [["mo", "tu"], ["mo", "we"], ["tu", "mo"], ["mo", ""], ["", ""]].map(of);
    for (i, one) in filters.iter().enumerate() {
        for (j, other) in filters.iter().enumerate() {
            assert_eq!(one == other, i == j, "{i} {j}");
        }
    }
}

/// Pairs count against the capacity wherever they are stored, also beside the table for keys in
/// more than 64 segments.
#[test]
fn all_pairs_of_many_segments_count() {
    let (segments, keys) = (200u64, 50u64);
    let mut filter = SegmentFilter::builder().capacity(5000).build().unwrap();
    filter.set_over_capacity(tepal::OverCapacity::Refuse).unwrap();
    (0..segments).for_each(|i| _ = filter.add_segment(&format!("segment {i}")).unwrap());
    let all: Vec<_> = (0..keys)
        .flat_map(|key| (0..segments).map(move |i| (finish_hash(key), Segment::new(i as u16))))
        .collect();
    let before = filter.clone();
    let error = filter.insert_pairs(all.clone()).unwrap_err();
    assert!(matches!(error, tepal::Error::CapacityReached { .. }), "{error}");
    assert!(filter == before);
    // The same number as one by one.
    let taken = all.iter().position(|(hash, segment)| filter.insert_hash(*segment, *hash).is_err()).unwrap();
    let mut sorted = before.clone();
    sorted.insert_pairs(all[..taken].to_vec()).unwrap();
    assert!(sorted == filter);
    assert!(before.clone().insert_pairs(all[..=taken].to_vec()).is_err());
}

//! Segment filters: an opened filter must answer, be written again and contain inserted keys.
//! Sequences of operations are compared with a list of pairs.

use std::collections::{BTreeMap, BTreeSet};

use tepal::{
    AnyFilter, Error, Opened, OverCapacity, SegmentFilter,
    file::Format,
    segments::{Segment, SegmentAnswers},
};
use xxhash_rust::xxh3::xxh3_64;

use crate::KEYS;
use crate::quotient::number;

/// Hashes for lookups and inserts.
fn hashes() -> Vec<u64> {
    (0..64u64).map(|i| xxh3_64(&i.to_le_bytes())).chain([0, 1, u64::MAX]).collect()
}

/// The segments of each hash, alone and in a batch.
fn asked(filter: &SegmentFilter) -> Vec<Vec<Segment>> {
    let mut answers = SegmentAnswers::new();
    filter.segments_many_hashes(&hashes(), &mut answers);
    let each: Vec<Vec<Segment>> =
        hashes().iter().map(|hash| filter.segments_of_hash(*hash).collect()).collect();
    assert!(answers.iter().eq(each.iter().map(Vec::as_slice)));
    let keys = filter.segments_many(&KEYS);
    assert!(KEYS.iter().enumerate().all(|(i, key)| filter.segments(*key).eq(keys.of(i).iter().copied())));
    each
}

/// Checks an opened filter.
pub(crate) fn held(filter: &SegmentFilter) {
    let before = asked(filter);
    assert_eq!(filter.facts().segments.iter().map(|segment| segment.keys).sum::<u64>(), filter.len());
    for (hash, of) in hashes().iter().zip(&before) {
        assert_eq!(filter.contains_hash(*hash), !of.is_empty());
        assert!(filter.all_segments().take(50).all(|s| filter.contains_hash_in(s, *hash) == of.contains(&s)));
    }
    changed(filter, &before);
}

/// Inserted pairs are found; a dropped segment is gone, and nothing else.
fn changed(held: &SegmentFilter, before: &[Vec<Segment>]) {
    let mut changed = held.clone();
    if let Ok(segment) = changed.add_segment("a segment of the fuzzer's") {
        for hash in hashes() {
            if changed.insert_hash(segment, hash).is_ok() {
                assert!(changed.contains_hash_in(segment, hash));
            }
        }
        changed.drop_segment(segment).unwrap();
        assert!(held.segment_by_name("a segment of the fuzzer's").is_some() || changed == *held);
    }
    let mut both = held.clone();
    both.intersect_with(held).unwrap();
    let mut fitted = held.clone();
    if fitted.shrink_to_fit().is_ok() {
        assert!(fitted == *held && asked(&fitted) == before);
    }
    if let Some(first) = held.all_segments().next() {
        let mut fewer = held.clone();
        assert_eq!(fewer.drop_segment(first).unwrap(), held.segment_len(first));
        let left = |of: &Vec<Segment>| of.iter().copied().filter(|s| *s != first).collect::<Vec<_>>();
        assert!(asked(&fewer).into_iter().eq(before.iter().map(left)));
    }
}

/// Opened without reading its numbers: lookups in damaged ones never panic, and they are never
/// written.
pub(crate) fn quick(held: &SegmentFilter, sound: bool) {
    let _ = asked(held);
    let (mut changed, any) = (held.clone(), held.all_segments().find(|s| held.segment_len(*s) > 0));
    if let (Some(segment), false) = (any, sound) {
        assert!(changed.insert_hash(segment, 7).is_err() && changed.drop_segment(segment).is_err());
        assert!(changed.shrink_to_fit().is_err() && changed.union_with(held).is_err());
    }
}

/// Pairs of number and segment, and the name of each segment.
#[derive(Clone, Default, PartialEq, Debug)]
struct Model {
    pairs: BTreeSet<(u64, u16)>,
    names: BTreeMap<u16, Option<String>>,
}

impl Model {
    fn check(&self, filter: &SegmentFilter) {
        assert_eq!(filter.len(), self.pairs.len() as u64);
        let name = |s: Segment| (s.number(), filter.segment_name(s).map(str::to_owned));
        assert!(filter.all_segments().map(name).eq(self.names.clone()));
        for segment in self.names.keys() {
            let held = self.pairs.iter().filter(|pair| pair.1 == *segment).count();
            assert_eq!(filter.segment_len(Segment::new(*segment)), held as u64);
        }
    }
}

/// The first bytes describe a filter, the others are operations.
pub(crate) fn operations(data: &[u8]) {
    let Some((&[capacity, rate, policy], steps)) = data.split_first_chunk::<3>() else { return };
    let policy = OverCapacity::ALL[usize::from(policy) % OverCapacity::ALL.len()];
    let builder = SegmentFilter::builder()
        .capacity(1 + u64::from(capacity) * u64::from(capacity) / 64)
        .false_positive_rate([0.5, 0.1, 0.01, 1e-6, 0.9][usize::from(rate % 5)])
        .over_capacity(policy);
    let (mut filter, mut model) = (builder.build().unwrap(), Model::default());
    for step in steps.chunks_exact(3).take(2000) {
        let (what, hash) = (step[0], xxh3_64(&[step[1] % 32]));
        let any = filter.all_segments().nth(usize::from(step[2]) % filter.num_segments().max(1));
        let at = number(hash, filter.numbers());
        match (what % 16, any) {
            (0, _) => {
                let name = format!("s{}", step[1]);
                let segment = filter.add_segment(&name).unwrap();
                model.names.insert(segment.number(), Some(name));
            }
            // The given number of segments, with one key in each.
            (1, _) => {
                for _ in 0..step[2] % 80 {
                    let segment = filter.add_unnamed_segment().unwrap();
                    model.names.insert(segment.number(), None);
                    if filter.insert_hash(segment, hash).is_ok() {
                        model.pairs.insert((at, segment.number()));
                    }
                }
            }
            (2, Some(segment)) if step[1] < 64 => {
                let before = model.pairs.len();
                model.pairs.retain(|pair| pair.1 != segment.number());
                model.names.remove(&segment.number());
                let dropped = filter.drop_segment(segment).unwrap();
                assert_eq!(dropped, (before - model.pairs.len()) as u64);
            }
            (3, Some(from)) => {
                let into = filter.all_segments().nth(usize::from(step[1]) % filter.num_segments()).unwrap();
                filter.merge_segments(from, into).unwrap();
                if from != into {
                    let to = |pair: &(u64, u16)| {
                        (pair.0, if pair.1 == from.number() { into.number() } else { pair.1 })
                    };
                    model.pairs = model.pairs.iter().map(to).collect();
                    model.names.remove(&from.number());
                }
            }
            (4, _) => filter.shrink_to_fit().unwrap_or_else(|error| clustered(&error)),
            (5, _) => {
                let file = Opened::new(filter.clone(), Format::Tepal).unwrap();
                let read = tepal::from_bytes(&file.to_bytes().unwrap()).unwrap();
                let AnyFilter::Segment(read) = read.into_filter() else { unreachable!() };
                assert!(read == filter);
                filter = read;
            }
            (6, _) => {
                // Its named segments exist already; the others are created again.
                let mut named = filter.clone();
                let unnamed = filter.all_segments().filter(|s| filter.segment_name(*s).is_none());
                for segment in unnamed.collect::<Vec<_>>() {
                    named.drop_segment(segment).unwrap();
                }
                match filter.union_with(&named) {
                    Ok(()) | Err(Error::CapacityReached { .. }) => {}
                    Err(error) => clustered(&error),
                }
            }
            (_, Some(segment)) => match filter.insert_hash(segment, hash) {
                Ok(is_new) => assert_eq!(is_new, model.pairs.insert((at, segment.number()))),
                Err(Error::CapacityReached { .. }) => assert!(filter.is_full()),
                Err(error) => clustered(&error),
            },
            _ => {}
        }
        let held = model.pairs.range((at, 0)..=(at, u16::MAX)).map(|pair| pair.1);
        assert!(filter.segments_of_hash(hash).map(Segment::number).eq(held));
    }
    model.check(&filter);
}

/// Few numbers in many segments fit in no table.
fn clustered(error: &Error) {
    assert!(matches!(error, Error::NumbersClustered { .. }), "{error}");
}

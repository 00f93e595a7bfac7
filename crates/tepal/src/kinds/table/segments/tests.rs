//! The filter against a list of its pairs.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::*;
use crate::error::Error;
use crate::kinds::storage::Owned;
use crate::{AnyFilter, Opened, file::Format};

fn hash(i: u64) -> u64 {
    let z = (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i >> 7)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB) ^ (z >> 29)
}

/// The pairs of fingerprint and segment, and the names of the segments.
#[derive(Clone, Default)]
struct Model {
    pairs: BTreeSet<(u64, u16)>,
    names: BTreeMap<u16, Option<String>>,
}

impl Model {
    fn of(&self, number: u64) -> Vec<u16> {
        self.pairs.range((number, 0)..=(number, u16::MAX)).map(|pair| pair.1).collect()
    }

    fn check(&self, filter: &SegmentFilter) {
        assert_eq!(filter.len(), self.pairs.len() as u64);
        let numbers: BTreeSet<u64> = self.pairs.iter().map(|pair| pair.0).collect();
        assert_eq!(filter.distinct_numbers(), numbers.len() as u64);
        let names: Vec<(u16, Option<String>)> = filter
            .all_segments()
            .map(|segment| (segment.number(), filter.segment_name(segment).map(str::to_string)))
            .collect();
        assert!(names.into_iter().eq(self.names.clone()));
        let mut lens: BTreeMap<u16, u64> = self.names.keys().map(|number| (*number, 0)).collect();
        self.pairs.iter().for_each(|pair| *lens.get_mut(&pair.1).unwrap() += 1);
        assert!(filter.all_segments().map(|segment| filter.segment_len(segment)).eq(lens.into_values()));
        let table = |number: &u64| filter.core.table.tags(*number).map(|tag| tag as u16).collect::<Vec<_>>();
        for number in &numbers {
            let all = self.of(*number);
            let (first, more) = all.split_at(all.len().min(64));
            assert_eq!((table(number).as_slice(), filter.wide.of(*number)), (first, more));
        }
        // The file has the same contents, and is checked.
        let file = Opened::new(filter.clone(), Format::Tepal).unwrap();
        let bytes = file.to_bytes().unwrap();
        assert_eq!(bytes.len() as u64, file.file_len().unwrap());
        let AnyFilter::Segment(again) = crate::from_bytes(&bytes).unwrap().into_filter() else {
            panic!("another kind")
        };
        assert!(again == *filter && again.segments == filter.segments);
    }
}

#[test]
fn a_filter_is_what_its_pairs_are() {
    let (mut refused, mut wide) = (0, 0);
    for (seed, capacity, rate, segments) in
        [(0, 1, 0.5, 1), (1, 60, 0.01, 3), (2, 700, 0.1, 40), (3, 3000, 0.01, 200), (4, 2500, 1e-6, 900)]
    {
        let builder = SegmentFilter::builder().capacity(capacity).false_positive_rate(rate);
        let (mut filter, mut model) = (builder.clone().build().unwrap(), Model::default());
        let steps = if cfg!(debug_assertions) { 1 } else { 5 } * capacity + 200;
        for i in 0..steps {
            let random = hash(i ^ seed << 40);
            let listed: Vec<Segment> = filter.all_segments().collect();
            let any = listed.get(random as usize % listed.len().max(1)).copied();
            match (random >> 20) % 200 {
                0..=19 if listed.len() < segments => {
                    let name = (random >> 30 & 3 != 0).then(|| format!("segment {}", random >> 50));
                    let is_new = name.as_ref().is_none_or(|name| filter.segment_by_name(name).is_none());
                    let added = match &name {
                        Some(name) => filter.add_segment(name).unwrap(),
                        None => filter.add_unnamed_segment().unwrap(),
                    };
                    assert_eq!(is_new, model.names.insert(added.number(), name).is_none());
                }
                20 if listed.len() > 3 => {
                    let gone = any.unwrap().number();
                    let before = model.pairs.len();
                    model.pairs.retain(|pair| pair.1 != gone);
                    model.names.remove(&gone);
                    let dropped = filter.drop_segment(any.unwrap()).unwrap();
                    assert_eq!(dropped, (before - model.pairs.len()) as u64);
                }
                21 if listed.len() > 3 => {
                    let (from, into) = (any.unwrap(), listed[(random >> 40) as usize % listed.len()]);
                    filter.merge_segments(from, into).unwrap();
                    if from != into {
                        let moved = |pair: &(u64, u16)| {
                            (pair.0, if pair.1 == from.number() { into.number() } else { pair.1 })
                        };
                        model.pairs = model.pairs.iter().map(moved).collect();
                        model.names.remove(&from.number());
                    }
                }
                22 => filter.shrink_to_fit().unwrap(),
                23 => model.check(&filter),
                _ => {
                    let Some(segment) = any else { continue };
                    // A few keys are in very many segments.
                    let key = if random >> 60 < 4 { random >> 50 & 3 } else { random >> 32 & 0x3FF };
                    let number = filter.core.table.number(hash(key));
                    let pair = (number, segment.number());
                    match filter.insert_hash(segment, hash(key)) {
                        Ok(is_new) => assert_eq!(is_new, model.pairs.insert(pair)),
                        Err(Error::CapacityReached { .. }) => {
                            assert!(!model.pairs.contains(&pair) && model.pairs.len() as u64 >= capacity);
                            refused += 1;
                        }
                        Err(error) => panic!("{error}"),
                    }
                    let held = model.of(number);
                    let found: Vec<u16> = filter.segments_of_hash(hash(key)).map(Segment::number).collect();
                    assert_eq!(found, held);
                    assert_eq!(filter.contains_hash(hash(key)), !held.is_empty());
                    for segment in filter.all_segments().filter(|_| i % 16 == 0) {
                        let is_in = filter.contains_hash_in(segment, hash(key));
                        assert_eq!(is_in, held.contains(&segment.number()));
                    }
                }
            }
        }
        model.check(&filter);
        wide += filter.wide.len();
        ways_to_the_same(&builder, &filter, &model);
    }
    assert!(refused > 20 && wide > 0, "{refused} {wide}");
}

/// The same pairs made in other ways, and lookups of many keys.
fn ways_to_the_same(builder: &SegmentFilterBuilder, filter: &SegmentFilter, model: &Model) {
    let keys: Vec<u64> = (0..2000).map(hash).collect();
    let mut pairs = Vec::new();
    for key in &keys[..1024] {
        pairs.extend(filter.segments_of_hash(*key).map(|segment| (*key, segment)));
        // Each pair twice.
        pairs.extend(filter.segments_of_hash(*key).take(1).map(|segment| (*key, segment)));
    }
    let mut empty = filter.clone();
    empty.clear().unwrap();
    assert!(empty.is_empty() && empty.num_segments() == filter.num_segments());
    let (mut at_once, mut by_segment) = (empty.clone(), empty);
    at_once.insert_pairs(pairs.clone()).unwrap();
    assert!(at_once == *filter);
    for segment in filter.all_segments().collect::<Vec<_>>().into_iter().rev() {
        let of: Vec<u64> = pairs.iter().filter(|pair| pair.1 == segment).map(|pair| pair.0).collect();
        by_segment.insert_many_hashes(segment, &of).unwrap();
    }
    assert!(by_segment == *filter);
    let mut answers = SegmentAnswers::new();
    for _ in 0..2 {
        filter.segments_many_hashes(&keys, &mut answers);
        assert_eq!(answers.len(), keys.len());
        for (i, key) in keys.iter().enumerate() {
            let held = model.of(filter.core.table.number(*key));
            assert!(answers.of(i).iter().map(|segment| segment.number()).eq(held));
        }
    }
    // Built from the pairs, with new segment numbers.
    let listed: Vec<Segment> = filter.all_segments().collect();
    let place = |segment: Segment| listed.iter().position(|other| *other == segment).unwrap() as u16;
    let names: Vec<String> = (0..listed.len()).map(|i| format!("number {i}")).collect();
    let pairs: Vec<(u64, Segment)> =
        pairs.iter().map(|(key, segment)| (*key, Segment::new(place(*segment)))).collect();
    let built = builder.clone().build_from_hashes(&names, pairs).unwrap();
    for (i, key) in keys.iter().enumerate() {
        assert!(
            built.segments_of_hash(*key).map(Segment::number).eq(answers.of(i).iter().copied().map(place))
        );
    }
}

/// Whatever is in the lines of a file that was opened quick, a lookup ends.
#[test]
fn a_damaged_table_fails_nobody() {
    let mut pairs = Vec::new();
    for i in 0..3000u64 {
        pairs.push((hash(i % 300), Segment::new((hash(i) % 150) as u16)));
    }
    let names: Vec<String> = (0..150).map(|i| i.to_string()).collect();
    let filter = SegmentFilter::builder().build_from_hashes(&names, pairs).unwrap();
    let (table, keys) = (&filter.core.table, (0..600).map(hash).collect::<Vec<_>>());
    let mut answers = SegmentAnswers::new();
    filter.segments_many_hashes(&keys, &mut answers);
    let right: Vec<Vec<Segment>> = answers.iter().map(<[Segment]>::to_vec).collect();
    let mut wrong = 0;
    let rounds = if cfg!(debug_assertions) { 20 } else { 300 };
    for round in 0..rounds {
        let mut lines = table.as_lines().to_vec();
        for i in 0..=round % 40 {
            let random = hash(round * 64 + i);
            let count = lines.len();
            lines[random as usize % count].0[random as usize >> 20 & 7] ^= hash(random) & hash(random + 1);
        }
        let lines = Owned::new(lines);
        let damaged = Table::of_lines(*table.packing(), lines, table.slots(), table.distinct());
        let filter = SegmentFilter::from_parts(
            filter.core.meta.clone(),
            filter.segments.clone(),
            damaged,
            filter.wide.clone(),
        );
        filter.segments_many_hashes(&keys, &mut answers);
        for (i, key) in keys.iter().enumerate() {
            assert!(filter.segments_of_hash(*key).eq(answers.of(i).iter().copied()));
            wrong += usize::from(answers.of(i) != right[i]);
        }
    }
    assert!(wrong as u64 > 3 * rounds, "{wrong}");
}

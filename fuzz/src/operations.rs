//! Sequences of operations: on every kind, compared with a set of keys; on tables, compared with an
//! exact list; and static filters from any hashes and pairs.

use std::collections::BTreeSet;

use tepal::{
    AnyFilter, BloomFilter, Change, ExpiringFilter, GrowingFilter, MutableFilter, Opened, OverCapacity,
    QuotientFilter, Removal, RibbonFilter, SegmentFilter, file::Format,
};

use crate::{map, quotient, ribbon, segment};

/// The first byte chooses the test for the other bytes.
pub fn operations(data: &[u8]) {
    match data.split_first() {
        Some((0xFF, rest)) => segment::operations(rest),
        Some((0xFE, rest)) => ribbon::built(rest),
        Some((0xFD, rest)) => map::built(rest),
        Some((0xFC, rest)) => any(rest),
        _ => quotient::operations(data),
    }
}

/// An empty filter of the kind that the number chooses.
fn empty(pick: u8, capacity: u64, policy: OverCapacity) -> AnyFilter {
    let made = match pick % 8 {
        0 => BloomFilter::builder().capacity(capacity).over_capacity(policy).build().map(AnyFilter::from),
        1 => BloomFilter::builder().capacity(capacity).expansion(2).build_growing().map(AnyFilter::from),
        2 => QuotientFilter::builder().capacity(capacity).over_capacity(policy).build().map(AnyFilter::from),
        3 => GrowingFilter::builder().first(capacity).build().map(AnyFilter::from),
        4 => GrowingFilter::builder().first(capacity).deletable(true).build().map(AnyFilter::from),
        5 => ExpiringFilter::builder().capacity(capacity).window_of_time(60).build().map(AnyFilter::from),
        6 => SegmentFilter::builder()
            .capacity(capacity)
            .over_capacity(policy)
            .build_from([("only", "the first key")])
            .map(AnyFilter::from),
        _ => RibbonFilter::builder().build_from(["the first key"]).map(AnyFilter::from),
    };
    made.unwrap()
}

/// The first bytes describe a filter, the others are operations. Every member is found, in every
/// kind.
fn any(data: &[u8]) {
    let Some((&[pick, capacity, policy], steps)) = data.split_first_chunk::<3>() else { return };
    let policy = OverCapacity::ALL[usize::from(policy) % OverCapacity::ALL.len()];
    let mut file = Opened::new(empty(pick, 10 + u64::from(capacity), policy), Format::Tepal).unwrap();
    let mut held = BTreeSet::new();
    for step in steps.chunks_exact(3).take(300) {
        let key = u32::from(step[1]);
        let filter: &mut dyn MutableFilter = &mut file;
        match step[0] % 8 {
            0..=2 if filter.insert(&key).is_ok() => drop(held.insert(key)),
            3 => {
                let keys: Vec<u32> = (key..key + u32::from(step[2])).collect();
                if filter.insert_many(&keys).is_ok() {
                    held.extend(keys);
                }
            }
            // Only members: removing another key may take a member out. A key that was inserted
            // twice stays.
            4 if held.contains(&key) => match filter.remove(&key) {
                Ok(removed) => {
                    assert!(removed != Removal::NotHeld);
                    held.remove(&key);
                }
                Err(_) => assert!(!filter.can().remove),
            },
            5 if step[2] > 250 && filter.clear().is_ok() => held.clear(),
            // With another filter of its shape, which has one key.
            6 => {
                let mut other = file.clone();
                let has_one = other.clear().and_then(|()| other.insert(&key));
                if has_one.is_ok() && file.union_with(&other).is_ok() {
                    held.insert(key);
                }
            }
            7 => {
                let read = tepal::from_bytes(&file.to_bytes().unwrap()).unwrap();
                assert!(read.filter() == file.filter());
                file = read;
            }
            _ => {}
        }
        assert!(file.contains(&key) || !held.contains(&key));
    }
    let keys: Vec<u32> = held.iter().copied().collect();
    assert!(file.contains_many(&keys).iter().all(|held| *held));
}

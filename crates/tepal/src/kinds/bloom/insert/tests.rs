//! Batches near the limit, if keys may be refused.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::super::tests::{OF_EACH_SORT, builders};
use super::*;
use crate::{KeyDomain, Layout, bits, hash::finish_hash};

#[test]
fn a_refused_key_stops_a_batch_of_any_scheme() {
    for &scheme in OF_EACH_SORT {
        let builder = BloomFilter::builder().scheme(scheme);
        let mut filter = builder.capacity(10).key_domain(KeyDomain::Integer).build().unwrap();
        let refused = filter.insert_many(&["1", "2", "x", "3"]).unwrap_err();
        assert!(matches!(&refused, Error::KeyRefused { found, .. } if found == "x"), "{refused}");
        assert_eq!((filter.keys_inserted(), filter.contains("2")), (Some(2), true));
        assert!(!filter.contains("3") && !filter.contains("x"));
        assert_eq!(filter.contains_many(&["1", "x", "2", "3"]), [true, false, true, false]);
    }
}

/// The number of inserted keys is that of the whole call.
#[test]
fn an_error_counts_the_keys_of_the_whole_call() {
    let errors = vec![
        Error::CapacityReached { capacity: 9, inserted: 3 },
        Error::KeysClustered { rate: 0.1, promised: 0.01, inserted: 3 },
        #[cfg(feature = "table")]
        Error::TooManyCopies { most: 9, inserted: 3 },
        #[cfg(feature = "table")]
        Error::NumbersClustered { inserted: 3 },
    ];
    for error in errors {
        let text = format!("{error}");
        assert!(text.contains("first 3 keys"), "{text}");
        assert_eq!(format!("{}", after(5)(error)), text.replace("first 3 keys", "first 8 keys"));
    }
    assert!(matches!(after(5)(Error::KeyRequired), Error::KeyRequired));
}

/// A batch far from the limit counts no bit. With room for fewer than four keys a line, it counts
/// every bit.
#[test]
fn a_batch_counts_near_the_end() {
    for builder in builders() {
        let empty = builder.capacity(20_000).build().unwrap();
        let lines = empty.lines.as_lines().len() as u64;
        for (room, counts) in [(4 * lines + 1, false), (4 * lines, false), (4 * lines - 1, true), (600, true)]
        {
            // As if this much room had been found.
            let mut filter = empty.clone();
            filter.tally.free = room;
            filter.insert_many(&(0..500u64).collect::<Vec<_>>()).unwrap();
            let counted = if counts { bits::count(filter.lines.as_lines()) } else { 0 };
            assert_eq!(
                (filter.tally.counted, filter.tally.is_all_counted),
                (counted, counts),
                "{filter:?}: {room}"
            );
            assert_eq!(filter.tally.free, room - 500);
        }
    }
}

/// A change to a filter; keys are numbers from one on.
#[derive(Clone, Debug)]
enum Step {
    /// Inserts this many new keys, one by one.
    New(u64),
    /// Inserts this many of the present keys again, one by one.
    Again(u64),
    /// Inserts this many keys as a batch.
    Batch(u64),
    Policy(OverCapacity),
    Capacity(u64),
    /// Unites with a filter of this many keys. The flag tells whether its number of keys is known.
    Union(u64, bool),
    Intersect,
    Clone,
    Save,
    Share,
    Clear,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let policies = prop::sample::select(vec![
        OverCapacity::Refuse,
        OverCapacity::Refuse,
        OverCapacity::Warn,
        OverCapacity::Ignore,
    ]);
    let step = prop_oneof![
        6 => (1..900_u64).prop_map(Step::New),
        2 => (1..300_u64).prop_map(Step::Again),
        3 => (1..1500_u64).prop_map(Step::Batch),
        1 => policies.prop_map(Step::Policy),
        1 => (1..3000_u64).prop_map(Step::Capacity),
        1 => (1..400_u64, any::<bool>()).prop_map(|(keys, known)| Step::Union(keys, known)),
        1 => prop::sample::select(vec![Step::Intersect, Step::Clone, Step::Save, Step::Share, Step::Clear]),
    ];
    prop::collection::vec(step, 1..14)
}

/// A filter as users see it, and one into which each key is inserted alone and counted.
struct Pair {
    granted: BloomFilter,
    counted: BloomFilter,
    next: u64,
    /// Whether the keys were chosen by the hash itself: then they fall on a sixteenth of the lines.
    clustered: bool,
}

impl Pair {
    fn hashes(&mut self, keys: u64) -> Vec<u64> {
        let first = self.next;
        self.next += keys;
        (first..self.next).map(|key| finish_hash(key) >> if self.clustered { 4 } else { 0 }).collect()
    }

    /// Inserts one by one, up to the first refused key, and compares the results.
    fn one_by_one(&mut self, hashes: &[u64]) {
        for &hash in hashes {
            let (found, expected) = (self.granted.insert_hash(hash), self.counted.insert_counted(hash));
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{:?}", self.granted);
            if found.is_err() {
                break;
            }
        }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::New(keys) => {
                let hashes = self.hashes(keys);
                self.one_by_one(&hashes);
            }
            Step::Again(keys) => {
                let next = core::mem::replace(&mut self.next, 1);
                let hashes = self.hashes(keys.min(next));
                self.next = next;
                self.one_by_one(&hashes);
            }
            Step::Batch(keys) => {
                let hashes = self.hashes(keys);
                let found = self.granted.insert_many_hashes(&hashes);
                let mut each = (0..).zip(&hashes);
                let expected =
                    each.try_for_each(|(i, &h)| self.counted.insert_counted(h).map(drop).map_err(after(i)));
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{:?}", self.granted);
            }
            Step::Union(keys, known) => {
                let hashes = self.hashes(keys);
                let mut other = self.granted.clone();
                other.clear().unwrap();
                other.set_over_capacity(OverCapacity::Ignore).unwrap();
                hashes.iter().for_each(|&hash| assert!(other.insert_hash(hash).is_ok()));
                if !known {
                    other.settle();
                    other.meta.inserted = None.into();
                }
                let found = self.granted.union_with(&other);
                let expected = self.counted.union_with(&other);
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{:?}", self.granted);
            }
            _ => [&mut self.granted, &mut self.counted].into_iter().for_each(|filter| change(filter, step)),
        }
        let (granted, counted) = (&self.granted, &self.counted);
        assert_eq!(granted.keys_inserted(), counted.keys_inserted(), "{step:?}");
        assert_eq!(granted.set_bits(), counted.set_bits(), "{step:?}");
        assert_eq!(granted.set_bits(), bits::count(granted.lines.as_lines()));
        assert_eq!(granted.is_over_capacity(), counted.is_over_capacity(), "{step:?}");
        assert!(granted == counted, "{step:?}");
    }
}

fn change(filter: &mut BloomFilter, step: &Step) {
    match *step {
        Step::Policy(policy) => filter.set_over_capacity(policy).unwrap(),
        Step::Capacity(keys) => filter.set_capacity(keys),
        Step::Intersect => filter.intersect_with(&filter.clone()).unwrap(),
        Step::Clone => *filter = filter.clone(),
        Step::Save => *filter = BloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap(),
        Step::Share => *filter = filter.clone().into_shared().unwrap().into_owned().unwrap(),
        Step::Clear => filter.clear().unwrap(),
        Step::New(_) | Step::Again(_) | Step::Batch(_) | Step::Union(..) => unreachable!(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// For every mixture of single keys, batches and changes, the same keys are refused as when
    /// each key is counted, and everything else is equal too.
    #[test]
    fn grants_are_as_counting_each_key(
        layout in prop::sample::select(Layout::ALL.to_vec()),
        capacity in prop_oneof![1..60_u64, 60..3000_u64, 3000..20_000_u64],
        clustered in prop::bool::weighted(0.2),
        steps in steps(),
    ) {
        let filter = BloomFilter::builder().layout(layout).capacity(capacity).build().unwrap();
        let mut pair = Pair { granted: filter.clone(), counted: filter, next: 1, clustered };
        steps.iter().for_each(|step| pair.step(step));
    }
}

//! When it is enough: what is refused, warned of and ignored, and after how many keys.

#[cfg(feature = "foreign")]
use alloc::string::ToString;
use alloc::vec::Vec;

use super::super::tests::{OF_EACH_SORT, builders};
use super::*;
#[cfg(feature = "foreign")]
use crate::Scheme;
use crate::{KeyDomain, bits};

#[test]
fn refusing_keeps_the_promise_and_loses_nobody() {
    for builder in builders() {
        let mut filter = builder.clone().capacity(2000).false_positive_rate(0.01).build().unwrap();
        let mut accepted = 0u64;
        let refused = loop {
            match filter.insert(&accepted) {
                Ok(_) => accepted += 1,
                Err(error) => break error,
            }
        };
        assert!((2000..2200).contains(&accepted), "{filter:?}: {accepted}");
        assert!(matches!(refused, Error::CapacityReached { capacity: 2000, inserted: 0 }));
        assert!(filter.false_positive_rate() < 0.0125, "{}", filter.false_positive_rate());
        let before = filter.clone();
        // What is in already, or looks so, is no new key.
        assert!((0..accepted).all(|key| !filter.insert(&key).unwrap()));
        assert!(filter == before);

        // A batch stops at the same key, and says where.
        let keys: Vec<u64> = (0..10_000).collect();
        let mut batch = builder.capacity(2000).build().unwrap();
        let Err(Error::CapacityReached { inserted, .. }) = batch.insert_many(&keys) else {
            panic!("10,000 keys went into {batch:?}");
        };
        assert_eq!(inserted as u64, accepted);
        assert!(batch.lines == before.lines);
        assert!(keys[..inserted].iter().all(|key| batch.contains(key)));
    }
}

#[test]
fn a_batch_and_then_single_keys_fill_the_capacity() {
    for builder in builders() {
        let mut filter = builder.capacity(100_000).build().unwrap();
        filter.insert_many(&(0..99_000u64).collect::<Vec<_>>()).unwrap();
        for key in 99_000..100_000u64 {
            filter.insert(&key).unwrap();
        }
        assert_eq!(filter.set_bits(), bits::count(&filter.lines.0));
        assert!(!filter.is_over_capacity());
    }
}

/// The last key that a filter takes may set more bits than there was room for: it is full then, not over capacity.
#[test]
fn refusing_is_never_over_capacity_by_inserting() {
    for builder in builders() {
        let mut past = 0;
        for stream in 0..20u64 {
            let keys: Vec<u64> = (0..5000).map(|i| 10_000 * stream + i).collect();
            let mut full = builder.clone().capacity(1000).build().unwrap();
            let refused = if stream % 2 == 0 {
                full.insert_many(&keys).err()
            } else {
                keys.iter().find_map(|key| full.insert(key).err())
            };
            assert!(matches!(refused, Some(Error::CapacityReached { .. })), "{full:?}");
            past += u64::from(full.set_bits() > full.limit());
            assert!(!full.is_over_capacity(), "{full:?}");
            // Nor is it a reason to refuse what is in already.
            let same = full.clone();
            full.union_with(&same).unwrap();
            assert!(full.lines == same.lines);
            // A warning comes with the first bit past the limit.
            full.set_over_capacity(OverCapacity::Warn);
            assert_eq!(full.is_over_capacity(), full.set_bits() > full.limit());
            full.insert_many(&keys).unwrap();
            full.set_over_capacity(OverCapacity::Refuse);
            assert!(full.is_over_capacity(), "{full:?}");
        }
        assert!(past > 0, "no last key went past the limit");
    }
}

#[test]
fn repeats_use_nothing_up() {
    let mut filter = BloomFilter::builder().capacity(1000).build().unwrap();
    let keys: Vec<u64> = (0..1000).collect();
    for _ in 0..200 {
        filter.insert_many(&keys).unwrap();
    }
    assert_eq!(filter.keys_inserted(), Some(200_000));
    assert!((filter.estimated_len() - 1000.0).abs() < 50.0);
}

#[test]
fn warning_and_ignoring() {
    for (policy, warned) in [(OverCapacity::Warn, true), (OverCapacity::Ignore, false)] {
        for builder in builders() {
            let mut filter = builder.capacity(1000).over_capacity(policy).build().unwrap();
            filter.insert_many(&(0..1000u64).collect::<Vec<_>>()).unwrap();
            assert!(!filter.is_over_capacity(), "{filter:?}");
            filter.insert_many(&(1000..2000u64).collect::<Vec<_>>()).unwrap();
            assert_eq!(filter.is_over_capacity(), warned, "{filter:?}");
            assert!((0..2000u64).all(|key| filter.contains(&key)));
            filter.set_over_capacity(OverCapacity::Refuse);
            assert!((5000..5100u64).any(|key| filter.insert(&key).is_err()));
        }
    }
}

#[cfg(feature = "foreign")]
#[test]
fn schemes_of_other_programs_refuse_nothing_unless_told() {
    let builder = BloomFilter::builder().capacity(100).scheme(Scheme::GuavaMitz64);
    let mut filter = builder.clone().build().unwrap();
    filter.insert_many(&(0..300u64).collect::<Vec<_>>()).unwrap();
    assert!(filter.is_over_capacity());
    let mut strict = builder.over_capacity(OverCapacity::Refuse).build().unwrap();
    let refused = strict.insert_many(&(0..300u64).collect::<Vec<_>>()).unwrap_err();
    assert!(matches!(refused, Error::CapacityReached { inserted: 100..130, .. }), "{refused}");
    assert!(refused.to_string().contains("keys of this call are in"), "{refused}");
    assert!(!strict.has_hash() && strict.hash_key("x").is_err() && strict.insert_hash(1).is_err());
    assert!(strict.contains_hash(1) && strict.insert_many_hashes(&[1]).is_err());
    let mut answers = [false; 2];
    strict.contains_many_hashes(&[1, 2], &mut answers);
    assert_eq!(answers, [true, true]);
    assert!(strict.shrink_to(0.5).is_err());
}

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

/// At the limit a filter is full and not over it, also where a batch left its bits to be counted.
#[test]
fn the_limit_itself_is_not_over_capacity() {
    // With one bit a key, every number of set bits comes.
    let builder = BloomFilter::builder().layout(crate::Layout::Scattered).num_hashes(1).capacity(1000);
    let builder = builder.false_positive_rate(0.1).over_capacity(OverCapacity::Warn);
    let mut filter = builder.build().unwrap();
    let mut keys = 0u64..;
    while filter.set_bits() < filter.limit() {
        assert!(!filter.is_over_capacity());
        filter.insert(&keys.next().unwrap()).unwrap();
    }
    assert_eq!((filter.set_bits(), filter.is_over_capacity()), (filter.limit(), false));
    filter.insert_many(&[0u64, 1, 2]).unwrap();
    assert!(!filter.tally.is_exact());
    assert_eq!((filter.set_bits(), filter.is_over_capacity()), (filter.limit(), false));
    while !filter.insert(&keys.next().unwrap()).unwrap() {}
    assert_eq!((filter.set_bits(), filter.is_over_capacity()), (filter.limit() + 1, true));
}

/// A batch far from the limit reports no bit; from four keys of room a line on, it reports every one.
#[test]
fn a_batch_counts_near_the_limit() {
    for builder in builders() {
        let empty = builder.capacity(20_000).build().unwrap();
        let (k, lines) = (u64::from(empty.num_hashes()), empty.lines.0.len() as u64);
        for (room, counts) in [(4 * lines + 1, false), (4 * lines, false), (4 * lines - 1, true), (600, true)]
        {
            // As if the bits before were set already.
            let mut filter = empty.clone();
            filter.tally.counted = filter.limit() - k * room;
            let before = filter.tally.clone();
            filter.insert_many(&(0..500u64).collect::<Vec<_>>()).unwrap();
            let (counted, uncounted) = if counts { (bits::count(&filter.lines.0), 0) } else { (0, 500 * k) };
            assert_eq!(filter.tally.counted, before.counted + counted, "{filter:?}: {room}");
            assert_eq!(filter.tally.uncounted, uncounted, "{filter:?}: {room}");
        }
    }
}

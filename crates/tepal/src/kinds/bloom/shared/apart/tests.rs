// For tests of a build without the feature `std` too.
extern crate std;

use core::panic::AssertUnwindSafe;
use std::{panic, thread};

use super::*;
use crate::error::Error;
use crate::ids::{KeyDomain, OverCapacity};
use crate::key::{Key, KeyRef, KeySink};
use crate::kinds::bloom::tests::builders;
use crate::params::WITHIN;

/// Many keys are set in separate lines: bits and counts are the same as one by one, with one thread
/// and with several. An array of few keys takes the usual way.
#[test]
fn keys_set_apart_are_as_keys_set_one_by_one() {
    for builder in builders() {
        for policy in OverCapacity::ALL {
            let refuses = *policy == OverCapacity::Refuse;
            let capacity = if refuses { 6000 } else { 4000 };
            let builder = builder.clone().capacity(capacity).over_capacity(*policy);
            let keys: Vec<u64> = (0..6000).collect();
            let expected = builder.clone().build_from(&keys[..]).unwrap();
            let shared = builder.build().unwrap().into_shared().unwrap();
            assert!(shared.piece_apart(10).is_none());
            assert_eq!(shared.piece_apart(6000).unwrap().0, if refuses { 3000 } else { 6000 });
            thread::scope(|scope| {
                for half in keys.chunks(3000) {
                    let shared = &shared;
                    scope.spawn(move || shared.insert_many(half).unwrap());
                }
            });
            assert_eq!((shared.keys_inserted(), shared.lines.apart.load(Relaxed)), (Some(6000), 0));
            assert_eq!(shared.is_over_capacity(), !refuses, "{shared:?}");
            let owned = shared.into_owned().unwrap();
            assert!(owned == expected && owned.set_bits() == expected.set_bits(), "{owned:?}");
        }
    }
}

/// A list of keys or hashes is longer than the room: the keys before the refused one are inserted,
/// and the promise is kept.
#[test]
fn a_long_list_is_refused_where_it_would_be() {
    for capacity in [100, 5000, 200_000] {
        let alone = BloomFilter::builder().capacity(capacity);
        let keys: Vec<u64> = (0..3 * capacity).collect();
        for hashed in [false, true] {
            let shared = alone.clone().build().unwrap().into_shared().unwrap();
            let refused = if hashed {
                let hashes: Vec<u64> = keys.iter().map(|key| shared.hash_key(key).unwrap()).collect();
                shared.insert_many_hashes(&hashes).unwrap_err()
            } else {
                shared.insert_many(&keys).unwrap_err()
            };
            let Error::CapacityReached { inserted, .. } = refused else { panic!("{refused}") };
            let given = shared.keys_inserted().unwrap();
            assert!((capacity..capacity + capacity / 10 + 600).contains(&given), "{given} of {capacity}");
            assert!(inserted as u64 == given && keys[..inserted].iter().all(|key| shared.contains(key)));
            assert!(shared.false_positive_rate() <= WITHIN * shared.promised_false_positive_rate() * 1.05);
            // The next list is refused at once.
            let again = shared.insert_many(&keys[inserted..]).unwrap_err();
            assert!(matches!(again, Error::CapacityReached { inserted: 0..600, .. }), "{again}");
        }
    }
}

/// Threads whose lists fit one by one, and not together: in all they insert no more keys than there
/// is room for.
#[test]
fn threads_do_not_pass_the_limit_together() {
    let capacity = 50_000;
    for _ in 0..20 {
        let shared = BloomFilter::builder().capacity(capacity).build().unwrap().into_shared().unwrap();
        thread::scope(|scope| {
            for thread in 0..8_u64 {
                let shared = &shared;
                scope.spawn(move || {
                    let keys: Vec<u64> = (0..20_000).map(|i| thread << 32 | i).collect();
                    let inserted = match shared.insert_many(&keys) {
                        Err(Error::CapacityReached { inserted, .. }) => inserted,
                        other => other.map(|()| keys.len()).unwrap(),
                    };
                    assert!(keys[..inserted].iter().all(|key| shared.contains(key)));
                });
            }
        });
        let given = shared.keys_inserted().unwrap();
        assert!((capacity..capacity + 8 * 700).contains(&given), "{given}");
        assert_eq!(shared.lines.apart.load(Relaxed), 0);
    }
}

/// Keys that all fall on a few lines spoil the promise; the error comes at half of the capacity, as
/// in memory.
#[test]
fn keys_chosen_by_the_hash_are_refused_half_way() {
    let builder = BloomFilter::builder().capacity(100_000);
    let hashes: Vec<u64> = (0..100_000_u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 2).collect();
    let refused = builder.clone().build().unwrap().insert_many_hashes(&hashes).unwrap_err();
    assert!(matches!(refused, Error::KeysClustered { inserted: 50_000, .. }), "{refused}");
    let refused = builder.build().unwrap().into_shared().unwrap().insert_many_hashes(&hashes).unwrap_err();
    assert!(matches!(refused, Error::KeysClustered { inserted: 50_000, .. }), "{refused}");
}

/// A key that the domain does not have ends a list, as in memory.
#[test]
fn a_refused_key_ends_a_list() {
    for policy in OverCapacity::ALL {
        let ids = BloomFilter::builder().capacity(100).key_domain(KeyDomain::Integer);
        let ids = ids.over_capacity(*policy).build().unwrap().into_shared().unwrap();
        let keys: Vec<&str> = ["1", "2", "3", "4", "5", "6", "x", "7"].into_iter().cycle().take(40).collect();
        assert!(ids.piece_apart(keys.len()).is_some());
        let refused = ids.insert_many(&keys).unwrap_err();
        assert!(matches!(&refused, Error::KeyRefused { found, .. } if found == "x"), "{refused}");
        assert_eq!((ids.keys_inserted(), ids.contains("6"), ids.contains("7")), (Some(6), true, false));
    }
}

/// If the code of a key panics, the filter is unchanged, and no share of the room is lost.
#[test]
fn a_panic_of_a_key_takes_nothing_with_it() {
    struct Bad(bool);
    impl Key for Bad {
        fn key<'a>(&'a self, _: &'a mut KeySink) -> KeyRef<'a> {
            assert!(!self.0, "a key that panics");
            KeyRef::Bytes(b"good")
        }
    }
    let shared = BloomFilter::builder().capacity(1000).build().unwrap().into_shared().unwrap();
    let keys: Vec<Bad> = (0..400).map(|i| Bad(i == 399)).collect();
    assert!(shared.piece_apart(keys.len()).is_some());
    panic::catch_unwind(AssertUnwindSafe(|| shared.insert_many(&keys))).unwrap_err();
    assert_eq!((shared.lines.apart.load(Relaxed), shared.keys_inserted()), (0, Some(0)));
    shared.insert_many(&(0..1000_u64).collect::<Vec<_>>()).unwrap();
}

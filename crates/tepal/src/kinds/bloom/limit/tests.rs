//! When a filter is full: what is refused, warned of and ignored, and after how many keys.

use alloc::vec::Vec;

use super::super::tests::builders;
use super::*;
use crate::Layout;

/// If the number of keys is not known, the bits alone decide when it is full.
#[test]
fn an_unknown_number_of_keys_is_judged_by_the_bits() {
    for builder in builders() {
        let mut filter = builder.capacity(1000).build().unwrap();
        filter.insert_many(&(0..500u64).collect::<Vec<_>>()).unwrap();
        filter.meta.inserted = None.into();
        filter.count_anew();
        let accepted = (500..5000u64).take_while(|key| filter.insert(key).is_ok()).count();
        assert!((450..700).contains(&accepted), "{filter:?}: {accepted}");
        assert!(filter.false_positive_rate() <= WITHIN * filter.promised_false_positive_rate());
        assert_eq!(filter.keys_inserted(), None);
    }
}

/// Inserts up to `keys` keys one by one until one is refused. Returns how often the bits were
/// checked.
fn looks_until_refused(filter: &mut BloomFilter, keys: u64) -> u32 {
    let mut looks = 0;
    for key in 0..keys {
        let before = filter.tally.look_at;
        if filter.insert(&key).is_err() {
            break;
        }
        looks += u32::from(filter.tally.look_at != before);
    }
    looks
}

/// Near the end, repeats cause no check of the bits, and no check is missed, whatever the order of
/// inserts.
#[test]
fn looks_are_few() {
    for builder in builders() {
        let mut filter = builder.capacity(200_000).build().unwrap();
        filter.insert_many(&(0..200_000u64).collect::<Vec<_>>()).unwrap();
        let looks = looks_until_refused(&mut filter, 300_000);
        assert!(filter.tally.refusal.is_some() && looks < 30, "{filter:?}: {looks}");
    }
}

/// Ordinary keys are never mistaken for chosen ones, however few lines the filter has.
#[test]
fn no_false_alarm() {
    for &layout in Layout::ALL {
        for (capacity, rate) in [(300, 1e-3), (1000, 0.1), (1000, 1e-6), (5000, 0.01), (50_000, 1e-4)] {
            let builder = BloomFilter::builder().layout(layout).capacity(capacity).false_positive_rate(rate);
            for seed in 0..if capacity < 2000 { 60 } else { 5 } {
                let mut filter = builder.clone().seed(seed).build().unwrap();
                filter.insert_many(&(0..capacity / 2).collect::<Vec<_>>()).unwrap();
                assert_eq!(filter.measured().spoiled(), None, "{filter:?}");
            }
        }
    }
}

/// A filter with far more room than its capacity is not checked for each key. One whose rate is too
/// small for a float still refuses in the end.
#[test]
fn looks_are_few_in_large_filters_for_few_keys() {
    let mut filter = BloomFilter::builder().bit_len(8 << 20).capacity(1000).build().unwrap();
    let looks = looks_until_refused(&mut filter, 200_000);
    assert!(filter.tally.refusal.is_some() && looks < 60, "{filter:?}: {looks}");
    let builder = BloomFilter::builder().layout(Layout::Scattered).num_hashes(64).bit_len(1 << 22);
    let mut filter = builder.capacity(3000).build().unwrap();
    filter.insert_many(&[1u64; 3000]).unwrap();
    let refused = filter.insert_many(&(0..120_000u64).collect::<Vec<_>>()).unwrap_err();
    assert!(matches!(refused, Error::CapacityReached { .. }), "{refused}");
    assert!(filter.false_positive_rate() <= WITHIN * filter.promised_false_positive_rate());
}

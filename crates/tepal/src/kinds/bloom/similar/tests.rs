use alloc::format;
use alloc::vec::Vec;

use super::*;
use crate::{OverCapacity, Recipe, hash::DEFAULT_SEED};

const LAYOUTS: [Layout; 4] = [Layout::Line, Layout::Double, Layout::SplitBlock, Layout::Scattered];

fn filter(layout: Layout, capacity: u64, rate: f64, seed: u64) -> BloomFilter {
    let builder =
        BloomFilter::builder().layout(layout).capacity(capacity).false_positive_rate(rate).seed(seed);
    builder.over_capacity(OverCapacity::Ignore).build().unwrap()
}

/// Keys of a shard by the top bits of the filter's own hash, and further keys of that shard.
fn shard(filter: &BloomFilter, keys: usize) -> impl Iterator<Item = u64> {
    let hasher = filter.key_hasher();
    (0..u64::MAX).filter(move |key| hasher.hash(key).unwrap() >> 60 == 5).take(keys)
}

/// The measured rate for other keys of the shard is the reported one.
#[test]
fn the_rate_of_a_shard_is_told() {
    for layout in LAYOUTS {
        let n = 20_000;
        let mut filter = filter(layout, n as u64, 0.01, 1);
        let keys: Vec<u64> = shard(&filter, 5 * n).collect();
        filter.insert_many(&keys[..n]).unwrap();
        let wrong = filter.contains_many(&keys[n..]).into_iter().filter(|held| *held).count();
        let measured = wrong as f64 / (4 * n) as f64;
        let told = filter.false_positive_rate_like_members();
        assert!((told / measured - 1.0).abs() < 0.15, "{layout}: {told} told, {measured} measured");
        let clustered = filter.warnings().iter().any(|warning| matches!(warning, Warning::Clustered { .. }));
        // In the layout `scattered` one position follows from the bits that the keys were chosen
        // by: 1.3 times the promise.
        assert_eq!(clustered, layout != Layout::Scattered, "{layout}: {told}");
    }
}

/// For evenly spread keys both rates are equal, whatever their number, and there is no warning.
#[test]
fn keys_from_anywhere_are_like_any_other() {
    for layout in LAYOUTS {
        for (n, seeds) in [(0, 1), (1, 20), (100, 40), (1000, 40), (30_000, 4)] {
            for rate in [0.1, 0.01, 1e-4] {
                let (mut rates, mut likes) = (0.0, 0.0);
                for seed in 0..seeds {
                    let mut filter = filter(layout, n.max(1), rate, seed);
                    filter.insert_iter(0..n).unwrap();
                    rates += filter.false_positive_rate();
                    likes += filter.false_positive_rate_like_members();
                    let warnings = filter.warnings();
                    assert!(warnings.is_empty(), "{layout}, {n} keys, {rate}: {warnings:?}");
                }
                let ratio = likes / rates;
                let is_told = n >= 1000 || (n == 100 && rate > 0.001);
                assert!(!is_told || (ratio - 1.0).abs() < 0.12, "{layout}, {n} keys, {rate}: {ratio}");
            }
        }
    }
}

#[test]
fn a_full_filter_has_no_other_rate() {
    for layout in LAYOUTS {
        let mut filter = filter(layout, 10, 0.1, 0);
        filter.insert_iter(0..100_000u64).unwrap();
        assert!((0.99..=1.0).contains(&filter.false_positive_rate_like_members()), "{layout}");
    }
}

/// The default seed equals no purpose's seed, and each purpose has its own.
#[test]
fn seeds_of_purposes() {
    assert_eq!(DEFAULT_SEED, crate::key::schemes::xxh3::hash(b"tepal default seed", 0));
    let seed =
        |builder: crate::builders::BloomFilterBuilder| builder.capacity(1).build().unwrap().seed().unwrap();
    assert_eq!(seed(BloomFilter::builder()), DEFAULT_SEED);
    assert_eq!(seed(BloomFilter::builder().recipe(Recipe::new().trim(true))), DEFAULT_SEED);
    let of = |purpose: &str| seed(BloomFilter::builder().seed_for(purpose));
    assert_eq!(of("shard 3"), of("shard 3"));
    let mut seeds: Vec<u64> = (0..1000).map(|shard| of(&format!("shard {shard}"))).collect();
    seeds.push(DEFAULT_SEED);
    seeds.push(of(""));
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 1002);
}

/// The fullest block bounds the mean of the others: for evenly spread keys the bound is nearly
/// always low enough, and for chosen keys it is not.
#[test]
fn the_fullest_block_tells_when_there_are_no_crowds() {
    for layout in LAYOUTS {
        for every in [1, 3] {
            let mut filter = filter(layout, 20_000, 0.01, DEFAULT_SEED);
            filter.insert_iter(0..10_000u64).unwrap();
            let others = filter.measured().others(every);
            assert!(!filter.measured().surely_fewer_others(every, others), "{layout}");
            assert!(filter.measured().surely_fewer_others(every, 3.0 * others + 10.0), "{layout}");

            // All keys in a sixteenth of the lines.
            filter.clear().unwrap();
            (0..10_000u64).for_each(|i| drop(filter.insert_hash(crate::hash::finish_hash(i) >> 4)));
            let crowd = filter.measured().others(every);
            assert!(!filter.measured().surely_fewer_others(every, crowd), "{layout}");
            assert!(crowd > 1.2 * others, "{layout}: {crowd}, {others}");
        }
    }
}

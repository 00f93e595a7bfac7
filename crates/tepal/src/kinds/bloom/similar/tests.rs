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

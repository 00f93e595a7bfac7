//! Rates, numbers of keys and fills against what is met.

use super::super::tests::{builders, filled};
use super::*;
use crate::OverCapacity;

#[test]
fn a_full_array_is_no_trouble() {
    for builder in builders() {
        let mut filter = builder.capacity(10).over_capacity(OverCapacity::Ignore).build().unwrap();
        filter.insert_many(&(0..100_000u64).collect::<Vec<_>>()).unwrap();
        assert!(filter.estimated_len() > 100.0 && filter.estimated_len().is_finite());
        assert!(filter.false_positive_rate() > 0.999);
        assert_eq!(filter.fill_ratio(), 1.0);
    }
}

#[test]
fn the_rate_from_the_bits_is_the_rate_that_is_met() {
    for layout in Layout::ALL {
        for k in [5, 8, 13] {
            let k = if layout == Layout::SplitBlock { 8 } else { k };
            let builder =
                BloomFilter::builder().layout(layout).num_hashes(k).capacity(20_000).bit_len(4096 * 48);
            let filter = filled(&builder.over_capacity(OverCapacity::Ignore), 0..24_000);
            let asked: Vec<u64> = (1_000_000..1_400_000).collect();
            let wrong = filter.contains_many(&asked).into_iter().filter(|a| *a).count() as f64;
            let expected = filter.false_positive_rate() * asked.len() as f64;
            let sigma = expected.sqrt();
            assert!((wrong - expected).abs() < 4.5 * sigma, "{layout} {k}: {wrong}, {expected}");
        }
    }
}

#[test]
fn slices_show_the_fill() {
    let mut filter = BloomFilter::builder().capacity(100_000).build().unwrap();
    filter.insert_many(&(0..100_000u64).collect::<Vec<_>>()).unwrap();
    let slices = filter.fill_of_slices(40);
    assert_eq!(slices.len(), 40);
    let mean = slices.iter().sum::<f64>() / 40.0;
    assert!((mean - filter.fill_ratio()).abs() < 1e-3);
    assert!(slices.iter().all(|s| (s - mean).abs() < 0.02));
    assert_eq!(filter.fill_of_slices(0).len(), 1);
    let tiny = BloomFilter::builder().capacity(1).build().unwrap();
    assert_eq!(tiny.fill_of_slices(40), [0.0]);
}

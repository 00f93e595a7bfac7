//! The spread compared with sums over all outcomes, and with many filters.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::params::rate::rate;
use crate::{BloomFilter, OverCapacity};

/// The mean rate of small filters is the mean over all their fills, weighted by probability.
#[test]
fn the_rate_of_a_small_filter_is_the_mean_over_its_fills() {
    for (bits, keys, k) in [(512, 50, 7), (1024, 100, 6), (512, 30, 10), (1024, 200, 4)] {
        // The probability of each number of set bits, position by position.
        let mut chances = vec![0.0; bits + 1];
        chances[0] = 1.0;
        for _ in 0..keys * k {
            for set in (0..=bits).rev() {
                let hit = chances[set] * set as f64 / bits as f64;
                let new =
                    if set > 0 { chances[set - 1] * (bits + 1 - set) as f64 / bits as f64 } else { 0.0 };
                chances[set] = hit + new;
            }
        }
        let fills = || chances.iter().enumerate().map(|(set, chance)| (set as f64 / bits as f64, chance));
        let exact: f64 = fills().map(|(fill, chance)| chance * power(fill, k as u32)).sum();
        let found = Spread::of(Layout::Scattered, k as u32, bits as u64, keys as u64).mean;
        assert!((found / exact - 1.0).abs() < 1e-3, "{bits} {keys} {k}: {found} {exact}");

        let mean: f64 = fills().map(|(fill, chance)| chance * fill).sum();
        let variance: f64 = fills().map(|(fill, chance)| chance * (fill - mean) * (fill - mean)).sum();
        let (fill, deviation) = expected_fill(Layout::Scattered, k as u32, bits as u64, keys as f64);
        assert!((fill - mean).abs() < 1e-12, "{bits} {keys} {k}: {fill} {mean}");
        let ratio = deviation / libm::sqrt(variance);
        assert!((ratio - 1.0).abs() < 0.02, "{bits} {keys} {k}: {ratio}");
    }
}

/// All large filters are alike: the mean is the formula of large filters, and nothing is added.
#[test]
fn large_filters_do_not_differ() {
    for &layout in Layout::ALL {
        let keys = 20_000_000u64;
        let k = if layout == Layout::SplitBlock { 8 } else { 6 };
        let spread = Spread::of(layout, k, 512 * (keys / 50), keys);
        let formula = rate(layout, k, 10.24);
        assert!((spread.mean / formula - 1.0).abs() < 1e-4, "{layout}: {spread:?}, {formula}");
        assert!(spread.deviation < 1e-3 && spread.promise() == spread.mean, "{layout}: {spread:?}");
    }
}

/// The mean and the standard deviation match many filters with different keys, and one in twenty of
/// them is above the promise.
#[test]
fn many_filters_differ_as_much() {
    for (layout, k, lines, keys) in [
        (Layout::Line, 6, 20, 1000),
        (Layout::Line, 3, 1, 50),
        (Layout::Line, 12, 47, 1000),
        (Layout::Double, 7, 2, 100),
        (Layout::Double, 13, 40, 1000),
        (Layout::SplitBlock, 8, 22, 1000),
        (Layout::Scattered, 7, 19, 1000),
        (Layout::Scattered, 10, 3, 100),
    ] {
        let builder = BloomFilter::builder().layout(layout).num_hashes(k).bit_len(512 * lines).capacity(keys);
        let builder = builder.over_capacity(OverCapacity::Ignore);
        let rates: Vec<f64> = (0..400)
            .map(|seed| builder.clone().seed(seed).build_from(0..keys).unwrap().false_positive_rate())
            .collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let square = rates.iter().map(|rate| (rate - mean) * (rate - mean)).sum::<f64>() / rates.len() as f64;
        let deviation = libm::sqrt(square) / mean;

        let spread = Spread::of(layout, k, 512 * lines, keys);
        let label = format!("{layout}, k {k}, {lines} lines, {keys} keys: {mean:e} {deviation}, {spread:?}");
        assert!((mean / spread.mean - 1.0).abs() < 0.06, "{label}");
        assert!((deviation / spread.deviation - 1.0).abs() < 0.15, "{label}");
        let beyond = rates.iter().filter(|rate| **rate > WITHIN * spread.promise()).count();
        assert!(beyond <= 40, "{label}: {beyond} of 400 beyond");
    }
}

/// One key, as many keys as bits, and far more.
#[test]
fn few_and_far_too_many() {
    for &layout in Layout::ALL {
        for keys in [1, 2, 5120, 50_000] {
            let promise = Spread::of(layout, 8, 5120, keys).promise();
            assert!(promise > 0.0 && promise <= 1.0 + 1e-9, "{layout}, {keys} keys: {promise}");
        }
    }
}

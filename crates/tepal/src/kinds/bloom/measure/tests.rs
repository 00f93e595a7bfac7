//! Computed rates, numbers of keys and fills against measured ones.

use alloc::vec;

use super::super::tests::{builders, filled};
use super::*;
use crate::OverCapacity;
#[cfg(feature = "foreign")]
use crate::Scheme;
use crate::kinds::storage::Owned;
#[cfg(feature = "foreign")]
use crate::kinds::storage::PlainStorage;

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
    for &layout in Layout::ALL {
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

/// The rate after more keys is estimated from the mean rise by one key, all of whose bits are new:
/// too high, and of the right order.
#[test]
fn the_rate_after_more_keys_is_estimated() {
    for &layout in Layout::ALL {
        let builder = BloomFilter::builder().layout(layout).capacity(20_000);
        let (now, then) = (filled(&builder, 0..15_000), filled(&builder, 0..16_000));
        let measured = now.measured();
        let estimated = measured.rate_over(measured.each_line(), || measured.set_bits(), 1000.0);
        let now = now.false_positive_rate();
        let rise = (estimated - now) / (then.false_positive_rate() - now);
        assert!((0.9..20.0).contains(&rise), "{layout}: {rise}");
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

/// Under schemes whose positions are remainders of 31 bits, the first positions are probed slightly
/// more often: the rate is the share of the 2^31 numbers whose position is set.
#[cfg(feature = "foreign")]
#[test]
fn positions_from_31_bits_are_weighed() {
    for scheme in [Scheme::GuavaMitz32, Scheme::SparkV1, Scheme::GuavaMitz64] {
        let builder = BloomFilter::builder().scheme(scheme).capacity(20_000).false_positive_rate(0.01);
        let filter = filled(&builder, 0..15_000);
        let (m, numbers) = (filter.bit_len(), 1u64 << 31);
        let is_set = |p: &u64| bits::words(filter.lines.as_lines())[(p / 64) as usize] >> (p % 64) & 1 != 0;
        let set = (0..m).filter(is_set);
        let chance = match scheme {
            Scheme::GuavaMitz64 => filter.fill_ratio(),
            _ => set.map(|p| (numbers - 1 - p) / m + 1).sum::<u64>() as f64 / numbers as f64,
        };
        assert!(
            (filter.measured().chance_of_a_set_bit(filter.measured().each_line(), filter.set_bits())
                - chance)
                .abs()
                < 1e-12,
            "{scheme}: {chance}"
        );
        assert!((chance - filter.fill_ratio()).abs() < 1e-4, "{scheme}: {chance}");
        assert_eq!(scheme != Scheme::GuavaMitz64, numbers % m != 0 && chance != filter.fill_ratio());
    }
}

/// Two lines with known bits: in one every bit is set, in the other every second bit of each word.
#[test]
fn rates_of_known_bits() {
    for (layout, k, rate) in [
        (Layout::Line, 1, 0.75),
        (Layout::Line, 8, (1.0 + 1.0 / 256.0) / 2.0),
        (Layout::Line, 10, (1.0 + 1.0 / 1024.0) / 2.0),
        (Layout::Double, 2, 0.75 * 0.75),
        (Layout::Double, 5, (1.0 + 1.0 / 8.0) / 2.0 * ((1.0 + 1.0 / 4.0) / 2.0)),
        (Layout::SplitBlock, 8, (1.0 + 1.0 / 256.0) / 2.0),
        (Layout::Scattered, 3, 0.75 * 0.75 * 0.75),
    ] {
        let builder = BloomFilter::builder().layout(layout).num_hashes(k).bit_len(1024).capacity(100);
        let empty = builder.build().unwrap();
        let lines = vec![Line([u64::MAX; 8]), Line([0xF0F0_3333_A5A5_0FF0; 8])];
        let filter = BloomFilter::from_parts(empty.meta.clone(), Owned::new(lines), 768);
        assert!((filter.false_positive_rate() - rate).abs() < 1e-12, "{layout} {k}");
        assert_eq!((filter.fill_ratio(), filter.fill_of_slices(2)), (0.75, vec![1.0, 0.5]));
        let shared = filter.into_shared().unwrap();
        assert!((shared.false_positive_rate() - rate).abs() < 1e-12, "{layout} {k}");
    }
}

/// To the last bit: the product of each rotation in the order in which its words become active.
#[test]
fn the_rate_of_a_line_is_that_of_its_rotations() {
    let mut x = 1_u64;
    for round in 0..100 {
        let fill: [f64; 8] = core::array::from_fn(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            if round == 0 { 1.0 } else { f64::from(x as u32 % 65) / 64.0 }
        });
        for k in 1..=16 {
            let (every_word, rotated) = if k > 8 { (fill.iter().product(), k - 8) } else { (1.0, k) };
            let of = |r: usize| -> f64 {
                ORDER[..rotated as usize].iter().map(|w| fill[(w + 8 - r) % 8]).product()
            };
            assert_eq!(line_rate(&fill, k), every_word * (0..8).map(of).sum::<f64>() / 8.0, "{fill:?}, {k}");
        }
    }
}

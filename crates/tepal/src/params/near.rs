//! The formulas to ten digits in a tenth of the time. A plan uses them if ten digits are enough to
//! decide.
//!
//! [`rate`](super::rate) and [`Spread`] sum over all loads that a block may have. This file sums
//! every second or third load, in steps of half a standard deviation. For a smooth curve, a sum
//! over points this close equals the whole sum. The exponentials of a load are computed from the
//! exponentials of the load before it.

use super::rate::{BITS_PER_KEY, kept_by_both, power};
use super::spread::{Block, Blocks, Spread};
use crate::ids::Layout;

/// The bound on the relative error of this file's results, with a large margin.
const CLOSE: f64 = 1e-9;

/// The result of comparing an approximation: surely below, surely above, or too close to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Than {
    Below,
    Above,
    Close,
}

/// Compares two rates; each may be off by [`CLOSE`].
pub(super) fn compare(near: f64, other: f64) -> Than {
    if near < other * (1.0 - 2.0 * CLOSE) {
        Than::Below
    } else if near > other * (1.0 + 2.0 * CLOSE) {
        Than::Above
    } else {
        Than::Close
    }
}

/// An approximation of [`rate`](super::rate::rate).
pub(super) fn rate(layout: Layout, num_hashes: u32, bits_per_key: f64) -> f64 {
    let k = f64::from(num_hashes);
    match layout {
        Layout::Line => {
            let [line] = mixture(512.0 / bits_per_key, 1.0 - k / 512.0, [num_hashes]);
            line
        }
        Layout::SplitBlock => {
            let [block] = mixture(256.0 / bits_per_key, 1.0 - 8.0 / 256.0, [8]);
            block
        }
        Layout::Scattered => super::rate::rate(layout, num_hashes, bits_per_key),
        Layout::Double => {
            let (a, b) = (num_hashes.div_ceil(2), num_hashes / 2);
            let [first, second] = mixture(1024.0 / bits_per_key, kept_by_both(a, b), [a, b]);
            first * second
        }
    }
}

/// An approximation of [`promise`](super::promise).
pub(super) fn promise(layout: Layout, num_hashes: u32, bit_len: u64, keys: u64) -> f64 {
    let (least, _) = BITS_PER_KEY;
    let (load, k) = (keys as f64, num_hashes);
    if layout != Layout::Scattered && bit_len as f64 / load < least {
        return rate(layout, k, least);
    }
    // With less than one key in a thousand blocks the plain sum is short. One block needs no sum.
    match Blocks::of(layout, k, bit_len) {
        Blocks::One(block, blocks) if is_usual(load, blocks) => {
            let [spread] = block.near_spread(blocks, load, [k]);
            spread.promise()
        }
        Blocks::Two(block, blocks) if is_usual(2.0 * load, blocks) => {
            Spread::of_two(block.near_spread(blocks, 2.0 * load, [k.div_ceil(2), k / 2])).promise()
        }
        _ => Spread::of(layout, k, bit_len, keys).promise(),
    }
}

fn is_usual(keys: f64, blocks: f64) -> bool {
    blocks > 1.0 && keys / blocks > 1e-3
}

/// The loads of a block that matter, in steps.
struct Loads {
    first: f64,
    step: u32,
    mean: f64,
    /// A load of i + 1 keys is `(top - less * i) / (i + 1)` times as likely as a load of i keys.
    top: f64,
    less: f64,
}

impl Loads {
    /// The Poisson distribution around `mean`.
    fn poisson(mean: f64) -> Self {
        Loads::new(mean, mean, 0.0)
    }

    /// The binomial distribution of `keys` keys over `blocks` blocks.
    fn binomial(keys: f64, blocks: f64) -> Self {
        Loads::new(keys / blocks, keys / (blocks - 1.0), 1.0 / (blocks - 1.0))
    }

    fn new(mean: f64, top: f64, less: f64) -> Self {
        let deviation = libm::sqrt(mean);
        let first = libm::floor((mean - 6.0 * deviation).max(0.0));
        Loads { first, step: ((0.5 * deviation) as u32).max(1), mean, top, less }
    }

    /// Calls `each` with each load and its probability, relative to the first load. `each` returns
    /// the smallest of its sums so far; its terms are at most 1. The loop ends when a term adds
    /// nothing.
    #[inline(always)]
    fn each(&self, mut each: impl FnMut(f64, f64) -> f64) {
        let (mut load, mut weight) = (self.first, 1.0);
        loop {
            let least = each(load, weight);
            let (mut up, mut down) = (1.0, 1.0);
            for _ in 0..self.step {
                up *= self.top - self.less * load;
                load += 1.0;
                down *= load;
            }
            weight *= up / down;
            // Ends after the last key, where no load is likely, and at a NaN.
            let goes_on = weight > 1e-11 * least;
            if load > self.mean && !goes_on {
                break;
            }
        }
    }
}

/// The probability that all bits of a lookup are set, in a line with `load` keys on average, for
/// each number of bits in `ks`.
#[inline(always)]
fn mixture<const N: usize>(load: f64, kept: f64, ks: [u32; N]) -> [f64; N] {
    let loads = Loads::poisson(load);
    let mut untouched = libm::exp(loads.first * libm::log(kept));
    let step = power(kept, loads.step);
    let (mut sums, mut weights) = ([0.0; N], 0.0);
    loads.each(|_, weight| {
        let fill = 1.0 - untouched;
        for (sum, k) in sums.iter_mut().zip(ks) {
            *sum += weight * power(fill, k);
        }
        weights += weight;
        untouched *= step;
        // The other numbers of bits are not larger.
        sums[0]
    });
    sums.map(|sum| sum / weights)
}

impl Block {
    /// An approximation of `Block::spread`.
    #[inline(always)]
    fn near_spread<const N: usize>(&self, blocks: f64, keys: f64, ks: [u32; N]) -> [Spread; N] {
        let loads = Loads::binomial(keys, blocks);
        let ball = self.set / self.bits;
        let (mut untouched, step) =
            (libm::exp(loads.first * libm::log(self.kept)), power(self.kept, loads.step));
        let (mut clear, clear_step) = (libm::exp(-loads.first * ball), power(libm::exp(-ball), loads.step));
        let mut sums = ks.map(|_| Sums::default());
        let (mut weights, mut away, mut squared_away) = (0.0, 0.0, 0.0);
        loads.each(|load, weight| {
            let fill = 1.0 - untouched;
            let of_fill = clear * (1.0 - (1.0 + load * ball) * clear);
            let from_mean = load - loads.mean;
            for (sums, k) in sums.iter_mut().zip(ks) {
                let others = power(fill, k - 1);
                let rate = weight * others * fill;
                sums.rates += rate;
                sums.squared_rates += rate * others * fill;
                sums.products += rate * from_mean;
                sums.within += weight * others * others * of_fill;
            }
            weights += weight;
            away += weight * from_mean;
            squared_away += weight * from_mean * from_mean;
            untouched *= step;
            clear *= clear_step;
            sums[0].squared_rates
        });
        let away = away / weights;
        let of_loads = squared_away / weights - away * away;
        let spread = |sums: &Sums, k: u32| {
            let mean = sums.rates / weights;
            let of_rates = sums.squared_rates / weights - mean * mean;
            let together = sums.products / weights - away * mean;
            let unowed = (of_rates - together * together / of_loads).max(0.0);
            let within = f64::from(k * k) * sums.within / weights / self.bits;
            Spread { mean, deviation: libm::sqrt((within + unowed) / blocks) / mean }
        };
        core::array::from_fn(|n| spread(&sums[n], ks[n]))
    }
}

/// Weighted sums over the loads of a block.
#[derive(Default)]
struct Sums {
    rates: f64,
    squared_rates: f64,
    products: f64,
    within: f64,
}

#[cfg(test)]
mod tests;

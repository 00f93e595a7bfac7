//! The differences in rate between filters with one shape and one number of keys, from seed to seed
//! (FORMAT.md, section 5).
//!
//! The formulas of [`rate`](super::rate) give the rate of a large filter. A small filter may be far
//! from it: some lines hold more keys than others, and some keys share more bits. This file
//! computes the mean over all seeds, and the rate that 19 of 20 filters stay below.

use super::rate::{expected_fill, kept_by_both, power};
use crate::ids::Layout;

/// 19 of 20 filters are below the mean plus this number of standard deviations (normal
/// distribution). With this value, a filter for 50 or 100 keys at 1 % takes no more memory than it
/// would for the mean alone.
const ALL_BUT_ONE_IN_TWENTY: f64 = 1.645;

/// The factor within which the promised rate is kept. A filter at its capacity may exceed the
/// promise by this factor by chance; one in twenty may exceed it further. Keys past the capacity
/// are accepted up to this factor.
pub(crate) const WITHIN: f64 = 1.03;

/// The rates of the filters with one shape and one number of keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) mean: f64,
    /// The standard deviation, as a share of the mean.
    pub(super) deviation: f64,
}

impl Spread {
    /// The rates of filters with `keys` keys in `bit_len` bits.
    pub(super) fn of(layout: Layout, num_hashes: u32, bit_len: u64, keys: u64) -> Self {
        let (keys, k) = (keys as f64, num_hashes);
        match Blocks::of(layout, num_hashes, bit_len) {
            Blocks::One(block, blocks) => {
                let [spread] = block.spread(blocks, keys, [k]);
                spread
            }
            Blocks::Two(block, blocks) => {
                Self::of_two(block.spread(blocks, 2.0 * keys, [k.div_ceil(2), k / 2]))
            }
            Blocks::None => {
                let (fill, deviation) = expected_fill(layout, num_hashes, bit_len, keys);
                let (k, deviation) = (f64::from(k), deviation / fill);
                // The mean of a power exceeds the power of the mean: E(X^k), to second order.
                let above = 1.0 + 0.5 * k * (k - 1.0) * deviation * deviation;
                Spread { mean: power(fill, num_hashes) * above, deviation: k * deviation }
            }
        }
    }

    /// The rates if each key is looked up in two blocks. In a filter with fuller lines both lookups
    /// succeed more often.
    pub(super) fn of_two([first, second]: [Spread; 2]) -> Self {
        Spread {
            mean: first.mean * second.mean * (1.0 + first.deviation * second.deviation),
            deviation: first.deviation + second.deviation,
        }
    }

    /// The lowest rate that these filters can promise: the mean is at most this rate, and 19 of 20
    /// filters are within [`WITHIN`] times this rate.
    ///
    /// A rate is a sum over many lines, each a power of its fill: about log-normal.
    pub(super) fn promise(self) -> f64 {
        let variance = libm::log1p(self.deviation * self.deviation);
        let exponent = ALL_BUT_ONE_IN_TWENTY * libm::sqrt(variance) - 0.5 * variance;
        self.mean * (libm::exp(exponent) / WITHIN).max(1.0)
    }
}

/// The blocks of a filter and their number. A key falls on one block, or on two.
pub(super) enum Blocks {
    One(Block, f64),
    Two(Block, f64),
    /// No blocks: the bits of a key are anywhere.
    None,
}

impl Blocks {
    pub(super) fn of(layout: Layout, num_hashes: u32, bit_len: u64) -> Self {
        let k = f64::from(num_hashes);
        let blocks = |bits: f64| (bit_len as f64 / bits).max(1.0);
        match layout {
            Layout::Line => Blocks::One(Block { bits: 512.0, kept: 1.0 - k / 512.0, set: k }, blocks(512.0)),
            Layout::SplitBlock => {
                Blocks::One(Block { bits: 256.0, kept: 1.0 - 8.0 / 256.0, set: 8.0 }, blocks(256.0))
            }
            Layout::Double => {
                let kept = kept_by_both(num_hashes.div_ceil(2), num_hashes / 2);
                Blocks::Two(Block { bits: 512.0, kept, set: k / 2.0 }, blocks(512.0))
            }
            Layout::Scattered => Blocks::None,
        }
    }
}

/// A block of a filter, and the effect of one key on it.
pub(super) struct Block {
    pub(super) bits: f64,
    /// The probability that a key leaves a given bit of its block unset.
    pub(super) kept: f64,
    /// The bits that a key sets in its block.
    pub(super) set: f64,
}

impl Block {
    /// The rates of filters with `blocks` blocks, on which `keys` keys fall at random. One result
    /// for each number of bits in `ks`.
    ///
    /// The keys of a block are binomially distributed. Filters differ in two ways: how the keys are
    /// divided among the blocks, and how many bits the keys of a block share.
    fn spread<const N: usize>(&self, blocks: f64, keys: f64, ks: [u32; N]) -> [Spread; N] {
        let log_kept = libm::log(self.kept);
        let mut sums = ks.map(|_| Sums::default());
        for_each_load(keys, blocks, |load, weight| {
            let fill = 1.0 - libm::exp(load * log_kept);
            // Balls in bins, as in `expected_fill`. The k-th power of a fill varies k times as much
            // as the fill.
            let balls = load * self.set / self.bits;
            let clear = libm::exp(-balls);
            let of_fill = clear * (1.0 - (1.0 + balls) * clear) / self.bits;
            for (sums, k) in sums.iter_mut().zip(ks) {
                let (asked, rate) = (f64::from(k), power(fill, k));
                let within = if fill > 0.0 { asked * asked * of_fill / (fill * fill) } else { 0.0 };
                sums.add(weight, load, rate, rate * rate * within.max(0.0));
            }
        });
        sums.map(|sums| sums.spread(blocks))
    }
}

/// Weighted sums over the loads of a block.
#[derive(Default)]
struct Sums {
    weights: f64,
    loads: f64,
    squared_loads: f64,
    rates: f64,
    squared_rates: f64,
    products: f64,
    within: f64,
}

impl Sums {
    fn add(&mut self, weight: f64, load: f64, rate: f64, within: f64) {
        self.weights += weight;
        self.loads += weight * load;
        self.squared_loads += weight * load * load;
        self.rates += weight * rate;
        self.squared_rates += weight * rate * rate;
        self.products += weight * load * rate;
        self.within += weight * within;
    }

    /// The mean and the deviation over this number of blocks. The total number of keys is fixed, so
    /// the variance from a varying total is subtracted.
    fn spread(&self, blocks: f64) -> Spread {
        let (load, mean) = (self.loads / self.weights, self.rates / self.weights);
        let of_loads = self.squared_loads / self.weights - load * load;
        let of_rates = self.squared_rates / self.weights - mean * mean;
        let together = self.products / self.weights - load * mean;
        let owed = if of_loads > 1e-9 { together * together / of_loads } else { of_rates };
        let variance = (self.within / self.weights + (of_rates - owed).max(0.0)) / blocks;
        let deviation = if mean > 0.0 { libm::sqrt(variance) / mean } else { 0.0 };
        Spread { mean, deviation }
    }
}

/// Calls `each` with each load of a block that matters, and its probability relative to the first
/// one. The load is binomially distributed: `keys` keys fall on `blocks` blocks.
fn for_each_load(keys: f64, blocks: f64, mut each: impl FnMut(f64, f64)) {
    if blocks <= 1.0 {
        return each(keys, 1.0);
    }
    let mean = keys / blocks;
    let around = 10.0 * libm::sqrt(mean) + 20.0;
    let mut load = libm::floor((mean - around).max(0.0));
    let last = (mean + around).min(keys);
    let mut weight = 1.0;
    while load <= last {
        each(load, weight);
        weight *= (keys - load) / (load + 1.0) / (blocks - 1.0);
        load += 1.0;
    }
}

#[cfg(test)]
mod tests;

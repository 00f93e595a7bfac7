//! How the rate differs from filter to filter of one shape with as many keys: from seed to seed
//! (FORMAT.md, section 5).
//!
//! The formulas of [`rate`](super::rate) give the rate of a large filter. A small one may be far
//! from it: some of its lines hold more keys than others, and some keys more of the same bits. Here
//! are the mean of all such filters and the rate that all but one in twenty stay below.

use super::rate::{expected_fill, kept_by_both, power};
use crate::ids::Layout;

/// So many standard deviations above the mean are all but one in twenty (of the normal
/// distribution). At this share, a filter for 50 or 100 keys at 1 % takes no more memory than
/// without it.
const ALL_BUT_ONE_IN_TWENTY: f64 = 1.645;

/// A filter is within its promise up to this many times the promised rate: so far a filter at its
/// capacity may be by chance, one in twenty further, and so far keys are accepted beyond the
/// capacity.
pub(crate) const WITHIN: f64 = 1.03;

/// The rate of the filters of one shape with as many keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) mean: f64,
    /// The standard deviation, as a share of the mean.
    pub(super) deviation: f64,
}

impl Spread {
    /// Of `keys` keys in `bit_len` bits.
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
                // The mean of a power is above the power of the mean: E(X^k), to second order.
                let above = 1.0 + 0.5 * k * (k - 1.0) * deviation * deviation;
                Spread { mean: power(fill, num_hashes) * above, deviation: k * deviation }
            }
        }
    }

    /// Where a key is asked for in two blocks: where the lines are full, both are more often found
    /// set.
    pub(super) fn of_two([first, second]: [Spread; 2]) -> Self {
        Spread {
            mean: first.mean * second.mean * (1.0 + first.deviation * second.deviation),
            deviation: first.deviation + second.deviation,
        }
    }

    /// The lowest rate that can be promised of them: the mean is within it, and all but one in
    /// twenty are within [`WITHIN`] times.
    ///
    /// The rates are a sum of what many lines give, each a power of its fill: about log-normal.
    pub(super) fn promise(self) -> f64 {
        let variance = libm::log1p(self.deviation * self.deviation);
        let exponent = ALL_BUT_ONE_IN_TWENTY * libm::sqrt(variance) - 0.5 * variance;
        self.mean * (libm::exp(exponent) / WITHIN).max(1.0)
    }
}

/// The blocks of a filter, and how many there are: a key falls on one of them, or on two.
pub(super) enum Blocks {
    One(Block, f64),
    Two(Block, f64),
    /// The bits of a key are anywhere.
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

/// A block of a filter, and what one key does to it.
pub(super) struct Block {
    pub(super) bits: f64,
    /// The chance that a key leaves a bit of its block as it is.
    pub(super) kept: f64,
    /// Bits that a key sets in its block.
    pub(super) set: f64,
}

impl Block {
    /// The rates of the mean of `blocks` blocks on which `keys` keys fall, each at random, where as
    /// many bits are asked as each of `ks` says.
    ///
    /// The keys of a block are binomially distributed. Two things differ from filter to filter: how
    /// the keys are divided among the blocks, given their number in all, and how many bits the keys
    /// of a block have in common.
    fn spread<const N: usize>(&self, blocks: f64, keys: f64, ks: [u32; N]) -> [Spread; N] {
        let log_kept = libm::log(self.kept);
        let mut sums = ks.map(|_| Sums::default());
        for_each_load(keys, blocks, |load, weight| {
            let fill = 1.0 - libm::exp(load * log_kept);
            // Balls in bins, as in `expected_fill`; the k-th power of a fill differs k times as
            // much as the fill.
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

    /// Of the mean over so many blocks. The keys are given, so what the rates owe to a larger
    /// number of keys is taken off.
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

/// Calls `each` with the loads that matter of one of `blocks` blocks, and how likely each is
/// compared with the first: the binomial distribution of `keys` keys.
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

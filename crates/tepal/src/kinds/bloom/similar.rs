//! The rate for keys like the members: for those that were chosen as the members were.
//!
//! A blocked filter keeps its promise for keys that fall on all of its lines alike. Keys that were chosen by the filter's
//! own hash, such as one shard of a set, fall on a few lines; these are overfull, and others like them fall there too.

use super::BloomFilter;
use super::measure::{fills, line_rate, split_rate};
use super::storage::Storage;
use crate::facts::Warning;
use crate::ids::Layout;
use crate::params::{power, touched_in_line};

/// Sums over blocks.
struct Sums {
    /// The chance that one key leaves a bit of its block clear, and the logarithm of that.
    kept: f64,
    log_kept: f64,
    /// Half a bit of a block. A full block has lost count; half a bit short of it is the most that can be told.
    half_a_bit: f64,
    blocks: f64,
    /// Of the keys in each.
    loads: f64,
    /// Of the rates.
    rates: f64,
    /// Of the load times the rate with one key less.
    loaded: f64,
}

impl Sums {
    /// Over blocks of so many bits, of which one key leaves each clear with the chance `kept`.
    fn new(bits: f64, kept: f64) -> Self {
        let (log_kept, half_a_bit) = (libm::log(kept), 0.5 / bits);
        Sums { kept, log_kept, half_a_bit, blocks: 0.0, loads: 0.0, rates: 0.0, loaded: 0.0 }
    }

    /// Adds a block whose words are filled so.
    fn add(&mut self, fills: [f64; 8], rate: impl Fn(&[f64; 8]) -> f64) {
        let clear = (1.0 - fills.iter().sum::<f64>() / 8.0).max(self.half_a_bit);
        let load = (libm::log(clear) / self.log_kept).max(0.0);
        let without_one = fills.map(|fill| (1.0 - (1.0 - fill) / self.kept).max(0.0));
        self.blocks += 1.0;
        self.loads += load;
        self.rates += rate(&fills);
        self.loaded += load * rate(&without_one);
    }

    /// The mean rate of a block.
    fn mean(&self) -> f64 {
        self.rates / self.blocks
    }

    /// The mean rate that a member meets among the others. Each block counts by its load; and without the member itself,
    /// since the blocks that got more than others by chance would seem to be chosen otherwise. Of `chance` of the load the
    /// members are spread evenly.
    fn among_members(&self, chance: f64) -> f64 {
        let even = chance * self.loads;
        let chosen = self.loads - even;
        if chosen <= 0.0 { 0.0 } else { ((self.loaded - even * self.mean()) / chosen).clamp(0.0, 1.0) }
    }
}

impl<L: Storage> BloomFilter<L> {
    /// The share of wrong answers now for keys like the members: that were never inserted, and were chosen by the same
    /// hash as those that were. For keys from anywhere it is [`false_positive_rate`](Self::false_positive_rate); where the
    /// members are keys from anywhere, both are the same.
    ///
    /// Much above that rate, it says that the members fall on few of the filter's lines. Who divides a set by the hash of a
    /// filter, or puts into a filter what another one let through, gives each filter a seed of its own
    /// ([`seed_for`](crate::BloomFilterBuilder::seed_for)). Costs some passes over the bits. An estimate: in a filter of a
    /// few keys it may be a fifth off, as the rate of one line is.
    ///
    /// ```
    /// use tepal::{BloomFilter, DEFAULT_SEED};
    /// let hasher = BloomFilter::builder().key_hasher()?;
    /// let of_shard = |key: &u64| hasher.hash(key).is_ok_and(|hash| hash >> 60 == 7);
    /// let shard: Vec<u64> = (0..160_000).filter(of_shard).collect();
    ///
    /// let same_hash = BloomFilter::builder().capacity(20_000).build_from(&shard)?;
    /// assert!(same_hash.false_positive_rate_like_members() > 0.9);
    /// let own_seed = BloomFilter::builder().capacity(20_000).seed_for("shard 7").build_from(&shard)?;
    /// assert!(own_seed.false_positive_rate_like_members() < 0.01);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn false_positive_rate_like_members(&self) -> f64 {
        self.rates().1
    }

    /// The rates now for keys from anywhere and for keys like the members, by one pass over the bits where the layout has
    /// blocks.
    fn rates(&self) -> (f64, f64) {
        let k = self.num_hashes();
        match self.layout() {
            Layout::Line => {
                let sums = self.sums_of_lines(1.0 - touched_in_line(k), |fills| line_rate(fills, k));
                (sums.mean(), sums.among_members(0.0))
            }
            Layout::Double => {
                // Half of the load of a line are keys for which it is the second one. That one follows from other bits of
                // the hash.
                let (first, second) = (k.div_ceil(2), k / 2);
                let kept = libm::sqrt((1.0 - touched_in_line(first)) * (1.0 - touched_in_line(second)));
                let sums = self.sums_of_lines(kept, |fills| line_rate(fills, first));
                let second = if first == second { sums.mean() } else { self.mean_line_rate(second) };
                (sums.mean() * second, sums.among_members(0.5) * second)
            }
            Layout::SplitBlock => {
                let mut sums = Sums::new(256.0, 1.0 - 1.0 / 32.0);
                for block in self.each_split_block() {
                    sums.add(fills(block.map(u32::count_ones), 32.0), split_rate);
                }
                (sums.mean(), sums.among_members(0.0))
            }
            Layout::Scattered if self.has_hash() => {
                // The first position follows from the bits of the hash that keys are chosen by, the others from others.
                let mean = |fills: &[f64; 8]| fills.iter().sum::<f64>() / 8.0;
                let first =
                    self.sums_of_lines(1.0 - 1.0 / 512.0, mean).among_members(1.0 - 1.0 / f64::from(k));
                (self.false_positive_rate(), first * power(self.fill_ratio(), k - 1))
            }
            Layout::Scattered => {
                // Each position follows from all bits of the hashes.
                let rate = self.false_positive_rate();
                (rate, rate)
            }
        }
    }

    fn sums_of_lines(&self, kept: f64, rate: impl Fn(&[f64; 8]) -> f64) -> Sums {
        let mut sums = Sums::new(512.0, kept);
        for line in self.each_line() {
            sums.add(fills(line.0.map(u64::count_ones), 64.0), &rate);
        }
        sums
    }

    /// A word about it, where the rate for keys like the members is far above that for keys from anywhere.
    pub(super) fn clustered(&self) -> Option<Warning> {
        if self.meta.shape.lines() < FEW_LINES {
            return None;
        }
        let (elsewhere, rate) = self.rates();
        (rate > CLUSTERED * elsewhere).then_some(Warning::Clustered { rate, elsewhere })
    }
}

/// So many times the rate is far above it.
const CLUSTERED: f64 = 1.5;
/// Of fewer lines it cannot be told.
const FEW_LINES: u64 = 16;

#[cfg(test)]
mod tests;

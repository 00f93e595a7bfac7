//! The rate for keys like the members: for those that were chosen as the members were.
//!
//! A blocked filter keeps its promise for keys that fall on all of its lines alike. Keys that were chosen by the filter's
//! own hash, such as one shard of a set, fall on a few lines; these are overfull, and others like them fall there too.

use super::BloomFilter;
use super::measure::{fills, line_rate, split_rate};
use super::storage::Storage;
use crate::ids::Layout;
use crate::params::power;

/// Sums over blocks with `load` keys each.
#[derive(Clone, Copy, Default)]
struct Sums {
    blocks: f64,
    loads: f64,
    /// Of the rates.
    rates: f64,
    /// Of the load times the rate with one key less.
    loaded: f64,
}

impl Sums {
    /// Adds a block, of which one key leaves each bit clear with the chance `kept`.
    fn add(&mut self, fills: [f64; 8], bits: f64, kept: f64, rate: impl Fn(&[f64; 8]) -> f64) {
        // A full block has lost count; half a bit short of it is the most that can be told.
        let clear = (1.0 - fills.iter().sum::<f64>() / 8.0).max(0.5 / bits);
        let load = (libm::log(clear) / libm::log(kept)).max(0.0);
        let without_one = fills.map(|fill| (1.0 - (1.0 - fill) / kept).max(0.0));
        self.blocks += 1.0;
        self.loads += load;
        self.rates += rate(&fills);
        self.loaded += load * rate(&without_one);
    }

    /// The mean rate of a block.
    fn mean(self) -> f64 {
        self.rates / self.blocks
    }

    /// The mean rate that a member meets among the others. Each block counts by its load; and without the member itself,
    /// since the blocks that got more than others by chance would seem to be chosen otherwise. Of `chance` of the load the
    /// members are spread evenly.
    fn among_members(self, chance: f64) -> f64 {
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
        let k = self.num_hashes();
        let kept = |k: u32| match k.saturating_sub(8) {
            0 => 1.0 - f64::from(k) / 512.0,
            more => (1.0 - 1.0 / 64.0) * (1.0 - f64::from(more) / 512.0),
        };
        let lines = |k: u32, kept: f64| {
            let mut sums = Sums::default();
            self.each_line().for_each(|line| {
                sums.add(fills(line.0.map(u64::count_ones), 64.0), 512.0, kept, |fills| line_rate(fills, k))
            });
            sums
        };
        match self.layout() {
            Layout::Line => lines(k, kept(k)).among_members(0.0),
            Layout::Double => {
                // Half of the load of a line are keys for which it is the second one. That one follows from other bits of
                // the hash.
                let (first, second) = (k.div_ceil(2), k / 2);
                let kept = libm::sqrt(kept(first) * kept(second));
                lines(first, kept).among_members(0.5) * lines(second, kept).mean()
            }
            Layout::SplitBlock => {
                let mut sums = Sums::default();
                for block in self.each_split_block() {
                    sums.add(fills(block.map(u32::count_ones), 32.0), 256.0, 1.0 - 1.0 / 32.0, split_rate);
                }
                sums.among_members(0.0)
            }
            Layout::Scattered if self.has_hash() => {
                // The first position follows from the bits of the hash that keys are chosen by, the others from others.
                let mut sums = Sums::default();
                let mean = |fills: &[f64; 8]| fills.iter().sum::<f64>() / 8.0;
                self.each_line().for_each(|line| {
                    sums.add(fills(line.0.map(u64::count_ones), 64.0), 512.0, 1.0 - 1.0 / 512.0, mean)
                });
                sums.among_members(1.0 - 1.0 / f64::from(k)) * power(self.fill_ratio(), k - 1)
            }
            // Each position follows from all bits of the hashes.
            Layout::Scattered => self.false_positive_rate(),
        }
    }

    /// Is the rate for keys like the members far above that for keys from anywhere?
    pub(super) fn is_clustered(&self, rate: f64, like_members: f64) -> bool {
        like_members > CLUSTERED * rate && self.meta.shape.lines() >= FEW_LINES
    }
}

/// So many times the rate is far above it.
const CLUSTERED: f64 = 1.5;
/// Of fewer lines it cannot be told.
const FEW_LINES: u64 = 16;

#[cfg(test)]
mod tests;

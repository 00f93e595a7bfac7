//! The rate for keys like the members: for keys that were chosen in the same way as the members.
//!
//! A blocked filter keeps its promise for keys that spread evenly over its lines. Keys that were
//! chosen by the filter's own hash, for example one shard of a set, fall on a few lines. These
//! lines are overfull, and other keys of the same choice fall on them too.

use super::BloomFilter;
use super::measure::{Measured, fills, line_fills, line_rate, split_blocks, split_rate};
use super::storage::Storage;
use crate::bits::Line;
use crate::facts::Warning;
use crate::ids::Layout;
use crate::params::{power, touched_in_line};

/// The two rates, computed from the bits.
struct Rates {
    /// The rate for evenly spread keys.
    elsewhere: f64,
    /// The rate for keys like the members.
    like_members: f64,
}

/// Sums over blocks.
struct BlockSums {
    /// The probability that one key leaves a bit of its block clear, and its logarithm.
    kept: f64,
    log_kept: f64,
    /// Half a bit of a block. A full block no longer tells its number of keys; half a bit less than
    /// full gives the largest number that it can tell.
    half_a_bit: f64,
    blocks: f64,
    /// The sum of the keys in each block.
    loads: f64,
    /// The sum of the rates.
    rates: f64,
    /// The sum of the squares of the keys in each block.
    squared_loads: f64,
    /// The sum of each load times the rate with one key less.
    loaded: f64,
}

impl BlockSums {
    /// For blocks of this many bits, in which one key leaves each bit clear with the probability
    /// `kept`.
    fn new(bits: f64, kept: f64) -> Self {
        let (log_kept, half_a_bit) = (libm::log(kept), 0.5 / bits);
        BlockSums {
            kept,
            log_kept,
            half_a_bit,
            blocks: 0.0,
            loads: 0.0,
            rates: 0.0,
            squared_loads: 0.0,
            loaded: 0.0,
        }
    }

    /// Adds a block whose words have these fills.
    fn add(&mut self, fills: [f64; 8], rate: impl Fn(&[f64; 8]) -> f64) {
        let (clear, load) = self.add_load(fills.iter().sum::<f64>() / 8.0);
        // The words that a key probes hold its own bits and other keys' bits. In a block of one key
        // no other bits are left.
        let others = (1.0 - clear / self.kept).max(0.0) / (1.0 - clear).max(self.half_a_bit);
        let without_one = fills.map(|fill| fill * others.min(1.0));
        self.blocks += 1.0;
        self.rates += rate(&fills);
        self.loaded += load * rate(&without_one);
    }

    /// Adds the load of a block with this fill. Returns its share of clear bits and its number of
    /// keys.
    fn add_load(&mut self, fill: f64) -> (f64, f64) {
        let clear = (1.0 - fill).max(self.half_a_bit);
        let load = (libm::log(clear) / self.log_kept).max(0.0);
        self.loads += load;
        self.squared_loads += load * load;
        (clear, load)
    }

    /// The mean rate of a block.
    fn mean(&self) -> f64 {
        self.rates / self.blocks
    }

    /// The two rates. `chance` is the share of the load that does not depend on how the members
    /// were chosen. `rest` is the probability that the other half of a key's bits is set.
    fn rates(&self, chance: f64, rest: f64) -> Rates {
        let (elsewhere, like_members) = (self.mean() * rest, self.among_members(chance) * rest);
        Rates { elsewhere, like_members }
    }

    /// The mean number of other keys in the block of a member.
    fn others(&self) -> f64 {
        if self.loads > 0.0 { self.squared_loads / self.loads - 1.0 } else { 0.0 }
    }

    /// The mean rate that a member meets among the others. Each block counts by its load, without
    /// the member itself: otherwise blocks that are fuller by chance would look like a choice. For
    /// the share `chance` of the load the members are spread evenly.
    fn among_members(&self, chance: f64) -> f64 {
        let even = chance * self.loads;
        let chosen = self.loads - even;
        if chosen <= 0.0 { 0.0 } else { ((self.loaded - even * self.mean()) / chosen).clamp(0.0, 1.0) }
    }
}

impl<L: Storage> BloomFilter<L> {
    /// The false-positive rate now for keys like the members: for non-members that were chosen by
    /// the same hash as the members. For evenly spread keys the rate is
    /// [`false_positive_rate`](Self::false_positive_rate). If the members are evenly spread, both
    /// are equal.
    ///
    /// If it is much higher than that rate, the members fall on few of the filter's lines. If you
    /// divide a set by the hash of a filter, or insert into a filter what another one let through,
    /// give each filter a seed of its own
    /// ([`seed_for`](crate::builders::BloomFilterBuilder::seed_for)). Costs some passes over the
    /// bits. It is an estimate: in a filter of a few keys it may be a fifth off, like the rate of
    /// one line.
    ///
    /// ```
    /// use tepal::{BloomFilter, OverCapacity};
    /// let hasher = BloomFilter::builder().key_hasher()?;
    /// let of_shard = |key: &u64| hasher.hash(key).is_ok_and(|hash| hash >> 60 == 7);
    /// let shard: Vec<u64> = (0..160_000).filter(of_shard).collect();
    ///
    /// // Under `Refuse` it would have stopped half-way, with `Error::KeysClustered`.
    /// let warn = BloomFilter::builder().capacity(20_000).over_capacity(OverCapacity::Warn);
    /// let same_hash = warn.build_from(&shard)?;
    /// assert!(same_hash.false_positive_rate_like_members() > 0.9);
    /// let own_seed = BloomFilter::builder().capacity(20_000).seed_for("shard 7").build_from(&shard)?;
    /// assert!(own_seed.false_positive_rate_like_members() < 0.01);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn false_positive_rate_like_members(&self) -> f64 {
        self.measured().rates(1).like_members
    }
}

impl Measured<'_> {
    /// The rates now for evenly spread keys and for keys like the members. In a layout with blocks
    /// it takes one pass over every `every`-th line.
    fn rates(self, every: usize) -> Rates {
        let k = self.meta.shape.num_hashes;
        let lines = || self.each_line().step_by(every);
        match self.meta.shape.layout {
            Layout::Line => sums_of_lines(self.sums(), lines(), |fills| line_rate(fills, k)).rates(0.0, 1.0),
            Layout::Double => {
                // For half of the load of a line, the line is the second line of its key. The
                // second line follows from other bits of the hash.
                let (first, second) = (k.div_ceil(2), k / 2);
                let of = |k| sums_of_lines(self.sums(), lines(), |fills| line_rate(fills, k));
                let sums = of(first);
                let second = if first == second { sums.mean() } else { of(second).mean() };
                sums.rates(0.5, second)
            }
            Layout::SplitBlock => {
                let mut sums = self.sums();
                // The last line may be half a line.
                let blocks = split_blocks(lines()).take((self.meta.shape.bit_len / 256) as usize);
                blocks.for_each(|block| sums.add(fills(block.map(u32::count_ones), 32.0), split_rate));
                sums.rates(0.0, 1.0)
            }
            Layout::Scattered if self.meta.keys.has_hash() => {
                // The first position follows from the hash bits that the keys are chosen by, the
                // other positions from other bits.
                let mean = |fills: &[f64; 8]| fills.iter().sum::<f64>() / 8.0;
                let fill = self.fill_ratio();
                let sums = sums_of_lines(self.sums(), lines(), mean);
                let rates = sums.rates(1.0 - 1.0 / f64::from(k), power(fill, k - 1));
                Rates { elsewhere: power(fill, k), ..rates }
            }
            Layout::Scattered => {
                // Each position follows from all bits of the hashes.
                let rate = self.false_positive_rate();
                Rates { elsewhere: rate, like_members: rate }
            }
        }
    }

    /// The rates, if the keys spoil the promise: the rate for keys like the members is far above
    /// the other rate and above the promise, and their lines hold more keys than planned. Reads at
    /// most `most` lines.
    fn far_apart(self, most: u64) -> Option<Rates> {
        let lines = self.meta.shape.lines();
        if lines < FEW_LINES {
            return None;
        }
        let in_a_line = match self.meta.shape.layout {
            Layout::Line => 1.0,
            Layout::SplitBlock => 0.5,
            Layout::Double => 2.0,
            Layout::Scattered => f64::from(self.meta.shape.num_hashes),
        };
        let planned = in_a_line * self.meta.capacity as f64 / lines as f64;
        let every = lines.div_ceil(most) as usize;
        // Few filters are crowded, and computing the rates takes many times as long as this test.
        let most_others = CROWDED.0 * planned + CROWDED.1;
        if self.surely_fewer_others(every, most_others) || self.others(every) <= most_others {
            return None;
        }
        let rates = self.rates(every);
        let is_far = rates.like_members > FAR * rates.elsewhere
            && rates.like_members > FAR_ABOVE_THE_PROMISE * self.meta.promised_rate;
        is_far.then_some(rates)
    }

    /// Whether a member surely has at most `most` other keys in its block on average. The fullest
    /// block is an upper bound.
    fn surely_fewer_others(self, every: usize, most: f64) -> bool {
        let in_halves = self.meta.shape.layout == Layout::SplitBlock;
        let set = self.kernel.most_set(self.bits, every, in_halves);
        let (_, load) = self.sums().add_load(f64::from(set) / if in_halves { 256.0 } else { 512.0 });
        // For rounding errors of a long sum.
        load - 1.0 < 0.999 * most
    }

    /// The mean number of other keys in the block of a member, from every block or from the blocks
    /// of every `every`-th line.
    fn others(self, every: usize) -> f64 {
        let mut sums = self.sums();
        let lines = self.each_line().step_by(every);
        match self.meta.shape.layout {
            Layout::SplitBlock => {
                let blocks = split_blocks(lines).take((self.meta.shape.bit_len / 256) as usize);
                blocks.for_each(|block| _ = sums.add_load(ones(block.map(u32::count_ones)) / 256.0));
            }
            Layout::Scattered if !self.meta.keys.has_hash() => {}
            Layout::Line | Layout::Double | Layout::Scattered => {
                lines.for_each(|line| _ = sums.add_load(ones(line.0.map(u64::count_ones)) / 512.0));
            }
        }
        sums.others()
    }

    /// Empty sums for the blocks of this layout.
    fn sums(self) -> BlockSums {
        let k = self.meta.shape.num_hashes;
        match self.meta.shape.layout {
            Layout::Line => BlockSums::new(512.0, 1.0 - touched_in_line(k)),
            Layout::Double => {
                let (first, second) = (k.div_ceil(2), k / 2);
                let kept = libm::sqrt((1.0 - touched_in_line(first)) * (1.0 - touched_in_line(second)));
                BlockSums::new(512.0, kept)
            }
            Layout::SplitBlock => BlockSums::new(256.0, 1.0 - 1.0 / 32.0),
            Layout::Scattered => BlockSums::new(512.0, 1.0 - 1.0 / 512.0),
        }
    }

    /// The warning that keys were chosen by the filter's own hash, if they spoil the promise for
    /// similar keys.
    pub(super) fn clustered(self) -> Option<Warning> {
        let Rates { elsewhere, like_members: rate } = self.far_apart(u64::MAX)?;
        Some(Warning::Clustered { rate, elsewhere })
    }

    /// The rate for keys like the members, if it spoils the promise: a quick check of some of the
    /// lines.
    pub(crate) fn spoiled(self) -> Option<f64> {
        self.far_apart(SAMPLE).map(|rates| rates.like_members)
    }
}

/// The number of set bits in all words.
fn ones(words: [u32; 8]) -> f64 {
    f64::from(words.iter().sum::<u32>())
}

fn sums_of_lines(
    mut sums: BlockSums,
    lines: impl Iterator<Item = Line>,
    rate: impl Fn(&[f64; 8]) -> f64,
) -> BlockSums {
    lines.for_each(|line| sums.add(line_fills(&line), &rate));
    sums
}

/// Far above means more than this many times the rate for evenly spread keys.
const FAR: f64 = 1.5;
/// Far above the promise means more than this many times. By chance, a small filter may be twice as
/// far from its promise as it seems.
const FAR_ABOVE_THE_PROMISE: f64 = 3.0;
/// A line is crowded if it has more than the first number times its planned keys, plus the second.
/// In a filter of few keys two meet by chance.
const CROWDED: (f64, f64) = (1.25, 4.0);
/// With fewer lines no choice can be detected.
const FEW_LINES: u64 = 16;
/// The number of lines of a quick check.
const SAMPLE: u64 = 4096;

#[cfg(test)]
mod tests;

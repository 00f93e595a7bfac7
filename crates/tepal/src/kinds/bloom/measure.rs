//! What the set bits tell: the rate now, the number of keys, the fill.

use alloc::vec::Vec;

use super::storage::Storage;
use super::{BloomFilter, BloomMeta};
use crate::bits::kernel::Kernel;
use crate::bits::mask::ORDER;
use crate::bits::{self, Bits, LINE_BITS, Line};
use crate::ids::Layout;
use crate::key::schemes::sizing;
use crate::params::{keys_for_fill, power};

impl<L: Storage> BloomFilter<L> {
    /// The false-positive rate now: the probability that a non-member gets `true`.
    ///
    /// It is computed from the set bits, block by block, not from the number of keys. It is exact
    /// for a scheme with a 64-bit hash that spreads evenly. For other programs' schemes it treats
    /// the positions as independent. If they are steps of two hashes, the result is an estimate. In
    /// filters of a few thousand bits at low rates it is too low, by at most one in the number of
    /// bits. Costs one pass over the bits.
    ///
    /// ```
    /// let seen = tepal::BloomFilter::builder().capacity(1000).build_from(0..1000u64)?;
    /// assert!(seen.false_positive_rate() < 1.05 * seen.promised_false_positive_rate());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.measured().false_positive_rate()
    }

    /// An estimate of the number of different keys, from the set bits alone. The standard error is
    /// far below 1 % from some thousand keys up. If nearly all bits are set, it is a lower bound.
    /// After an intersection it counts the keys of both sets and some more.
    ///
    /// Costs as [`set_bits`](Self::set_bits). Source: Swamidass and Baldi, "Mathematical correction
    /// for fingerprint similarity measures to improve chemical retrieval", 2007. It holds for the
    /// blocked layouts too, because the mean over blocks gives the same law.
    ///
    /// ```
    /// let seen = tepal::BloomFilter::builder().capacity(20_000).build_from((0..20_000u64).map(|i| i / 2))?;
    /// assert!((9_800.0..10_200.0).contains(&seen.estimated_len()));
    /// assert_eq!(seen.keys_inserted(), Some(20_000));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn estimated_len(&self) -> f64 {
        keys_for_fill(self.layout(), self.num_hashes(), self.bit_len(), self.set_bits())
    }

    /// The share of bits that are set; about half at capacity. Costs as
    /// [`set_bits`](Self::set_bits).
    #[must_use]
    pub fn fill_ratio(&self) -> f64 {
        self.measured().fill_ratio()
    }
}

/// A filter for measuring, whatever its storage: the measuring code is compiled once.
#[derive(Clone, Copy)]
pub(crate) struct Measured<'a> {
    pub(super) meta: &'a BloomMeta,
    pub(super) kernel: Kernel,
    pub(super) bits: Bits<'a>,
    /// The number of set bits, if it is known.
    counted: Option<u64>,
}

impl<L: Storage> BloomFilter<L> {
    pub(crate) fn measured(&self) -> Measured<'_> {
        let counted = self.tally.is_exact().then_some(self.tally.counted);
        Measured { meta: &self.meta, kernel: self.kernel, bits: self.lines.view().0, counted }
    }
}

impl<'a> Measured<'a> {
    /// As [`BloomFilter::set_bits`].
    pub(super) fn set_bits(self) -> u64 {
        self.counted.unwrap_or_else(|| self.kernel.count(self.bits))
    }

    /// As [`BloomFilter::fill_ratio`].
    pub(super) fn fill_ratio(self) -> f64 {
        self.set_bits() as f64 / self.meta.shape.bit_len as f64
    }

    /// As [`BloomFilter::false_positive_rate`].
    pub(super) fn false_positive_rate(self) -> f64 {
        self.rate_over(self.each_line(), || self.set_bits(), 0.0)
    }

    /// The rate of a filter of this shape with these lines and `set_bits` set bits in all. With
    /// `added` > 0 it is the rate after that many more keys: for one key the highest possible rate,
    /// for many about that many times the mean rise.
    pub(super) fn rate_over(
        self,
        lines: impl Iterator<Item = Line>,
        set_bits: impl FnOnce() -> u64,
        added: f64,
    ) -> f64 {
        let k = self.meta.shape.num_hashes;
        match self.meta.shape.layout {
            Layout::Line => {
                let mut mean = BlockMean::new(k.div_ceil(8), 64.0, added);
                lines.for_each(|line| mean.add(&line_fills(&line), |fills| line_rate(fills, k)));
                mean.after()
            }
            Layout::Double => {
                let (first, second) = (k.div_ceil(2), k / 2);
                // Both lines of a key may be the same.
                let mean = || BlockMean::new(2 * first.div_ceil(8), 64.0, added);
                let (mut a, mut b) = (mean(), mean());
                lines.for_each(|line| {
                    let fills = line_fills(&line);
                    a.add(&fills, |fills| line_rate(fills, first));
                    if second != first {
                        b.add(&fills, |fills| line_rate(fills, second));
                    }
                });
                a.after() * if second == first { &a } else { &b }.after()
            }
            Layout::SplitBlock => {
                let mut mean = BlockMean::new(1, 32.0, added);
                let blocks = split_blocks(lines).take((self.meta.shape.bit_len / 256) as usize);
                blocks.for_each(|block| mean.add(&fills(block.map(u32::count_ones), 32.0), split_rate));
                mean.after()
            }
            Layout::Scattered => {
                let more = added * f64::from(k) / self.meta.shape.bit_len as f64;
                power((self.chance_of_a_set_bit(lines, set_bits()) + more).min(1.0), k)
            }
        }
    }

    /// The probability that a position of a random key is set: the fill, if all positions are
    /// equally likely.
    fn chance_of_a_set_bit(self, lines: impl Iterator<Item = Line>, set_bits: u64) -> f64 {
        if !sizing(self.meta.keys.scheme()).is_some_and(|its| its.has_31_bit_positions) {
            return set_bits as f64 / self.meta.shape.bit_len as f64;
        }
        let (often, times) = sizing::thirty_one_bits(self.meta.shape.bit_len);
        let below = |(line, start): (Line, u64)| {
            bits::count_below(&[line], often.saturating_sub(start).min(LINE_BITS))
        };
        let among_often = lines.zip((0..).step_by(LINE_BITS as usize)).map(below).sum::<u64>() as f64;
        let among_others = set_bits as f64 - among_often;
        (among_often * (times + 1.0) + among_others * times) / sizing::TWO_31
    }

    /// The lines in order; each is read when its turn comes.
    pub(super) fn each_line(self) -> impl Iterator<Item = Line> + use<'a> {
        let bits = self.bits;
        (0..self.meta.shape.lines() as usize).map(move |i| bits.line(i))
    }
}

impl<L: Storage> BloomFilter<L> {
    /// The fill of each of `slices` equal parts of the array, in order, for a picture: a flat row
    /// shows a sound hash. If the array has fewer lines, there are fewer parts. Costs one pass over
    /// the bits.
    #[must_use]
    pub fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        let (lines, len) = (self.lines.view().0, self.meta.shape.lines() as usize);
        let slices = slices.clamp(1, len);
        let edge = |slice: usize| (len as u128 * slice as u128 / slices as u128) as usize;
        let bits_before = |line: usize| (line as u64 * LINE_BITS).min(self.bit_len());
        let fill = |slice| {
            let (from, to) = (edge(slice), edge(slice + 1));
            let bits = bits_before(to) - bits_before(from);
            let set: u64 = (from..to).map(|line| bits::count(&[lines.line(line)])).sum();
            set as f64 / bits as f64
        };
        (0..slices).map(fill).collect()
    }
}

/// The same lines as blocks of the layout `split-block`.
pub(super) fn split_blocks(lines: impl Iterator<Item = Line>) -> impl Iterator<Item = [u32; 8]> {
    lines.flat_map(bytemuck::cast::<_, [[u32; 8]; 2]>)
}

/// The mean rate of blocks, and how much one key may raise it.
struct BlockMean {
    /// The number of keys to add.
    added: f64,
    /// The share of a word that one key may set.
    one_key: f64,
    blocks: f64,
    rates: f64,
    /// The rise of its block's rate by one more key: the sum over all blocks, and the largest.
    rises: f64,
    most: f64,
}

impl BlockMean {
    /// For blocks in which one key sets `bits` bits of a word of `word_bits`.
    fn new(bits: u32, word_bits: f64, added: f64) -> Self {
        let one_key = f64::from(bits) / word_bits;
        BlockMean { added, one_key, blocks: 0.0, rates: 0.0, rises: 0.0, most: 0.0 }
    }

    fn add(&mut self, fills: &[f64; 8], rate: impl Fn(&[f64; 8]) -> f64) {
        let now = rate(fills);
        self.blocks += 1.0;
        self.rates += now;
        if self.added > 0.0 {
            let rise = rate(&fills.map(|fill| (fill + self.one_key).min(1.0))) - now;
            self.rises += rise;
            self.most = self.most.max(rise);
        }
    }

    /// The mean after the keys are added; the first of them is the one that adds the most.
    fn after(&self) -> f64 {
        (self.rates + self.most.max(self.added * self.rises / self.blocks)) / self.blocks
    }
}

/// The share of set bits in each word of a line.
pub(super) fn line_fills(line: &Line) -> [f64; 8] {
    fills(line.0.map(u64::count_ones), 64.0)
}

/// The share of set bits in each word of a block, from their numbers.
pub(super) fn fills(ones: [u32; 8], bits: f64) -> [f64; 8] {
    ones.map(|ones| f64::from(ones) / bits)
}

/// The probability that a random hash on a line with these fills finds its k bits set: the mean
/// over the eight rotations of the product over the words that it probes.
pub(super) fn line_rate(fill: &[f64; 8], k: u32) -> f64 {
    let (every_word, rotated) = if k > 8 { (fill.iter().product(), k - 8) } else { (1.0, k) };
    // Rotation r asks the words (w + 8 - r) % 8 for these w, and multiplies in this order. Of one w
    // the words of all rotations lie side by side where they are written backwards and twice.
    let backwards: [f64; 16] = core::array::from_fn(|i| fill[(16 - i) % 8]);
    let mut products = [1.0; 8];
    for w in &ORDER[..rotated as usize] {
        for (product, fill) in products.iter_mut().zip(&backwards[(8 - w) % 8..]) {
            *product *= fill;
        }
    }
    every_word * products.iter().sum::<f64>() / 8.0
}

pub(super) fn split_rate(fill: &[f64; 8]) -> f64 {
    fill.iter().product()
}

#[cfg(test)]
mod tests;

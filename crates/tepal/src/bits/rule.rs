//! From a hash to bits: how each layout handles one hash and a batch of hashes (FORMAT.md, section
//! 2).
//!
//! The loops are plain and safe; [`super::kernel`] compiles them once for each CPU level.

// The compiler vectorizes index loops over arrays of eight best.
#![allow(clippy::needless_range_loop)]

use core::hint::black_box;

use super::fetch::fetch_line;
use super::mask::{self, LineMask, SECOND};
use super::{LINE_BITS, Line, halves, halves_mut, words, words_mut};

/// Lines of bits, in any storage, as a rule reads them.
pub(crate) trait Lines {
    /// From this number of lines on a batch prefetches, unless the rule starts earlier.
    const FETCH_AHEAD_FROM: usize = usize::MAX;

    /// The number of lines.
    fn line_count(&self) -> usize;
    /// Prefetches a line.
    fn fetch(&self, line: usize);
    /// Are all bits of the mask set in the line?
    fn holds(&self, line: usize, mask: &[u64; 8]) -> bool;
    /// Are all bits of the mask set in the split block, half a line?
    fn split_holds(&self, block: usize, mask: &[u32; 8]) -> bool;
    /// Is the bit at this position set?
    fn holds_bit(&self, position: u64) -> bool;
}

/// Lines of bits as a rule sets them.
pub(crate) trait LinesMut: Lines {
    /// Sets the bits of the mask in the line.
    fn set(&mut self, line: usize, mask: &[u64; 8]);
    /// Sets the bits of the mask, at most `most_a_word` in one word, and returns how many were not
    /// set before.
    fn set_counting(&mut self, line: usize, mask: &[u64; 8], most_a_word: u32) -> u32;
    /// Sets the bits of the mask and returns whether one was not set before.
    #[inline(always)]
    fn set_noting(&mut self, line: usize, mask: &[u64; 8]) -> bool {
        self.set_counting(line, mask, 2) > 0
    }
    /// Sets the bits of the mask in the split block.
    fn split_set(&mut self, block: usize, mask: &[u32; 8]);
    /// Sets the bits of the mask in the split block and returns how many were not set before.
    fn split_set_counting(&mut self, block: usize, mask: &[u32; 8]) -> u32;
    /// Sets the bits of the mask in the split block and returns whether one was not set before.
    #[inline(always)]
    fn split_set_noting(&mut self, block: usize, mask: &[u32; 8]) -> bool {
        self.split_set_counting(block, mask) > 0
    }
    /// Sets the bit at this position. Returns `true` if it was not set before.
    fn set_bit(&mut self, position: u64) -> bool;
}

/// Lines in plain memory, by index. A slice of [`Line`]s checks each index; the lines of
/// [`super::kernel`] need no check.
pub(crate) trait Plain {
    /// The number of lines.
    fn count(&self) -> usize;
    /// The words of a line.
    fn line(&self, line: usize) -> &[u64; 8];
    /// The words of half a line.
    fn half(&self, half: usize) -> &[u32; 8];
    /// One word of the array.
    fn word(&self, word: usize) -> u64;
}

/// [`Plain`], mutable.
pub(crate) trait PlainMut: Plain {
    /// The words of a line.
    fn line_mut(&mut self, line: usize) -> &mut [u64; 8];
    /// The words of half a line.
    fn half_mut(&mut self, half: usize) -> &mut [u32; 8];
    /// One word of the array.
    fn word_mut(&mut self, word: usize) -> &mut u64;
}

impl Plain for [Line] {
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn line(&self, line: usize) -> &[u64; 8] {
        &self[line].0
    }

    #[inline(always)]
    fn half(&self, half: usize) -> &[u32; 8] {
        &halves(self)[half]
    }

    #[inline(always)]
    fn word(&self, word: usize) -> u64 {
        words(self)[word]
    }
}

impl PlainMut for [Line] {
    #[inline(always)]
    fn line_mut(&mut self, line: usize) -> &mut [u64; 8] {
        &mut self[line].0
    }

    #[inline(always)]
    fn half_mut(&mut self, half: usize) -> &mut [u32; 8] {
        &mut halves_mut(self)[half]
    }

    #[inline(always)]
    fn word_mut(&mut self, word: usize) -> &mut u64 {
        &mut words_mut(self)[word]
    }
}

impl<P: Plain + ?Sized> Lines for P {
    #[inline(always)]
    fn line_count(&self) -> usize {
        self.count()
    }

    #[inline(always)]
    fn fetch(&self, line: usize) {
        fetch_line(self.line(line));
    }

    #[inline(always)]
    fn holds(&self, line: usize, mask: &[u64; 8]) -> bool {
        let line = self.line(line);
        let mut missing = 0;
        for i in 0..8 {
            missing |= mask[i] & !line[i];
        }
        missing == 0
    }

    #[inline(always)]
    fn split_holds(&self, block: usize, mask: &[u32; 8]) -> bool {
        let block = self.half(block);
        let mut missing = 0;
        for i in 0..8 {
            missing |= mask[i] & !block[i];
        }
        missing == 0
    }

    #[inline(always)]
    fn holds_bit(&self, position: u64) -> bool {
        self.word((position / 64) as usize) >> (position % 64) & 1 != 0
    }
}

impl<P: PlainMut + ?Sized> LinesMut for P {
    #[inline(always)]
    fn set(&mut self, line: usize, mask: &[u64; 8]) {
        let line = self.line_mut(line);
        for i in 0..8 {
            line[i] |= mask[i];
        }
    }

    #[inline(always)]
    fn set_counting(&mut self, line: usize, mask: &[u64; 8], most_a_word: u32) -> u32 {
        let line = self.line_mut(line);
        let mut new = 0;
        for i in 0..8 {
            let missing = mask[i] & !line[i];
            // Without a vector popcount, comparing with zero takes a quarter of the time of
            // counting.
            new += if most_a_word == 1 { u64::from(missing != 0) } else { missing.count_ones().into() };
            line[i] |= mask[i];
        }
        new as u32
    }

    #[inline(always)]
    fn set_noting(&mut self, line: usize, mask: &[u64; 8]) -> bool {
        let line = self.line_mut(line);
        let mut missing = 0;
        for i in 0..8 {
            missing |= mask[i] & !line[i];
            line[i] |= mask[i];
        }
        missing != 0
    }

    #[inline(always)]
    fn split_set(&mut self, block: usize, mask: &[u32; 8]) {
        let block = self.half_mut(block);
        for i in 0..8 {
            block[i] |= mask[i];
        }
    }

    #[inline(always)]
    fn split_set_counting(&mut self, block: usize, mask: &[u32; 8]) -> u32 {
        let block = self.half_mut(block);
        let mut new = 0;
        for i in 0..8 {
            new += u32::from(mask[i] & !block[i] != 0);
            block[i] |= mask[i];
        }
        new
    }

    #[inline(always)]
    fn split_set_noting(&mut self, block: usize, mask: &[u32; 8]) -> bool {
        let block = self.half_mut(block);
        let mut missing = 0;
        for i in 0..8 {
            missing |= mask[i] & !block[i];
            block[i] |= mask[i];
        }
        missing != 0
    }

    #[inline(always)]
    fn set_bit(&mut self, position: u64) -> bool {
        let word = self.word_mut((position / 64) as usize);
        let before = *word;
        *word |= 1 << (position % 64);
        *word != before
    }
}

/// The distance of a prefetch in keys: enough to keep every line-fill buffer busy, and few enough
/// that the lines are still in the first-level cache when they are used.
const AHEAD: usize = 32;

/// Runs `$probe` for each hash `$h` with its number `$i`, in order. In a large array it also runs
/// `$rule.fetch` for the hash [`AHEAD`] places later. A macro, since a closure would be compiled
/// without the level's CPU features.
macro_rules! fetching_ahead {
    ($rule:expr, $lines:expr, $hashes:expr, |$i:ident, $h:ident| $probe:expr) => {{
        let hashes: &[u64] = $hashes;
        let ahead = $rule.ahead($lines, hashes.len());
        let fetched = hashes.len() - ahead;
        if ahead > 0 {
            for &h in &hashes[..ahead] {
                $rule.fetch($lines, h);
            }
            for ($i, (&$h, &later)) in hashes[..fetched].iter().zip(&hashes[ahead..]).enumerate() {
                $rule.fetch($lines, later);
                $probe;
            }
        }
        let rest = if ahead > 0 { fetched } else { 0 };
        for ($i, &$h) in (rest..).zip(&hashes[rest..]) {
            $probe;
        }
    }};
}

/// How a layout handles one hash. Everything here is inlined into the functions of each level.
pub(crate) trait Rule: Copy {
    /// From this number of lines on a batch prefetches; in smaller arrays the caches answer sooner
    /// than a prefetch pays.
    const FETCH_AHEAD_FROM: usize;

    /// Prefetches the lines of `h`.
    fn fetch<A: Lines + ?Sized>(&self, lines: &A, h: u64);
    /// Are all bits of `h` set?
    fn contains<A: Lines + ?Sized>(&self, lines: &A, h: u64) -> bool;
    /// Sets the bits of `h`.
    fn insert<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64);
    /// Sets the bits of `h` and returns how many were not set before.
    fn insert_counting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> u32;
    /// Sets the bits of `h` and returns whether one was not set before.
    fn insert_noting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> bool;

    /// [`contains`](Self::contains) with a branch on the answer. The CPU predicts a branch; for a
    /// computed answer it would wait.
    #[inline(always)]
    fn contains_branching<A: Lines + ?Sized>(&self, lines: &A, h: u64) -> bool {
        // Without the black boxes the compiler may remove the branch.
        if self.contains(lines, h) { black_box(true) } else { black_box(false) }
    }

    /// The number of hashes of a batch that are prefetched before the first lookup.
    #[inline(always)]
    fn ahead<A: Lines + ?Sized>(&self, lines: &A, hashes: usize) -> usize {
        if lines.line_count() < Self::FETCH_AHEAD_FROM.min(A::FETCH_AHEAD_FROM) {
            0
        } else {
            hashes.min(AHEAD)
        }
    }

    /// Looks up a batch; `answers` is as long as `hashes`.
    #[inline(always)]
    fn contains_many<A: Lines + ?Sized>(&self, lines: &A, hashes: &[u64], answers: &mut [bool]) {
        let answers = &mut answers[..hashes.len()];
        fetching_ahead!(self, lines, hashes, |i, h| answers[i] = self.contains(lines, h));
    }

    /// Inserts a batch.
    #[inline(always)]
    fn insert_many<A: LinesMut + ?Sized>(&self, lines: &mut A, hashes: &[u64]) {
        fetching_ahead!(self, lines, hashes, |_i, h| self.insert(lines, h));
    }

    /// Inserts a batch and tells for each hash whether one of its bits was not set before; `is_new`
    /// is as long as `hashes`.
    #[inline(always)]
    fn insert_many_noting<A: LinesMut + ?Sized>(&self, lines: &mut A, hashes: &[u64], is_new: &mut [bool]) {
        let is_new = &mut is_new[..hashes.len()];
        fetching_ahead!(self, lines, hashes, |i, h| is_new[i] = self.insert_noting(lines, h));
    }
}

/// Maps a hash to a number in 0..n: the high half of the product, for any n.
#[inline(always)]
pub(super) fn reduce(h: u64, n: u64) -> u64 {
    ((u128::from(h) * u128::from(n)) >> 64) as u64
}

/// The hash for the second line, and for each further position.
#[inline(always)]
pub(super) fn next(h: u64) -> u64 {
    h.wrapping_mul(SECOND).rotate_left(32)
}

/// The line of a hash.
#[inline(always)]
fn line_of<A: Lines + ?Sized>(lines: &A, h: u64) -> usize {
    reduce(h, lines.line_count() as u64) as usize
}

/// All bits in one line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneLine<M>(pub(super) M);

impl<M: LineMask> Rule for OneLine<M> {
    /// 1 MiB: at 1 MiB both take equally long; at 5 MiB prefetching saves a fifth.
    const FETCH_AHEAD_FROM: usize = 1 << 14;

    #[inline(always)]
    fn fetch<A: Lines + ?Sized>(&self, lines: &A, h: u64) {
        lines.fetch(line_of(lines, h));
    }

    #[inline(always)]
    fn contains<A: Lines + ?Sized>(&self, lines: &A, h: u64) -> bool {
        lines.holds(line_of(lines, h), &self.0.mask(h))
    }

    #[inline(always)]
    fn insert<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) {
        lines.set(line_of(lines, h), &self.0.mask(h));
    }

    #[inline(always)]
    fn insert_counting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> u32 {
        lines.set_counting(line_of(lines, h), &self.0.mask(h), M::MOST_A_WORD)
    }

    #[inline(always)]
    fn insert_noting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> bool {
        lines.set_noting(line_of(lines, h), &self.0.mask(h))
    }
}

/// Half of the bits in each of two lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoLines<M> {
    pub(super) first: OneLine<M>,
    pub(super) second: OneLine<M>,
}

/// Keys that go through the two phases of a batch together.
const TWO_PHASE: usize = 512;
/// A batch of at most this many keys reads both lines at once: clearing the space of the phases
/// would take longer.
const ONE_PHASE: usize = 32;

impl<M: LineMask> Rule for TwoLines<M> {
    /// The same as for one line.
    const FETCH_AHEAD_FROM: usize = OneLine::<M>::FETCH_AHEAD_FROM;

    #[inline(always)]
    fn fetch<A: Lines + ?Sized>(&self, lines: &A, h: u64) {
        self.first.fetch(lines, h);
        self.second.fetch(lines, next(h));
    }

    #[inline(always)]
    fn contains<A: Lines + ?Sized>(&self, lines: &A, h: u64) -> bool {
        self.first.contains(lines, h) & self.second.contains(lines, next(h))
    }

    #[inline(always)]
    fn contains_branching<A: Lines + ?Sized>(&self, lines: &A, h: u64) -> bool {
        self.first.contains_branching(lines, h) && self.second.contains_branching(lines, next(h))
    }

    #[inline(always)]
    fn insert<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) {
        self.first.insert(lines, h);
        self.second.insert(lines, next(h));
    }

    #[inline(always)]
    fn insert_counting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> u32 {
        self.first.insert_counting(lines, h) + self.second.insert_counting(lines, next(h))
    }

    #[inline(always)]
    fn insert_noting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> bool {
        self.first.insert_noting(lines, h) | self.second.insert_noting(lines, next(h))
    }

    /// In an array outside the cache, two phases: the first line of all keys, then the second line
    /// of the keys that passed. The list of these keys is built without a branch: always write,
    /// then advance by the answer.
    #[inline(always)]
    fn contains_many<A: Lines + ?Sized>(&self, lines: &A, hashes: &[u64], answers: &mut [bool]) {
        if hashes.len() <= ONE_PHASE || self.ahead(lines, hashes.len()) == 0 {
            let answers = &mut answers[..hashes.len()];
            fetching_ahead!(self, lines, hashes, |i, h| answers[i] = self.contains(lines, h));
            return;
        }
        let mut survivors = [0u16; TWO_PHASE];
        let mut seconds = [0u64; TWO_PHASE];
        for (hashes, answers) in hashes.chunks(TWO_PHASE).zip(answers.chunks_mut(TWO_PHASE)) {
            self.first.contains_many(lines, hashes, answers);
            let mut count = 0;
            for (i, (&h, &answer)) in hashes.iter().zip(answers.iter()).enumerate() {
                survivors[count] = i as u16;
                seconds[count] = next(h);
                count += usize::from(answer);
            }
            let (survivors, seconds) = (&survivors[..count], &seconds[..count]);
            fetching_ahead!(self.second, lines, seconds, |i, h| {
                answers[usize::from(survivors[i])] = self.second.contains(lines, h)
            });
        }
    }
}

/// Parquet's split block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub(super) blocks: u64,
}

impl Split {
    #[inline(always)]
    pub(super) fn block(&self, h: u64) -> usize {
        (((h >> 32) * self.blocks) >> 32) as usize
    }
}

impl Rule for Split {
    /// 8 MiB: the loop is so short that the CPU itself looks ahead far enough for arrays in the
    /// third-level cache.
    const FETCH_AHEAD_FROM: usize = 1 << 17;

    #[inline(always)]
    fn fetch<A: Lines + ?Sized>(&self, lines: &A, h: u64) {
        lines.fetch(self.block(h) / 2);
    }

    #[inline(always)]
    fn contains<A: Lines + ?Sized>(&self, lines: &A, h: u64) -> bool {
        lines.split_holds(self.block(h), &mask::split_mask(h))
    }

    #[inline(always)]
    fn insert<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) {
        lines.split_set(self.block(h), &mask::split_mask(h));
    }

    #[inline(always)]
    fn insert_counting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> u32 {
        lines.split_set_counting(self.block(h), &mask::split_mask(h))
    }

    #[inline(always)]
    fn insert_noting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> bool {
        lines.split_set_noting(self.block(h), &mask::split_mask(h))
    }
}

/// k independent positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Independent {
    pub(super) bit_len: u64,
    pub(super) num_hashes: u32,
}

impl Independent {
    #[inline(always)]
    pub(super) fn positions(&self, h: u64) -> impl Iterator<Item = u64> {
        let mut x = h;
        let bit_len = self.bit_len;
        (0..self.num_hashes).map(move |_| {
            let position = reduce(x, bit_len);
            x = next(x);
            position
        })
    }
}

impl Rule for Independent {
    /// 8 MiB: prefetching computes the k positions twice.
    const FETCH_AHEAD_FROM: usize = 1 << 17;

    #[inline(always)]
    fn fetch<A: Lines + ?Sized>(&self, lines: &A, h: u64) {
        self.positions(h).for_each(|p| lines.fetch((p / LINE_BITS) as usize));
    }

    #[inline(always)]
    fn contains<A: Lines + ?Sized>(&self, lines: &A, h: u64) -> bool {
        self.positions(h).all(|p| lines.holds_bit(p))
    }

    #[inline(always)]
    fn insert<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) {
        self.insert_counting(lines, h);
    }

    #[inline(always)]
    fn insert_counting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> u32 {
        self.positions(h).map(|p| u32::from(lines.set_bit(p))).sum()
    }

    #[inline(always)]
    fn insert_noting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> bool {
        self.insert_counting(lines, h) > 0
    }
}

/// Prefetches the lines of all positions.
pub(crate) fn fetch_positions<A: Lines + ?Sized>(lines: &A, positions: &[u64]) {
    positions.iter().for_each(|p| lines.fetch((p / LINE_BITS) as usize));
}

#[cfg(test)]
mod tests;

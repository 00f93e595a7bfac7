//! Lines that many threads set and read at once.
//!
//! Every access is `Relaxed`. Bits are only set, never cleared, by one read-modify-write of one
//! word, so no bit is lost. A thread may find a bit set and therefore not set it again. It passes
//! the bit on to everything that happens later, as if it had set it: accesses to one word are
//! coherent. More is not promised, and a stronger ordering would promise no more for one key. A
//! stronger ordering costs nothing on x86-64. On other CPUs it would keep the loads of a batch in
//! order, and a batch is fast because they are not.

// Index loops over arrays of eight, as in `rule`.
#![allow(clippy::needless_range_loop)]

use alloc::vec::Vec;

use core::sync::atomic::Ordering::Relaxed;
#[cfg(not(all(test, loom)))]
pub(crate) use core::sync::atomic::{AtomicBool, AtomicU64};
#[cfg(all(test, loom))]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64};

use super::fetch::fetch_line;
use super::rule::{Lines, LinesMut};
use super::{LINE_BITS, Line};

/// 512 bits, one cache line, shared by threads. Same size and alignment as a [`Line`].
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct AtomicLine([AtomicU64; 8]);

impl AtomicLine {
    /// A copy of the line. Another thread may be setting bits in it: each word is read once.
    #[inline(always)]
    pub(crate) fn load(&self) -> Line {
        let mut line = [0; 8];
        for i in 0..8 {
            line[i] = self.0[i].load(Relaxed);
        }
        Line(line)
    }
}

/// Makes lines shared, in the same memory: the standard library collects into the vector it
/// consumes.
pub(crate) fn share(lines: Vec<Line>) -> Vec<AtomicLine> {
    lines.into_iter().map(|line| AtomicLine(line.0.map(AtomicU64::new))).collect()
}

/// The reverse of [`share`], also in the same memory.
pub(crate) fn unshare(lines: Vec<AtomicLine>) -> Vec<Line> {
    lines.into_iter().map(|line| Line(line.0.map(AtomicU64::into_inner))).collect()
}

/// How many bits are set.
#[inline(always)]
pub(crate) fn count(lines: &[AtomicLine]) -> u64 {
    let in_line =
        |line: &AtomicLine| line.0.iter().map(|w| u64::from(w.load(Relaxed).count_ones())).sum::<u64>();
    lines.iter().map(in_line).sum()
}

/// Sets a bit and returns whether this call set it.
pub(crate) fn set_bit(lines: &[AtomicLine], position: u64) -> bool {
    let (word, bit) = (word(lines, position), 1 << (position % 64));
    word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
}

/// The number of bits that would be set in the union.
pub(crate) fn count_union(lines: &[AtomicLine], others: &[Line]) -> u64 {
    let in_line = |(line, other): (&AtomicLine, &Line)| {
        line.load().0.iter().zip(&other.0).map(|(a, b)| u64::from((a | b).count_ones())).sum::<u64>()
    };
    lines.iter().zip(others).map(in_line).sum()
}

/// Sets all bits of other lines. Returns how many of them it set in the sample.
pub(crate) fn union(lines: &[AtomicLine], others: &[Line]) -> u64 {
    let mut atomics = Atomics::new(lines);
    for (number, Line(words)) in others.iter().enumerate() {
        if words.iter().any(|word| *word != 0) {
            atomics.set(number, words);
        }
    }
    atomics.sampled()
}

/// Clears all bits; the caller has the lines for itself.
pub(crate) fn clear(lines: &mut [AtomicLine]) {
    lines.iter_mut().for_each(|line| *line = AtomicLine(core::array::from_fn(|_| AtomicU64::new(0))));
}

/// Is the bit set?
pub(crate) fn holds_bit(lines: &[AtomicLine], position: u64) -> bool {
    word(lines, position).load(Relaxed) >> (position % 64) & 1 != 0
}

#[inline(always)]
fn word(lines: &[AtomicLine], position: u64) -> &AtomicU64 {
    &lines[(position / LINE_BITS) as usize].0[(position / 64 % 8) as usize]
}

/// The number of lines in the sample; bits set in it are counted. The sample is the whole of a
/// small array and one line in 64 of a large one, so that threads seldom meet at the counter. The
/// keys in 512 lines differ from the mean by a standard deviation of about 0.6 %. The rest up to
/// the limit is measured again and again, so the error matters less each time.
pub(crate) fn sample(lines: usize) -> usize {
    lines.min((lines / 64).max(512))
}

/// The result of an insert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NewBits {
    /// Bits that were not set before.
    pub(crate) found: u32,
    /// Bits that this call set in the sample; each bit is counted by exactly one thread.
    pub(crate) sampled: u32,
}

/// Shared lines in the form that the rules use.
pub(crate) struct Atomics<'a> {
    lines: &'a [AtomicLine],
    sample: usize,
    sampled: u64,
}

impl<'a> Atomics<'a> {
    #[inline(always)]
    pub(crate) fn new(lines: &'a [AtomicLine]) -> Self {
        Atomics { lines, sample: sample(lines.len()), sampled: 0 }
    }

    /// Bits set in the sample through this view.
    #[inline(always)]
    pub(crate) fn sampled(&self) -> u64 {
        self.sampled
    }

    /// The bits of the mask that are not set in the words.
    #[inline(always)]
    fn missing<const N: usize>(words: &[AtomicU64], mask: &[u64; N]) -> [u64; N] {
        let mut missing = [0; N];
        for i in 0..N {
            missing[i] = mask[i] & !words[i].load(Relaxed);
        }
        missing
    }

    /// Sets the bits of the mask in a line's words from number `from` on, if one is missing. The
    /// CPU predicts the branch "is any missing", so it can start the next key before the line
    /// arrives. A saved locked operation is worth the loop over words, whose end is often
    /// mispredicted.
    #[inline(always)]
    fn set_words<const N: usize>(&mut self, line: usize, from: usize, mask: &[u64; N]) -> u32 {
        let words = &self.lines[line].0[from..from + N];
        let missing = Self::missing(words, mask);
        let found = missing.iter().map(|word| word.count_ones()).sum();
        if found > 0 {
            if line < self.sample {
                self.set_sampled(words, &missing);
            } else {
                for_each_touched(&missing, |i| {
                    words[i].fetch_or(missing[i], Relaxed);
                });
            }
        }
        found
    }

    /// Sets the missing bits in words of the sample, and counts the bits that this call set first.
    #[inline(always)]
    fn set_sampled<const N: usize>(&mut self, words: &[AtomicU64], missing: &[u64; N]) {
        for_each_touched(missing, |i| {
            let before = words[i].fetch_or(missing[i], Relaxed);
            self.sampled += u64::from((missing[i] & !before).count_ones());
        });
    }
}

/// Calls `with` for each word in which the mask has a bit.
#[inline(always)]
fn for_each_touched<const N: usize>(mask: &[u64; N], mut with: impl FnMut(usize)) {
    let mut touched = 0u32;
    for i in 0..N {
        touched |= u32::from(mask[i] != 0) << i;
    }
    while touched != 0 {
        with(touched.trailing_zeros() as usize);
        touched &= touched - 1;
    }
}

impl Lines for Atomics<'_> {
    const FETCH_AHEAD_FROM: usize = 1 << 14;

    #[inline(always)]
    fn line_count(&self) -> usize {
        self.lines.len()
    }

    #[inline(always)]
    fn fetch(&self, line: usize) {
        fetch_line(&self.lines[line]);
    }

    #[inline(always)]
    fn holds(&self, line: usize, mask: &[u64; 8]) -> bool {
        let words = &self.lines[line].0;
        let mut missing = 0;
        for i in 0..8 {
            missing |= mask[i] & !words[i].load(Relaxed);
        }
        missing == 0
    }

    #[inline(always)]
    fn split_holds(&self, block: usize, mask: &[u32; 8]) -> bool {
        let words = &self.lines[block / 2].0[block % 2 * 4..][..4];
        let mask: [u64; 4] = bytemuck::cast(*mask);
        let mut missing = 0;
        for i in 0..4 {
            missing |= mask[i] & !words[i].load(Relaxed);
        }
        missing == 0
    }

    #[inline(always)]
    fn holds_bit(&self, position: u64) -> bool {
        holds_bit(self.lines, position)
    }
}

impl LinesMut for Atomics<'_> {
    #[inline(always)]
    fn set(&mut self, line: usize, mask: &[u64; 8]) {
        let words = &self.lines[line].0;
        // In a batch the line is already in the cache: a saved locked operation is worth a
        // mispredicted branch.
        let missing = Self::missing(words, mask);
        if line < self.sample {
            return self.set_sampled(words, &missing);
        }
        for i in 0..8 {
            if missing[i] != 0 {
                words[i].fetch_or(missing[i], Relaxed);
            }
        }
    }

    #[inline(always)]
    fn set_counting(&mut self, line: usize, mask: &[u64; 8], _most_a_word: u32) -> u32 {
        self.set_words(line, 0, mask)
    }

    #[inline(always)]
    fn split_set(&mut self, block: usize, mask: &[u32; 8]) {
        self.split_set_counting(block, mask);
    }

    #[inline(always)]
    fn split_set_counting(&mut self, block: usize, mask: &[u32; 8]) -> u32 {
        self.set_words::<4>(block / 2, block % 2 * 4, &bytemuck::cast(*mask))
    }

    #[inline(always)]
    fn set_bit(&mut self, position: u64) -> bool {
        let line = (position / LINE_BITS) as usize;
        self.set_words(line, (position / 64 % 8) as usize, &[1 << (position % 64)]) > 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests;

//! Lines that many threads set and ask at once.
//!
//! Every access is `Relaxed`. Bits are only ever set, by one read-modify-write of one word, so none
//! is lost; and whoever finds a bit set (and therefore does not set it again) passes it on to all
//! that happens after, as if it had set the bit itself: the accesses to one word are coherent. More
//! than that is not promised, and a stronger order would not promise more of one key; it would cost
//! nothing on x86-64, but elsewhere it would forbid the loads of a batch to overtake each other,
//! from which a batch has its speed.

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

/// 512 bits, one cache line, shared by threads. As large and as aligned as a [`Line`].
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct AtomicLine([AtomicU64; 8]);

impl AtomicLine {
    /// The line as it is now. Another thread may be setting bits in it: each word is read once.
    #[inline(always)]
    pub(crate) fn load(&self) -> Line {
        let mut line = [0; 8];
        for i in 0..8 {
            line[i] = self.0[i].load(Relaxed);
        }
        Line(line)
    }
}

/// The same bits, in the same memory: the standard library collects into the vector it takes from.
pub(crate) fn share(lines: Vec<Line>) -> Vec<AtomicLine> {
    lines.into_iter().map(|line| AtomicLine(line.0.map(AtomicU64::new))).collect()
}

/// The way back, in the same memory too.
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

/// Sets a bit, and says whether this call did it.
pub(crate) fn set_bit(lines: &[AtomicLine], position: u64) -> bool {
    let (word, bit) = (word(lines, position), 1 << (position % 64));
    word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
}

/// How many bits would be set in the union.
pub(crate) fn count_union(lines: &[AtomicLine], others: &[Line]) -> u64 {
    let in_line = |(line, other): (&AtomicLine, &Line)| {
        line.load().0.iter().zip(&other.0).map(|(a, b)| u64::from((a | b).count_ones())).sum::<u64>()
    };
    lines.iter().zip(others).map(in_line).sum()
}

/// Sets all bits of other lines. Says how many of them it set in the sample.
pub(crate) fn union(lines: &[AtomicLine], others: &[Line]) -> u64 {
    let mut atomics = Atomics::new(lines);
    for (number, Line(words)) in others.iter().enumerate() {
        if words.iter().any(|word| *word != 0) {
            atomics.set(number, words);
        }
    }
    atomics.sampled()
}

/// Unsets all bits, while nobody else has the lines.
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

/// The first so many lines of so many are the sample, whose set bits are counted as they are set:
/// all of a small array; and one in 64 of a large one, so that threads seldom meet at the counter.
/// The keys in 512 lines differ from their mean by a standard deviation of about 0.6 %; what is
/// left to the limit is looked at again and again, so that counts for less and less of it.
pub(crate) fn sample(lines: usize) -> usize {
    lines.min((lines / 64).max(512))
}

/// What an insert has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NewBits {
    /// Bits that it found not set.
    pub(crate) found: u32,
    /// Bits that it set in the sample; each bit is counted by just one thread.
    pub(crate) sampled: u32,
}

/// Shared lines as the rules see them.
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

    /// Which bits of the mask the words lack.
    #[inline(always)]
    fn missing<const N: usize>(words: &[AtomicU64], mask: &[u64; N]) -> [u64; N] {
        let mut missing = [0; N];
        for i in 0..N {
            missing[i] = mask[i] & !words[i].load(Relaxed);
        }
        missing
    }

    /// Sets the bits of the mask in a line's words from number `from` on, where one is missing.
    /// Whether any is missing is a branch that the CPU guesses, so that it does not wait for the
    /// line before the next key. A locked operation saved is worth a loop over words that ends when
    /// it is not expected to.
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

    /// Sets the bits that are missing in words of the sample, and counts those that it was the one
    /// to set.
    #[inline(always)]
    fn set_sampled<const N: usize>(&mut self, words: &[AtomicU64], missing: &[u64; N]) {
        for_each_touched(missing, |i| {
            let before = words[i].fetch_or(missing[i], Relaxed);
            self.sampled += u64::from((missing[i] & !before).count_ones());
        });
    }
}

/// Does something for each word in which the mask has a bit.
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
        // In a batch the line is there already: a locked operation saved is worth a branch guessed
        // wrong.
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

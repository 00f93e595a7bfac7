//! Lines that contain every bit of some rules, so a single lookup or insert needs no index check.
//!
//! Batches keep the checks. Without them the compiler vectorizes across keys, which takes up to 2.7
//! times as long.

#![allow(unsafe_code)]

use crate::bits::rule::{Plain, PlainMut};
use crate::bits::{Line, halves, halves_mut, words, words_mut};

// SAFETY of all calls below: a kernel makes `Inside` and `InsideMut` of at least as many lines as
// its rules need (`Rules::least_lines`) and passes them to no other rules. A rule uses line indices
// below the number of lines, half-line indices below its number of blocks, and positions below its
// number of bits. Builds with debug assertions check each index. The tests of the kernels run in
// such a build, for every rule and the extremes of hashes.

/// Lines to be read.
#[derive(Clone, Copy)]
pub(crate) struct Inside<'a>(&'a [Line]);

/// Lines to be changed.
pub(crate) struct InsideMut<'a>(&'a mut [Line]);

impl<'a> Inside<'a> {
    /// For rules that need this number of lines.
    #[inline(always)]
    pub(super) fn new(lines: &'a [Line], least: usize) -> Self {
        if lines.len() < least {
            are_too_few();
        }
        Inside(lines)
    }
}

impl<'a> InsideMut<'a> {
    /// For rules that need this number of lines.
    #[inline(always)]
    pub(super) fn new(lines: &'a mut [Line], least: usize) -> Self {
        if lines.len() < least {
            are_too_few();
        }
        InsideMut(lines)
    }
}

/// Panics because the filter has fewer lines than its shape: by a bug in this crate, or because the
/// caller has shortened the bytes.
#[cold]
#[inline(never)]
fn are_too_few() -> ! {
    panic!("too few lines")
}

impl Plain for Inside<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn line(&self, line: usize) -> &[u64; 8] {
        debug_assert!(line < self.0.len());
        // SAFETY: see above.
        unsafe { &self.0.get_unchecked(line).0 }
    }

    #[inline(always)]
    fn half(&self, half: usize) -> &[u32; 8] {
        debug_assert!(half < halves(self.0).len());
        // SAFETY: see above.
        unsafe { halves(self.0).get_unchecked(half) }
    }

    #[inline(always)]
    fn word(&self, word: usize) -> u64 {
        debug_assert!(word < words(self.0).len());
        // SAFETY: see above.
        unsafe { *words(self.0).get_unchecked(word) }
    }
}

impl Plain for InsideMut<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn line(&self, line: usize) -> &[u64; 8] {
        &self.0[line].0
    }

    #[inline(always)]
    fn half(&self, half: usize) -> &[u32; 8] {
        &halves(self.0)[half]
    }

    #[inline(always)]
    fn word(&self, word: usize) -> u64 {
        words(self.0)[word]
    }
}

impl PlainMut for InsideMut<'_> {
    #[inline(always)]
    fn line_mut(&mut self, line: usize) -> &mut [u64; 8] {
        debug_assert!(line < self.0.len());
        // SAFETY: see above.
        unsafe { &mut self.0.get_unchecked_mut(line).0 }
    }

    #[inline(always)]
    fn half_mut(&mut self, half: usize) -> &mut [u32; 8] {
        debug_assert!(half < halves(self.0).len());
        // SAFETY: see above.
        unsafe { halves_mut(self.0).get_unchecked_mut(half) }
    }

    #[inline(always)]
    fn word_mut(&mut self, word: usize) -> &mut u64 {
        debug_assert!(word < words(self.0).len());
        // SAFETY: see above.
        unsafe { words_mut(self.0).get_unchecked_mut(word) }
    }
}

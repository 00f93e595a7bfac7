//! The functions of [`super::super::ribbon`] compiled once for each CPU level.

use alloc::vec::Vec;

use super::*;
use crate::bits::ribbon::ask;
use crate::bits::ribbon::band::Band;
use crate::bits::ribbon::shape::{Layer, Shape};
use crate::bits::ribbon::solve;

table!(CONTAINS: fn(shape: &Shape, words: &[u64], h: u64) -> bool = ask::contains(shape, words, h));
table!(CONTAINS_MANY: fn(shape: &Shape, words: &[u64], h: &[u64], answers: &mut [bool]) =
    ask::contains_many(shape, words, h, answers));
table!(FILL: fn(band: &mut Band, layer: &Layer, hashes: &[u64], columns: u32, bumped: &mut Vec<u64>) =
    band.fill(layer, hashes, columns, bumped));
table!(SOLVE: fn(band: &Band, columns: usize, wide: usize, out: &mut [u64]) =
    solve::solve(band.rows(), columns, wide, out));

/// One CPU level's functions for ribbons.
#[derive(Clone, Copy)]
pub(crate) struct RibbonKernel(usize);

impl RibbonKernel {
    /// The best level's functions.
    pub(crate) fn best() -> Self {
        RibbonKernel(chosen())
    }

    /// Every level's functions.
    #[cfg(test)]
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        available().map(RibbonKernel)
    }

    // SAFETY of the calls below: a `RibbonKernel` is reached only through `best` and `available`, which hand out a level only
    // after finding its CPU features; nothing else is required of the callers.

    /// Is what is stored for this hash its fingerprint?
    #[inline]
    pub(crate) fn contains(self, shape: &Shape, words: &[u64], h: u64) -> bool {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { CONTAINS[self.0](shape, words, h) }
    }

    /// Answers a batch; `answers` is as long as `h`.
    #[inline]
    pub(crate) fn contains_many(self, shape: &Shape, words: &[u64], h: &[u64], answers: &mut [bool]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { CONTAINS_MANY[self.0](shape, words, h, answers) }
    }

    /// [`Band::fill`].
    pub(crate) fn fill(
        self,
        band: &mut Band,
        layer: &Layer,
        hashes: &[u64],
        columns: u32,
        bumped: &mut Vec<u64>,
    ) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { FILL[self.0](band, layer, hashes, columns, bumped) }
    }

    /// [`solve::solve`].
    pub(crate) fn solve(self, band: &Band, columns: usize, wide: usize, out: &mut [u64]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { SOLVE[self.0](band, columns, wide, out) }
    }
}

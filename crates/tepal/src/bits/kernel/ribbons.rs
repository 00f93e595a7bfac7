//! The functions of [`super::super::ribbon`] compiled once for each CPU level.

use super::*;
use crate::bits::ribbon::ask::{self, AHEAD, Any, Even, Usual};
use crate::bits::ribbon::band::{self, Band, Keys};
use crate::bits::ribbon::entry::Entry;
use crate::bits::ribbon::get;
use crate::bits::ribbon::shape::{Layer, Shape};
use crate::bits::ribbon::solve;

/// Eight words from `at` on, and eight that begin `step` words behind, if there are so many.
#[inline(always)]
pub(crate) fn two_eights(words: &[u64], at: usize, step: usize) -> Option<(&[u64; 8], &[u64; 8])> {
    let most = words.len().checked_sub(8)?.checked_sub(step)?;
    if at > most {
        return None;
    }
    // SAFETY: at + 8 is at + step + 8 at the most, which is the length of the words at the most.
    let first = unsafe { words.get_unchecked(at..at + 8) };
    // SAFETY: as above.
    let second = unsafe { words.get_unchecked(at + step..at + step + 8) };
    Some((first.try_into().ok()?, second.try_into().ok()?))
}

/// Asks the CPU to bring a word nearer, wherever it is.
#[inline(always)]
pub(crate) fn fetch_word(words: &[u64], at: usize) {
    fetch(words.as_ptr().wrapping_add(at));
}

/// What asks a ribbon of one form.
macro_rules! asking {
    ($F:ident: $one:ident, $some:ident) => {
        table!($one: fn(shape: &Shape, words: &[u64], h: u64) -> Option<bool> =
            ask::contains::<$F>(shape, words, h));
        table!($some: fn(shape: &Shape, words: &[u64], h: &[u64; AHEAD], answers: &mut [bool; AHEAD]) -> u32 =
            ask::contains_some::<$F>(shape, words, h, answers));
    };
}

asking!(Even: CONTAINS_EVEN, CONTAINS_SOME_EVEN);
asking!(Usual: CONTAINS_USUAL, CONTAINS_SOME_USUAL);
asking!(Any: CONTAINS, CONTAINS_SOME);
table!(CONTAINS_ANYWHERE: fn(shape: &Shape, words: &[u64], h: u64) -> bool =
    ask::contains_anywhere(shape, words, h));
table!(GET: fn(shape: &Shape, words: &[u64], greatest: u32, h: u64) -> Option<u32> =
    get::get(shape, words, greatest, h));
table!(GET_MANY: fn(shape: &Shape, words: &[u64], greatest: u32, h: &[u64], answers: &mut [Option<u32>]) =
    get::get_many(shape, words, greatest, h, answers));
table!(FILL: fn(layer: &Layer, columns: u32, one: OfShard<'_, u64>, two: Option<OfShard<'_, u64>>) =
    band::fill(layer, columns, one, two));
table!(FILL_PAIRS: fn(layer: &Layer, columns: u32, one: OfShard<'_, (u64, u32)>, two: Option<OfShard<'_, (u64, u32)>>) =
    band::fill(layer, columns, one, two));
table!(SOLVE: fn(band: &Band, columns: usize, wide: usize, out: &mut [u64]) =
    solve::solve(band.rows(), columns, wide, out));

/// The band of a shard, and what goes into it.
type OfShard<'a, E> = (&'a mut Band, Keys<'a, E>);

/// Fills the bands of a shard or of two.
type Fill<E> = unsafe fn(&Layer, u32, OfShard<'_, E>, Option<OfShard<'_, E>>);

/// What goes into a ribbon, for whose sort there is a table.
pub(crate) trait Filled: Entry + 'static {
    /// Each level's function.
    const TABLE: &'static [Fill<Self>; NAMES.len()];
}

impl Filled for u64 {
    const TABLE: &'static [Fill<u64>; NAMES.len()] = &FILL;
}

impl Filled for (u64, u32) {
    const TABLE: &'static [Fill<(u64, u32)>; NAMES.len()] = &FILL_PAIRS;
}

/// One CPU level's functions for ribbons, of which those that ask are for one form.
#[derive(Clone, Copy)]
pub(crate) struct RibbonKernel {
    level: usize,
    contains: unsafe fn(&Shape, &[u64], u64) -> Option<bool>,
    contains_some: unsafe fn(&Shape, &[u64], &[u64; AHEAD], &mut [bool; AHEAD]) -> u32,
}

impl RibbonKernel {
    fn new(level: usize, shape: &Shape) -> Self {
        let (contains, contains_some) = if Even::is_of(shape) {
            (CONTAINS_EVEN[level], CONTAINS_SOME_EVEN[level])
        } else if Usual::is_of(shape) {
            (CONTAINS_USUAL[level], CONTAINS_SOME_USUAL[level])
        } else {
            (CONTAINS[level], CONTAINS_SOME[level])
        };
        RibbonKernel { level, contains, contains_some }
    }

    /// The best level's functions for this ribbon, and for no other.
    pub(crate) fn best(shape: &Shape) -> Self {
        RibbonKernel::new(chosen(), shape)
    }

    /// Every level's functions, the best first.
    #[cfg(test)]
    pub(crate) fn available(shape: &Shape) -> impl Iterator<Item = Self> {
        available().map(|level| RibbonKernel::new(level, shape))
    }

    // SAFETY of the calls below: these types are reached only through `best` and `available`, which hand out a level only
    // after finding its CPU features; nothing else is required of the callers.

    /// Is what is stored for this hash its fingerprint?
    #[inline]
    pub(crate) fn contains(self, shape: &Shape, words: &[u64], h: u64) -> bool {
        // SAFETY: the CPU has the level's features, see above.
        match unsafe { (self.contains)(shape, words, h) } {
            Some(is_held) => is_held,
            None => self.contains_anywhere(shape, words, h),
        }
    }

    #[cold]
    #[inline(never)]
    fn contains_anywhere(self, shape: &Shape, words: &[u64], h: u64) -> bool {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { CONTAINS_ANYWHERE[self.level](shape, words, h) }
    }

    /// Answers a batch; `answers` is as long as `h`.
    #[inline]
    pub(crate) fn contains_many(self, shape: &Shape, words: &[u64], h: &[u64], answers: &mut [bool]) {
        for (h, answers) in h.chunks(AHEAD).zip(answers.chunks_mut(AHEAD)) {
            match (h.try_into(), answers.try_into()) {
                (Ok(h), Ok(answers)) => self.contains_some(shape, words, h, answers),
                _ => {
                    let (mut hashes, mut found) = ([0; AHEAD], [false; AHEAD]);
                    hashes[..h.len()].copy_from_slice(h);
                    self.contains_some(shape, words, &hashes, &mut found);
                    answers.copy_from_slice(&found[..answers.len()]);
                }
            }
        }
    }

    #[inline]
    fn contains_some(self, shape: &Shape, words: &[u64], h: &[u64; AHEAD], answers: &mut [bool; AHEAD]) {
        // SAFETY: the CPU has the level's features, see above.
        let mut left = unsafe { (self.contains_some)(shape, words, h, answers) };
        while left != 0 {
            let i = left.trailing_zeros() as usize;
            answers[i] = self.contains_anywhere(shape, words, h[i]);
            left &= left - 1;
        }
    }
}

/// One CPU level's functions that get the values of a map.
#[derive(Clone, Copy)]
pub(crate) struct MapKernel(usize);

impl MapKernel {
    /// The best level's functions.
    pub(crate) fn best() -> Self {
        MapKernel(chosen())
    }

    /// Every level's functions.
    #[cfg(test)]
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        available().map(MapKernel)
    }

    /// The value that is stored for this hash, where one is.
    #[inline]
    pub(crate) fn get(self, shape: &Shape, words: &[u64], greatest: u32, h: u64) -> Option<u32> {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { GET[self.0](shape, words, greatest, h) }
    }

    /// The same of a batch; `answers` is as long as `h`.
    #[inline]
    pub(crate) fn get_many(
        self,
        shape: &Shape,
        words: &[u64],
        greatest: u32,
        h: &[u64],
        answers: &mut [Option<u32>],
    ) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { GET_MANY[self.0](shape, words, greatest, h, answers) }
    }
}

/// One CPU level's functions that make ribbons.
#[derive(Clone, Copy)]
pub(crate) struct RibbonMaker(usize);

impl RibbonMaker {
    /// The best level's functions.
    pub(crate) fn best() -> Self {
        RibbonMaker(chosen())
    }

    /// Every level's functions.
    #[cfg(test)]
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        available().map(RibbonMaker)
    }

    /// [`band::fill`], of one shard or two.
    pub(crate) fn fill<E: Filled>(
        self,
        layer: &Layer,
        columns: u32,
        one: (&mut Band, Keys<'_, E>),
        two: Option<(&mut Band, Keys<'_, E>)>,
    ) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { E::TABLE[self.0](layer, columns, one, two) }
    }

    /// [`solve::solve`].
    pub(crate) fn solve(self, band: &Band, columns: usize, wide: usize, out: &mut [u64]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { SOLVE[self.0](band, columns, wide, out) }
    }
}

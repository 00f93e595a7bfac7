//! The functions of [`super::super::ribbon`], compiled once for each CPU level.

use super::*;
use crate::bits::ribbon::ask::{self, Even, Large, Narrow};
use crate::bits::ribbon::band::{self, Band, Keys};
use crate::bits::ribbon::batch::{self, AHEAD};
use crate::bits::ribbon::entry::Entry;
use crate::bits::ribbon::get;
use crate::bits::ribbon::shape::{Layer, RibbonShape};
use crate::bits::ribbon::solve;
use crate::bits::ribbon::thin::{self, Thin};

/// Makes the lookup functions for one form of a ribbon.
macro_rules! asking {
    ($F:ident: $one:ident, $some:ident) => {
        table!($one: fn(shape: &RibbonShape, words: &[u64], h: u64) -> Option<bool> = |P: Parities|
            ask::contains::<$F, P>(shape, words, h));
        table!($some: fn(shape: &RibbonShape, words: &[u64], h: &[u64; AHEAD], answers: &mut [bool; AHEAD]) -> u32 =
            |P: Parities| batch::contains_some::<$F, P>(shape, words, h, answers));
    };
}

asking!(Even: CONTAINS_EVEN, CONTAINS_SOME_EVEN);
asking!(Narrow: CONTAINS_NARROW, CONTAINS_SOME_NARROW);
asking!(Large: CONTAINS_LARGE, CONTAINS_SOME_LARGE);
table!(CONTAINS_ANYWHERE: fn(shape: &RibbonShape, words: &[u64], h: u64) -> Option<bool> = |P: Parities|
    Some(ask::contains_anywhere::<P>(shape, words, h)));
table!(GET: fn(shape: &RibbonShape, words: &[u64], greatest: u32, h: u64) -> Option<u32> = |P: Parities|
    get::get::<P>(shape, words, greatest, h));
table!(GET_NEAR: fn(shape: &RibbonShape, words: &[u64], greatest: u32, h: u64) -> Option<Option<u32>> = |P: Parities|
    get::get_near::<P>(shape, words, greatest, h));
table!(GET_SOME: fn(shape: &RibbonShape, words: &[u64], greatest: u32, h: &[u64], answers: &mut [Option<u32>]) -> u32 =
    |P: Parities| get::get_some::<P>(shape, words, greatest, h, answers));
table!(FILL: fn(layer: &Layer, columns: u32, one: OfShard<'_, u64>, two: Option<OfShard<'_, u64>>) =
    band::fill(layer, columns, one, two));
table!(FILL_PAIRS: fn(layer: &Layer, columns: u32, one: OfShard<'_, (u64, u32)>, two: Option<OfShard<'_, (u64, u32)>>) =
    band::fill(layer, columns, one, two));
table!(SOLVE: fn(band: &Band, columns: usize, wide: usize, out: &mut [u64]) =
    solve::solve(band.rows(), columns, wide, out));
table!(CONTAINS_THIN: fn(thin: &Thin, first: &RibbonShape, words: &[u64], h: u64) -> Option<bool> = |P: Parities|
    thin.contains::<P>(first, words, h));
table!(CONTAINS_THIN_ANYWHERE: fn(thin: &Thin, first: &RibbonShape, words: &[u64], h: u64) -> bool = |P: Parities|
    thin.contains_anywhere::<P>(first, words, h));
table!(NARROW: fn(thin: &Thin, first: &RibbonShape, words: &[u64], h: &[u64], answers: &mut [bool]) = |P: Parities|
    thin.narrow::<P>(first, words, h, answers));
table!(BEST_SEED: fn(most: u16, picks: &[u16]) -> (u8, usize) = thin::best_seed(most, picks));

/// The band of a shard, and the keys whose equations it takes.
type OfShard<'a, E> = (&'a mut Band, Keys<'a, E>);

/// Fills the bands of a shard or of two.
type Fill<E> = unsafe fn(&Layer, u32, OfShard<'_, E>, Option<OfShard<'_, E>>);

/// An entry of a ribbon for which a table of functions exists.
pub(crate) trait Filled: Entry + 'static {
    /// The function of each level.
    const TABLE: &'static [Fill<Self>; NAMES.len()];
}

impl Filled for u64 {
    const TABLE: &'static [Fill<u64>; NAMES.len()] = &FILL;
}

impl Filled for (u64, u32) {
    const TABLE: &'static [Fill<(u64, u32)>; NAMES.len()] = &FILL_PAIRS;
}

/// The functions of one CPU level for ribbons. The lookup functions are for one form.
#[derive(Clone, Copy)]
pub(crate) struct RibbonKernel {
    level: usize,
    /// Returns `None` for a key that needs the general path.
    contains: unsafe fn(&RibbonShape, &[u64], u64) -> Option<bool>,
    /// `None` if all keys of the ribbon need the general path.
    contains_some: Option<ContainsSome>,
}

/// From this number of keys on, a full batch with filler keys is faster than single lookups.
const WORTH_IT: usize = 16;

/// Looks up [`AHEAD`] keys. The bits of the result mark the keys that need the general path.
type ContainsSome = unsafe fn(&RibbonShape, &[u64], &[u64; AHEAD], &mut [bool; AHEAD]) -> u32;

impl RibbonKernel {
    fn new(level: usize, shape: &RibbonShape) -> Self {
        let (contains, contains_some) = if Even::is_of(shape) {
            (CONTAINS_EVEN[level], Some(CONTAINS_SOME_EVEN[level]))
        } else if Narrow::is_of(shape) {
            (CONTAINS_NARROW[level], Some(CONTAINS_SOME_NARROW[level]))
        } else if Large::is_of(shape) {
            (CONTAINS_LARGE[level], Some(CONTAINS_SOME_LARGE[level]))
        } else {
            (CONTAINS_ANYWHERE[level], None)
        };
        RibbonKernel { level, contains, contains_some }
    }

    /// The best level's functions, for this ribbon only.
    pub(crate) fn best(shape: &RibbonShape) -> Self {
        RibbonKernel::new(chosen(), shape)
    }

    /// Every level's functions, the best first.
    #[cfg(test)]
    pub(crate) fn available(shape: &RibbonShape) -> impl Iterator<Item = Self> {
        available().map(|level| RibbonKernel::new(level, shape))
    }

    // SAFETY of the calls below: these types come only from `best` and `available`, which return a
    // level only after finding its CPU features. The callers have nothing else to ensure.

    /// Does the stored value of this hash equal its fingerprint?
    #[inline(always)]
    pub(crate) fn contains(self, shape: &RibbonShape, words: &[u64], h: u64) -> bool {
        // SAFETY: the CPU has the level's features, see above.
        match unsafe { (self.contains)(shape, words, h) } {
            Some(is_held) => is_held,
            None => self.contains_anywhere(shape, words, h),
        }
    }

    #[inline(never)]
    fn contains_anywhere(self, shape: &RibbonShape, words: &[u64], h: u64) -> bool {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { CONTAINS_ANYWHERE[self.level](shape, words, h) == Some(true) }
    }

    /// Looks up a batch; `answers` is as long as `h`.
    #[inline]
    pub(crate) fn contains_many(self, shape: &RibbonShape, words: &[u64], h: &[u64], answers: &mut [bool]) {
        let one_by_one = |h: &[u64], answers: &mut [bool]| {
            for (answer, h) in answers.iter_mut().zip(h) {
                *answer = self.contains(shape, words, *h);
            }
        };
        let Some(contains_some) = self.contains_some else { return one_by_one(h, answers) };
        // Looks up all keys; only the first `count` answers are used.
        let contains_some = |h: &[u64; AHEAD], answers: &mut [bool; AHEAD], count: usize| {
            // SAFETY: the CPU has the level's features, see above.
            let mut left = unsafe { contains_some(shape, words, h, answers) } & u32::MAX >> (AHEAD - count);
            while left != 0 {
                let i = left.trailing_zeros() as usize;
                answers[i] = self.contains_anywhere(shape, words, h[i]);
                left &= left - 1;
            }
        };
        for (h, answers) in h.chunks(AHEAD).zip(answers.chunks_mut(AHEAD)) {
            match (h.try_into(), answers.try_into()) {
                (Ok(h), Ok(answers)) => contains_some(h, answers, AHEAD),
                _ if h.len() < WORTH_IT => one_by_one(h, answers),
                _ => {
                    let (mut hashes, mut found) = ([0; AHEAD], [false; AHEAD]);
                    hashes[..h.len()].copy_from_slice(h);
                    contains_some(&hashes, &mut found, h.len());
                    answers.copy_from_slice(&found[..answers.len()]);
                }
            }
        }
    }

    /// [`contains`](Self::contains) of a ribbon with a second ribbon behind it.
    #[inline]
    pub(crate) fn contains_thin(self, shape: &RibbonShape, thin: &Thin, words: &[u64], h: u64) -> bool {
        // SAFETY: the CPU has the level's features, see above.
        match unsafe { CONTAINS_THIN[self.level](thin, shape, words, h) } {
            Some(is_held) => is_held,
            None => self.contains_thin_anywhere(shape, thin, words, h),
        }
    }

    #[cold]
    #[inline(never)]
    fn contains_thin_anywhere(self, shape: &RibbonShape, thin: &Thin, words: &[u64], h: u64) -> bool {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { CONTAINS_THIN_ANYWHERE[self.level](thin, shape, words, h) }
    }

    /// [`contains_many`](Self::contains_many) of a ribbon with a second ribbon behind it.
    pub(crate) fn contains_many_thin(
        self,
        shape: &RibbonShape,
        thin: &Thin,
        words: &[u64],
        h: &[u64],
        answers: &mut [bool],
    ) {
        for (h, answers) in h.chunks(AHEAD).zip(answers.chunks_mut(AHEAD)) {
            self.contains_many(shape, words, h, answers);
            // SAFETY: the CPU has the level's features, see above.
            unsafe { NARROW[self.level](thin, shape, words, h, answers) }
        }
    }
}

/// The functions of one CPU level that get the values of a map.
#[derive(Clone, Copy)]
pub(crate) struct MapKernel {
    level: usize,
    /// Can a key use the fast path?
    is_large: bool,
}

impl MapKernel {
    /// The best level's functions, for this ribbon only.
    pub(crate) fn best(shape: &RibbonShape) -> Self {
        MapKernel { level: chosen(), is_large: Large::is_of(shape) }
    }

    /// Every level's functions.
    #[cfg(test)]
    pub(crate) fn available(shape: &RibbonShape) -> impl Iterator<Item = Self> {
        let is_large = Large::is_of(shape);
        available().map(move |level| MapKernel { level, is_large })
    }

    /// The value stored for this hash, if there is one.
    #[inline]
    pub(crate) fn get(self, shape: &RibbonShape, words: &[u64], greatest: u32, h: u64) -> Option<u32> {
        if self.is_large {
            // SAFETY: the CPU has the level's features, see above.
            if let Some(found) = unsafe { GET_NEAR[self.level](shape, words, greatest, h) } {
                return found;
            }
        }
        self.get_anywhere(shape, words, greatest, h)
    }

    #[inline(never)]
    fn get_anywhere(self, shape: &RibbonShape, words: &[u64], greatest: u32, h: u64) -> Option<u32> {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { GET[self.level](shape, words, greatest, h) }
    }

    /// The values of a batch; `answers` is as long as `h`.
    #[inline]
    pub(crate) fn get_many(
        self,
        shape: &RibbonShape,
        words: &[u64],
        greatest: u32,
        h: &[u64],
        answers: &mut [Option<u32>],
    ) {
        for (h, answers) in h.chunks(AHEAD).zip(answers.chunks_mut(AHEAD)) {
            let mut left = u32::MAX >> (AHEAD - h.len());
            if self.is_large {
                // SAFETY: the CPU has the level's features, see above.
                left = unsafe { GET_SOME[self.level](shape, words, greatest, h, answers) };
            }
            while left != 0 {
                let i = left.trailing_zeros() as usize;
                answers[i] = self.get_anywhere(shape, words, greatest, h[i]);
                left &= left - 1;
            }
        }
    }
}

/// The functions of one CPU level that make ribbons.
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

    /// [`thin::best_seed`].
    pub(crate) fn best_seed(self, most: u16, picks: &[u16]) -> (u8, usize) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { BEST_SEED[self.0](most, picks) }
    }

    /// [`solve::solve`].
    pub(crate) fn solve(self, band: &Band, columns: usize, wide: usize, out: &mut [u64]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { SOLVE[self.0](band, columns, wide, out) }
    }
}

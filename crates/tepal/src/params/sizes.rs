//! The allowed sizes of a filter: whole lines, in numbers that can be folded.

use crate::bits::LINE_BITS;
use crate::ids::{Layout, Scheme};

/// Sizes from 1,024 lines up are rounded to a multiple of one of these, so that they can be folded.
pub(super) const FOLDABLE: [u64; 18] =
    [2, 4, 6, 12, 24, 36, 48, 60, 120, 180, 240, 360, 720, 840, 1260, 1680, 2520, 5040];

/// The sizes that a plan can choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sizes {
    /// Whole lines, in a number that can be folded.
    Lines,
    /// Powers of two, from one split block up: libparquet reads no other sizes.
    PowersOfTwo,
}

impl Sizes {
    /// The sizes for this layout and scheme.
    pub(crate) fn of(layout: Layout, scheme: Option<Scheme>) -> Self {
        match (layout, scheme) {
            (Layout::SplitBlock, Some(Scheme::Xxh64)) => Sizes::PowersOfTwo,
            _ => Sizes::Lines,
        }
    }

    /// The smallest size with at least `bits` bits.
    pub(super) fn from(self, bits: u64) -> u64 {
        match self {
            Sizes::Lines => LINE_BITS * foldable(bits.div_ceil(LINE_BITS)),
            Sizes::PowersOfTwo => bits.max(Layout::SplitBlock.unit_bits()).next_power_of_two(),
        }
    }

    /// The next larger size.
    pub(crate) fn after(self, bit_len: u64) -> u64 {
        self.from(bit_len + 1)
    }

    /// The first size from `least` on for which `is_so` is true; it must be true for all larger
    /// ones.
    pub(super) fn first_that(self, least: u64, is_so: impl Fn(u64) -> bool) -> u64 {
        if is_so(least) {
            return least;
        }
        // The step doubles on the way up and is halved on the way back. A step is a number of
        // single sizes: near a change of the rounding some sizes can be reached only from below.
        let further = |bit_len, sizes| (0..sizes).fold(bit_len, |bit_len, _| self.after(bit_len));
        let (mut not, mut sizes) = (least, 1u64);
        let mut so = further(not, sizes);
        while !is_so(so) {
            sizes *= 2;
            (not, so) = (so, further(so, sizes));
        }
        while sizes > 1 {
            let half = sizes / 2;
            let middle = further(not, half);
            if is_so(middle) {
                (so, sizes) = (middle, half);
            } else {
                (not, sizes) = (middle, sizes - half);
            }
        }
        so
    }
}

/// Rounds up by at most 0.1 % so that the lines can be folded evenly.
pub(super) fn foldable(lines: u64) -> u64 {
    let lines = lines.max(1);
    let step = FOLDABLE.into_iter().rev().find(|step| step * 1024 <= lines).unwrap_or(1);
    lines.next_multiple_of(step)
}

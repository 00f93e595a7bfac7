//! The closed set of rules ([`super::rule`]), each prepared for one shape; and the positions of a
//! hash.

use alloc::vec::Vec;

use super::LINE_BITS;
use super::mask::{self, LineMask, Narrow, Wide};
use super::rule::{Independent, OneLine, Split, TwoLines, next, reduce};
use super::shape::Shape;
use crate::ids::Layout;

/// A rule, prepared for one shape.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rules {
    Line(OneLine<Narrow>),
    LineWide(OneLine<Wide>),
    Double(TwoLines<Narrow>),
    DoubleWide(TwoLines<Wide>),
    Split(Split),
    Independent(Independent),
}

impl Rules {
    pub(crate) fn new(shape: Shape) -> Self {
        let k = shape.num_hashes;
        let (first, second) = (k.div_ceil(2), k / 2);
        match shape.layout {
            Layout::Line if k <= 8 => Rules::Line(OneLine(Narrow::new(k))),
            Layout::Line => Rules::LineWide(OneLine(Wide::new(k))),
            Layout::Double if first <= 8 => Rules::Double(TwoLines {
                first: OneLine(Narrow::new(first)),
                second: OneLine(Narrow::new(second)),
            }),
            Layout::Double => Rules::DoubleWide(TwoLines {
                first: OneLine(Wide::new(first)),
                second: OneLine(Wide::new(second)),
            }),
            Layout::SplitBlock => Rules::Split(Split { blocks: shape.bit_len / 256 }),
            Layout::Scattered => Rules::Independent(Independent { bit_len: shape.bit_len, num_hashes: k }),
        }
    }

    /// The number of rules.
    pub(crate) const COUNT: usize = 6;

    /// The index of the rule in the tables of [`super::kernel`].
    pub(crate) fn index(&self) -> usize {
        match self {
            Rules::Line(_) => 0,
            Rules::LineWide(_) => 1,
            Rules::Double(_) => 2,
            Rules::DoubleWide(_) => 3,
            Rules::Split(_) => 4,
            Rules::Independent(_) => 5,
        }
    }

    /// The fewest lines in which every bit of every hash has its place. A line is chosen among the
    /// lines that exist; a block and a position among those of the shape.
    pub(crate) fn least_lines(&self) -> usize {
        let lines = match self {
            Rules::Line(_) | Rules::LineWide(_) | Rules::Double(_) | Rules::DoubleWide(_) => 1,
            Rules::Split(rule) => rule.blocks.div_ceil(2),
            Rules::Independent(rule) => rule.bit_len.div_ceil(LINE_BITS),
        };
        usize::try_from(lines).unwrap_or(usize::MAX).max(1)
    }

    /// The positions of the k bits of `h` in an array of `shape`; a position may repeat. For the
    /// self-test and the test vectors; not fast.
    pub(crate) fn positions(&self, shape: Shape, h: u64) -> Vec<u64> {
        fn in_line(lines: u64, h: u64, mask: impl LineMask, positions: &mut Vec<u64>) {
            let base = reduce(h, lines) * LINE_BITS;
            for part in mask.parts(h) {
                let set = (0..).zip(part).filter(|(_, word)| *word != 0);
                positions.extend(set.map(|(w, word)| base + 64 * w + u64::from(word.trailing_zeros())));
            }
        }
        let lines = shape.lines();
        let mut positions = Vec::new();
        match self {
            Rules::Line(rule) => in_line(lines, h, rule.0, &mut positions),
            Rules::LineWide(rule) => in_line(lines, h, rule.0, &mut positions),
            Rules::Double(rule) => {
                in_line(lines, h, rule.first.0, &mut positions);
                in_line(lines, next(h), rule.second.0, &mut positions);
            }
            Rules::DoubleWide(rule) => {
                in_line(lines, h, rule.first.0, &mut positions);
                in_line(lines, next(h), rule.second.0, &mut positions);
            }
            Rules::Split(rule) => {
                let (base, mask) = (256 * rule.block(h) as u64, mask::split_mask(h));
                positions.extend(
                    (0..8).map(|j| {
                        base + 32 * j as u64 + u64::from(mask[mask::split_word(j)].trailing_zeros())
                    }),
                );
            }
            Rules::Independent(rule) => positions.extend(rule.positions(h)),
        }
        positions
    }
}

#[cfg(test)]
mod tests;

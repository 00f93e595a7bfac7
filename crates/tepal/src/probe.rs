//! From hash to bits: what each layout does with one hash (FORMAT.md, section 2). The layouts themselves
//! and their limits are in [`shape`].

#[cfg(feature = "parallel")]
mod part;
mod shape;

use alloc::vec::Vec;

#[cfg(feature = "parallel")]
pub(crate) use part::{Part, Pass};
pub use shape::Layout;
pub(crate) use shape::{MOST_BITS, Shape};

use crate::bits::LINE_BITS;
use crate::bits::block::{self, LineMask, Lines, LinesMut, Narrow, SECOND, Wide};
use crate::bits::kernel::{Rule, fetching_ahead};

/// The number in 0..n that a hash falls on: the high half of the product, for any n.
#[inline(always)]
fn reduce(h: u64, n: u64) -> u64 {
    ((u128::from(h) * u128::from(n)) >> 64) as u64
}

/// The hash of the second line, and of each further position.
#[inline(always)]
fn next(h: u64) -> u64 {
    h.wrapping_mul(SECOND).rotate_left(32)
}

/// The line that a hash falls on.
#[inline(always)]
fn line_of<A: Lines + ?Sized>(lines: &A, h: u64) -> usize {
    reduce(h, lines.line_count() as u64) as usize
}

/// All bits in one line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneLine<M>(M);

impl<M: LineMask> Rule for OneLine<M> {
    /// 1 MiB: at 1 MiB both take equally long, at 5 MiB fetching ahead saves a fifth.
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
}

/// Half of the bits in each of two lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoLines<M> {
    first: OneLine<M>,
    second: OneLine<M>,
}

/// Keys that go through the two phases of a batch together.
const TWO_PHASE: usize = 512;

impl<M: LineMask> Rule for TwoLines<M> {
    /// As one line.
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

    /// Two phases: the first line of all keys, then the second line of those that passed. Survivors are
    /// kept by always writing and advancing by the answer, without a branch.
    #[inline(always)]
    fn contains_many<A: Lines + ?Sized>(&self, lines: &A, hashes: &[u64], answers: &mut [bool]) {
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
    blocks: u64,
}

impl Split {
    #[inline(always)]
    fn block(&self, h: u64) -> usize {
        (((h >> 32) * self.blocks) >> 32) as usize
    }
}

impl Rule for Split {
    /// 8 MiB: its loop is so short that the CPU looks as far ahead by itself until the third-level cache ends.
    const FETCH_AHEAD_FROM: usize = 1 << 17;

    #[inline(always)]
    fn fetch<A: Lines + ?Sized>(&self, lines: &A, h: u64) {
        lines.fetch(self.block(h) / 2);
    }

    #[inline(always)]
    fn contains<A: Lines + ?Sized>(&self, lines: &A, h: u64) -> bool {
        lines.split_holds(self.block(h), &block::split_mask(h))
    }

    #[inline(always)]
    fn insert<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) {
        lines.split_set(self.block(h), &block::split_mask(h));
    }

    #[inline(always)]
    fn insert_counting<A: LinesMut + ?Sized>(&self, lines: &mut A, h: u64) -> u32 {
        lines.split_set_counting(self.block(h), &block::split_mask(h))
    }
}

/// k independent positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Independent {
    bit_len: u64,
    num_hashes: u32,
}

impl Independent {
    #[inline(always)]
    fn positions(&self, h: u64) -> impl Iterator<Item = u64> {
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
    /// 8 MiB: k positions are worked out twice for it.
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
}

/// A shape made ready to ask: the closed set of rules.
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

    /// How many rules there are.
    pub(crate) const COUNT: usize = 6;

    /// The rule's place in the tables of [`bits::kernel`](crate::bits::kernel).
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

    /// A kernel was chosen for other rules than it is given: a mistake in this crate.
    #[cold]
    pub(crate) fn is_not_of_this_kernel(&self) -> ! {
        unreachable!("a kernel is called with the rules that chose it, and not with {self:?}")
    }

    /// The positions of the k bits of `h` in an array of `shape`; a position may repeat. For the
    /// self-test and the vectors, not for speed.
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
                let (base, mask) = (256 * rule.block(h) as u64, block::split_mask(h));
                positions.extend(
                    (0..8).map(|j| {
                        base + 32 * j as u64 + u64::from(mask[block::split_word(j)].trailing_zeros())
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

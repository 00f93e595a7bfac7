//! A layout as passes that touch one line for each hash. Bulk building runs a pass over one part of
//! the array at a time.

use super::Line;
use super::fetch::fetch_line;
use super::mask::{self, LineMask, Narrow, Wide};
use super::rule::{LinesMut, OneLine, Split, next, reduce};
use super::rules::Rules;

/// One pass over the hashes. The layout `line` has one pass; `double` has one for each of its two
/// lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    rule: LineRule,
    /// Is it the pass of the second line of `double`, whose hash is computed from the key's hash?
    second: bool,
    /// Blocks of the whole array: one or two in a line.
    blocks: u64,
    /// The bits of the hash that choose the block.
    chosen_by: u64,
    /// The binary logarithm of the blocks in a line.
    line_shift: u32,
}

/// The bits that a hash sets in its line.
#[derive(Clone, Copy, Debug)]
enum LineRule {
    Narrow(Narrow),
    Wide(Wide),
    Split,
}

/// A range of neighbouring lines of an array.
pub(crate) struct LineSpan<'a> {
    pub(crate) lines: &'a mut [Line],
    /// The index of the first line in the array.
    pub(crate) first: usize,
}

impl Rules {
    /// The passes over an array of this number of lines; none if the k positions are independent.
    pub(crate) fn passes(&self, lines: usize) -> [Option<Pass>; 2] {
        let pass = |rule, second| {
            Some(Pass { rule, second, blocks: lines as u64, chosen_by: u64::MAX, line_shift: 0 })
        };
        match *self {
            Rules::Line(OneLine(mask)) => [pass(LineRule::Narrow(mask), false), None],
            Rules::LineWide(OneLine(mask)) => [pass(LineRule::Wide(mask), false), None],
            Rules::Double(rule) => {
                [pass(LineRule::Narrow(rule.first.0), false), pass(LineRule::Narrow(rule.second.0), true)]
            }
            Rules::DoubleWide(rule) => {
                [pass(LineRule::Wide(rule.first.0), false), pass(LineRule::Wide(rule.second.0), true)]
            }
            // ((h >> 32) * blocks) >> 32 is the high half of the product with the upper bits alone.
            Rules::Split(Split { blocks }) => {
                let chosen_by = u64::MAX << 32;
                let rule = LineRule::Split;
                [Some(Pass { rule, second: false, blocks, chosen_by, line_shift: 1 }), None]
            }
            Rules::Independent(_) => [None, None],
        }
    }
}

/// Hashes between two prefetches.
const STEP: usize = 8;

/// Runs `$insert` for each hash `$h` and prefetches the lines of `$next` meanwhile, evenly spread.
/// A macro, since a closure would be compiled without the level's CPU features.
macro_rules! each_fetching {
    ($hashes:expr, $next:expr, |$h:ident| $insert:expr) => {{
        let (hashes, next): (&[u64], &[Line]) = ($hashes, $next);
        let a_step = (next.len() * STEP).div_ceil(hashes.len().max(1));
        let mut steps = next.chunks(a_step.max(1));
        for hashes in hashes.chunks(STEP) {
            for line in steps.next().unwrap_or_default() {
                fetch_line(line);
            }
            for &$h in hashes {
                $insert;
            }
        }
    }};
}

impl Pass {
    /// The hash of this pass, from a key's hash.
    #[inline(always)]
    pub(crate) fn hash(&self, h: u64) -> u64 {
        if self.second { next(h) } else { h }
    }

    /// The line of a hash of this pass. A larger hash never has an earlier line.
    #[inline(always)]
    pub(crate) fn line(&self, h: u64) -> usize {
        self.block(h) >> self.line_shift
    }

    #[inline(always)]
    fn block(&self, h: u64) -> usize {
        reduce(h & self.chosen_by, self.blocks) as usize
    }

    /// Sets the bits of hashes of this pass, which all fall on lines of `part`. Meanwhile
    /// prefetches the lines of `next`.
    #[inline(always)]
    pub(crate) fn insert(&self, part: LineSpan<'_>, hashes: &[u64], next: &[Line]) {
        let LineSpan { lines, first } = part;
        match &self.rule {
            LineRule::Narrow(rule) => {
                each_fetching!(hashes, next, |h| self.insert_mask(rule, lines, first, h))
            }
            LineRule::Wide(rule) => each_fetching!(hashes, next, |h| self.insert_mask(rule, lines, first, h)),
            LineRule::Split => each_fetching!(hashes, next, |h| {
                let block = self.block(h) - 2 * first;
                lines.split_set(block, &mask::split_mask(h));
            }),
        }
    }

    #[inline(always)]
    fn insert_mask(&self, rule: &impl LineMask, lines: &mut [Line], first: usize, h: u64) {
        let line = self.block(h) - first;
        lines.set(line, &rule.mask(h));
    }
}

//! The loops of [`super::block`] compiled once for each CPU level, and the only place that chooses one.
//!
//! A [`Kernel`] is chosen when a filter is made; from then on a call costs one function pointer, for a
//! single key or for a whole batch. Every level is the same source, so every level sets the same bits.

#![allow(unsafe_code)]

use super::Line;
use crate::probe::Rules;

/// How many keys ahead of the probe a batch fetches: enough to keep every line-fill buffer busy, few enough
/// that the lines are still in the first-level cache when their turn comes.
const AHEAD: usize = 32;

/// From this many lines (1 MiB) a batch fetches lines ahead; below, the second-level cache answers
/// sooner than the fetching costs.
const FETCH_AHEAD_FROM: usize = 1 << 14;

/// Runs `$probe` for each hash `$h` with its number `$i`, in order, and `$rule.fetch` for the hash [`AHEAD`]
/// places later where the array is so large that it pays. A macro, since a closure would be compiled without
/// the level's CPU features.
macro_rules! fetching_ahead {
    ($rule:expr, $lines:expr, $hashes:expr, |$i:ident, $h:ident| $probe:expr) => {{
        let hashes: &[u64] = $hashes;
        let ahead = $crate::bits::kernel::ahead($lines.len(), hashes.len());
        for &h in &hashes[..ahead] {
            $rule.fetch($lines, h);
        }
        for ($i, (&$h, &later)) in hashes.iter().zip(&hashes[ahead..]).enumerate() {
            if ahead > 0 {
                $rule.fetch($lines, later);
            }
            $probe;
        }
        let done = hashes.len() - ahead;
        for ($i, &$h) in (done..).zip(&hashes[done..]) {
            $probe;
        }
    }};
}
pub(crate) use fetching_ahead;

/// How many hashes of a batch are fetched before the first probe.
#[inline(always)]
pub(crate) fn ahead(lines: usize, hashes: usize) -> usize {
    if lines < FETCH_AHEAD_FROM { 0 } else { hashes.min(AHEAD) }
}

/// What a layout does with one hash. Everything here is inlined into each level's functions.
pub(crate) trait Rule: Copy {
    /// Fetches ahead what `h` will touch.
    fn fetch(&self, lines: &[Line], h: u64);
    /// Are all bits of `h` set?
    fn contains(&self, lines: &[Line], h: u64) -> bool;
    /// Sets the bits of `h`.
    fn insert(&self, lines: &mut [Line], h: u64);
    /// Sets the bits of `h` and says how many were not set before.
    fn insert_counting(&self, lines: &mut [Line], h: u64) -> u32;

    /// Answers a batch; `answers` is as long as `hashes`.
    #[inline(always)]
    fn contains_many(&self, lines: &[Line], hashes: &[u64], answers: &mut [bool]) {
        let answers = &mut answers[..hashes.len()];
        fetching_ahead!(self, lines, hashes, |i, h| answers[i] = self.contains(lines, h));
    }

    /// Inserts a batch.
    #[inline(always)]
    fn insert_many(&self, lines: &mut [Line], hashes: &[u64]) {
        fetching_ahead!(self, lines, hashes, |_i, h| self.insert(lines, h));
    }
}

/// Asks the CPU to bring a line nearer. Changes nothing that a program can see.
#[inline(always)]
pub(crate) fn fetch_line(line: &Line) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching has no effect on memory and may be given any address; SSE is part of x86-64.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>((&raw const *line).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// One CPU level's functions.
pub(crate) struct Kernel {
    name: &'static str,
    contains: unsafe fn(&Rules, &[Line], u64) -> bool,
    insert: unsafe fn(&Rules, &mut [Line], u64) -> u32,
    contains_many: unsafe fn(&Rules, &[Line], &[u64], &mut [bool]),
    insert_many: unsafe fn(&Rules, &mut [Line], &[u64]),
}

/// Compiles the loops for one level.
macro_rules! level {
    ($kernel:ident, $name:literal $(, $feature:literal)?) => {
        static $kernel: Kernel = {
            $(#[target_feature(enable = $feature)])?
            unsafe fn contains(rules: &Rules, lines: &[Line], h: u64) -> bool {
                rules.contains(lines, h)
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn insert(rules: &Rules, lines: &mut [Line], h: u64) -> u32 {
                rules.insert(lines, h)
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn contains_many(rules: &Rules, lines: &[Line], h: &[u64], answers: &mut [bool]) {
                rules.contains_many(lines, h, answers)
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn insert_many(rules: &Rules, lines: &mut [Line], h: &[u64]) {
                rules.insert_many(lines, h)
            }
            Kernel { name: $name, contains, insert, contains_many, insert_many }
        };
    };
}

level!(BASELINE, "baseline");
#[cfg(target_arch = "x86_64")]
level!(AVX2, "avx2", "avx2,bmi1,bmi2,popcnt,lzcnt");

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    #[cfg(feature = "std")]
    return std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("popcnt")
        && std::arch::is_x86_feature_detected!("lzcnt");
    #[cfg(not(feature = "std"))]
    return cfg!(all(
        target_feature = "avx2",
        target_feature = "bmi1",
        target_feature = "bmi2",
        target_feature = "popcnt",
        target_feature = "lzcnt"
    ));
}

impl Kernel {
    /// The best level this machine has.
    pub(crate) fn best() -> &'static Kernel {
        #[cfg(target_arch = "x86_64")]
        if has_avx2() {
            return &AVX2;
        }
        &BASELINE
    }

    /// Every level this machine has.
    #[cfg(test)]
    pub(crate) fn available() -> impl Iterator<Item = &'static Kernel> {
        // The best level builds on all below it; there are two.
        let best = Some(Kernel::best()).filter(|best| !core::ptr::eq(*best, &BASELINE));
        core::iter::once(&BASELINE).chain(best)
    }

    /// The level's name.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    // SAFETY of the four calls below: a `Kernel` is reached only through `best` and `available`, which
    // hand out a level only after finding its CPU features; nothing else is required of the callers.

    #[inline]
    pub(crate) fn contains(&self, rules: &Rules, lines: &[Line], h: u64) -> bool {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { (self.contains)(rules, lines, h) }
    }

    #[inline]
    pub(crate) fn insert(&self, rules: &Rules, lines: &mut [Line], h: u64) -> u32 {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { (self.insert)(rules, lines, h) }
    }

    #[inline]
    pub(crate) fn contains_many(&self, rules: &Rules, lines: &[Line], h: &[u64], answers: &mut [bool]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { (self.contains_many)(rules, lines, h, answers) }
    }

    #[inline]
    pub(crate) fn insert_many(&self, rules: &Rules, lines: &mut [Line], h: &[u64]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { (self.insert_many)(rules, lines, h) }
    }
}

#[cfg(test)]
mod tests;

//! The loops of [`super::rule`] compiled once for each CPU level, and the only place that chooses one.
//!
//! A [`Kernel`] is chosen when a filter is made, by the CPU and by the rule of its layout; from then on a call
//! costs one function pointer, for a single key or for a whole batch. Every level is the same source, so every
//! level sets the same bits.

#![allow(unsafe_code)]

#[cfg(feature = "force-cpu-level")]
use alloc::vec::Vec;

#[cfg(target_has_atomic = "64")]
use super::atomic::{AtomicLine, Atomics, NewBits};
#[cfg(feature = "parallel")]
use super::part::{Part, Pass};
use super::rule::Rule;
use super::rules::Rules;
use super::{Bits, Line};

/// Asks the CPU to bring a line nearer. Changes nothing that a program can see.
#[inline(always)]
pub(crate) fn fetch_line<T>(line: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching has no effect on memory and may be given any address; SSE is part of x86-64.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>((&raw const *line).cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; PRFM is part of every aarch64.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{}]", in(reg) &raw const *line, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = line;
}

/// One CPU level's functions for one rule.
pub(crate) struct Kernel {
    level: &'static str,
    contains: unsafe fn(&Rules, &[Line], u64) -> bool,
    contains_branching: unsafe fn(&Rules, &[Line], u64) -> bool,
    insert: unsafe fn(&Rules, &mut [Line], u64) -> u32,
    contains_many: unsafe fn(&Rules, &[Line], &[u64], &mut [bool]),
    insert_many: unsafe fn(&Rules, &mut [Line], &[u64]),
    insert_many_counting: unsafe fn(&Rules, &mut [Line], &[u64]) -> u64,
    count: unsafe fn(&[Line]) -> u64,
    #[cfg(feature = "parallel")]
    insert_part: unsafe fn(&Pass, Part<'_>, &[u64], &[Line]),
    #[cfg(target_has_atomic = "64")]
    shared: SharedKernel,
}

/// The functions for lines that threads share.
#[cfg(target_has_atomic = "64")]
struct SharedKernel {
    contains: unsafe fn(&Rules, &[AtomicLine], u64) -> bool,
    contains_branching: unsafe fn(&Rules, &[AtomicLine], u64) -> bool,
    insert: unsafe fn(&Rules, &[AtomicLine], u64) -> NewBits,
    contains_many: unsafe fn(&Rules, &[AtomicLine], &[u64], &mut [bool]),
    insert_many: unsafe fn(&Rules, &[AtomicLine], &[u64]) -> u64,
    count: unsafe fn(&[AtomicLine]) -> u64,
}

/// A level: its functions for each rule, in the order of [`Rules::index`].
type Level = [Kernel; Rules::COUNT];

/// Compiles the loops of every rule for one level.
macro_rules! level {
    ($level:ident, $name:literal $(, $features:literal)?) => {
        static $level: Level = {
            // What is the same for every rule; the passes have rules of their own.
            $(#[target_feature(enable = $features)])?
            unsafe fn count(lines: &[Line]) -> u64 {
                crate::bits::count(lines)
            }
            #[cfg(target_has_atomic = "64")]
            $(#[target_feature(enable = $features)])?
            unsafe fn shared_count(lines: &[AtomicLine]) -> u64 {
                crate::bits::atomic::count(lines)
            }
            #[cfg(feature = "parallel")]
            $(#[target_feature(enable = $features)])?
            unsafe fn insert_part(pass: &Pass, part: Part<'_>, h: &[u64], next: &[Line]) {
                pass.insert(part, h, next)
            }
            [
                level!(@rule Line, $name $(, $features)?),
                level!(@rule LineWide, $name $(, $features)?),
                level!(@rule Double, $name $(, $features)?),
                level!(@rule DoubleWide, $name $(, $features)?),
                level!(@rule Split, $name $(, $features)?),
                level!(@rule Independent, $name $(, $features)?),
            ]
        };
    };
    (@rule $rule:ident, $name:literal $(, $features:literal)?) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn contains(rules: &Rules, lines: &[Line], h: u64) -> bool {
            level!(@of $rule, rules).contains(lines, h)
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn contains_branching(rules: &Rules, lines: &[Line], h: u64) -> bool {
            level!(@of $rule, rules).contains_branching(lines, h)
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn insert(rules: &Rules, lines: &mut [Line], h: u64) -> u32 {
            level!(@of $rule, rules).insert_counting(lines, h)
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn contains_many(rules: &Rules, lines: &[Line], h: &[u64], answers: &mut [bool]) {
            level!(@of $rule, rules).contains_many(lines, h, answers)
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn insert_many(rules: &Rules, lines: &mut [Line], h: &[u64]) {
            level!(@of $rule, rules).insert_many(lines, h)
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn insert_many_counting(rules: &Rules, lines: &mut [Line], h: &[u64]) -> u64 {
            level!(@of $rule, rules).insert_many_counting(lines, h)
        }
        #[cfg(target_has_atomic = "64")]
        let shared = level!(@shared $rule $(, $features)?);
        Kernel {
            level: $name,
            contains,
            contains_branching,
            insert,
            contains_many,
            insert_many,
            insert_many_counting,
            count,
            #[cfg(feature = "parallel")]
            insert_part,
            #[cfg(target_has_atomic = "64")]
            shared,
        }
    }};
    (@shared $rule:ident $(, $features:literal)?) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn contains(rules: &Rules, lines: &[AtomicLine], h: u64) -> bool {
            level!(@of $rule, rules).contains(&Atomics::new(lines), h)
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn contains_branching(rules: &Rules, lines: &[AtomicLine], h: u64) -> bool {
            level!(@of $rule, rules).contains_branching(&Atomics::new(lines), h)
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn insert(rules: &Rules, lines: &[AtomicLine], h: u64) -> NewBits {
            let mut lines = Atomics::new(lines);
            let found = level!(@of $rule, rules).insert_counting(&mut lines, h);
            NewBits { found, sampled: lines.sampled() as u32 }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn contains_many(rules: &Rules, lines: &[AtomicLine], h: &[u64], answers: &mut [bool]) {
            level!(@of $rule, rules).contains_many(&Atomics::new(lines), h, answers)
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn insert_many(rules: &Rules, lines: &[AtomicLine], h: &[u64]) -> u64 {
            let mut lines = Atomics::new(lines);
            level!(@of $rule, rules).insert_many(&mut lines, h);
            lines.sampled()
        }
        SharedKernel { contains, contains_branching, insert, contains_many, insert_many, count: shared_count }
    }};
    (@of $rule:ident, $rules:ident) => {
        match $rules {
            Rules::$rule(rule) => rule,
            other => other.is_not_of_this_kernel(),
        }
    };
}

// Every aarch64 CPU has NEON: there, the baseline is that level.
#[cfg(not(target_arch = "aarch64"))]
level!(BASELINE, "baseline");
#[cfg(target_arch = "aarch64")]
level!(BASELINE, "neon");
#[cfg(target_arch = "x86_64")]
level!(AVX2, "avx2", "avx2,bmi1,bmi2,popcnt,lzcnt");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
level!(AVX512, "avx512", "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt,lzcnt");

/// Whether the machine has all of these CPU features: found at run time with `std`, else as compiled.
#[cfg(target_arch = "x86_64")]
macro_rules! has {
    ($($feature:tt),*) => {{
        #[cfg(feature = "std")]
        let has = $(std::arch::is_x86_feature_detected!($feature))&&*;
        #[cfg(not(feature = "std"))]
        let has = cfg!(all($(target_feature = $feature),*));
        has
    }};
}

/// The levels that this machine has, the best one first.
fn available() -> impl Iterator<Item = &'static Level> {
    #[cfg(target_arch = "x86_64")]
    let avx2 = has!("avx2", "bmi1", "bmi2", "popcnt", "lzcnt");
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    let avx512 = avx2 && has!("avx512f", "avx512bw", "avx512dq", "avx512vl");
    [
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        avx512.then_some(&AVX512),
        #[cfg(target_arch = "x86_64")]
        avx2.then_some(&AVX2),
        Some(&BASELINE),
    ]
    .into_iter()
    .flatten()
}

/// The level to use: the best one, or the one that `TEPAL_CPU_LEVEL` names.
fn chosen() -> &'static Level {
    #[cfg(feature = "force-cpu-level")]
    if let Ok(name) = std::env::var("TEPAL_CPU_LEVEL") {
        return forced(&name);
    }
    available().next().unwrap_or(&BASELINE)
}

/// The level of this name; a panic where the machine does not have it.
#[cfg(feature = "force-cpu-level")]
fn forced(name: &str) -> &'static Level {
    let names = || available().map(|level| level[0].level).collect::<Vec<_>>().join(", ");
    available()
        .find(|level| level[0].level == name)
        .unwrap_or_else(|| panic!("TEPAL_CPU_LEVEL={name}: expected one of {}", names()))
}

impl Kernel {
    /// The best level's functions for these rules.
    pub(crate) fn best(rules: &Rules) -> &'static Kernel {
        &chosen()[rules.index()]
    }

    /// Every level's functions for these rules.
    #[cfg(test)]
    pub(crate) fn available(rules: &Rules) -> impl Iterator<Item = &'static Kernel> {
        available().map(|level| &level[rules.index()])
    }

    /// The level's name.
    pub(crate) fn level(&self) -> &'static str {
        self.level
    }

    // SAFETY of the calls below: a `Kernel` is reached only through `best` and `available`, which hand out
    // a level only after finding its CPU features; nothing else is required of the callers.

    /// Are all bits of `h` set?
    #[inline]
    pub(crate) fn contains(&self, rules: &Rules, bits: Bits<'_>, h: u64) -> bool {
        match bits {
            // SAFETY: the CPU has the level's features, see above.
            Bits::Plain(lines) => unsafe { (self.contains)(rules, lines, h) },
            #[cfg(target_has_atomic = "64")]
            // SAFETY: the CPU has the level's features, see above.
            Bits::Shared(lines) => unsafe { (self.shared.contains)(rules, lines, h) },
        }
    }

    /// [`contains`](Self::contains) whose answer is a branch.
    #[inline]
    pub(crate) fn contains_branching(&self, rules: &Rules, bits: Bits<'_>, h: u64) -> bool {
        match bits {
            // SAFETY: the CPU has the level's features, see above.
            Bits::Plain(lines) => unsafe { (self.contains_branching)(rules, lines, h) },
            #[cfg(target_has_atomic = "64")]
            // SAFETY: the CPU has the level's features, see above.
            Bits::Shared(lines) => unsafe { (self.shared.contains_branching)(rules, lines, h) },
        }
    }

    /// Answers a batch; `answers` is as long as `h`.
    #[inline]
    pub(crate) fn contains_many(&self, rules: &Rules, bits: Bits<'_>, h: &[u64], answers: &mut [bool]) {
        match bits {
            // SAFETY: the CPU has the level's features, see above.
            Bits::Plain(lines) => unsafe { (self.contains_many)(rules, lines, h, answers) },
            #[cfg(target_has_atomic = "64")]
            // SAFETY: the CPU has the level's features, see above.
            Bits::Shared(lines) => unsafe { (self.shared.contains_many)(rules, lines, h, answers) },
        }
    }

    /// How many bits are set.
    pub(crate) fn count(&self, bits: Bits<'_>) -> u64 {
        match bits {
            // SAFETY: the CPU has the level's features, see above.
            Bits::Plain(lines) => unsafe { (self.count)(lines) },
            #[cfg(target_has_atomic = "64")]
            // SAFETY: the CPU has the level's features, see above.
            Bits::Shared(lines) => unsafe { (self.shared.count)(lines) },
        }
    }

    #[inline]
    pub(crate) fn insert(&self, rules: &Rules, lines: &mut [Line], h: u64) -> u32 {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { (self.insert)(rules, lines, h) }
    }

    #[inline]
    pub(crate) fn insert_many(&self, rules: &Rules, lines: &mut [Line], h: &[u64]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { (self.insert_many)(rules, lines, h) }
    }

    #[inline]
    pub(crate) fn insert_many_counting(&self, rules: &Rules, lines: &mut [Line], h: &[u64]) -> u64 {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { (self.insert_many_counting)(rules, lines, h) }
    }

    /// [`Pass::insert`].
    #[cfg(feature = "parallel")]
    #[inline]
    pub(crate) fn insert_part(&self, pass: &Pass, part: Part<'_>, h: &[u64], next: &[Line]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { (self.insert_part)(pass, part, h, next) }
    }
}

/// As above, for lines that threads share.
#[cfg(target_has_atomic = "64")]
impl Kernel {
    #[inline]
    pub(crate) fn shared_insert(&self, rules: &Rules, lines: &[AtomicLine], h: u64) -> NewBits {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { (self.shared.insert)(rules, lines, h) }
    }

    /// Says how many bits it set in the sample.
    #[inline]
    pub(crate) fn shared_insert_many(&self, rules: &Rules, lines: &[AtomicLine], h: &[u64]) -> u64 {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { (self.shared.insert_many)(rules, lines, h) }
    }
}

#[cfg(test)]
mod tests;

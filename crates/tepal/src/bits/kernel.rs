//! The loops of [`super::rule`], compiled once for each CPU level. Only this file chooses a level.
//!
//! A [`Kernel`] is chosen when a filter is made, by the CPU and by the rule of the filter's layout.
//! Then a call is one call through a function pointer, for a single key or a whole batch. All
//! levels are compiled from one source, so they set the same bits.

#![allow(unsafe_code)]

#[cfg(all(any(test, tepal_levels), feature = "std"))]
use alloc::vec::Vec;

#[cfg(target_has_atomic = "64")]
use super::atomic::{AtomicLine, Atomics, NewBits};
#[cfg(feature = "parallel")]
use super::part::{LineSpan, Pass};
use super::rule::Rule;
use super::rules::Rules;
use super::{Bits, Line};
use inside::{Inside, InsideMut};

/// A function for each level and each rule, in the order of [`NAMES`] and [`Rules::index`]. Each
/// call has its own table, so that a program contains only the loops it uses: a program that only
/// looks up keys has no loop that changes bits. The lines are the first parameter and the rules the
/// last one. Then the compiler passes the hash in the register that x86-64 multiplies from.
type Table<F> = [[F; Rules::COUNT]; NAMES.len()];

/// The levels, the best one last. Every aarch64 CPU has NEON, which is the baseline there.
const NAMES: &[&str] = &[
    #[cfg(not(target_arch = "aarch64"))]
    "baseline",
    #[cfg(target_arch = "aarch64")]
    "neon",
    #[cfg(target_arch = "x86_64")]
    "avx2",
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    "avx512",
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    "avx512-vpopcnt",
];

/// Compiles a loop for every level, and for every rule if the loop depends on the rule.
macro_rules! table {
    // With `$one_by_one`, x86-64 without AVX2 uses that function instead of a loop of its own. The
    // scattered layout gains nothing from AVX-512 and uses the loops of AVX2.
    ($name:ident: fn($($arg:ident: $type:ty),*) $(-> $out:ty)? = |$rule:ident| $body:expr $(, else $one_by_one:ident)?) => {
        pub(super) static $name: Table<unsafe fn($($type,)* &Rules) $(-> $out)?> = {
            #[cfg(target_arch = "x86_64")]
            const AVX2: [unsafe fn($($type,)* &Rules) $(-> $out)?; Rules::COUNT] =
                table!(@rules ["avx2,bmi1,bmi2,popcnt,lzcnt"] [] $rule ($($arg: $type),*) ($(-> $out)?) $body);
            [
                table!(@baseline [$($one_by_one)?] $rule ($($arg: $type),*) ($(-> $out)?) $body),
                #[cfg(target_arch = "x86_64")]
                AVX2,
                #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
                table!(@rules ["avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt,lzcnt"]
                    [AVX2] $rule ($($arg: $type),*) ($(-> $out)?) $body),
                #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
                table!(@rules ["avx512vpopcntdq,avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt,lzcnt"]
                    [AVX2] $rule ($($arg: $type),*) ($(-> $out)?) $body),
            ]
        };
    };
    // A loop to which each level passes its type for this name.
    ($name:ident: fn($($arg:ident: $type:ty),*) $(-> $out:ty)? = |$parities:ident: Parities| $body:expr) => {
        pub(super) static $name: [unsafe fn($($type),*) $(-> $out)?; NAMES.len()] =
            table!(@levels with $parities ($($arg: $type),*) ($(-> $out)?) $body);
    };
    ($name:ident: fn($($arg:ident: $type:ty),*) $(-> $out:ty)? = $body:expr) => {
        pub(super) static $name: [unsafe fn($($type),*) $(-> $out)?; NAMES.len()] =
            table!(@levels one none ($($arg: $type),*) ($(-> $out)?) $body);
    };
    (@levels $kind:ident $($call:tt)*) => {
        [
            table!(@$kind [] Plain $($call)*),
            #[cfg(target_arch = "x86_64")]
            table!(@$kind ["avx2,bmi1,bmi2,popcnt,lzcnt"] Avx2 $($call)*),
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            table!(@$kind ["avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt,lzcnt"] Avx2 $($call)*),
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            table!(@$kind ["avx512vpopcntdq,avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt,lzcnt"] Counting $($call)*),
        ]
    };
    (@with [$($features:literal)?] $of:ident $parities:ident ($($arg:ident: $type:ty),*) ($($out:tt)*) $body:expr) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn call($($arg: $type),*) $($out)* {
            type $parities = crate::bits::parities::$of;
            $body
        }
        call
    }};
    (@baseline [] $($call:tt)*) => { table!(@rules [] [] $($call)*) };
    (@baseline [$one_by_one:ident] $($call:tt)*) => {{
        #[cfg(target_arch = "x86_64")]
        {
            [$one_by_one; Rules::COUNT]
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            table!(@rules [] [] $($call)*)
        }
    }};
    (@rules $features:tt $shared:tt $($call:tt)*) => {
        [
            table!(@rule Line $features $($call)*),
            table!(@rule LineWide $features $($call)*),
            table!(@rule Double $features $($call)*),
            table!(@rule DoubleWide $features $($call)*),
            table!(@rule Split $features $($call)*),
            table!(@scattered $shared $features $($call)*),
        ]
    };
    (@scattered [] $($call:tt)*) => { table!(@rule Independent $($call)*) };
    (@scattered [$shared:ident] $($call:tt)*) => { $shared[Rules::COUNT - 1] };
    (@rule $of:ident [$($features:literal)?] $rule:ident ($($arg:ident: $type:ty),*) ($($out:tt)*) $body:expr) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn call($($arg: $type,)* rules: &Rules) $($out)* {
            match rules {
                Rules::$of($rule) => $body,
                // SAFETY: a `Kernel` chose its place in the table by its rules, so it calls only
                // their functions.
                _ => unsafe { core::hint::unreachable_unchecked() },
            }
        }
        call
    }};
    (@one [$($features:literal)?] $of:ident none ($($arg:ident: $type:ty),*) ($($out:tt)*) $body:expr) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn call($($arg: $type),*) $($out)* {
            $body
        }
        call
    }};
}

table!(CONTAINS: fn(lines: Inside<'_>, h: u64) -> bool = |rule| rule.contains(&lines, h));
table!(CONTAINS_BRANCHING: fn(lines: Inside<'_>, h: u64) -> bool = |rule| rule.contains_branching(&lines, h));
table!(CONTAINS_MANY: fn(lines: &[Line], h: &[u64], answers: &mut [bool]) =
    |rule| rule.contains_many(lines, h, answers), else contains_one_by_one);
table!(INSERT: fn(lines: InsideMut<'_>, h: u64) -> u32 = |rule| rule.insert_counting(&mut { lines }, h));
table!(INSERT_NOTING: fn(lines: InsideMut<'_>, h: u64) -> bool = |rule| rule.insert_noting(&mut { lines }, h));
table!(INSERT_MANY: fn(lines: &mut [Line], h: &[u64]) = |rule| rule.insert_many(lines, h));
#[cfg(any(feature = "foreign", feature = "extras"))]
table!(INSERT_MANY_NOTING: fn(lines: &mut [Line], h: &[u64], is_new: &mut [bool]) =
    |rule| rule.insert_many_noting(lines, h, is_new));
table!(COUNT: fn(lines: &[Line]) -> u64 = crate::bits::count(lines));
table!(MOST_SET: fn(lines: &[Line], every: usize, in_halves: bool) -> u32 =
    crate::bits::most_set(lines.iter().copied(), every, in_halves));
table!(HASH_INTEGERS: fn(secret: u64, integers: &[u64], hashes: &mut [u64]) =
    crate::bits::mix::mix_integers(secret, integers, hashes));
// The passes have their own rules.
#[cfg(feature = "parallel")]
table!(INSERT_PART: fn(pass: &Pass, part: LineSpan<'_>, h: &[u64], next: &[Line]) = pass.insert(part, h, next));

/// Looks up a batch at x86-64's baseline.
#[cfg(target_arch = "x86_64")]
unsafe fn contains_one_by_one(lines: &[Line], h: &[u64], answers: &mut [bool], rules: &Rules) {
    let (contains, lines) = (CONTAINS[0][rules.index()], Inside::new(lines, rules.least_lines()));
    // SAFETY: the baseline needs no feature of the CPU.
    h.iter().zip(answers).for_each(|(h, answer)| *answer = unsafe { contains(lines, *h, rules) });
}

/// The tables for shared lines.
#[cfg(target_has_atomic = "64")]
mod shared {
    use super::*;

    table!(CONTAINS: fn(lines: &[AtomicLine], h: u64) -> bool = |rule| rule.contains(&Atomics::new(lines), h));
    table!(CONTAINS_BRANCHING: fn(lines: &[AtomicLine], h: u64) -> bool =
        |rule| rule.contains_branching(&Atomics::new(lines), h));
    table!(CONTAINS_MANY: fn(lines: &[AtomicLine], h: &[u64], answers: &mut [bool]) =
        |rule| rule.contains_many(&Atomics::new(lines), h, answers), else contains_one_by_one);
    table!(INSERT: fn(lines: &[AtomicLine], h: u64) -> NewBits = |rule| {
        let mut lines = Atomics::new(lines);
        let found = rule.insert_counting(&mut lines, h);
        NewBits { found, sampled: lines.sampled() as u32 }
    });
    table!(INSERT_MANY: fn(lines: &[AtomicLine], h: &[u64]) -> u64 = |rule| {
        let mut lines = Atomics::new(lines);
        rule.insert_many(&mut lines, h);
        lines.sampled()
    });
    table!(COUNT: fn(lines: &[AtomicLine]) -> u64 = crate::bits::atomic::count(lines));
    table!(MOST_SET: fn(lines: &[AtomicLine], every: usize, in_halves: bool) -> u32 =
        crate::bits::most_set(lines.iter().map(AtomicLine::load), every, in_halves));

    /// Looks up a batch at x86-64's baseline.
    #[cfg(target_arch = "x86_64")]
    unsafe fn contains_one_by_one(lines: &[AtomicLine], h: &[u64], answers: &mut [bool], rules: &Rules) {
        let contains = CONTAINS[0][rules.index()];
        // SAFETY: the baseline needs no feature of the CPU.
        h.iter().zip(answers).for_each(|(h, answer)| *answer = unsafe { contains(lines, *h, rules) });
    }
}

mod inside;
#[cfg(feature = "table")]
mod numbers;
#[cfg(feature = "table")]
pub(crate) use numbers::TableKernel;
#[cfg(feature = "static")]
mod ribbons;
#[cfg(feature = "static")]
pub(crate) use ribbons::{Filled, MapKernel, RibbonKernel, RibbonMaker};

/// Does the machine have all of these CPU features? Found at run time with `std`, otherwise at
/// compile time.
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

/// The levels of this machine, as indices into [`NAMES`], the best one first.
fn available() -> impl Iterator<Item = usize> {
    #[cfg(target_arch = "x86_64")]
    let avx2 = has!("avx2", "bmi1", "bmi2", "popcnt", "lzcnt");
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    let avx512 = avx2 && has!("avx512f", "avx512bw", "avx512dq", "avx512vl");
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    let counting = avx512 && has!("avx512vpopcntdq");
    [
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        counting.then_some(3),
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        avx512.then_some(2),
        #[cfg(target_arch = "x86_64")]
        avx2.then_some(1),
        Some(0),
    ]
    .into_iter()
    .flatten()
}

/// The level to use: the best one, or the one named by `TEPAL_CPU_LEVEL`.
fn chosen() -> usize {
    #[cfg(all(any(test, tepal_levels), feature = "std"))]
    if let Ok(name) = std::env::var("TEPAL_CPU_LEVEL") {
        return forced(&name);
    }
    available().next().unwrap_or(0)
}

/// The number of set bits, counted by the best level's loop.
pub(crate) fn count(lines: &[Line]) -> u64 {
    // SAFETY: `chosen` gives a level only after finding its CPU features.
    unsafe { COUNT[chosen()](lines) }
}

/// The level of this name; panics if the machine does not have it.
#[cfg(all(any(test, tepal_levels), feature = "std"))]
fn forced(name: &str) -> usize {
    let names = || available().map(|level| NAMES[level]).collect::<Vec<_>>().join(", ");
    available()
        .find(|level| NAMES[*level] == name)
        .unwrap_or_else(|| panic!("TEPAL_CPU_LEVEL={name}: expected one of {}", names()))
}

/// The functions of one CPU level for one rule, and the rule.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Kernel {
    /// The rule's function in [`CONTAINS`]: a single lookup calls it directly.
    contains: unsafe fn(Inside<'_>, u64, &Rules) -> bool,
    /// The index of the other functions in every [`Table`].
    place: usize,
    rules: Rules,
    /// [`Rules::least_lines`].
    least_lines: usize,
}

impl Kernel {
    fn new(level: usize, rules: &Rules) -> Self {
        let (rule, least_lines) = (rules.index(), rules.least_lines());
        let place = level * Rules::COUNT + rule;
        Kernel { contains: CONTAINS[level][rule], place, rules: *rules, least_lines }
    }

    /// The best level's functions for these rules.
    pub(crate) fn best(rules: &Rules) -> Self {
        Kernel::new(chosen(), rules)
    }

    /// Every level's functions for these rules.
    #[cfg(test)]
    pub(crate) fn available(rules: &Rules) -> impl Iterator<Item = Self> {
        available().map(|level| Kernel::new(level, rules))
    }

    /// The rules for which the kernel was chosen.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The level's name.
    pub(crate) fn level(&self) -> &'static str {
        NAMES[self.place / Rules::COUNT]
    }

    /// The kernel's function in this table.
    #[inline(always)]
    fn of<F: Copy>(&self, table: &Table<F>) -> F {
        // SAFETY: `new` gets only levels that exist, and a rule's index is below `COUNT`.
        unsafe { *table.as_flattened().get_unchecked(self.place) }
    }

    /// The kernel's function in a table that does not depend on rules.
    #[inline(always)]
    fn of_level<F: Copy>(&self, table: &[F; NAMES.len()]) -> F {
        table[self.place / Rules::COUNT]
    }

    // SAFETY of the calls below: a `Kernel` comes only from `best` and `available`, which return a
    // level only after finding its CPU features. The callers have nothing else to ensure.

    /// Are all bits of `h` set?
    // Always inlined: a program without shared lines then does not link the code for them.
    #[inline(always)]
    pub(crate) fn contains(&self, bits: Bits<'_>, h: u64) -> bool {
        match bits {
            // SAFETY: the CPU has the level's features, see above.
            Bits::Plain(lines) => unsafe {
                (self.contains)(Inside::new(lines, self.least_lines), h, &self.rules)
            },
            #[cfg(target_has_atomic = "64")]
            // SAFETY: the CPU has the level's features, see above.
            Bits::Shared(lines) => unsafe { self.of(&shared::CONTAINS)(lines, h, &self.rules) },
        }
    }

    /// [`contains`](Self::contains) with a branch on the answer.
    #[inline]
    pub(crate) fn contains_branching(&self, bits: Bits<'_>, h: u64) -> bool {
        match bits {
            // SAFETY: the CPU has the level's features, see above.
            Bits::Plain(lines) => unsafe {
                self.of(&CONTAINS_BRANCHING)(Inside::new(lines, self.least_lines), h, &self.rules)
            },
            #[cfg(target_has_atomic = "64")]
            // SAFETY: the CPU has the level's features, see above.
            Bits::Shared(lines) => unsafe { self.of(&shared::CONTAINS_BRANCHING)(lines, h, &self.rules) },
        }
    }

    /// Looks up a batch; `answers` is as long as `h`.
    #[inline]
    pub(crate) fn contains_many(&self, bits: Bits<'_>, h: &[u64], answers: &mut [bool]) {
        match bits {
            // SAFETY: the CPU has the level's features, see above.
            Bits::Plain(lines) => unsafe { self.of(&CONTAINS_MANY)(lines, h, answers, &self.rules) },
            #[cfg(target_has_atomic = "64")]
            // SAFETY: the CPU has the level's features, see above.
            Bits::Shared(lines) => unsafe { self.of(&shared::CONTAINS_MANY)(lines, h, answers, &self.rules) },
        }
    }

    /// The number of set bits.
    pub(crate) fn count(&self, bits: Bits<'_>) -> u64 {
        match bits {
            // SAFETY: the CPU has the level's features, see above.
            Bits::Plain(lines) => unsafe { self.of_level(&COUNT)(lines) },
            #[cfg(target_has_atomic = "64")]
            // SAFETY: the CPU has the level's features, see above.
            Bits::Shared(lines) => unsafe { self.of_level(&shared::COUNT)(lines) },
        }
    }

    /// The largest number of set bits in a line, or with `in_halves` in half a line. Reads one line
    /// in `every`.
    pub(crate) fn most_set(&self, bits: Bits<'_>, every: usize, in_halves: bool) -> u32 {
        match bits {
            // SAFETY: the CPU has the level's features, see above.
            Bits::Plain(lines) => unsafe { self.of_level(&MOST_SET)(lines, every, in_halves) },
            #[cfg(target_has_atomic = "64")]
            // SAFETY: the CPU has the level's features, see above.
            Bits::Shared(lines) => unsafe { self.of_level(&shared::MOST_SET)(lines, every, in_halves) },
        }
    }

    /// Inserts a hash. Returns the number of bits that were not set before.
    #[inline]
    pub(crate) fn insert(&self, lines: &mut [Line], h: u64) -> u32 {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { self.of(&INSERT)(InsideMut::new(lines, self.least_lines), h, &self.rules) }
    }

    /// Inserts a hash. Returns only whether a bit was not set before, which is less work than the
    /// count of [`insert`](Self::insert).
    #[inline]
    pub(crate) fn insert_noting(&self, lines: &mut [Line], h: u64) -> bool {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { self.of(&INSERT_NOTING)(InsideMut::new(lines, self.least_lines), h, &self.rules) }
    }

    /// Inserts a batch.
    #[inline]
    pub(crate) fn insert_many(&self, lines: &mut [Line], h: &[u64]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { self.of(&INSERT_MANY)(lines, h, &self.rules) }
    }

    /// Inserts a batch. Writes into `is_new`, for each hash, whether a bit was not set before;
    /// `is_new` is as long as `h`.
    #[cfg(any(feature = "foreign", feature = "extras"))]
    #[inline]
    pub(crate) fn insert_many_noting(&self, lines: &mut [Line], h: &[u64], is_new: &mut [bool]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { self.of(&INSERT_MANY_NOTING)(lines, h, is_new, &self.rules) }
    }

    /// Inserts a batch, one hash after the other. Returns the number of bits that were not set
    /// before. Used only near a filter's limit, so it has no loop of its own.
    pub(crate) fn insert_many_counting(&self, lines: &mut [Line], h: &[u64]) -> u64 {
        let insert = self.of(&INSERT);
        // SAFETY: the CPU has the level's features, see above.
        h.iter()
            .map(|h| u64::from(unsafe { insert(InsideMut::new(lines, self.least_lines), *h, &self.rules) }))
            .sum()
    }

    /// [`Pass::insert`].
    #[cfg(feature = "parallel")]
    #[inline]
    pub(crate) fn insert_part(&self, pass: &Pass, part: LineSpan<'_>, h: &[u64], next: &[Line]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { self.of_level(&INSERT_PART)(pass, part, h, next) }
    }
}

/// Hashes integers in the best level's vectors ([`mix_integer`](super::mix::mix_integer)); `hashes`
/// is as long as `integers`.
#[inline]
pub(crate) fn hash_integers(secret: u64, integers: &[u64], hashes: &mut [u64]) {
    // SAFETY: `chosen` returns a level only after finding its CPU features.
    unsafe { HASH_INTEGERS[chosen()](secret, integers, hashes) }
}

/// The inserts into shared lines.
#[cfg(target_has_atomic = "64")]
impl Kernel {
    /// Inserts a hash into shared lines.
    #[inline]
    pub(crate) fn shared_insert(&self, lines: &[AtomicLine], h: u64) -> NewBits {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { self.of(&shared::INSERT)(lines, h, &self.rules) }
    }

    /// Inserts a batch into shared lines. Returns the number of bits that it set in the sample.
    #[inline]
    pub(crate) fn shared_insert_many(&self, lines: &[AtomicLine], h: &[u64]) -> u64 {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { self.of(&shared::INSERT_MANY)(lines, h, &self.rules) }
    }
}

#[cfg(test)]
mod tests;

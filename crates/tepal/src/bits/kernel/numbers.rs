//! The functions of [`super::super::table`], compiled once for each CPU level. They do not depend
//! on rules.

use super::*;
use crate::bits::table;
use crate::bits::table::change::{self, Added, Copies, Scratch, Wanted};
use crate::bits::table::line::ByArithmetic;
#[cfg(target_arch = "x86_64")]
use crate::bits::table::line::Select;
use crate::bits::table::packing::Packing;
use crate::bits::table::relay::Relay;
use crate::bits::table::stream::NoRoom;

/// Finds a place in a word by the instruction `pdep`.
#[cfg(target_arch = "x86_64")]
struct ByDeposit;

#[cfg(target_arch = "x86_64")]
impl Select for ByDeposit {
    #[inline(always)]
    fn select(word: u64, rank: u32) -> u32 {
        // SAFETY: the CPU has BMI2: only functions of levels with BMI2 name this type, and it is
        // private.
        unsafe { core::arch::x86_64::_pdep_u64(1u64.checked_shl(rank).unwrap_or(0), word) }.trailing_zeros()
    }
}

/// The number of levels at which these functions differ; they gain nothing from AVX-512.
const LEVELS: usize = if cfg!(target_arch = "x86_64") { 2 } else { 1 };

/// Compiles a function for each of the [`LEVELS`], with the type that finds places in a word.
macro_rules! by_level {
    ($name:ident: fn($($arg:ident: $type:ty),*) $(-> $out:ty)? = |$select:ident| $body:expr) => {
        static $name: [unsafe fn($($type),*) $(-> $out)?; LEVELS] = [
            by_level!([] ByArithmetic $select ($($arg: $type),*) ($(-> $out)?) $body),
            #[cfg(target_arch = "x86_64")]
            by_level!(["avx2,bmi1,bmi2,popcnt,lzcnt"] ByDeposit $select ($($arg: $type),*) ($(-> $out)?) $body),
        ];
    };
    ([$($features:literal)?] $by:ident $select:ident ($($arg:ident: $type:ty),*) ($($out:tt)*) $body:expr) => {{
        type $select = $by;
        $(#[target_feature(enable = $features)])?
        unsafe fn call($($arg: $type),*) $($out)* {
            $body
        }
        call
    }};
}

by_level!(CONTAINS: fn(packing: &Packing, lines: &[Line], h: u64) -> bool =
    |S| table::contains::<S>(packing, lines, h));
by_level!(CONTAINS_MANY: fn(packing: &Packing, lines: &[Line], h: &[u64], answers: &mut [bool]) =
    |S| table::contains_many::<S>(packing, lines, h, answers));
by_level!(COPIES: fn(packing: &Packing, lines: &[Line], number: u64) -> Copies =
    |S| change::copies::<S>(packing, lines, number));
by_level!(ADD: fn(packing: &Packing, lines: &mut [Line], number: u64, wanted: Wanted, scratch: &mut Scratch) -> Added =
    |S| change::add::<S>(packing, lines, number, wanted, scratch));
by_level!(INSERT: fn(packing: &Packing, lines: &mut [Line], number: u64, tag: u64, scratch: &mut Scratch)
    -> Result<(), NoRoom> = |S| change::insert::<S>(packing, lines, number, tag, scratch));
by_level!(REMOVE: fn(packing: &Packing, lines: &mut [Line], number: u64, tag: u64, scratch: &mut Scratch) =
    |S| change::remove::<S>(packing, lines, number, tag, scratch));
by_level!(RELAY: fn(relay: &mut Relay, from: &Packing, old: &[Line], to: &Packing, new: &mut [Line])
    -> Result<(), NoRoom> = |_S| relay.write(from, old, to, new));

/// Does the CPU take hundreds of cycles for the instruction of [`ByDeposit`]? The answer is stored,
/// because in a virtual machine the query takes some 50 microseconds.
#[cfg(target_arch = "x86_64")]
fn deposits_slowly() -> bool {
    use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
    /// 0: not known yet; 1: no; 2: yes.
    static ANSWER: AtomicU8 = AtomicU8::new(0);
    match ANSWER.load(Relaxed) {
        0 => {
            let answer = is_old_amd();
            ANSWER.store(1 + u8::from(answer), Relaxed);
            answer
        }
        answer => answer == 2,
    }
}

/// Is this a CPU of AMD before Zen 3, on which the instruction is slow (AMD's optimization guide
/// for family 17h, instruction latencies)?
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)] // Newer compilers know that it is safe.
fn is_old_amd() -> bool {
    use core::arch::x86_64::__cpuid;
    // SAFETY: every x86-64 has this instruction, and it changes nothing.
    let (vendor, signature) = unsafe { (__cpuid(0), __cpuid(1).eax) };
    let name = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    let is_amd = matches!(name.as_flattened(), b"AuthenticAMD" | b"HygonGenuine");
    let family = match signature >> 8 & 0xF {
        0xF => 0xF + (signature >> 20 & 0xFF),
        family => family,
    };
    is_amd && family < 0x19
}

#[cfg(not(target_arch = "x86_64"))]
const fn deposits_slowly() -> bool {
    false
}

/// The functions of one CPU level for tables of numbers.
#[derive(Clone, Copy)]
pub(crate) struct TableKernel(usize);

impl TableKernel {
    /// The best level's functions; on a CPU with a slow `pdep`, the functions without it.
    pub(crate) fn best() -> Self {
        #[cfg(all(any(test, tepal_levels), feature = "std"))]
        if std::env::var_os("TEPAL_CPU_LEVEL").is_some() {
            return TableKernel::at(chosen());
        }
        TableKernel::at(if deposits_slowly() { 0 } else { chosen() })
    }

    /// Every level's functions.
    #[cfg(test)]
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        available().filter(|level| *level < LEVELS).map(TableKernel::at)
    }

    fn at(level: usize) -> Self {
        TableKernel(level.min(LEVELS - 1))
    }

    // SAFETY of the calls below: a `TableKernel` comes only from `best` and `available`, which
    // return a level only after finding its CPU features. The callers have nothing else to ensure.

    /// Is the number of this hash in the table?
    #[inline]
    pub(crate) fn contains(self, packing: &Packing, lines: &[Line], h: u64) -> bool {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { CONTAINS[self.0](packing, lines, h) }
    }

    /// Looks up a batch; `answers` is as long as `h`.
    #[inline]
    pub(crate) fn contains_many(self, packing: &Packing, lines: &[Line], h: &[u64], answers: &mut [bool]) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { CONTAINS_MANY[self.0](packing, lines, h, answers) }
    }

    /// The slots of a number.
    #[inline]
    pub(crate) fn copies(self, packing: &Packing, lines: &[Line], number: u64) -> Copies {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { COPIES[self.0](packing, lines, number) }
    }

    /// Inserts a number into a table without tags by the fast path, if it is possible.
    #[inline]
    pub(crate) fn add(
        self,
        packing: &Packing,
        lines: &mut [Line],
        number: u64,
        wanted: Wanted,
        scratch: &mut Scratch,
    ) -> Added {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { ADD[self.0](packing, lines, number, wanted, scratch) }
    }

    /// Inserts an entry, or leaves the table unchanged.
    #[inline]
    pub(crate) fn insert(
        self,
        packing: &Packing,
        lines: &mut [Line],
        number: u64,
        tag: u64,
        scratch: &mut Scratch,
    ) -> Result<(), NoRoom> {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { INSERT[self.0](packing, lines, number, tag, scratch) }
    }

    /// Removes an entry that is in the table.
    #[inline]
    pub(crate) fn remove(
        self,
        packing: &Packing,
        lines: &mut [Line],
        number: u64,
        tag: u64,
        scratch: &mut Scratch,
    ) {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { REMOVE[self.0](packing, lines, number, tag, scratch) }
    }

    /// Writes the next lines of a table with another packing.
    pub(crate) fn relay(
        self,
        relay: &mut Relay,
        from: &Packing,
        old: &[Line],
        to: &Packing,
        new: &mut [Line],
    ) -> Result<(), NoRoom> {
        // SAFETY: the CPU has the level's features, see above.
        unsafe { RELAY[self.0](relay, from, old, to, new) }
    }
}

/// For tables whose tags record the time of an entry.
mod tagged {
    use super::*;
    use crate::bits::table::packing::Packing;
    use crate::bits::table::tagged::{self, Recent};

    by_level!(TAG_OF: fn(packing: &Packing, lines: &[Line], number: u64) -> Option<u64> =
        |S| tagged::tag_of::<S>(packing, lines, number));
    by_level!(REFRESH: fn(packing: &Packing, lines: &mut [Line], number: u64, tag: u64) -> bool =
        |S| tagged::refresh::<S>(packing, lines, number, tag));
    by_level!(CONTAINS_RECENT: fn(packing: &Packing, lines: &[Line], recent: Recent, h: &[u64], answers: &mut [bool]) =
        |S| tagged::contains_many::<S>(packing, lines, recent, h, answers));
    by_level!(SWEEP: fn(packing: &Packing, lines: &mut [Line], recent: Recent) -> u64 =
        |_S| tagged::sweep(packing, lines, recent));

    impl TableKernel {
        /// The tag of a number, if the number is in the table.
        #[inline]
        pub(crate) fn tag_of(self, packing: &Packing, lines: &[Line], number: u64) -> Option<u64> {
            // SAFETY: the CPU has the level's features, as for the other calls.
            unsafe { TAG_OF[self.0](packing, lines, number) }
        }

        /// Sets the tag of a number. Returns whether the number is in the table.
        #[inline]
        pub(crate) fn refresh(self, packing: &Packing, lines: &mut [Line], number: u64, tag: u64) -> bool {
            // SAFETY: the CPU has the level's features, as for the other calls.
            unsafe { REFRESH[self.0](packing, lines, number, tag) }
        }

        /// Looks up a batch of numbers with a recent tag; `answers` is as long as `h`.
        #[inline]
        pub(crate) fn contains_recent(
            self,
            packing: &Packing,
            lines: &[Line],
            recent: Recent,
            h: &[u64],
            answers: &mut [bool],
        ) {
            // SAFETY: the CPU has the level's features, as for the other calls.
            unsafe { CONTAINS_RECENT[self.0](packing, lines, recent, h, answers) }
        }

        /// Removes every entry with an old tag. Returns the number of removed entries.
        pub(crate) fn sweep(self, packing: &Packing, lines: &mut [Line], recent: Recent) -> u64 {
            // SAFETY: the CPU has the level's features, as for the other calls.
            unsafe { SWEEP[self.0](packing, lines, recent) }
        }
    }
}

/// For tables in which a number can have several tags.
mod several {
    use alloc::vec::Vec;

    use super::*;
    use crate::bits::table::packing::{Packing, Place};
    use crate::bits::table::several::{self, Among, Tags, TagsOfMany};
    use crate::bits::table::tagged::{self, FoundSlot};

    by_level!(FIND: fn(packing: &Packing, lines: &[Line], place: Place) -> Option<FoundSlot> =
        |S| tagged::find::<S>(packing, lines, place));
    by_level!(AMONG: fn(packing: &Packing, lines: &[Line], number: u64, tag: u64) -> Among =
        |S| several::among::<S>(packing, lines, number, tag));
    by_level!(TAGS_OF_MANY: fn(packing: &Packing, lines: &[Line], h: &[u64], most: usize, more: &dyn Fn(u64, &mut Vec<u16>), out: &mut TagsOfMany) =
        |S| several::tags_of_many::<S>(packing, lines, h, most, more, out));

    impl TableKernel {
        /// The tags of a number.
        #[inline]
        pub(crate) fn tags<'a>(self, packing: &'a Packing, lines: &'a [Line], number: u64) -> Tags<'a> {
            let place = packing.place(number);
            // SAFETY: the CPU has the level's features, as for the other calls.
            Tags::new(packing, lines, place, unsafe { FIND[self.0](packing, lines, place) })
        }

        /// Looks for a tag among the tags of a number.
        #[inline]
        pub(crate) fn among(self, packing: &Packing, lines: &[Line], number: u64, tag: u64) -> Among {
            // SAFETY: the CPU has the level's features, as for the other calls.
            unsafe { AMONG[self.0](packing, lines, number, tag) }
        }

        /// Appends the tags of the numbers of these hashes. If a number has `most` tags in the
        /// table, it calls `more`, which appends the rest.
        #[inline]
        pub(crate) fn tags_of_many(
            self,
            packing: &Packing,
            lines: &[Line],
            h: &[u64],
            most: usize,
            more: &dyn Fn(u64, &mut Vec<u16>),
            out: &mut TagsOfMany,
        ) {
            // SAFETY: the CPU has the level's features, as for the other calls.
            unsafe { TAGS_OF_MANY[self.0](packing, lines, h, most, more, out) }
        }
    }
}

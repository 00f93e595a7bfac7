//! Inserts or removes one number of a table.

use super::line::{self, ByArithmetic, Select, begins_before};
use super::packing::Packing;
use super::pull::{self, Gone};
use super::push::{self, Slot};
use super::stream::NoRoom;
use crate::bits::Line;

/// Memory for the bookkeeping of a change, reused by the next change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    push: push::Scratch,
    pull: pull::Scratch,
}

/// The most slots of one number. Only keys that somebody chose would need more.
pub(crate) const MOST_COPIES: u32 = 64;

/// The slots of a bucket that is wholly in its own line.
struct Whole {
    run: line::Run,
    zero: u32,
    /// Does the line hold all of its buckets, and have space for one more slot?
    has_room: bool,
}

#[inline(always)]
fn whole<S: Select>(packing: &Packing, line: &Line, bucket: u32) -> Option<Whole> {
    let begins = begins_before(line);
    let number = bucket + begins;
    let zero = line::zero_of::<S>(packing, line, number)?;
    let taken = line::taken(packing, line);
    let used = packing.buckets() + begins + taken;
    let run = line::run(packing, line, number, zero);
    // If the line has a free slot and a spare 0, nothing continues in the next line.
    let has_room = (taken < packing.slots()) & (used < packing.meta);
    (has_room | !run.goes_on).then_some(Whole { run, zero, has_room })
}

/// Which numbers to insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    /// Only numbers that are in the table.
    Held,
    /// Only numbers that are not in the table.
    New,
}

/// The result of inserting a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It was inserted and was not in the table before.
    New,
    /// It was inserted once more.
    Again,
    /// It was not inserted: it is not `Wanted`.
    Refused,
    /// It was not inserted: it needs the general path.
    Not,
}

/// Inserts a number into a table without tags by the fast path: its bucket is short and in one
/// line, and the lines have space.
#[inline(always)]
pub(crate) fn add<S: Select>(
    packing: &Packing,
    lines: &mut [Line],
    number: u64,
    wanted: Wanted,
    scratch: &mut Scratch,
) -> Added {
    let place = packing.place(number);
    let line = &mut lines[place.line];
    let Some(Whole { run, zero, has_room }) = whole::<S>(packing, line, place.bucket) else {
        return Added::Not;
    };
    // In a shorter run no number can have the maximum of copies.
    if run.len > packing.in_word.min(MOST_COPIES - 1) {
        return Added::Not;
    }
    let is_held = line::equal_among(packing, line, run.first, run.len, place.remainder) != 0;
    if (wanted == Wanted::Held && !is_held) || (wanted == Wanted::New && is_held) {
        return Added::Refused;
    }
    let rank = rank(packing, line, run, place.remainder);
    if has_room {
        line::put(packing, line, zero + 1, run.first + rank, place.remainder);
    } else {
        let number = place.bucket + begins_before(line);
        let slot = Slot { number, at: run.first + rank, value: place.remainder };
        if push::push(packing, lines, place.line, slot, &mut scratch.push).is_err() {
            return Added::Not;
        }
    }
    if is_held { Added::Again } else { Added::New }
}

/// The first slot of a run whose value is at least this.
#[inline(always)]
fn rank(packing: &Packing, line: &Line, run: line::Run, value: u64) -> u32 {
    (0..run.len).find(|i| line::slot(packing, line, run.first + i) >= value).unwrap_or(run.len)
}

/// Inserts an entry. If there is no space, the lines stay as they were.
#[inline(always)]
pub(crate) fn insert<S: Select>(
    packing: &Packing,
    lines: &mut [Line],
    number: u64,
    tag: u64,
    scratch: &mut Scratch,
) -> Result<(), NoRoom> {
    let place = packing.place(number);
    let value = place.remainder | tag;
    let mut here = place.line;
    let line = &mut lines[here];
    if let Some(Whole { run, zero, has_room: true }) = whole::<S>(packing, line, place.bucket) {
        let rank = rank(packing, line, run, value);
        line::put(packing, line, zero + 1, run.first + rank, value);
        return Ok(());
    }
    let mut number = place.bucket + begins_before(&lines[here]);
    let slot = loop {
        let line = &lines[here];
        // If the bucket continues, it is in the next line too.
        let next = number_in_next(packing, lines, here, number);
        if let Some(zero) = line::zero_of::<S>(packing, line, number) {
            let run = line::run(packing, line, number, zero);
            let rank = rank(packing, line, run, value);
            if rank < run.len || !run.goes_on || next.is_none() {
                break Slot { number, at: run.first + rank, value };
            }
        }
        number = next.ok_or(NoRoom)?;
        here += 1;
    };
    push::push(packing, lines, here, slot, &mut scratch.push)
}

/// The index of a bucket in the line after `here`, if the bucket can continue there. `number` is
/// its index in line `here`.
#[inline(always)]
fn number_in_next(packing: &Packing, lines: &[Line], here: usize, number: u32) -> Option<u32> {
    let [line, next, ..] = &lines[here..] else { return None };
    let begins = begins_before(next);
    // If the next line begins with a bucket of its own, this bucket does not continue there.
    (number + begins).checked_sub(packing.buckets() + begins_before(line)).filter(|_| begins > 0)
}

/// Removes an entry that is in the table.
#[inline(always)]
pub(crate) fn remove<S: Select>(
    packing: &Packing,
    lines: &mut [Line],
    number: u64,
    tag: u64,
    scratch: &mut Scratch,
) {
    let place = packing.place(number);
    let value = place.remainder | tag;
    let mut here = place.line;
    let line = &mut lines[here];
    if let Some(Whole { run, zero, has_room: true }) = whole::<S>(packing, line, place.bucket) {
        let rank = rank(packing, line, run, value);
        line::take(packing, line, zero + 1, run.first + rank);
        return;
    }
    let mut number = place.bucket + begins_before(&lines[here]);
    let gone = loop {
        let line = &lines[here];
        if let Some(zero) = line::zero_of::<S>(packing, line, number) {
            let run = line::run(packing, line, number, zero);
            let rank = rank(packing, line, run, value);
            let at = run.first + rank;
            if rank < run.len && line::slot(packing, line, at) == value {
                break Gone { at, one_at: zero + 1 + rank };
            }
            if rank < run.len || !run.goes_on {
                return;
            }
        }
        // The caller removes only numbers that are in the table.
        let Some(next) = number_in_next(packing, lines, here, number) else { return };
        (number, here) = (next, here + 1);
    };
    let is_told_before = gone.at == 0 && here > place.line;
    pull::pull(packing, lines, here, gone, is_told_before, &mut scratch.pull);
}

/// The slots of a number: their count, and the tag of the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Copies {
    pub(crate) slots: u32,
    pub(crate) first_tag: u64,
}

/// The slots of a number.
#[inline(always)]
pub(crate) fn copies<S: Select>(packing: &Packing, lines: &[Line], number: u64) -> Copies {
    let mut copies = Copies::default();
    each_copy::<S>(packing, lines, number, |_, _, tag| {
        if copies.slots == 0 {
            copies.first_tag = tag;
        }
        copies.slots += 1;
        true
    });
    copies
}

/// Changes the tag of a number's first slot, if it has a slot. The slots stay in order: the others
/// have the largest tag.
pub(crate) fn set_first_tag(packing: &Packing, lines: &mut [Line], number: u64, tag: u64) {
    let mut place = None;
    each_copy::<ByArithmetic>(packing, lines, number, |line, slot, _| {
        place = Some((line, slot));
        false
    });
    if let Some((line, slot)) = place {
        line::set_tag(packing, &mut lines[line], slot, tag);
    }
}

/// Calls `each` with each slot of a number, ascending: its line, its index there and its tag. Stops
/// when `each` returns `false`.
#[inline(always)]
pub(crate) fn each_copy<S: Select>(
    packing: &Packing,
    lines: &[Line],
    number: u64,
    mut each: impl FnMut(usize, u32, u64) -> bool,
) {
    let place = packing.place(number);
    let tags = super::packing::low_bits(packing.tag_bits());
    let mut behind = 0;
    for (i, line) in lines.iter().enumerate().skip(place.line) {
        let begins = begins_before(line);
        if behind > 0 && (begins == 0 || place.bucket + begins < behind) {
            return;
        }
        let bucket = place.bucket + begins - behind;
        if let Some(zero) = line::zero_of::<S>(packing, line, bucket) {
            let run = line::run(packing, line, bucket, zero);
            for slot in run.first..run.first + run.len {
                let value = line::slot(packing, line, slot);
                if value & !tags == place.remainder && !each(i, slot, value & tags) {
                    return;
                }
            }
            if !run.goes_on {
                return;
            }
        }
        behind += packing.buckets();
    }
}

//! One number more or fewer in a table.

use alloc::vec::Vec;

use super::line::{self, ByArithmetic, Select, begins_before};
use super::packing::{Packing, Place};
use super::stream::{self, NoRoom, first_bucket, read_line, write_line};
use crate::bits::Line;

/// Room for what a change has to look at, which is kept for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    entries: Vec<u64>,
    /// The lines as they were.
    before: Vec<Line>,
}

/// Where a bucket's slots are, if all of them are in one line that has all of its buckets.
struct Whole {
    run: line::Run,
    zero: u32,
}

#[inline(always)]
fn whole<S: Select>(packing: &Packing, line: &Line, bucket: u32) -> Option<Whole> {
    let begins = begins_before(line);
    let number = bucket + begins;
    let zero = line::zero_of::<S>(packing, line, number)?;
    let taken = line::taken(packing, line);
    let used = packing.buckets() + begins + taken;
    let run = line::run(packing, line, number, zero);
    // With a slot free and a 0 to spare nothing can have gone on in the next line.
    (taken < packing.slots() && used < packing.meta).then_some(Whole { run, zero })
}

/// What became of a number that was to go in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It is in, and was not before.
    New,
    /// It is in once more.
    Again,
    /// It is new, and no new one was to go in.
    Refused,
    /// Nothing: it has to go the long way.
    Not,
}

/// Puts a number into a table without tags, where that is quickly done: its bucket is short and in one line with room.
#[inline(always)]
pub(crate) fn add<S: Select>(packing: &Packing, lines: &mut [Line], number: u64, refuse_new: bool) -> Added {
    let place = packing.place(number);
    let line = &mut lines[place.line];
    let Some(Whole { run, zero }) = whole::<S>(packing, line, place.bucket) else { return Added::Not };
    if run.len > packing.in_word {
        return Added::Not;
    }
    let is_held = line::equal_among(packing, line, run.first, run.len, place.remainder) != 0;
    if refuse_new & !is_held {
        return Added::Refused;
    }
    let rank = rank(packing, line, run, place.remainder);
    line::put(packing, line, zero + 1, run.first + rank, place.remainder);
    if is_held { Added::Again } else { Added::New }
}

/// The first slot of a run whose value is at least this.
#[inline(always)]
fn rank(packing: &Packing, line: &Line, run: line::Run, value: u64) -> u32 {
    (0..run.len).find(|i| line::slot(packing, line, run.first + i) >= value).unwrap_or(run.len)
}

/// Puts an entry into the table. The lines are as they were where there is no room.
#[inline(always)]
pub(crate) fn insert<S: Select>(
    packing: &Packing,
    lines: &mut [Line],
    number: u64,
    tag: u64,
    scratch: &mut Scratch,
) -> Result<(), NoRoom> {
    let place = packing.place(number);
    let line = &mut lines[place.line];
    if let Some(Whole { run, zero }) = whole::<S>(packing, line, place.bucket) {
        let value = place.remainder | tag;
        let rank = rank(packing, line, run, value);
        line::put(packing, line, zero + 1, run.first + rank, value);
        return Ok(());
    }
    let entry = number << packing.tag_bits() | tag;
    rewrite(packing, lines, place, scratch, entry, |entries, at| entries.insert(at, entry))
}

/// Takes an entry that is there out of the table. The lines are as they were where the rest does not fit them, which was never
/// seen.
#[inline(always)]
pub(crate) fn remove<S: Select>(
    packing: &Packing,
    lines: &mut [Line],
    number: u64,
    tag: u64,
    scratch: &mut Scratch,
) -> Result<(), NoRoom> {
    let place = packing.place(number);
    let line = &mut lines[place.line];
    let value = place.remainder | tag;
    if let Some(Whole { run, zero }) = whole::<S>(packing, line, place.bucket) {
        let rank = rank(packing, line, run, value);
        line::take(packing, line, zero + 1, run.first + rank);
        return Ok(());
    }
    let entry = number << packing.tag_bits() | tag;
    let fewer = |entries: &mut Vec<u64>, at: usize| {
        if entries.get(at) == Some(&entry) {
            entries.remove(at);
        }
    };
    rewrite(packing, lines, place, scratch, entry, fewer)
}

/// Entries of the lines from some line on, as far as they were read.
struct Ahead<'a> {
    entries: &'a mut Vec<u64>,
    /// The next line to be read.
    next: usize,
    /// Does what was read go on there?
    goes_on: bool,
    /// How many of the last entries are in lines behind the one that is written next.
    behind: usize,
}

impl Ahead<'_> {
    /// Reads the next line.
    #[inline(always)]
    fn read(&mut self, packing: &Packing, lines: &[Line]) {
        let from = self.entries.len();
        read_line(packing, lines, self.next, self.entries);
        self.next += 1;
        self.goes_on = lines.get(self.next).is_some_and(|line| begins_before(line) > 0);
        self.behind += self.entries.len() - from;
    }

    /// Line `here` is written next.
    #[inline(always)]
    fn come_to(&mut self, packing: &Packing, lines: &[Line], here: usize) {
        if self.next == here {
            self.read(packing, lines);
        }
        self.behind = self.behind.saturating_sub(line::taken(packing, &lines[here]) as usize);
    }
}

/// Writes lines again from the home of a place on, until they are what they were. `change` gets entries and the first place
/// among them that is not below `entry`.
// Compiled for each CPU level: it finds many places of bits.
#[inline(always)]
fn rewrite(
    packing: &Packing,
    lines: &mut [Line],
    place: Place,
    scratch: &mut Scratch,
    entry: u64,
    change: impl FnOnce(&mut Vec<u64>, usize),
) -> Result<(), NoRoom> {
    let Scratch { entries, before } = scratch;
    entries.clear();
    before.clear();
    let mut here = place.line;
    let mut ahead = Ahead { entries, next: here, goes_on: false, behind: 0 };
    ahead.come_to(packing, lines, here);
    while ahead.goes_on && ahead.entries.last().is_none_or(|last| *last <= entry) {
        ahead.read(packing, lines);
    }
    let at = ahead.entries.partition_point(|other| *other < entry);
    change(ahead.entries, at);
    let mut begin = first_bucket(packing, lines, here);
    let mut done = 0;
    loop {
        while ahead.goes_on && ahead.entries.len() - done <= packing.slots() as usize {
            ahead.read(packing, lines);
        }
        let written = write_line(packing, here, begin, &ahead.entries[done..]);
        before.push(lines[here]);
        lines[here] = written.line;
        done += written.taken;
        begin = written.next;
        here += 1;
        let is_as_before = ahead.entries.len() - done == ahead.behind;
        let begins_as_before = match lines.get(here) {
            Some(_) => first_bucket(packing, lines, here) == begin,
            None => here as u64 * u64::from(packing.buckets()) == begin,
        };
        if is_as_before && begins_as_before {
            return Ok(());
        }
        if here == lines.len() || stream::check_begin(packing, here, begin).is_err() {
            lines[place.line..here].copy_from_slice(before);
            return Err(NoRoom);
        }
        ahead.come_to(packing, lines, here);
    }
}

/// How many slots a number has, and the tag of the first of them.
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

/// Gives another tag to the first slot of a number that has one. The slots of a number stay in order.
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

/// Each slot of a number, ascending: its line, its place there and its tag, as long as `each` says so.
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

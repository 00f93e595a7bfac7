//! A table as an ascending stream of entries, and back.
//!
//! An entry is a number and the tag of its slot, `number << v | tag`. Its highest bits are its
//! bucket, counted over the whole table; the rest is the content of its slot.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::line::{begins_before, bits_at, taken};
use super::packing::{Packing, low_bits};
use crate::bits::Line;

/// The largest d: the most buckets of earlier lines with which a line can begin.
pub(super) const MOST_BEFORE: u64 = 1022;

/// The entries do not fit into the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoRoom;

/// The bucket with which line `i` begins, counted over the whole table.
#[inline(always)]
pub(super) fn first_bucket(packing: &Packing, lines: &[Line], i: usize) -> u64 {
    (i as u64 * u64::from(packing.buckets())).saturating_sub(begins_before(&lines[i]).into())
}

/// Appends the entries of line `i`, ascending.
#[inline(always)]
pub(super) fn read_line(packing: &Packing, lines: &[Line], i: usize, entries: &mut Vec<u64>) {
    let (line, first, from) = (&lines[i], first_bucket(packing, lines, i), entries.len());
    entries.resize(from + taken(packing, line) as usize, 0);
    let mut entries = entries[from..].iter_mut();
    // The place of the next slot to read, and the bits that were read and not used yet, with their
    // number.
    let (mut at, mut bits, mut left) = (packing.meta, 0, 0);
    // The bucket of a slot whose 1 would be bit 0 of the word.
    let mut base = first.wrapping_sub(1);
    for word in 0..3 {
        let mut ones = line.0[word] & packing.meta_masks[word];
        while ones != 0 {
            let Some(entry) = entries.next() else { return };
            if left < packing.width {
                (bits, left) = (bits_at(line, at), 64);
            }
            // A damaged line may begin with a slot and no bucket.
            let bucket = base.wrapping_add(ones.trailing_zeros().into());
            *entry = bucket << packing.width | bits & packing.slot_mask();
            (bits, left, at) = (bits >> packing.width, left - packing.width, at + packing.width);
            base = base.wrapping_sub(1);
            ones &= ones - 1;
        }
        base = base.wrapping_add(64);
    }
}

/// A written line, the number of entries that it took, and the bucket with which the next line
/// begins.
pub(super) struct Written {
    pub(super) line: Line,
    pub(super) taken: usize,
    pub(super) next: u64,
}

/// Writes line `i`, which begins with bucket `begin`. The first entry is of that bucket or a later
/// one. `entries` has all entries of the line's buckets, or more than the line has slots.
// No branch in these loops depends on an entry, so the compiler vectorizes them.
#[inline(always)]
pub(super) fn write_line(packing: &Packing, i: usize, begin: u64, entries: &[u64]) -> Written {
    let end = (i as u64 + 1) * u64::from(packing.buckets());
    let (meta, width) = (u64::from(packing.meta), packing.width);
    let most = entries.len().min(packing.slots() as usize);
    // The place of the 1 of an entry.
    let place = |entry: u64, slot: usize| (entry >> width).wrapping_sub(begin) + 1 + slot as u64;
    let is_in = |entry: u64, slot: usize| (entry >> width < end) & (place(entry, slot) < meta);
    let taken: usize =
        entries[..most].iter().enumerate().map(|(slot, entry)| usize::from(is_in(*entry, slot))).sum();
    let mut words = [0; 8];
    for (slot, entry) in entries[..taken].iter().enumerate() {
        let place = place(*entry, slot);
        for (word, at) in words.iter_mut().zip([place, place.wrapping_sub(64), place.wrapping_sub(128)]) {
            *word |= if at < 64 { 1 << at } else { 0 };
        }
    }
    // Words of slots are built in registers and ORed into the line when they are full.
    let (mut word, mut bit, mut slots) = ((packing.meta >> 6) as usize, packing.meta & 63, 0);
    for entry in &entries[..taken] {
        let value = entry & packing.slot_mask();
        slots |= value << bit;
        bit += width;
        if bit >= 64 {
            bit -= 64;
            words[word & 7] |= slots;
            (word, slots) = (word + 1, value >> (width - bit));
        }
    }
    words[word & 7] |= slots;
    let all_out = begin + meta - taken as u64;
    let next = match entries.get(taken) {
        Some(entry) if entry >> width < end => {
            let ones_from = place(*entry, taken).min(meta) as u32;
            for ((i, word), mask) in (0..).zip(&mut words).zip(packing.meta_masks) {
                *word |= mask & !low_bits(ones_from.saturating_sub(64 * i));
            }
            (entry >> width).min(all_out)
        }
        _ => end.min(all_out),
    };
    words[7] |= (i as u64 * u64::from(packing.buckets()) - begin) << 54;
    Written { line: Line(words), taken, next }
}

/// All entries of a table, ascending.
pub(crate) struct Entries<'a> {
    packing: &'a Packing,
    lines: &'a [Line],
    next_line: usize,
    /// The entries of the line before; `at` of them were taken.
    entries: Vec<u64>,
    at: usize,
}

impl<'a> Entries<'a> {
    pub(crate) fn new(packing: &'a Packing, lines: &'a [Line]) -> Self {
        Entries { packing, lines, next_line: 0, entries: Vec::new(), at: 0 }
    }
}

impl Iterator for Entries<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        while self.at == self.entries.len() {
            if self.next_line == self.lines.len() {
                return None;
            }
            self.entries.clear();
            self.at = 0;
            read_line(self.packing, self.lines, self.next_line, &mut self.entries);
            self.next_line += 1;
        }
        self.at += 1;
        Some(self.entries[self.at - 1])
    }
}

/// The number of entries that are taken from a stream at once.
const READ_AHEAD: usize = 2048;

/// Appends at most this number of entries; appends none after the last.
type Fetch<'a> = Box<dyn FnMut(&mut Vec<u64>, usize) + 'a>;

/// Ascending entries from any source, fetched in chunks. One call through a pointer fetches 2,048
/// entries, so the code that takes entries is compiled once.
pub(crate) struct Stream<'a> {
    fetch: Fetch<'a>,
    chunk: Vec<u64>,
    at: usize,
}

impl<'a> Stream<'a> {
    pub(crate) fn of(mut entries: impl Iterator<Item = u64> + 'a) -> Self {
        let fetch = move |out: &mut Vec<u64>, most| out.extend(entries.by_ref().take(most));
        Stream { fetch: Box::new(fetch), chunk: Vec::new(), at: 0 }
    }

    /// A stream without entries.
    pub(crate) fn empty() -> Self {
        Stream::of(core::iter::empty())
    }

    /// Are no entries left?
    pub(crate) fn is_empty(&mut self) -> bool {
        self.at == self.chunk.len() && !self.fetch()
    }

    /// Appends the next entries, at most this number.
    fn append_to(&mut self, entries: &mut Vec<u64>, most: usize) {
        let left = &self.chunk[self.at..];
        if left.is_empty() {
            return (self.fetch)(entries, most);
        }
        let here = left.len().min(most);
        entries.extend_from_slice(&left[..here]);
        self.at += here;
    }

    /// Fetches the next chunk; `false` if there is none.
    fn fetch(&mut self) -> bool {
        self.chunk.clear();
        self.at = 0;
        (self.fetch)(&mut self.chunk, READ_AHEAD);
        !self.chunk.is_empty()
    }
}

impl Iterator for Stream<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.is_empty() {
            return None;
        }
        self.at += 1;
        Some(self.chunk[self.at - 1])
    }
}

/// Writes the lines of a table one by one from a stream of entries.
pub(crate) struct Writer<'a> {
    packing: &'a Packing,
    entries: Stream<'a>,
    ahead: Vec<u64>,
    from: usize,
    line: usize,
    begin: u64,
}

impl<'a> Writer<'a> {
    /// A writer of ascending entries.
    pub(crate) fn new(packing: &'a Packing, entries: Stream<'a>) -> Self {
        Writer { packing, entries, ahead: Vec::with_capacity(READ_AHEAD), from: 0, line: 0, begin: 0 }
    }

    /// The next line.
    #[inline]
    pub(crate) fn line(&mut self) -> Result<Line, NoRoom> {
        if self.ahead.len() - self.from <= self.packing.slots() as usize {
            self.ahead.drain(..self.from);
            self.from = 0;
            let room = READ_AHEAD - self.ahead.len();
            self.entries.append_to(&mut self.ahead, room);
        }
        check_begin(self.packing, self.line, self.begin)?;
        let written = write_line(self.packing, self.line, self.begin, &self.ahead[self.from..]);
        self.from += written.taken;
        self.begin = written.next;
        self.line += 1;
        Ok(written.line)
    }

    /// Checks that everything was written.
    pub(crate) fn end(&self) -> Result<(), NoRoom> {
        let own = self.line as u64 * u64::from(self.packing.buckets());
        if self.from == self.ahead.len() && self.begin == own { Ok(()) } else { Err(NoRoom) }
    }
}

/// Writes a table; `lines` has the lines of the packing.
pub(crate) fn write(packing: &Packing, entries: Stream<'_>, lines: &mut [Line]) -> Result<(), NoRoom> {
    let mut writer = Writer::new(packing, entries);
    for line in lines {
        *line = writer.line()?;
    }
    writer.end()
}

/// Checks that a line may begin with this bucket.
pub(super) fn check_begin(packing: &Packing, i: usize, begin: u64) -> Result<(), NoRoom> {
    let own = i as u64 * u64::from(packing.buckets());
    if own - begin > MOST_BEFORE { Err(NoRoom) } else { Ok(()) }
}

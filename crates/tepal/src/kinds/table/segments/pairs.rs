//! Pairs of fingerprint and segment as ascending streams of entries, and tables made of them.

use alloc::vec::Vec;
use core::iter::Peekable;

use super::wide::{IN_TABLE, WideList};
use crate::bits::memory;
use crate::bits::table::stream::Stream;
use crate::error::Result;
use crate::kinds::named::{Segment, SegmentList};
use crate::kinds::table::lines::Table;

/// Ascending entries with new segment numbers. An entry for whose segment `to` returns `None` is
/// left out.
pub(super) struct Renumbered<'e, F> {
    entries: Peekable<Stream<'e>>,
    from_bits: u8,
    to_bits: u8,
    to: F,
    /// The entries of one fingerprint that are still to come, descending.
    group: Vec<u64>,
}

impl<'e, F: Fn(u16) -> Option<u16>> Renumbered<'e, F> {
    pub(super) fn new(entries: Stream<'e>, (from_bits, to_bits): (u8, u8), to: F) -> Self {
        Renumbered { entries: entries.peekable(), from_bits, to_bits, to, group: Vec::new() }
    }
}

impl<F: Fn(u16) -> Option<u16>> Iterator for Renumbered<'_, F> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while self.group.is_empty() {
            let (from_bits, tags) = (self.from_bits, (1u64 << self.from_bits) - 1);
            let number = self.entries.peek()? >> from_bits;
            while let Some(entry) = self.entries.next_if(|entry| entry >> from_bits == number) {
                if let Some(segment) = (self.to)((entry & tags) as u16) {
                    self.group.push(number << self.to_bits | u64::from(segment));
                }
            }
            self.group.sort_unstable_by(|a, b| b.cmp(a));
            self.group.dedup();
        }
        self.group.pop()
    }
}

/// Of ascending entries, the first ones of each fingerprint, which are in the table; or the other
/// ones.
struct TablePart<'e> {
    entries: Stream<'e>,
    tag_bits: u8,
    of_table: bool,
    last: Option<u64>,
    slots: usize,
}

impl<'e> TablePart<'e> {
    fn new(entries: Stream<'e>, tag_bits: u8, of_table: bool) -> Self {
        TablePart { entries, tag_bits, of_table, last: None, slots: 0 }
    }
}

impl Iterator for TablePart<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        loop {
            let entry = self.entries.next()?;
            let number = entry >> self.tag_bits;
            self.slots = if self.last == Some(number) { self.slots + 1 } else { 1 };
            self.last = Some(number);
            if (self.slots <= IN_TABLE) == self.of_table {
                return Some(entry);
            }
        }
    }
}

/// The contents of a filter.
pub(super) struct SegmentsHeld {
    pub(super) table: Table,
    pub(super) wide: WideList,
    /// The number of fingerprints of each segment, in the order of the list.
    pub(super) lens: Vec<u64>,
}

impl SegmentsHeld {
    /// Makes the contents from ascending entries of these segments, without repeats, laid out for
    /// at least `slots` slots. It calls `entries` several times.
    pub(super) fn new<'e>(
        segments: &SegmentList,
        (numbers, tag_bits, slots): (u64, u8, u64),
        entries: &dyn Fn() -> Stream<'e>,
    ) -> Result<Self> {
        let mut lens: Vec<u64> = memory::zeros(segments.listed().len())?;
        let tags = (1u64 << tag_bits) - 1;
        for entry in entries() {
            if let Some(at) = segments.position(Segment((entry & tags) as u16)) {
                lens[at] += 1;
            }
        }
        let mut wide = WideList::default();
        for entry in TablePart::new(entries(), tag_bits, false) {
            wide.insert(entry >> tag_bits, (entry & tags) as u16)?;
        }
        let in_table = || Stream::of(TablePart::new(entries(), tag_bits, true));
        Ok(SegmentsHeld { table: Table::of_entries(numbers, tag_bits, slots, &in_table)?, wide, lens })
    }

    /// The number of pairs of fingerprint and segment.
    pub(super) fn pairs(&self) -> u64 {
        self.table.slots() + self.wide.pairs()
    }
}

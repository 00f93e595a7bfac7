//! A table of fingerprints that makes room for more: the code that all kinds of this family share.
//!
//! It is laid out for a number of slots, and laid out again for more slots if they do not fit. That
//! changes no answer, because U stays the same.

mod counts;
mod fitting;
mod lay_out;
mod several;
mod tagged;

use alloc::vec::Vec;
use core::cell::Cell;

use crate::bits::fetch::fetch_line;
use crate::bits::kernel::TableKernel;
use crate::bits::table::change::{Added, Copies, Scratch, Wanted, set_first_tag};
use crate::bits::table::line::taken;
use crate::bits::table::packing::Packing;
use crate::bits::table::stream::{Entries, Stream, Writer};
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::facts::Touched;
use crate::kinds::in_file::BodyChecked;
use crate::kinds::storage::{Owned, PlainStorage, Ref};

pub(crate) use crate::bits::table::change::MOST_COPIES;
use counts::RunningCounts;
pub(crate) use counts::{Counts, too_many_copies};
pub(crate) use fitting::laid_out;

/// Fingerprints in lines, in memory or in an opened file.
#[derive(Clone)]
pub(crate) struct Table {
    packing: Packing,
    kernel: TableKernel,
    lines: Owned,
    /// The number of slots that are taken.
    slots: u64,
    /// The number of different fingerprints.
    numbers: u64,
    scratch: Scratch,
    /// The checks of the lines, if they are an opened file's.
    body_check: Option<Ref<dyn BodyChecked>>,
}

impl Table {
    /// Makes an empty table of fingerprints below `numbers`, laid out for this many slots.
    pub(crate) fn new(numbers: u64, tag_bits: u8, slots: u64) -> Result<Self> {
        let packing = Packing::for_slots(slots, numbers, tag_bits)?;
        Ok(Table::of_lines(packing, Owned::new(bits::zeroed(packing.lines())?), 0, 0))
    }

    /// Makes a table of ascending entries, laid out for this many slots. It calls `entries` once or
    /// several times.
    pub(crate) fn of_entries<'e>(
        numbers: u64,
        tag_bits: u8,
        slots: u64,
        entries: &dyn Fn() -> Stream<'e>,
    ) -> Result<Self> {
        Table::of_counted(numbers, tag_bits, slots, Counts::of(entries(), tag_bits), entries)
    }

    /// [`of_entries`](Self::of_entries) for entries that were counted before.
    pub(crate) fn of_counted<'e>(
        numbers: u64,
        tag_bits: u8,
        slots: u64,
        counts: Counts,
        entries: &dyn Fn() -> Stream<'e>,
    ) -> Result<Self> {
        let (packing, lines) = laid_out(numbers, tag_bits, slots.max(counts.slots), entries)?;
        Ok(Table::of_lines(packing, Owned::new(lines), counts.slots, counts.numbers))
    }

    /// Makes a table of finished lines.
    pub(crate) fn of_lines(packing: Packing, lines: Owned, slots: u64, numbers: u64) -> Self {
        Table {
            packing,
            kernel: TableKernel::best(),
            lines,
            slots,
            numbers,
            scratch: Scratch::default(),
            body_check: None,
        }
    }

    pub(crate) fn packing(&self) -> &Packing {
        &self.packing
    }

    /// The number of slots that are taken.
    pub(crate) fn slots(&self) -> u64 {
        self.slots
    }

    /// The number of different fingerprints in it.
    pub(crate) fn distinct(&self) -> u64 {
        self.numbers
    }

    pub(crate) fn as_lines(&self) -> &[Line] {
        self.lines.as_lines()
    }

    /// All entries, ascending: `fingerprint << tag bits | tag`.
    pub(crate) fn entries(&self) -> Entries<'_> {
        Entries::new(&self.packing, self.lines.as_lines())
    }

    /// All entries, in chunks.
    pub(crate) fn stream(&self) -> Stream<'_> {
        Stream::of(self.entries())
    }

    /// The share of hashes whose fingerprint is held.
    pub(crate) fn rate(&self) -> f64 {
        self.numbers as f64 / self.packing.numbers() as f64
    }

    /// An estimate of the number of different keys, from the different fingerprints: some keys
    /// share one.
    pub(crate) fn estimated_len(&self) -> f64 {
        let (all, share) = (self.packing.numbers() as f64, self.rate());
        if share >= 1.0 { self.numbers as f64 } else { -all * libm::log1p(-share) }
    }

    /// The fingerprint of a hash.
    #[inline(always)]
    pub(crate) fn number(&self, h: u64) -> u64 {
        self.packing.number(h)
    }

    /// The place of the fingerprint of this hash.
    pub(crate) fn touched(&self, h: u64) -> Touched {
        let number = self.number(h);
        let place = self.packing.place(number);
        let remainder = place.remainder >> self.packing.tag_bits();
        Touched::Number { number, line: place.line as u64, bucket: place.bucket, remainder }
    }

    /// Looks up the fingerprint of this hash.
    #[inline]
    pub(crate) fn contains(&self, h: u64) -> bool {
        self.kernel.contains(&self.packing, self.lines.as_lines(), h)
    }

    /// Looks up a batch; `answers` is as long as `h`.
    #[inline]
    pub(crate) fn contains_many(&self, h: &[u64], answers: &mut [bool]) {
        self.kernel.contains_many(&self.packing, self.lines.as_lines(), h, answers);
    }

    /// The slots of a fingerprint.
    #[inline]
    pub(crate) fn copies(&self, number: u64) -> Copies {
        self.kernel.copies(&self.packing, self.lines.as_lines(), number)
    }

    /// Prefetches the line of a fingerprint for a later lookup.
    #[inline]
    pub(crate) fn fetch(&self, number: u64) {
        fetch_line(&self.lines.as_lines()[self.packing.place(number).line]);
    }

    /// The same table with these checks of a file's lines.
    pub(crate) fn held_against(mut self, check: Option<Ref<dyn BodyChecked>>) -> Self {
        self.body_check = check;
        self
    }

    /// Checks the lines against what their file says of them.
    pub(crate) fn verify(&self) -> Result<()> {
        self.body_check.as_ref().map_or(Ok(()), |check| check.run(self.as_lines()))
    }

    /// Checks the fingerprints of a file that was opened quick, before they are copied.
    pub(crate) fn check_before_copying(&self) -> Result<()> {
        match &self.body_check {
            Some(check) if !check.has_passed() => check.run(self.as_lines()),
            _ => Ok(()),
        }
    }

    /// Checks a file's lines and copies them into memory, before a change.
    #[inline]
    pub(crate) fn before_a_change(&mut self) -> Result<()> {
        if self.body_check.is_some() {
            self.check_before_copying()?;
            self.make_own()?;
            self.body_check = None;
        }
        Ok(())
    }

    /// Copies a file's lines into memory. They were checked before.
    pub(crate) fn make_own(&mut self) -> Result<()> {
        if self.lines.own().is_none() {
            let copy = crate::kinds::storage::copied(self.lines.as_lines())?;
            self.lines = Owned::new(copy);
        }
        Ok(())
    }

    fn own(&mut self) -> Result<(&Packing, TableKernel, &mut [Line], &mut Scratch)> {
        self.make_own()?;
        let lines = self.lines.own().ok_or_else(|| Error::damaged("lines that cannot be changed"))?;
        Ok((&self.packing, self.kernel, lines, &mut self.scratch))
    }

    /// Inserts a fingerprint into a table without tags, if that is fast; otherwise changes nothing.
    /// Its bucket has few slots, so it cannot have too many copies. The lines are in memory.
    #[inline]
    pub(crate) fn add(&mut self, number: u64, wanted: Wanted) -> Added {
        let Some(lines) = self.lines.own() else { return Added::Not };
        let added = self.kernel.add(&self.packing, lines, number, wanted, &mut self.scratch);
        self.slots += u64::from(matches!(added, Added::New | Added::Again));
        self.numbers += u64::from(added == Added::New);
        added
    }

    /// Inserts one more slot with a fingerprint and a tag. `is_new` means that the fingerprint has
    /// no slot yet. If the lines have no room, the table is laid out again.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there is no memory; [`Error::NumbersClustered`] if more lines do not
    /// help. Nothing is changed then.
    #[inline]
    pub(crate) fn insert(&mut self, number: u64, tag: u64, is_new: bool) -> Result<()> {
        self.make_own()?;
        if !self.insert_here(number, tag) {
            self.insert_laying_out(number, tag)?;
        }
        self.slots += 1;
        self.numbers += u64::from(is_new);
        Ok(())
    }

    /// Inserts a slot into the lines, which are in memory. `false`: they have no room, and are
    /// unchanged.
    #[inline]
    fn insert_here(&mut self, number: u64, tag: u64) -> bool {
        let Some(lines) = self.lines.own() else { return false };
        self.kernel.insert(&self.packing, lines, number, tag, &mut self.scratch).is_ok()
    }

    /// Removes an existing slot of a fingerprint. `is_last` means that it has no other.
    #[inline]
    pub(crate) fn remove(&mut self, number: u64, tag: u64, is_last: bool) -> Result<()> {
        let (packing, kernel, lines, scratch) = self.own()?;
        kernel.remove(packing, lines, number, tag, scratch);
        self.slots -= 1;
        self.numbers -= u64::from(is_last);
        Ok(())
    }

    /// Replaces the tag of the first slot of a fingerprint.
    pub(crate) fn set_first_tag(&mut self, number: u64, tag: u64) -> Result<()> {
        let (packing, _, lines, _) = self.own()?;
        set_first_tag(packing, lines, number, tag);
        Ok(())
    }

    /// The load factor of equal parts of the table, or of each line if there are fewer lines.
    pub(crate) fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        let lines = self.lines.as_lines();
        let slices = slices.clamp(1, lines.len().max(1));
        let edge = |slice: usize| (lines.len() as u128 * slice as u128 / slices as u128) as usize;
        let fill = |slice| {
            let here = &lines[edge(slice)..edge(slice + 1)];
            let taken: u64 = here.iter().map(|line| u64::from(taken(&self.packing, line))).sum();
            taken as f64 / (here.len() as u64 * u64::from(self.packing.fields().slots)) as f64
        };
        (0..slices).map(fill).collect()
    }

    /// Removes everything; the number of lines stays.
    pub(crate) fn clear(&mut self) -> Result<()> {
        match self.lines.own() {
            Some(lines) => lines.fill(Line([0; 8])),
            None => self.lines = Owned::new(bits::zeroed(self.packing.lines())?),
        }
        (self.slots, self.numbers, self.body_check) = (0, 0, None);
        Ok(())
    }

    /// Checks that the lines hold exactly the counted slots and fingerprints, in their only valid
    /// form. Returns how many copies the tags count.
    pub(crate) fn check(packing: &Packing, lines: &[Line], slots: u64, numbers: u64) -> Result<u64> {
        // All slots of a fingerprint but the first count the most they can.
        let tags = (1 << packing.tag_bits()) - 1;
        Table::check_tags(packing, lines, slots, numbers, |_, entry| entry & tags == tags)
    }

    /// [`check`](Self::check) with another order of the slots of one fingerprint: `follows` tells
    /// whether a slot may follow another.
    pub(crate) fn check_tags(
        packing: &Packing,
        lines: &[Line],
        slots: u64,
        numbers: u64,
        follows: impl Fn(u64, u64) -> bool,
    ) -> Result<u64> {
        let damaged = |what: &str| Err(Error::damaged(format_args!("the table {what}")));
        let (past, ascending) = (Cell::new(false), Cell::new(true));
        let tag_bits = packing.tag_bits();
        let tags = (1 << tag_bits) - 1;
        let (mut in_order, mut held, mut counting, mut before) = (true, 0u64, RunningCounts::default(), 0);
        // A line has only one valid form: that of ascending entries.
        let mut least = 0;
        let in_turn = Entries::new(packing, lines).take_while(|entry| {
            ascending.set(*entry >= least);
            least = *entry;
            ascending.get()
        });
        let entries = in_turn.inspect(|entry| {
            let number = entry >> tag_bits;
            past.set(past.get() || number >= packing.numbers());
            in_order &= !counting.count(number) || follows(before, *entry);
            before = *entry;
            held = held.saturating_add((entry & tags) + 1);
        });
        let mut writer = Writer::new(packing, Stream::of(entries));
        for (i, line) in lines.iter().enumerate() {
            if writer.line() != Ok(*line) {
                return damaged(&alloc::format!("has a line, number {i}, that is not as its numbers say"));
            }
        }
        if writer.end().is_err() {
            return damaged("does not end with its last line");
        }
        drop(writer);
        if !ascending.get() {
            return damaged("holds numbers that do not ascend");
        }
        if past.get() {
            return damaged("holds a number that is past its greatest");
        }
        let counts = counting.counts;
        if counts.slots != slots || counts.numbers != numbers {
            return damaged("does not hold as many numbers as the header says");
        }
        if counts.most_copies > MOST_COPIES.into() {
            return damaged("holds a number in more than 64 slots");
        }
        if !in_order {
            return damaged("has tags of a number that do not follow each other so");
        }
        Ok(held)
    }
}

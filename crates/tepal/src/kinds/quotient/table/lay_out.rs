//! A table that is laid out, and laid out again where it is full.

use alloc::vec::Vec;

use super::{Merged, Table, in_memory};
use crate::bits::table::packing::Packing;
use crate::bits::table::stream::{self, Drained, Writer};
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::kinds::storage::{Backing, Storage};

impl Table {
    /// [`insert`](Self::insert) with more room.
    #[cold]
    pub(super) fn insert_laying_out(&mut self, number: u64, tag: u64) -> Result<()> {
        let entry = number << self.packing.tag_bits() | tag;
        self.lay_out_with(more(self.slots), Some(entry))
    }

    /// Lays the table out for so many slots: the same answers in more lines, or in fewer. Costs a pass over the table.
    pub(crate) fn lay_out(&mut self, slots: u64) -> Result<()> {
        self.lay_out_with(slots.max(self.slots), None)
    }

    /// Lays the table out for so many slots whose tags have so many bits; every tag has room in them.
    pub(crate) fn lay_out_tags(&mut self, tag_bits: u8, slots: u64) -> Result<()> {
        let from_bits = self.packing.tag_bits();
        let tags = (1u64 << from_bits) - 1;
        let to = move |entry: u64| (entry >> from_bits) << tag_bits | (entry & tags);
        self.lay_out_as(tag_bits, slots.max(self.slots), None, to)
    }

    /// The same, with an entry more.
    fn lay_out_with(&mut self, slots: u64, entry: Option<u64>) -> Result<()> {
        self.lay_out_as(self.packing.fields().tag_bits, slots, entry, |entry| entry)
    }

    /// The same for other entries, which ascend as those they are made of. Up to [`SMALL`] lines there are two tables for a while. Beyond, a first pass finds the packing
    /// and a second one writes the new lines while the old ones go, so that there is one table and a few MiB in memory.
    fn lay_out_as(
        &mut self,
        tag_bits: u8,
        slots: u64,
        entry: Option<u64>,
        to: impl Fn(u64) -> u64 + Copy,
    ) -> Result<()> {
        let numbers = self.packing.numbers();
        let with_it = || Merged::new(self.entries().map(to), entry.into_iter());
        // What is a file's the system has anyway.
        let is_in_memory = matches!(self.lines.0, Backing::Memory(_));
        if self.packing.lines() <= SMALL || !is_in_memory {
            let (packing, lines) = laid_out(numbers, tag_bits, slots, with_it)?;
            (self.packing, self.lines, self.body_check) = (packing, in_memory(lines), None);
            return Ok(());
        }
        let is_fit = |packing: &Packing| {
            let mut writer = Writer::new(packing, with_it());
            let fits = (0..packing.lines()).try_for_each(|_| writer.line().map(drop));
            Ok(fits.and_then(|()| writer.end()).is_ok().then_some(()))
        };
        let (packing, ()) = fitting(numbers, tag_bits, slots, is_fit)?;
        let mut lines = bits::room_for(packing.lines())?;
        let old = core::mem::replace(&mut self.lines, in_memory(Vec::new())).into_lines()?;
        let entries = Merged::new(Drained::new(&self.packing, old).map(to), entry.into_iter());
        let mut writer = Writer::new(&packing, entries);
        // They fitted before.
        lines.extend((0..packing.lines()).map_while(|_| writer.line().ok()));
        (self.packing, self.lines, self.body_check) = (packing, in_memory(lines), None);
        Ok(())
    }

    /// Makes room for one slot more where what the table was laid out for is taken: lays it out for an eighth more, but for no
    /// more than `most` slots as long as there are fewer.
    #[inline]
    pub(crate) fn make_room(&mut self, most: u64) -> Result<()> {
        if self.slots < self.packing.room() { Ok(()) } else { self.lay_out(self.next_room(most)) }
    }

    /// So many slots [`make_room`](Self::make_room) lays the table out for.
    fn next_room(&self, most: u64) -> u64 {
        let next = more(self.packing.room().max(self.slots));
        if self.slots < most { next.min(most) } else { next }
    }
}

/// Lines from which on there is no second table while one is laid out again: 64 MiB.
const SMALL: u64 = if cfg!(test) { 40 } else { 1 << 20 };

/// Lines for at least so many slots, with these ascending entries; for more slots where they do not fit.
pub(crate) fn laid_out<I: Iterator<Item = u64>>(
    numbers: u64,
    tag_bits: u8,
    slots: u64,
    entries: impl Fn() -> I,
) -> Result<(Packing, Vec<Line>)> {
    fitting(numbers, tag_bits, slots, |packing| {
        let mut lines = bits::zeroed(packing.lines())?;
        Ok(stream::write(packing, entries(), &mut lines).is_ok().then_some(lines))
    })
}

/// The packing for at least so many slots with which `fit` gives something.
fn fitting<T>(
    numbers: u64,
    tag_bits: u8,
    mut slots: u64,
    fit: impl Fn(&Packing) -> Result<Option<T>>,
) -> Result<(Packing, T)> {
    let for_slots = |slots| match Packing::for_slots(slots, numbers, tag_bits) {
        // So few numbers have no table of so many slots.
        Err(Error::TooLarge { .. }) => Err(Error::NumbersClustered { inserted: 0 }),
        packing => packing,
    };
    let mut packing = for_slots(slots)?;
    let most_lines = packing.lines().saturating_mul(4).saturating_add(64);
    loop {
        if let Some(found) = fit(&packing)? {
            return Ok((packing, found));
        }
        slots = more(slots);
        packing = for_slots(slots)?;
        if packing.lines() > most_lines {
            return Err(Error::NumbersClustered { inserted: 0 });
        }
    }
}

/// So many slots a table is laid out for where these do not fit.
pub(super) fn more(slots: u64) -> u64 {
    slots.saturating_add(slots / 8 + 1)
}

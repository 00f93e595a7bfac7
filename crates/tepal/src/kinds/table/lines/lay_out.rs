//! Lays a table out, and again when it is full.

use alloc::vec::Vec;

use super::Table;
use super::fitting::{Tables, are_spread, fitting, more};
use crate::bits::pages::give_back;
use crate::bits::table::packing::Packing;
use crate::bits::table::relay::Relay;
use crate::bits::table::stream::Stream;
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::kinds::storage::{Owned, PlainStorage, Storage};
use crate::kinds::table::join::merged;

impl Table {
    /// [`insert`](Self::insert) after laying the table out for more slots.
    #[cold]
    pub(super) fn insert_laying_out(&mut self, number: u64, tag: u64) -> Result<()> {
        self.lay_out_with(more(self.slots), Some((number, tag)))
    }

    /// Lays the table out for this many slots: the same answers in more lines, or in fewer. Costs a
    /// pass over the table.
    pub(crate) fn lay_out(&mut self, slots: u64) -> Result<()> {
        self.lay_out_with(slots.max(self.slots), None)
    }

    /// Lays the table out for this many slots with tags of this many bits, which must hold every
    /// tag.
    pub(crate) fn lay_out_tags(&mut self, tag_bits: u8, slots: u64) -> Result<()> {
        self.lay_out_as(tag_bits, slots.max(self.slots), None)
    }

    /// [`lay_out`](Self::lay_out) with one more entry.
    fn lay_out_with(&mut self, slots: u64, entry: Option<(u64, u64)>) -> Result<()> {
        self.lay_out_as(self.packing.fields().tag_bits, slots, entry)
    }

    /// Lays the table out with these tag bits and one more entry. Up to [`SMALL`] lines there are
    /// two tables in memory for a while. Beyond, a first pass finds the packing. A second pass
    /// writes the new lines and frees the old ones as it goes, so that one table and a few MiB are
    /// in memory.
    fn lay_out_as(&mut self, tag_bits: u8, slots: u64, entry: Option<(u64, u64)>) -> Result<()> {
        let before = self.packing;
        let numbers = before.numbers();
        let fit = |table: &mut Table, packing: &Packing| -> Result<Option<()>> {
            let fits =
                table.relay(packing)? && entry.is_none_or(|(number, tag)| table.insert_here(number, tag));
            Ok(fits.then_some(()))
        };
        let mut done = fitting(Tables::Usual, numbers, tag_bits, slots, |packing| fit(self, packing));
        if matches!(done, Err(Error::NumbersClustered { .. })) {
            let old_bits = self.packing.tag_bits();
            let held = self.entries().map(|entry| entry >> old_bits);
            let added = entry.map(|(number, _)| number).into_iter();
            let all = merged(Stream::of(held), Stream::of(added));
            if are_spread(numbers, tag_bits, slots, all) {
                done = fitting(Tables::Close, numbers, tag_bits, slots, |packing| fit(self, packing));
            }
        }
        if done.is_err() && self.packing != before {
            // The table fitted there before.
            self.relay(&before)?;
        }
        done.map(drop)
    }

    /// Lays the table out in this packing. `false`: it does not fit, and nothing is changed.
    fn relay(&mut self, packing: &Packing) -> Result<bool> {
        // A file's lines take no memory of this process.
        let is_large = self.packing.lines() > SMALL && self.lines.is_in_memory();
        if is_large && !self.fits(packing) {
            return Ok(false);
        }
        let mut lines = bits::room_for(packing.lines())?;
        let mut old = None;
        if is_large {
            // It fits, and there is memory for it.
            old = Some(core::mem::replace(&mut self.lines, Owned::new(Vec::new())).into_lines()?);
        }
        let (mut relay, mut given_back) = (Relay::default(), 0);
        while lines.len() < packing.lines() as usize {
            let start = lines.len();
            lines.resize((start + PIECE).min(packing.lines() as usize), Line([0; 8]));
            let from = old.as_deref().unwrap_or(self.lines.as_lines());
            if self.kernel.relay(&mut relay, &self.packing, from, packing, &mut lines[start..]).is_err() {
                return Ok(false);
            }
            if let Some(old) = old.as_mut().filter(|_| relay.read() - given_back >= GIVEN_BACK) {
                give_back(&mut old[given_back..relay.read()]);
                given_back = relay.read();
            }
        }
        if relay.end(old.as_deref().unwrap_or(self.lines.as_lines()), packing).is_err() {
            return Ok(false);
        }
        (self.packing, self.lines, self.body_check) = (*packing, Owned::new(lines), None);
        Ok(true)
    }

    /// Whether the table fits into this packing.
    fn fits(&self, packing: &Packing) -> bool {
        let (mut relay, mut piece) = (Relay::default(), [Line([0; 8]); PIECE]);
        let mut left = packing.lines() as usize;
        while left > 0 {
            let here = &mut piece[..left.min(PIECE)];
            left -= here.len();
            if self.kernel.relay(&mut relay, &self.packing, self.lines.as_lines(), packing, here).is_err() {
                return false;
            }
        }
        relay.end(self.lines.as_lines(), packing).is_ok()
    }

    /// The slots that it is laid out for, at most `most`, but at least the slots that are taken.
    pub(crate) fn laid_for(&self, most: u64) -> u64 {
        self.packing.room().min(most).max(self.slots)
    }

    /// Whether there is room for one more slot of those that the table was laid out for.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.slots < self.packing.room()
    }

    /// Makes room for one more slot. If the slots that the table was laid out for are taken,
    /// [`next_room`] gives the new number.
    #[inline]
    pub(crate) fn make_room(&mut self, most: u64) -> Result<()> {
        if self.has_room() {
            Ok(())
        } else {
            self.lay_out(next_room(self.packing.room().max(self.slots), most))
        }
    }

    /// The slots that the table is laid out for after [`make_room`](Self::make_room) has made room
    /// for this number of slots.
    pub(crate) fn laid_after(&self, slots: u64, most: u64) -> Result<u64> {
        let fields = self.packing.fields();
        let mut laid = self.packing.room();
        let mut room = laid;
        while room < slots {
            laid = next_room(room, most);
            room = Packing::for_slots(laid, fields.numbers, fields.tag_bits)?.room();
        }
        Ok(laid)
    }
}

/// The slots that a table is laid out for if this many are taken: an eighth more, from [`LARGE`] on
/// a quarter more; at most `most` while fewer are taken.
fn next_room(taken: u64, most: u64) -> u64 {
    let next = if taken < LARGE { more(taken) } else { taken.saturating_add(taken / 4) };
    if taken < most { next.min(most) } else { next }
}

/// From this many slots on a table grows by a quarter (FORMAT.md, section 5.5).
const LARGE: u64 = 4096;

/// Lines that are written at a time.
const PIECE: usize = 64;

/// The number of lines after which memory is given back.
const GIVEN_BACK: usize = 4 << 15;

/// A table of more lines (64 MiB) is laid out again without a second table.
const SMALL: u64 = if cfg!(test) { 40 } else { 1 << 20 };

//! The lines of a table in another packing, written while the old ones are read.

use alloc::vec::Vec;

use super::packing::{Packing, low_bits};
use super::stream::{NoRoom, check_begin, read_line, write_line};
use crate::bits::Line;

/// Entries that are read before they are written.
const AHEAD: usize = 2048;

/// How far a table was written in another packing.
#[derive(Default)]
pub(crate) struct Relay {
    /// Old lines that were read.
    read: usize,
    /// What was read; the first `out` entries were written.
    ahead: Vec<u64>,
    out: usize,
    /// New lines that were written.
    written: usize,
    /// The bucket with which the next one begins.
    begin: u64,
}

impl Relay {
    /// Old lines that were read.
    pub(crate) fn read(&self) -> usize {
        self.read
    }

    /// Writes the next lines. Every tag has room in the new slots.
    #[inline(always)]
    pub(crate) fn write(
        &mut self,
        from: &Packing,
        old: &[Line],
        to: &Packing,
        new: &mut [Line],
    ) -> Result<(), NoRoom> {
        for line in new {
            if self.ahead.len() - self.out <= to.slots() as usize && self.read < old.len() {
                self.ahead.drain(..self.out);
                self.out = 0;
                let left = self.ahead.len();
                while self.ahead.len() < AHEAD && self.read < old.len() {
                    read_line(from, old, self.read, &mut self.ahead);
                    self.read += 1;
                }
                if from.tag_bits() != to.tag_bits() {
                    self.ahead[left..].iter_mut().for_each(|entry| {
                        let tag = *entry & low_bits(from.tag_bits());
                        *entry = (*entry >> from.tag_bits()) << to.tag_bits() | tag;
                    });
                }
            }
            check_begin(to, self.written, self.begin)?;
            let written = write_line(to, self.written, self.begin, &self.ahead[self.out..]);
            *line = written.line;
            self.out += written.taken;
            self.begin = written.next;
            self.written += 1;
        }
        Ok(())
    }

    /// Was everything written?
    pub(crate) fn end(&self, old: &[Line], to: &Packing) -> Result<(), NoRoom> {
        let own = self.written as u64 * u64::from(to.buckets());
        let is_all = self.read == old.len() && self.out == self.ahead.len() && self.begin == own;
        if is_all { Ok(()) } else { Err(NoRoom) }
    }
}

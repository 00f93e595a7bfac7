//! Writes the lines of a table with another packing while it reads the old lines.

use alloc::vec::Vec;

use super::packing::{Packing, low_bits};
use super::stream::{NoRoom, check_begin, read_line, write_line};
use crate::bits::Line;

/// Entries that are read ahead of writing.
const AHEAD: usize = 2048;

/// The progress of writing a table with another packing.
#[derive(Default)]
pub(crate) struct Relay {
    /// Old lines that were read.
    read: usize,
    /// The entries read so far; the first `out` are written.
    ahead: Vec<u64>,
    out: usize,
    /// New lines that were written.
    written: usize,
    /// The bucket with which the next new line begins.
    begin: u64,
}

impl Relay {
    /// Old lines that were read.
    pub(crate) fn read(&self) -> usize {
        self.read
    }

    /// Writes the next lines. The tags must fit in the new slots.
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

    /// Checks that everything was written.
    pub(crate) fn end(&self, old: &[Line], to: &Packing) -> Result<(), NoRoom> {
        let own = self.written as u64 * u64::from(to.buckets());
        let is_all = self.read == old.len() && self.out == self.ahead.len() && self.begin == own;
        if is_all { Ok(()) } else { Err(NoRoom) }
    }
}

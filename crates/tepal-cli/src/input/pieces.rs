//! Reads an input in large pieces of whole records, and cuts a piece into pages of records.
//!
//! Reading looks only for the last end of a record in a piece (and for all ends of CSV, where only reading from the
//! front can tell them); a page finds its own. A buffer grows only for a record that is longer than it.

use crate::error::Failure;
use crate::input::records::{Batch, Cut, Cutter, find_ends};
use crate::input::source::Input;

/// Bytes that are read at once, and the first size of a buffer: it stays near the processor.
const BUFFER: usize = 1 << 18;
/// A larger buffer is there for one long record.
const LONG: usize = 4 * BUFFER;
/// A buffer of this size grows with more care for memory than for time.
const LARGE: usize = 1 << 26;

/// What ends the reading of an input before its end.
#[derive(Debug)]
pub enum Trouble {
    /// Reading failed.
    Reading(Failure),
    /// Something is wrong with the record that follows the last one read.
    Record(String),
}

impl Trouble {
    /// The failure, where `line` is the first one that was not read.
    pub fn failure(self, name: &str, line: u64) -> Failure {
        match self {
            Self::Reading(failure) => failure,
            Self::Record(text) => Failure::at_line(name, line, text),
        }
    }
}

/// Whole records of one input that were read together, and the page of them that is looked at.
#[derive(Default)]
pub struct Piece {
    buffer: Vec<u8>,
    /// The records are `buffer[..len]`.
    len: usize,
    cut: Cut,
    /// Where records end: all of CSV, of others those that pages have found.
    ends: Vec<usize>,
    /// The page: where its first record begins, and which of the ends are its own.
    start: usize,
    from: usize,
    to: usize,
    /// Whether the next read may have to wait: this one got less than it asked for.
    pub drained: bool,
}

impl Piece {
    fn clear(&mut self, cut: Cut) {
        self.ends.clear();
        (self.len, self.cut, self.start, self.from, self.to) = (0, cut, 0, 0, 0);
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Goes to the next page, of at most `limit` records; `false` after the last one.
    pub fn next_page(&mut self, limit: usize) -> bool {
        if self.to > 0 {
            self.start = self.ends[self.to - 1];
        }
        self.from = self.to;
        match self.cut.terminator() {
            Some(terminator) => {
                find_ends(terminator, &self.buffer[..self.len], self.start, limit, &mut self.ends);
                self.to = self.ends.len();
                // The last record of an input may have no terminator.
                let found = self.ends.last().copied().unwrap_or(0);
                if found < self.len && self.to - self.from < limit {
                    self.ends.push(self.len);
                    self.to += 1;
                }
            }
            None => self.to = self.ends.len().min(self.from + limit),
        }
        self.from < self.to
    }

    /// The same where nobody asks for [`Piece::whole`] any more: the ends of pages before are forgotten.
    pub fn next_page_alone(&mut self, limit: usize) -> bool {
        if self.cut.terminator().is_some() && self.to > 0 {
            self.ends[0] = self.ends[self.to - 1];
            self.ends.truncate(1);
            self.to = 1;
        }
        self.next_page(limit)
    }

    /// The records of the page.
    pub fn page(&self) -> Batch<'_> {
        self.batch(self.start, &self.ends[self.from..self.to])
    }

    /// The records of all pages so far.
    pub fn whole(&self) -> Batch<'_> {
        self.batch(0, &self.ends[..self.to])
    }

    fn batch<'a>(&'a self, start: usize, ends: &'a [usize]) -> Batch<'a> {
        Batch { cut: self.cut, bytes: &self.buffer[..self.len], start, ends }
    }

    /// Whether its buffer has grown for a long record.
    pub fn is_long(&self) -> bool {
        self.buffer.len() > LONG
    }

    /// Gives the memory of a long record back.
    pub fn shrink(&mut self) {
        if self.is_long() {
            *self = Self::default();
        }
    }
}

/// The pieces of one input.
pub struct Pieces {
    input: Input,
    cutter: Cutter,
    /// What was read after the last whole record.
    rest: Vec<u8>,
    ended: bool,
}

impl Pieces {
    /// The pieces of `input`.
    pub fn new(input: Input, cut: Cut) -> Self {
        Self { input, cutter: Cutter::new(cut), rest: Vec::new(), ended: false }
    }

    /// The name of the input.
    pub fn name(&self) -> &str {
        &self.input.name
    }

    /// Reads the next records into `piece`; `false` at the end of the input.
    ///
    /// Waits for more input only when there is no whole record yet.
    pub fn read(&mut self, piece: &mut Piece) -> Result<bool, Trouble> {
        piece.clear(self.cutter.cut());
        let mut end = self.rest.len();
        make_room(&mut piece.buffer, 0, end)?;
        piece.buffer[..end].copy_from_slice(&self.rest);
        self.rest.clear();
        loop {
            if !self.ended {
                make_room(&mut piece.buffer, end, 1)?;
                let room = piece.buffer.len().min(end + BUFFER);
                let n = self.input.read(&mut piece.buffer[end..room]).map_err(Trouble::Reading)?;
                self.ended = n == 0;
                end += n;
                piece.drained = end < room;
            }
            piece.len = self.cutter.last_end(&piece.buffer[..end], &mut piece.ends);
            if piece.len > 0 {
                self.rest.extend_from_slice(&piece.buffer[piece.len..end]);
                return Ok(true);
            }
            if self.ended && end == 0 {
                return Ok(false);
            }
            if self.ended {
                self.cutter.close(&piece.buffer[..end]).map_err(Trouble::Record)?;
                piece.len = end;
                if self.cutter.cut().terminator().is_none() {
                    piece.ends.push(end);
                }
                // The cutter has seen these bytes; there are none after them.
                self.cutter = Cutter::new(self.cutter.cut());
                return Ok(true);
            }
        }
    }
}

/// Makes `buffer` longer than `used` bytes by `more` at least. It grows by reads, its memory by half or more.
fn make_room(buffer: &mut Vec<u8>, used: usize, more: usize) -> Result<(), Trouble> {
    if buffer.len() >= used + more && !buffer.is_empty() {
        return Ok(());
    }
    let len = used + more.max(BUFFER);
    if len > buffer.capacity() {
        let now = buffer.capacity();
        let larger = if now < LARGE { 2 * now } else { now + now / 2 };
        if buffer.try_reserve_exact(larger.max(len) - buffer.len()).is_err() {
            return Err(Trouble::Record("a record too long for the memory of this machine".to_owned()));
        }
    }
    buffer.resize(len, 0);
    Ok(())
}

#[cfg(test)]
mod tests;

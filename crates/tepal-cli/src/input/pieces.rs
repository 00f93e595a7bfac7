//! Reads an input in large pieces of whole records, and cuts a piece into pages of records.
//!
//! Reading a piece looks only for the end of its last record; a page looks for the ends of its own
//! records. CSV is the exception: only a reader from the start knows which bytes are quoted, so
//! reading a piece finds all ends. A buffer grows only for a record that is longer than the buffer,
//! and at most to the longest allowed record.

use memchr::memchr;

use crate::error::Failure;
use crate::input::csv::Broken;
use crate::input::records::{Batch, BrokenRecord, Cut, Cutter, find_ends};
use crate::input::source::Input;
use crate::text::number;

/// Bytes that are read at once, and the first size of a buffer, which fits into the processor's
/// cache.
const BUFFER: usize = 1 << 18;
/// A buffer that is longer than this has grown for one long record.
const LONG: usize = 4 * BUFFER;
/// From this size on a buffer grows by a half and does not double: this takes more time and less
/// memory.
const LARGE: usize = 1 << 26;
/// At most this many rows that do not end are left out of one input. The bytes after each of them
/// are split again, up to the longest record, so without a limit a few MiB of quotes would take
/// hours.
const MOST_BROKEN: u32 = 100;

/// Why an input cannot be read to its end.
#[derive(Debug)]
pub enum ReadError {
    /// The input returns an error.
    Input(Failure),
    /// The record after the last one read is wrong, for this reason.
    Record(Broken),
}

impl From<String> for ReadError {
    fn from(text: String) -> Self {
        Self::Record(Broken { text, lines: 0 })
    }
}

impl ReadError {
    /// The failure of the input `name`. `line` is the line after the last one that was read.
    pub fn failure(self, name: &str, line: u64) -> Failure {
        match self {
            Self::Input(failure) => failure,
            Self::Record(why) => Failure::at_line(name, line + why.lines, why.text),
        }
    }
}

/// Whole records of one input that were read together, and the range of them that is the present
/// page.
#[derive(Default)]
pub struct Piece {
    buffer: Vec<u8>,
    /// The records are `buffer[..len]`.
    len: usize,
    cut: Cut,
    /// Where records end. For CSV these are all ends, else those that pages have found so far.
    ends: Vec<usize>,
    /// The page begins at `start`, and its ends are `ends[from..to]`.
    start: usize,
    from: usize,
    to: usize,
    /// The read returned fewer bytes than it could, so the next one may have to wait.
    pub drained: bool,
    /// The records whose quotes are wrong, ascending.
    broken: Vec<BrokenRecord>,
}

impl Piece {
    fn clear(&mut self, cut: Cut) {
        self.ends.clear();
        self.broken.clear();
        (self.len, self.cut, self.start, self.from, self.to) = (0, cut, 0, 0, 0);
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Moves to the next page, of at most `limit` records. Returns `false` after the last page.
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

    /// As [`Piece::next_page`], but removes the ends of the pages before. [`Piece::whole`] must not
    /// be called after it.
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

    /// The records of the page whose quotes are wrong, by their numbers in the piece; and the
    /// number of the first record of the page.
    pub fn broken(&self) -> (&[BrokenRecord], usize) {
        if self.broken.is_empty() {
            return (&[], 0);
        }
        let before = |end: usize| self.broken.partition_point(|(record, _)| *record < end);
        (&self.broken[before(self.from)..before(self.to)], self.from)
    }

    /// All records whose quotes are wrong.
    pub fn all_broken(&self) -> &[BrokenRecord] {
        &self.broken
    }

    /// Has its buffer grown for a long record?
    pub fn is_long(&self) -> bool {
        self.buffer.len() > LONG
    }

    /// Frees the memory of a long record.
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
    /// The most bytes of a record, without its terminator.
    longest: usize,
    /// The bytes that were read after the last whole record.
    rest: Vec<u8>,
    ended: bool,
    /// The number of rows that do not end and may still be left out.
    leaves_out: u32,
}

impl Pieces {
    /// The pieces of `input`, whose records may have `longest` bytes; `longest` is at least
    /// [`LONG`].
    pub fn new(input: Input, cut: Cut, longest: usize) -> Self {
        Self { input, cutter: Cutter::new(cut), longest, rest: Vec::new(), ended: false, leaves_out: 0 }
    }

    /// Sets whether rows that do not end are left out or are an error.
    pub fn leave_out_bad(&mut self, leave_out: bool) {
        self.leaves_out = if leave_out { MOST_BROKEN } else { 0 };
    }

    /// The name of the input.
    pub fn name(&self) -> &str {
        &self.input.name
    }

    /// Reads the next records into `piece`. Returns `false` at the end of the input.
    ///
    /// It waits for more bytes only while there is no whole record.
    pub fn read(&mut self, piece: &mut Piece) -> Result<bool, ReadError> {
        piece.clear(self.cutter.cut());
        let mut end = self.rest.len();
        make_room(&mut piece.buffer, 0, end, self.longest)?;
        piece.buffer[..end].copy_from_slice(&self.rest);
        self.rest.clear();
        loop {
            if !self.ended {
                make_room(&mut piece.buffer, end, 1, self.longest)?;
                let room = piece.buffer.len().min(end + BUFFER);
                let n = self.input.read(&mut piece.buffer[end..room]).map_err(ReadError::Input)?;
                self.ended = n == 0;
                end += n;
                piece.drained = end < room;
            }
            let cut = self.cutter.last_end(&piece.buffer[..end], &mut piece.ends, &mut piece.broken);
            piece.len = cut.map_err(ReadError::Record)?;
            if piece.len > 0 {
                self.check_first(piece)?;
                self.rest.extend_from_slice(&piece.buffer[piece.len..end]);
                return Ok(true);
            }
            if self.ended && end == 0 {
                return Ok(false);
            }
            if self.ended {
                if let Err((why, line)) = self.cutter.close(&piece.buffer[..end]) {
                    return self.leave_out(piece, end, Some(line), ReadError::Record(why));
                }
                if let Err(error) = self.check_length(end) {
                    return self.leave_out(piece, end, None, error);
                }
                piece.len = end;
                if self.cutter.cut().terminator().is_none() {
                    piece.ends.push(end);
                }
                // The cutter has used these bytes, and no others follow.
                self.cutter.restart();
                return Ok(true);
            }
            // A last \r may belong to the line end.
            let len = end - usize::from(piece.buffer[..end].ends_with(b"\r"));
            if let Err(error) = self.check_length(len) {
                return self.leave_out(piece, end, None, error);
            }
        }
    }

    /// If a row does not end, makes its start a record without a key: up to the line of the wrong
    /// quote, or its first line. The next record begins after this line.
    fn leave_out(
        &mut self,
        piece: &mut Piece,
        end: usize,
        line: Option<usize>,
        error: ReadError,
    ) -> Result<bool, ReadError> {
        let ReadError::Record(why) = error else { return Err(error) };
        let first_line = || memchr(b'\n', &piece.buffer[..end]).map_or(end, |at| at + 1);
        let line = line.unwrap_or_else(first_line);
        if self.leaves_out == 0 || self.cutter.cut().terminator().is_some() || line > self.longest {
            return Err(ReadError::Record(why));
        }
        self.leaves_out -= 1;
        piece.len = line;
        piece.broken.push((piece.ends.len(), why));
        piece.ends.push(line);
        self.rest.extend_from_slice(&piece.buffer[line..end]);
        self.cutter.restart();
        Ok(true)
    }

    /// Refuses a piece whose first record is too long. No later record can be too long: all of it
    /// was read at once.
    fn check_first(&self, piece: &Piece) -> Result<(), ReadError> {
        if piece.len <= self.longest {
            return Ok(());
        }
        let bytes = &piece.buffer[..piece.len];
        let end = match self.cutter.cut().terminator() {
            Some(terminator) => memchr(terminator, bytes).map_or(piece.len, |at| at + 1),
            None => piece.ends[0],
        };
        self.check_length(piece.batch(0, &[end]).content(0).len())
    }

    /// Refuses a record of more bytes than are allowed.
    fn check_length(&self, len: usize) -> Result<(), ReadError> {
        if len <= self.longest {
            return Ok(());
        }
        Err(ReadError::from(format!(
            "a record of more than {}, expected a {} before that; say with --max-record how long one may be",
            number::size(self.longest as u64),
            match self.cutter.cut() {
                Cut::Lines => "line end",
                Cut::Null => "NUL byte",
                Cut::Csv(_) | Cut::Parquet => "line end outside quotes",
            }
        )))
    }
}

/// Makes `buffer` at least `used + more` bytes long. Its memory grows by a half or more at a time,
/// up to the memory for a record of `longest` bytes.
fn make_room(buffer: &mut Vec<u8>, used: usize, more: usize, longest: usize) -> Result<(), ReadError> {
    if buffer.len() >= used + more && !buffer.is_empty() {
        return Ok(());
    }
    let len = used + more.max(BUFFER);
    if len > buffer.capacity() {
        let now = buffer.capacity();
        let larger = if now < LARGE { 2 * now } else { now + now / 2 };
        let larger = larger.min(longest + 2 * BUFFER).max(len);
        if buffer.try_reserve_exact(larger - buffer.len()).is_err() {
            return Err("a record too long for the memory of this machine".to_owned().into());
        }
    }
    buffer.resize(len, 0);
    Ok(())
}

#[cfg(test)]
mod tests;

//! Cuts an input into records, whole and unchanged, whatever their bytes and length.
//!
//! A record keeps its terminator, so that printing it gives back the input byte for byte. The last one may
//! have none. The buffer grows only for a record that is longer than it.

use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use memchr::{memchr, memchr_iter};

use crate::error::Failure;
use crate::input::Input;

/// The buffer's first size: read at once, still near the processor.
const BUFFER: usize = 1 << 18;
/// A buffer of this size grows with more care for memory than for time.
const LARGE: usize = 1 << 26;

/// Where records end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// After `\n`; a `\r` before it belongs to the terminator.
    Lines,
    /// After NUL.
    Null,
    /// After `\n` outside double quotes; the byte separates fields.
    Csv(u8),
}

/// The records of one input.
pub struct Records {
    input: Input,
    cut: Cut,
    buffer: Vec<u8>,
    /// The bytes not yet handed out are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// How many of these are known to hold no end of a record.
    searched: usize,
    /// Tells quotes in CSV.
    reader: Option<Reader>,
    /// In a record with quotes: the reader has been fed `searched` bytes of it.
    quoted: bool,
    ended: bool,
    ends: Vec<usize>,
    line: u64,
}

/// Some consecutive records.
pub struct Batch<'a> {
    cut: Cut,
    bytes: &'a [u8],
    ends: &'a [usize],
    first_line: u64,
}

impl Records {
    /// The records of `input`.
    pub fn new(input: Input, cut: Cut) -> Self {
        Self {
            input,
            cut,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            searched: 0,
            reader: None,
            quoted: false,
            ended: false,
            ends: Vec::new(),
            line: 1,
        }
    }

    /// The name of the input.
    pub fn name(&self) -> &str {
        &self.input.name
    }

    /// Whether no record is left. Waits for the next bytes where none are there yet.
    pub fn at_end(&mut self) -> Result<bool, Failure> {
        while self.start == self.end && !self.ended {
            self.fill()?;
        }
        Ok(self.start == self.end)
    }

    /// The next records, at most `limit`; nothing at the end of the input.
    ///
    /// Waits for more input only when there is no whole record yet.
    pub fn next_batch(&mut self, limit: usize) -> Result<Option<Batch<'_>>, Failure> {
        self.ends.clear();
        loop {
            match self.cut {
                Cut::Lines => self.find_ends(b'\n', limit),
                Cut::Null => self.find_ends(0, limit),
                Cut::Csv(delimiter) => self.find_csv_ends(delimiter, limit),
            }
            if !self.ends.is_empty() {
                break;
            }
            if self.ended {
                if self.start == self.end {
                    return Ok(None);
                }
                self.close_last()?;
                self.ends.push(self.end);
                self.searched = 0;
                break;
            }
            self.fill()?;
        }
        let from = self.start;
        self.start = self.ends[self.ends.len() - 1];
        let bytes = &self.buffer[from..self.start];
        let first_line = self.line;
        self.line += match self.cut {
            Cut::Lines | Cut::Null => self.ends.len() as u64,
            Cut::Csv(_) => memchr_iter(b'\n', bytes).count() as u64,
        };
        for end in &mut self.ends {
            *end -= from;
        }
        Ok(Some(Batch { cut: self.cut, bytes, ends: &self.ends, first_line }))
    }

    /// Finds the ends of records that a single byte ends.
    fn find_ends(&mut self, terminator: u8, limit: usize) {
        let from = self.start + self.searched;
        let ends = memchr_iter(terminator, &self.buffer[from..self.end]);
        self.ends.extend(ends.take(limit).map(|at| from + at + 1));
        self.searched = match self.ends.is_empty() {
            true => self.end - self.start,
            false => 0,
        };
    }

    /// Finds the ends of CSV records. A line without quotes is a record; any other goes through `csv-core`.
    fn find_csv_ends(&mut self, delimiter: u8, limit: usize) {
        let mut start = self.start;
        while self.ends.len() < limit {
            if !self.quoted {
                let Some(at) = memchr(b'\n', &self.buffer[start + self.searched..self.end]) else {
                    self.searched = self.end - start;
                    return;
                };
                let end = start + self.searched + at + 1;
                if memchr(b'"', &self.buffer[start..end]).is_none() {
                    self.ends.push(end);
                    start = end;
                    self.searched = 0;
                    continue;
                }
                self.searched = 0;
                self.quoted = true;
                self.reader.get_or_insert_with(|| csv_reader(delimiter)).reset();
            }
            let fresh = &self.buffer[start + self.searched..self.end];
            // Only where the input begins may a byte order mark stand before the first field.
            let inside = self.searched == 0 && (self.line > 1 || !self.ends.is_empty());
            let (fed, done) = match &mut self.reader {
                Some(reader) => feed(reader, fresh, inside),
                None => (0, false),
            };
            self.searched += fed;
            if !done {
                return;
            }
            start += self.searched;
            self.ends.push(start);
            self.searched = 0;
            self.quoted = false;
        }
    }

    /// Looks whether the last record, which has no terminator, is whole.
    fn close_last(&mut self) -> Result<(), Failure> {
        let Cut::Csv(delimiter) = self.cut else {
            return Ok(());
        };
        let rest = &self.buffer[self.start..self.end];
        let reader = self.reader.get_or_insert_with(|| csv_reader(delimiter));
        if !self.quoted {
            reader.reset();
            feed(reader, rest, self.line > 1);
        }
        let (_, done) = feed(reader, b"\n", false);
        if done {
            return Ok(());
        }
        Err(Failure::at_line(
            self.name(),
            self.line,
            "a quoted field that is never closed; expected a second \"",
        ))
    }

    /// Reads more, after moving what is left to the front; a full buffer grows, by half once it is large.
    fn fill(&mut self) -> Result<(), Failure> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            let len = self.buffer.len();
            let more = if len < LARGE { len } else { len / 2 };
            if self.buffer.try_reserve_exact(more).is_err() {
                return Err(Failure::at_line(
                    self.name(),
                    self.line,
                    "a record too long for the memory of this machine",
                ));
            }
            self.buffer.resize(len + more, 0);
        }
        let n = self.input.read(&mut self.buffer[self.end..])?;
        self.end += n;
        self.ended = n == 0;
        Ok(())
    }
}

impl<'a> Batch<'a> {
    /// How many records there are; at least one.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Records `from..to` as they stand in the input.
    pub fn bytes(&self, from: usize, to: usize) -> &'a [u8] {
        let end_of = |records: usize| if records == 0 { 0 } else { self.ends[records - 1] };
        &self.bytes[end_of(from)..end_of(to)]
    }

    /// Record `i` without its terminator.
    #[inline]
    pub fn content(&self, i: usize) -> &'a [u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        let record = &self.bytes[start..self.ends[i]];
        match self.cut {
            Cut::Null => record.strip_suffix(b"\0").unwrap_or(record),
            Cut::Lines | Cut::Csv(_) => match record {
                [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] => line,
                line => line,
            },
        }
    }

    /// The number of the line where record `i` begins; the first is 1. With [`Cut::Null`], of the record.
    ///
    /// Costs a look at all records before it where these may have newlines; see [`Batch::lines`].
    pub fn line(&self, i: usize) -> u64 {
        self.first_line + self.lines(0, i)
    }

    /// How many lines records `from..to` take.
    pub fn lines(&self, from: usize, to: usize) -> u64 {
        match self.cut {
            Cut::Lines | Cut::Null => (to - from) as u64,
            Cut::Csv(_) => memchr_iter(b'\n', self.bytes(from, to)).count() as u64,
        }
    }
}

/// A reader of one CSV record that ends only at `\n`.
pub fn csv_reader(delimiter: u8) -> Reader {
    ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(b'\n')).build()
}

/// Feeds bytes of one record; gives how many belong to it and whether it ended.
///
/// With `inside` the first byte goes alone: the reader would take a byte order mark off a first piece.
fn feed(reader: &mut Reader, bytes: &[u8], inside: bool) -> (usize, bool) {
    let mut sink = [0_u8; 256];
    let mut fed = 0;
    while fed < bytes.len() {
        let end = if inside && fed == 0 { 1 } else { bytes.len() };
        let (result, read, _) = reader.read_field(&bytes[fed..end], &mut sink);
        fed += read;
        if matches!(result, ReadFieldResult::Field { record_end: true }) {
            return (fed, true);
        }
    }
    (fed, false)
}

#[cfg(test)]
mod tests;

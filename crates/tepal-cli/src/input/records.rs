//! Records: where they end, and which of their bytes are content. They may have any bytes.
//!
//! A record keeps its terminator, so that printing all records gives the input again, byte for
//! byte. The last record of an input may have no terminator.

use memchr::{memchr, memchr_iter, memchr2, memmem, memrchr};
use tepal::{KeyRef, KeySink};

use crate::input::csv::{self, Broken, Csv, Found, QUOTE, Scanner};
use crate::input::field::Empty;

/// Where records end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// After `\n`; a `\r` before it belongs to the terminator.
    #[default]
    Lines,
    /// After NUL.
    Null,
    /// After `\n` outside of quotes.
    Csv(Csv),
    /// As CSV with commas, made from the rows of a Parquet file. A row is one line, whatever its
    /// values have in them.
    Parquet,
}

impl Cut {
    /// The byte that ends every record. Nothing for CSV, where that byte may stand in quotes.
    pub fn terminator(self) -> Option<u8> {
        match self {
            Self::Lines => Some(b'\n'),
            Self::Null => Some(0),
            Self::Csv(_) | Self::Parquet => None,
        }
    }
}

/// Some consecutive records.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    pub(super) cut: Cut,
    pub(super) bytes: &'a [u8],
    /// Where the first record begins, and where each one ends.
    pub(super) start: usize,
    pub(super) ends: &'a [usize],
}

impl<'a> Batch<'a> {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The first of them, so many.
    #[inline(always)]
    pub fn first(&self, records: usize) -> Batch<'a> {
        Batch { ends: &self.ends[..records], ..*self }
    }

    #[inline(always)]
    fn end_of(&self, records: usize) -> usize {
        if records == 0 { self.start } else { self.ends[records - 1] }
    }

    /// Records `from..to` as they stand in the input.
    pub fn bytes(&self, from: usize, to: usize) -> &'a [u8] {
        &self.bytes[self.end_of(from)..self.end_of(to)]
    }

    /// Record `i` without its terminator.
    #[inline(always)]
    pub fn content(&self, i: usize) -> &'a [u8] {
        let record = &self.bytes[self.end_of(i)..self.ends[i]];
        match self.cut {
            Cut::Null => record.strip_suffix(b"\0").unwrap_or(record),
            Cut::Lines | Cut::Csv(_) | Cut::Parquet => match record {
                [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] => line,
                line => line,
            },
        }
    }

    /// Is one of the first `records` lines empty?
    pub fn has_empty(&self, records: usize, empty: Empty) -> bool {
        if empty.trim {
            return (0..records).any(|i| empty.is_empty(self.content(i)));
        }
        let bytes = self.bytes(0, records);
        let begins_so = bytes.starts_with(b"\n") || bytes.starts_with(b"\r\n");
        begins_so || memmem::find(bytes, b"\n\n").is_some() || memmem::find(bytes, b"\n\r\n").is_some()
    }

    /// How many lines records `from..to` have. With [`Cut::Null`] a record counts as a line.
    ///
    /// For CSV, whose records may have newlines inside, this reads all bytes of these records.
    pub fn lines(&self, from: usize, to: usize) -> u64 {
        match self.cut {
            Cut::Lines | Cut::Null | Cut::Parquet => (to - from) as u64,
            Cut::Csv(_) => memchr_iter(b'\n', self.bytes(from, to)).count() as u64,
        }
    }
}

/// The content of each record.
impl tepal::Keys for Batch<'_> {
    fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline(always)]
    fn key<'a>(&'a self, i: usize, _: &'a mut KeySink) -> KeyRef<'a> {
        KeyRef::Bytes(self.content(i))
    }
}

/// A record that has no fields, and why.
pub type BrokenRecord = (usize, Broken);

/// This many rows with text after a quoted field are left out of an input, whatever it costs to
/// read the lines after them again; others as long as these have [`AGAIN`] bytes in all.
const BROKEN: u32 = 100;
/// Without this limit a few MiB of quotes would take hours.
const AGAIN: usize = 1 << 28;

/// Finds the whole records in the bytes that have been read.
pub struct Cutter {
    cut: Cut,
    /// So many of the first bytes have been searched and have no end of a record.
    searched: usize,
    /// Knows which bytes of CSV are in quotes.
    scanner: Option<Scanner>,
    /// The record has quotes, and the scanner has been given its first `searched` bytes.
    quoted: bool,
    /// The rows with text after a quoted field, and the bytes that were read again after them.
    broken: u32,
    again: usize,
}

impl Cutter {
    /// A cutter for bytes that begin with a record.
    pub fn new(cut: Cut) -> Self {
        let csv = match cut {
            Cut::Csv(csv) => Some(csv),
            Cut::Parquet => Some(Csv { delimiter: b',', escape: None }),
            Cut::Lines | Cut::Null => None,
        };
        Self { cut, searched: 0, scanner: csv.map(Scanner::new), quoted: false, broken: 0, again: 0 }
    }

    /// Where records end.
    pub fn cut(&self) -> Cut {
        self.cut
    }

    /// Begins with other bytes, of which the first is that of a record.
    pub fn restart(&mut self) {
        (self.searched, self.quoted) = (0, false);
        self.scanner.iter_mut().for_each(Scanner::reset);
    }

    /// The end of the last whole record in `bytes`, or 0 if no record is whole. `bytes` must begin
    /// with a record.
    ///
    /// The `bytes` of the next call must begin after that end; if no record is whole they must be
    /// the same bytes and more. For CSV all ends are appended to `ends`, and the records that have
    /// text after a quoted field to `broken`; an error is the first record, if too many were so
    /// before it. For other records [`find_ends`] finds the ends.
    pub fn last_end(
        &mut self,
        bytes: &[u8],
        ends: &mut Vec<usize>,
        broken: &mut Vec<BrokenRecord>,
    ) -> Result<usize, Broken> {
        match self.cut {
            Cut::Csv(Csv { escape, .. }) => self.csv_ends(bytes, escape, ends, broken),
            Cut::Parquet => self.csv_ends(bytes, None, ends, broken),
            Cut::Lines => Ok(self.last_after(b'\n', bytes)),
            Cut::Null => Ok(self.last_after(0, bytes)),
        }
    }

    fn last_after(&mut self, terminator: u8, bytes: &[u8]) -> usize {
        let end = memrchr(terminator, &bytes[self.searched..]).map_or(0, |at| self.searched + at + 1);
        self.searched = bytes.len() - end;
        end
    }

    /// Finds the ends of CSV records. A line without quotes and escapes is a record.
    fn csv_ends(
        &mut self,
        bytes: &[u8],
        escape: Option<u8>,
        ends: &mut Vec<usize>,
        broken: &mut Vec<BrokenRecord>,
    ) -> Result<usize, Broken> {
        let Some(scanner) = &mut self.scanner else { return Ok(0) };
        let has_quotes = |line: &[u8]| match escape {
            None => memchr(QUOTE, line).is_some(),
            Some(escape) => memchr2(QUOTE, escape, line).is_some(),
        };
        let mut start = 0;
        loop {
            if !self.quoted {
                let Some(at) = memchr(b'\n', &bytes[start + self.searched..]) else {
                    self.searched = bytes.len() - start;
                    return Ok(start);
                };
                let end = start + self.searched + at + 1;
                self.searched = 0;
                if !has_quotes(&bytes[start..end]) {
                    ends.push(end);
                    start = end;
                    continue;
                }
                self.quoted = true;
                scanner.reset();
            }
            let row = &bytes[start..];
            match scanner.scan(row) {
                Found::Nothing => {
                    self.searched = row.len();
                    return Ok(start);
                }
                Found::End(len) => start += len,
                Found::Text if !scanner.has_line(row) => {
                    self.searched = row.len();
                    return Ok(start);
                }
                Found::Text => {
                    let (why, len) = scanner.broken(row, scanner.text_after(row));
                    if self.broken >= BROKEN && self.again > AGAIN {
                        scanner.reset();
                        return if start == 0 { Err(why) } else { Ok(start) };
                    }
                    self.broken += 1;
                    self.again += scanner.scanned().saturating_sub(len);
                    broken.push((ends.len(), why));
                    start += len;
                }
            }
            ends.push(start);
            self.searched = 0;
            self.quoted = false;
        }
    }

    /// Checks `rest`, the last record, which has no terminator. The error of one that is no record
    /// has the end of the line with the quote that opens the wrong field.
    pub fn close(&mut self, rest: &[u8]) -> Result<(), (Broken, usize)> {
        let Some(scanner) = &mut self.scanner else { return Ok(()) };
        if !self.quoted {
            scanner.reset();
        }
        let text = match scanner.scan(rest) {
            Found::Text => scanner.text_after(rest),
            _ if !scanner.can_end() => csv::never_closed(),
            _ => return Ok(()),
        };
        Err(scanner.broken(rest, text))
    }
}

/// Appends the ends of the next records after `start` to `ends`, at most `limit`. One byte ends
/// every record.
///
/// While records are short, 64 bytes are compared at a time: this takes a fifth to a half of the
/// time of one search for each record. After 64 bytes without an end a search for each record is
/// faster.
pub fn find_ends(terminator: u8, bytes: &[u8], start: usize, limit: usize, ends: &mut Vec<usize>) {
    let most = ends.len() + limit;
    ends.reserve(limit.min(bytes.len() - start));
    let mut at = start;
    while let Some((block, _)) = bytes[at..].split_first_chunk::<64>() {
        let mut found = equal_bytes(block, terminator);
        if found == 0 {
            break;
        }
        while found != 0 {
            if ends.len() == most {
                return;
            }
            ends.push(at + found.trailing_zeros() as usize + 1);
            found &= found - 1;
        }
        at += block.len();
    }
    while ends.len() < most {
        let Some(found) = memchr(terminator, &bytes[at..]) else {
            return;
        };
        at += found + 1;
        ends.push(at);
    }
}

/// Which bytes of a block are `byte`: bit i for byte i.
#[inline]
fn equal_bytes(block: &[u8; 64], byte: u8) -> u64 {
    /// Multiplying by this adds up the bytes of a word in its highest byte.
    const SUM: u64 = 0x0101_0101_0101_0101;
    // A loop over bytes, which the compiler makes a few vector operations of. With words all the
    // way it took 1.6 times as long.
    let mut marks = [0; 64];
    for (i, mark) in marks.iter_mut().enumerate() {
        *mark = if block[i] == byte { 1 << (i % 8) } else { 0 };
    }
    let mut found = 0;
    for (i, word) in marks.chunks_exact(8).enumerate() {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        found |= (word.wrapping_mul(SUM) >> 56) << (8 * i);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn ends_are_found_at_every_place_and_distance() {
        let mut random = Random::new(0x5eed);
        let mut below = |bound| random.below(bound);
        for case in 0..3000 {
            let (len, most) = (below(700), 1 << below(9));
            let rarity = 1 + below(most);
            let terminator = [b'\n', 0, 0x80, 0xff][case % 4];
            let bytes: Vec<u8> = (0..len)
                .map(|_| match below(rarity) {
                    0 => terminator,
                    _ => terminator.wrapping_add(below(256) as u8),
                })
                .collect();
            let start = below(len + 1) as usize;
            let limit = 1 + below(90) as usize;
            let all = (start..bytes.len()).filter(|&at| bytes[at] == terminator).map(|at| at + 1);
            let expected: Vec<usize> = [7].into_iter().chain(all.take(limit)).collect();
            let mut ends = vec![7];
            find_ends(terminator, &bytes, start, limit, &mut ends);
            assert_eq!(ends, expected, "{limit} of {bytes:?} from {start}");
        }
    }
}

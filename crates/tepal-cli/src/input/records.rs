//! Records: where they end, and which of their bytes are content. They may have any bytes.
//!
//! A record keeps its terminator, so that printing all records gives the input again, byte for
//! byte. The last record of an input may have no terminator.

use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use memchr::{memchr, memchr_iter, memrchr};
use tepal::{KeyRef, KeySink};

/// Where records end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// After `\n`; a `\r` before it belongs to the terminator.
    #[default]
    Lines,
    /// After NUL.
    Null,
    /// After `\n` outside double quotes; the byte separates fields.
    Csv(u8),
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

/// Finds the whole records in the bytes that have been read.
pub struct Cutter {
    cut: Cut,
    /// So many of the first bytes have been searched and have no end of a record.
    searched: usize,
    /// Knows which bytes of CSV are in quotes.
    reader: Option<Reader>,
    /// The record has quotes, and the reader has been given its first `searched` bytes.
    quoted: bool,
}

impl Cutter {
    /// A cutter for bytes that begin with a record.
    pub fn new(cut: Cut) -> Self {
        Self { cut, searched: 0, reader: None, quoted: false }
    }

    /// Where records end.
    pub fn cut(&self) -> Cut {
        self.cut
    }

    /// The end of the last whole record in `bytes`, or 0 if no record is whole. `bytes` must begin
    /// with a record.
    ///
    /// The `bytes` of the next call must begin after that end; if no record is whole they must be
    /// the same bytes and more. For CSV all ends are appended to `ends`. For other records
    /// [`find_ends`] finds them.
    pub fn last_end(&mut self, bytes: &[u8], ends: &mut Vec<usize>) -> usize {
        match self.cut {
            Cut::Csv(delimiter) => self.csv_ends(bytes, delimiter, ends),
            Cut::Parquet => self.csv_ends(bytes, b',', ends),
            Cut::Lines => self.last_after(b'\n', bytes),
            Cut::Null => self.last_after(0, bytes),
        }
    }

    fn last_after(&mut self, terminator: u8, bytes: &[u8]) -> usize {
        let end = memrchr(terminator, &bytes[self.searched..]).map_or(0, |at| self.searched + at + 1);
        self.searched = bytes.len() - end;
        end
    }

    /// Finds the ends of CSV records. A line without quotes is a record; any other goes through
    /// `csv-core`.
    fn csv_ends(&mut self, bytes: &[u8], delimiter: u8, ends: &mut Vec<usize>) -> usize {
        let mut start = 0;
        loop {
            if !self.quoted {
                let Some(at) = memchr(b'\n', &bytes[start + self.searched..]) else {
                    self.searched = bytes.len() - start;
                    return start;
                };
                let end = start + self.searched + at + 1;
                if memchr(b'"', &bytes[start..end]).is_none() {
                    ends.push(end);
                    start = end;
                    self.searched = 0;
                    continue;
                }
                self.searched = 0;
                self.quoted = true;
                self.reader.get_or_insert_with(|| csv_reader(delimiter)).reset();
            }
            let fresh = &bytes[start + self.searched..];
            let begins = self.searched == 0;
            let (fed, done) = match &mut self.reader {
                Some(reader) => feed(reader, fresh, begins),
                None => (0, false),
            };
            self.searched += fed;
            if !done {
                return start;
            }
            start += self.searched;
            ends.push(start);
            self.searched = 0;
            self.quoted = false;
        }
    }

    /// Checks `rest`, the last record, which has no terminator.
    pub fn close(&mut self, rest: &[u8]) -> Result<(), String> {
        let delimiter = match self.cut {
            Cut::Csv(delimiter) => delimiter,
            Cut::Parquet => b',',
            Cut::Lines | Cut::Null => return Ok(()),
        };
        let reader = self.reader.get_or_insert_with(|| csv_reader(delimiter));
        if !self.quoted {
            reader.reset();
            feed(reader, rest, true);
        }
        match feed(reader, b"\n", false) {
            (_, true) => Ok(()),
            (_, false) => Err("a quoted field that is never closed; expected a second \"".to_owned()),
        }
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

/// A reader of one CSV record that ends only at `\n`.
pub fn csv_reader(delimiter: u8) -> Reader {
    ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(b'\n')).build()
}

/// Gives bytes to the reader until its record ends. Returns how many bytes it took, and whether the
/// record has ended.
///
/// If a record `begins` here, its first byte is given alone: the reader would remove a byte order
/// mark from the first bytes that it is given, and the one that belongs to no record was left out
/// before.
fn feed(reader: &mut Reader, bytes: &[u8], begins: bool) -> (usize, bool) {
    let mut sink = [0_u8; 256];
    let mut fed = 0;
    while fed < bytes.len() {
        let end = if begins && fed == 0 { 1 } else { bytes.len() };
        let (result, read, _) = reader.read_field(&bytes[fed..end], &mut sink);
        fed += read;
        if matches!(result, ReadFieldResult::Field { record_end: true }) {
            return (fed, true);
        }
    }
    (fed, false)
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

//! Cuts a list into records and takes the key out of each: a whole line, or a column of CSV.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use tepal::{KeyRef, KeySink, Keys};

use crate::json::Json;

/// The longest record. A longer one is no list of keys: its delimiter or its quotes are wrong.
const MOST_BYTES: usize = 16 << 20;

/// Where the key of a record is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    /// The byte between columns; 0 if a whole line is the key.
    pub(crate) delimiter: u8,
    /// The column of the key, from 0 on.
    pub(crate) column: usize,
    /// The column of the segment or of the value, for kinds that have one.
    pub(crate) second: Option<usize>,
    /// The first record has the names of the columns.
    pub(crate) has_header: bool,
}

/// A list that is read in pieces of any length.
#[derive(Default)]
pub(crate) struct Records {
    place: Place,
    /// Bytes that are no whole record yet.
    waiting: Vec<u8>,
    is_past_header: bool,
    /// The first bytes have been looked at.
    is_started: bool,
}

/// Records of one piece, and their keys.
#[derive(Default)]
pub(crate) struct Batch {
    /// The piece, and what was waiting before it.
    pub(crate) bytes: Vec<u8>,
    /// Where each record stands, with its line end.
    pub(crate) records: Vec<Range<usize>>,
    /// The texts of keys and second columns.
    texts: Vec<u8>,
    keys: Vec<Range<usize>>,
    /// The second column of each record.
    pub(crate) seconds: Vec<Range<usize>>,
}

impl Batch {
    /// The second column of a record.
    pub(crate) fn second(&self, record: usize) -> &[u8] {
        self.seconds.get(record).and_then(|at| self.texts.get(at.clone())).unwrap_or_default()
    }

    fn key_bytes(&self, record: usize) -> &[u8] {
        let Some(at) = self.keys.get(record) else { return &[] };
        let whole = if self.texts.is_empty() { &self.bytes } else { &self.texts };
        whole.get(at.clone()).unwrap_or_default()
    }
}

impl Keys for Batch {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn key<'a>(&'a self, i: usize, _: &'a mut KeySink) -> KeyRef<'a> {
        KeyRef::Bytes(self.key_bytes(i))
    }
}

impl Records {
    /// A new list.
    pub(crate) fn new(place: Place) -> Self {
        Records { place, ..Records::default() }
    }

    /// The whole records of the next piece; with `is_last` also the one without a line end.
    pub(crate) fn take(&mut self, piece: &[u8], is_last: bool) -> Result<Batch, &'static str> {
        let mut batch = Batch { bytes: core::mem::take(&mut self.waiting), ..Batch::default() };
        batch.bytes.extend_from_slice(if self.is_started { piece } else { start_of(piece)? });
        self.is_started |= !piece.is_empty();
        let read = match self.place.delimiter {
            0 => self.lines(&mut batch, is_last),
            delimiter => self.rows(delimiter, &mut batch, is_last)?,
        };
        self.waiting = batch.bytes.get(read..).unwrap_or_default().to_vec();
        match self.waiting.len() > MOST_BYTES {
            true => {
                Err("a record of more than 16 MiB; is this the right delimiter, and are its quotes closed?")
            }
            false => Ok(batch),
        }
    }

    fn lines(&mut self, batch: &mut Batch, is_last: bool) -> usize {
        let mut start = 0;
        while let Some(rest) = batch.bytes.get(start..).filter(|rest| !rest.is_empty()) {
            let end = match rest.iter().position(|byte| *byte == b'\n') {
                Some(at) => start + at + 1,
                None if is_last => batch.bytes.len(),
                None => break,
            };
            let content = match &batch.bytes[start..end] {
                [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] => line.len(),
                line => line.len(),
            };
            batch.records.push(start..end);
            batch.keys.push(start..start + content);
            start = end;
        }
        start
    }

    fn rows(&mut self, delimiter: u8, batch: &mut Batch, is_last: bool) -> Result<usize, &'static str> {
        let mut reader = reader(delimiter);
        let (mut fields, mut ends) = (vec![0; 4096], vec![0; 64]);
        let mut start = 0;
        while let Some(rest) = batch.bytes.get(start..).filter(|rest| !rest.is_empty()) {
            let Some((len, columns)) = record(&mut reader, rest, is_last, &mut fields, &mut ends) else {
                break;
            };
            let place = |column: usize| -> Result<Range<usize>, &'static str> {
                match column < columns {
                    true => Ok(column.checked_sub(1).map_or(0, |before| ends[before])..ends[column]),
                    false => {
                        Err("a record has fewer columns than the one that was chosen; is this the delimiter?")
                    }
                }
            };
            if columns > 0 && (self.is_past_header || !self.place.has_header) {
                let mut put = |column| -> Result<Range<usize>, &'static str> {
                    let at = batch.texts.len();
                    batch.texts.extend_from_slice(&fields[place(column)?]);
                    Ok(at..batch.texts.len())
                };
                batch.keys.push(put(self.place.column)?);
                if let Some(second) = self.place.second {
                    batch.seconds.push(put(second)?);
                }
                batch.records.push(start..start + len);
                // An empty key has a text, too: an empty list of texts means whole lines.
                batch.texts.push(b'\n');
            }
            self.is_past_header |= columns > 0;
            start += len;
        }
        Ok(start)
    }
}

/// The start of a list without its mark of UTF-8. Refuses what is no text with lines; the command
/// refuses or unpacks it.
fn start_of(piece: &[u8]) -> Result<&[u8], &'static str> {
    let lone_cr = |start: &[u8]| start.contains(&b'\r') && !start.contains(&b'\n') && start.len() > 1;
    match piece {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Err("the list is in UTF-16; save it as UTF-8"),
        [0x1F, 0x8B, ..] | [0x28, 0xB5, 0x2F, 0xFD, ..] => Err("the list is compressed; unpack it first"),
        [b'P', b'K', 3, 4, ..] => Err("the list is a ZIP archive or a spreadsheet; save it as CSV or text"),
        [b'P', b'A', b'R', b'1', ..] => Err("the list is a Parquet file; save its column as text"),
        [0xEF, 0xBB, 0xBF, rest @ ..] => Ok(rest),
        piece if lone_cr(piece.get(..4096).unwrap_or(piece)) => {
            Err("its lines end in CR alone, as on old Macs; expected LF or CR LF")
        }
        piece => Ok(piece),
    }
}

fn reader(delimiter: u8) -> Reader {
    ReaderBuilder::new().delimiter(delimiter).build()
}

/// Reads one record: its bytes with its line end, and its number of columns. `None` if it is not
/// whole.
fn record(
    reader: &mut Reader,
    bytes: &[u8],
    is_last: bool,
    fields: &mut Vec<u8>,
    ends: &mut Vec<usize>,
) -> Option<(usize, usize)> {
    reader.reset();
    let (mut read, mut written, mut columns) = (0, 0, 0);
    loop {
        let rest = bytes.get(read..).unwrap_or_default();
        let (result, taken, put, ended) =
            reader.read_record(rest, &mut fields[written..], &mut ends[columns..]);
        read += taken;
        written += put;
        columns += ended;
        match result {
            ReadRecordResult::InputEmpty if !is_last => return None,
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::OutputFull => fields.resize(2 * fields.len(), 0),
            ReadRecordResult::OutputEndsFull => ends.resize(2 * ends.len(), 0),
            ReadRecordResult::End => return Some((read, columns)),
            ReadRecordResult::Record => {
                // A CR ends a record; the LF behind it belongs to it.
                let has_lf = bytes.get(read) == Some(&b'\n') && read > 0 && bytes[read - 1] == b'\r';
                return Some((read + usize::from(has_lf), columns));
            }
        }
    }
}

/// Delimiters that a list may have, the likeliest first.
const DELIMITERS: [u8; 4] = *b",;\t|";

/// The first records of a list, cut at the delimiter that gives all of them the most columns, or at
/// the one that is named.
pub(crate) fn preview(start: &[u8], named: u8, json: &mut Json) -> Result<(), &'static str> {
    let start = start_of(start)?;
    let rows_by = |delimiter: u8| -> Vec<Vec<Vec<u8>>> {
        let mut reader = reader(delimiter);
        let (mut fields, mut ends, mut at, mut rows) = (vec![0; 4096], vec![0; 64], 0, Vec::new());
        while let Some(rest) = start.get(at..).filter(|rest| !rest.is_empty() && rows.len() < 6) {
            let Some((len, columns)) = record(&mut reader, rest, true, &mut fields, &mut ends) else { break };
            let mut from = 0;
            let row =
                ends[..columns].iter().map(|&end| fields[core::mem::replace(&mut from, end)..end].to_vec());
            rows.extend(Some(row.collect::<Vec<_>>()).filter(|row| !row.is_empty()));
            at += len;
        }
        rows
    };
    let columns = |rows: &[Vec<Vec<u8>>]| rows.iter().map(Vec::len).min().unwrap_or(0);
    let (delimiter, rows) = match named {
        0 => {
            let mut best = (0, rows_by(0));
            for delimiter in DELIMITERS {
                let rows = rows_by(delimiter);
                if columns(&rows) > columns(&best.1).max(1) {
                    best = (delimiter, rows);
                }
            }
            best
        }
        named => (named, rows_by(named)),
    };
    json.object(|json| {
        json.name("delimiter").plain(delimiter);
        json.name("rows").array(|json| {
            for row in &rows {
                json.array(|json| {
                    row.iter().for_each(|field| json.text(&alloc::string::String::from_utf8_lossy(field)));
                });
            }
        });
    });
    Ok(())
}

//! The fields of one row.

use csv_core::{ReadFieldResult, Reader};
use memchr::{memchr, memchr_iter};

use crate::input::field::RowFormat;
use crate::input::records::csv_reader;

/// The state for reading a quoted field.
pub struct Scratch {
    reader: Reader,
    field: Vec<u8>,
}

/// Is column `number` of a row of a Parquet file absent? An empty text is in quotes.
pub fn is_null(record: &[u8], number: usize, columns: usize) -> bool {
    match (number, columns) {
        (_, 1) => record.is_empty(),
        (1, _) => record.starts_with(b","),
        _ => record.ends_with(b","),
    }
}

/// Field `number` of a row; `None` if the row has fewer fields.
pub fn column<'a>(
    record: &'a [u8],
    number: usize,
    format: RowFormat,
    scratch: &'a mut Scratch,
) -> Option<&'a [u8]> {
    if format.quotes && memchr(b'"', record).is_some() {
        return scratch.unquoted(record, number);
    }
    let mut delimiters = memchr_iter(format.delimiter, record);
    let start = match number {
        1 => 0,
        _ => delimiters.nth(number - 2)? + 1,
    };
    let end = delimiters.next().unwrap_or(record.len());
    Some(&record[start..end])
}

impl Scratch {
    /// The state for rows of this format.
    pub fn new(format: RowFormat) -> Self {
        Self { reader: csv_reader(format.delimiter), field: Vec::new() }
    }

    /// Begins a row.
    fn begin(&mut self, record: &[u8]) {
        self.reader.reset();
        self.field.clear();
        self.field.resize(record.len(), 0);
    }

    /// Reads the field of a row that begins at byte `read`. Returns its length, and whether it is
    /// the last one; `None` after the last.
    fn next(&mut self, record: &[u8], read: &mut usize) -> Option<(usize, bool)> {
        let mut written = 0;
        loop {
            // The first byte is passed alone, because the reader would remove a byte-order mark
            // from the first bytes. After the last byte, an empty slice tells the reader that the
            // row ends.
            let end = if *read == 0 { 1 } else { record.len() };
            let (result, nin, nout) = self.reader.read_field(&record[*read..end], &mut self.field[written..]);
            *read += nin;
            written += nout;
            match result {
                ReadFieldResult::InputEmpty => {}
                ReadFieldResult::OutputFull => {
                    let more = self.field.len().max(64);
                    self.field.resize(self.field.len() + more, 0);
                }
                ReadFieldResult::Field { record_end } => return Some((written, record_end)),
                ReadFieldResult::End => return None,
            }
        }
    }

    /// Field `number` of a row with quotes.
    fn unquoted(&mut self, record: &[u8], number: usize) -> Option<&[u8]> {
        self.begin(record);
        let mut read = 0;
        for _ in 1..number {
            if self.next(record, &mut read)?.1 {
                return None;
            }
        }
        let (len, _) = self.next(record, &mut read)?;
        Some(&self.field[..len])
    }
}

/// The fields of a row.
pub fn fields(record: &[u8], format: RowFormat) -> Box<dyn Iterator<Item = Vec<u8>> + '_> {
    if !format.quotes || memchr(b'"', record).is_none() {
        return Box::new(record.split(move |byte| *byte == format.delimiter).map(<[u8]>::to_vec));
    }
    let (mut scratch, mut read, mut ended) = (Scratch::new(format), 0, false);
    scratch.begin(record);
    Box::new(std::iter::from_fn(move || {
        let (len, is_last) = if ended { None } else { scratch.next(record, &mut read) }?;
        ended = is_last;
        Some(scratch.field[..len].to_vec())
    }))
}

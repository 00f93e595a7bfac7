//! The rows of a Parquet file as CSV: a header row with the names of the chosen columns, and one
//! row for each row of the file.
//!
//! An absent value (NULL) is an empty field, and an empty text is `""`.

use std::io::{self, Read};
use std::sync::Arc;

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::DataType;
use ::parquet::file::metadata::ParquetMetaData;

use super::column::Column;
use super::pages::{Bytewise, Unpacked};
use super::text::Text;
use super::{said, without_panic};
use crate::input::limits::{self, Limits};

/// Rows that are decoded at once.
const BATCH: usize = 1024;
/// Bytes of text after which no further row is written before they are read.
const ENOUGH: usize = 1 << 16;

/// Reads the rows.
pub struct Rows {
    file: Arc<Bytewise>,
    metadata: ParquetMetaData,
    columns: Vec<Column>,
    /// The most bytes of a value.
    longest: usize,
    /// The number of the next row group.
    next: usize,
    /// The columns of the present row group.
    open: Vec<Box<dyn Cells>>,
    /// The rows of the row group that are not decoded yet.
    left: u64,
    /// The rows that are decoded and not written yet.
    decoded: usize,
    /// The number of rows that are written.
    written: u64,
    /// The text of some rows, of which the first `at` bytes have been read.
    text: Vec<u8>,
    at: usize,
    /// The error that follows the text.
    failed: Option<String>,
}

impl Rows {
    /// The rows of a file, which have these columns.
    pub fn new(file: Bytewise, metadata: ParquetMetaData, columns: Vec<Column>, limits: Limits) -> Self {
        let mut text = Vec::new();
        for column in &columns {
            let start = text.len();
            text.extend_from_slice(column.name.as_bytes());
            quote(start, &mut text);
            text.push(b',');
        }
        text.pop();
        text.push(b'\n');
        Self {
            file: Arc::new(file),
            metadata,
            columns,
            longest: limits.record,
            next: 0,
            open: Vec::new(),
            left: 0,
            decoded: 0,
            written: 0,
            text,
            at: 0,
            failed: None,
        }
    }

    /// Writes the text of some rows. Returns `false` after the last row.
    fn write(&mut self) -> Result<bool, String> {
        while self.decoded == 0 {
            if self.left == 0 && !self.next_group()? {
                return Ok(false);
            }
            self.decoded = usize::try_from(self.left).map_or(BATCH, |left| left.min(BATCH));
            self.left -= self.decoded as u64;
            for column in &mut self.open {
                if column.decode(self.decoded)? != self.decoded {
                    return Err("it has fewer values than rows".to_owned());
                }
            }
        }
        while self.decoded > 0 && self.text.len() < ENOUGH {
            for column in &mut self.open {
                column.write(self.longest, &mut self.text)?;
                self.text.push(b',');
            }
            self.text.pop();
            self.text.push(b'\n');
            self.decoded -= 1;
            self.written += 1;
        }
        Ok(true)
    }

    /// Opens the next row group. Returns `false` after the last one.
    fn next_group(&mut self) -> Result<bool, String> {
        for column in &mut self.open {
            if column.decode(1)? != 0 {
                return Err("it has more values than rows".to_owned());
            }
        }
        self.open.clear();
        if self.next == self.metadata.num_row_groups() {
            return Ok(false);
        }
        let group = self.metadata.row_group(self.next);
        self.next += 1;
        self.left = u64::try_from(group.num_rows()).map_err(|_| "it has a negative number of rows")?;
        let rows = usize::try_from(self.left).map_err(|_| "it has too many rows for this machine")?;
        for column in &self.columns {
            let chunk = group.column(column.leaf);
            let pages = Unpacked::new(self.file.clone(), chunk, rows).map_err(said)?;
            let reader = get_column_reader(chunk.column_descr_ptr(), Box::new(pages));
            self.open.push(cells(reader, column.text, chunk.column_descr().max_def_level())?);
        }
        Ok(true)
    }
}

impl Read for Rows {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut read = 0;
        while read < buffer.len() {
            if self.at == self.text.len() {
                (self.text, self.at) = (std::mem::take(&mut self.text), 0);
                self.text.clear();
                if self.failed.is_none() {
                    match without_panic(|| self.write()) {
                        Ok(true) => {}
                        Ok(false) => break,
                        Err(why) => {
                            self.failed = Some(format!(
                                "unreadable Parquet data after row {} ({why}); nothing after this point can be read",
                                self.written
                            ));
                        }
                    }
                }
                if let (Some(why), true) = (&self.failed, self.text.is_empty()) {
                    if read > 0 {
                        break;
                    }
                    return Err(io::Error::new(io::ErrorKind::InvalidData, why.clone()));
                }
            }
            let len = (self.text.len() - self.at).min(buffer.len() - read);
            buffer[read..read + len].copy_from_slice(&self.text[self.at..self.at + len]);
            (self.at, read) = (self.at + len, read + len);
        }
        Ok(read)
    }
}

/// The values of one column in one row group.
trait Cells: Send {
    /// Decodes up to `rows` rows, and returns their number. All that were decoded before must be
    /// written.
    fn decode(&mut self, rows: usize) -> Result<usize, String>;

    /// Appends the field of the next row.
    fn write(&mut self, longest: usize, out: &mut Vec<u8>) -> Result<(), String>;
}

/// Appends the text of a value. A longer value than the limit is refused.
type Write<T> = fn(Text, &T, usize, &mut Vec<u8>) -> Result<(), String>;

struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    text: Text,
    write: Write<T::T>,
    /// The level of a value that is there; 0 if all are.
    present: i16,
    levels: Vec<i16>,
    values: Vec<T::T>,
    /// The next of `levels`, and of `values`.
    row: usize,
    value: usize,
}

impl<T: DataType> Cells for Typed<T> {
    fn decode(&mut self, rows: usize) -> Result<usize, String> {
        self.levels.clear();
        self.values.clear();
        (self.row, self.value) = (0, 0);
        let levels = (self.present > 0).then_some(&mut self.levels);
        let (rows, _, _) = self.reader.read_records(rows, levels, None, &mut self.values).map_err(said)?;
        Ok(rows)
    }

    fn write(&mut self, longest: usize, out: &mut Vec<u8>) -> Result<(), String> {
        let is_absent = self.present > 0 && self.levels[self.row] < self.present;
        self.row += 1;
        if is_absent {
            return Ok(());
        }
        self.value += 1;
        (self.write)(self.text, &self.values[self.value - 1], longest, out)
    }
}

fn cells(reader: ColumnReader, text: Text, present: i16) -> Result<Box<dyn Cells>, String> {
    fn typed<T: DataType>(
        reader: ColumnReaderImpl<T>,
        text: Text,
        present: i16,
        write: Write<T::T>,
    ) -> Box<dyn Cells> {
        let (levels, values) = (Vec::new(), Vec::new());
        Box::new(Typed { reader, text, write, present, levels, values, row: 0, value: 0 })
    }
    Ok(match reader {
        ColumnReader::BoolColumnReader(reader) => typed(reader, text, present, |_, value, _, out| {
            out.extend_from_slice(if *value { b"true" } else { b"false" });
            Ok(())
        }),
        ColumnReader::Int32ColumnReader(reader) => {
            typed(reader, text, present, |text, value, _, out| text.int32(*value, out))
        }
        ColumnReader::Int64ColumnReader(reader) => {
            typed(reader, text, present, |text, value, _, out| text.int64(*value, out))
        }
        ColumnReader::ByteArrayColumnReader(reader) => {
            typed(reader, text, present, |text, value, longest, out| bytes(text, value.data(), longest, out))
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            typed(reader, text, present, |text, value, longest, out| bytes(text, value.data(), longest, out))
        }
        // `Text::of` refuses their columns.
        _ => return Err("a column of another type than its name says".to_owned()),
    })
}

fn bytes(text: Text, value: &[u8], longest: usize, out: &mut Vec<u8>) -> Result<(), String> {
    if value.len() > longest {
        return Err(format!(
            "a value of more than {}; say with --max-record how long one may be",
            limits::exact(longest as u64)
        ));
    }
    let start = out.len();
    text.bytes(value, out)?;
    quote(start, out);
    Ok(())
}

/// Puts the field from `start` on in quotes if it is empty or has a byte that separates fields or
/// rows.
fn quote(start: usize, out: &mut Vec<u8>) {
    let field = &out[start..];
    let is_plain =
        field.iter().fold(true, |plain, byte| plain & !matches!(byte, b'"' | b',' | b'\n' | b'\r'));
    if is_plain && !field.is_empty() {
        return;
    }
    let field = out.split_off(start);
    out.push(b'"');
    for part in field.split_inclusive(|byte| *byte == b'"') {
        out.extend_from_slice(part);
        if part.ends_with(b"\"") {
            out.push(b'"');
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        for (field, expected) in [
            (&b"a b"[..], &b"a b"[..]),
            (b"", b"\"\""),
            (b"a,b", b"\"a,b\""),
            (b"a\r", b"\"a\r\""),
            (b"\n", b"\"\n\""),
            (b"\"", b"\"\"\"\""),
            (b"a\"b\"", b"\"a\"\"b\"\"\""),
        ] {
            let mut out = [b"x,", field].concat();
            quote(2, &mut out);
            assert_eq!(out, [b"x,", expected].concat());
        }
    }
}

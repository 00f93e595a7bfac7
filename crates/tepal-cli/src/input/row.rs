//! The fields of one row.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2};

use crate::input::csv::{self, Csv, Fields, QUOTE};
use crate::input::field::RowFormat;

/// Is column `number` of a row of a Parquet file absent? An empty text is in quotes.
pub fn is_null(record: &[u8], number: usize, columns: usize) -> bool {
    match (number, columns) {
        (_, 1) => record.is_empty(),
        (1, _) => record.starts_with(b","),
        _ => record.ends_with(b","),
    }
}

/// The rule for the fields of this row, if some of them may be in quotes or have escapes.
fn csv(record: &[u8], format: RowFormat) -> Option<Csv> {
    let csv = format.csv()?;
    let needed = match csv.escape {
        None => memchr(QUOTE, record),
        Some(escape) => memchr2(QUOTE, escape, record),
    };
    needed.map(|_| csv)
}

/// Field `number` of a row; `None` if the row has fewer fields. `room` is for a field with doubled
/// quotes or escapes.
pub fn column<'a>(
    record: &'a [u8],
    number: usize,
    format: RowFormat,
    room: &'a mut Vec<u8>,
) -> Result<Option<&'a [u8]>, String> {
    if let Some(csv) = csv(record, format) {
        let mut fields = Fields::new(record, csv);
        for _ in 1..number {
            if fields.next().transpose()?.is_none() {
                return Ok(None);
            }
        }
        let Some(raw) = fields.next().transpose()? else { return Ok(None) };
        return Ok(Some(raw.text(csv, room).unwrap_or(room)));
    }
    let mut delimiters = memchr_iter(format.delimiter, record);
    let start = match number {
        1 => 0,
        _ => match delimiters.nth(number - 2) {
            Some(at) => at + 1,
            None => return Ok(None),
        },
    };
    let end = delimiters.next().unwrap_or(record.len());
    Ok(Some(&record[start..end]))
}

/// The fields of a row. What is wrong with its quotes is not told: the field has them then.
pub fn fields(record: &[u8], format: RowFormat) -> Box<dyn Iterator<Item = Cow<'_, [u8]>> + '_> {
    match csv(record, format) {
        Some(csv) => Box::new(csv::texts(record, csv)),
        None => Box::new(record.split(move |byte| *byte == format.delimiter).map(Cow::Borrowed)),
    }
}

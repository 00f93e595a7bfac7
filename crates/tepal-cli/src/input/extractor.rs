//! Takes the key out of a record: the whole record, or one field of it.

use crate::input::field::RowFormat;
use crate::input::find::{lacks, of_flag};
use crate::input::form::CSV;
use crate::input::json;
use crate::input::row::{column, is_null};

/// What a record has in the place of its key.
pub enum Taken<'a> {
    /// A key.
    Key(&'a [u8]),
    /// A field of a row. It may be empty.
    Field(&'a [u8]),
    /// Nothing: the row is blank.
    Blank,
    /// No value: a null, and what is said of it where a key is expected.
    Null(String),
}

/// Takes the key out of a record.
pub enum Extractor {
    /// The key is the record.
    Whole,
    /// The key is field `number` (from 1) of a row.
    Column {
        /// The place of the field.
        number: usize,
        /// How the row is written.
        format: RowFormat,
        /// Room for a field that is not as it stands.
        room: Vec<u8>,
    },
    /// The key is inside a JSON value.
    Json {
        /// The place of the key in the value.
        pointer: String,
        /// The key of the last record.
        scratch: Vec<u8>,
    },
    /// The key is a column of a Parquet file: field `number` of `columns` in a row of CSV, which is
    /// empty where the file has no value.
    Parquet {
        /// The place of the column, from 1.
        number: usize,
        /// How many columns there are, one or two.
        columns: usize,
        /// Room for a field that is not as it stands.
        room: Vec<u8>,
    },
    /// Two fields: the key, and the name of its segment.
    Pair(Box<[Extractor; 2]>, &'static str),
}

impl Extractor {
    /// The extractor for one column.
    pub fn column(number: usize, format: RowFormat) -> Self {
        Self::Column { number, format, room: Vec::new() }
    }

    /// The extractor for the value at a pointer.
    pub fn json(pointer: String) -> Self {
        Self::Json { pointer, scratch: Vec::new() }
    }

    /// The extractor for one of the `columns` of a Parquet file.
    pub fn parquet(number: usize, columns: usize) -> Self {
        Self::Parquet { number, columns, room: Vec::new() }
    }

    /// The same extractor for another thread.
    pub fn another(&self) -> Self {
        match self {
            Self::Whole => Self::Whole,
            Self::Column { number, format, .. } => Self::column(*number, *format),
            Self::Json { pointer, .. } => Self::json(pointer.clone()),
            Self::Parquet { number, columns, .. } => Self::parquet(*number, *columns),
            Self::Pair(pair, flag) => Self::Pair(Box::new([pair[0].another(), pair[1].another()]), flag),
        }
    }

    /// The name of a record's segment, if the rules name a field for it; else as
    /// [`key`](Self::key). `None` for a blank row.
    pub fn segment<'a>(&'a mut self, record: &'a [u8]) -> Result<Option<&'a [u8]>, String> {
        let (taken, flag) = match self {
            Self::Pair(pair, flag) => (pair[1].key(record), Some(*flag)),
            one => (one.key(record), None),
        };
        let name = taken.and_then(|taken| match taken {
            Taken::Key(name) | Taken::Field(name) => Ok(Some(name)),
            Taken::Blank => Ok(None),
            Taken::Null(why) => Err(why),
        });
        name.map_err(|text| flag.map_or(text.clone(), |flag| of_flag(flag, &text)))
    }

    /// The key of a record. An error tells what is wrong with the record.
    #[inline]
    pub fn key<'a>(&'a mut self, record: &'a [u8]) -> Result<Taken<'a>, String> {
        match self {
            Self::Whole => Ok(Taken::Key(record)),
            Self::Parquet { number, columns, .. } if is_null(record, *number, *columns) => {
                Ok(Taken::Null("no value (NULL); expected a key".to_owned()))
            }
            Self::Parquet { number, room, .. } => {
                Ok(column(record, *number, CSV, room)?.map_or(Taken::Blank, Taken::Key))
            }
            _ if record.is_empty() => Ok(Taken::Blank),
            Self::Column { number, format, room } => match column(record, *number, *format, room)? {
                Some(field) => Ok(Taken::Field(field)),
                None => Err(lacks(record, *number, *format)),
            },
            Self::Json { pointer, scratch } => match json::key(record, pointer, scratch)? {
                true => Ok(Taken::Key(scratch)),
                false => Ok(Taken::Null(json::no_key(pointer, "null"))),
            },
            Self::Pair(pair, _) => pair[0].key(record),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::find::find_column;
    use crate::input::row::fields;

    const TSV: RowFormat = RowFormat::plain(b'\t');

    fn key(record: &[u8], number: usize, format: RowFormat) -> Option<Vec<u8>> {
        let mut extractor = Extractor::column(number, format);
        text(extractor.key(record))
    }

    fn text(taken: Result<Taken<'_>, String>) -> Option<Vec<u8>> {
        match taken {
            Ok(Taken::Key(key) | Taken::Field(key)) => Some(key.to_vec()),
            _ => None,
        }
    }

    #[test]
    fn columns_without_quotes() {
        assert_eq!(key(b"a\tb\tc", 1, TSV).unwrap(), b"a");
        assert_eq!(key(b"a\tb\tc", 3, TSV).unwrap(), b"c");
        assert_eq!(key(b"a\t\t", 2, TSV).unwrap(), b"");
        assert_eq!(key(b"a\t\t", 3, TSV).unwrap(), b"");
        assert_eq!(key(b"a\tb", 3, TSV), None);
        assert_eq!(key(b"\"a\t\"", 1, TSV).unwrap(), b"\"a");
        assert_eq!(key(b"", 1, TSV), None);
    }

    #[test]
    fn columns_with_quotes() {
        let row = b"\"a,1\",b,\"c \"\"d\"\"\n e\",\"\",x\"y,\xff";
        let all: [&[u8]; 6] = [b"a,1", b"b", b"c \"d\"\n e", b"", b"x\"y", b"\xff"];
        for (i, field) in all.into_iter().enumerate() {
            assert_eq!(key(row, i + 1, CSV).unwrap(), field);
        }
        assert_eq!(key(row, 7, CSV), None);
        assert_eq!(fields(row, CSV).count(), 6);
        assert_eq!(key(b"\"\"", 1, CSV).unwrap(), b"");
        assert_eq!(key(b"a,\"b\",", 3, CSV).unwrap(), b"");
        assert_eq!(key(b"\xef\xbb\xbf,\"b\"", 1, CSV).unwrap(), b"\xef\xbb\xbf");
    }

    #[test]
    fn columns_by_name() {
        assert_eq!(find_column(b"id,\"e-mail\",x", "e-mail", CSV), Ok(2));
        assert!(find_column(b"id,x", "y", CSV).unwrap_err().contains("commas"));
        assert!(find_column(b"x,x", "x", CSV).unwrap_err().contains("two fields"));
        let error = Extractor::column(3, TSV).key(b"a\tb").err().unwrap();
        assert!(error.contains("has 2 fields between tabs"), "{error}");
    }

    #[test]
    fn keys_in_json() {
        let mut json = Extractor::json("/user/id".into());
        let mut key = |record: &str| text(json.key(record.as_bytes()));
        assert_eq!(key(r#"{"user":{"id":"a\u0062\n"}}"#).unwrap(), b"ab\n");
        assert_eq!(key(r#"{"user":{"id":-42}}"#).unwrap(), b"-42");
        assert_eq!(key(r#"{"user":{"id":18446744073709551615}}"#).unwrap(), b"18446744073709551615");
        for bad in [r#"{"user":{"id":1.0}}"#, r#"{"user":{"id":null}}"#, r#"{"user":3}"#, "{", "[]"] {
            assert!(key(bad).is_none(), "{bad}");
        }
        assert!(matches!(json.key(b""), Ok(Taken::Blank)));
        assert!(matches!(json.key(br#"{"user":{"id":null}}"#), Ok(Taken::Null(_))));
    }
}

//! The field that is the key, and the other rules for records, from the command line.

use crate::input::bad::BadPolicy;
use crate::input::csv::Csv;
use crate::input::limits::Limits;

/// The field that `-f` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// The number of the field, from 1.
    Number(usize),
    /// The name of the field in the header row, or its name or path in JSON.
    Name(String),
    /// A JSON pointer (RFC 6901), which begins with `/`.
    Pointer(String),
}

impl Field {
    /// Reads the value of `-f`.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err(
                "expected a number from 1, a name such as email, or a path into JSON such as user.id"
                    .to_owned(),
            );
        }
        if text.starts_with('/') {
            return Ok(Self::Pointer(text.to_owned()));
        }
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(Self::Name(text.to_owned()));
        }
        match text.parse() {
            Ok(0) | Err(_) => Err("fields are numbered from 1".to_owned()),
            Ok(n) => Ok(Self::Number(n)),
        }
    }

    /// Is it a JSON pointer?
    pub fn is_path(&self) -> bool {
        matches!(self, Self::Pointer(_))
    }

    /// The field as it was typed.
    pub fn text(&self) -> String {
        match self {
            Self::Number(n) => n.to_string(),
            Self::Name(name) => name.clone(),
            Self::Pointer(pointer) => pointer.clone(),
        }
    }
}

/// The format of a row: the separator of its fields, and whether fields may be quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowFormat {
    /// The byte between fields.
    pub delimiter: u8,
    /// Whether a field may be in double quotes, as in CSV.
    pub quotes: bool,
    /// In CSV the byte after which the next one stands for itself.
    pub escape: Option<u8>,
}

impl RowFormat {
    /// Rows without quotes.
    pub const fn plain(delimiter: u8) -> Self {
        Self { delimiter, quotes: false, escape: None }
    }

    /// CSV.
    pub const fn quoted(delimiter: u8) -> Self {
        Self { delimiter, quotes: true, escape: None }
    }

    /// The rule of CSV, if these rows are written by it.
    pub fn csv(self) -> Option<Csv> {
        self.quotes.then_some(Csv { delimiter: self.delimiter, escape: self.escape })
    }
}

/// Which records are left out, since their key would be empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Empty {
    /// Those with an empty field of rows.
    pub fields: bool,
    /// Those with a null of JSON or a NULL of Parquet, which are no keys otherwise either.
    pub nulls: bool,
    /// Empty lines.
    pub lines: bool,
    /// White space around a key does not count.
    pub trim: bool,
}

impl Empty {
    /// Does this key have no bytes?
    pub fn is_empty(self, key: &[u8]) -> bool {
        let is_white = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ');
        key.is_empty() || (self.trim && key.iter().all(is_white))
    }
}

/// The rules for records and keys, from the command line.
#[derive(Clone, Debug, Default)]
pub struct KeyRules {
    /// Records end in NUL.
    pub null: bool,
    /// The key is this field; without it the whole record.
    pub field: Option<Field>,
    /// The field that names the segment of the key, or its value in a map; and the flag that names
    /// this field.
    pub by: Option<(Field, &'static str)>,
    /// The format of rows, if it was given.
    pub row_format: Option<RowFormat>,
    /// The escape of CSV, if it was given without a format.
    pub escape: Option<u8>,
    /// The format of the rows that the filter was built from, if the field was taken from the
    /// filter.
    pub stored_format: Option<RowFormat>,
    /// The format that the filter records, if a flag names the field that it records.
    pub recorded_format: Option<RowFormat>,
    /// Nothing is answered before the end, so the first records are waited for if they decide what
    /// separates their fields.
    pub waits: bool,
    /// Whole records are the keys: a flag says so, or the filter records it.
    pub whole: bool,
    /// Which records have an empty key, and so none.
    pub empty: Empty,
    /// Empty fields are keys, which the filter is to record.
    pub empty_keys: bool,
    /// The first row of each input has no key.
    pub header: bool,
    /// The inputs are text, also if they have NULs.
    pub text: bool,
    /// Follows an error about a record.
    pub hint: &'static str,
    /// The memory that one input may take.
    pub limits: Limits,
    /// The rule for a record without a key.
    pub bad: BadPolicy,
}

impl KeyRules {
    /// The fields that are named: of the key, and of its segment or value.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.field.iter().chain(self.by.iter().map(|(by, _)| by))
    }
}

/// The pointers that a name may stand for in JSON: the field that is called so, and the path that
/// its dots describe.
pub fn pointers(name: &str) -> [String; 2] {
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    let path = name.strip_prefix('.').unwrap_or(name).split('.');
    [format!("/{}", escaped(name)), path.map(|name| format!("/{}", escaped(name))).collect()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_named_in_three_ways() {
        assert_eq!(Field::parse("3"), Ok(Field::Number(3)));
        assert_eq!(Field::parse("email"), Ok(Field::Name("email".into())));
        assert_eq!(Field::parse("/user/id"), Ok(Field::Pointer("/user/id".into())));
        assert!(Field::parse("0").is_err());
        assert!(Field::parse("").is_err());
        assert!(Field::parse("99999999999999999999999").is_err());
    }
}

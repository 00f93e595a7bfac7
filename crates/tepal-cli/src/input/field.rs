//! The key of a record: the whole record, or one field of a row.

use csv_core::{ReadFieldResult, Reader};
use memchr::{memchr, memchr_iter};

use crate::input::bad::BadPolicy;
use crate::input::json;
use crate::input::limits::Limits;
use crate::input::records::csv_reader;
use crate::text::message::{for_shell, one_line, shown_key};
use crate::text::nearest::nearest;

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
    /// The format of the rows that the filter was built from, if the field was taken from the
    /// filter.
    pub stored_format: Option<RowFormat>,
    /// The first row of each input has no key.
    pub header: bool,
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
        /// The state for reading quoted fields.
        scratch: Box<Scratch>,
    },
    /// The key is inside a JSON value.
    Json {
        /// The place of the key in the value.
        pointer: String,
        /// The key of the last record.
        scratch: Vec<u8>,
    },
    /// Two fields: the key, and the name of its segment.
    Pair(Box<[Extractor; 2]>, &'static str),
}

/// The state for reading a quoted field.
pub struct Scratch {
    reader: Reader,
    field: Vec<u8>,
}

impl Extractor {
    /// The extractor for one column.
    pub fn column(number: usize, format: RowFormat) -> Self {
        Self::Column { number, format, scratch: Box::new(Scratch::new(format)) }
    }

    /// The extractor for the value at a pointer.
    pub fn json(pointer: String) -> Self {
        Self::Json { pointer, scratch: Vec::new() }
    }

    /// The same extractor for another thread.
    ///
    /// It has a new reader and not a clone: in csv-core 0.1.13 the clone of a reader has no
    /// delimiter.
    pub fn another(&self) -> Self {
        match self {
            Self::Whole => Self::Whole,
            Self::Column { number, format, .. } => Self::column(*number, *format),
            Self::Json { pointer, .. } => Self::json(pointer.clone()),
            Self::Pair(pair, flag) => Self::Pair(Box::new([pair[0].another(), pair[1].another()]), flag),
        }
    }

    /// The name of a record's segment, if the rules name a field for it; else as
    /// [`key`](Self::key).
    pub fn segment<'a>(&'a mut self, record: &'a [u8]) -> Result<Option<&'a [u8]>, String> {
        match self {
            Self::Pair(pair, flag) => pair[1].key(record).map_err(|text| of_flag(flag, &text)),
            one => one.key(record),
        }
    }

    /// The key of a record; `None` for an empty row, which has no key. An error tells what is wrong
    /// with the record.
    #[inline]
    pub fn key<'a>(&'a mut self, record: &'a [u8]) -> Result<Option<&'a [u8]>, String> {
        match self {
            Self::Whole => Ok(Some(record)),
            _ if record.is_empty() => Ok(None),
            Self::Column { number, format, scratch } => match column(record, *number, *format, scratch) {
                Some(field) => Ok(Some(field)),
                None => Err(lacks(record, *number, *format)),
            },
            Self::Json { pointer, scratch } => {
                json::key(record, pointer, scratch)?;
                Ok(Some(scratch))
            }
            Self::Pair(pair, _) => pair[0].key(record),
        }
    }
}

/// Field `number` of a row; `None` if the row has fewer fields.
fn column<'a>(
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
    fn new(format: RowFormat) -> Self {
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

/// An error about a record, in the words of the flag that named the field in place of `-f`.
pub fn of_flag(flag: &str, text: &str) -> String {
    let said = |text: &str, by_f: &str| text.replace(by_f, &by_f.replace(KEY_FLAG, flag));
    format!("{flag}: {}", said(&said(text, SAY_WHICH), SAY_NUMBER))
}

/// The flag that names the field of the key, and its words in errors.
const KEY_FLAG: &str = "-f";
const SAY_WHICH: &str = "say which one with -f";
const SAY_NUMBER: &str = "give the number of one of them to -f";

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

/// The error for a row that is too short.
fn lacks(record: &[u8], number: usize, format: RowFormat) -> String {
    let n = fields(record, format).count();
    if let Some(text) = json_instead(record, &number.to_string()) {
        return text;
    }
    format!(
        "no field {number}: the row {} has {n} {} between {}; {SAY_WHICH}, or how they are separated \
         with --csv, --tsv or -d",
        shown_key(record),
        if n == 1 { "field" } else { "fields" },
        separator(format, "s")
    )
}

/// The number of the field `name` in the header row.
pub fn find_column(header: &[u8], name: &str, format: RowFormat) -> Result<usize, String> {
    let mut found = None;
    for (n, _) in (1..).zip(fields(header, format)).filter(|(_, field)| field == name.as_bytes()) {
        if found.replace(n).is_some() {
            return Err(format!("two fields are named {}; {SAY_NUMBER}", shown_key(name.as_bytes())));
        }
    }
    found.ok_or_else(|| no_column(header, name, format))
}

/// The most names of fields that an error shows.
pub const MOST_NAMES: usize = 20;

/// The error for a header row without a field of this name.
fn no_column(header: &[u8], name: &str, format: RowFormat) -> String {
    if let Some(text) = json_instead(header, name) {
        return text;
    }
    let wanted = shown_key(name.as_bytes());
    if fields(header, format).count() == 1 {
        let other = match (memchr(b',', header), memchr(b';', header), memchr(b'\t', header)) {
            _ if format.delimiter == b','
                && memchr(b';', header).is_none()
                && memchr(b'\t', header).is_none() =>
            {
                ""
            }
            (_, _, Some(_)) => "; say --tsv, for it has tabs",
            (Some(_), ..) => "; say --csv, for it has commas",
            (None, Some(_), None) => "; say --csv -d \";\", for it has semicolons",
            _ => "",
        };
        return format!(
            "no field named {wanted} in the first row, which is {} with no {} in it{}",
            shown_key(header),
            separator(format, ""),
            if other.is_empty() {
                "; say --csv, --tsv or -d if fields are separated otherwise"
            } else {
                other
            }
        );
    }
    let names = fields(header, format).take(1000).map(|name| String::from_utf8_lossy(&name).into_owned());
    let names: Vec<String> = names.collect();
    let meant = nearest(name, names.iter().map(String::as_str));
    let meant = meant.map_or(String::new(), |name| format!("; did you mean {}?", shown_key(name.as_bytes())));
    format!(
        "no field named {wanted} in the first row{meant}{} It has between {}: {}",
        if meant.is_empty() { "." } else { "" },
        separator(format, "s"),
        shown_names(names.iter().map(String::as_bytes))
    )
}

/// The first [`MOST_NAMES`] names of fields, as an error shows them.
pub fn shown_names<N: AsRef<[u8]>>(names: impl IntoIterator<Item = N>) -> String {
    let mut names = names.into_iter();
    let shown: Vec<_> = names.by_ref().take(MOST_NAMES).map(|name| shown_key(name.as_ref())).collect();
    format!("{}{}", shown.join(", "), if names.next().is_some() { ", …" } else { "" })
}

/// The advice if a record is JSON, and is read as a row.
fn json_instead(record: &[u8], field: &str) -> Option<String> {
    let is_json = record.trim_ascii_start().first().is_some_and(|byte| matches!(byte, b'{' | b'['));
    is_json.then(|| {
        let is_number = field.bytes().all(|byte| byte.is_ascii_digit());
        let path = match is_number {
            true => json::paths(record, 1).pop().unwrap_or_else(|| "/acct/no".to_owned()),
            false => format!("/{}", field.trim_start_matches(['.', '/']).replace('.', "/")),
        };
        format!(
            "a record of JSON: {}; name the field of an object by its path with a slash before each name, such as -f {}",
            shown_key(record),
            for_shell(&one_line(&path))
        )
    })
}

/// The pointer of the field that `-f` names in records of JSON, of which `first` is the first.
///
/// A field of this name wins. Else the dots of the name lead from one object to the next.
pub fn pointer(field: &Field, first: &[u8]) -> Result<String, String> {
    let name = match field {
        Field::Pointer(pointer) => return Ok(pointer.clone()),
        field => field.text(),
    };
    let [exact, path] = pointers(&name);
    if json::exists(first, &exact) {
        return Ok(exact);
    }
    match field {
        Field::Number(_) if !first.is_empty() => Err(json_instead(first, &name).unwrap_or_else(|| {
            format!("a number is no field of JSON; name one by its path, such as -f /{name}")
        })),
        _ if name.contains('/') => Err(json_instead(first, &name)
            .unwrap_or_else(|| format!("no field named {} in the first record", shown_key(name.as_bytes())))),
        _ => Ok(path),
    }
}

/// The pointers that a name may stand for in JSON: the field that is called so, and the path that
/// its dots describe.
pub fn pointers(name: &str) -> [String; 2] {
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    let path = name.strip_prefix('.').unwrap_or(name).split('.');
    [format!("/{}", escaped(name)), path.map(|name| format!("/{}", escaped(name))).collect()]
}

/// The separator of fields in words, in the singular or plural.
fn separator(format: RowFormat, s: &str) -> String {
    match format.delimiter {
        b'\t' => format!("tab{s}"),
        b',' => format!("comma{s}"),
        byte => format!("{:?}", char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: RowFormat = RowFormat { delimiter: b',', quotes: true };
    const TSV: RowFormat = RowFormat { delimiter: b'\t', quotes: false };

    fn key(record: &[u8], number: usize, format: RowFormat) -> Option<Vec<u8>> {
        let mut extractor = Extractor::column(number, format);
        extractor.key(record).ok().flatten().map(<[u8]>::to_vec)
    }

    #[test]
    fn fields_are_named_in_three_ways() {
        assert_eq!(Field::parse("3"), Ok(Field::Number(3)));
        assert_eq!(Field::parse("email"), Ok(Field::Name("email".into())));
        assert_eq!(Field::parse("/user/id"), Ok(Field::Pointer("/user/id".into())));
        assert!(Field::parse("0").is_err());
        assert!(Field::parse("").is_err());
        assert!(Field::parse("99999999999999999999999").is_err());
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
        let error = Extractor::column(3, TSV).key(b"a\tb").unwrap_err();
        assert!(error.contains("has 2 fields between tabs"), "{error}");
    }

    #[test]
    fn keys_in_json() {
        let mut json = Extractor::json("/user/id".into());
        let mut key = |text: &str| json.key(text.as_bytes()).map(|key| key.unwrap().to_vec());
        assert_eq!(key(r#"{"user":{"id":"a\u0062\n"}}"#).unwrap(), b"ab\n");
        assert_eq!(key(r#"{"user":{"id":-42}}"#).unwrap(), b"-42");
        assert_eq!(key(r#"{"user":{"id":18446744073709551615}}"#).unwrap(), b"18446744073709551615");
        for bad in [r#"{"user":{"id":1.0}}"#, r#"{"user":{"id":null}}"#, r#"{"user":3}"#, "{", "[]"] {
            assert!(key(bad).is_err(), "{bad}");
        }
        assert!(matches!(json.key(b""), Ok(None)));
    }
}

//! The rule of CSV: where a row ends, what its fields are, and which rows have none.
//!
//! It is that of RFC 4180. A field that begins with a quote ends with the next quote that is not
//! doubled, and has separators and line ends as they stand. Between that quote and the separator
//! only blanks may follow: other text there means that the quotes are not what they seem, so that
//! nobody knows where the fields of the row end. In a field that does not begin with a quote,
//! quotes are text. With an escape the byte after it stands for itself, in quotes and outside of
//! them.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2, memchr3};

/// The byte around a field.
pub const QUOTE: u8 = b'"';

/// How rows of CSV are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Csv {
    /// The byte between fields.
    pub delimiter: u8,
    /// The byte after which the next one stands for itself.
    pub escape: Option<u8>,
}

/// Why a row has no fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The reason.
    pub text: String,
    /// The number of line ends in the row before the quote that opens the wrong field.
    pub lines: u64,
}

/// Where a scan stands in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// At the first byte of a field.
    Start,
    /// In a field without quotes.
    Bare,
    BareEscape,
    /// In a field with quotes.
    Quoted,
    QuotedEscape,
    /// After a quote in such a field: it is the last one, or the first of two.
    Closed,
    /// In the blanks after the field.
    Blanks,
    /// After a carriage return that follows the field.
    Return,
}

/// What a scan has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The row goes on.
    Nothing,
    /// The row ends before this byte, after its line end.
    End(usize),
    /// There is text after a quoted field.
    Text,
}

/// Looks for the end of one row, as its bytes arrive.
pub struct Scanner {
    csv: Csv,
    state: State,
    /// The bytes of the row that have been scanned.
    at: usize,
    /// Where the last quote is that opens a field, and the last that closes one.
    opening: usize,
    closing: usize,
}

impl Scanner {
    /// A scanner at the beginning of a row.
    pub fn new(csv: Csv) -> Self {
        Self { csv, state: State::Start, at: 0, opening: 0, closing: 0 }
    }

    /// Begins another row.
    pub fn reset(&mut self) {
        *self = Self::new(self.csv);
    }

    /// Goes on in the row that begins with the first of these bytes. They are those of the last
    /// call and more.
    pub fn scan(&mut self, row: &[u8]) -> Found {
        let Csv { delimiter, escape } = self.csv;
        let mut at = self.at;
        while let Some(&byte) = row.get(at) {
            match self.state {
                State::Start if byte == QUOTE => {
                    self.opening = at;
                    (self.state, at) = (State::Quoted, at + 1);
                }
                State::Start => self.state = State::Bare,
                State::Bare => {
                    let rest = &row[at..];
                    let found = match escape {
                        None => memchr2(delimiter, b'\n', rest),
                        Some(escape) => memchr3(delimiter, b'\n', escape, rest),
                    };
                    at += found.map_or(rest.len(), |found| found + 1);
                    if let Some(found) = found {
                        match rest[found] {
                            b'\n' => return self.end(at),
                            byte if byte == delimiter => self.state = State::Start,
                            _ => self.state = State::BareEscape,
                        }
                    }
                }
                State::BareEscape => (self.state, at) = (State::Bare, at + 1),
                State::QuotedEscape => (self.state, at) = (State::Quoted, at + 1),
                State::Quoted => {
                    let rest = &row[at..];
                    let found = match escape {
                        None => memchr(QUOTE, rest),
                        Some(escape) => memchr2(QUOTE, escape, rest),
                    };
                    at += found.map_or(rest.len(), |found| found + 1);
                    if let Some(found) = found {
                        self.state = if rest[found] == QUOTE { State::Closed } else { State::QuotedEscape };
                        self.closing = at - 1;
                    }
                }
                State::Closed if byte == QUOTE => (self.state, at) = (State::Quoted, at + 1),
                State::Closed | State::Blanks | State::Return => {
                    self.state = match byte {
                        b'\n' => return self.end(at + 1),
                        _ if self.state == State::Return => return self.text(at),
                        byte if byte == delimiter => State::Start,
                        b' ' | b'\t' => State::Blanks,
                        b'\r' => State::Return,
                        _ => return self.text(at),
                    };
                    at += 1;
                }
            }
        }
        self.at = at;
        Found::Nothing
    }

    fn text(&mut self, at: usize) -> Found {
        self.at = at;
        Found::Text
    }

    fn end(&mut self, at: usize) -> Found {
        self.reset();
        Found::End(at)
    }

    /// The number of bytes of the row that have been scanned.
    pub fn scanned(&self) -> usize {
        self.at
    }

    /// Can the row end after the bytes that were scanned? It cannot within quotes.
    pub fn can_end(&self) -> bool {
        !matches!(self.state, State::Quoted | State::QuotedEscape)
    }

    /// Is the line that has the last opening quote here to its end?
    pub fn has_line(&self, row: &[u8]) -> bool {
        memchr(b'\n', &row[self.opening..]).is_some()
    }

    /// Why this row has no fields, which the scan has found, and where its first line ends that is
    /// not to be read again: that of the opening quote.
    pub fn broken(&self, row: &[u8], text: String) -> (Broken, usize) {
        let lines = memchr_iter(b'\n', &row[..self.opening]).count() as u64;
        let end = memchr(b'\n', &row[self.opening..]).map_or(row.len(), |at| self.opening + at + 1);
        (Broken { text, lines }, end)
    }

    /// The error for text after a quoted field of this row.
    pub fn text_after(&self, row: &[u8]) -> String {
        text_after(row.get(self.closing.wrapping_sub(1)), self.csv)
    }
}

/// The error for a field without an end.
pub fn never_closed() -> String {
    "a quoted field that is never closed; expected a second \"".to_owned()
}

/// The error for text after the quote that ends a field; `before` is the byte before this quote.
fn text_after(before: Option<&u8>, csv: Csv) -> String {
    let separator = char::from(csv.delimiter);
    let way_out = match (before, csv.escape) {
        (Some(b'\\'), None) => "; where a backslash escapes a quote, add --escape '\\'".to_owned(),
        _ if csv.delimiter == b'\t' => "; where quotes are text, say --tsv".to_owned(),
        _ => format!("; where quotes are text, say -d '{separator}' without --csv"),
    };
    format!("text after a quoted field; expected {separator:?} or the end of the row{way_out}")
}

/// A field as it stands in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a> {
    /// Its bytes, without the quotes around it.
    bytes: &'a [u8],
    /// It is in quotes.
    quoted: bool,
    /// It has doubled quotes or escapes.
    changed: bool,
}

impl<'a> Raw<'a> {
    /// The text of the field. `room` is for one that is not as it stands.
    pub fn text(self, csv: Csv, room: &mut Vec<u8>) -> Option<&'a [u8]> {
        if !self.changed {
            return Some(self.bytes);
        }
        // What MySQL and ClickHouse write for NULL.
        if let ([_, b'N'], false) = (self.bytes, self.quoted) {
            return Some(&[]);
        }
        room.clear();
        let mut bytes = self.bytes.iter();
        while let Some(&byte) = bytes.next() {
            let stands = match byte {
                byte if csv.escape == Some(byte) => bytes.next().copied().unwrap_or(byte),
                QUOTE if self.quoted => {
                    bytes.next();
                    QUOTE
                }
                byte => byte,
            };
            room.push(stands);
        }
        None
    }
}

/// The fields of one row, which has no line end.
pub struct Fields<'a> {
    csv: Csv,
    row: &'a [u8],
    at: Option<usize>,
}

impl<'a> Fields<'a> {
    /// The fields of a row.
    pub fn new(row: &'a [u8], csv: Csv) -> Self {
        Self { csv, row, at: Some(0) }
    }

    /// A field without quotes that begins at `start`.
    fn bare(&mut self, start: usize) -> Raw<'a> {
        let Csv { delimiter, escape } = self.csv;
        let (mut at, mut changed) = (start, false);
        loop {
            let rest = &self.row[at..];
            let found = match escape {
                None => memchr(delimiter, rest),
                Some(escape) => memchr2(delimiter, escape, rest),
            };
            let end = found.map_or(self.row.len(), |found| at + found);
            if found.is_some() && self.row[end] != delimiter {
                (at, changed) = ((end + 2).min(self.row.len()), true);
                continue;
            }
            self.at = found.map(|_| end + 1);
            return Raw { bytes: &self.row[start..end], quoted: false, changed };
        }
    }

    /// A field whose opening quote is before `start`.
    fn quoted(&mut self, start: usize) -> Result<Raw<'a>, String> {
        let Csv { delimiter, escape } = self.csv;
        let (mut at, mut changed) = (start, false);
        let end = loop {
            let rest = &self.row[at..];
            let found = match escape {
                None => memchr(QUOTE, rest),
                Some(escape) => memchr2(QUOTE, escape, rest),
            };
            let Some(found) = found.map(|found| at + found) else {
                self.at = None;
                return Err(never_closed());
            };
            let is_two = self.row[found] != QUOTE || self.row.get(found + 1) == Some(&QUOTE);
            if !is_two {
                break found;
            }
            (at, changed) = ((found + 2).min(self.row.len()), true);
        };
        let rest = &self.row[end + 1..];
        let is_blank = |byte: &&u8| matches!(**byte, b' ' | b'\t') && **byte != delimiter;
        let blanks = rest.iter().take_while(is_blank).count();
        self.at = match &rest[blanks..] {
            [] | [b'\r'] => None,
            [byte, ..] if *byte == delimiter => Some(end + 1 + blanks + 1),
            _ => {
                self.at = None;
                return Err(text_after(self.row.get(end.wrapping_sub(1)), self.csv));
            }
        };
        Ok(Raw { bytes: &self.row[start..end], quoted: true, changed })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Raw<'a>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at?;
        Some(match self.row.get(at) {
            Some(&QUOTE) => self.quoted(at + 1),
            _ => Ok(self.bare(at)),
        })
    }
}

/// The texts of all fields of a row. After one that is wrong there are no others: its text is the
/// rest of the row.
pub fn texts(row: &[u8], csv: Csv) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let mut fields = Fields::new(row, csv);
    std::iter::from_fn(move || {
        let start = fields.at?;
        Some(match fields.next()? {
            Ok(raw) => {
                let mut room = Vec::new();
                match raw.text(csv, &mut room) {
                    Some(text) => Cow::Borrowed(text),
                    None => Cow::Owned(room),
                }
            }
            Err(_) => Cow::Borrowed(&row[start..]),
        })
    })
}

#[cfg(test)]
mod tests;

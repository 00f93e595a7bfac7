//! The first bytes of an input: read ahead to decide something, and then read again by the caller.
//!
//! A byte-order mark at the start gives the encoding of the text, and belongs to no record. A mark
//! of UTF-8 is left out, text with a mark of UTF-16 is turned into UTF-8, and all other text is
//! read unchanged. Only one mark is left out: if a list begins with the bytes of a mark, put a
//! UTF-8 mark before it. Records that end with NUL may have any bytes, and no mark is looked for.

use std::io::{self, Read};

use memchr::{memchr_iter, memrchr};

use crate::error::Failure;
use crate::input::checked::Checked;
use crate::input::field::KeyRules;
use crate::input::utf16::{Order, Utf16};

/// The encoding that the mark of a text gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// There is no mark.
    None,
    Utf8,
    Utf16(Order),
    /// UTF-32 in either byte order, which is refused.
    Utf32,
}

/// The most bytes of a mark.
const LONGEST_MARK: usize = 4;

/// The marks. The mark of UTF-32 is longer than the mark of UTF-16 and begins with it.
const MARKS: [(&[u8], Mark); 5] = [
    (b"\xff\xfe\0\0", Mark::Utf32),
    (b"\0\0\xfe\xff", Mark::Utf32),
    (b"\xef\xbb\xbf", Mark::Utf8),
    (b"\xff\xfe", Mark::Utf16(Order::Little)),
    (b"\xfe\xff", Mark::Utf16(Order::Big)),
];

/// The mark of a text that begins with `head`, and its length; `None` if more bytes are needed to
/// decide.
fn mark(head: &[u8]) -> Option<(Mark, usize)> {
    if MARKS.iter().any(|(bytes, _)| head.len() < bytes.len() && bytes.starts_with(head)) {
        return None;
    }
    let found = MARKS.iter().find(|(bytes, _)| head.starts_with(bytes));
    Some(found.map_or((Mark::None, 0), |(bytes, mark)| (*mark, bytes.len())))
}

/// The most bytes that are read ahead for more lines than the first one.
const MOST_AHEAD: usize = 1 << 20;

/// What the bytes of a text may be.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextRules {
    /// Records end with NUL, and may have any other bytes.
    pub null: bool,
    /// Whole lines are the keys.
    pub whole: bool,
    /// It was said that it is text, whatever its bytes are.
    pub said: bool,
}

impl TextRules {
    /// Those of an input that is read by these rules.
    pub fn of(rules: &KeyRules) -> Self {
        Self { null: rules.null, whole: rules.field.is_none(), said: rules.text }
    }
}

/// Bytes that are read ahead for a first record.
const AHEAD: usize = 1 << 16;

/// Where the first record begins and ends that is whole and not blank.
fn first_of(head: &[u8], end: u8) -> Option<(usize, usize)> {
    let mut from = 0;
    for to in memchr_iter(end, head) {
        if !is_blank(&head[from..to], end) {
            return Some((from, to));
        }
        from = to + 1;
    }
    None
}

/// Where the record begins that has no end, after blank ones.
fn last_of(head: &[u8], end: u8) -> usize {
    memrchr(end, head).map_or(0, |at| at + 1)
}

fn is_blank(record: &[u8], end: u8) -> bool {
    record.is_empty() || (end == b'\n' && record == b"\r")
}

/// An input whose first bytes have been read ahead. Reads return these bytes first.
pub struct Started {
    head: Vec<u8>,
    at: usize,
    rest: Box<dyn Read + Send>,
}

impl Started {
    /// An input from which nothing has been read.
    pub fn new(rest: Box<dyn Read + Send>) -> Self {
        Self::after(Vec::new(), rest)
    }

    /// An input whose first bytes have been read: `head`.
    pub fn after(head: Vec<u8>, rest: Box<dyn Read + Send>) -> Self {
        Self { head, at: 0, rest }
    }

    /// Decides something by the first bytes, up to `most` of them; `None` if the input ends before
    /// that.
    ///
    /// A person may be typing the bytes. So this waits only for the bytes that it needs to decide,
    /// and for none after the end.
    pub fn decide<T>(&mut self, most: usize, decide: impl Fn(&[u8]) -> Option<T>) -> io::Result<Option<T>> {
        loop {
            if let Some(decided) = decide(&self.head) {
                return Ok(Some(decided));
            }
            let len = self.head.len();
            self.head.resize(most.max(len + 1), 0);
            let read = self.rest.read(&mut self.head[len..]);
            self.head.truncate(len + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => {
                    self.rest = Box::new(io::empty());
                    return Ok(None);
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The first record that is not blank, without its end: `end`, with a `\r` before it if that is
    /// `\n`. It is cut off after `most` bytes.
    ///
    /// Nothing may have been read before.
    pub fn first_record(&mut self, end: u8, most: usize) -> io::Result<&[u8]> {
        let mut ahead = AHEAD.min(most);
        let (from, to) = loop {
            let found = |head: &[u8]| {
                let whole = first_of(head, end);
                whole.or((head.len() >= ahead).then_some((head.len(), head.len())))
            };
            match self.decide(ahead, found)? {
                None => break (last_of(&self.head, end), self.head.len()),
                Some((from, to)) if from < to => break (from, to),
                Some(_) if ahead >= most => break (last_of(&self.head, end), self.head.len()),
                Some(_) => ahead = ahead.saturating_mul(2).min(most),
            }
        };
        let record = &self.head[from..to];
        Ok(if end == b'\n' { record.strip_suffix(b"\r").unwrap_or(record) } else { record })
    }

    /// The whole lines that have been read ahead, at least the first that is not blank, and these
    /// `lines` if the input has them in its first MiB. The last line of an input needs no end.
    ///
    /// Nothing may have been read before.
    pub fn first_lines(&mut self, lines: usize, most: usize) -> io::Result<&[u8]> {
        let first = self.first_record(b'\n', most)?.len();
        let most = MOST_AHEAD.max(first);
        let are_here = |head: &[u8]| memchr_iter(b'\n', head).count() >= lines || head.len() >= most;
        let has_ended = self.decide(most, |head| are_here(head).then_some(()))?.is_none();
        let end = match first_of(&self.head, b'\n') {
            Some(_) if !has_ended => last_of(&self.head, b'\n'),
            _ => self.head.len(),
        };
        Ok(&self.head[..end])
    }

    /// The text of the input; with a mark it is turned into UTF-8.
    pub fn text(mut self, name: &str, mut how: TextRules) -> Result<Box<dyn Read + Send>, Failure> {
        if how.null {
            return Ok(Box::new(self));
        }
        let decided = self.decide(LONGEST_MARK, mark).map_err(|error| Failure::io(name, &error))?;
        // A part of a mark is not a mark. Exception: the mark of UTF-16 is also a part of that of
        // UTF-32.
        let (mark, len) = decided.unwrap_or_else(|| match self.head.get(..2) {
            Some(b"\xff\xfe") => (Mark::Utf16(Order::Little), 2),
            _ => (Mark::None, 0),
        });
        self.at = len;
        let text: Box<dyn Read + Send> = match mark {
            Mark::None | Mark::Utf8 => Box::new(self),
            Mark::Utf16(order) => {
                // A NUL of such a text is a letter.
                how.said = true;
                Box::new(Utf16::new(self, order))
            }
            Mark::Utf32 => {
                let text =
                    "text in UTF-32; expected UTF-8 or UTF-16: iconv -f UTF-32 -t UTF-8 FILE | tepal …";
                return Err(Failure::at(name, text));
            }
        };
        Ok(Box::new(Checked::new(text, how)))
    }
}

impl Read for Started {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ahead = &self.head[self.at..];
        if ahead.is_empty() {
            return self.rest.read(buffer);
        }
        let n = ahead.len().min(buffer.len());
        buffer[..n].copy_from_slice(&ahead[..n]);
        self.at += n;
        if self.at == self.head.len() {
            // It may have been one long record.
            (self.head, self.at) = (Vec::new(), 0);
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::trickle::Trickle;

    fn text(bytes: &[u8], step: usize, how: TextRules) -> Result<Vec<u8>, String> {
        let started = Started::new(Box::new(Trickle::new(bytes, step)));
        let mut reader = match started.text("x", how) {
            Ok(reader) => reader,
            Err(Failure::Message(text)) => return Err(text),
            Err(Failure::ClosedPipe) => unreachable!(),
        };
        let mut text = Vec::new();
        reader.read_to_end(&mut text).map_err(|error| error.to_string())?;
        Ok(text)
    }

    #[test]
    fn one_mark_is_left_out_and_no_more() {
        for (bytes, expected) in [
            (&b""[..], &b""[..]),
            (b"a\n", b"a\n"),
            (b"\xef\xbb\xbf", b""),
            (b"\xef\xbb\xbfa\n", b"a\n"),
            (b"\xef\xbb\xbf\xef\xbb\xbfa\n", b"\xef\xbb\xbfa\n"),
            (b"\xef\xbb\xbf\xff\xfea\n", b"\xff\xfea\n"),
            (b"\xef\xbb", b"\xef\xbb"),
            (b"\xef\xbb\n", b"\xef\xbb\n"),
            (b"a\n\xef\xbb\xbfb\n", b"a\n\xef\xbb\xbfb\n"),
            (b"\xff\xfe", b""),
            (b"\xff\xfe\0\x01", "\u{100}".as_bytes()),
            (b"\xfe\xff\0a\0\n", b"a\n"),
            (b"\xff\xfea\0\n\0", b"a\n"),
            (b"\xff", b"\xff"),
            (b"\0\0\xfe", b"\0\0\xfe"),
        ] {
            for step in [1, 2, 3, 100] {
                for said in [false, true] {
                    let how = TextRules { said, ..TextRules::default() };
                    assert_eq!(text(bytes, step, how).as_deref(), Ok(expected), "{bytes:?} by {step}");
                }
                // Where records end with NUL no byte is changed.
                let how = TextRules { null: true, ..TextRules::default() };
                assert_eq!(text(bytes, step, how).as_deref(), Ok(bytes), "{bytes:?} by {step}");
            }
        }
        for bytes in [&b"\xff\xfe\0\0a\0\0\0"[..], b"\0\0\xfe\xff\0\0\0a"] {
            assert!(text(bytes, 1, TextRules::default()).unwrap_err().contains("iconv -f UTF-32"));
        }
    }

    #[test]
    fn the_first_record_is_read_ahead_and_stays() {
        let long = [vec![b'x'; 3 * AHEAD], b"\n".to_vec()].concat();
        let cut = vec![b'x'; AHEAD];
        for (bytes, end, most, first) in [
            (&b""[..], b'\n', 1 << 20, &b""[..]),
            (b"a,b\r\nc\n", b'\n', 1 << 20, b"a,b"),
            (b"a,b", b'\n', 1 << 20, b"a,b"),
            (b"\n\r\n\na\n", b'\n', 1 << 20, b"a"),
            (b"\n\na", b'\n', 1 << 20, b"a"),
            (b"\n\n", b'\n', 1 << 20, b""),
            (b"\0a\n\0b", 0, 1 << 20, b"a\n"),
            (&long, b'\n', 1 << 20, &long[..3 * AHEAD]),
            (&long, b'\n', AHEAD, &cut),
        ] {
            for step in [1, 7, 1 << 20] {
                let mut started = Started::new(Box::new(Trickle::new(bytes, step)));
                for _ in 0..2 {
                    assert_eq!(started.first_record(end, most).unwrap(), first, "by {step}");
                }
                let mut all = Vec::new();
                started.read_to_end(&mut all).unwrap();
                assert_eq!(all, bytes);
            }
        }
        // A person types the first line and waits.
        let mut started = Started::new(Box::new(Trickle::new(b"id,email\nb", 1)));
        started.first_record(b'\n', 1 << 20).unwrap();
        assert_eq!(started.head, b"id,email\n");
    }

    #[test]
    fn the_first_lines_are_those_that_have_come_or_are_waited_for() {
        let bytes = b"\na\nb\r\nc\nd";
        for (lines, step, expected) in [
            (1, 1, &b"\na\n"[..]),
            (1, 7, b"\na\nb\r\n"),
            (1, 100, b"\na\nb\r\nc\n"),
            (4, 1, b"\na\nb\r\nc\n"),
            (5, 1, bytes),
            (100, 3, bytes),
        ] {
            let mut started = Started::new(Box::new(Trickle::new(bytes, step)));
            for _ in 0..2 {
                assert_eq!(started.first_lines(lines, 1 << 20).unwrap(), expected, "{lines} by {step}");
            }
            let mut all = Vec::new();
            started.read_to_end(&mut all).unwrap();
            assert_eq!(all, bytes);
        }
        let mut started = Started::new(Box::new(Trickle::new(b"a", 1)));
        assert_eq!(started.first_lines(1, 1 << 20).unwrap(), b"a");
    }

    #[test]
    fn no_more_is_read_than_decides() {
        for (bytes, read) in [
            (&b"a\nb\n"[..], 1),
            (b"\xefa\nb", 2),
            (b"\xef\xbb\nb", 3),
            (b"\xef\xbb\xbfab", 3),
            (b"\xff\xfea\0b\0", 3),
            (b"\xfe\xff\0a", 2),
            (b"\xff\n", 2),
        ] {
            let mut started = Started::new(Box::new(Trickle::new(bytes, 1)));
            started.decide(LONGEST_MARK, mark).unwrap();
            assert_eq!(started.head.len(), read, "{bytes:?}");
        }
    }
}

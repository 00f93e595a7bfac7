//! Refuses what is no list of lines, by the start of an input: lines that end in CR alone, as on
//! the first Macs, which would be one long key; UTF-16 without a mark, whose keys would have NULs;
//! and lines that have NULs, as other data than text has.
//!
//! Only the start of an input is checked, while its bytes pass: nothing is read ahead, and a whole
//! line is passed on at once.

use std::io::{self, Read};

use crate::input::start::TextRules;

/// The number of bytes of an input that are checked.
const START: usize = 4096;

/// An input whose first 4 KiB are those of a list of lines.
pub struct Checked {
    text: Box<dyn Read + Send>,
    how: TextRules,
    /// The number of bytes that have passed.
    passed: usize,
    /// None of these bytes was an LF.
    is_first_line: bool,
    /// One of these bytes was a CR, and another byte followed it.
    has_lone: bool,
    /// The last of these bytes is a CR.
    after_cr: bool,
    /// The first line may be UTF-16 with the higher byte first: of each two bytes the first is NUL
    /// and the other is not. And with the lower byte first: the reverse.
    may_be: [bool; 2],
    /// The first byte is NUL. The next one tells whether it may be UTF-16.
    begins_nul: bool,
    /// It is the latter if a NUL comes now, after the byte of a line end.
    is_little: bool,
    /// The check has ended.
    decided: bool,
}

impl Checked {
    /// Checks the start of this text.
    pub fn new(text: Box<dyn Read + Send>, how: TextRules) -> Self {
        Self {
            text,
            how,
            passed: 0,
            is_first_line: true,
            has_lone: false,
            after_cr: false,
            may_be: [true; 2],
            begins_nul: false,
            is_little: false,
            decided: false,
        }
    }

    /// Checks the next bytes; an empty slice is the end of the input.
    fn look(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            self.decided = true;
            if self.begins_nul && self.passed == 1 && self.how.whole {
                return Err(invalid(NUL));
            }
            return if self.is_first_line { refuse(self.has_lone || self.after_cr) } else { Ok(()) };
        }
        for &byte in bytes {
            if !self.how.said {
                self.look_for_nul(byte)?;
            }
            self.passed += 1;
            if self.is_first_line {
                self.has_lone |= self.after_cr && byte != b'\n';
                self.after_cr = byte == b'\r';
                self.is_first_line = byte != b'\n';
            }
            // The first of these 4 KiB may end between the CR and the LF of a line end.
            if self.passed >= START && !(self.is_first_line && self.after_cr && !self.has_lone) {
                self.decided = true;
                return refuse(self.is_first_line && self.has_lone);
            }
        }
        Ok(())
    }

    /// Refuses a byte that is NUL where none may be, and a first line of UTF-16.
    fn look_for_nul(&mut self, byte: u8) -> io::Result<()> {
        let (is_nul, place) = (byte == 0, self.passed % 2);
        match self.passed {
            0 => self.begins_nul = is_nul,
            1 if self.how.whole && self.begins_nul && !is_nul => return Err(utf16("UTF-16BE")),
            1 if self.how.whole && self.begins_nul => return Err(invalid(NUL)),
            1 if self.how.whole && is_nul && self.is_first_line => return Err(utf16("UTF-16LE")),
            _ if is_nul && self.is_little => return Err(utf16("UTF-16LE")),
            _ if is_nul && self.how.whole => return Err(invalid(NUL)),
            _ => {}
        }
        self.is_little = false;
        if self.is_first_line {
            self.may_be[0] &= is_nul == (place == 0);
            self.may_be[1] &= is_nul == (place == 1);
            if byte == b'\n' && place == 1 && self.may_be[0] {
                return Err(utf16("UTF-16BE"));
            }
            self.is_little = byte == b'\n' && place == 0 && self.may_be[1] && self.passed > 0;
        }
        Ok(())
    }
}

/// The error for lines with NULs.
const NUL: &str = "a NUL byte among the first bytes, so this is no list of lines; where records end with NUL, add -0, and where \
                   lines have NULs, add --text";

fn invalid(text: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// The error for text in UTF-16.
fn utf16(encoding: &str) -> io::Error {
    invalid(format!(
        "it has NUL bytes as UTF-16 without a mark; expected UTF-8: iconv -f {encoding} -t UTF-8 FILE | tepal …; where records end \
         with NUL, add -0, and where lines have NULs, add --text"
    ))
}

/// The error for a list whose lines end in CR alone.
fn refuse(is_refused: bool) -> io::Result<()> {
    if !is_refused {
        return Ok(());
    }
    Err(invalid(
        "its lines end in CR alone (\\r), as on old Macs, expected LF or CR LF: tr '\\r' '\\n' < FILE | tepal …; or is it one \
         record with a CR in it? Then end records in NUL, with -0",
    ))
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.text.read(buffer)?;
        if !self.decided && !buffer.is_empty() {
            self.look(&buffer[..n])?;
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::trickle::Trickle;

    const STEPS: [usize; 6] = [1, 7, 4095, 4096, 4097, 1 << 20];

    fn read(bytes: &[u8], how: TextRules, step: usize) -> Result<(), String> {
        let mut text = Vec::new();
        let read = Checked::new(Box::new(Trickle::new(bytes, step)), how).read_to_end(&mut text);
        assert!(read.is_err() || text == bytes);
        read.map(|_| ()).map_err(|error| error.to_string())
    }

    fn is_read(bytes: &[u8]) -> bool {
        let all = STEPS.map(|step| read(bytes, TextRules::default(), step).is_ok());
        assert!(all.iter().all(|read| *read == all[0]), "{} bytes: {all:?}", bytes.len());
        all[0]
    }

    #[test]
    fn lists_with_cr_alone_are_refused() {
        let long = vec![b'x'; START];
        for (bytes, expected) in [
            (b"".to_vec(), true),
            (b"a".to_vec(), true),
            (b"a\r\nb\r\n".to_vec(), true),
            (b"a\rb\nc".to_vec(), true),
            (b"\r\n".to_vec(), true),
            (b"a\rb\rc".to_vec(), false),
            (b"a\r".to_vec(), false),
            (b"\r\r".to_vec(), false),
            (long.clone(), true),
            // An LF in the first 4 KiB, and behind them.
            ([b"\r", &long[..START - 2], b"\n"].concat(), true),
            ([b"\r", &long[..START - 1], b"\n"].concat(), false),
            // The start ends within a line end, and within none.
            ([&long[1..], b"\r\n"].concat(), true),
            ([&long[1..], b"\rx\n"].concat(), false),
            ([&long[1..], b"\r"].concat(), false),
            ([&long[1..], b"\r\r\n"].concat(), false),
            // A CR after the start is not checked.
            ([&long[..], b"\rx\n"].concat(), true),
            ([&long[..], b"\r"].concat(), true),
        ] {
            assert_eq!(is_read(&bytes), expected, "{} bytes", bytes.len());
        }
    }

    #[test]
    fn nuls_are_refused_in_lines_and_utf16_in_rows_too() {
        let long = vec![b'x'; START - 1];
        for (bytes, of_lines, of_rows) in [
            (&b"a\nb\0c\n"[..], "a NUL byte among", ""),
            (b"ab\0c\n", "a NUL byte among", ""),
            (b"a\0b\tx\n", "UTF-16LE", ""),
            (b"k\0e\0y\0\n\0x\0\n\0", "UTF-16LE", "UTF-16LE"),
            (b"\0k\0e\0y\0\n\0x\0\n", "UTF-16BE", "UTF-16BE"),
            (b"k\0\n\0", "UTF-16LE", "UTF-16LE"),
            (b"\0k,\0\n", "UTF-16BE", ""),
            (b"a\n\0", "a NUL byte among", ""),
            (b"\0\0\0", "a NUL byte among", ""),
            (b"\0", "a NUL byte among", ""),
            (&[&long[..], b"\0"].concat(), "a NUL byte among", ""),
            (&[&long[..], b"x\0"].concat(), "", ""),
            (b"a\nb\n", "", ""),
        ] {
            for step in STEPS {
                for (whole, why) in [(true, of_lines), (false, of_rows)] {
                    let how = TextRules { whole, ..TextRules::default() };
                    let found = read(bytes, how, step).err().unwrap_or_default();
                    assert_eq!(found.is_empty(), why.is_empty(), "{bytes:?}: {found}");
                    assert!(found.contains(why), "{bytes:?}: {found}");
                    assert_eq!(read(bytes, TextRules { said: true, ..how }, step), Ok(()));
                }
            }
        }
    }
}

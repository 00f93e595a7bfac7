//! Refuses lists whose lines end in CR alone, as on the first Macs: such a list would be one long
//! key.
//!
//! Only the start of an input is checked, while its bytes pass: nothing is read ahead, and a whole
//! line is passed on at once.

use std::io::{self, Read};

/// The number of bytes of an input that are checked.
const START: usize = 4096;

/// An input whose first 4 KiB have an LF or no CR.
pub struct LineEnds {
    text: Box<dyn Read + Send>,
    /// The number of bytes that have passed, none of them an LF.
    passed: usize,
    /// One of these bytes was a CR, and another byte followed it.
    has_lone: bool,
    /// The last of these bytes is a CR.
    after_cr: bool,
    /// The check has ended.
    decided: bool,
}

impl LineEnds {
    /// Checks the start of this text.
    pub fn new(text: Box<dyn Read + Send>) -> Self {
        Self { text, passed: 0, has_lone: false, after_cr: false, decided: false }
    }

    /// Checks the next bytes; an empty slice is the end of the input.
    fn look(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            self.decided = true;
            return refuse(self.has_lone || self.after_cr);
        }
        for &byte in bytes {
            self.passed += 1;
            self.has_lone |= self.after_cr && byte != b'\n';
            self.after_cr = byte == b'\r';
            // The first of these 4 KiB may end between the CR and the LF of a line end.
            let is_start_over = self.passed >= START && (self.has_lone || !self.after_cr);
            if byte == b'\n' && self.passed <= START || is_start_over {
                self.decided = true;
                return refuse(byte != b'\n' && self.has_lone);
            }
        }
        Ok(())
    }
}

/// The error for a list whose lines end in CR alone.
fn refuse(is_refused: bool) -> io::Result<()> {
    if !is_refused {
        return Ok(());
    }
    let text = "its lines end in CR alone (\\r), as on old Macs, expected LF or CR LF: tr '\\r' '\\n' < FILE | tepal …; \
                or is it one record with a CR in it? Then end records in NUL, with -0";
    Err(io::Error::new(io::ErrorKind::InvalidData, text))
}

impl Read for LineEnds {
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

    fn is_read(bytes: &[u8]) -> bool {
        let read = |step| {
            let mut text = Vec::new();
            let read = LineEnds::new(Box::new(Trickle::new(bytes, step))).read_to_end(&mut text);
            assert!(read.is_err() || text == bytes);
            read.is_ok()
        };
        let all = [1, 7, 4095, 4096, 4097, 1 << 20].map(read);
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
}

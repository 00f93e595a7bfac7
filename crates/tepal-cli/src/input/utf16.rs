//! Turns text in UTF-16 into UTF-8, as its bytes arrive.
//!
//! Invalid UTF-16 is an error. It is not read with replacement characters, because two keys could
//! become one.

use std::io::{self, Read};

use crate::input::source::broken;
use crate::input::start::Started;

/// The bytes that are converted at once.
const BLOCK: usize = 1 << 16;

/// The byte of a unit that is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The lower byte, as on Windows.
    Little,
    /// The higher byte.
    Big,
}

/// The UTF-8 of a text in UTF-16.
pub struct Utf16 {
    source: Started,
    order: Order,
    /// Bytes of the source: `raw[..held]` are a part of a character, not converted yet.
    raw: Vec<u8>,
    held: usize,
    /// The number of bytes of the source before `raw`, the mark included.
    before: u64,
    /// The converted text in UTF-8; `text[..at]` has been read by the caller.
    text: String,
    at: usize,
    /// The error of the next bytes.
    error: Option<io::Error>,
}

impl Utf16 {
    /// The text of a source after its mark.
    pub fn new(source: Started, order: Order) -> Self {
        let (raw, text) = (vec![0; BLOCK], String::new());
        Self { source, order, raw, held: 0, before: 2, text, at: 0, error: None }
    }

    /// Converts the whole characters in `raw[..len]`, and keeps the rest.
    fn turn(&mut self, len: usize) {
        let order = self.order;
        let mut units = self.raw[..len].chunks_exact(2).map(|pair| match order {
            Order::Little => u16::from_le_bytes([pair[0], pair[1]]),
            Order::Big => u16::from_be_bytes([pair[0], pair[1]]),
        });
        let mut done = 0;
        while let Some(unit) = units.next() {
            let (letter, bytes) = match unit {
                0xD800..=0xDBFF => match units.next() {
                    None => break,
                    Some(low @ 0xDC00..=0xDFFF) => {
                        let code = 0x1_0000 + (u32::from(unit & 0x3FF) << 10 | u32::from(low & 0x3FF));
                        (char::from_u32(code), 4)
                    }
                    Some(_) => (None, 2),
                },
                _ => (char::from_u32(u32::from(unit)), 2),
            };
            let Some(letter) = letter else {
                let at = self.before + done as u64;
                self.error =
                    Some(no_utf16(&format!("half of a pair of surrogates ({unit:04X}) at byte {at}")));
                break;
            };
            self.text.push(letter);
            done += bytes;
        }
        self.raw.copy_within(done..len, 0);
        self.held = len - done;
        self.before += done as u64;
    }
}

impl Read for Utf16 {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            self.text.clear();
            self.at = 0;
            if buffer.is_empty() {
                return Ok(0);
            }
            let n = self.source.read(&mut self.raw[self.held..])?;
            if n == 0 {
                return match self.held {
                    0 => Ok(0),
                    _ => Err(no_utf16("it ends within a character")),
                };
            }
            self.turn(self.held + n);
        }
        let text = &self.text.as_bytes()[self.at..];
        let n = text.len().min(buffer.len());
        buffer[..n].copy_from_slice(&text[..n]);
        self.at += n;
        Ok(n)
    }
}

/// The error for a text that begins with a mark of UTF-16 and is not valid UTF-16.
fn no_utf16(why: &str) -> io::Error {
    let text = broken("UTF-16", why);
    let way_out = "if these are keys of any bytes, which begin as UTF-16 does by chance, put a UTF-8 mark before them: \
                   (printf '\\357\\273\\277'; cat FILE) | tepal …";
    io::Error::new(io::ErrorKind::InvalidData, format!("{text}; {way_out}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::trickle::Trickle;
    use crate::random::Random;

    fn units(text: &str, order: Order) -> Vec<u8> {
        let bytes = |unit: u16| match order {
            Order::Little => unit.to_le_bytes(),
            Order::Big => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    /// The text before an error, and the error.
    fn read(bytes: &[u8], order: Order, step: usize, room: usize) -> (Vec<u8>, Option<String>) {
        let mut reader = Utf16::new(Started::new(Box::new(Trickle::new(bytes, step))), order);
        let (mut text, mut buffer) = (Vec::new(), vec![0; room]);
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return (text, None),
                Ok(n) => text.extend_from_slice(&buffer[..n]),
                Err(error) => return (text, Some(error.to_string())),
            }
        }
    }

    #[test]
    fn text_is_the_same_in_every_order_and_step() {
        let mut random = Random::new(0x5eed);
        let mut text = String::new();
        for _ in 0..BLOCK {
            let most = [0x80, 0x800, 0x1_0000, 0x11_0000][random.below(4) as usize];
            text.extend(char::from_u32(random.below(most) as u32));
        }
        for order in [Order::Little, Order::Big] {
            let bytes = units(&text, order);
            for (step, room) in [(1, 7), (3, 1 << 18), (4097, 5), (1 << 20, 1 << 18)] {
                let (found, error) = read(&bytes, order, step, room);
                assert!(found == text.as_bytes() && error.is_none(), "{order:?} {step} {room}: {error:?}");
            }
        }
    }

    #[test]
    fn what_is_no_utf16_is_an_error_after_the_text_before_it() {
        for (bytes, why) in [
            (&b"a\0\x00\xd8b\0c\0"[..], "half of a pair of surrogates (D800) at byte 4"),
            (b"a\0\x00\xdcb\0", "half of a pair of surrogates (DC00) at byte 4"),
            (b"a\0\x00\xd8\x00\xd8\x00\xdc", "half of a pair of surrogates (D800) at byte 4"),
            (b"a\0\x00\xd8", "it ends within a character"),
            (b"a\0\x00", "it ends within a character"),
        ] {
            for step in [1, 2, 100] {
                let (text, error) = read(bytes, Order::Little, step, 100);
                assert_eq!(text, b"a");
                let error = error.unwrap();
                assert!(error.starts_with(&format!("broken UTF-16 data ({why});")), "{error}");
            }
        }
    }

    #[test]
    fn what_has_come_is_given_at_once() {
        let mut reader = Utf16::new(Started::new(Box::new(Trickle::new(b"a\0\n\0b\0", 4))), Order::Little);
        let mut buffer = [0; 100];
        assert_eq!(reader.read(&mut buffer).unwrap(), 2);
        assert_eq!(reader.read(&mut []).unwrap(), 0);
        assert_eq!(reader.read(&mut buffer).unwrap(), 1);
    }
}

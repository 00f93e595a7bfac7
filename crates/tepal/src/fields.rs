//! Reads and writes numbers and pieces in sequence. Reading past the end is an error, never a
//! panic.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Error, Result};

pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    /// Reads `bytes` from the offset `at` on.
    pub(crate) fn at(bytes: &'a [u8], at: usize) -> Self {
        Fields { bytes, at: at.min(bytes.len()) }
    }

    /// The next `len` bytes.
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let taken = self.rest().get(..len).ok_or_else(|| {
            Error::damaged(format_args!(
                "it ends at byte {}, within a piece that begins at byte {} and has the length {len}",
                self.bytes.len(),
                self.at
            ))
        })?;
        self.at += len;
        Ok(taken)
    }

    /// The next `len` bytes; `len` was read from a file and is checked first.
    pub(crate) fn take_claimed(&mut self, len: u64) -> Result<&'a [u8]> {
        self.take(usize::try_from(len).unwrap_or(usize::MAX))
    }

    /// All bytes that are not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The offset of the next byte.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Checks that no bytes follow.
    pub(crate) fn end(&self) -> Result<()> {
        match self.rest().is_empty() {
            true => Ok(()),
            false => Err(Error::damaged(format_args!(
                "its end is at byte {}, and there are bytes up to {}",
                self.at,
                self.bytes.len()
            ))),
        }
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16_le(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32_le(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64_le(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn f64_le(&mut self) -> Result<f64> {
        Ok(f64::from_bits(self.u64_le()?))
    }

    pub(crate) fn i32_be(&mut self) -> Result<i32> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    pub(crate) fn u64_be(&mut self) -> Result<u64> {
        Ok(u64::from_be_bytes(self.array()?))
    }
}

/// The destination of a file's numbers and pieces, written in sequence.
pub(crate) trait Put {
    /// Writes these bytes.
    fn bytes(&mut self, bytes: &[u8]) -> Result<()>;

    fn u8(&mut self, n: u8) -> Result<()> {
        self.bytes(&[n])
    }

    fn u16_le(&mut self, n: u16) -> Result<()> {
        self.bytes(&n.to_le_bytes())
    }

    fn u32_le(&mut self, n: u32) -> Result<()> {
        self.bytes(&n.to_le_bytes())
    }

    fn u64_le(&mut self, n: u64) -> Result<()> {
        self.bytes(&n.to_le_bytes())
    }

    fn f64_le(&mut self, n: f64) -> Result<()> {
        self.u64_le(n.to_bits())
    }

    fn u32_be(&mut self, n: u32) -> Result<()> {
        self.bytes(&n.to_be_bytes())
    }

    fn u64_be(&mut self, n: u64) -> Result<()> {
        self.bytes(&n.to_be_bytes())
    }

    /// Writes words, a few thousand at a time.
    fn words(&mut self, words: &mut dyn Iterator<Item = u64>, to_bytes: fn(u64) -> [u8; 8]) -> Result<()> {
        let mut buffer = Vec::with_capacity(PIECE);
        for word in words {
            buffer.extend_from_slice(&to_bytes(word));
            if buffer.len() == PIECE {
                self.bytes(&buffer)?;
                buffer.clear();
            }
        }
        self.bytes(&buffer)
    }
}

/// Bytes of a piece of words.
const PIECE: usize = 1 << 16;

impl Put for Vec<u8> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.try_reserve(bytes.len())
            .map_err(|_| Error::TooLarge { bytes: (self.len() + bytes.len()) as u64 })?;
        self.extend_from_slice(bytes);
        Ok(())
    }
}

/// Does the character move the cursor, end the line or turn the direction of the text around it? It
/// would make a text look like another one (FORMAT.md, section 4.3).
fn is_steering(c: char) -> bool {
    matches!(
        c,
        '\0'..='\x1F'
            | '\x7F'..='\u{9F}'
            | '\u{61C}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// Checks that a file can hold a text.
pub(crate) fn check_text(what: &'static str, text: &str) -> Result<()> {
    if text.is_empty() || text.chars().any(is_steering) {
        let expected =
            "text that is not empty and has no control characters, nor any that turn the direction of text";
        // `{:?}` would add Unicode tables to every program that opens a file.
        let shown: String = text.chars().map(|c| if is_steering(c) { '\u{FFFD}' } else { c }).collect();
        return Err(Error::parameter(what, format_args!("\"{shown}\""), expected));
    }
    Ok(())
}

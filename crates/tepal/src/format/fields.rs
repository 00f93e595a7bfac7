//! Reading numbers and pieces one after the other; past the end it is an error and never a panic.

use crate::error::{Error, Result};

pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    /// Reads `bytes` from byte `at` on.
    pub(super) fn at(bytes: &'a [u8], at: usize) -> Self {
        Fields { bytes, at: at.min(bytes.len()) }
    }

    /// The next `len` bytes.
    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let taken = self.rest().get(..len).ok_or_else(|| {
            let left = self.rest().len();
            Error::damaged(format_args!(
                "it ends {left} bytes after byte {}, and {len} are expected",
                self.at
            ))
        })?;
        self.at += len;
        Ok(taken)
    }

    /// The next `len` bytes, for a length that a file claims.
    pub(super) fn take_claimed(&mut self, len: u64) -> Result<&'a [u8]> {
        self.take(usize::try_from(len).unwrap_or(usize::MAX))
    }

    /// Everything not read yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Where the next byte is.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Nothing may follow.
    pub(super) fn end(&self) -> Result<()> {
        match self.rest().len() {
            0 => Ok(()),
            left => {
                Err(Error::damaged(format_args!("{left} bytes follow after its end at byte {}", self.at)))
            }
        }
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16_le(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32_le(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64_le(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn f64_le(&mut self) -> Result<f64> {
        Ok(f64::from_bits(self.u64_le()?))
    }

    pub(super) fn i32_be(&mut self) -> Result<i32> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    pub(super) fn u64_be(&mut self) -> Result<u64> {
        Ok(u64::from_be_bytes(self.array()?))
    }
}

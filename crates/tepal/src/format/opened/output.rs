//! An opened filter as a file: its bytes, in memory, into a writer, or saved.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::io::Write;
#[cfg(feature = "std")]
use std::path::Path;

use super::Opened;
use crate::error::{Error, Result};
use crate::fields::Put;
#[cfg(feature = "std")]
use crate::format::replace::replace;
use crate::format::seal::SealKey;
use crate::format::{envelope, write};
use crate::kinds::FilePart;

impl Opened {
    /// Bytes of the file, without a seal.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    pub fn file_len(&self) -> Result<u64> {
        match &self.beside {
            None => Ok(envelope::file_len(&self.filter.as_dyn().file_part()?)),
            Some(beside) => {
                let mut count = Count(0);
                beside.write(&self.filter, &mut count)?;
                Ok(count.0)
            }
        }
    }

    /// The file as bytes: for a filter that was read and not changed, the same bytes.
    ///
    /// # Errors
    /// [`Error::Unconvertible`] and [`Error::Parameter`] where the filter has grown beyond what its format can hold;
    /// [`Error::TooLarge`] where there is no memory for it; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes(None)
    }

    /// [`to_bytes`](Self::to_bytes), sealed as by [`BloomFilter::to_bytes_sealed`](crate::BloomFilter::to_bytes_sealed).
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes); [`Error::Parameter`] where the format is another program's, which has no seal.
    #[cfg(feature = "seal")]
    pub fn to_bytes_sealed(&self, key: &SealKey) -> Result<Vec<u8>> {
        self.bytes(Some(key))
    }

    fn bytes(&self, seal: Option<&SealKey>) -> Result<Vec<u8>> {
        match &self.beside {
            None => write::bytes(self.filter.kind(), &self.checked_part()?, seal),
            Some(beside) => {
                self.check_seal(seal)?;
                let mut bytes = Vec::new();
                beside.write(&self.filter, &mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// What a tepal file holds of the filter, once its bits are known to be right.
    fn checked_part(&self) -> Result<FilePart<'_>> {
        let filter = self.filter.as_dyn();
        filter.check_before_copying()?;
        filter.file_part()
    }

    /// Only a tepal file has a seal.
    fn check_seal(&self, seal: Option<&SealKey>) -> Result<()> {
        if seal.is_none() || self.beside.is_none() {
            return Ok(());
        }
        let expected = "left out: only tepal files have one";
        Err(Error::parameter("the seal", format_args!("given for {}", self.format), expected))
    }
}

#[cfg(feature = "std")]
impl Opened {
    /// Writes the file to `out`. Buffering is the caller's; the pieces are 64 KiB at most, or a record.
    ///
    /// # Errors
    /// [`Error::Io`] where `out` refuses; and as [`to_bytes`](Self::to_bytes).
    pub fn write_to(&self, mut out: impl Write) -> Result<()> {
        self.write(&mut out, None)
    }

    /// [`write_to`](Self::write_to), sealed.
    ///
    /// # Errors
    /// As [`write_to`](Self::write_to) and [`to_bytes_sealed`](Self::to_bytes_sealed).
    #[cfg(feature = "seal")]
    pub fn write_to_sealed(&self, mut out: impl Write, key: &SealKey) -> Result<()> {
        self.write(&mut out, Some(key))
    }

    /// Saves the file, atomically, as [`BloomFilter::save`](crate::BloomFilter::save) does.
    ///
    /// # Errors
    /// As there, and as [`to_bytes`](Self::to_bytes).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        // What cannot be written must not cost a temporary file.
        self.file_len()?;
        replace(path.as_ref(), |out| self.write(out, None))
    }

    /// [`save`](Self::save), sealed.
    ///
    /// # Errors
    /// As [`save`](Self::save) and [`to_bytes_sealed`](Self::to_bytes_sealed).
    #[cfg(feature = "seal")]
    pub fn save_sealed(&self, path: impl AsRef<Path>, key: &SealKey) -> Result<()> {
        self.file_len()?;
        self.check_seal(Some(key))?;
        replace(path.as_ref(), |out| self.write(out, Some(key)))
    }

    fn write(&self, out: &mut dyn Write, seal: Option<&SealKey>) -> Result<()> {
        match &self.beside {
            None => {
                let part = self.checked_part()?;
                write::to_writer(self.filter.kind(), &part, seal, out).map_err(write::writing)
            }
            Some(beside) => {
                self.check_seal(seal)?;
                beside.write(&self.filter, &mut Writer(out))?;
                out.flush().map_err(write::writing)
            }
        }
    }
}

/// Counts the bytes of a file.
struct Count(u64);

impl Put for Count {
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.0 += bytes.len() as u64;
        Ok(())
    }
}

/// Hands the bytes of a file to a writer.
#[cfg(feature = "std")]
struct Writer<'a>(&'a mut dyn Write);

#[cfg(feature = "std")]
impl Put for Writer<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes).map_err(write::writing)
    }
}

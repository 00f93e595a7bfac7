//! Writes an opened filter as a file: as bytes in memory, to a writer, or to disk.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::fs::File;
#[cfg(feature = "std")]
use std::io::Write;
#[cfg(feature = "std")]
use std::path::Path;

use super::Opened;
#[cfg(feature = "std")]
use crate::error::advice;
use crate::error::{Error, Result};
use crate::fields::Put;
#[cfg(feature = "std")]
use crate::format::replace::{FileLock, Over, replace};
use crate::format::seal::SealKey;
#[cfg(feature = "std")]
use crate::format::stamp::{Origin, Stamp};
use crate::format::{envelope, write};
use crate::kinds::Inner;
#[cfg(feature = "std")]
use crate::kinds::Ref;

impl Opened {
    /// The length of the file in bytes, without a seal.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    pub fn file_len(&self) -> Result<u64> {
        match &self.beside {
            None => Ok(envelope::file_len(&self.filter.file_part()?)),
            Some(beside) => {
                let mut count = Count(0);
                beside.write(&self.filter, &mut count)?;
                Ok(count.0)
            }
        }
    }

    /// Returns the file as bytes. A filter that was read and not changed gives the same bytes.
    ///
    /// # Errors
    /// [`Error::Unconvertible`] and [`Error::Parameter`] if the filter has grown too large for its
    /// format; [`Error::TooLarge`] if memory is short; [`Error::Damaged`] for a filter that was
    /// opened [quick](crate::Open::quick) and whose bits are damaged.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes(None)
    }

    /// [`to_bytes`](Self::to_bytes), sealed like
    /// [`BloomFilter::to_bytes_sealed`](crate::BloomFilter::to_bytes_sealed).
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes); [`Error::Parameter`] for another program's format, which
    /// has no seal.
    #[cfg(feature = "seal")]
    pub fn to_bytes_sealed(&self, key: &SealKey) -> Result<Vec<u8>> {
        self.bytes(Some(key))
    }

    fn bytes(&self, seal: Option<&SealKey>) -> Result<Vec<u8>> {
        match &self.beside {
            None => write::bytes(&self.filter, seal),
            Some(beside) => {
                self.check_seal(seal)?;
                let mut bytes = Vec::new();
                beside.write(&self.filter, &mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// Refuses a seal for a format other than tepal's.
    fn check_seal(&self, seal: Option<&SealKey>) -> Result<()> {
        if seal.is_none() || self.beside.is_none() {
            return Ok(());
        }
        let expected = "left out: only tepal files have one";
        Err(Error::parameter("the seal", format_args!("given for {}", self.format), expected))
    }
}

#[cfg(feature = "std")]
impl FileLock {
    /// Saves a filter over the locked file, atomically, like [`Opened::save`]. The lock stays held.
    ///
    /// # Errors
    /// [`Error::FileChanged`] if a program without the lock has changed or replaced the file since
    /// it was locked; and as [`Opened::save`].
    pub fn save(&mut self, filter: &Opened) -> Result<()> {
        self.save_with(|path, over| filter.save_at(path, over, None))
    }

    /// [`save`](Self::save), sealed.
    ///
    /// # Errors
    /// As [`save`](Self::save) and [`Opened::save_sealed`].
    #[cfg(feature = "seal")]
    pub fn save_sealed(&mut self, filter: &Opened, key: &SealKey) -> Result<()> {
        self.save_with(|path, over| filter.save_at(path, over, Some(key)))
    }
}

#[cfg(feature = "std")]
impl Opened {
    /// Writes the file to `out` in pieces of at most 64 KiB, or of one record. Buffering is left to
    /// the caller.
    ///
    /// # Errors
    /// [`Error::Io`] if `out` fails; and as [`to_bytes`](Self::to_bytes).
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

    /// Saves the file, atomically, like [`BloomFilter::save`](crate::BloomFilter::save). Replaces
    /// an existing file.
    ///
    /// # Errors
    /// As [`BloomFilter::save`](crate::BloomFilter::save), and as [`to_bytes`](Self::to_bytes).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_at(path.as_ref(), Over::Any, None).map(drop)
    }

    /// [`save`](Self::save), sealed.
    ///
    /// # Errors
    /// As [`save`](Self::save) and [`to_bytes_sealed`](Self::to_bytes_sealed).
    #[cfg(feature = "seal")]
    pub fn save_sealed(&self, path: impl AsRef<Path>, key: &SealKey) -> Result<()> {
        self.save_at(path.as_ref(), Over::Any, Some(key)).map(drop)
    }

    /// [`save`](Self::save) as a new file. If two calls run at once, one of them creates the file.
    ///
    /// # Errors
    /// [`Error::FileExists`] if `path` exists; and as [`save`](Self::save).
    pub fn save_new(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_at(path.as_ref(), Over::Nothing, None).map(drop)
    }

    /// [`save_new`](Self::save_new), sealed.
    ///
    /// # Errors
    /// As [`save_new`](Self::save_new) and [`to_bytes_sealed`](Self::to_bytes_sealed).
    #[cfg(feature = "seal")]
    pub fn save_new_sealed(&self, path: impl AsRef<Path>, key: &SealKey) -> Result<()> {
        self.save_at(path.as_ref(), Over::Nothing, Some(key)).map(drop)
    }

    /// [`save`](Self::save) over the file that it was opened from ([`open`](crate::open),
    /// [`Open::open`](crate::Open::open)), at the same path. If another program has saved the file
    /// in the meantime, the call is an error and saves nothing. To wait for other programs instead,
    /// take a [`FileLock`] before opening.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tepal::Error;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("seen.tepal");
    /// # tepal::BloomFilter::builder().capacity(1000).build()?.save(&path)?;
    /// let (mut one, mut two) = (tepal::open(&path)?, tepal::open(&path)?);
    /// one.insert("570108428378")?;
    /// one.save_over()?;
    /// two.insert("850514300021")?;
    /// assert!(matches!(two.save_over(), Err(Error::FileChanged { .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::FileChanged`] if the file was replaced, removed or written to (by device, inode,
    /// length and time; by length and time on systems other than Unix); [`Error::Parameter`] if
    /// this was not opened from a file; and as [`save`](Self::save).
    pub fn save_over(&mut self) -> Result<()> {
        self.save_at_origin(None)
    }

    /// [`save_over`](Self::save_over), sealed.
    ///
    /// # Errors
    /// As [`save_over`](Self::save_over) and [`to_bytes_sealed`](Self::to_bytes_sealed).
    #[cfg(feature = "seal")]
    pub fn save_over_sealed(&mut self, key: &SealKey) -> Result<()> {
        self.save_at_origin(Some(key))
    }

    fn save_at_origin(&mut self, seal: Option<&SealKey>) -> Result<()> {
        let Some(origin) = self.origin.clone() else {
            let error = Error::parameter("the file to save over", "none", "the one that it was opened from");
            return Err(error.with(advice!("name a file", SaveTo)));
        };
        let file = self.save_at(&origin.path, Over::Only(&origin.stamp), seal)?;
        let stamp = Stamp::of_file(&file).map_err(|source| Error::io(&origin.path, "saving", source))?;
        self.origin = Some(Ref::new(Origin { path: origin.path.clone(), stamp }));
        Ok(())
    }

    /// Saves the file if the existing one meets `over`. Returns the new file, which is locked.
    pub(in crate::format) fn save_at(
        &self,
        path: &Path,
        over: Over<'_>,
        seal: Option<&SealKey>,
    ) -> Result<File> {
        // Fail before a temporary file is made.
        self.file_len()?;
        self.check_seal(seal)?;
        replace(path, over, |out| self.write(out, seal))
    }

    fn write(&self, out: &mut dyn Write, seal: Option<&SealKey>) -> Result<()> {
        match &self.beside {
            None => write::to_writer(&self.filter, seal, out),
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

/// Writes the bytes of a file to a writer.
#[cfg(feature = "std")]
struct Writer<'a>(&'a mut dyn Write);

#[cfg(feature = "std")]
impl Put for Writer<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes).map_err(write::writing)
    }
}

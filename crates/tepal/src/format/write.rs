//! Writing a filter: to any writer, or as a file that takes the place of another.

use std::io::{self, Write};
use std::path::Path;

use super::foreign::{FilterFile, Format};
use super::replace::replace;
use super::seal::SealKey;
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::filters::bloom::BloomFilter;

impl<L: AsRef<[Line]>> BloomFilter<L> {
    /// Writes the file to `out`. Buffering is the caller's; the pieces are 64 KiB.
    ///
    /// # Errors
    /// [`Error::Io`] where `out` refuses; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn write_to(&self, out: impl Write) -> Result<()> {
        self.write(out, None)
    }

    /// [`write_to`](Self::write_to), sealed as by [`to_bytes_sealed`](Self::to_bytes_sealed).
    ///
    /// # Errors
    /// As [`write_to`](Self::write_to).
    #[cfg(feature = "seal")]
    pub fn write_to_sealed(&self, out: impl Write, key: &SealKey) -> Result<()> {
        self.write(out, Some(key))
    }

    fn write(&self, mut out: impl Write, seal: Option<&SealKey>) -> Result<()> {
        self.check_before_copying()?;
        let written = self.write_pieces(&mut out, seal);
        written.map_err(|source| Error::Io { doing: "writing a filter".into(), source })
    }

    /// Saves the filter as a file, atomically: the bytes go to a temporary file beside `path`, reach the
    /// disk, and then take the name. Whatever happens, `path` is the old file or the new one, whole.
    ///
    /// An existing file keeps its permissions, and its readers keep what they had opened. A symbolic link
    /// is followed. A process that is killed while saving leaves its temporary file; on Unix the next save
    /// of the same target removes it.
    ///
    /// # Errors
    /// [`Error::Io`] where the system refuses; [`Error::Parameter`] where `path` is something that cannot be
    /// replaced by a file, such as a folder or a device; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.check_before_copying()?;
        replace(path.as_ref(), |out| self.write_pieces(out, None))
    }

    /// [`save`](Self::save), sealed: whoever opens the file needs the same key, and finds every change that was
    /// made without it ([`SealKey`]).
    ///
    /// # Errors
    /// As [`save`](Self::save).
    #[cfg(feature = "seal")]
    pub fn save_sealed(&self, path: impl AsRef<Path>, key: &SealKey) -> Result<()> {
        self.check_before_copying()?;
        replace(path.as_ref(), |out| self.write_pieces(out, Some(key)))
    }

    fn write_pieces(&self, out: &mut dyn Write, seal: Option<&SealKey>) -> io::Result<()> {
        self.pieces(seal, |piece| out.write_all(piece))?;
        out.flush()
    }
}

impl FilterFile {
    /// Saves the file, atomically, as [`BloomFilter::save`] does.
    ///
    /// # Errors
    /// As [`BloomFilter::save`], and as [`to_bytes`](Self::to_bytes).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        match (self.format(), self.filter().parts()) {
            // A large one need not be in memory twice.
            (Format::Tepal, [filter]) => filter.save(path),
            _ => {
                let bytes = self.to_bytes()?;
                replace(path.as_ref(), |out| out.write_all(&bytes))
            }
        }
    }
}

//! Writing a filter: to any writer, or as a file that takes the place of another.

use std::io::{self, Write};
use std::path::Path;

use super::chunks;
use super::foreign::{FilterFile, Format};
use super::replace::replace;
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::filters::bloom::BloomFilter;

impl<L: AsRef<[Line]>> BloomFilter<L> {
    /// Writes the file to `out`. Buffering is the caller's; the pieces are 64 KiB.
    ///
    /// # Errors
    /// [`Error::Io`] where `out` refuses; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn write_to(&self, mut out: impl Write) -> Result<()> {
        self.check_before_copying()?;
        self.write_pieces(&mut out).map_err(|source| Error::Io { doing: "writing a filter".into(), source })
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
        replace(path.as_ref(), |mut out| self.write_pieces(&mut out))
    }

    fn write_pieces(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.file_head())?;
        chunks(self.lines.as_ref()).try_for_each(|chunk| out.write_all(&chunk))?;
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

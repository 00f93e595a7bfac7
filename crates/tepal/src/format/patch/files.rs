//! Patches and the files they change, on disk. The files are mapped if possible, and written piece
//! by piece.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::Patch;
use crate::error::{Error, Result};
use crate::format::map::Bytes;
use crate::format::open::Open;
use crate::format::replace::{FileLock, Over, replace};
use crate::format::write::writing;
use crate::kinds::AnyFilter;

impl Patch {
    /// [`between`](Self::between) two files on disk.
    ///
    /// # Errors
    /// As [`between`](Self::between), and [`Error::Io`].
    pub fn between_files(old: impl AsRef<Path>, new: impl AsRef<Path>) -> Result<Self> {
        Self::between(read(old.as_ref())?.as_slice(), read(new.as_ref())?.as_slice())
    }

    /// Reads a patch from a file.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), and [`Error::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_bytes(read(path.as_ref())?.into_vec()?)
    }

    /// Saves the patch, atomically, like [`BloomFilter::save`](crate::BloomFilter::save).
    ///
    /// # Errors
    /// As [`BloomFilter::save`](crate::BloomFilter::save).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_at(path.as_ref(), Over::Any)
    }

    /// [`save`](Self::save) as a new file.
    ///
    /// # Errors
    /// [`Error::FileExists`] if `path` exists; and as [`save`](Self::save).
    pub fn save_new(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_at(path.as_ref(), Over::Nothing)
    }

    /// Writes the patch to `out`.
    ///
    /// # Errors
    /// [`Error::Io`] if `out` fails.
    pub fn write_to(&self, mut out: impl Write) -> Result<()> {
        out.write_all(self.as_bytes()).and_then(|()| out.flush()).map_err(writing)
    }

    fn save_at(&self, path: &Path, over: Over<'_>) -> Result<()> {
        replace(path, over, |out| self.write_to(out)).map(drop)
    }

    /// Makes the new file at `new` from the old one at `old`. The content is checked before the
    /// file gets its name. To change the old file itself, take a [`FileLock`] and
    /// [`patch`](FileLock::patch) it.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tepal::{BloomFilter, file::{FileLock, Patch}};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = |name| folder.path().join(name);
    /// let mut filter = BloomFilter::builder().capacity(1000).build_from(["apple"])?;
    /// filter.save(path("monday"))?;
    /// filter.insert("banana")?;
    /// filter.save(path("tuesday"))?;
    /// let patch = Patch::between_files(path("monday"), path("tuesday"))?;
    ///
    /// patch.apply_to_file(path("monday"), path("new"))?;
    /// FileLock::acquire(path("monday"))?.patch(&patch)?;             // in place
    /// assert_eq!(std::fs::read(path("new"))?, std::fs::read(path("monday"))?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`apply`](Self::apply), and [`Error::Io`]. An existing file at `new` then stays
    /// unchanged.
    pub fn apply_to_file(&self, old: impl AsRef<Path>, new: impl AsRef<Path>) -> Result<()> {
        self.apply_at(old.as_ref(), new.as_ref(), Over::Any).map(drop)
    }

    /// [`apply_to_file`](Self::apply_to_file), as a new file.
    ///
    /// # Errors
    /// [`Error::FileExists`] if `new` exists; and as [`apply_to_file`](Self::apply_to_file).
    pub fn apply_to_new_file(&self, old: impl AsRef<Path>, new: impl AsRef<Path>) -> Result<()> {
        self.apply_at(old.as_ref(), new.as_ref(), Over::Nothing).map(drop)
    }

    /// Writes the new file to `out`, from the old one at `old`. The content is checked before the
    /// first byte is written.
    ///
    /// # Errors
    /// As [`apply`](Self::apply), and [`Error::Io`].
    pub fn apply_to(&self, old: impl AsRef<Path>, mut out: impl Write) -> Result<()> {
        let old = read(old.as_ref())?;
        let start = self.start(old.as_slice())?;
        self.rehearse(&start)?;
        self.pieces(&start, &mut |piece| out.write_all(piece).map_err(writing))?;
        out.flush().map_err(writing)
    }

    fn apply_at(&self, old: &Path, new: &Path, over: Over<'_>) -> Result<File> {
        let old = read(old)?;
        let start = self.start(old.as_slice())?;
        self.rehearse(&start)?;
        replace(new, over, |out| {
            self.pieces(&start, &mut |piece| out.write_all(piece).map_err(writing))?;
            out.flush().map_err(writing)
        })
    }
}

impl FileLock {
    /// Replaces the locked file by the result of a patch, atomically. The lock stays held.
    ///
    /// # Errors
    /// [`Error::FileChanged`] if a program without the lock has changed or replaced the file since
    /// it was locked; and as [`Patch::apply`]. The file is then unchanged.
    pub fn patch(&mut self, patch: &Patch) -> Result<()> {
        self.save_with(|path, over| patch.apply_at(path, path, over))
    }
}

/// The bytes of a file.
fn read(path: &Path) -> Result<Bytes> {
    Bytes::of(path, &Open::new(), Open::check_header::<AnyFilter>).map(|(bytes, _)| bytes).map_err(|error| {
        match error {
            // From a pipe only a filter can be read, since it states its length.
            Error::NotTepal { .. } => Error::parameter("the file", path.display(), "one that is no pipe"),
            other => other,
        }
    })
}

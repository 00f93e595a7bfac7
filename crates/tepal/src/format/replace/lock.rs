//! A lock for writers that change the file they have read: one at a time.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{Over, place, system};
use crate::error::{Error, Result};
use crate::format::stamp::Stamp;

/// A lock on a filter's file. The holder reads the file, changes the filter and saves it; no other
/// holder can save in between.
///
/// The lock is advisory: `flock` on the file itself. Each [`save`](Self::save) moves the lock to
/// the new file. Readers never wait for it, nor does a plain [`Opened::save`](crate::Opened::save).
/// If a program without the lock has replaced the file, `save` is an error. The system releases the
/// lock when its holder ends for any reason, and no other file is left.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.tepal");
/// # tepal::BloomFilter::builder().capacity(1000).build()?.save(&path)?;
/// let mut lock = tepal::file::FileLock::acquire(&path)?;        // waits for another writer
/// let mut seen = tepal::open(&path)?;                     // after the lock, not before it
/// seen.insert("570108428378")?;
/// lock.save(&seen)?;
/// # #[cfg(unix)]
/// assert!(tepal::file::FileLock::try_acquire(&path)?.is_none());
/// drop(lock);
/// # Ok(())
/// # }
/// ```
///
/// Systems other than Unix and file systems without `flock` have no lock
/// ([`is_held`](Self::is_held) is `false`). There, `save` is an error if it finds the file changed,
/// but two savers in the same instant are not detected. A second lock on one file in the same
/// thread waits for ever.
#[derive(Debug)]
pub struct FileLock {
    /// The path as the caller gave it, for messages and for links that were changed.
    path: PathBuf,
    file: Option<File>,
    stamp: Stamp,
}

impl FileLock {
    /// Locks the file; waits for another holder.
    ///
    /// # Errors
    /// [`Error::Io`] if the file does not exist or cannot be opened; [`Error::Parameter`] if it
    /// cannot be replaced ([`check_place`](crate::file::check_place)).
    pub fn acquire(path: impl AsRef<Path>) -> Result<Self> {
        Self::with(path.as_ref(), system::lock)?
            .ok_or_else(|| Error::io(path.as_ref(), "locking", io::ErrorKind::WouldBlock.into()))
    }

    /// Locks the file; returns `None` if it is locked already.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire).
    pub fn try_acquire(path: impl AsRef<Path>) -> Result<Option<Self>> {
        Self::with(path.as_ref(), system::try_lock)
    }

    fn with(path: &Path, lock: fn(&File) -> io::Result<()>) -> Result<Option<Self>> {
        let io = |source| Error::io(path, "locking", source);
        loop {
            let target = place::target(path)?;
            let Some(file) = system::try_open(&target).map_err(io)? else {
                let found = std::fs::metadata(&target).map_err(io)?;
                return Ok(Some(FileLock { path: path.into(), file: None, stamp: Stamp::of(&found) }));
            };
            let is_locked = match lock(&file) {
                Ok(()) => true,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                // No locks here.
                Err(_) => false,
            };
            // The last holder may have replaced the file.
            if system::leads_to(&target, &file) {
                let stamp = Stamp::of_file(&file).map_err(io)?;
                return Ok(Some(FileLock { path: path.into(), file: is_locked.then_some(file), stamp }));
            }
        }
    }

    /// Is there a lock? `false` on systems other than Unix and on file systems without `flock`.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.file.is_some()
    }

    pub(in crate::format) fn save_with(
        &mut self,
        save: impl FnOnce(&Path, Over<'_>) -> Result<File>,
    ) -> Result<()> {
        let file = save(&self.path, Over::Only(&self.stamp))?;
        self.stamp = Stamp::of_file(&file).map_err(|source| Error::io(&self.path, "saving", source))?;
        // The lock on the temporary file becomes the lock on the target. The old lock is released
        // only after that.
        if self.file.is_some() {
            self.file = Some(file);
        }
        Ok(())
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            system::unlock(file);
        }
    }
}

#[cfg(all(test, unix))]
mod tests;

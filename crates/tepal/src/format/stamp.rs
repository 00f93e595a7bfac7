//! Which file it is, and in which state: by this a saver knows again what it has read.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// A file's identity (on Unix its device and inode, elsewhere nothing), its length, and when it was
/// last written. Another file of the name has another one, and so has the same file after a write
/// in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    #[cfg(unix)]
    file: (u64, u64),
    len: u64,
    #[cfg(unix)]
    written: (i64, i64),
    #[cfg(not(unix))]
    written: Option<std::time::SystemTime>,
}

impl Stamp {
    #[cfg(unix)]
    pub(crate) fn of(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Stamp {
            file: (found.dev(), found.ino()),
            len: found.len(),
            written: (found.mtime(), found.mtime_nsec()),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(found: &Metadata) -> Self {
        Stamp { len: found.len(), written: found.modified().ok() }
    }

    pub(super) fn of_file(file: &File) -> io::Result<Self> {
        file.metadata().map(|found| Self::of(&found))
    }

    /// Is it of the file that is at `path` now?
    pub(super) fn is_of(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|found| Self::of(&found) == *self)
    }
}

/// Where an opened filter came from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// As it was given.
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
}

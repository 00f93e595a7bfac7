//! Identifies a file and its state, so that a saver recognizes the file that it read.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// A file's identity (its device and inode on Unix, nothing on other systems), its length, and the
/// time of its last write. Another file at the same path has another stamp, and so has the same
/// file after a write in place.
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

    /// Does the stamp match the file that is now at `path`?
    pub(super) fn is_of(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|found| Self::of(&found) == *self)
    }
}

/// The file from which an opened filter was read.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// The path as the caller gave it.
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
}

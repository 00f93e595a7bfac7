//! Checks that a file can be saved at a path, before the work of making it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::system;
use crate::error::{Error, Result};

/// Checks that a file can be saved at `path`, before the work of making it.
/// [`save`](crate::BloomFilter::save) checks again.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.tepal");
/// tepal::file::check_place(&path)?;                              // a new name, or a file that can be replaced
/// assert!(tepal::file::check_place(folder.path()).is_err());     // a folder
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for a folder, a device, a pipe, a socket, a broken symbolic link, and a
/// file that is itself a mount point, which nobody can replace (Linux). [`Error::Io`] for a path
/// that cannot be followed, and for a folder that does not exist or in which no file can be made.
pub fn check_place(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let target = target(path)?;
    let folder = folder_of(&target);
    system::may_make_files(folder).map_err(|source| Error::io(folder, "making a file", source))
}

/// The file at `path`, with links followed. It must be a regular file or not exist.
pub(super) fn target(path: &Path) -> Result<PathBuf> {
    let io = |source| Error::io(path, "saving", source);
    let refuse = |found: &str, expected: &str| {
        Err(Error::parameter("the place to save to", format_args!("{} ({found})", path.display()), expected))
    };
    let expected = "a regular file or a new name";
    let is_link = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path.to_path_buf()),
        found => found.map_err(io)?.is_symlink(),
    };
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        // The file was removed between the two calls.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_link => return Ok(path.to_path_buf()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return refuse("a symbolic link that leads nowhere", expected);
        }
        Err(error) => return Err(io(error)),
    };
    let found = match fs::metadata(&target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(target),
        found => found.map_err(io)?,
    };
    match found {
        found if found.is_dir() => refuse("a folder", expected),
        found if !found.is_file() => refuse("a device, pipe or socket", expected),
        _ if system::is_mounted(&target) => refuse(
            "a file that is mounted by itself, and so cannot be replaced",
            "a file in a folder that is mounted as a whole",
        ),
        _ => Ok(target),
    }
}

/// The folder of a file; the working directory for a bare name.
pub(super) fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

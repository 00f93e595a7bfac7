//! Replaces a file atomically: a reader sees the whole old file or the whole new file. Also removes
//! the temporary files that killed processes left.
//!
//! The new bytes are written to a temporary file beside the target. When it is finished, the
//! temporary file gets the target's name. Until then only its owner may read it. [`temporary`] also
//! decides who may remove it. [`place`] checks the target before anything is written. [`Over`] is
//! the saver's condition on the existing file, and [`lock`] is for savers that change the file they
//! have read.
//!
//! Between the last check of the target and the rename, nobody else may replace it. So every saver
//! holds a lock on the folder for these two steps ([`system::guard`]). Other programs, for example
//! `mv`, take no lock. If they replace the target within these microseconds, their file can be
//! lost.

mod lock;
mod place;
mod system;
mod temporary;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

pub use lock::FileLock;
pub use place::check_place;

use self::system::{Step, step};
use self::temporary::{Temporary, sweep};
use super::stamp::Stamp;
use crate::error::{Error, Result};

/// The condition on the existing file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Over<'a> {
    /// Any file, or none.
    Any,
    /// No file may exist.
    Nothing,
    /// This file, unchanged.
    Only(&'a Stamp),
}

impl Over<'_> {
    /// Checks the condition.
    fn check(self, path: &Path, target: &Path) -> Result<()> {
        let path = || path.display().to_string();
        match self {
            Over::Nothing if fs::symlink_metadata(target).is_ok() => Err(Error::FileExists { path: path() }),
            Over::Only(stamp) if !stamp.is_of(target) => Err(Error::FileChanged { path: path() }),
            _ => Ok(()),
        }
    }
}

/// Replaces the file at `path` by the bytes that `write` writes, atomically. An existing file keeps
/// its permissions, and its owner and group if the saver may set them; a symbolic link is followed,
/// and other hard links keep the old file. Returns the new file, which is locked.
///
/// # Errors
/// [`Error::Io`] if the system or `write` fails; [`Error::Parameter`] if a file cannot replace
/// `path`; [`Error::FileExists`] and [`Error::FileChanged`] if the existing file does not meet
/// `over`.
pub(super) fn replace(
    path: &Path,
    over: Over<'_>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<File> {
    let target = place::target(path)?;
    over.check(path, &target)?;
    let io = |source| Error::io(path, "saving", source);
    let folder = place::folder_of(&target);
    let name = target.file_name().unwrap_or(OsStr::new("filter"));
    sweep(folder, name);
    let mut temporary = Temporary::create(folder, name).map_err(io)?;
    let named = |error| match error {
        Error::Io { source, .. } => io(source),
        other => other,
    };
    step(Step::Write, || Ok(write(&mut temporary.file))).map_err(io)?.map_err(named)?;
    step(Step::Permissions, || match fs::metadata(&target) {
        Ok(old) => system::take_after(&temporary.file, &old),
        Err(_) => system::take_default(&temporary.file, || temporary::path(folder, name)),
    })
    .map_err(io)?;
    step(Step::Sync, || system::sync_file(&temporary.file)).map_err(io)?;
    let file = match over {
        Over::Nothing => {
            step(Step::Rename, || temporary.rename_new(&target)).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Error::FileExists { path: path.display().to_string() },
                _ => io(error),
            })?
        }
        Over::Any | Over::Only(_) => {
            let _guard = system::guard(folder);
            over.check(path, &target)?;
            step(Step::Rename, || temporary.rename(&target)).map_err(io)?
        }
    };
    step(Step::SyncFolder, || system::sync_folder(folder)).map_err(io)?;
    Ok(file)
}

#[cfg(test)]
mod tests;

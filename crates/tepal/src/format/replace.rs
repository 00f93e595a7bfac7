//! Replacing a file so that whoever looks sees the old one or the new one, whole; and clearing away
//! what a killed process left of that.
//!
//! The new bytes go to a temporary file beside the target, which takes the target's name when it is
//! finished ([`temporary`], which says too who may sweep it). Until then nobody but its owner may
//! read it. What can be saved to at all, [`place`] says before any of that; what stands at the
//! target, the saver says ([`Over`]), and [`lock`] is for savers that change what they have read.
//!
//! Between the last look at the target and the new name nobody else may replace it, so every saver
//! holds a lock on the folder for these two steps ([`system::guard`]). What is not tepal, such as
//! `mv`, takes no lock: only between these two steps, microseconds, can its file be lost.

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

/// What may stand where the new file goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Over<'a> {
    /// Any file, or none.
    Any,
    /// Nothing.
    Nothing,
    /// This file, unchanged.
    Only(&'a Stamp),
}

impl Over<'_> {
    /// Is the target as it must be?
    fn check(self, path: &Path, target: &Path) -> Result<()> {
        let path = || path.display().to_string();
        match self {
            Over::Nothing if fs::symlink_metadata(target).is_ok() => Err(Error::FileExists { path: path() }),
            Over::Only(stamp) if !stamp.is_of(target) => Err(Error::FileChanged { path: path() }),
            _ => Ok(()),
        }
    }
}

/// Puts what `write` writes in the place of the file at `path`, atomically. An existing file keeps
/// its permissions, and its owner and group where the saver may give them; a symbolic link is
/// followed. Gives the new file, which is locked.
///
/// # Errors
/// [`Error::Io`] where the system or `write` refuses; [`Error::Parameter`] where `path` is
/// something that cannot be replaced by a file; [`Error::FileExists`] and [`Error::FileChanged`]
/// where the target is not as `over` says.
pub(super) fn replace(
    path: &Path,
    over: Over<'_>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<File> {
    let target = place::target(path)?;
    over.check(path, &target)?;
    let io = |source| Error::Io { doing: format!("{}: saving", path.display()), source };
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

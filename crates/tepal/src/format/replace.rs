//! Replacing a file so that whoever looks sees the old one or the new one, whole; and clearing away what a
//! killed process left of that.
//!
//! The new bytes go to a temporary file beside the target, `.NAME.<16 hex digits>.tepal-tmp`, which takes the
//! target's name when it is finished. Its maker holds an advisory lock (`flock`) on it for as long as it lives;
//! the system drops the lock with the process, however that ends. So a temporary file that can be locked has
//! no maker any more, and the next save of the same target removes it.
//!
//! What can come between two steps, and why it does no harm:
//!
//! - *Made, not locked yet*: a sweeper may lock the file first. The maker then fails to lock it, or finds after
//!   locking that the name no longer leads to it, and starts over with another name. A maker that passes both
//!   tests keeps its file: nobody else can lock it from then on.
//! - *Locked by a sweeper, not removed yet*: the sweeper removes the name only while it leads to the file that
//!   it has locked. Nobody renames that file, for its maker has failed to lock it or is dead; a maker that gives
//!   it up may remove the name first, and then there is nothing to remove. No other file takes the name: names
//!   are random, 64 bits, and never opened but as new ones.
//! - *Opened by a sweeper, then renamed by its maker*: the sweeper may lock it when the maker is done, but it is
//!   the target now, and the temporary name leads nowhere. The target's name is never removed.
//! - *Killed between making and locking, or at any other time*: the file is left unlocked, and swept.
//!
//! Where the file system has no such locks, and on systems other than Unix, nothing is swept.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

const SUFFIX: &str = ".tepal-tmp";
/// Hexadecimal digits of the random part of a temporary name.
const DIGITS: usize = 16;

/// What saving asks the system for, in this order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Create,
    Lock,
    Write,
    Permissions,
    Sync,
    Rename,
    SyncFolder,
}

/// Takes a step; tests let one of them fail in place of the system.
fn step<T>(_step: Step, take: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(test)]
    tests::fault(_step)?;
    take()
}

/// Puts what `write` writes in the place of the file at `path`, atomically. An existing file keeps its
/// permissions, a symbolic link is followed.
///
/// # Errors
/// [`Error::Io`] where the system or `write` refuses; [`Error::Parameter`] where `path` is something that
/// cannot be replaced by a file.
pub(super) fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let target = regular_target(path)?;
    let io = |source| Error::Io { doing: format!("{}: saving", path.display()), source };
    let folder = folder_of(&target);
    let name = target.file_name().unwrap_or(OsStr::new("filter"));
    sweep(folder, name);
    let mut temporary = Temporary::create(folder, name).map_err(io)?;
    let named = |error| match error {
        Error::Io { source, .. } => io(source),
        other => other,
    };
    step(Step::Write, || Ok(write(&mut temporary.file))).map_err(io)?.map_err(named)?;
    if let Ok(old) = fs::metadata(&target) {
        step(Step::Permissions, || temporary.file.set_permissions(old.permissions())).map_err(io)?;
    }
    step(Step::Sync, || temporary.file.sync_all()).map_err(io)?;
    step(Step::Rename, || temporary.rename(&target)).map_err(io)?;
    #[cfg(unix)]
    step(Step::SyncFolder, || File::open(folder)?.sync_all()).map_err(io)?;
    Ok(())
}

/// The file behind `path`, links followed, which must be a regular one or not there yet.
fn regular_target(path: &Path) -> Result<PathBuf> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match fs::metadata(&target) {
        Ok(found) if !found.is_file() => {
            let kind = if found.is_dir() { "a folder" } else { "a device, pipe or socket" };
            Err(Error::parameter(
                "the place to save to",
                format_args!("{} ({kind})", path.display()),
                "a regular file or a new name",
            ))
        }
        _ => Ok(target),
    }
}

/// The folder that a file is in: for a bare name the working directory.
fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A temporary file that is locked, and removed where it is not renamed.
struct Temporary {
    file: File,
    path: PathBuf,
    renamed: bool,
}

impl Temporary {
    fn create(folder: &Path, name: &OsStr) -> io::Result<Self> {
        loop {
            // Keyed by the system's random numbers, anew each time.
            let path = folder.join(temporary_name(name, RandomState::new().hash_one(std::process::id())));
            let create = || OpenOptions::new().write(true).create_new(true).open(&path);
            let file = match step(Step::Create, create) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            let temporary = Temporary { file, path, renamed: false };
            match step(Step::Lock, || lock::try_lock(&temporary.file)) {
                Ok(()) if !lock::leads_to(&temporary.path, &temporary.file) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // No locks here: nobody else can lock, and so sweep, it either.
                Ok(()) | Err(_) => return Ok(temporary),
            }
        }
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // Where this fails, the next save sweeps it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn temporary_name(name: &OsStr, random: u64) -> OsString {
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{random:0DIGITS$x}{SUFFIX}"));
    temporary
}

/// Is this the name of a temporary file for the target of this name?
fn is_temporary(found: &OsStr, name: &OsStr) -> bool {
    let middle = found
        .as_encoded_bytes()
        .strip_prefix(b".")
        .and_then(|rest| rest.strip_prefix(name.as_encoded_bytes()))
        .and_then(|rest| rest.strip_prefix(b"."))
        .and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    middle.is_some_and(|digits| {
        digits.len() == DIGITS && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Removes the temporary files for this target that no living process holds. Costs a look at every name in
/// the folder. A leftover that cannot be removed is left: it is no reason not to save.
fn sweep(folder: &Path, name: &OsStr) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name(), name)) {
        let path = entry.path();
        if let Ok(Some(file)) = lock::try_open(&path) {
            if lock::try_lock(&file).is_ok() && lock::leads_to(&path, &file) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// Advisory locks, and whether a name still leads to the file that was opened by it.
#[cfg(unix)]
mod lock {
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    use std::path::Path;

    use rustix::fs::{FlockOperation, OFlags, flock};

    /// Opens a leftover so that it can be locked; nothing where it is no regular file. A link is not followed,
    /// and a pipe not waited for.
    pub(super) fn try_open(path: &Path) -> io::Result<Option<File>> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        // Some network file systems lock only what is open for writing.
        let file = OpenOptions::new().write(true).custom_flags(flags.bits() as i32).open(path)?;
        Ok(file.metadata()?.is_file().then_some(file))
    }

    /// Locks the file for this process, at once or not at all.
    pub(super) fn try_lock(file: &File) -> io::Result<()> {
        Ok(flock(file, FlockOperation::NonBlockingLockExclusive)?)
    }

    /// Is the file at `path` this one?
    pub(super) fn leads_to(path: &Path, file: &File) -> bool {
        match (fs::symlink_metadata(path), file.metadata()) {
            (Ok(there), Ok(here)) => (there.dev(), there.ino()) == (here.dev(), here.ino()),
            _ => false,
        }
    }
}

/// No locks: nothing is opened for sweeping, and what is made counts as locked.
#[cfg(not(unix))]
mod lock {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn try_open(_path: &Path) -> io::Result<Option<File>> {
        Ok(None)
    }

    pub(super) fn try_lock(_file: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn leads_to(_path: &Path, _file: &File) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;

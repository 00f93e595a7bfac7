//! What saving asks of the system beyond the standard library: advisory locks, owners and modes, names that must be new.

use std::fs::File;
use std::io;

#[cfg(not(unix))]
pub(super) use self::other::*;
#[cfg(unix)]
pub(super) use self::unix::*;

/// Makes the bytes of a file last, or the names in a folder.
pub(super) fn sync_file(file: &File) -> io::Result<()> {
    file.sync_all()?;
    #[cfg(all(test, unix))]
    super::tests::disk::synced(file);
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
    use std::path::{Path, PathBuf};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::fs::{Access, FlockOperation, OFlags, access, flock};

    /// Makes a file that its owner alone may read and write.
    pub(in super::super) fn create_private(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
    }

    /// Opens a file so that it can be locked; nothing where it is no regular file. A link is not followed,
    /// and a pipe not waited for.
    pub(in super::super) fn try_open(path: &Path) -> io::Result<Option<File>> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        // Some network file systems lock only what is open for writing.
        let file = match OpenOptions::new().write(true).custom_flags(flags).open(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                OpenOptions::new().read(true).custom_flags(flags).open(path)?
            }
            opened => opened?,
        };
        Ok(file.metadata()?.is_file().then_some(file))
    }

    /// Locks the file for this process, at once or not at all.
    pub(in super::super) fn try_lock(file: &File) -> io::Result<()> {
        Ok(flock(file, FlockOperation::NonBlockingLockExclusive)?)
    }

    /// Locks the file for this process, when whoever has locked it is done.
    pub(in super::super) fn lock(file: &File) -> io::Result<()> {
        Ok(rustix::io::retry_on_intr(|| flock(file, FlockOperation::LockExclusive))?)
    }

    /// Gives a lock back at once: to close the file does that only when no process that was begun meanwhile has it open still.
    pub(in super::super) fn unlock(file: &File) {
        let _ = flock(file, FlockOperation::Unlock);
    }

    /// Is the file at `path` this one?
    pub(in super::super) fn leads_to(path: &Path, file: &File) -> bool {
        match (fs::symlink_metadata(path), file.metadata()) {
            (Ok(there), Ok(here)) => (there.dev(), there.ino()) == (here.dev(), here.ino()),
            _ => false,
        }
    }

    /// Keeps other savers from giving names in this folder, for as long as the file is open. Whoever has locked the folder
    /// for longer than a saver ever does, such as `flock FOLDER tepal ..`, is not waited for.
    pub(in super::super) fn guard(folder: &Path) -> Option<File> {
        let file = File::open(folder).ok()?;
        let begun = Instant::now();
        loop {
            match try_lock(&file) {
                Ok(()) => return Some(file),
                Err(error)
                    if error.kind() == io::ErrorKind::WouldBlock
                        && begun.elapsed() < Duration::from_secs(1) =>
                {
                    thread::sleep(Duration::from_micros(200));
                }
                Err(_) => return None,
            }
        }
    }

    /// Makes the names in a folder last. A folder that may not be read cannot be opened for that.
    pub(in super::super) fn sync_folder(folder: &Path) -> io::Result<()> {
        match File::open(folder) {
            Ok(folder) => super::sync_file(&folder),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Gives the file the mode of an old one, and its owner and group where this process may.
    pub(in super::super) fn take_after(file: &File, old: &Metadata) -> io::Result<()> {
        let owners = |found: &Metadata| (found.uid(), found.gid());
        if owners(&file.metadata()?) != owners(old) && fchown(file, Some(old.uid()), Some(old.gid())).is_err()
        {
            let _ = fchown(file, None, Some(old.gid()));
        }
        let now = file.metadata()?;
        let mode = mode_for(old.mode(), now.uid() == old.uid(), now.gid() == old.gid());
        file.set_permissions(Permissions::from_mode(mode))
    }

    /// The mode of an old file for one whose owner or group may be another: nobody gets what only the old group had, and
    /// nothing runs as somebody else.
    pub(in super::super) fn mode_for(old: u32, same_owner: bool, same_group: bool) -> u32 {
        let mut mode = old & 0o7777;
        if !same_owner {
            mode &= !0o4000;
        }
        if !same_group {
            mode &= !0o2000;
            mode &= !0o070 | (mode & 0o007) << 3;
        }
        mode
    }

    /// Gives the file the mode that a new file has here: by an empty one, for the mask of a process cannot be looked at
    /// without changing it.
    pub(in super::super) fn take_default(file: &File, path: impl Fn() -> PathBuf) -> io::Result<()> {
        let path = path();
        let made = OpenOptions::new().write(true).create_new(true).open(&path)?.metadata();
        // Nobody has locked it, so another saver may sweep it first.
        let _ = fs::remove_file(&path);
        file.set_permissions(Permissions::from_mode(made?.mode() & 0o7777))
    }

    /// May this process make files in the folder?
    pub(in super::super) fn may_make_files(folder: &Path) -> io::Result<()> {
        if !fs::metadata(folder)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(access(folder, Access::WRITE_OK | Access::EXEC_OK)?)
    }

    /// Is something mounted on this very file?
    #[cfg(target_os = "linux")]
    pub(in super::super) fn is_mounted(path: &Path) -> bool {
        use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
        statx(CWD, path, AtFlags::empty(), StatxFlags::empty())
            .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
    }

    #[cfg(not(target_os = "linux"))]
    pub(in super::super) fn is_mounted(_path: &Path) -> bool {
        false
    }

    /// Renames to a name that nothing has.
    #[cfg(target_os = "linux")]
    pub(in super::super) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
    }

    #[cfg(not(target_os = "linux"))]
    pub(in super::super) fn rename_to_new(_from: &Path, _to: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// No locks, owners or modes: nothing is opened for sweeping, and what is made counts as locked.
#[cfg(not(unix))]
mod other {
    use std::fs::{self, File, Metadata, OpenOptions};
    use std::io;
    use std::path::{Path, PathBuf};

    pub(in super::super) fn create_private(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(path)
    }

    pub(in super::super) fn try_open(_path: &Path) -> io::Result<Option<File>> {
        Ok(None)
    }

    pub(in super::super) fn try_lock(_file: &File) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn unlock(_file: &File) {}

    pub(in super::super) fn lock(_file: &File) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn leads_to(_path: &Path, _file: &File) -> bool {
        true
    }

    pub(in super::super) fn guard(_folder: &Path) -> Option<File> {
        None
    }

    pub(in super::super) fn sync_folder(_folder: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn take_after(file: &File, old: &Metadata) -> io::Result<()> {
        file.set_permissions(old.permissions())
    }

    pub(in super::super) fn take_default(_file: &File, _path: impl Fn() -> PathBuf) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn may_make_files(folder: &Path) -> io::Result<()> {
        if fs::metadata(folder)?.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    pub(in super::super) fn is_mounted(_path: &Path) -> bool {
        false
    }

    pub(in super::super) fn rename_to_new(_from: &Path, _to: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

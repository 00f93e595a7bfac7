//! The system calls of saving that the standard library does not have: advisory locks, owners and
//! modes, names that must be new.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;

#[cfg(not(unix))]
pub(super) use self::other::*;
#[cfg(unix)]
pub(super) use self::unix::*;

/// The system calls of a save, in this order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    Create,
    Lock,
    Write,
    Permissions,
    Sync,
    Rename,
    SyncFolder,
}

/// Runs a step; tests make a step fail in place of the system.
pub(super) fn step<T>(_step: Step, take: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(test)]
    super::tests::fault(_step)?;
    take()
}

/// Writes the bytes of a file, or the names in a folder, to the disk.
pub(super) fn sync_file(file: &File) -> io::Result<()> {
    file.sync_all()?;
    #[cfg(all(test, unix))]
    super::tests::disk::synced(file);
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::ffi::CString;
    use std::fs::{self, File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
    use std::path::{Path, PathBuf};
    use std::thread;
    use std::time::{Duration, Instant};

    /// The result of a system call that returns -1 on failure.
    fn checked(result: impl Into<i64>) -> io::Result<()> {
        if result.into() == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// A path for system calls. A path with a NUL byte names no file.
    fn c_path(path: &Path) -> io::Result<CString> {
        Ok(CString::new(path.as_os_str().as_bytes())?)
    }

    fn flock(file: &File, operation: libc::c_int) -> io::Result<()> {
        // SAFETY: the descriptor is open for as long as `file` is borrowed, and the call takes no
        // pointer.
        checked(unsafe { libc::flock(file.as_raw_fd(), operation) })
    }

    /// Makes a file that only its owner may read and write.
    pub(in super::super) fn create_private(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
    }

    /// Opens a file so that it can be locked; `None` if it is not a regular file. Does not follow a
    /// link or wait for a pipe.
    pub(in super::super) fn try_open(path: &Path) -> io::Result<Option<File>> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        // Some network file systems lock only files that are open for writing.
        let file = match OpenOptions::new().write(true).custom_flags(flags).open(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                OpenOptions::new().read(true).custom_flags(flags).open(path)?
            }
            opened => opened?,
        };
        Ok(file.metadata()?.is_file().then_some(file))
    }

    /// Locks the file for this process, or fails at once.
    pub(in super::super) fn try_lock(file: &File) -> io::Result<()> {
        flock(file, libc::LOCK_EX | libc::LOCK_NB)
    }

    /// Locks the file for this process; waits for another holder.
    pub(in super::super) fn lock(file: &File) -> io::Result<()> {
        loop {
            match flock(file, libc::LOCK_EX) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return outcome,
            }
        }
    }

    /// Releases a lock at once. Closing the file does not release it while a child process still
    /// has the file open.
    pub(in super::super) fn unlock(file: &File) {
        let _ = flock(file, libc::LOCK_UN);
    }

    /// Is the file at `path` this file?
    pub(in super::super) fn leads_to(path: &Path, file: &File) -> bool {
        match (fs::symlink_metadata(path), file.metadata()) {
            (Ok(there), Ok(here)) => (there.dev(), there.ino()) == (here.dev(), here.ino()),
            _ => false,
        }
    }

    /// Prevents other savers from renaming files in this folder, while the returned file is open.
    /// Gives up after a second: a saver never holds this lock so long, but another program may, for
    /// example `flock FOLDER tepal ..`.
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

    /// Writes the names in a folder to the disk. A folder without read permission cannot be synced.
    pub(in super::super) fn sync_folder(folder: &Path) -> io::Result<()> {
        match File::open(folder) {
            Ok(folder) => super::sync_file(&folder),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Gives the file the mode of an old one, and its owner and group if this process may set them.
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

    /// The mode of an old file, for a file with another owner or group: nobody gets rights that
    /// only the old group had, and no program runs as another user.
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

    /// Gives the file the default mode of a new file. It makes an empty file to find this mode: the
    /// umask of a process cannot be read without changing it.
    pub(in super::super) fn take_default(file: &File, path: impl Fn() -> PathBuf) -> io::Result<()> {
        let path = path();
        let made = OpenOptions::new().write(true).create_new(true).open(&path)?.metadata();
        // The file is not locked, so another saver may remove it first.
        let _ = fs::remove_file(&path);
        file.set_permissions(Permissions::from_mode(made?.mode() & 0o7777))
    }

    /// May this process make files in the folder?
    pub(in super::super) fn may_make_files(folder: &Path) -> io::Result<()> {
        if !fs::metadata(folder)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let folder = c_path(folder)?;
        // SAFETY: `folder` ends with a NUL and lives through the call, which only reads it.
        checked(unsafe { libc::access(folder.as_ptr(), libc::W_OK | libc::X_OK) })
    }

    /// Is the file itself a mount point?
    #[cfg(all(target_os = "linux", any(target_env = "gnu", target_env = "musl")))]
    pub(in super::super) fn is_mounted(path: &Path) -> bool {
        /// A constant of statx(2) that some versions of `libc` do not have.
        const STATX_ATTR_MOUNT_ROOT: u64 = 0x2000;
        let Ok(path) = c_path(path) else { return false };
        let mut found = core::mem::MaybeUninit::<libc::statx>::zeroed();
        // SAFETY: `path` ends with a NUL; `found` has space for the structure that the call writes.
        // Both live through the call. The arguments are those of statx(2).
        let result = unsafe {
            libc::syscall(libc::SYS_statx, libc::AT_FDCWD, path.as_ptr(), 0, 0u32, found.as_mut_ptr())
        };
        // SAFETY: the memory was zeroed, and zeros are a valid structure of numbers.
        let found = unsafe { found.assume_init() };
        result == 0 && found.stx_attributes & STATX_ATTR_MOUNT_ROOT != 0
    }

    #[cfg(not(all(target_os = "linux", any(target_env = "gnu", target_env = "musl"))))]
    pub(in super::super) fn is_mounted(_path: &Path) -> bool {
        false
    }

    /// Renames to a name that does not exist.
    #[cfg(target_os = "linux")]
    pub(in super::super) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (c_path(from)?, c_path(to)?);
        // SAFETY: both paths end with a NUL and live through the call, which only reads them. The
        // arguments are those of renameat2(2), for which not every C library has a function.
        checked(unsafe {
            let here = libc::AT_FDCWD;
            libc::syscall(libc::SYS_renameat2, here, from.as_ptr(), here, to.as_ptr(), libc::RENAME_NOREPLACE)
        })
    }

    #[cfg(not(target_os = "linux"))]
    pub(in super::super) fn rename_to_new(_from: &Path, _to: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// No locks, owners or modes: no file is opened for sweeping, and a new file counts as locked.
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

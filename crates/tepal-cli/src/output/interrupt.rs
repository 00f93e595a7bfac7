//! Ctrl-C: the process ends at once and leaves no file half written. A write past the size limit of
//! files (`ulimit -f`) is an error, as on a full disk; its signal does not end the process.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

#[cfg(unix)]
use nix::sys::signal::{SigSet, Signal};

use crate::input::parallel::lock;

/// Locked while a filter is being saved. The library's temporary file is on the disk during that
/// time.
static SAVING: Mutex<()> = Mutex::new(());
/// The files that are not finished.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The exit code after Ctrl-C: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// Sets what Ctrl-C does from now on: it waits until a save is done, removes unfinished files and
/// ends the process with 130. The signal of a write past the size limit of files is blocked, so
/// that the write fails. Threads that start later block it too.
pub fn install() {
    hold_back_file_size_signal();
    // If no handler can be set, the default remains: Ctrl-C ends the process.
    let _ = ctrlc::set_handler(|| {
        let _saving = saving();
        for path in lock(&UNFINISHED).iter() {
            let _ = fs::remove_file(path);
        }
        std::process::exit(INTERRUPTED);
    });
}

#[cfg(unix)]
fn hold_back_file_size_signal() {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // If it cannot be blocked, the default remains: the signal ends the process.
    let _ = signals.thread_block();
}

#[cfg(not(unix))]
fn hold_back_file_size_signal() {}

/// Makes Ctrl-C wait until the guard is dropped.
pub fn saving() -> MutexGuard<'static, ()> {
    lock(&SAVING)
}

/// A file that has another name until it is finished. It is removed if it is dropped before
/// [`UnfinishedFile::finish`].
pub struct UnfinishedFile {
    path: PathBuf,
    target: PathBuf,
    /// The open file.
    pub file: fs::File,
}

impl UnfinishedFile {
    /// Creates `target.part`, which will become `target`. If `target.part` exists, it is neither
    /// followed nor written to.
    pub fn create(target: &Path) -> io::Result<Self> {
        let mut path = target.as_os_str().to_owned();
        path.push(".part");
        let path = PathBuf::from(path);
        // Held until the file is on the list: only a file that was created here is ever removed.
        let mut unfinished = lock(&UNFINISHED);
        let file = fs::File::create_new(&path)?;
        unfinished.push(path.clone());
        drop(unfinished);
        Ok(Self { path, target: target.to_owned(), file })
    }

    /// Renames the file to its target.
    pub fn finish(self) -> io::Result<()> {
        fs::rename(&self.path, &self.target)
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        // After `finish` no file has this name.
        let _ = fs::remove_file(&self.path);
        forget(&self.path);
    }
}

/// Takes a file off the list of unfinished ones.
fn forget(unfinished: &Path) {
    lock(&UNFINISHED).retain(|path| path != unfinished);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn an_unfinished_file_becomes_its_target_or_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("keys.txt");
        drop(UnfinishedFile::create(&target).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // An existing file stays as it is.
        fs::write(folder.path().join("keys.txt.part"), "mine").unwrap();
        assert!(UnfinishedFile::create(&target).is_err());
        assert_eq!(fs::read(folder.path().join("keys.txt.part")).unwrap(), b"mine");
        fs::remove_file(folder.path().join("keys.txt.part")).unwrap();
        let mut unfinished = UnfinishedFile::create(&target).unwrap();
        unfinished.file.write_all(b"x").unwrap();
        unfinished.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"x");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

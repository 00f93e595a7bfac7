//! Ctrl-C (SIGINT), SIGTERM and SIGHUP: the process ends at once and leaves no file half written. A
//! write past the size limit of files (`ulimit -f`) is an error, as on a full disk; its signal does
//! not end the process.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use crate::input::parallel::lock;
use crate::output::complain;

/// Locked while a filter is being saved. The library's temporary file is on the disk during that
/// time. What came of the last save is inside.
static SAVING: Mutex<Option<Saved>> = Mutex::new(None);
/// The files that are not finished.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Who ends the process in the place of the first signal.
static KEEPER: Mutex<Option<Sender<Told>>> = Mutex::new(None);

/// When the keeper was told.
static TOLD: Mutex<Option<Instant>> = Mutex::new(None);

/// A signal that follows the first one within this time is taken for the same: `timeout` and others
/// send it to a program and to its group.
const TWICE: Duration = Duration::from_secs(1);

/// What came of a save.
struct Saved {
    name: String,
    is_in_place: bool,
}

/// What a keeper is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// A signal came: the process ends with this code.
    End(u8),
    /// Its work is done.
    Done,
}

/// Sets what the signals do from now on: the process waits until a save is done, removes unfinished
/// files and ends with 128 and the number of the signal. A signal that is ignored stays ignored.
/// The signal of a write past the size limit of files is blocked, so that the write fails. Threads
/// that start later block it too.
pub fn install() {
    system::hold_back_file_size_signal();
    system::take_signals();
}

/// Ends the process after a signal. `code`: 128 and the number of the signal.
fn end(code: u8) {
    if let Some(keeper) = lock(&KEEPER).take() {
        if keeper.send(Told::End(code)).is_ok() {
            *lock(&TOLD) = Some(Instant::now());
            return;
        }
    }
    if lock(&TOLD).is_some_and(|told| told.elapsed() < TWICE) {
        return;
    }
    let saved = match SAVING.try_lock() {
        Ok(saved) => saved,
        Err(TryLockError::Poisoned(saved)) => saved.into_inner(),
        Err(TryLockError::WouldBlock) => lock(&SAVING),
    };
    for path in lock(&UNFINISHED).iter() {
        let _ = fs::remove_file(path);
    }
    match &*saved {
        Some(Saved { name, is_in_place: true }) => {
            complain(&format!("{name}: interrupted when it was saved; the new file is in place"));
        }
        Some(Saved { name, .. }) => {
            complain(&format!("{name}: interrupted, and not saved; it is as it was before"));
        }
        None => {}
    }
    std::process::exit(i32::from(code));
}

/// The first signal from now on is told to the keeper, which ends the process. One that comes more
/// than a second later ends it as usual.
pub fn tell(keeper: Sender<Told>) {
    *lock(&KEEPER) = Some(keeper);
}

/// A save that signals wait for.
pub struct Saving(MutexGuard<'static, Option<Saved>>);

/// Makes signals wait until [`Saving::ended`], or until it is dropped.
pub fn saving() -> Saving {
    Saving(lock(&SAVING))
}

impl Saving {
    /// The save of the file `name` has ended.
    pub fn ended(mut self, name: &str, is_in_place: bool) {
        *self.0 = Some(Saved { name: name.to_owned(), is_in_place });
    }
}

#[cfg(unix)]
mod system {
    use std::thread;

    use nix::sys::signal::{SigSet, Signal};

    use crate::at_start::is_ignored;

    pub fn hold_back_file_size_signal() {
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGXFSZ);
        // If it cannot be blocked, the default remains: the signal ends the process.
        let _ = signals.thread_block();
    }

    /// Blocks the signals in this thread, and so in those that it starts; one thread waits for
    /// them.
    pub fn take_signals() {
        let mut signals = SigSet::empty();
        let ends = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];
        ends.into_iter().filter(|signal| !is_ignored(*signal)).for_each(|signal| signals.add(signal));
        if signals.thread_block().is_err() {
            return;
        }
        let wait = move || {
            while let Ok(signal) = signals.wait() {
                super::end(128 + signal as u8);
            }
        };
        // Without the thread the default remains: a signal ends the process.
        if thread::Builder::new().name("tepal signals".to_owned()).spawn(wait).is_err() {
            let _ = signals.thread_unblock();
        }
    }
}

#[cfg(not(unix))]
mod system {
    pub fn hold_back_file_size_signal() {}

    pub fn take_signals() {
        // If no handler can be set, the default remains: Ctrl-C ends the process.
        let _ = ctrlc::set_handler(|| super::end(130));
    }
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

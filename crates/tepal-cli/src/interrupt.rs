//! Ctrl-C: end at once, and leave nothing half written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use crate::parallel::lock;

/// Held while a filter is being saved: the library's temporary file is then on the disk.
static SAVING: Mutex<()> = Mutex::new(());
/// Files that are not finished.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The exit code after Ctrl-C: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C waits for a save under way, removes unfinished files and ends with 130.
pub fn install() {
    // Where no handler can be set the default remains: Ctrl-C ends the process.
    let _ = ctrlc::set_handler(|| {
        let _saving = saving();
        for path in lock(&PARTS).iter() {
            let _ = fs::remove_file(path);
        }
        std::process::exit(INTERRUPTED);
    });
}

/// Keeps Ctrl-C waiting until the guard is dropped.
pub fn saving() -> MutexGuard<'static, ()> {
    lock(&SAVING)
}

/// A file under another name until it is finished; without [`Part::finish`] it is removed.
pub struct Part {
    part: PathBuf,
    target: PathBuf,
    /// The open file.
    pub file: fs::File,
}

impl Part {
    /// Starts `target` as `target.part`.
    pub fn create(target: &Path) -> io::Result<Self> {
        let mut part = target.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        lock(&PARTS).push(part.clone());
        let file = fs::File::create(&part).inspect_err(|_| forget(&part))?;
        Ok(Self { part, target: target.to_owned(), file })
    }

    /// Gives it its name.
    pub fn finish(self) -> io::Result<()> {
        fs::rename(&self.part, &self.target)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // After `finish` there is nothing under this name.
        let _ = fs::remove_file(&self.part);
        forget(&self.part);
    }
}

fn forget(part: &Path) {
    lock(&PARTS).retain(|path| path != part);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_part_becomes_the_file_or_vanishes() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("keys.txt");
        drop(Part::create(&target).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut part = Part::create(&target).unwrap();
        part.file.write_all(b"x").unwrap();
        part.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"x");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

//! The temporary file of a save, and sweeping the files that killed saves left.
//!
//! The name is `.NAME.<16 hex digits>.tepal-tmp`; a long NAME is replaced by its beginning and a
//! hash. The maker holds an advisory lock (`flock`) on the file while it lives. The system releases
//! the lock when the process ends for any reason. So if another process can lock a temporary file,
//! its maker is dead. The next save to the same target then removes the file.
//!
//! Events between two steps, and why they do no harm:
//!
//! - *Made, not locked yet*: a sweeper may lock the file first. The maker then fails to lock it, or
//!   finds after locking that the name no longer leads to it, and starts again with another name. A
//!   maker that passes both tests keeps its file: nobody else can lock it from then on.
//! - *Locked by a sweeper, not removed yet*: the sweeper removes the name only while it leads to
//!   the locked file. Nobody renames that file: its maker has failed to lock it, or is dead. A
//!   maker that gives up may remove the name first; then the sweeper removes nothing. No other file
//!   gets the name: names are random, 64 bits, and only opened as new files.
//! - *Opened by a sweeper, then renamed by its maker*: the sweeper may lock the file when the maker
//!   is done. But then it is the target. The temporary name leads nowhere, or is a second name of
//!   the target that is removed anyway. The target's own name is never removed.
//! - *Killed between making and locking, or at any other time*: the file is left unlocked, and
//!   swept.
//!
//! On file systems without `flock`, and on systems other than Unix, nothing is swept.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use super::system::{self, Step, step};

const SUFFIX: &str = ".tepal-tmp";
/// Hexadecimal digits of the random part of a temporary name.
const DIGITS: usize = 16;
/// The most bytes of the target's name in a temporary name, which then has 143 bytes.
const MOST_STEM: usize = 143 - 1 - 1 - DIGITS - SUFFIX.len();

/// A temporary file that is locked, and removed unless it is renamed.
pub(super) struct Temporary {
    pub(super) file: File,
    pub(super) name: Name,
}

/// The name of a temporary file; dropping it removes the file.
pub(super) struct Name {
    pub(super) path: PathBuf,
    pub(super) is_gone: bool,
}

impl Temporary {
    /// A new file, which only its owner may read.
    pub(super) fn create(folder: &Path, name: &OsStr) -> io::Result<Self> {
        loop {
            let path = path(folder, name);
            let file = match step(Step::Create, || system::create_private(&path)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            let temporary = Temporary { file, name: Name { path, is_gone: false } };
            match step(Step::Lock, || system::try_lock(&temporary.file)) {
                Ok(()) if !system::leads_to(&temporary.name.path, &temporary.file) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // No locks here: nobody else can lock the file either, and so nobody sweeps it.
                Ok(()) | Err(_) => return Ok(temporary),
            }
        }
    }

    /// Renames it to the target, replacing an existing file. The file stays locked until it is
    /// closed.
    pub(super) fn rename(mut self, target: &Path) -> io::Result<File> {
        fs::rename(&self.name.path, target)?;
        self.name.is_gone = true;
        Ok(self.file)
    }

    /// Renames it to the target, if the name does not exist: otherwise
    /// [`io::ErrorKind::AlreadyExists`].
    pub(super) fn rename_new(self, target: &Path) -> io::Result<File> {
        let mut last = io::ErrorKind::Unsupported.into();
        for way in NEW_NAMES {
            match way(&self.name.path, target) {
                Ok(()) => return Ok(self.file),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        if !self.is_gone {
            // If this fails, the next save sweeps the file.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The ways to rename to a name that does not exist, the best first. Some file systems lack the
/// first two.
pub(super) const NEW_NAMES: [fn(&Path, &Path) -> io::Result<()>; 3] = [
    system::rename_to_new,
    // The temporary name is removed after it.
    |from, to| fs::hard_link(from, to),
    // An empty file reserves the name first.
    |from, to| {
        OpenOptions::new().write(true).create_new(true).open(to)?;
        fs::rename(from, to).inspect_err(|_| {
            let _ = fs::remove_file(to);
        })
    },
];

/// A path for a temporary file of this target, with a new random number from the system in each
/// call.
pub(super) fn path(folder: &Path, name: &OsStr) -> PathBuf {
    let random = RandomState::new().hash_one(std::process::id());
    let mut temporary = OsString::from(".");
    temporary.push(stem(name));
    temporary.push(format!(".{random:0DIGITS$x}{SUFFIX}"));
    folder.join(temporary)
}

/// The target's name; for a long name its beginning and its hash. File systems allow names of 255
/// bytes, some only 143.
fn stem(name: &OsStr) -> OsString {
    let bytes = name.as_encoded_bytes();
    if bytes.len() <= MOST_STEM {
        return name.to_owned();
    }
    let text = name.to_string_lossy();
    let hash = format!("~{:016x}", xxhash_rust::xxh3::xxh3_64(bytes));
    let end = (0..=MOST_STEM - hash.len()).rev().find(|&end| text.is_char_boundary(end));
    OsString::from(format!("{}{hash}", &text[..end.unwrap_or(0)]))
}

/// Is it the name of a temporary file for this target?
pub(super) fn is_temporary(found: &OsStr, name: &OsStr) -> bool {
    let middle = found
        .as_encoded_bytes()
        .strip_prefix(b".")
        .and_then(|rest| rest.strip_prefix(stem(name).as_encoded_bytes()))
        .and_then(|rest| rest.strip_prefix(b"."))
        .and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    middle.is_some_and(|digits| {
        digits.len() == DIGITS && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Removes the temporary files for this target that no living process holds. Reads every name in
/// the folder. A file that cannot be removed is left: saving goes on.
pub(super) fn sweep(folder: &Path, name: &OsStr) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name(), name)) {
        let path = entry.path();
        if let Ok(Some(file)) = system::try_open(&path) {
            if system::try_lock(&file).is_ok() && system::leads_to(&path, &file) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

//! A disk that loses everything that was not synced. The power is cut at every call of a save. Then
//! the file must be the whole old one or the whole new one; after a save has returned, it must be
//! the new one.
//!
//! The save runs on the real file system. At each step the simulated disk records the names in the
//! folder, and it is told of each sync. After a cut, a name leads to any file that it led to since
//! the last sync of the folder. A file has the bytes of its last sync, and is empty if it was never
//! synced.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::vec;
use std::vec::Vec;

use super::super::*;
use crate::format::write::writing;
use crate::{
    BloomFilter, Opened,
    file::{FileLock, Format},
};

std::thread_local! {
    /// The disk that watches the saves of this thread.
    static DISK: RefCell<Option<Disk>> = const { RefCell::new(None) };
}

/// The numbers of files, by their names.
type Names = BTreeMap<OsString, u64>;

struct Disk {
    folder: PathBuf,
    /// The folder's own number.
    number: u64,
    /// The names at the last sync, and at each look since then.
    names: Vec<Names>,
    /// The bytes of each file when it was last synced.
    synced: BTreeMap<u64, Vec<u8>>,
    /// Kept open, so that no new file gets the number of an old one.
    _old: Vec<File>,
    /// The possible contents of the target after a cut, for each look.
    looks: Vec<Vec<Content>>,
}

/// The bytes of the target after a cut; `None` if the name does not exist.
type Content = Option<Vec<u8>>;

impl Disk {
    /// Watches a folder, in which everything is synced, until [`seen`] is called.
    fn watch(folder: &Path) {
        let names = names(folder);
        let synced = names.iter().map(|(name, number)| (*number, fs::read(folder.join(name)).unwrap()));
        let disk = Disk {
            number: fs::metadata(folder).unwrap().ino(),
            synced: synced.collect(),
            _old: names.keys().map(|name| File::open(folder.join(name)).unwrap()).collect(),
            names: vec![names],
            folder: folder.to_owned(),
            looks: Vec::new(),
        };
        DISK.set(Some(disk));
        look();
    }

    /// The possible contents of the file `f` after a cut, at each look from the first to the last.
    fn seen() -> Vec<Vec<Content>> {
        look();
        DISK.take().unwrap().looks
    }

    fn look(&mut self) {
        let now = names(&self.folder);
        if self.names.last() != Some(&now) {
            self.names.push(now);
        }
        let target = |names: &Names| {
            let number = names.get(OsStr::new("f"))?;
            Some(self.synced.get(number).cloned().unwrap_or_default())
        };
        self.looks.push(self.names.iter().map(target).collect());
    }
}

fn names(folder: &Path) -> Names {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name(), entry.metadata().unwrap().ino())).collect()
}

/// A moment at which the power may be cut.
pub(super) fn look() {
    DISK.with_borrow_mut(|disk| disk.iter_mut().for_each(Disk::look));
}

/// Called when a file or a folder was synced.
pub(in super::super) fn synced(file: &File) {
    look();
    let found = file.metadata().unwrap();
    DISK.with_borrow_mut(|disk| {
        let Some(disk) = disk else { return };
        let last = disk.names.len() - 1;
        if found.ino() == disk.number {
            disk.names.drain(..last);
        } else if let Some((name, _)) = disk.names[last].iter().find(|(_, number)| **number == found.ino()) {
            disk.synced.insert(found.ino(), fs::read(disk.folder.join(name)).unwrap());
        }
    });
    look();
}

/// Checks that it was the old file or the new one at each look, the expected one of the two at
/// first, and the new one at the end.
fn check(seen: &[Vec<Content>], old: &Content, new: &[u8], what: &str) {
    let new = Some(new.to_vec());
    for (number, found) in seen.iter().enumerate() {
        for found in found {
            let len = found.as_ref().map(Vec::len);
            assert!(found == old || *found == new, "{what}: look {number} finds {len:?} bytes");
        }
    }
    assert!(seen[0].iter().all(|found| found == old), "{what}");
    assert!(seen.last().unwrap().iter().all(|found| *found == new), "{what}: it said that it was done");
    assert!(seen.len() >= 9, "{what}: only {} looks", seen.len());
    assert!(seen.iter().any(|found| found.contains(old) && found.contains(&new)), "{what}: never in doubt");
}

/// Every call of the library that saves.
#[test]
fn the_power_may_be_cut_at_every_step() {
    let keys: Vec<u32> = (0..50_000).collect();
    let filter = BloomFilter::builder().capacity(100_000).build_from(&keys).unwrap();
    let filter = Opened::new(filter, Format::Tepal).unwrap();
    let before = BloomFilter::builder().capacity(10).build().unwrap();
    // Each returns the saved bytes.
    type Save = fn(&Opened, &Path) -> Result<Vec<u8>>;
    let saves: [(&str, bool, Save); 6] = [
        ("save", false, |filter, path| filter.save(path).and_then(|()| filter.to_bytes())),
        ("save over a file", true, |filter, path| filter.save(path).and_then(|()| filter.to_bytes())),
        ("save_new", false, |filter, path| filter.save_new(path).and_then(|()| filter.to_bytes())),
        ("save_over", true, |_, path| {
            let mut opened = crate::open(path)?;
            opened.insert("new")?;
            opened.save_over()?;
            opened.to_bytes()
        }),
        ("the lock's save", true, |filter, path| {
            FileLock::acquire(path)?.save(filter)?;
            filter.to_bytes()
        }),
        ("a typed filter's save", true, |filter, path| {
            let filter = filter.clone().into_filter().into_bloom()?.into_owned()?;
            filter.save(path)?;
            filter.to_bytes()
        }),
    ];
    for (what, taken, save) in saves {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("f");
        if taken {
            before.save(&target).unwrap();
        }
        let old = fs::read(&target).ok();
        Disk::watch(folder.path());
        let new = save(&filter, &target).unwrap();
        check(&Disk::seen(), &old, &new, what);
    }
}

/// Between the writes too, over every allowed existing file.
#[test]
fn the_power_may_be_cut_at_every_write() {
    for (over, old) in [(Over::Any, None), (Over::Any, Some(b"old".to_vec())), (Over::Nothing, None)] {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("f");
        if let Some(old) = &old {
            fs::write(&target, old).unwrap();
        }
        Disk::watch(folder.path());
        replace(&target, over, |out| {
            (0..20u8).try_for_each(|byte| {
                look();
                out.write_all(&[byte; 1000]).map_err(writing)
            })
        })
        .unwrap();
        let new: Vec<u8> = (0..20u8).flat_map(|byte| [byte; 1000]).collect();
        let seen = Disk::seen();
        assert!(seen.len() > 20);
        check(&seen, &old, &new, &std::format!("{over:?}"));
    }
}

/// The disk detects a save that leaves out a sync, or syncs too early.
#[test]
fn the_disk_forgets() {
    // The steps in order after the temporary file is made. `is_right`: after a cut the target is
    // always the old file or the new one, and the new one when all is done.
    for (steps, is_right) in [
        ("write, sync, rename, sync folder", true),
        ("write, rename, sync folder", false),
        ("write, rename, sync, sync folder", false),
        ("sync, write, rename, sync folder", false),
        ("write, sync, write, rename, sync folder", false),
        ("write, sync, rename", false),
        ("write, sync, sync folder, rename", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (target, temporary) = (folder.path().join("f"), folder.path().join("t"));
        fs::write(&target, b"old").unwrap();
        Disk::watch(folder.path());
        let mut file = File::create(&temporary).unwrap();
        let mut new = Vec::new();
        for step in steps.split(", ") {
            look();
            match step {
                "write" => {
                    file.write_all(b"new").unwrap();
                    new.extend(b"new");
                }
                "sync" => system::sync_file(&file).unwrap(),
                "rename" => fs::rename(&temporary, &target).unwrap(),
                _ => system::sync_folder(folder.path()).unwrap(),
            }
        }
        let seen = Disk::seen();
        let whole = |found: &Content| found.as_deref() == Some(b"old") || found.as_ref() == Some(&new);
        let is_whole = seen.iter().flatten().all(whole);
        let is_done = seen.last().unwrap().iter().all(|found| found.as_ref() == Some(&new));
        assert_eq!(is_whole && is_done, is_right, "{steps}");
    }
}

/// The disk is told by the function that calls the system, so this test checks the call itself:
/// this device cannot be synced, and the system reports an error.
#[test]
fn a_sync_is_the_systems() {
    let device = Path::new("/dev/null");
    system::sync_file(&File::open(device).unwrap()).unwrap_err();
    system::sync_folder(device).unwrap_err();
}

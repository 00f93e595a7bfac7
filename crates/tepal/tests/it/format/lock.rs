//! One writer at a time; no writer undoes the work of another.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, thread};

use tepal::{BloomFilter, Error, file::FileLock, open};

fn saved(folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("f");
    let filter = BloomFilter::builder().capacity(10_000).false_positive_rate(1e-9).build().unwrap();
    filter.save_new(&path).unwrap();
    path
}

fn names(folder: &tempfile::TempDir) -> usize {
    fs::read_dir(folder.path()).unwrap().count()
}

#[test]
fn a_lock_is_one_holders_and_goes_over_to_each_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&folder);
    let mut lock = FileLock::acquire(&path).unwrap();
    assert!(lock.is_held());
    for key in 0..3u32 {
        assert!(FileLock::try_acquire(&path).unwrap().is_none());
        let mut seen = open(&path).unwrap();
        seen.insert(&key).unwrap();
        lock.save(&seen).unwrap();
        assert!(FileLock::try_acquire(&path).unwrap().is_none(), "the new file is not locked");
    }
    assert!(open(&path).unwrap().contains_many(&[0u32, 1, 2]).iter().all(|held| *held));
    assert_eq!(names(&folder), 1);
    drop(lock);
    assert!(FileLock::try_acquire(&path).unwrap().is_some());
    // Also through a link, and through another path to the file.
    std::os::unix::fs::symlink(&path, folder.path().join("link")).unwrap();
    let lock = FileLock::acquire(folder.path().join("link")).unwrap();
    assert!(FileLock::try_acquire(&path).unwrap().is_none());
    drop(lock);
    assert!(FileLock::acquire(folder.path().join("none")).unwrap_err().to_string().contains("none: locking"));
    assert!(FileLock::acquire(folder.path()).unwrap_err().to_string().contains("a folder"));
}

#[test]
fn what_was_replaced_or_changed_meanwhile_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&folder);
    let other =
        BloomFilter::builder().capacity(10_000).false_positive_rate(1e-9).build_from(["other"]).unwrap();
    let changes: [fn(&Path, &BloomFilter); 4] = [
        |path, other| other.save(path).unwrap(),
        // Renamed over it, like `mv`.
        |path, other| {
            fs::write(path.with_extension("new"), other.to_bytes().unwrap()).unwrap();
            fs::rename(path.with_extension("new"), path).unwrap();
        },
        // In place, with the same length.
        |path, _| {
            let bytes = fs::read(path).unwrap();
            thread::sleep(Duration::from_millis(20));
            fs::write(path, bytes).unwrap();
        },
        |path, _| fs::remove_file(path).unwrap(),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        for locked in [true, false] {
            let _ = fs::remove_file(&path);
            let path = saved(&folder);
            let lock = locked.then(|| FileLock::acquire(&path).unwrap());
            let mut seen = open(&path).unwrap().clone();
            seen.insert("mine").unwrap();
            change(&path, &other);
            let before = fs::read(&path).ok();
            let saved = match lock {
                Some(mut lock) => lock.save(&seen),
                None => seen.save_over(),
            };
            assert!(matches!(saved, Err(Error::FileChanged { .. })), "change {number}: {saved:?}");
            assert_eq!(fs::read(&path).ok(), before, "change {number}");
            assert_eq!(names(&folder), usize::from(before.is_some()), "change {number}");
        }
    }
}

#[test]
fn a_filter_is_saved_over_the_file_it_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&folder);
    let mut seen = open(&path).unwrap();
    for key in 0..3u32 {
        seen.insert(&key).unwrap();
        seen.save_over().unwrap();
    }
    assert!(open(&path).unwrap().contains_many(&[0u32, 1, 2]).iter().all(|held| *held));
    // Other files may change.
    fs::hard_link(&path, folder.path().join("other name")).unwrap();
    seen.save_over().unwrap();
    let bytes = seen.to_bytes().unwrap();
    let error = tepal::from_bytes(&bytes).unwrap().save_over().unwrap_err().to_string();
    assert!(error.contains("the file to save over is none"), "{error}");
}

/// In the end every key of every writer is there; a writer without a lock never undoes one with a
/// lock.
#[test]
fn writers_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&folder);
    let done = AtomicBool::new(false);
    let keys: Vec<u32> = (0..800).collect();
    thread::scope(|scope| {
        let writers: Vec<_> = keys
            .chunks(100)
            .map(|own| {
                let path = &path;
                scope.spawn(move || {
                    for keys in own.chunks(10) {
                        let mut lock = FileLock::acquire(path).unwrap();
                        let mut seen = open(path).unwrap();
                        seen.insert_many(keys).unwrap();
                        lock.save(&seen).unwrap();
                    }
                })
            })
            .collect();
        // Without a lock, with retries.
        let free = scope.spawn(|| {
            for key in 1000..1010u32 {
                while {
                    let mut seen = open(&path).unwrap();
                    seen.insert(&key).unwrap();
                    // A holder of the lock between two saves is refused, so this writer waits for a
                    // pause.
                    let _lock = FileLock::acquire(&path).unwrap();
                    match seen.save_over() {
                        Ok(()) => false,
                        Err(Error::FileChanged { .. }) => true,
                        Err(other) => panic!("{other}"),
                    }
                } {}
            }
        });
        for _ in 0..4 {
            scope.spawn(|| {
                let mut least = 0;
                while !done.load(Ordering::Relaxed) {
                    let seen = open(&path).unwrap();
                    let held = seen.contains_many(&keys).iter().filter(|held| **held).count();
                    assert!(held >= least, "{held} keys after {least}");
                    least = held;
                }
            });
        }
        for writer in writers {
            writer.join().unwrap();
        }
        free.join().unwrap();
        done.store(true, Ordering::Relaxed);
    });
    let seen = open(&path).unwrap();
    assert!(seen.contains_many(&keys).iter().all(|held| *held));
    assert!((1000..1010u32).all(|key| seen.contains(&key)));
    assert_eq!(names(&folder), 1);
}

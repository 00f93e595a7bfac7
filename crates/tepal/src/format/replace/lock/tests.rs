//! One writer at a time; no writer undoes the work of another.

use super::*;
use crate::kinds::bloom::BloomFilter;

fn saved(folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("f");
    let filter = BloomFilter::builder().capacity(10_000).false_positive_rate(1e-9).build().unwrap();
    filter.save_new(&path).unwrap();
    path
}

/// A process that was started during a lock has the file open too, until it runs another program.
#[test]
fn a_lock_ends_though_the_file_is_open_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&folder);
    let lock = FileLock::acquire(&path).unwrap();
    let of_a_child = lock.file.as_ref().unwrap().try_clone().unwrap();
    assert!(FileLock::try_acquire(&path).unwrap().is_none());
    drop(lock);
    assert!(FileLock::try_acquire(&path).unwrap().is_some());
    drop(of_a_child);
}

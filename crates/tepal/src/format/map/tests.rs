//! What cannot be mapped is read, and checked as a file is.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use std::vec::Vec;

use super::*;
use crate::error::Looks;
use crate::kinds::storage::Backing;

fn filter() -> BloomFilter {
    let mut filter = BloomFilter::builder().capacity(20_000).build().unwrap();
    filter.insert_many(&(0..15_000u32).collect::<Vec<_>>()).unwrap();
    filter
}

/// A pipe into which these bytes are written by another thread.
struct Pipe {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Pipe {
    fn new(bytes: Vec<u8>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let to = path.clone();
        // Ends when the reader has read all, or has gone away.
        thread::spawn(move || fs::write(to, bytes));
        Pipe { path, _folder: folder }
    }
}

#[test]
fn a_pipe_is_read_and_checked() {
    let filter = filter();
    let bytes = filter.to_bytes().unwrap();
    for open in [Open::new(), Open::new().quick()] {
        let opened = open.open(&Pipe::new(bytes.clone()).path).unwrap();
        assert!(!opened.is_sealed());
        opened.verify().unwrap();
        assert_eq!(opened.to_bytes().unwrap(), bytes);
        let opened = opened.into_filter().into_bloom().unwrap();
        assert!(opened == filter && matches!(opened.lines.0, Backing::Memory(_)));
        assert_eq!(opened.meta, filter.meta);
        assert_eq!((opened.set_bits(), opened.chunks()), (filter.set_bits(), 1));
        opened.verify().unwrap();
        assert_eq!(opened.to_bytes().unwrap(), bytes);
        assert!(opened.clone().into_owned().unwrap() == filter);

        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() ^= 1;
        let error = open.open(&Pipe::new(changed).path).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
        let cut = open.open(&Pipe::new(bytes[..bytes.len() - 1].to_vec()).path).unwrap_err();
        assert!(matches!(cut, Error::Damaged { .. }), "{cut}");
    }
}

/// The system gives such a file no length, and it has bytes all the same.
#[cfg(target_os = "linux")]
#[test]
fn a_file_of_unknown_length_is_read() {
    let error = BloomFilter::open("/proc/version").unwrap_err();
    assert!(
        matches!(&error, Error::NotTepal { found: Looks::Text(start) } if start == "Linux ve"),
        "{error}"
    );
    assert!(error.to_string().contains("text (\"Linux ve\")"), "{error}");
}

/// The same pages would stop a mapped reader.
#[test]
fn what_is_read_into_memory_outlives_its_file() {
    let filter = filter();
    let bytes = filter.to_bytes().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for open in [Open::new().in_memory(), Open::new().quick().in_memory()] {
        fs::write(&path, &bytes).unwrap();
        let opened = open.open(&path).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
        opened.verify().unwrap();
        assert_eq!(opened.to_bytes().unwrap(), bytes);
        // Checked whole, although it was to be quick.
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() ^= 1;
        fs::write(&path, changed).unwrap();
        assert!(matches!(open.open(&path).unwrap_err(), Error::Damaged { .. }));
        let opened = opened.into_filter().into_bloom().unwrap();
        assert!(opened == filter && matches!(opened.lines.0, Backing::Memory(_)));
    }
}

/// Each opening gives the whole file or an error, and what was opened never changes.
#[test]
fn a_file_that_is_overwritten_while_it_is_read_is_right_or_refused() {
    use core::sync::atomic::{AtomicBool, Ordering};
    let filter = filter();
    let bytes = filter.to_bytes().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    fs::write(&path, &bytes).unwrap();
    let done = AtomicBool::new(false);
    let (mut right, mut refused) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
                fs::write(&path, &bytes).unwrap();
                thread::yield_now();
            }
        });
        let begun = Instant::now();
        while (right < 100 || refused < 100) && begun.elapsed() < Duration::from_secs(60) {
            match Open::new().in_memory().open(&path) {
                Ok(opened) => {
                    right += 1;
                    assert_eq!(opened.to_bytes().unwrap(), bytes);
                }
                Err(Error::Damaged { .. } | Error::NotTepal { .. }) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(right >= 100 && refused >= 100, "{right} and {refused} are too few to tell");
}

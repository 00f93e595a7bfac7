//! A file that cannot be mapped is read, and checked in the same way.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::vec::Vec;

use super::*;
use crate::BloomFilter;

fn filter() -> BloomFilter {
    let mut filter = BloomFilter::builder().capacity(20_000).build().unwrap();
    filter.insert_many(&(0..15_000u32).collect::<Vec<_>>()).unwrap();
    filter
}

/// A pipe into which another thread writes these bytes.
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
        // Ends when the reader has read everything or has closed the pipe.
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
        assert!(opened == filter && opened.lines.is_in_memory());
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

/// The same change would stop a process that has mapped the file.
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
        // Checked completely, in spite of `quick`.
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() ^= 1;
        fs::write(&path, changed).unwrap();
        assert!(matches!(open.open(&path).unwrap_err(), Error::Damaged { .. }));
        let opened = opened.into_filter().into_bloom().unwrap();
        assert!(opened == filter && opened.lines.is_in_memory());
    }
}

/// Changed page by page: the file and other openings stay unchanged, and saving writes the same
/// bytes as from a copy.
#[test]
fn what_is_copied_on_write_is_as_a_copy() {
    let filter = filter();
    let bytes = filter.to_bytes().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    fs::write(&path, &bytes).unwrap();
    let more: Vec<u32> = (1_000_000..1_001_000).collect();
    let mut copied = open(&path).unwrap();
    copied.insert_many(&more).unwrap();
    let (beside, asked) = (folder.path().join("g"), open(&path).unwrap());
    for how in [Open::new().copy_on_write(), Open::new().copy_on_write().quick()] {
        let mut changed = how.open(&path).unwrap();
        let before = changed.clone();
        assert_eq!(changed.to_bytes().unwrap(), bytes);
        changed.insert_many(&more).unwrap();
        changed.verify().unwrap();
        assert!(changed.contains_many(&more).iter().all(|&held| held));
        assert!(changed.filter() == copied.filter());
        assert_eq!(changed.clone().to_bytes().unwrap(), copied.to_bytes().unwrap());
        for old in [&before, &asked, &open(&path).unwrap()] {
            assert_eq!(old.to_bytes().unwrap(), bytes);
        }
        changed.save(&beside).unwrap();
        assert_eq!(fs::read(&beside).unwrap(), copied.to_bytes().unwrap());
        // Everything is checked, in spite of `quick`.
        let mut wrong = bytes.clone();
        *wrong.last_mut().unwrap() ^= 1;
        fs::write(&beside, wrong).unwrap();
        assert!(matches!(how.open(&beside).unwrap_err(), Error::Damaged { .. }));
        let bloom = changed.into_filter().into_bloom().unwrap();
        assert_eq!(bloom.lines.is_in_memory(), !cfg!(target_endian = "little"));
        // It can be saved over the file that it maps.
        let mut over = how.open(&path).unwrap();
        over.insert_many(&more).unwrap();
        over.save_over().unwrap();
        assert_eq!(fs::read(&path).unwrap(), copied.to_bytes().unwrap());
        fs::write(&beside, &bytes).unwrap();
        fs::rename(&beside, &path).unwrap();
    }
}

/// The file is longer after reading than at opening.
#[test]
fn a_file_that_grows_is_read_to_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    fs::write(&path, [7; 100]).unwrap();
    let file = File::open(&path).unwrap();
    assert_eq!(read_file(&file, 100).unwrap(), [7; 100]);
    let error = read_file(&File::open(&path).unwrap(), 60).unwrap_err().to_string();
    assert!(error.contains("grew past its 60 bytes"), "{error}");
    assert!(matches!(read_file(&file, u64::MAX), Err(Error::TooLarge { bytes: u64::MAX })));
}

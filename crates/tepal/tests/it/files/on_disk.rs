//! Every call that writes a file on disk: new ones, ones in place, sealed ones, and patches.

use std::fs;
use std::path::{Path, PathBuf};

use tepal::file::{FileLock, Format, Patch};
use tepal::{BloomFilter, Error, Open, Opened, SealKey};

const KEYS: [&str; 3] = ["apple", "banana", "cherry"];

fn key() -> SealKey {
    SealKey::new(b"a key for these files").unwrap()
}

fn filter(keys: &[&str]) -> Opened {
    Opened::new(BloomFilter::builder().capacity(100).seed(1).build_from(keys).unwrap(), Format::Tepal)
        .unwrap()
}

/// The keys in a file on disk, which must be sealed with [`key`] or not at all.
fn held(path: &Path, sealed: bool) -> usize {
    let key = key();
    let open = if sealed { Open::new().seal_key(&key) } else { Open::new() };
    let file = open.open(path).unwrap();
    assert_eq!(file.is_sealed(), sealed);
    KEYS.iter().filter(|key| file.contains(**key)).count()
}

#[test]
fn sealed_files_are_written_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let (one, two, all) = (filter(&KEYS[..1]), filter(&KEYS[..2]), filter(&KEYS));
    one.save_new_sealed(&path, &key()).unwrap();
    assert!(matches!(two.save_new_sealed(&path, &key()), Err(Error::FileExists { .. })));
    assert_eq!(held(&path, true), 1);
    let mut lock = FileLock::acquire(&path).unwrap();
    lock.save_sealed(&two, &key()).unwrap();
    assert!(lock.is_held());
    assert_eq!(held(&path, true), 2);
    drop(lock);

    let given = key();
    let mut file = Open::new().seal_key(&given).open(&path).unwrap();
    file.insert(KEYS[2]).unwrap();
    file.save_over_sealed(&given).unwrap();
    assert_eq!(fs::read(&path).unwrap(), all.to_bytes_sealed(&given).unwrap());
    // Another program has replaced the file since.
    let mut late = Open::new().seal_key(&given).open(&path).unwrap();
    one.save_sealed(&path, &given).unwrap();
    assert!(matches!(late.save_over_sealed(&given), Err(Error::FileChanged { .. })));
    assert_eq!(held(&path, true), 1);
}

#[test]
fn shared_filters_are_written_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let seen = BloomFilter::builder().capacity(100).seed(1).build().unwrap().into_shared().unwrap();
    KEYS.iter().for_each(|key| assert!(seen.insert(*key).unwrap()));
    let expected = filter(&KEYS);
    seen.save_sealed(&path, &key()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), expected.to_bytes_sealed(&key()).unwrap());
    assert_eq!(seen.to_bytes_sealed(&key()).unwrap(), fs::read(&path).unwrap());
    let mut out = Vec::new();
    seen.write_to(&mut out).unwrap();
    assert_eq!(out, expected.to_bytes().unwrap());
}

/// An old file, a new one, and the patch between them.
fn patched(folder: &Path) -> (PathBuf, PathBuf, Patch) {
    let (old, new) = (folder.join("monday"), folder.join("tuesday"));
    filter(&KEYS[..1]).save(&old).unwrap();
    filter(&KEYS).save(&new).unwrap();
    let patch = Patch::between_files(&old, &new).unwrap();
    (old, new, patch)
}

#[test]
fn patches_are_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new, patch) = patched(folder.path());
    let path = folder.path().join("patch");
    patch.save_new(&path).unwrap();
    assert!(matches!(patch.save_new(&path), Err(Error::FileExists { .. })));
    patch.save(&path).unwrap();
    let read = Patch::open(&path).unwrap();
    assert_eq!(read.as_bytes(), patch.as_bytes());
    let sum = |path| xxhash_rust::xxh3::xxh3_64(&fs::read(path).unwrap());
    assert_eq!((read.old_checksum(), read.new_checksum()), (sum(&old), sum(&new)));
    let shown = format!("{read:?}");
    assert!(shown.starts_with("Patch {") && shown.contains("flips"), "{shown}");
    let mut out = Vec::new();
    read.write_to(&mut out).unwrap();
    assert_eq!(out, patch.as_bytes());
    assert!(matches!(
        Patch::open(&old),
        Err(Error::NotTepal { .. } | Error::Damaged { .. } | Error::Parameter { .. })
    ));
}

#[test]
fn a_patch_makes_the_new_file_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new, patch) = patched(folder.path());
    let expected = fs::read(&new).unwrap();
    let made = folder.path().join("made");
    patch.apply_to_new_file(&old, &made).unwrap();
    assert_eq!(fs::read(&made).unwrap(), expected);
    assert!(matches!(patch.apply_to_new_file(&old, &made), Err(Error::FileExists { .. })));
    fs::write(&made, "something else").unwrap();
    patch.apply_to_file(&old, &made).unwrap();
    assert_eq!(fs::read(&made).unwrap(), expected);
    let mut out = Vec::new();
    patch.apply_to(&old, &mut out).unwrap();
    assert_eq!(out, expected);
    // It does not fit another file, and leaves the one at the new place.
    assert!(matches!(patch.apply_to_file(&new, &made), Err(Error::OtherOld { .. })));
    assert_eq!(fs::read(&made).unwrap(), expected);
    // In place, under a lock.
    let mut lock = FileLock::acquire(&old).unwrap();
    lock.patch(&patch).unwrap();
    assert_eq!((fs::read(&old).unwrap(), held(&old, false)), (expected, 3));
    assert!(matches!(lock.patch(&patch), Err(Error::OtherOld { .. })));
}

#[cfg(feature = "table")]
#[test]
fn segments_of_an_opened_file_are_renamed_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("who");
    let mut who = tepal::SegmentFilter::builder().capacity(100).build().unwrap();
    for (segment, key) in ["monday", "tuesday", "wednesday"].into_iter().zip(KEYS) {
        let segment = who.add_segment(segment).unwrap();
        who.insert(segment, key).unwrap();
    }
    who.save(&path).unwrap();
    let mut file = tepal::open(&path).unwrap();
    let numbers: Vec<_> =
        who.segments("apple").chain(who.segments("banana")).chain(who.segments("cherry")).collect();
    file.rename_segment(numbers[0], "day one").unwrap();
    assert!(file.rename_segment(numbers[1], "day one").is_err());
    file.merge_segments(numbers[2], numbers[1]).unwrap();
    file.merge_segments(numbers[1], numbers[1]).unwrap();
    file.save_over().unwrap();
    let file = tepal::open(&path).unwrap();
    let who = file.filter().as_segmented().unwrap();
    assert_eq!(
        who.segments("apple").map(|found| who.segment_name(found)).collect::<Vec<_>>(),
        [Some("day one")]
    );
    assert_eq!(
        who.segments("cherry").map(|found| who.segment_name(found)).collect::<Vec<_>>(),
        [Some("tuesday")]
    );
    let mut plain = filter(&KEYS);
    let refused = [plain.rename_segment(numbers[0], "day"), plain.merge_segments(numbers[0], numbers[1])];
    assert!(refused.iter().all(|said| matches!(said, Err(Error::NotPossible { .. }))), "{refused:?}");
    assert!(plain.filter().as_segmented().is_none());
}

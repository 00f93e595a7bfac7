//! Expiring filters that are told the time while others cannot be.

use super::*;
use tepal::{ExpiringFilter, Open, file::Format};

/// Writes a filter that was told the time 250 seconds ago: two or three of its six generations are
/// over by now. In a damaged one a bit is another, which nobody sees before its table is changed.
fn write(path: &Path, damaged: bool) -> u64 {
    let told = clock::now() - 250;
    let mut filter =
        ExpiringFilter::builder().capacity(2000).window_of_time(600).generations(6).build().unwrap();
    for key in 0..1000u32 {
        filter.insert_at(&key, told).unwrap();
    }
    let mut bytes = Opened::new(filter, Format::Tepal).unwrap().to_bytes().unwrap();
    if damaged {
        let last = bytes.len() - 200;
        bytes[last] ^= 1;
    }
    fs::write(path, bytes).unwrap();
    told
}

/// The time that a filter was told.
fn told(filter: &Opened) -> u64 {
    filter.filter().as_timed().and_then(ExpiringFilter::now).unwrap()
}

#[test]
fn a_filter_that_cannot_be_told_the_time_keeps_no_other_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b", "c", "d"].map(|name| folder.path().join(name));
    let damaged = [true, false, true, false];
    let old: Vec<u64> = paths.iter().zip(damaged).map(|(path, damaged)| write(path, damaged)).collect();
    let open = |path: &Path| Open::new().quick().open(path).map_err(Failure::from);
    let filters = Filters::open(paths.iter().map(PathBuf::as_path), true, &KeyArgs::default(), open).unwrap();
    let known = filters.known();
    let renewed = filters.renewed(&known).unwrap();
    for (number, is_damaged) in damaged.into_iter().enumerate() {
        assert_eq!(Arc::ptr_eq(&known.set[number], &renewed.set[number]), is_damaged, "{number}");
        assert_eq!(told(&renewed.set[number]) == old[number], is_damaged, "{number}");
    }
    // They are told it again later, and not for each key.
    let turn = filters.turn.load(Ordering::Relaxed);
    assert!((clock::now() + 1..=clock::now() + AGAIN).contains(&turn), "{turn}");
    assert!(filters.renewed(&renewed).is_none());
    // What takes the place of one is told it at once, and the other one waits as before.
    let new = folder.path().join("new");
    let before = write(&new, false);
    fs::rename(&new, &paths[0]).unwrap();
    filters.waits();
    let again = filters.renewed(&renewed).unwrap();
    assert!(told(&again.set[0]) > before && Arc::ptr_eq(&again.set[2], &renewed.set[2]));
    assert_eq!(filters.turn.load(Ordering::Relaxed), turn);
    // When it is time, the last one is tried again.
    filters.now.write().unwrap().not_before[2] = 0;
    filters.turn.store(0, Ordering::Relaxed);
    assert!(filters.renewed(&again).is_none());
    assert!(filters.turn.load(Ordering::Relaxed) > clock::now());
}

//! A file is replaced a thousand times while readers use it: each reader has the whole old filter
//! or the whole new one, for as long as it holds it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use tepal::BloomFilter;

const REPLACEMENTS: u32 = 1000;
const KEYS: u64 = 400;

/// A filter of the keys of one side, large enough that the other side's keys are surely no members.
fn filter(side: u64) -> BloomFilter {
    let mut filter = BloomFilter::builder().capacity(20_000).false_positive_rate(1e-9).build().unwrap();
    filter.insert_many(&keys(side)).unwrap();
    filter
}

fn keys(side: u64) -> Vec<u64> {
    (0..KEYS).map(|i| i * 2 + side).collect()
}

/// The side of a filter; a mixture of the two fails.
fn side(filter: &BloomFilter) -> u64 {
    let held = |side: u64| filter.contains_many(&keys(side));
    match (held(0), held(1)) {
        (all, none) if all.iter().all(|held| *held) && !none.iter().any(|held| *held) => 0,
        (none, all) if all.iter().all(|held| *held) && !none.iter().any(|held| *held) => 1,
        (a, b) => panic!("a mixture: {} of one, {} of the other", a.iter().filter(|h| **h).count(), b.len()),
    }
}

#[test]
fn readers_have_the_old_filter_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let sides = [filter(0), filter(1)];
    sides[0].save(&path).unwrap();
    let done = AtomicBool::new(false);
    let seen = [AtomicU64::new(0), AtomicU64::new(0)];
    let (path, done, seen) = (&path, &done, &seen);
    thread::scope(|scope| {
        for reader in 0..4 {
            scope.spawn(move || {
                // Held open and used again and again while the name leads to other files.
                let held = BloomFilter::open(path).unwrap();
                let held_side = side(&held);
                while !done.load(Ordering::Relaxed) {
                    let opened = match reader % 2 {
                        0 => BloomFilter::open(path).unwrap(),
                        _ => BloomFilter::open_quick(path).unwrap(),
                    };
                    let found = side(&opened);
                    seen[found as usize].fetch_add(1, Ordering::Relaxed);
                    opened.verify().unwrap();
                    assert_eq!(side(&opened), found);
                    assert_eq!(side(&held), held_side);
                }
                held.verify().unwrap();
            });
        }
        for i in 1..=REPLACEMENTS {
            sides[i as usize % 2].save(path).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    let [old, new] = seen.each_ref().map(|count| count.load(Ordering::Relaxed));
    assert!(old >= 10 && new >= 10, "{old} and {new} openings are too few to tell");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A file that is truncated while it is not open is an error at opening, quick or not.
#[test]
fn a_file_that_was_cut_is_found_at_opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    filter(0).save(&path).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let len = file.metadata().unwrap().len();
    for cut in [len - 1, len - 64, len / 2, 4096, 192, 128, 24, 8, 1, 0] {
        file.set_len(cut).unwrap();
        assert!(BloomFilter::open(&path).is_err(), "{cut} bytes");
        assert!(BloomFilter::open_quick(&path).is_err(), "{cut} bytes");
    }
}

/// A symbolic link is followed, and its file replaced; a hard link keeps the old file.
#[cfg(unix)]
#[test]
fn other_names_of_a_file_have_the_new_filter_or_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    filter(0).save(path("f")).unwrap();
    std::os::unix::fs::symlink("f", path("symbolic")).unwrap();
    std::fs::hard_link(path("f"), path("hard")).unwrap();
    let held = |name: &str| side(&BloomFilter::open(path(name)).unwrap());
    filter(1).save(path("symbolic")).unwrap();
    assert_eq!(["f", "symbolic", "hard"].map(held), [1, 1, 0]);
    filter(1).save(path("hard")).unwrap();
    assert_eq!(["f", "symbolic", "hard"].map(held), [1, 1, 1]);
}

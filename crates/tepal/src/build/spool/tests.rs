//! Hashes that were pushed come back by parts, from memory and from files.

use std::thread;
use std::vec;

use super::*;

fn threads(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

/// A different hash for each number, as if random.
fn hash(n: u64) -> u64 {
    let spread = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (spread ^ (spread >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

/// All hashes by parts.
fn back(spool: &Spool) -> Vec<u64> {
    let mut back = Vec::new();
    for part in 0..PARTS {
        let from = back.len();
        spool.part(part, &mut |hashes| back.extend_from_slice(hashes)).unwrap();
        assert!(back[from..].iter().all(|hash| hash >> (u64::BITS - PART_BITS) == part as u64));
    }
    back
}

#[test]
fn all_hashes_come_back_by_parts_from_memory_and_from_files() {
    for n in [0, 1, FEW, FEW + 1, 1 << 20, MEMORY as u64 + 1, 2 * MEMORY as u64 + 5] {
        for workers in [1, 3, 20] {
            let folder = tempfile::tempdir().unwrap();
            let mut spool = Spool::new(folder.path(), threads(workers)).unwrap();
            let all: Vec<u64> = (0..n).map(hash).collect();
            // The caller pushes the first hashes, its threads the others.
            let (first, others) = all.split_at(all.len() / 100);
            spool.sorter().push(first).unwrap();
            thread::scope(|scope| {
                for own in others.chunks(others.len().div_ceil(workers).max(1)) {
                    let mut sorter = spool.sorter();
                    scope.spawn(move || own.chunks(1000).for_each(|piece| sorter.push(piece).unwrap()));
                }
            });
            assert_eq!(spool.len(), n);
            assert_eq!(spool.in_memory().len() as u64 == n, n <= 1 << 20, "{n}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
            let mut back = back(&spool);
            back.sort_unstable();
            let mut all = all;
            all.sort_unstable();
            assert!(back == all, "{n} by {workers}");
        }
    }
}

#[test]
fn different_hashes_are_counted_alike_by_any_number_of_threads() {
    for (n, exact) in [(FEW / 2, true), (2_000_000, false)] {
        let mut counts = Vec::new();
        for workers in [1, 2, 8] {
            let folder = tempfile::tempdir().unwrap();
            let mut spool = Spool::new(folder.path(), threads(workers)).unwrap();
            let all: Vec<u64> = (0..n).chain(0..n).map(hash).collect();
            thread::scope(|scope| {
                for own in all.chunks(all.len().div_ceil(workers)) {
                    let mut sorter = spool.sorter();
                    scope.spawn(move || sorter.push(own).unwrap());
                }
            });
            counts.push(spool.different());
        }
        assert!(counts.iter().all(|&count| count == counts[0]), "{counts:?}");
        let (count, is_exact) = counts[0];
        assert!(count.abs_diff(n) <= n / 100 && is_exact == exact, "{count} of {n}");
        assert!(!exact || count == n);
    }
}

#[test]
fn hashes_that_are_all_alike_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = Spool::new(folder.path(), threads(1)).unwrap();
    let all = vec![u64::MAX; MEMORY + BLOCK + 3];
    spool.sorter().push(&all).unwrap();
    assert!(spool.in_memory().len() <= MEMORY);
    assert!(back(&spool) == all);
}

/// How many hashes fit into memory while this many sorters are in use: in free blocks, and on the
/// desks.
fn memory(spool: &Spool, sorters: usize) -> usize {
    drop((0..sorters).map(|_| spool.sorter()).collect::<Vec<_>>());
    let desks = spool.desks.read().unwrap().len();
    spool.block * (spool.free.load(Ordering::Relaxed) + PARTS * desks)
}

#[test]
fn memory_is_as_said_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for workers in [1, 2, 3, 4, 7, 8, 64] {
        let spool = Spool::new(folder.path(), threads(workers)).unwrap();
        assert_eq!(memory(&spool, workers + 1), MEMORY, "{workers}");
    }
    // Beyond that, half a megabyte for each thread, up to 256.
    for workers in [256, 1000, usize::MAX] {
        let spool = Spool::new(folder.path(), threads(workers)).unwrap();
        assert_eq!(8 * memory(&spool, 257), 257 << 19);
    }
}

/// With more memory than the least, all hashes stay in memory; setting less than the least changes
/// nothing.
#[test]
fn more_memory_on_request() {
    let folder = tempfile::tempdir().unwrap();
    for workers in [1, 3, 20] {
        let mut spool = Spool::new(folder.path(), threads(workers)).unwrap();
        spool.enlarge(2 * MEMORY);
        spool.enlarge(MEMORY / 2);
        assert_eq!(memory(&spool, workers + 1), 2 * MEMORY, "{workers}");
        let all: Vec<u64> = (0..MEMORY as u64 + (MEMORY / 2) as u64).map(hash).collect();
        spool.sorter().push(&all).unwrap();
        assert_eq!(spool.in_memory().len(), all.len(), "{workers}");
        assert_eq!(*spool.stored.get_mut(), 0);
    }
}

/// Files are written in pieces of many blocks.
#[test]
fn pieces_are_large() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = Spool::new(folder.path(), threads(2)).unwrap();
    let all: Vec<u64> = (0..3 * MEMORY as u64).map(hash).collect();
    spool.sorter().push(&all).unwrap();
    let pieces: usize = spool.parts.iter_mut().map(|part| owned(part).written.len()).sum();
    let stored = *spool.stored.get_mut() as usize / 8;
    assert!(stored > MEMORY && stored / pieces > 16 * spool.block, "{pieces} pieces of {stored} hashes");
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    assert!(Spool::new(Path::new("/no/such/folder"), threads(1)).is_err());
}

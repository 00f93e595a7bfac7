//! Model checks of two or three threads: all interleavings, and all values that a relaxed load may
//! return (`.ci/loom`).

use alloc::vec;

use loom::sync::Arc;
use loom::thread;

use super::*;
use crate::bits::Line;
use crate::ids::Layout;

/// One line, and a few bits a key.
fn tiny(layout: Layout, num_hashes: u32, policy: OverCapacity) -> BloomFilter<Shared> {
    let filter = BloomFilter::builder().layout(layout).num_hashes(num_hashes).capacity(100).bit_len(512);
    filter.over_capacity(policy).build().unwrap().into_shared().unwrap()
}

/// Hashes that fall on one line.
const HASHES: [u64; 2] = [0x0123_4567_89ab_cdef, 0x1123_4567_89ab_cdef];

fn model(test: impl Fn() + Sync + Send + 'static) {
    loom::model(test);
}

/// No bit is lost that two threads set in the same words. Of two threads that insert the same key,
/// at least one is told that it is new.
#[test]
fn insert_and_insert() {
    for (layout, num_hashes) in [(Layout::SplitBlock, 8), (Layout::Scattered, 2)] {
        for second in [0, 1] {
            model(move || {
                let filter = Arc::new(tiny(layout, num_hashes, OverCapacity::Refuse));
                let other = filter.clone();
                let there = thread::spawn(move || other.insert_hash(HASHES[second]).unwrap());
                let here = filter.insert_hash(HASHES[0]).unwrap();
                let there = there.join().unwrap();
                assert!(here || there);
                assert!(filter.contains_hash(HASHES[0]) && filter.contains_hash(HASHES[second]));
                assert_eq!(filter.keys_inserted(), Some(2));
                let mut alone = filter.snapshot().unwrap();
                let (k, room) = (u64::from(num_hashes), filter.lines.watch.room());
                assert!((97 * k..=99 * k).contains(&room), "{room}");
                alone.clear();
                alone.insert_hash(HASHES[0]).unwrap();
                alone.insert_hash(HASHES[second]).unwrap();
                assert!(filter.snapshot().unwrap() == alone);
            });
        }
    }
}

/// The same with the batch calls, which do not tell what was there before.
#[test]
fn batch_and_batch() {
    model(|| {
        let filter = Arc::new(tiny(Layout::Line, 2, OverCapacity::Ignore));
        let other = filter.clone();
        let there = thread::spawn(move || other.insert_many_hashes(&HASHES[..1]).unwrap());
        filter.insert_many_hashes(&HASHES[1..]).unwrap();
        there.join().unwrap();
        let mut answers = [false; 2];
        filter.contains_many_hashes(&HASHES, &mut answers);
        assert_eq!(answers, [true; 2]);
    });
}

/// Keys set apart, beside a single insert and beside other keys set apart: none is lost, and all
/// are counted.
#[test]
fn apart_and_alone() {
    for policy in [OverCapacity::Warn, OverCapacity::Refuse] {
        for other_is_apart in [false, true] {
            model(move || {
                let filter = Arc::new(tiny(Layout::Scattered, 1, policy));
                let other = filter.clone();
                let there = thread::spawn(move || match other_is_apart {
                    true => other.insert_many_hashes(&[HASHES[0]; 4]).unwrap(),
                    false => drop(other.insert_hash(HASHES[0])),
                });
                filter.insert_many_hashes(&[HASHES[0], HASHES[1], HASHES[0], HASHES[1]]).unwrap();
                there.join().unwrap();
                assert!(filter.contains_hash(HASHES[0]) && filter.contains_hash(HASHES[1]));
                assert_eq!(filter.keys_inserted(), Some(if other_is_apart { 8 } else { 5 }));
                assert_eq!(filter.snapshot().unwrap().set_bits(), 2);
            });
        }
    }
}

/// If there is room for one key and two threads want it, one gets it, whichever checks meanwhile.
/// None waits for ever.
#[test]
fn room_for_one() {
    model(|| {
        let shared = Arc::new((Watch::new(1.0, 8), AtomicU64::new(0)));
        shared.0.look_now(|| Next::Room { bits: 4, look_in: 2 });
        let take = |(watch, taken): &(Watch, AtomicU64)| {
            let work = || (taken.load(Relaxed) == 0).then(|| taken.fetch_add(1, Relaxed) + 2);
            watch.alone(work, || Next::Room { bits: 2, look_in: 2 })
        };
        let other = shared.clone();
        let there = thread::spawn(move || take(&other));
        let here = take(&shared);
        shared.0.add(1, || Next::Room { bits: 1, look_in: 1 });
        assert!(here != there.join().unwrap());
        assert!(shared.1.load(Relaxed) == 1 && !shared.0.is_full());
    });
}

/// An insert that found every bit already set, by a thread that it did not wait for, is seen by
/// everything that happens after it.
#[test]
fn an_insert_that_set_nothing_is_seen() {
    model(|| {
        let lines = Arc::new(atomic::share(vec![Line([0; 8])]));
        let (first, second) = (lines.clone(), lines.clone());
        let first = thread::spawn(move || atomic::set_bit(&first, 5));
        let second = thread::spawn(move || atomic::set_bit(&second, 5));
        let set_by_second = second.join().unwrap();
        // Nothing waited for the first thread.
        assert!(atomic::holds_bit(&lines, 5));
        assert!(first.join().unwrap() != set_by_second, "one of them set it");
    });
}

/// A lookup beside an insert may answer either way; after the insert it answers `true`.
#[test]
fn insert_and_ask() {
    model(|| {
        let filter = Arc::new(tiny(Layout::Line, 2, OverCapacity::Ignore));
        let other = filter.clone();
        let there = thread::spawn(move || other.insert_hash(HASHES[0]).unwrap());
        let seen = filter.contains_hash(HASHES[0]);
        // Bits are never cleared.
        assert!(!seen || filter.contains_hash(HASHES[0]));
        there.join().unwrap();
        assert!(filter.contains_hash(HASHES[0]));
    });
}

/// A snapshot has everything that happened before it, and no bit that nobody set.
#[test]
fn insert_and_snapshot() {
    model(|| {
        let filter = Arc::new(tiny(Layout::Line, 2, OverCapacity::Ignore));
        filter.insert_hash(HASHES[0]).unwrap();
        let other = filter.clone();
        let there = thread::spawn(move || other.insert_hash(HASHES[1]).unwrap());
        let snapshot = filter.snapshot().unwrap();
        assert!(snapshot.contains_hash(HASHES[0]));
        there.join().unwrap();
        assert!(filter.contains_hash(HASHES[1]));
        assert!(snapshot.set_bits() <= filter.set_bits());
    });
}

/// The thread that sets the last bit for which there is room, or sees it set, finds the filter full
/// after both are done.
#[test]
fn full_is_noticed() {
    model(|| {
        let watch = Arc::new(Watch::new(1.0, 8));
        watch.look_now(|| Next::Room { bits: 2, look_in: 2 });
        let other = watch.clone();
        let there = thread::spawn(move || other.add(1, || Next::Full));
        watch.add(1, || Next::Full);
        there.join().unwrap();
        assert!(watch.is_full());
    });
}

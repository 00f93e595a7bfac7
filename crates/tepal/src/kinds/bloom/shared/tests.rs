// For tests of a build without the feature `std` too.
extern crate std;

use alloc::vec::Vec;
use std::thread;

use super::*;
use crate::bits::{self, Line};
use crate::error::Error;
use crate::ids::Layout;
use crate::params::WITHIN;

fn filter(layout: Layout, capacity: u64) -> BloomFilter {
    BloomFilter::builder().layout(layout).capacity(capacity).false_positive_rate(0.01).build().unwrap()
}

/// Keys that differ between any two streams.
fn keys(stream: u64, count: u64) -> Vec<u64> {
    (0..count).map(|i| stream << 40 | i).collect()
}

/// Every CPU level and every call gives the same bits and answers as the filter in memory.
#[test]
fn one_thread_is_as_in_memory() {
    for (layout, k) in Layout::ALL.iter().flat_map(|&layout| {
        let (least, most) = layout.num_hashes_range();
        (least..=most).map(move |k| (layout, k))
    }) {
        let empty = BloomFilter::builder().layout(layout).num_hashes(k).capacity(2000).bit_len(512 * 40);
        let empty = empty.over_capacity(OverCapacity::Ignore).build().unwrap();
        let mut plain = empty.clone();
        let kernels: Vec<_> = bits::kernel::Kernel::available(plain.kernel.rules()).collect();
        for kernel in kernels {
            plain.clear().unwrap();
            plain.kernel = kernel;
            let (single, mut batch) =
                (plain.clone().into_shared().unwrap(), plain.clone().into_shared().unwrap());
            let keys = keys(1, 600);
            for key in &keys[..300] {
                assert_eq!(single.insert(key).unwrap(), plain.insert(key).unwrap(), "{layout} {k}");
            }
            batch.insert_many(&keys[..300]).unwrap();
            for shared in [&single, &batch] {
                assert_eq!(shared.set_bits(), plain.set_bits(), "{layout} {k}");
                assert_eq!(shared.contains_many(&keys), plain.contains_many(&keys), "{layout} {k}");
                for key in &keys {
                    assert_eq!(shared.contains(key), plain.contains(key));
                    assert_eq!(shared.contains_branching(key), plain.contains(key));
                }
            }
            // Shared later, and changed in memory between.
            let mut owned = batch.into_owned().unwrap();
            owned.insert(&keys[500]).unwrap();
            batch = owned.into_shared().unwrap();
            plain.insert(&keys[500]).unwrap();
            batch.insert(&keys[501]).unwrap();
            plain.insert(&keys[501]).unwrap();
            assert_eq!(batch.keys_inserted(), Some(302));
            let owned = batch.into_owned().unwrap();
            assert_eq!((owned.keys_inserted(), owned.set_bits()), (Some(302), plain.set_bits()));
            assert!(single.into_owned().unwrap() != plain && owned == plain);
        }
    }
}

/// Sharing a filter, and moving it back into memory, makes no copy.
#[test]
fn sharing_copies_nothing() {
    let mut plain = filter(Layout::Line, 1_000_000);
    plain.insert("key").unwrap();
    let memory = plain.lines.as_lines().as_ptr().addr();
    let shared = plain.into_shared().unwrap();
    assert_eq!(shared.lines.lines.as_ptr().addr(), memory);
    let plain = shared.into_owned().unwrap();
    assert_eq!(plain.lines.as_lines().as_ptr().addr(), memory);
    assert_eq!(size_of::<AtomicLine>(), size_of::<Line>());
    assert!(plain.contains("key"));
}

/// Threads insert until they are refused: never below the capacity, and not far above it.
#[test]
fn capacity_is_kept() {
    for &layout in Layout::ALL {
        for (capacity, batch) in
            [1000u64, 50_000, 300_000, 2_000_000].into_iter().flat_map(|n| [(n, 1), (n, 5000)])
        {
            let shared = filter(layout, capacity).into_shared().unwrap();
            let inserted: u64 = thread::scope(|scope| {
                let until_refused = |thread: u64| {
                    let mut inserted = 0;
                    for keys in keys(thread, 2 * capacity).chunks(batch) {
                        let refused = match batch {
                            1 => shared.insert(&keys[0]).map(drop),
                            _ => shared.insert_many(keys),
                        };
                        match refused {
                            Ok(()) => inserted += keys.len() as u64,
                            Err(Error::CapacityReached { inserted: first, .. }) => {
                                return inserted + first as u64;
                            }
                            Err(error) => panic!("{error}"),
                        }
                    }
                    panic!("{layout} {capacity}: nobody was refused")
                };
                let threads: Vec<_> =
                    (0..4).map(|thread| scope.spawn(move || until_refused(thread))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            assert!(inserted >= capacity, "{layout} {capacity} by {batch}: refused after {inserted}");
            // Each thread may finish its key, or its piece of a batch, however long it was
            // interrupted.
            let late = 4.0 * batch.min(BATCH) as f64 * f64::from(shared.num_hashes()) / capacity as f64;
            let rate = shared.false_positive_rate() / shared.promised_false_positive_rate();
            let most = if rate > WITHIN && inserted < capacity + 4 { rate } else { (1.0 + late) * 1.04 };
            assert!((0.8..=most).contains(&rate), "{layout} {capacity} by {batch}: {rate} of the promise");
            assert!(!shared.is_over_capacity());
        }
    }
}

/// Sixteen threads that insert such pieces at once stay within the limit. If nobody is refused,
/// pieces are whole.
#[test]
fn pieces_leave_room_for_sixteen_threads() {
    for &layout in Layout::ALL {
        for capacity in [10, 1000, 5000, 100_000] {
            let shared = filter(layout, capacity).into_shared().unwrap();
            let piece = shared.unwatched() as u64;
            assert!(16 * piece <= capacity, "{layout} {capacity}: {piece}");
            assert!(piece == 512 || 16 * (piece + 1) > capacity, "{layout} {capacity}: {piece}");
            let mut warned = filter(layout, capacity);
            warned.set_over_capacity(OverCapacity::Warn).unwrap();
            assert_eq!(warned.into_shared().unwrap().unwatched(), 512);
        }
    }
}

/// Keys that never set a bit of the sample take the filter past its capacity: it is checked at
/// certain numbers of keys.
#[test]
fn keys_off_the_sample_are_noticed() {
    let plain = BloomFilter::builder().layout(Layout::Line).capacity(100_000);
    let shared = plain.over_capacity(OverCapacity::Warn).build().unwrap().into_shared().unwrap();
    // The sample is a quarter of the lines, the first ones.
    assert!(4 * atomic::sample(shared.lines.lines.len()) < 2 * shared.lines.lines.len());
    let hash = crate::hash::finish_hash;
    let off_the_sample = |i| _ = shared.insert_hash(hash(i) | 1 << 63).unwrap();
    (0..99_800).for_each(|i| _ = shared.insert_hash(hash(i)).unwrap());
    (99_800..100_000).for_each(off_the_sample);
    assert!(!shared.is_over_capacity());
    (100_000..140_000).for_each(off_the_sample);
    assert!(shared.is_over_capacity());
}

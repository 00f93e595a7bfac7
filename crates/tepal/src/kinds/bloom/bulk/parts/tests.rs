//! Parts give the same bits and counts as one batch, for all layouts, parts and threads.

use crate::error::Error;
use alloc::vec;
use core::sync::atomic::AtomicUsize;

use super::*;
use crate::{Layout, OverCapacity};

fn threads(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

fn filter(layout: Layout, lines: u64) -> BloomFilter {
    let builder = BloomFilter::builder().layout(layout).over_capacity(OverCapacity::Ignore);
    builder.capacity(50_000).bit_len(512 * lines).build().unwrap()
}

/// Spread hashes, with the lowest and the highest hash of each of 256 parts among them.
fn hashes(count: u64) -> Vec<u64> {
    let spread = (0..count).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    spread.chain((0..256).flat_map(|n| [n << 56, (n << 56) | (u64::MAX >> 8)])).collect()
}

/// The hashes by their highest bits.
fn by_parts(hashes: &[u64], bits: u32) -> Vec<Vec<u64>> {
    let mut parts = vec![Vec::new(); 1 << bits];
    hashes.iter().for_each(|&h| parts[h.checked_shr(64 - bits).unwrap_or(0) as usize].push(h));
    parts
}

#[test]
fn parts_set_the_bits_of_a_batch() {
    let hashes = hashes(8_000);
    for &layout in Layout::ALL {
        for lines in [1, 100, 2048, 2049, 5003] {
            let mut batch = filter(layout, lines);
            batch.insert_many_hashes(&hashes).unwrap();
            for bits in [0, 1, 3, 7, 11] {
                let parts = by_parts(&hashes, bits);
                for n in [1, 2, 16] {
                    let mut bulk = filter(layout, lines);
                    let given = |part: usize, take: &mut dyn FnMut(&[u64])| {
                        parts[part].chunks(1000).for_each(take);
                        Ok::<(), Error>(())
                    };
                    bulk.insert_bulk_parts(bits, threads(n), given).unwrap();
                    assert!(bulk.lines == batch.lines, "{layout} {lines} lines, {bits} bits, {n} threads");
                    assert_eq!(bulk.set_bits(), batch.set_bits());
                    assert_eq!(bulk.keys_inserted(), batch.keys_inserted());
                }
            }
        }
    }
}

/// A caller groups hashes by their highest bits, and inserts them.
#[test]
fn keys_that_were_kept_by_parts_are_in() {
    let mut filter =
        BloomFilter::builder().capacity(100_000).over_capacity(OverCapacity::Warn).build().unwrap();
    let mut parts = vec![Vec::new(); 1 << 4];
    for key in 0..100_000u64 {
        let hash = filter.hash_key(&key).unwrap();
        parts[(hash >> 60) as usize].push(hash);
    }
    let inserted =
        filter.insert_bulk_parts(4, std::thread::available_parallelism().unwrap(), |part, take| {
            take(&parts[part]);
            Ok::<(), Error>(())
        });
    inserted.unwrap();
    assert!((0..100_000u64).all(|key| filter.contains(&key)));
}

#[test]
fn keys_are_refused_as_by_a_batch() {
    let hashes = hashes(60_000);
    let parts = by_parts(&hashes, 5);
    let mut full = filter(Layout::Line, 3000);
    full.set_over_capacity(OverCapacity::Refuse).unwrap();
    let mut batch = full.clone();
    let sorted: Vec<u64> = parts.concat();
    let expected = batch.insert_many_hashes(&sorted).unwrap_err();
    let refused = full.insert_bulk_parts(5, threads(2), |part, take| {
        take(&parts[part]);
        Ok::<(), Error>(())
    });
    assert_eq!(alloc::format!("{:?}", refused.unwrap_err()), alloc::format!("{expected:?}"));
    assert!(full.lines == batch.lines);
}

#[test]
fn an_error_of_the_caller_ends_it() {
    let parts = by_parts(&hashes(60_000), 7);
    for n in [1, 2] {
        let mut bulk = filter(Layout::Line, 3000);
        let given = AtomicUsize::new(0);
        let failed = bulk.insert_bulk_parts(7, threads(n), |part, take| {
            if given.fetch_add(1, Ordering::Relaxed) == 9 {
                return Err(Error::parameter("x", "y", "z"));
            }
            take(&parts[part]);
            Ok(())
        });
        assert!(matches!(failed, Err(Error::Parameter { .. })), "{failed:?}");
        // Other threads may be ahead.
        assert!(n > 1 || given.into_inner() == 10);
        assert!(bulk.keys_inserted().is_some_and(|keys| keys > 0));
    }
}

#[test]
#[should_panic(expected = "not of part 3")]
fn a_hash_of_another_part_panics() {
    let mut bulk = filter(Layout::Line, 3000);
    let _ = bulk.insert_bulk_parts(7, NonZeroUsize::MIN, |part, take| {
        // Two hashes with the same wrong bits.
        take(&[if part == 3 { 0 } else { lowest(part, 7) }; 2]);
        Ok::<(), Error>(())
    });
}

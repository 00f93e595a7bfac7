//! Bulk calls give the same bits, counts, errors and answers as batch calls, for every cut.

use alloc::format;

use proptest::prelude::*;

use super::super::tests::OF_EACH_SORT;
use super::*;
use crate::bits::{self, Line};
use crate::{Column, KeyDomain, Layout, OverCapacity, Scheme, builders::BloomFilterBuilder};

fn threads(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

/// A cut whose parts and chunks are so small that few keys fill many of them.
fn small(threads: usize, part_lines: usize, chunk: usize, least: usize) -> Cut {
    Cut { threads, part_lines, chunk, least }
}

/// Distinct keys that differ in all bits.
fn spread(keys: Range<u64>) -> Vec<u64> {
    keys.map(|key| key.wrapping_mul(0xD134_2543_DE82_EF95).rotate_left(23)).collect()
}

/// The state of a filter after an insert, and the result. The error is a text, because the text has
/// all its data.
fn outcome(filter: &BloomFilter, result: Result<()>) -> (Vec<Line>, u64, Option<u64>, Option<String>) {
    (
        filter.lines.as_lines().to_vec(),
        filter.set_bits(),
        filter.keys_inserted(),
        result.err().map(|e| format!("{e:?}")),
    )
}

/// The same keys by the batch call and in bulk, as keys and as hashes.
#[track_caller]
fn assert_same(filter: &BloomFilter, keys: &[u64], cut: Cut) {
    let hashes: Vec<u64> = keys.iter().map(|key| filter.hash_key(key).unwrap()).collect();
    let mut batch = filter.clone();
    let result = batch.insert_many(keys);
    let expected = outcome(&batch, result);

    let mut bulk = filter.clone();
    let result = bulk.insert_cut(keys, Some(cut));
    assert!(outcome(&bulk, result) == expected, "{filter:?} {} keys {cut:?}", keys.len());
    let mut bulk = filter.clone();
    let result = bulk.insert_cut_hashes(&hashes, Some(cut));
    assert!(outcome(&bulk, result) == expected, "{filter:?} {} hashes {cut:?}", keys.len());
    assert_eq!(bulk.is_over_capacity(), batch.is_over_capacity());
}

#[test]
fn every_layout_and_k_sets_the_bits_of_the_batch() {
    let keys = spread(0..3000);
    for &layout in Layout::ALL {
        for k in layout.num_hashes_range().0..=layout.num_hashes_range().1 {
            let builder = BloomFilter::builder().capacity(3000).layout(layout).num_hashes(k);
            let filter = builder.bit_len(512 * 75 + 256).build().or_else(|_| {
                // Layouts of whole lines.
                let builder = BloomFilter::builder().capacity(3000).layout(layout).num_hashes(k);
                builder.bit_len(512 * 75).build()
            });
            let mut filter = filter.unwrap();
            filter.set_over_capacity(OverCapacity::Ignore).unwrap();
            for n in 1..=5 {
                // The last part is smaller than the others, and the last row shorter.
                assert_same(&filter, &keys, small(n, 4, 700, 1));
            }
        }
    }
}

#[test]
fn parts_and_chunks_of_every_size() {
    for layout in [Layout::Line, Layout::Double, Layout::SplitBlock] {
        for lines in [1, 2, 8, 63, 64, 65, 129] {
            let builder = BloomFilter::builder().layout(layout).over_capacity(OverCapacity::Ignore);
            let filter = builder.capacity(1000).bit_len(512 * lines).build().unwrap();
            for count in [0, 1, 2, 127, 128, 129, 257, 1000] {
                let keys = spread(0..count);
                for part_lines in [1, 8, 256] {
                    for chunk in [1, 129, 1000] {
                        if count / chunk as u64 <= 128 {
                            assert_same(&filter, &keys, small(1 + part_lines % 5, part_lines, chunk, 1));
                        }
                    }
                }
            }
        }
    }
}

/// All hashes in one queue, and all but one queue empty.
#[test]
fn equal_keys() {
    let filter = BloomFilter::builder().capacity(10_000).build().unwrap();
    for n in 1..=3 {
        assert_same(&filter, &[7; 5000], small(n, 8, 2000, 1));
    }
}

/// Chunks stop before the limit, and the rest is refused at the same key as in a batch.
#[test]
fn refuses_where_the_batch_refuses() {
    let keys = spread(0..40_000);
    for layout in [Layout::Line, Layout::Double, Layout::SplitBlock] {
        for policy in [OverCapacity::Refuse, OverCapacity::Warn] {
            let builder = BloomFilter::builder().capacity(20_000).layout(layout).over_capacity(policy);
            let filter = builder.build().unwrap();
            for n in [1, 2, 5] {
                for least in [1, 300, 5000] {
                    for count in [15_000, 20_000, 40_000] {
                        assert_same(&filter, &keys[..count], small(n, 16, 6000, least));
                    }
                }
            }
            // Keys that were inserted before in batches: their bits were not counted.
            let mut begun = filter.clone();
            begun.insert_many(&keys[..17_000]).unwrap();
            assert_same(&begun, &keys[10_000..], small(2, 16, 6000, 1));
            if policy == OverCapacity::Refuse {
                let mut bulk = begun.clone();
                let error = bulk.insert_cut(&keys[17_000..], Some(small(2, 16, 1000, 1))).unwrap_err();
                assert!(matches!(error, Error::CapacityReached { inserted: 2900..3400, .. }), "{error:?}");
            }
        }
    }
}

/// Keys that fall on few lines are refused at half of the capacity, for every number of threads and
/// wherever chunks end.
#[test]
fn chosen_keys_are_refused_where_the_batch_refuses_them() {
    let chosen: Vec<u64> = (0..30_000u64).map(|i| 5 << 61 | crate::hash::finish_hash(i) >> 3).collect();
    for layout in [Layout::Line, Layout::SplitBlock] {
        let empty = BloomFilter::builder().capacity(20_000).layout(layout).build().unwrap();
        for n in [1, 2, 5] {
            for (chunk, least) in [(6000, 1), (6000, 5000), (4000, 3000), (9999, 9000)] {
                let mut bulk = empty.clone();
                let refused = bulk.insert_cut_hashes(&chosen, Some(small(n, 16, chunk, least))).unwrap_err();
                let is_half = matches!(refused, Error::KeysClustered { inserted: 10_000, .. });
                assert!(is_half && bulk.keys_inserted() == Some(10_000), "{layout}, {n}, {chunk}: {refused}");
            }
        }
    }
}

/// The chunk that reaches the capacity counts the bits, because the next one needs the count; no
/// earlier chunk does.
#[test]
fn chunks_count_where_the_next_has_to_know() {
    let all = spread(0..20_000);
    for layout in [Layout::Line, Layout::Double, Layout::SplitBlock] {
        let empty = BloomFilter::builder().capacity(20_000).layout(layout).build().unwrap();
        for (keys, counts) in [(10_000, false), (19_999, false), (20_000, true)] {
            let mut filter = empty.clone();
            filter.insert_cut(&all[..keys], Some(small(2, 16, 5000, 1000))).unwrap();
            assert_eq!(filter.tally.is_exact(), counts, "{layout}: {keys}");
            assert_eq!(filter.set_bits(), bits::count(filter.lines.as_lines()));
        }
    }
}

/// At a key that the domain refuses, the keys before it are inserted and the keys after it are not.
#[test]
fn a_refused_key_in_any_share() {
    for layout in [Layout::Line, Layout::Double] {
        let builder = BloomFilter::builder().capacity(3000).layout(layout);
        let filter = builder.key_domain(KeyDomain::Integer).build().unwrap();
        let mut keys: Vec<_> = (0..2000u64).map(|i| format!("{i}")).collect();
        for wrong in [0, 1, 499, 500, 999, 1000, 1001, 1500, 1999] {
            let right = core::mem::replace(&mut keys[wrong], "no number".into());
            for n in 1..=4 {
                let (mut batch, mut bulk) = (filter.clone(), filter.clone());
                let result = batch.insert_many(&keys);
                assert!(matches!(result, Err(Error::KeyRefused { .. })));
                let expected = outcome(&batch, result);
                let result = bulk.insert_cut(&keys, Some(small(n, 8, 1000, 1)));
                assert!(outcome(&bulk, result) == expected, "{layout} {wrong} {n}");
                assert_eq!(bulk.keys_inserted(), Some(wrong as u64));
            }
            keys[wrong] = right;
        }
    }
}

/// Keys in a column can be cut at any place too.
#[test]
fn a_column() {
    let data: Vec<u8> = (0..6000).map(|i| (i * i / 7) as u8).collect();
    let offsets: Vec<u32> = (0..=2000).map(|i| 3 * i).collect();
    let column = Column::new(&offsets, &data).unwrap();
    let filter = BloomFilter::builder().capacity(1500).build().unwrap();
    let (mut batch, mut bulk) = (filter.clone(), filter);
    let result = batch.insert_many(&column);
    let expected = outcome(&batch, result);
    let result = bulk.insert_cut(&column, Some(small(3, 2, 500, 1)));
    assert!(outcome(&bulk, result) == expected);
    assert_eq!(bulk.contains_bulk(&column, threads(2)), batch.contains_many(&column));
}

#[test]
fn filters_that_cannot_be_cut_take_the_batch_path() {
    let builder = BloomFilter::builder().capacity(5000);
    let keys = spread(0..5000);
    let schemes = OF_EACH_SORT.iter().filter(|scheme| **scheme != Scheme::Xxh3);
    let others = schemes.map(|&scheme| builder.clone().scheme(scheme));
    for builder in others.chain([builder.clone().layout(Layout::Scattered)]) {
        let (mut batch, mut bulk) = (builder.clone().build().unwrap(), builder.build().unwrap());
        let mut cut = bulk.clone();
        batch.insert_many(&keys).unwrap();
        bulk.insert_bulk(&keys, threads(2)).unwrap();
        assert!(batch == bulk && batch.keys_inserted() == bulk.keys_inserted());
        cut.insert_cut(&keys, Some(small(2, 16, 1000, 1))).unwrap();
        assert!(batch == cut && batch.keys_inserted() == cut.keys_inserted());
        assert_eq!(bulk.contains_bulk(&keys, threads(2)), batch.contains_many(&keys));
        assert_eq!(bulk.insert_bulk_hashes(&[1], threads(2)).is_ok(), bulk.has_hash());
    }
}

#[test]
fn the_cut_is_within_its_bounds() {
    assert!(Cut::new(1 << 10, 1, threads(64)).is_none(), "64 KiB");
    assert!(Cut::new(1 << 23, 1, threads(1)).is_none() && Cut::new(1 << 23, 1, threads(4)).is_some());
    assert!(Cut::new((1 << 19) - 1, 1, threads(1)).is_none() && Cut::new(1 << 19, 1, threads(1)).is_some());
    // As large as memory can be, also on machines of 32 bits.
    let largest = 1 << if usize::BITS == 32 { 25 } else { 37 };
    for lines in [1 << 16, 1_943_760, (1 << 21) + 1, 1 << 24, largest] {
        for n in [1, 2, 3, 8, 64, 255, 256, 100_000] {
            let Some(cut) = Cut::new(lines, 1, threads(n)) else { continue };
            let parts = lines.div_ceil(cut.part_lines);
            let share = cut.chunk.div_ceil(cut.threads);
            let scratch = cut.threads * (2 * parts + share / BLOCK) * BLOCK_BYTES;
            assert!(cut.part_lines.is_power_of_two() && parts <= 2048, "{lines} {n} {cut:?}");
            assert!(scratch <= SCRATCH && cut.chunk >= 1 << 17, "{lines} {n} {cut:?}: {scratch}");
            assert!(
                cut.chunk >= 2 * cut.least && cut.chunk >= 2 * lines / cut.threads,
                "{lines} {n} {cut:?}"
            );
        }
    }
}

/// The layout `double` has two passes, which pay only with more memory or threads.
#[test]
fn filters_that_are_cut() {
    for (layout, n, is_cut) in [
        (Layout::Line, 2, false),
        (Layout::Line, 3, true),
        (Layout::Double, 3, false),
        (Layout::Double, 6, true),
    ] {
        let builder = BloomFilter::builder().layout(layout).bit_len(8 * (4 << 20)).capacity(1);
        assert_eq!(builder.build().unwrap().cut(threads(n)).is_some(), is_cut, "{layout} {n}");
    }
}

/// The cut of the public calls, at the least size at which they cut.
#[test]
fn the_real_cut() {
    for layout in [Layout::Line, Layout::SplitBlock, Layout::Double] {
        let builder = BloomFilter::builder().capacity(3_600_000).layout(layout);
        let filter = builder.build().unwrap();
        let keys = spread(0..3_600_000);
        let cut = filter.cut(threads(6)).unwrap();
        assert!(cut.chunk < keys.len() && filter.lines.as_lines().len() > 4 * cut.part_lines);
        let (mut batch, mut bulk) = (filter.clone(), filter);
        batch.insert_many(&keys).unwrap();
        bulk.insert_bulk(&keys, threads(6)).unwrap();
        assert!(batch.lines == bulk.lines && batch.set_bits() == bulk.set_bits());
        assert_eq!(bulk.keys_inserted(), Some(3_600_000));
        let asked = spread(3_500_000..3_700_000);
        assert_eq!(bulk.contains_bulk(&asked, threads(2)), batch.contains_many(&asked));
    }
}

#[test]
fn answers_are_those_of_the_batch() {
    let keys = spread(0..60_000);
    for &layout in Layout::ALL {
        let mut filter = BloomFilter::builder().capacity(30_000).layout(layout).build().unwrap();
        filter.insert_many(&keys[..30_000]).unwrap();
        let hashes: Vec<u64> = keys.iter().map(|key| filter.hash_key(key).unwrap()).collect();
        for count in [0, 1, QUESTIONS - 1, QUESTIONS, QUESTIONS + 1, 60_000] {
            for n in 1..=5 {
                let expected = filter.contains_many(&keys[..count]);
                assert_eq!(filter.contains_bulk(&keys[..count], threads(n)), expected);
                let mut answers = vec![true; count];
                filter.contains_bulk_hashes(&hashes[..count], &mut answers, threads(n));
                assert_eq!(answers, expected);
            }
        }
    }
}

/// Only the last two lookups, which are in a second piece of work, answer `true`.
#[test]
fn every_piece_asks_its_own_keys() {
    let keys = spread(0..QUESTIONS as u64 + 2);
    let mut filter = BloomFilter::builder().capacity(1000).build().unwrap();
    filter.insert_many(&keys[QUESTIONS..]).unwrap();
    let answers = filter.contains_bulk(&keys, threads(2));
    assert_eq!(answers[QUESTIONS..], [true, true]);
    assert_eq!(answers, filter.contains_many(&keys));
}

#[test]
#[should_panic(expected = "one answer for each hash")]
fn answers_of_another_length() {
    let filter = BloomFilter::builder().capacity(10).build().unwrap();
    filter.contains_bulk_hashes(&[1, 2], &mut [false], threads(1));
}

#[test]
fn work_is_done_once_each_by_any_number_of_threads() {
    for n in [1, 2, 7, 1000] {
        let mut done = vec![0; 100];
        share_out(n, done.iter_mut(), |count| *count += 1);
        assert_eq!(done, [1; 100]);
        share_out(n, core::iter::empty::<u8>(), |_| unreachable!("there is no work"));
    }
}

fn builder() -> impl Strategy<Value = BloomFilterBuilder> {
    let layout = prop::sample::select(Layout::ALL);
    let policy = prop::sample::select(OverCapacity::ALL);
    (layout, policy, 1u64..3000).prop_map(|(layout, policy, capacity)| {
        BloomFilter::builder().capacity(capacity).layout(layout).over_capacity(policy)
    })
}

proptest! {
    #[test]
    fn bulk_is_the_batch(
        builder in builder(),
        keys in prop::collection::vec(any::<u64>(), 0..3000),
        before in 0usize..2000,
        n in 1usize..6,
        part_shift in 0u32..8,
        chunk in 30usize..3000,
        least in 1usize..300,
    ) {
        let mut filter = builder.build().unwrap();
        let (first, rest) = keys.split_at(before.min(keys.len()));
        let _ = filter.insert_many(first);
        assert_same(&filter, rest, small(n, 1 << part_shift, chunk, least));
    }
}

/// A list of keys that breaks: from some number on, reading a key panics, at the latest in the
/// second pass.
struct Breaking {
    asked: AtomicU64,
    breaks_at: u64,
}

impl Keys for Breaking {
    fn len(&self) -> usize {
        40_000
    }

    fn key<'a>(&'a self, i: usize, _: &'a mut KeySink) -> KeyRef<'a> {
        assert!(self.asked.fetch_add(1, Ordering::Relaxed) < self.breaks_at, "the caller's own panic");
        KeyRef::Unsigned(i as u64)
    }
}

/// After a panic in the caller's code, the filter's file can be read, and it has all keys from
/// before.
#[test]
fn a_panic_of_the_callers_leaves_a_sound_filter() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    for layout in [Layout::Line, Layout::Double, Layout::SplitBlock] {
        for policy in [OverCapacity::Refuse, OverCapacity::Ignore] {
            let builder = BloomFilter::builder().capacity(50_000).layout(layout).over_capacity(policy);
            let before = builder.build_from(1_000_000..1_001_000u64).unwrap();
            for breaks_at in [0, 1, 9_000, 21_000, 39_999, 41_000, 60_000] {
                let mut filter = before.clone();
                let keys = Breaking { asked: AtomicU64::new(0), breaks_at };
                let broken = catch_unwind(AssertUnwindSafe(|| {
                    filter.insert_cut(&keys, Some(small(2, 16, 10_000, 100)))
                }));
                // Two passes read each key twice.
                let is_broken = breaks_at < if layout == Layout::Double { 80_000 } else { 40_000 };
                assert_eq!(broken.is_err(), is_broken, "{layout} {breaks_at}");
                assert_eq!(filter.set_bits(), bits::count(filter.lines.as_lines()));
                assert!((1_000_000..1_001_000u64).all(|key| filter.contains(&key)));
                let file = filter.to_bytes().unwrap();
                assert!(BloomFilter::from_bytes(&file).unwrap() == filter, "{layout} {breaks_at}");
                // It still takes keys.
                filter.insert_many(&(0..10_000u64).collect::<Vec<_>>()).unwrap();
                assert!(filter.contains(&9_999u64) && !filter.is_over_capacity());
                let file = filter.to_bytes().unwrap();
                assert!(BloomFilter::from_bytes(&file).unwrap() == filter);
            }
        }
    }
}

//! Filters that threads share.

use std::thread;

#[cfg(feature = "foreign")]
use tepal::Scheme;
use tepal::{BloomFilter, Error, KeyDomain, Layout, OverCapacity, storage::Shared};

use super::WITHIN;

const THREADS: u64 = 8;

fn filter(layout: Layout, capacity: u64) -> BloomFilter {
    BloomFilter::builder().layout(layout).capacity(capacity).false_positive_rate(0.01).build().unwrap()
}

/// Keys that differ between any two streams.
fn keys(stream: u64, count: u64) -> Vec<u64> {
    (0..count).map(|i| stream << 40 | i).collect()
}

#[test]
fn threads_can_share_it() {
    fn is_shared_by_threads<T: Send + Sync + 'static>() {}
    is_shared_by_threads::<BloomFilter<Shared>>();
}

/// Threads that insert and look up at once, by every call, leave the same bits as one thread.
#[test]
fn many_threads_are_as_one() {
    let each = 100_000;
    for &layout in Layout::ALL {
        let mut alone = filter(layout, THREADS * each);
        let shared = filter(layout, THREADS * each).into_shared().unwrap();
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let shared = &shared;
                scope.spawn(move || {
                    // Two threads each insert the same keys.
                    let keys = keys(thread / 2, each);
                    let (single, batch) = keys.split_at(keys.len() / 4);
                    for key in single {
                        shared.insert(key).unwrap();
                        assert!(shared.contains(key) && shared.contains_branching(key));
                    }
                    for batch in batch.chunks(777) {
                        shared.insert_many(batch).unwrap();
                        assert!(shared.contains_many(batch).iter().all(|answer| *answer));
                    }
                });
            }
        });
        for stream in 0..THREADS / 2 {
            alone.insert_many(&keys(stream, each)).unwrap();
            assert!(shared.contains_many(&keys(stream, each)).iter().all(|answer| *answer));
        }
        assert_eq!(shared.keys_inserted(), Some(THREADS * each));
        assert_eq!(shared.set_bits(), alone.set_bits());
        assert_eq!(shared.false_positive_rate(), alone.false_positive_rate());
        assert_eq!(shared.estimated_len(), alone.estimated_len());
        assert!(!shared.is_over_capacity());
        let snapshot = shared.snapshot().unwrap();
        let owned = shared.into_owned().unwrap();
        assert!(snapshot == alone && owned == alone, "{layout}");
        assert_eq!(snapshot.keys_inserted(), Some(THREADS * each));
        assert_eq!(owned.keys_inserted(), Some(THREADS * each));
        assert_eq!(owned.set_bits(), alone.set_bits());
    }
}

#[test]
fn hashes_are_inserted_as_their_keys_are() {
    for &layout in Layout::ALL {
        let mut alone = filter(layout, 5000);
        let (by_one, by_many) =
            (filter(layout, 5000).into_shared().unwrap(), filter(layout, 5000).into_shared().unwrap());
        let keys = keys(3, 5000);
        let hashes: Vec<u64> = keys.iter().map(|key| alone.hash_key(key).unwrap()).collect();
        alone.insert_many(&keys).unwrap();
        let new = hashes.iter().filter(|&&hash| by_one.insert_hash(hash).unwrap()).count();
        by_many.insert_many_hashes(&hashes).unwrap();
        assert!((4900..=5000).contains(&new), "{layout}: {new}");
        assert_eq!(by_many.keys_inserted(), Some(5000));
        assert!(by_one.into_owned().unwrap() == alone);
        assert!(by_many.into_owned().unwrap() == alone);
    }
}

/// Inserts under a scheme without a hash are the same as those of one thread.
#[cfg(feature = "foreign")]
#[test]
fn schemes_without_a_hash_are_shared_too() {
    for scheme in [Scheme::Md5Presets, Scheme::GuavaMitz32, Scheme::Dcso] {
        let alone = BloomFilter::builder().scheme(scheme).capacity(4000);
        let mut alone = alone.over_capacity(OverCapacity::Refuse).build().unwrap();
        let shared = alone.clone().into_shared().unwrap();
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let shared = &shared;
                scope.spawn(move || {
                    let keys: Vec<String> = (0..1000).map(|i| std::format!("{} {i}", thread / 2)).collect();
                    shared.insert_many(&keys[1..]).unwrap();
                    shared.insert(&keys[0]).unwrap();
                    assert!(shared.contains_many(&keys).iter().all(|answer| *answer));
                });
            }
        });
        for stream in 0..THREADS / 2 {
            alone.insert_many(&(0..1000).map(|i| std::format!("{stream} {i}")).collect::<Vec<_>>()).unwrap();
        }
        assert_eq!(shared.false_positive_rate(), alone.false_positive_rate());
        let (none, many) = (shared.insert_hash(1), shared.insert_many_hashes(&[1]));
        assert!(matches!((none, many), (Err(Error::NoHash { .. }), Err(Error::NoHash { .. }))));
        // If only new keys count, a repeat may run before the other thread has inserted the key,
        // and another order of keys has other false positives.
        let (here, there) = (shared.keys_inserted().unwrap(), alone.keys_inserted().unwrap());
        assert!(here >= there * 98 / 100 && here <= 8000, "{scheme}: {here}, {there}");
        let refused = (0..100_000u64).find_map(|i| shared.insert(&std::format!("more {i}")).err());
        assert!(matches!(refused, Some(Error::CapacityReached { .. })));
        assert!(shared.into_owned().unwrap() != alone);
    }
}

/// The other policies take every key; a key that the domain refuses changes nothing.
#[test]
fn policies_and_refused_keys() {
    for policy in [OverCapacity::Warn, OverCapacity::Ignore] {
        let shared = BloomFilter::builder()
            .capacity(1000)
            .over_capacity(policy)
            .build()
            .unwrap()
            .into_shared()
            .unwrap();
        shared.insert_many(&keys(0, 900)).unwrap();
        assert!(!shared.is_over_capacity());
        shared.insert_many(&keys(1, 1000)).unwrap();
        assert!(shared.is_over_capacity());
        assert_eq!(shared.keys_inserted(), Some(1900));
        assert!(shared.insert(&(9u64 << 40)).unwrap());
    }
    let numbers = BloomFilter::builder()
        .key_domain(KeyDomain::Integer)
        .capacity(10)
        .build()
        .unwrap()
        .into_shared()
        .unwrap();
    numbers.insert("17").unwrap();
    let refused = numbers.insert_many(&["18", "x", "19"]);
    assert!(matches!(refused, Err(Error::KeyRefused { .. })));
    assert!(matches!(numbers.insert("y"), Err(Error::KeyRefused { .. })));
    assert_eq!(numbers.contains_many(&["17", "18", "19", "x"]), [true, true, false, false]);
    assert_eq!(numbers.keys_inserted(), Some(2));
    // A full filter stays full, and takes its members.
    let mut full = filter(Layout::Line, 1000);
    while full.insert(&full.keys_inserted().unwrap()).is_ok() {}
    let full = full.into_shared().unwrap();
    assert!(!full.is_over_capacity() && full.insert("new").is_err() && !full.insert(&17u64).unwrap());
}

/// After threads have filled it, a filter that refuses is full and not over capacity. One that was
/// over before stays so.
#[test]
fn refusing_is_never_over_capacity_by_inserting() {
    for &layout in Layout::ALL {
        for stream in 0..20u64 {
            let full = filter(layout, 1000).into_shared().unwrap();
            assert!(keys(stream, 5000).iter().any(|key| full.insert(key).is_err()));
            assert!(!full.is_over_capacity());
            assert!(!full.into_owned().unwrap().is_over_capacity());
        }
        let mut over = filter(layout, 1000);
        over.set_over_capacity(OverCapacity::Warn).unwrap();
        over.insert_many(&keys(0, 2000)).unwrap();
        over.set_over_capacity(OverCapacity::Refuse).unwrap();
        assert!(over.is_over_capacity());
        let over = over.into_shared().unwrap();
        assert!(over.is_over_capacity() && keys(1, 100).iter().any(|key| over.insert(key).is_err()));
    }
}

/// One thread is refused at the same key as in memory, with the same error: exactly, if each new
/// key is checked.
#[test]
fn one_thread_is_refused_as_in_memory() {
    for &layout in Layout::ALL {
        for stream in 0..8u64 {
            let mut plain = filter(layout, 1000 + 120 * stream);
            let shared = plain.clone().into_shared().unwrap();
            let keys = keys(stream, 10_000);
            let refused = plain.insert_many(&keys).unwrap_err();
            assert!(matches!(refused, Error::CapacityReached { inserted: 1000.., .. }), "{refused}");
            let expected = std::format!("{refused:?}");
            assert_eq!(std::format!("{:?}", shared.insert_many(&keys).unwrap_err()), expected, "{layout}");
            assert_eq!(shared.keys_inserted(), plain.keys_inserted());
            assert!(shared.into_owned().unwrap() == plain, "{layout}");
        }
    }
}

/// Schemes without a hash, by one thread: every answer, count and refusal is the same as in memory.
#[cfg(feature = "foreign")]
#[test]
fn schemes_without_a_hash_are_as_in_memory() {
    for scheme in [Scheme::Md5Presets, Scheme::GuavaMitz32, Scheme::Dcso, Scheme::RedisBloom] {
        let builder = BloomFilter::builder().scheme(scheme).capacity(300);
        let mut plain = builder.over_capacity(OverCapacity::Refuse).build().unwrap();
        let shared = plain.clone().into_shared().unwrap();
        let (mut new, mut refused, mut full_of) = (0, 0, 0);
        // Each key twice, and all of them again when it is full.
        for i in (0..450).flat_map(|i| [i, i]).chain(0..450) {
            let key = std::format!("key {i}");
            let outcome = std::format!("{:?}", shared.insert(&key));
            assert_eq!(outcome, std::format!("{:?}", plain.insert(&key)), "{scheme} {key}");
            new += u32::from(outcome == "Ok(true)");
            refused += u32::from(outcome.starts_with("Err(the filter is full"));
            full_of += u32::from(outcome == "Ok(false)");
            assert_eq!(shared.keys_inserted(), plain.keys_inserted(), "{scheme} {key}");
        }
        assert!(new >= 290 && refused > 100 && full_of > 500, "{scheme}: {new} {refused} {full_of}");
        assert!(shared.into_owned().unwrap() == plain, "{scheme}");
    }
}

/// Partial filters are united into a shared filter as into one in memory, while others insert.
#[test]
fn partial_filters_are_united() {
    for layout in [Layout::Line, Layout::Double, Layout::SplitBlock, Layout::Scattered] {
        let empty = filter(layout, 100_000);
        let shared = empty.clone().into_shared().unwrap();
        thread::scope(|scope| {
            for part in 0..THREADS {
                let (shared, mut own) = (&shared, empty.clone());
                scope.spawn(move || {
                    own.insert_iter((0..5000).map(|i| part * 10_000 + i)).unwrap();
                    shared.union_with(&own).unwrap();
                    shared.insert_iter((5000..10_000).map(|i| part * 10_000 + i)).unwrap();
                });
            }
        });
        let mut plain = empty.clone();
        plain.insert_iter(0..THREADS * 10_000).unwrap();
        assert_eq!(shared.keys_inserted(), Some(THREADS * 10_000));
        assert!(shared.snapshot().unwrap() == plain, "{layout}");
        assert_eq!(shared.set_bits(), plain.set_bits());
    }
}

#[test]
fn a_union_is_refused_as_in_memory() {
    let mut all = filter(Layout::Line, 2000);
    let mut part = all.clone();
    all.insert_iter(0..1500u64).unwrap();
    part.insert_iter(1500..3000u64).unwrap();
    let shared = all.clone().into_shared().unwrap();
    let refused = shared.union_with(&part).unwrap_err();
    assert_eq!(refused.to_string(), all.union_with(&part).unwrap_err().to_string());
    assert!(matches!(refused, Error::CapacityReached { .. }));
    assert!(shared.snapshot().unwrap() == all);
    let refused = shared.union_with(&filter(Layout::Line, 3000)).unwrap_err();
    assert!(matches!(refused, Error::Incompatible { property: "size in bits", .. }));

    // The number of keys of an intersection is not known, nor that of its union with others.
    let mut common = part.clone();
    common.intersect_with(&all).unwrap();
    assert_eq!((common.keys_inserted(), shared.keys_inserted()), (None, Some(1500)));
    shared.union_with(&common).unwrap();
    shared.insert(&7u64).unwrap();
    assert_eq!(shared.keys_inserted(), None);
    assert_eq!(shared.snapshot().unwrap().keys_inserted(), None);
    assert_eq!(shared.into_owned().unwrap().keys_inserted(), None);
}

/// However a shared filter was filled, it refuses single keys as early as one in memory.
#[test]
fn a_filter_that_was_united_full_is_full() {
    let mut plain = filter(Layout::Line, 1000);
    while plain.insert(&plain.keys_inserted().unwrap()).is_ok() {}
    let shared = filter(Layout::Line, 1000).into_shared().unwrap();
    shared.union_with(&plain).unwrap();
    let keys = (1 << 40..).find(|key: &u64| !plain.contains(key)).unwrap();
    assert!(matches!(shared.insert(&keys), Err(Error::CapacityReached { .. })));
}

#[test]
fn a_cleared_filter_is_as_new() {
    for policy in [OverCapacity::Refuse, OverCapacity::Warn] {
        let mut empty = filter(Layout::Double, 1000);
        empty.set_over_capacity(policy).unwrap();
        let mut shared = empty.clone().into_shared().unwrap();
        let fill =
            |shared: &BloomFilter<Shared>| (0..5000u64).take_while(|key| shared.insert(key).is_ok()).count();
        let before = fill(&shared);
        shared.clear();
        assert_eq!((shared.set_bits(), shared.keys_inserted()), (0, Some(0)));
        assert!(!shared.contains(&1u64) && !shared.is_over_capacity());
        assert_eq!(fill(&shared), before);
        assert!(shared.is_over_capacity() == (policy == OverCapacity::Warn));
        shared.clear();
        assert!(shared.into_owned().unwrap() == empty);
    }
}

/// A file that is saved while threads insert has all keys whose insert happened before.
#[cfg(feature = "std")]
#[test]
fn it_is_saved_while_threads_insert() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let shared = filter(Layout::Line, 1_000_000).into_shared().unwrap();
    shared.insert_iter(0..1000u64).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut keys = 1000u64..;
            for _ in 0..5000 {
                shared.insert_iter(keys.by_ref().take(100)).unwrap();
            }
        });
        for _ in 0..20 {
            let known = shared.keys_inserted().unwrap();
            shared.save(&path).unwrap();
            let saved = BloomFilter::open(&path).unwrap();
            assert!((0..known).all(|key| saved.contains(&key)));
            assert!(saved.keys_inserted().unwrap() >= known);
        }
    });
    assert_eq!(shared.to_bytes().unwrap(), shared.snapshot().unwrap().to_bytes().unwrap());
}

/// If threads insert keys that were chosen by the filter's own hash, all are refused when half of
/// the keys are inserted, with the reason.
#[test]
fn chosen_keys_are_refused_on_every_thread() {
    let shared = filter(Layout::Line, 40_000).into_shared().unwrap();
    let chosen =
        |thread: u64| (0..40_000).map(move |i| 5 << 61 | tepal::hash::finish_hash(100_000 * thread + i) >> 3);
    let inserted: u64 = thread::scope(|scope| {
        let until_refused = |thread: u64| {
            let refused = chosen(thread).map(|hash| shared.insert_hash(hash)).enumerate();
            let (taken, why) =
                refused.map(|(i, result)| (i, result.err())).find(|(_, why)| why.is_some()).unwrap();
            assert!(matches!(why, Some(Error::KeysClustered { .. })), "{why:?}");
            taken as u64
        };
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || until_refused(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    // Each thread may be some hundreds of keys late.
    assert!((20_000..22_000).contains(&inserted), "{inserted}");
}

/// If nobody is refused, a filter is over capacity from the key on that takes it past its promise,
/// and not before. A check allows for one more key.
#[test]
fn warning_begins_at_the_key_that_breaks_the_promise() {
    let mut told = 0;
    for &layout in Layout::ALL {
        for stream in 0..30u64 {
            let builder = BloomFilter::builder().layout(layout).capacity(40 + stream);
            let shared = builder.over_capacity(OverCapacity::Warn).build().unwrap().into_shared().unwrap();
            for key in keys(stream, 200) {
                shared.insert(&key).unwrap();
                let is_past = shared.keys_inserted().is_some_and(|keys| keys > 40 + stream)
                    && shared.false_positive_rate() > WITHIN * shared.promised_false_positive_rate();
                assert!(is_past || !shared.is_over_capacity(), "{layout}, {stream}");
            }
            told += u32::from(shared.is_over_capacity());
        }
    }
    assert_eq!(told, 30 * Layout::ALL.len() as u32);
}

//! Keys of an iterator, and answers that are computed when they are asked for.

use std::cell::Cell;

use tepal::{AnyFilter, BloomFilter, Error, KeyDomain, Opened, OverCapacity, Result, file::Format};

use super::{OF_EACH_SORT, builders};

/// This many keys of an iterator are hashed together.
const BATCH: usize = 512;

/// Around the sizes of a batch.
const COUNTS: [usize; 7] = [0, 1, 2, BATCH - 1, BATCH, BATCH + 1, 3 * BATCH + 7];

#[test]
fn keys_of_an_iterator_are_those_of_a_list() {
    let sorts = OF_EACH_SORT.iter().map(|&scheme| BloomFilter::builder().scheme(scheme));
    for builder in builders().into_iter().chain(sorts) {
        for count in COUNTS {
            let keys: Vec<u64> = (0..count as u64).map(|i| i * 7919).collect();
            let empty = builder.clone().capacity(2000).build().unwrap();
            let mut list = empty.clone();
            list.insert_many(&keys).unwrap();
            let mut iter = empty.clone();
            iter.insert_iter(keys.iter().copied()).unwrap();
            assert!(iter == list, "{count}");
            assert_eq!((iter.set_bits(), iter.keys_inserted()), (list.set_bits(), Some(count as u64)));
            let mut extended = empty.clone();
            extended.extend(&keys);
            assert!(extended == list);
            let mut any = AnyFilter::from(empty.clone());
            any.insert_iter(&keys).unwrap();
            assert!(any == AnyFilter::from(list.clone()));
            if iter.has_hash() {
                let mut opened = Opened::new(empty.clone(), Format::Tepal).unwrap();
                opened.insert_iter(keys.iter()).unwrap();
                assert!(*opened.filter() == any);
            }
            #[cfg(target_has_atomic = "64")]
            {
                let shared = empty.into_shared().unwrap();
                shared.insert_iter(&keys).unwrap();
                assert!(shared.into_owned().unwrap() == list);
            }
            let asked: Vec<u64> = (0..2 * count as u64).map(|i| i * 7919 / 2).collect();
            let (named, answers): (Vec<u64>, Vec<bool>) = list.contains_iter(asked.clone()).unzip();
            assert_eq!((named, answers), (asked.clone(), list.contains_many(&asked)));
        }
    }
}

#[test]
fn a_full_filter_says_how_many_are_in() {
    for &scheme in OF_EACH_SORT {
        let builder = BloomFilter::builder().scheme(scheme).capacity(1000);
        let empty = builder.over_capacity(OverCapacity::Refuse).build().unwrap();
        let keys: Vec<u64> = (0..5000).collect();
        let (mut list, mut iter) = (empty.clone(), empty.clone());
        let inserted = |refused: Result<()>| match refused {
            Err(Error::CapacityReached { inserted, .. }) => inserted,
            other => panic!("{other:?}"),
        };
        let asked = Cell::new(0);
        let counted = keys.iter().inspect(|_| asked.set(asked.get() + 1));
        let (in_list, in_iter) = (inserted(list.insert_many(&keys)), inserted(iter.insert_iter(counted)));
        assert_eq!(in_iter, in_list);
        assert!(iter == list && iter.contains_many(&keys[..in_iter]).iter().all(|held| *held));
        assert!((in_iter..=in_iter + BATCH).contains(&asked.get()), "{in_iter} {asked:?}");
    }
}

#[test]
#[should_panic(expected = "capacity")]
fn extending_a_full_filter_panics() {
    BloomFilter::builder().capacity(100).build().unwrap().extend(0..1000u64);
}

#[test]
fn keys_before_a_refused_one_are_in() {
    let mut filter = BloomFilter::builder().capacity(10).key_domain(KeyDomain::Integer).build().unwrap();
    let refused = filter.insert_iter(["1", "2", "x", "3"]).unwrap_err();
    assert!(matches!(refused, Error::KeyRefused { .. }));
    assert_eq!(filter.contains_many(&["1", "2", "3"]), [true, true, false]);
    let builder = BloomFilter::builder().key_domain(KeyDomain::Integer);
    assert!(matches!(builder.build_from(["1", "x"]), Err(Error::KeyRefused { .. })));
}

/// The iterator is not read before an answer is asked for.
#[test]
fn answers_come_when_they_are_asked_for() {
    let filter = BloomFilter::builder().capacity(10).build().unwrap();
    let given = Cell::new(0);
    let mut answers = filter.contains_iter((0..2000u64).inspect(|_| given.set(given.get() + 1)));
    assert_eq!(given.get(), 0);
    assert_eq!(answers.next(), Some((0, false)));
    assert_eq!(given.get(), BATCH);
    assert_eq!(answers.count(), 1999);
}

#[test]
fn a_filter_of_unknown_size_has_room_for_the_different_keys() {
    for &scheme in OF_EACH_SORT {
        let builder = BloomFilter::builder().scheme(scheme).false_positive_rate(0.01);
        for different in [0u64, 1, 2, 600, 5000] {
            let keys = (0..3 * different).map(|i| (i % different.max(1)).to_string());
            let built = builder.clone().build_from(keys.clone()).unwrap();
            assert_eq!((built.capacity(), built.keys_inserted()), (different.max(1), Some(3 * different)));
            let mut list = builder.clone().capacity(different.max(1)).build().unwrap();
            list.set_over_capacity(OverCapacity::Ignore).unwrap();
            list.insert_many(&keys.collect::<Vec<String>>()).unwrap();
            assert!(built == list && built.set_bits() == list.set_bits());
            assert_eq!(built.over_capacity(), builder.clone().capacity(1).build().unwrap().over_capacity());
        }
        // A given size stays.
        let built = builder.clone().capacity(5000).build_from(0..10u64).unwrap();
        assert_eq!((built.capacity(), built.keys_inserted()), (5000, Some(10)));
        let planned =
            BloomFilter::builder().scheme(scheme).planned(builder.clone().capacity(50).plan().unwrap());
        assert_eq!(planned.build_from(["a"]).unwrap().capacity(), 50);
        let warned = builder.over_capacity(OverCapacity::Warn).build_from(vec!["a"]).unwrap();
        assert_eq!(warned.over_capacity(), OverCapacity::Warn);
    }
    // An impossible description is refused before a key is read.
    let wrong = BloomFilter::builder().false_positive_rate(2.0);
    let keys = std::iter::from_fn(|| -> Option<u64> { panic!("a key was read") });
    assert!(matches!(wrong.build_from(keys), Err(Error::Parameter { .. })));
}

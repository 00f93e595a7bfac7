//! Counters of parts give the same numbers as one counter of all keys, and as `Gather`.

#[cfg(feature = "foreign")]
use tepal::Scheme;
use tepal::{
    BloomFilter, Error, KeyDomain,
    build::{Gather, KeyCounter},
    file::Format,
    hash::{KeyHasher, PreparedKeys},
};

fn hasher() -> KeyHasher {
    BloomFilter::builder().key_domain(KeyDomain::Integer).key_hasher().unwrap()
}

fn of(hasher: &KeyHasher, keys: &[u64]) -> KeyCounter {
    let mut counter = KeyCounter::new(hasher.clone()).unwrap();
    counter.insert_many(keys).unwrap();
    counter
}

#[test]
fn parts_in_any_order_give_the_number_of_a_filter_that_takes_all() {
    let builder = BloomFilter::builder().key_domain(KeyDomain::Integer);
    for n in [0, 1, 2, 1000, 65_535, 65_536, 65_537, 300_000] {
        // Each third key is a repeat.
        let keys: Vec<u64> = (0..n).map(|i| if i % 3 == 2 { i - 1 } else { i }).collect();
        let gather = Gather::new(builder.clone(), Format::Tepal).unwrap();
        gather.insert_many(&keys).unwrap();
        let whole = gather.finish().unwrap();
        for parts in [1, 2, 7] {
            let parts = keys.chunks(keys.len().div_ceil(parts).max(1)).map(|part| of(&hasher(), part));
            let mut parts: Vec<KeyCounter> = parts.collect();
            for _ in 0..2 {
                parts.reverse();
                let mut all = KeyCounter::new(hasher()).unwrap();
                for part in &parts {
                    all.union_with(&KeyCounter::from_bytes(hasher(), &part.to_bytes()).unwrap()).unwrap();
                }
                assert_eq!((all.keys(), all.different()), (whole.keys, whole.different), "{n} keys");
                assert_eq!(all.is_exact(), whole.is_exact, "{n} keys");
                assert_eq!(all.room(), whole.file.filter().capacity(), "{n} keys");
            }
        }
    }
}

#[cfg(feature = "foreign")]
#[test]
fn schemes_without_a_hash_count_the_same() {
    let keys: Vec<String> = (0..2000).map(|i| (i % 1500).to_string()).collect();
    for scheme in [Scheme::Xxh3, Scheme::SparkV2, Scheme::GuavaMitz64] {
        let mut counter =
            KeyCounter::new(BloomFilter::builder().scheme(scheme).key_hasher().unwrap()).unwrap();
        counter.insert_many(&keys).unwrap();
        assert_eq!((counter.keys(), counter.different()), (2000, 1500), "{scheme}");
    }
}

#[test]
fn counters_of_other_hashes_are_not_united() {
    let mut counter = of(&hasher(), &[1, 2]);
    let other = BloomFilter::builder().key_domain(KeyDomain::Integer).seed(7).key_hasher().unwrap();
    let error = counter.union_with(&of(&other, &[3])).unwrap_err();
    assert!(matches!(error, Error::Incompatible { property: "hash seed", .. }), "{error}");
    assert_eq!(counter.keys(), 2);
    let caller = BloomFilter::builder().caller_hash("mine").key_hasher().unwrap();
    assert!(matches!(KeyCounter::new(caller), Err(Error::CallerHashes { .. })));
    let mut keys = PreparedKeys::default();
    hasher().prepare(&9_u64, &mut keys).unwrap();
    counter.insert_prepared(&keys).unwrap();
    assert_eq!(counter.different(), 3);
}

#[test]
fn a_refused_key_comes_after_those_before_it() {
    let mut counter = KeyCounter::new(hasher()).unwrap();
    let error = counter.insert_many(&["1", "2", "x", "3"]).unwrap_err();
    assert!(matches!(error, Error::KeyRefused { .. }), "{error}");
    assert_eq!(counter.keys(), 2);
}

//! Scheme 4, section 1.3: the caller hashes.

use tepal_reference::bits::{LINE, SCATTERED, SPLIT_BLOCK};
use tepal_reference::filter::Filter;
use tepal_reference::hash::{finish, xxh3};
use tepal_reference::read::read;
use tepal_reference::write::write;

/// An empty filter of scheme 4.
fn filter(layout: u8, k: u32, bit_len: u64) -> Filter {
    let records = vec![(6, "a hash of the caller".to_string())];
    Filter { records, ..Filter::new(layout, 4, k, bit_len) }
}

#[test]
fn hashes_are_inserted_and_asked_and_keys_are_not() {
    let mut filter = filter(SPLIT_BLOCK, 8, 5 * 256);
    for i in 0..20u8 {
        filter.insert_hash(xxh3(&[i], 0));
    }
    assert!((0..20u8).all(|i| filter.contains_hash(xxh3(&[i], 0))));
    assert!(!(20..=255u8).all(|i| filter.contains_hash(xxh3(&[i], 0))));
    assert_eq!(filter.keys_inserted, 20);

    assert!(filter.insert(b"a key").is_err());
    assert_eq!(filter.keys_inserted, 20);
    assert!(filter.contains(b"a key").unwrap());
}

#[test]
fn the_bits_are_those_of_the_other_schemes() {
    let mut by_key = Filter::new(LINE, 1, 6, 1024);
    let mut by_hash = filter(LINE, 6, 1024);
    for key in [&b"petal"[..], b"sepal", b"tepal"] {
        by_key.insert(key).unwrap();
        by_hash.insert_hash(xxh3(key, 0));
    }
    assert_eq!(by_key.bits, by_hash.bits);
    assert!(by_key.contains_hash(xxh3(b"petal", 0)));
    assert_eq!(by_hash.fold(2).unwrap().bits, by_key.fold(2).unwrap().bits);
}

#[test]
fn the_self_test_takes_four_fixed_hashes() {
    let filter = filter(SCATTERED, 2, 64);
    let hashes = [0x9E3779B97F4A7C15, 0x3C6EF372FE94F82A, 0xDAA66D2C7DDF743F, 0x78DDE6E5FD29F054];
    let sums = hashes.map(|h| filter.positions_of_hash(h).iter().sum::<u64>());
    assert_eq!(filter.self_test().unwrap(), sums);
}

#[test]
fn record_6_is_there_if_and_only_if_the_scheme_is_4() {
    let good = filter(LINE, 6, 512);
    let file = write(&good, None).unwrap();
    assert_eq!(read(&file, None, None).unwrap(), good);
    assert!(read(&file, Some(&[0; 16]), None).unwrap_err().starts_with("step 6"));

    assert!(Filter { records: Vec::new(), ..good.clone() }.check().is_err());
    assert!(Filter { scheme: 1, ..good.clone() }.check().is_err());
    assert!(Filter { parameter: 1, ..good.clone() }.check().is_err());
    assert!(Filter { num_hashes: 17, ..good }.check().is_err());
}

#[test]
fn finish_is_the_finalizer_of_murmur3() {
    assert_eq!(finish(0), 0);
    // The published value of this finalizer for 1. The finalizer can be inverted, so different
    // hashes stay different.
    assert_eq!(finish(1), 0xB456BCFC34C2CB2C);
    let mut finished: Vec<u64> = (0..100_000).map(finish).collect();
    finished.sort();
    finished.dedup();
    assert_eq!(finished.len(), 100_000);
}

#[test]
fn small_integers_as_their_own_hashes_fill_one_line() {
    // A filter planned for a rate of 0.0001 has 22.2 bits for each key.
    let (mut plain, mut finished) = (filter(LINE, 12, 512 * 4334), filter(LINE, 12, 512 * 4334));
    for h in 0..100_000 {
        plain.insert_hash(h);
        finished.insert_hash(finish(h));
    }
    let wrong = |held: &dyn Fn(u64) -> bool| (100_000..200_000).filter(|&h| held(h)).count();
    assert_eq!(wrong(&|h| plain.contains_hash(h)), 100_000);
    let few = wrong(&|h| finished.contains_hash(finish(h)));
    assert!(few < 10 + 40, "{few}");
}

//! The filter against a list of its keys.

use std::collections::BTreeSet;

use tepal::{Error, GrowingFilter, Opened, Removal, file::Format};

fn hash(i: u64) -> u64 {
    let z = (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i >> 7)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB) ^ (z >> 29)
}

fn build(first: u64, rate: f64, is_deletable: bool) -> GrowingFilter {
    let builder = GrowingFilter::builder().first(first).false_positive_rate(rate).deletable(is_deletable);
    builder.seed(1).build().unwrap()
}

fn read(filter: &GrowingFilter) -> GrowingFilter {
    let file = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    let opened = tepal::from_bytes(&file).unwrap();
    assert_eq!(opened.to_bytes().unwrap(), file);
    match opened.into_filter() {
        tepal::AnyFilter::Growing(again) => again,
        other => panic!("{other:?}"),
    }
}

/// The fingerprint of a key in one table.
fn frozen_number(table: &tepal::QuotientFilter, key: u64) -> u64 {
    let spread = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((u128::from(spread) * u128::from(table.numbers())) >> 64) as u64
}

#[test]
fn none_one_and_the_same_again() {
    for first in [1, 2, 1000] {
        let mut filter = build(first, 0.01, false);
        assert!(filter.is_empty() && filter == read(&filter) && !filter.contains("a"));
        assert!(filter.insert("a").unwrap() && !filter.insert("a").unwrap());
        let file = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        filter.insert_many(&["a"; 5000]).unwrap();
        assert_eq!(Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap(), file);
        assert!(filter.contains("a") && filter.len() == 1 && !filter.contains("b"));
        let refused = filter.remove("a").unwrap_err().to_string();
        assert!(refused.contains("deletable"), "{refused}");
        filter.clear().unwrap();
        assert!(filter == build(first, 0.01, false));
    }
    let mut copies = build(10, 0.01, true);
    (0..64).for_each(|_| _ = copies.insert("a").unwrap());
    assert!(matches!(
        copies.insert_many(&["b", "a"]),
        Err(Error::TooManyCopies { most: 64, inserted: 1, .. })
    ));
    assert_eq!(copies.len(), 65);
    (0..64).for_each(|_| assert_eq!(copies.remove("a").unwrap(), Removal::Removed));
    assert_eq!((copies.remove("a").unwrap(), copies.contains("b")), (Removal::NotHeld, true));
    assert!(copies == read(&copies));
}

/// An old table has few possible fingerprints, and many keys share one when there are far more keys
/// than at first: none of them is refused, and none is lost.
#[test]
fn keys_that_share_an_old_number_are_all_taken() {
    for (first, rate, keys) in [(1, 0.01, 300_000), (10, 0.9, 6_000), (1, 0.5, 100_000)] {
        let mut filter = build(first, rate, true);
        for key in 0..keys {
            if let Err(error) = filter.insert_hash(hash(key)) {
                panic!("{first} {rate}, {key}: {error}");
            }
        }
        assert_eq!(filter.len(), keys);
        assert!(filter == read(&filter));
        // Keys that are kept are kept for the sake of others.
        let removed = (0..keys / 2).filter(|key| filter.remove_hash(hash(*key)).unwrap() == Removal::Removed);
        assert!(removed.count() > 0);
        assert!((keys / 2..keys).all(|key| filter.contains_hash(hash(key))));
    }
}

#[test]
fn one_key_at_a_time_and_batches_give_the_same_file() {
    for is_deletable in [false, true] {
        let (mut one, mut many) = (build(50, 0.01, is_deletable), build(50, 0.01, is_deletable));
        let keys: Vec<u64> = (0..20_000).map(hash).collect();
        keys.iter().for_each(|key| _ = one.insert_hash(*key).unwrap());
        many.insert_many_hashes(&keys).unwrap();
        let file =
            |filter: &GrowingFilter| Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        assert!(file(&one) == file(&many));
    }
}

#[test]
fn frozen_it_is_one_table_of_all_keys() {
    for (keys, rate, links) in
        [(0, 0.01, 1), (1, 0.01, 1), (1_500, 0.01, 1), (6_000, 0.02, 2), (30_000, 0.1, 3)]
    {
        let mut filter = build(100, 0.01, false);
        (0..).map(hash).take(keys).for_each(|key| _ = filter.insert_hash(key).unwrap());
        assert_eq!(filter.num_links(), links);
        let frozen = filter.freeze(rate).unwrap();
        assert!((0..keys as u64).all(|key| frozen.contains_hash(hash(key))));
        assert!(frozen.false_positive_rate() <= rate && frozen.len() == filter.len());
        assert!(frozen.size_in_bytes() <= filter.size_in_bytes(), "{keys}");
        // The table has exactly the fingerprints that the same keys would have made in it.
        let held: BTreeSet<u64> = (0..keys as u64).map(|key| frozen_number(&frozen, hash(key))).collect();
        assert_eq!(frozen.distinct_numbers(), held.len() as u64);
    }
    let mut filter = build(100, 0.01, false);
    (0..6_000).map(hash).for_each(|key| _ = filter.insert_hash(key).unwrap());
    let refused = filter.freeze(0.01).unwrap_err();
    assert!(
        matches!(refused, Error::RateOutOfReach { .. }) && refused.to_string().contains("e-2"),
        "{refused}"
    );
}

/// Every byte of the file of a filter of three links is changed, and the checksums are corrected.
/// The result is an error or the same answers, and no panic.
#[test]
fn damaged_files_are_refused() {
    let mut filter = build(2, 0.1, false);
    (0..700).map(hash).for_each(|key| _ = filter.insert_hash(key).unwrap());
    assert_eq!(filter.num_links(), 3);
    let file = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    let head = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let (mut refused, links) = (0, 128..128 + 3 * 88);
    for at in (32..120).chain(links) {
        for change in [1u8, 0x80, 0xFF] {
            let mut changed = file.clone();
            changed[at] ^= change;
            let sum = xxhash_rust::xxh3::xxh3_64(&changed[..head - 8]);
            changed[head - 8..head].copy_from_slice(&sum.to_le_bytes());
            match tepal::from_bytes(&changed) {
                Err(_) => refused += 1,
                // The file of another filter, for example one whose keys can be removed.
                Ok(opened) => assert_eq!(opened.to_bytes().unwrap(), changed, "{at}"),
            }
        }
    }
    assert!(refused >= 3 * (88 + 264) - 20, "{refused}");
}

/// If keys share a copy, no key can be removed from the table that the filter becomes, nor from a
/// union with that table.
#[test]
fn of_a_frozen_filter_keys_are_removed_where_they_could_be_before() {
    for is_deletable in [true, false] {
        let mut filter = build(100, 0.01, is_deletable);
        (0..1000).map(hash).for_each(|key| _ = filter.insert_hash(key).unwrap());
        let frozen = filter.freeze(0.1).unwrap();
        let file = Opened::new(frozen.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        let tepal::AnyFilter::Quotient(read) = tepal::from_bytes(&file).unwrap().into_filter() else {
            panic!()
        };
        assert!(read == frozen && read.is_deletable() == is_deletable);
        let mut folded = frozen.clone();
        folded.fold(2).unwrap();
        let mut both = frozen.clone();
        both.union_with(&read).unwrap();
        let mut common = frozen.clone();
        common.intersect_with(&read).unwrap();
        for mut table in [frozen, read, folded, both, common] {
            let before = table.len();
            match table.remove_hash(hash(7)) {
                Ok(removed) => assert!(is_deletable && removed && table.len() == before - 1),
                Err(Error::NotPossible { .. }) => assert!(!is_deletable && table.len() == before),
                Err(error) => panic!("{error}"),
            }
        }
    }
}

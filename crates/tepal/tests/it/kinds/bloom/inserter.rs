//! An inserter has the same effects as inserting one by one, however it ends.

use tepal::{BloomFilter, KeyDomain, OverCapacity, builders::BloomFilterBuilder};

use super::{OF_EACH_SORT, builders};

/// Full filters and nearly empty ones, under each policy, in every layout, with a scheme of each
/// sort.
fn filters() -> Vec<BloomFilter> {
    let mut filters = Vec::new();
    for builder in builders() {
        for capacity in [1, 50, 3000, 20_000] {
            let policies = [OverCapacity::Refuse, OverCapacity::Warn, OverCapacity::Ignore];
            let of = |policy| builder.clone().capacity(capacity).over_capacity(policy).build();
            filters.extend(policies.map(|policy| of(policy).unwrap()));
        }
    }
    let builder = || BloomFilter::builder().capacity(3000);
    filters.extend(OF_EACH_SORT.iter().map(|&scheme| builder().scheme(scheme).build().unwrap()));
    filters.push(builder().key_domain(KeyDomain::Integer).build().unwrap());
    filters
}

/// Texts of many lengths, with repeats.
fn texts(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(move |i| format!("{:0width$}", i % (count / 5 * 4), width = 1 + i % 40))
}

fn check_same(filter: &BloomFilter, other: &BloomFilter) {
    assert!(filter == other, "{filter:?}");
    assert_eq!(filter.keys_inserted(), other.keys_inserted(), "{filter:?}");
    assert_eq!(filter.set_bits(), other.set_bits(), "{filter:?}");
    assert_eq!(filter.is_full(), other.is_full(), "{filter:?}");
}

#[test]
fn as_one_by_one() {
    for empty in filters() {
        let count = (empty.capacity() as usize).clamp(100, 4000) * 3 / 2;
        let (mut single, mut through) = (empty.clone(), empty);
        let expected: Vec<Option<bool>> = texts(count).map(|text| single.insert(&text).ok()).collect();
        let mut inserter = through.inserter();
        let found: Vec<Option<bool>> = texts(count).map(|text| inserter.insert(&text).ok()).collect();
        drop(inserter);
        assert!(found == expected, "{through:?}");
        check_same(&through, &single);

        // An inserter that takes no key changes nothing, and a further one goes on.
        drop(through.inserter());
        check_same(&through, &single);
        let hashes = (0..100u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut inserter = through.inserter();
        for hash in hashes {
            assert_eq!(inserter.insert_hash(hash).ok(), single.insert_hash(hash).ok());
        }
        drop(inserter);
        check_same(&through, &single);
    }
}

/// Keys for which the inserter has its fast path.
#[cfg(feature = "std")]
fn integers() -> BloomFilterBuilder {
    BloomFilter::builder().capacity(20_000).key_domain(KeyDomain::Integer)
}

/// A panic of a key ends it like a drop.
#[cfg(feature = "std")]
#[test]
fn unwound() {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let mut filter = integers().build().unwrap();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut inserter = filter.inserter();
        for n in 0..1500u64 {
            assert!(n < 1200, "no key");
            inserter.insert(&n).unwrap();
        }
    }));
    assert!(outcome.is_err());
    assert_eq!(filter.keys_inserted(), Some(1200));
    assert!((0..1200u64).all(|n| filter.contains(&n)));
}

/// The bits of an opened file are copied by the first key.
#[cfg(feature = "std")]
#[test]
fn of_an_opened_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let mut expected = integers().build_from(0..3000u64).unwrap();
    expected.save(&path).unwrap();
    let mut opened = BloomFilter::open(&path).unwrap();
    let mut inserter = opened.inserter();
    for n in 2000..9000u64 {
        assert_eq!(inserter.insert(&n).unwrap(), expected.insert(&n).unwrap());
    }
    drop(inserter);
    assert!(opened == expected && opened.keys_inserted() == expected.keys_inserted());
    assert_eq!(BloomFilter::open(&path).unwrap().keys_inserted(), Some(3000));
}

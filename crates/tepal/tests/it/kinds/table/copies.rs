//! The filter against a list of its keys.

use tepal::{
    AnyFilter, Error, Opened, OverCapacity, QuotientFilter,
    facts::{Labels, Touched},
    file::Format,
    hash::PreparedKeys,
};

#[test]
fn as_many_copies_as_there_can_be() {
    for count_bits in [0, 4, 8] {
        let mut filter = QuotientFilter::builder().capacity(300).count_bits(count_bits).build().unwrap();
        filter.insert_many(&(0..200u32).collect::<Vec<_>>()).unwrap();
        let most = 64u64 << count_bits;
        for n in 0..most {
            assert_eq!(filter.insert("key").unwrap(), n == 0);
        }
        let before = filter.clone();
        let error = filter.insert("key").unwrap_err();
        assert!(
            matches!(error, Error::TooManyCopies { most: at, inserted: 0 , .. } if at == most),
            "{error}"
        );
        assert!(filter == before && filter.count("key") == most);
        for n in (0..most).rev() {
            assert!(filter.remove("key").unwrap());
            assert_eq!(filter.count("key"), n);
        }
        assert!(!filter.remove("key").unwrap());
        assert_eq!(filter.len(), 200);
    }
}

#[test]
fn a_file_is_the_filter() {
    for (capacity, keys, count_bits) in [(1, 0, 0), (1, 1, 0), (50, 50, 4), (1000, 1000, 0), (5000, 2500, 8)]
    {
        let builder = QuotientFilter::builder().capacity(capacity).count_bits(count_bits).seed(7);
        let labels = Labels::new().name("some keys");
        let mut filter = builder.labels(labels).build_from(0..keys as u32).unwrap();
        if keys > 0 {
            filter.insert(&0u32).unwrap();
        }
        let bytes = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        let back = tepal::from_bytes(&bytes).unwrap();
        let AnyFilter::Quotient(mut opened) = back.filter().clone() else { panic!("{back:?}") };
        assert!(opened == filter && opened.labels().name.as_deref() == Some("some keys"));
        assert_eq!(opened.len(), filter.len());
        opened
            .insert("one more")
            .or_else(|error| match error {
                Error::CapacityReached { .. } => Ok(false),
                other => Err(other),
            })
            .unwrap();
        // Every byte matters.
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 400) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            let is_ignored = (28..32).contains(&at);
            assert!(is_ignored || tepal::from_bytes(&damaged).is_err(), "byte {at}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let builder = QuotientFilter::builder;
    for (wrong, words) in [
        (builder(), "capacity"),
        (builder().capacity(0), "capacity"),
        (builder().capacity(9).false_positive_rate(1.0), "rate"),
        (builder().capacity(9).count_bits(5), "4, 8 or 16"),
        (builder().capacity(1 << 50).false_positive_rate(1e-9), "rate"),
        (builder().capacity(9).seed(1).secret_key(tepal::SecretKey::new([0; 16])), "seed"),
    ] {
        let error = wrong.build().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn prepared_keys_are_removed_as_one_by_one() {
    let keys: Vec<_> = (0..5000).map(|n: u32| n.to_string()).collect();
    let built = || QuotientFilter::builder().capacity(5000).build_from(&keys).unwrap();
    let (mut one_by_one, mut together, mut many) = (built(), built(), built());
    let hasher = together.key_hasher();
    let mut prepared = PreparedKeys::default();
    for key in &keys[1000..3000] {
        hasher.prepare(key, &mut prepared).unwrap();
        assert!(one_by_one.remove(key).unwrap());
    }
    assert_eq!(together.remove_prepared(&prepared).unwrap(), 2000);
    assert_eq!(many.remove_many(&keys[1000..3000]).unwrap(), 2000);
    assert!(one_by_one == together && one_by_one == many && together.len() == 3000);
    let gone = together.remove_prepared(&prepared).unwrap();
    assert!(gone < 100, "at the rate a number of another key: {gone}");
    assert_eq!(together.remove_prepared(&PreparedKeys::default()).unwrap(), 0);
}

/// The table of a union is laid out for twice its keys.
#[test]
fn a_union_has_room_for_more_keys() {
    for count_bits in [0, 4] {
        let builder = QuotientFilter::builder().capacity(40_000).count_bits(count_bits);
        let of = |keys: std::ops::Range<u32>| builder.clone().build_from(keys).unwrap();
        let mut both = of(0..2500);
        both.union_with(&of(2500..5000)).unwrap();
        let size = both.size_in_bytes();
        (5000..8000u32).for_each(|key| _ = both.insert(&key).unwrap());
        assert_eq!(both.size_in_bytes(), size);
    }
}

#[test]
fn a_folded_size_is_known_before() {
    let keys: Vec<_> = (0..3000).map(|n: u32| n.to_string()).collect();
    for count_bits in [0, 4] {
        let builder = QuotientFilter::builder().capacity(30_000).count_bits(count_bits);
        assert_eq!(
            builder.planned_size_in_bytes().unwrap(),
            builder.clone().build().unwrap().size_in_bytes()
        );
        let filter = builder.build_from(&keys).unwrap();
        for factor in [2, 4, 8] {
            let planned = filter.folded_size_in_bytes(factor).unwrap();
            let mut folded = filter.clone();
            folded.fold(factor).unwrap();
            let folded = folded.size_in_bytes();
            assert!(folded <= planned && planned <= folded + folded / 20, "{factor}: {planned}, {folded}");
        }
        assert_eq!((filter.folded_size_in_bytes(1), filter.folded_size_in_bytes(0)), (None, None));
    }
    assert!(QuotientFilter::builder().planned_size_in_bytes().is_err());
}

/// A folded filter promises its rate after the fold if that is the higher one. Rounded down, one
/// fingerprint would take it past the promise.
#[test]
fn a_folded_filter_is_not_past_its_own_promise() {
    for keys in 40..400_u32 {
        let builder = QuotientFilter::builder().capacity(keys.into()).over_capacity(OverCapacity::Warn);
        let mut filter = builder.build_from(0..keys).unwrap();
        let factor = filter.fold_factors()[0];
        filter.fold(factor).unwrap();
        assert!(filter.capacity() >= filter.distinct_numbers(), "{keys}");
        assert!(!filter.is_over_capacity(), "{keys}: {filter:?}");
    }
}

#[test]
fn a_table_past_its_capacity_says_so_under_every_policy() {
    for policy in [OverCapacity::Warn, OverCapacity::Ignore] {
        let mut filter = QuotientFilter::builder().capacity(1000).over_capacity(policy).build().unwrap();
        filter.insert_many(&(0..1000u64).collect::<Vec<_>>()).unwrap();
        assert!(!filter.is_over_capacity(), "{filter:?}");
        filter.insert_many(&(1000..2000u64).collect::<Vec<_>>()).unwrap();
        assert!(filter.is_over_capacity() && filter.facts().is_over_capacity, "{filter:?}");
    }
}

#[test]
fn a_key_has_its_place_in_the_table() {
    let filter = AnyFilter::from(QuotientFilter::builder().capacity(1000).build_from(0..1000_u64).unwrap());
    let table = &filter.facts().tables[0];
    for key in 0..2000_u64 {
        let Some(Touched::Number { number, line, bucket, remainder }) = filter.touched(&key) else {
            panic!("a table has places");
        };
        let quotient = line * u64::from(table.buckets) + u64::from(bucket);
        assert_eq!(quotient << table.remainder_bits | remainder, number);
        assert!(number < table.numbers && line < table.lines);
    }
}

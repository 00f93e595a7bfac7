//! `extend` is `insert_many`, for every type that has it.

use tepal::{AnyFilter, Ask, BloomFilter, Change, MutableFilter, Opened, OverCapacity, file::Format};

fn keys() -> Vec<String> {
    (0..2000).map(|i: u32| (i * 7919).to_string()).collect()
}

/// The same filter, whichever call inserted the keys.
fn check<F: MutableFilter + Clone + PartialEq + Extend<String> + for<'k> Extend<&'k String>>(empty: &F) {
    let mut list = empty.clone();
    Change::insert_many(&mut list, &keys()).unwrap();
    let (mut one, mut two) = (empty.clone(), empty.clone());
    one.extend(keys());
    // A part at a time, and by reference.
    two.extend(&keys()[..700]);
    two.extend(&keys()[700..]);
    assert!(one == list && two == list, "{empty:?}");
    assert_eq!((one.keys_inserted(), two.keys_inserted()), (list.keys_inserted(), list.keys_inserted()));
    assert!(Ask::contains_many(&one, &keys()).iter().all(|held| *held));
}

#[test]
fn every_kind_that_inserts_can_be_extended() {
    let bloom = BloomFilter::builder().capacity(3000).build().unwrap();
    check(&bloom);
    check(&AnyFilter::from(bloom.clone()));
    let mut opened = Opened::new(bloom.clone(), Format::Tepal).unwrap();
    opened.extend(keys());
    assert!(opened.contains_many(&keys()).iter().all(|held| *held));
    #[cfg(feature = "extras")]
    check(&BloomFilter::builder().build_growing().unwrap());
    #[cfg(feature = "extras")]
    {
        let mut exceptions = tepal::Exceptions::new();
        let mut asked = tepal::hash::PreparedKeys::default();
        let file =
            Opened::new(BloomFilter::builder().capacity(3000).build_from(["apple"]).unwrap(), Format::Tepal);
        let file = file.unwrap();
        file.key_hasher().prepare("apple", &mut asked).unwrap();
        exceptions.take(file.filter(), &asked);
        let AnyFilter::Excepted(mut filter) = file.except(&exceptions).unwrap().into_filter() else {
            panic!("another kind")
        };
        filter.extend(keys());
        assert!(Ask::contains_many(&filter, &keys()).iter().all(|held| *held));
    }
    #[cfg(feature = "table")]
    {
        check(&tepal::QuotientFilter::builder().capacity(3000).build().unwrap());
        check(&tepal::GrowingFilter::builder().build().unwrap());
        check(&tepal::ExpiringFilter::builder().window_of_keys(3000).build().unwrap());
        check(&tepal::ExpiringFilter::builder().window_of_time(60).capacity(3000).build().unwrap());
    }
    #[cfg(feature = "static")]
    check(&tepal::RibbonFilter::builder().build_from(["apple"]).unwrap());
}

#[cfg(feature = "table")]
#[test]
fn a_filter_of_segments_is_extended_by_pairs() {
    // Few pairs are inserted one by one, many are sorted.
    for count in [0, 1, 20, 2000] {
        let empty = || {
            let mut filter = tepal::SegmentFilter::builder().capacity(5000).build().unwrap();
            let segments = ["monday", "tuesday"].map(|name| filter.add_segment(name).unwrap());
            (filter, segments)
        };
        let (mut pairs, segments) = empty();
        let keys = &keys()[..count];
        pairs.extend(keys.iter().flat_map(|key| segments.map(|segment| (segment, key))));
        let (mut lists, segments) = empty();
        segments.iter().for_each(|segment| lists.insert_many(*segment, keys).unwrap());
        assert!(pairs == lists && pairs.len() == lists.len());
        assert!(keys.iter().all(|key| pairs.segments(key).eq(segments)));
    }
    let mut small = tepal::SegmentFilter::builder().capacity(100).build().unwrap();
    let segment = small.add_segment("monday").unwrap();
    match small.insert_iter((0..1000u64).map(|key| (segment, key))) {
        Err(tepal::Error::CapacityReached { inserted, .. }) => {
            assert!((100..110).contains(&inserted), "{inserted}");
            assert!((0..inserted as u64).all(|key| small.contains_in(segment, &key)));
        }
        other => panic!("{other:?}"),
    }
}

/// The panic has the text of the error.
#[test]
#[should_panic(expected = "capacity")]
fn a_full_filter_panics() {
    let mut any = AnyFilter::from(BloomFilter::builder().capacity(100).build().unwrap());
    assert_eq!(any.over_capacity(), OverCapacity::Refuse);
    any.extend(0..1000u64);
}

#[cfg(feature = "static")]
#[test]
#[should_panic(expected = "map")]
fn a_map_of_unknown_kind_panics() {
    AnyFilter::from(tepal::RibbonMap::builder().build_from([("apple", 1)]).unwrap()).extend(["pear"]);
}

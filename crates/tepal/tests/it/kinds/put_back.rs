//! What must be as before after a refusal, and what a second step must not forget.

use tepal::{BloomFilter, Error, KeyDomain};

/// A converted file still knows the file that it came from: a file that was replaced meanwhile is
/// not overwritten.
#[cfg(all(feature = "std", feature = "foreign"))]
#[test]
fn a_converted_file_is_saved_only_over_the_file_that_was_opened() {
    use tepal::{Open, Opened, Scheme, file::Format};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let filter = |key: &str| {
        BloomFilter::builder().scheme(Scheme::GuavaMitz64).capacity(100).build_from([key]).unwrap()
    };
    let save = |key| Opened::new(filter(key), Format::Guava).unwrap().save(&path).unwrap();
    let open = || Open::new().format(Format::Guava).open(&path).unwrap();
    for changed in [false, true] {
        save("apple");
        let mut converted = open().convert_to(Format::Tepal).unwrap();
        if changed {
            save("another program's");
        }
        match (converted.save_over(), changed) {
            (Ok(()), false) => assert!(tepal::open(&path).unwrap().contains("apple")),
            (Err(Error::FileChanged { .. }), true) => assert!(open().contains("another program's")),
            (result, _) => panic!("{changed}: {result:?}"),
        }
    }
}

/// Two tables that hold 64 copies of a key together, and two that hold more.
#[cfg(feature = "table")]
#[test]
fn a_union_of_growing_filters_keeps_every_copy_or_is_refused() {
    use tepal::{GrowingFilter, Removal};
    let of = |copies: u32| {
        let mut filter = GrowingFilter::builder().first(100).deletable(true).build().unwrap();
        (0..copies).for_each(|_| _ = filter.insert("apple").unwrap());
        filter.insert("pear").unwrap();
        filter
    };
    let mut united = of(30);
    united.union_with(&of(34)).unwrap();
    for _ in 0..64 {
        assert_eq!(united.remove("apple").unwrap(), Removal::Removed);
    }
    assert!(!united.contains("apple") && united.contains("pear"));
    for (one, other) in [(30, 35), (64, 1), (1, 64)] {
        let (mut united, before) = (of(one), of(one));
        let refused = united.union_with(&of(other));
        assert!(matches!(refused, Err(Error::TooManyCopies { .. })), "{one} {other}: {refused:?}");
        assert!(united == before && united.contains("apple"), "{one} {other}");
    }
}

/// An inserter counts keys ahead, up to the last that the filter takes without a look at its bits.
/// A key that it cannot hash by itself, accepted or refused, finds the count as one by one.
#[test]
fn an_inserter_has_counted_right_before_every_key() {
    let builder = BloomFilter::builder().capacity(4000).key_domain(KeyDomain::Integer);
    for step in [1, 7, 300, 1000] {
        let empty = builder.clone().build().unwrap();
        let (mut single, mut through) = (empty.clone(), empty);
        let mut inserter = through.inserter();
        for i in 0..9000u64 {
            assert_eq!(inserter.insert(&i).ok(), single.insert(&i).ok(), "{step} {i}");
            if i % step == 0 {
                let text = (100_000 + i).to_string();
                assert_eq!(inserter.insert(&text).ok(), single.insert(&text).ok(), "{step} {i}");
                assert!(inserter.insert("no number").is_err() && single.insert("no number").is_err());
            }
        }
        drop(inserter);
        assert_eq!(through.keys_inserted(), single.keys_inserted(), "{step}");
        assert!(through == single && through.set_bits() == single.set_bits(), "{step}");
        assert!(through.is_full() && single.is_full());
    }
}

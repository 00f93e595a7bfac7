//! Bloom filters that are asked in bytes that somebody else holds.

#[cfg(target_endian = "little")]
use std::sync::Arc;

#[cfg(target_endian = "little")]
use tepal::SecretKey;
use tepal::{BloomFilter, Error, KeyDomain, Open, Result};
#[cfg(feature = "static")]
use tepal::{RibbonFilter, RibbonMap};

use super::placed::Placed;
use super::samples::builders;

/// One filter of every layout and domain, and of every scheme in this build.
fn filters() -> Vec<BloomFilter> {
    let mut filters = Vec::new();
    for builder in builders() {
        // Some schemes have a fixed size, and some are not in this build.
        let sized = builder.clone().capacity(200).false_positive_rate(0.05).build();
        let Ok(mut filter) = sized.or_else(|_| builder.capacity(20_000).build()) else { continue };
        filter.insert_iter(0..150u64).unwrap();
        filters.push(filter);
    }
    assert!(filters.len() > if cfg!(feature = "foreign") { 20 } else { 9 });
    filters
}

#[cfg(target_endian = "little")]
#[test]
fn a_filter_is_asked_where_it_lies() {
    for filter in filters() {
        let bytes = Placed::new(&filter.to_bytes().unwrap(), 0);
        let view = BloomFilter::view(&bytes).unwrap();
        assert!(view == filter);
        assert_eq!((view.set_bits(), view.keys_inserted()), (filter.set_bits(), Some(150)));
        let keys: Vec<u64> = (0..300).collect();
        assert_eq!(view.contains_many(&keys), filter.contains_many(&keys));
        assert!((0..150u64).all(|key| view.contains(&key)));
        view.verify().unwrap();
        // Every operation of a read-only filter.
        assert_eq!(view.to_bytes().unwrap(), bytes.as_ref());
        assert!(view.clone().into_owned().unwrap() == filter);
        let mut other = filter.clone();
        other.union_with(&view).unwrap();

        // In larger bytes, and behind an owned pointer.
        let larger = [&[7; 128][..], bytes.as_ref(), &[7; 9]].concat();
        let larger = Arc::new(Placed::new(&larger, 0));
        let place = 128..128 + bytes.len;
        let view = BloomFilter::view_at(larger, place).unwrap();
        assert!(view.clone() == filter);
        let thread = std::thread::spawn(move || view.contains(&7u64));
        assert!(thread.join().unwrap());
    }
}

/// Clones and moves do not move the bytes.
#[cfg(target_endian = "little")]
#[test]
fn a_view_may_be_moved_and_cloned() {
    let bytes = BloomFilter::builder().build_from(["a"]).unwrap().to_bytes().unwrap();
    let placed = std::rc::Rc::new(Placed::new(&bytes, 0));
    let view = BloomFilter::view(placed).unwrap();
    let views: Vec<_> = (0..8).map(|_| Box::new(view.clone())).collect();
    drop(view);
    assert!(views.iter().all(|view| view.contains("a") && !view.contains("b") && !view.is_over_capacity()));
}

/// Every call refuses a file with another key domain.
#[test]
fn the_key_domain_is_asked_for() {
    let bytes = BloomFilter::builder().build_from(["a"]).unwrap().to_bytes().unwrap();
    let placed = Placed::new(&bytes, 0);
    let open = Open::new().key_domain(KeyDomain::Integer);
    let refused = open.from_bytes(&bytes).unwrap_err();
    assert!(matches!(refused, Error::OtherKeys { .. }), "{refused}");
    #[cfg(feature = "std")]
    assert_eq!(open.read_from(&bytes[..]).unwrap_err().to_string(), refused.to_string());
    if cfg!(target_endian = "little") {
        assert_eq!(open.view::<BloomFilter<_>>(&placed).unwrap_err().to_string(), refused.to_string());
    }
    assert!(Open::new().key_domain(KeyDomain::Bytes).from_bytes(&bytes).is_ok());
}

#[test]
fn bits_elsewhere_than_at_a_multiple_of_64_are_refused() {
    let filter = BloomFilter::builder().build_from(["a"]).unwrap();
    let bytes = filter.to_bytes().unwrap();
    for past in 0..64 {
        let placed = Placed::new(&bytes, past);
        match BloomFilter::view(&placed) {
            Ok(view) => assert!(past == 0 && cfg!(target_endian = "little") && view == filter),
            Err(Error::NotInPlace { past: found, .. }) => {
                assert_eq!(found, if cfg!(target_endian = "little") { past } else { 0 });
                assert!(past > 0 || cfg!(target_endian = "big"));
            }
            Err(other) => panic!("{other}"),
        }
    }
    let text = BloomFilter::view(&Placed::new(&bytes, 8)).unwrap_err().to_string();
    assert!(text.contains("8 past") && text.contains("include_aligned!") && text.contains("from_bytes"));
}

#[cfg(target_endian = "little")]
#[test]
fn every_change_is_refused_and_none_panics() {
    let filter = BloomFilter::builder().build_from(["a", "b"]).unwrap();
    let bytes = filter.to_bytes().unwrap();
    for bit in 0..8 * bytes.len() {
        let mut placed = Placed::new(&bytes, 0);
        placed.as_mut()[bit / 8] ^= 1 << (bit % 8);
        let refused = BloomFilter::view(&placed).map(drop).unwrap_err().to_string();
        assert_eq!(refused, BloomFilter::from_bytes(placed.as_ref()).unwrap_err().to_string());
        if let Ok(quick) = Open::new().quick().view::<BloomFilter<_>>(&placed) {
            let _ = quick.contains("a");
            assert!(quick.verify().is_err() && quick.to_bytes().is_err() && quick.to_bits().is_err());
            assert!(quick.to_embedded().is_err() && quick.into_owned().is_err());
        }
    }
    for len in 0..bytes.len() {
        assert!(BloomFilter::view(&Placed::new(&bytes[..len], 0)).is_err());
    }
}

#[test]
fn places_that_are_none_are_refused() {
    let bytes = BloomFilter::builder().build_from(["a"]).unwrap().to_bytes().unwrap();
    let placed = Placed::new(&bytes, 0);
    let past = bytes.len() + 1;
    #[allow(clippy::reversed_empty_ranges)]
    for place in [0..past, past..past, 1..0, usize::MAX..usize::MAX, 64..usize::MAX] {
        let error = BloomFilter::view_at(&placed, place).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "the place of the filter", .. }), "{error}");
    }
    assert!(BloomFilter::view_at(&placed, 0..=usize::MAX).is_err());
    if cfg!(target_endian = "little") {
        for view in [BloomFilter::view_at(&placed, ..), BloomFilter::view_at(&placed, 0..=bytes.len() - 1)] {
            assert!(view.unwrap().contains("a"));
        }
    }
    assert!(matches!(BloomFilter::view_at(&placed, 0..0), Err(Error::NotTepal { .. })));
}

#[cfg(target_endian = "little")]
#[test]
fn keys_are_asked_for() {
    let key = SecretKey::new([3; 16]);
    let filter = BloomFilter::builder().secret_key(key.clone()).build_from(["a"]).unwrap();
    let placed = Placed::new(&filter.to_bytes().unwrap(), 0);
    assert!(matches!(BloomFilter::view(&placed), Err(Error::KeyRequired)));
    assert!(Open::new().secret_key(&key).view::<BloomFilter<_>>(&placed).unwrap().contains("a"));
    #[cfg(feature = "seal")]
    {
        let seal = tepal::SealKey::new(b"the key of a seal").unwrap();
        let placed = Placed::new(&filter.to_bytes_sealed(&seal).unwrap(), 0);
        let open = Open::new().secret_key(&key);
        assert!(matches!(open.view::<BloomFilter<_>>(&placed), Err(Error::SealRequired)));
        let view = open.seal_key(&seal).view::<BloomFilter<_>>(&placed).unwrap();
        assert!(view.contains("a") && view == filter);
    }
}

#[test]
fn bytes_of_the_program_lie_at_a_multiple_of_64() {
    let file: &'static [u8] = tepal::include_aligned!("mod.rs");
    assert_eq!(file, include_bytes!("mod.rs"));
    assert_eq!(file.as_ptr().addr() % 64, 0);
}

/// The error for a file of another kind, for every kind that has views.
#[test]
fn another_kind_is_refused_with_what_opens_it() {
    let bytes = BloomFilter::builder().build_from(["a"]).unwrap().to_bytes().unwrap();
    for past in [0, 8] {
        // Before the alignment is checked.
        let placed = Placed::new(&bytes, past);
        let refused = |result: Result<()>, words: &str| {
            let error = result.unwrap_err();
            assert!(matches!(error, Error::NotPossible { .. }), "{error}");
            assert_eq!(error.to_string(), words);
        };
        #[cfg(feature = "static")]
        {
            refused(
                RibbonFilter::view(&placed).map(drop),
                "a Bloom filter cannot be a filter of another type; open it as the type of its kind, or as a filter of any kind (`tepal::open`, `tepal::from_bytes`)",
            );
            refused(
                RibbonMap::view_at(&placed, ..).map(drop),
                "a Bloom filter cannot be a filter of another type; open it as the type of its kind, or as a filter of any kind (`tepal::open`, `tepal::from_bytes`)",
            );
        }
        #[cfg(feature = "table")]
        {
            let table = tepal::QuotientFilter::builder().capacity(10).build().unwrap();
            let table = tepal::Opened::new(table, tepal::file::Format::Tepal).unwrap().to_bytes().unwrap();
            refused(
                BloomFilter::view(&Placed::new(&table, past)).map(drop),
                "a deletable filter cannot be a filter of another type; open it as the type of its kind, or as a filter of any kind (`tepal::open`, `tepal::from_bytes`)",
            );
        }
        let _ = (refused, &placed);
    }
}

//! Static filters and maps that are asked in bytes that somebody else holds.

#[cfg(target_endian = "little")]
use std::sync::Arc;

use tepal::{AnyFilter, BloomFilter, Error, Opened, RibbonFilter, RibbonMap, file::Format};
#[cfg(target_endian = "little")]
use tepal::{KeyDomain, Open, Result, SecretKey, facts::Labels, hash::PreparedKeys};

use super::placed::Placed;

fn file(filter: impl Into<AnyFilter>) -> Vec<u8> {
    Opened::new(filter, Format::Tepal).unwrap().to_bytes().unwrap()
}

/// Ribbons without layers, with one and with several; with and without added keys.
#[cfg(target_endian = "little")]
fn ribbons() -> Vec<RibbonFilter> {
    let mut ribbons = Vec::new();
    for (n, rate) in [(0, 0.01), (1, 0.01), (256, 0.5), (3000, 0.01), (40_000, 1e-3)] {
        let builder =
            RibbonFilter::builder().false_positive_rate(rate).seed(n).labels(Labels::new().name("some"));
        let filter = builder.build_from(0..n).unwrap();
        let mut more = filter.clone();
        more.insert_many(&(100_000..100_700u64).collect::<Vec<_>>()).unwrap();
        ribbons.extend([filter, more]);
    }
    ribbons
}

/// Maps of member keys and of others, with and without names.
#[cfg(target_endian = "little")]
fn maps() -> Vec<RibbonMap> {
    let names = || ["red", "green", "blue"];
    let of_few = |n: u64| (0..n).map(|key| (key, key as u32 % 3));
    [
        RibbonMap::builder().build_from(of_few(0)),
        RibbonMap::builder().names(names()).build_from(of_few(700)),
        RibbonMap::builder().known_keys_only().build_from(of_few(20_000)),
        RibbonMap::builder().value_bits(32).build_from([("a", u32::MAX), ("b", 0)]),
    ]
    .map(Result::unwrap)
    .into()
}

#[cfg(target_endian = "little")]
#[test]
fn a_ribbon_is_asked_where_it_lies() {
    for filter in ribbons() {
        let bytes = Placed::new(&file(filter.clone()), 0);
        let mut view = RibbonFilter::view(&bytes).unwrap();
        assert!(view == filter && (view.len(), view.added()) == (filter.len(), filter.added()));
        assert_eq!(view.facts(), filter.facts());
        let keys: Vec<u64> = (0..500).chain(99_900..101_000).collect();
        assert_eq!(view.contains_many(&keys), filter.contains_many(&keys));
        assert!(keys.iter().all(|key| view.contains(key) == filter.contains(key)));
        let mut prepared = PreparedKeys::default();
        keys.iter().for_each(|key| view.key_hasher().prepare(key, &mut prepared).unwrap());
        let mut answers = vec![false; keys.len()];
        view.contains_prepared(&prepared, &mut answers);
        assert_eq!(answers, filter.contains_many(&keys));
        #[cfg(feature = "parallel")]
        assert_eq!(view.contains_bulk(&keys, std::num::NonZeroUsize::new(2).unwrap()), answers);
        view.verify().unwrap();

        // Keys are added beside it, and the bytes stay unchanged.
        let before = bytes.as_ref().to_vec();
        let mut other = filter.clone();
        for key in [200_000u64, 3, 200_001] {
            assert_eq!(view.insert(&key).unwrap(), other.insert(&key).unwrap());
        }
        assert!(view == other && view.contains(&200_000u64) && bytes.as_ref() == before);
        let mut united = RibbonFilter::view(&bytes).unwrap();
        united.union_with(&view).unwrap();
        united.union_with(&other).unwrap();
        assert!(united == other);
        // Its file equals that of the filter in memory.
        let owned = view.clone().into_owned().unwrap();
        assert!(owned == view && file(owned) == file(other));

        // In larger bytes, and behind an owned pointer.
        let larger = [&[7; 128][..], bytes.as_ref(), &[7; 9]].concat();
        let larger = Arc::new(Placed::new(&larger, 0));
        let view = RibbonFilter::view_at(larger, 128..128 + bytes.len).unwrap();
        assert!(view.clone() == filter);
        let thread = std::thread::spawn(move || view.contains(&0u64));
        assert_eq!(thread.join().unwrap(), filter.contains(&0u64));
    }
}

#[cfg(target_endian = "little")]
#[test]
fn a_map_is_asked_where_it_lies() {
    for map in maps() {
        let bytes = Placed::new(&file(map.clone()), 0);
        let view = RibbonMap::view(&bytes).unwrap();
        assert!(view == map && view.names().eq(map.names()));
        assert_eq!(view.facts(), map.facts());
        let keys: Vec<u64> = (0..1500).collect();
        assert_eq!(view.get_many(&keys), map.get_many(&keys));
        assert!(
            keys.iter().all(|key| view.get(key) == map.get(key) && view.contains(key) == map.contains(key))
        );
        #[cfg(feature = "parallel")]
        assert_eq!(view.get_bulk(&keys, std::num::NonZeroUsize::new(2).unwrap()), map.get_many(&keys));
        view.verify().unwrap();
        assert!(file(view.into_owned().unwrap()) == bytes.as_ref());
        let larger = [&[7; 64][..], bytes.as_ref()].concat();
        assert!(RibbonMap::view_at(Arc::new(Placed::new(&larger, 0)), 64..).unwrap() == map);
    }
}

#[cfg(target_endian = "little")]
#[test]
fn every_change_of_a_ribbon_is_refused_and_none_panics() {
    let mut filter = RibbonFilter::builder().build_from(0..300u32).unwrap();
    filter.insert_many(&["a", "b"]).unwrap();
    let bytes = file(filter);
    for bit in 0..8 * bytes.len() {
        let mut placed = Placed::new(&bytes, 0);
        placed.as_mut()[bit / 8] ^= 1 << (bit % 8);
        // Flags that may be ignored, but the header's checksum covers them.
        let refused = RibbonFilter::view(&placed).map(drop).unwrap_err().to_string();
        if !refused.contains("cannot be a") {
            assert_eq!(refused, tepal::from_bytes(placed.as_ref()).unwrap_err().to_string());
        }
        if let Ok(quick) = Open::new().quick().view::<RibbonFilter<_>>(&placed) {
            let _ = (quick.contains(&7u32), quick.contains("a"));
            assert!(quick.verify().is_err() && quick.into_owned().is_err());
        }
    }
    for len in 0..bytes.len() {
        assert!(RibbonFilter::view(&Placed::new(&bytes[..len], 0)).is_err());
    }
    let bytes = file(maps().swap_remove(1));
    for bit in (0..8 * bytes.len()).step_by(3) {
        let mut placed = Placed::new(&bytes, 0);
        placed.as_mut()[bit / 8] ^= 1 << (bit % 8);
        assert!(RibbonMap::view(&placed).is_err());
        if let Ok(quick) = Open::new().quick().view::<RibbonMap<_>>(&placed) {
            let _ = (quick.get(&7u64), quick.contains("a"));
            assert!(quick.verify().is_err() && quick.into_owned().is_err());
        }
    }
}

#[test]
fn a_ribbon_elsewhere_than_at_a_multiple_of_64_is_refused() {
    let bytes = file(RibbonFilter::builder().build_from(["a"]).unwrap());
    for past in 0..64 {
        match RibbonFilter::view(&Placed::new(&bytes, past)) {
            Ok(view) => assert!(past == 0 && cfg!(target_endian = "little") && view.contains("a")),
            Err(Error::NotInPlace { past: found, .. }) => {
                assert_eq!(found, if cfg!(target_endian = "little") { past } else { 0 });
                assert!(past > 0 || cfg!(target_endian = "big"));
            }
            Err(other) => panic!("{other}"),
        }
    }
    let past = bytes.len() + 1;
    assert!(matches!(RibbonFilter::view_at(&bytes, 0..past), Err(Error::Parameter { .. })));
    assert!(matches!(RibbonFilter::view_at(&bytes, 0..0), Err(Error::NotTepal { .. })));
}

#[test]
fn ribbons_and_maps_are_not_each_other() {
    let ribbon = file(RibbonFilter::builder().build_from(["a"]).unwrap());
    let map = file(RibbonMap::builder().build_from([("a", 1)]).unwrap());
    let (ribbon, map) = (Placed::new(&ribbon, 0), Placed::new(&map, 0));
    for (refused, words) in [
        (
            RibbonMap::view(&ribbon).map(drop),
            "a static filter cannot be a filter of another type; open it as the type of its kind, or as a filter of any kind (`tepal::open`, `tepal::from_bytes`)",
        ),
        (
            RibbonFilter::view(&map).map(drop),
            "a map cannot be a filter of another type; open it as the type of its kind, or as a filter of any kind (`tepal::open`, `tepal::from_bytes`)",
        ),
        (
            BloomFilter::view(&map).map(drop),
            "a map cannot be a filter of another type; open it as the type of its kind, or as a filter of any kind (`tepal::open`, `tepal::from_bytes`)",
        ),
    ] {
        assert_eq!(refused.unwrap_err().to_string(), words);
    }
}

#[cfg(target_endian = "little")]
#[test]
fn keys_of_a_ribbon_are_asked_for() {
    let key = SecretKey::new([3; 16]);
    let mut filter = RibbonFilter::builder().secret_key(key.clone()).build_from(["a"]).unwrap();
    filter.insert("b").unwrap();
    let placed = Placed::new(&file(filter.clone()), 0);
    assert!(matches!(RibbonFilter::view(&placed), Err(Error::KeyRequired)));
    let view: RibbonFilter<_> = Open::new().secret_key(&key).view(&placed).unwrap();
    assert!(view.contains("a") && view.contains("b"));
    let named = Open::new().secret_key(&key).expect_name("c").view::<RibbonFilter<_>>(&placed);
    assert!(matches!(named, Err(Error::OtherName { .. })));
    let numbers =
        Open::new().secret_key(&key).key_domain(KeyDomain::Integer).view::<RibbonFilter<_>>(&placed);
    assert!(matches!(numbers, Err(Error::OtherKeys { .. })));
    #[cfg(feature = "seal")]
    {
        let seal = tepal::SealKey::new(b"the key of a seal").unwrap();
        let sealed = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes_sealed(&seal).unwrap();
        let open = Open::new().secret_key(&key);
        let placed = Placed::new(&sealed, 0);
        assert!(matches!(open.view::<RibbonFilter<_>>(&placed), Err(Error::SealRequired)));
        assert!(open.seal_key(&seal).view::<RibbonFilter<_>>(&placed).unwrap() == filter);
        // The seal also covers the section after the ribbon.
        let mut placed = Placed::new(&sealed, 0);
        let at = sealed.len() - 33;
        placed.as_mut()[at] ^= 1;
        assert!(open.seal_key(&seal).view::<RibbonFilter<_>>(&placed).is_err());
    }
}

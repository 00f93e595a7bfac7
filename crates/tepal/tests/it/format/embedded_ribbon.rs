//! Static filters and maps inside other bytes.

use tepal::{
    AnyFilter, BloomFilter, Error, KeyDomain, Open, Opened, Recipe, RibbonFilter, RibbonMap, Scheme,
    SecretKey, builders::RibbonFilterBuilder, file::Format, hash::finish_hash,
};

#[cfg(target_endian = "little")]
use super::placed::Placed;

/// Ribbons, each with the builder that has its key options: with no layer, with one, with several
/// and with several shards, with equal and different numbers of columns.
fn ribbons() -> Vec<(RibbonFilterBuilder, RibbonFilter)> {
    let builder = RibbonFilter::builder;
    let most = if cfg!(debug_assertions) { 3000 } else { 150_000 };
    [
        (builder(), 0, 0.01),
        (builder().seed(42), 1, 0.01),
        (builder().recipe(Recipe::new().nocase(true)), 256, 0.5),
        (builder().key_domain(KeyDomain::Integer), 300, 0.01),
        (builder().secret_key(SecretKey::new([1; 16])), 3000, 1.0 / 256.0),
        (builder(), 3000, 1.0 / 4_294_967_296.0),
        (builder().caller_hash("tests, finished"), most, 0.03),
        // With a second ribbon.
        (builder(), 2048, 0.4),
        (builder().seed(42), 2048, 0.1),
        (builder(), 5000, 0.05),
        (builder().caller_hash("tests, finished"), most, 0.08),
        (builder().key_domain(KeyDomain::Integer), most, 0.0234),
    ]
    .into_iter()
    .map(|(builder, n, rate)| {
        let hashes = (0..n).map(finish_hash).collect();
        (builder.clone(), builder.false_positive_rate(rate).build_from_hashes(hashes).unwrap())
    })
    .collect()
}

fn maps() -> Vec<RibbonMap> {
    let pairs = |n: u64, below: u64| (0..n).map(|i| (finish_hash(i), (i % below) as u32)).collect::<Vec<_>>();
    [
        RibbonMap::builder().build_from_hashes(vec![]),
        RibbonMap::builder().build_from_hashes(pairs(1, 1)),
        RibbonMap::builder().known_keys_only().build_from_hashes(pairs(3000, 7)),
        RibbonMap::builder().false_positive_rate(3e-10).value_bits(32).build_from_hashes(pairs(3000, 250)),
    ]
    .map(Result::unwrap)
    .into()
}

fn file(filter: impl Into<AnyFilter>) -> Vec<u8> {
    Opened::new(filter, Format::Tepal).unwrap().to_bytes().unwrap()
}

#[test]
fn what_was_embedded_comes_back() {
    for (builder, filter) in ribbons() {
        let bytes = filter.to_embedded().unwrap();
        assert_eq!(bytes.len() as u64, filter.embedded_len());
        let more = bytes.len() as u64 - filter.size_in_bytes();
        let has_second = filter.facts().ribbon.unwrap().picked > 0;
        let most = if has_second { 29..=50 } else { 18..=30 };
        assert!(most.contains(&more), "{more}");
        assert_eq!(
            has_second,
            filter.len() >= 2048
                && [0.4, 0.1, 0.05, 0.08, 0.0234].contains(&filter.promised_false_positive_rate())
        );
        let keys = builder.key_hasher().unwrap();
        let again = RibbonFilter::from_embedded(&bytes, &keys).unwrap();
        assert!(again == filter && again.len() == filter.len());
        assert!((0..filter.len()).all(|i| again.contains_hash(finish_hash(i))));
        let others = (1 << 40..(1 << 40) + 5000).map(finish_hash);
        assert!(others.into_iter().all(|h| again.contains_hash(h) == filter.contains_hash(h)));
        let rate = filter.false_positive_rate();
        assert_eq!(again.promised_false_positive_rate(), rate.max(f64::MIN_POSITIVE));
        assert_eq!(again.to_embedded().unwrap(), bytes);
        // It can be saved like any other filter.
        let secret = SecretKey::new([1; 16]);
        let open = Open::new();
        let open = if again.seed().is_none() && !builder_is_callers(&again) {
            open.secret_key(&secret)
        } else {
            open
        };
        assert!(open.from_bytes(&file(again)).is_ok());
    }
    for map in maps() {
        let bytes = map.to_embedded().unwrap();
        assert_eq!(bytes.len() as u64, map.embedded_len());
        let again = RibbonMap::from_embedded(&bytes, &map.key_hasher()).unwrap();
        assert!(again == map && again.to_embedded().unwrap() == bytes);
        assert!((0..map.len()).all(|i| again.get_hash(finish_hash(i)) == map.get_hash(finish_hash(i))));
        assert!(again.promised_false_positive_rate() >= map.false_positive_rate());
        assert!(tepal::from_bytes(&file(again)).is_ok());
    }
}

fn builder_is_callers(filter: &RibbonFilter) -> bool {
    filter.scheme() == Scheme::CallerHash
}

#[cfg(target_endian = "little")]
#[test]
fn it_is_asked_where_it_lies() {
    for (builder, filter) in ribbons() {
        let bytes = filter.to_embedded().unwrap();
        let len = bytes.len();
        let mut placed = Placed::new(&vec![0; 64 * (3 + len / 64)], 0);
        let table = placed.as_mut();
        table[64..64 + len].copy_from_slice(&bytes);
        let keys = builder.key_hasher().unwrap();
        let mut view = RibbonFilter::view_embedded_at(&*table, 64..64 + len, &keys).unwrap();
        assert!(view == filter && view.insert_hash(finish_hash(1 << 40)).is_ok());
        assert!(
            RibbonFilter::view_embedded(&table[64..64 + len], &keys).unwrap().into_owned().unwrap() == filter
        );
        table.copy_within(64..64 + len, 72);
        let moved = RibbonFilter::view_embedded_at(&*table, 72..72 + len, &keys);
        assert!(matches!(moved, Err(Error::NotInPlace { past: 8, .. })), "{moved:?}");
        let outside = RibbonFilter::view_embedded_at(&*table, 64..table.len() + 1, &keys);
        assert!(matches!(outside, Err(Error::Parameter { .. })));
    }
    for map in maps() {
        let bytes = map.to_embedded().unwrap();
        let mut placed = Placed::new(&vec![0; 64 * (1 + bytes.len() / 64)], 0);
        let table = placed.as_mut();
        table[..bytes.len()].copy_from_slice(&bytes);
        assert!(RibbonMap::view_embedded_at(&*table, ..bytes.len(), &map.key_hasher()).unwrap() == map);
    }
}

#[test]
fn other_keys_and_kinds_are_refused() {
    let builder = RibbonFilter::builder().seed(42);
    let bytes = builder.clone().build_from(["apple"]).unwrap().to_embedded().unwrap();
    for other in [
        RibbonFilter::builder(),
        RibbonFilter::builder().seed(43),
        builder.clone().key_domain(KeyDomain::Integer),
        builder.clone().recipe(Recipe::new().trim(true)),
        RibbonFilter::builder().secret_key(SecretKey::new([0; 16])),
        RibbonFilter::builder().caller_hash("mine"),
    ] {
        let error = RibbonFilter::from_embedded(&bytes, &other.key_hasher().unwrap()).unwrap_err();
        assert!(matches!(error, Error::OtherKeys { .. }), "{error}");
    }
    assert!(matches!(RibbonFilter::from_embedded(&bytes, None), Err(Error::OtherKeys { .. })));
    let usual = RibbonFilter::builder().build_from(["apple"]).unwrap();
    assert!(RibbonFilter::from_embedded(&usual.to_embedded().unwrap(), None).unwrap() == usual);
    let usual = RibbonMap::builder().build_from([("apple", 1)]).unwrap();
    assert!(RibbonMap::from_embedded(&usual.to_embedded().unwrap(), None).unwrap() == usual);
    let keys = builder.key_hasher().unwrap();
    let map = RibbonMap::builder().seed(42).build_from([("apple", 1)]).unwrap().to_embedded().unwrap();
    let bloom = BloomFilter::builder().seed(42).build_from(["apple"]).unwrap().to_embedded().unwrap();
    for (refused, words) in [
        (
            RibbonFilter::from_embedded(&map, &keys).map(drop),
            "a map cannot be a filter of another type; read its embedded form as the type of its kind (`from_embedded`)",
        ),
        (
            RibbonMap::from_embedded(&bloom, &keys).map(drop),
            "a Bloom filter cannot be a filter of another type; read its embedded form as the type of its kind (`from_embedded`)",
        ),
        (
            BloomFilter::from_embedded(&bytes, &keys).map(drop),
            "a static filter cannot be a filter of another type; read its embedded form as the type of its kind (`from_embedded`)",
        ),
    ] {
        assert_eq!(refused.unwrap_err().to_string(), words);
    }
    let mut newer = bytes.clone();
    newer[bytes.len() - 16] = 0xE9;
    let error = RibbonFilter::from_embedded(&newer, &keys).unwrap_err();
    assert!(matches!(error, Error::Unsupported { found: 0xE9, .. }), "{error}");
    // Content that the form cannot record.
    let mut more = builder.build_from(["apple"]).unwrap();
    more.insert("pear").unwrap();
    let error = more.to_embedded().unwrap_err().to_string();
    assert!(error.contains("added") && error.contains("RibbonFilter::builder"), "{error}");
    let named = RibbonMap::builder().names(["red"]).build_from([("rose", 0)]).unwrap();
    let error = named.to_embedded().unwrap_err().to_string();
    assert!(error.contains("names") && error.contains("Opened::to_bytes"), "{error}");
    // Schemes without a hash have no ribbon.
    #[cfg(feature = "foreign")]
    {
        let keys = BloomFilter::builder().scheme(Scheme::GuavaMitz32).key_hasher().unwrap();
        let error = RibbonFilter::from_embedded(&bytes, &keys).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. } | Error::OtherKeys { .. }), "{error}");
    }
}

#[test]
fn a_small_ribbon_stays_small() {
    let filter = RibbonFilter::builder().build_from(0..1000u32).unwrap();
    assert_eq!((filter.embedded_len(), file(filter).len()), (916, 1088));
}

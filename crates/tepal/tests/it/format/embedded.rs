//! Bloom filters inside other bytes.

use tepal::{
    BloomFilter, Error, KeyDomain, Layout, Open, OverCapacity, Recipe, Scheme, SecretKey,
    builders::BloomFilterBuilder,
};

#[cfg(target_endian = "little")]
use super::placed::Placed;
use super::samples::builders;

/// Filters, each with the builder that has its key options.
fn filters() -> Vec<(BloomFilterBuilder, BloomFilter)> {
    let mut builders = builders();
    builders.push(BloomFilter::builder().secret_key(SecretKey::new([1; 16])));
    builders.push(BloomFilter::builder().recipe(Recipe::new().nocase(true)));
    builders.push(BloomFilter::builder().layout(Layout::SplitBlock).bit_len(256));
    let mut filters = Vec::new();
    for builder in builders {
        let sized = builder.clone().capacity(90).false_positive_rate(0.05).build();
        // Some schemes have a fixed size, and some are not in this build.
        let Ok(mut filter) = sized.or_else(|_| builder.clone().capacity(20).build()) else { continue };
        filter.set_over_capacity(OverCapacity::Ignore).unwrap();
        filter.insert_iter(0..80u64).unwrap();
        filters.push((builder, filter));
    }
    assert!(filters.len() > if cfg!(feature = "foreign") { 20 } else { 9 });
    filters
}

#[test]
fn what_was_embedded_comes_back() {
    for (builder, filter) in filters() {
        let bytes = filter.to_embedded().unwrap();
        assert_eq!(bytes.len() as u64, filter.embedded_len());
        assert_eq!(bytes.len() as u64, filter.size_in_bytes() + 16);
        let keys = builder.key_hasher().unwrap();
        let again = BloomFilter::from_embedded(&bytes, &keys).unwrap();
        assert!(again == filter && again.set_bits() == filter.set_bits(), "{filter:?}");
        assert!((0..80u64).all(|key| again.contains(&key)));
        let rate = again.false_positive_rate();
        assert_eq!(again.promised_false_positive_rate(), rate.min(1.0 - f64::EPSILON), "{filter:?}");
        assert_eq!((again.keys_inserted(), again.over_capacity()), (None, OverCapacity::Warn));
        assert_eq!(again.to_embedded().unwrap(), bytes);
        // It can be saved like any other filter.
        let file = again.to_bytes().unwrap();
        assert!(open_of(&builder).from_bytes(&file).is_ok(), "{filter:?}");
    }
}

/// How its file is opened: with the secret of the builder, if it has one.
fn open_of(builder: &BloomFilterBuilder) -> Open<'static> {
    static KEY: SecretKey = SecretKey::new([1; 16]);
    let is_keyed = builder.key_hasher().is_ok_and(|keys| keys.scheme() == Scheme::SipHash13);
    if is_keyed { Open::new().secret_key(&KEY) } else { Open::new() }
}

#[cfg(target_endian = "little")]
#[test]
fn it_is_asked_where_it_lies() {
    for (builder, filter) in filters() {
        let bytes = filter.to_embedded().unwrap();
        let len = bytes.len();
        let mut placed = Placed::new(&vec![0; 64 * (2 + len / 64)], 0);
        let table = placed.as_mut();
        table[64..64 + len].copy_from_slice(&bytes);
        let keys = builder.key_hasher().unwrap();
        let view = BloomFilter::view_embedded_at(&*table, 64..64 + len, &keys).unwrap();
        assert!(view == filter);
        assert!(BloomFilter::view_embedded(&table[64..64 + len], &keys).is_ok());
        let by_default = BloomFilter::view_embedded(&table[64..64 + len], None);
        let is_default = keys == BloomFilter::builder().key_hasher().unwrap();
        assert!(
            by_default.is_ok() == is_default && by_default.is_ok_and(|view| view == filter) == is_default
        );
        table.copy_within(64..64 + len, 72);
        let moved = BloomFilter::view_embedded_at(&*table, 72..72 + len, &keys);
        assert!(matches!(moved, Err(Error::NotInPlace { past: 8, .. })), "{moved:?}");
        let outside = BloomFilter::view_embedded_at(&*table, 64..table.len() + 1, &keys);
        assert!(matches!(outside, Err(Error::Parameter { .. })));
    }
}

#[test]
fn other_keys_are_refused() {
    let builder = BloomFilter::builder().seed(42);
    let bytes = builder.clone().build_from(["apple"]).unwrap().to_embedded().unwrap();
    let mut others = Vec::from([
        BloomFilter::builder(),
        BloomFilter::builder().seed(43),
        builder.clone().key_domain(KeyDomain::Integer),
        builder.clone().recipe(Recipe::new().trim(true)),
        BloomFilter::builder().secret_key(SecretKey::new([0; 16])),
        BloomFilter::builder().caller_hash("mine"),
    ]);
    others.extend(Scheme::ALL[2..].iter().map(|&scheme| BloomFilter::builder().scheme(scheme)));
    let mut refused = 0;
    for other in others {
        // A scheme that is not in this build, or that needs a name.
        let Ok(keys) = other.key_hasher() else { continue };
        let error = BloomFilter::from_embedded(&bytes, &keys).unwrap_err();
        assert!(matches!(error, Error::OtherKeys { .. }), "{error}");
        assert!(error.to_string().contains("seed"), "{error}");
        refused += 1;
    }
    assert!(refused > if cfg!(feature = "foreign") { 15 } else { 5 });
    // Without a key hasher it is the default one, and only that.
    let error = BloomFilter::from_embedded(&bytes, None).unwrap_err();
    assert!(error.to_string().contains("the default one, since none was given"), "{error}");
    let usual = BloomFilter::builder().build_from(["apple"]).unwrap();
    let bytes = usual.to_embedded().unwrap();
    let keys = usual.key_hasher();
    assert!(BloomFilter::from_embedded(&bytes, None).unwrap() == usual);
    assert!(BloomFilter::from_embedded(&bytes, Some(&keys)).unwrap().contains("apple"));
    // Two secrets and two names: each is another key hasher.
    let keyed = |secret| BloomFilter::builder().secret_key(SecretKey::new([secret; 16]));
    let bytes = keyed(1).build_from(["apple"]).unwrap().to_embedded().unwrap();
    assert!(BloomFilter::from_embedded(&bytes, &keyed(1).key_hasher().unwrap()).unwrap().contains("apple"));
    assert!(BloomFilter::from_embedded(&bytes, &keyed(2).key_hasher().unwrap()).is_err());
    let named = |name| BloomFilter::builder().caller_hash(name).capacity(10);
    let bytes = named("a").build().unwrap().to_embedded().unwrap();
    assert!(BloomFilter::from_embedded(&bytes, &named("a").key_hasher().unwrap()).is_ok());
    assert!(BloomFilter::from_embedded(&bytes, &named("b").key_hasher().unwrap()).is_err());
}

#[test]
fn a_small_filter_stays_small() {
    let filter = BloomFilter::builder().capacity(100).false_positive_rate(0.01).build().unwrap();
    assert_eq!((filter.embedded_len(), filter.file_len()), (144, 320));
    // Without keys it still promises a rate.
    let keys = BloomFilter::builder().key_hasher().unwrap();
    let empty = BloomFilter::from_embedded(&filter.to_embedded().unwrap(), &keys).unwrap();
    assert!(empty.capacity() == 1 && empty.promised_false_positive_rate() > 0.0);
    tepal::from_bytes(&empty.to_bytes().unwrap()).unwrap();
}

//! Chains of other programs, and what they answer.

use std::ops::Range;

use tepal::{AnyFilter, BloomFilter, Error, Filter, ScalableBloomFilter, Scheme, hash::PreparedKeys};

/// A chain that began with one filter for 100 keys, with these keys.
fn filled(scheme: Scheme, keys: Range<u64>) -> ScalableBloomFilter {
    let builder = BloomFilter::builder().scheme(scheme).capacity(100).false_positive_rate(0.01);
    let mut chain = builder.expansion(2).build_chain().unwrap();
    for key in keys {
        chain.insert(&key).unwrap();
    }
    chain
}

#[test]
fn a_key_that_is_in_changes_nothing() {
    let mut chain = filled(Scheme::RedisBloom, 0..100);
    let before = format!("{chain:?}");
    assert!(before.contains("RedisBloom { expansion: 2 }"), "{before}");
    for key in 0..100u64 {
        assert!(!chain.insert(&key).unwrap());
    }
    assert_eq!(format!("{chain:?}"), before);
}

#[test]
fn the_rate_is_that_of_asking_every_link() {
    let chain = filled(Scheme::ValkeyBloom, 0..700);
    assert_eq!(chain.links().len(), 3);
    let wrong = (1_000_000..1_200_000u64).filter(|key| chain.contains(key)).count() as f64;
    let expected = chain.false_positive_rate() * 200_000.0;
    assert!((wrong - expected).abs() < 5.0 * expected.sqrt(), "{wrong}, {expected}");
    let copy = chain.clone();
    assert!(copy == chain);
}

/// This scheme has no 64-bit hash: keys that were prepared for a scheme with one are refused, and
/// not lost.
#[test]
fn keys_that_were_prepared_for_another_scheme_are_refused() {
    let mut chain = filled(Scheme::RedisBloom, 0..50);
    let mut prepared = PreparedKeys::default();
    let xxh3 = BloomFilter::builder().capacity(10).key_hasher().unwrap();
    xxh3.prepare("x", &mut prepared).unwrap();
    let mut any = AnyFilter::from(chain.clone());
    let refused = any.insert_prepared(&prepared).unwrap_err();
    assert!(matches!(refused, Error::NoHash { scheme: Scheme::RedisBloom, .. }), "{refused}");
    assert!(matches!(any.insert_many_hashes(&[7]), Err(Error::NoHash { .. })));
    assert_eq!(any.keys_inserted(), chain.keys_inserted());
    any.insert_prepared(&PreparedKeys::default()).unwrap();
    // Keys that its own hasher prepared are inserted one by one.
    prepared.clear();
    for key in 50..400u64 {
        chain.key_hasher().prepare(&key, &mut prepared).unwrap();
        chain.insert(&key).unwrap();
    }
    any.insert_prepared(&prepared).unwrap();
    let mut answers = [false; 350];
    any.contains_prepared(&prepared, &mut answers);
    assert_eq!(answers, [true; 350]);
    assert!(chain.links().len() == 3 && any == AnyFilter::from(chain));
}

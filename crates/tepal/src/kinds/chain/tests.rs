//! How chains grow, and where they stop.

use alloc::string::ToString;
use alloc::vec;

use super::*;
use crate::Scheme;

fn link(scheme: Scheme, capacity: u64, rate: f64) -> BloomFilter {
    let builder = BloomFilter::builder().scheme(scheme).capacity(capacity).false_positive_rate(rate);
    builder.over_capacity(OverCapacity::Ignore).build().unwrap()
}

/// A chain of one empty filter for 100 keys.
fn chain(growth: Growth) -> ScalableBloomFilter {
    let scheme = match growth {
        Growth::ValkeyBloom { .. } => Scheme::ValkeyBloom,
        Growth::RedisBloom { .. } | Growth::Fixed => Scheme::RedisBloom,
        Growth::Promise { .. } => panic!("it is built: see `growing`"),
    };
    ScalableBloomFilter::new(vec![link(scheme, 100, 0.01)], growth).unwrap()
}

/// The chain with these keys, and how many of them were new.
fn filled(growth: Growth, keys: core::ops::Range<u64>) -> (ScalableBloomFilter, u64) {
    let mut chain = chain(growth);
    let new = keys.filter(|key| chain.insert(key).unwrap()).count();
    (chain, new as u64)
}

#[test]
fn links_follow_the_rule_of_the_chain() {
    let redis = Growth::RedisBloom { expansion: 2 };
    let valkey = Growth::ValkeyBloom { expansion: 3, rate: 0.01, tightening: 0.25 };
    for (growth, capacities, rates) in [
        (redis, &[100, 200, 400, 800][..], &[0.01, 0.005, 0.0025, 0.00125][..]),
        (valkey, &[100, 300, 900], &[0.01, 0.0025, 0.000625]),
    ] {
        let (chain, new) = filled(growth, 0..1200);
        let of = |link: &BloomFilter| (link.capacity(), link.promised_false_positive_rate());
        let found: Vec<_> = chain.links().iter().map(of).collect();
        let expected: Vec<_> = capacities.iter().copied().zip(rates.iter().copied()).collect();
        assert_eq!(found, expected, "{:?}", chain.growth);
        // Each link but the newest is full, and no key is in two links.
        let held: Vec<_> = chain.links().iter().map(|link| link.keys_inserted().unwrap()).collect();
        let before = held.len() - 1;
        assert_eq!(held[..before], capacities[..before], "{:?}", chain.growth);
        assert_eq!(held.iter().sum::<u64>(), new);
        assert!(new > 1180 && (0..1200u64).all(|key| chain.contains(&key)));
        assert!(!chain.contains("none of them"));
    }
}

#[test]
fn a_chain_that_may_not_grow_is_full() {
    let mut chain = chain(Growth::Fixed);
    let refused = (0..200u64).find_map(|key| chain.insert(&key).err()).unwrap();
    assert!(matches!(refused, Error::CapacityReached { capacity: 100, inserted: 0 }), "{refused}");
    assert_eq!((chain.links().len(), chain.links()[0].keys_inserted()), (1, Some(100)));
    // A full chain whose next capacity overflows 64 bits.
    let (mut chain, _) = filled(Growth::RedisBloom { expansion: 2 }, 0..100);
    chain.links[0].meta.capacity = u64::MAX / 2 + 1;
    chain.links[0].meta.inserted = None.into();
    let refused = chain.insert("one more").unwrap_err();
    assert!(matches!(refused, Error::CapacityReached { inserted: 0, .. }), "{refused}");
    assert_eq!(chain.links().len(), 1);
}

/// The numbers may come from an untrusted file: one key must not take all memory.
#[test]
fn a_chain_does_not_become_a_thousand_times_larger_at_once() {
    for (expansion, grows) in [(5_000, true), (20_000, false), (4_000_000, false)] {
        let (mut chain, new) = filled(Growth::RedisBloom { expansion }, 0..100);
        assert!(new >= 98, "{new}");
        let outcome = (100..110u64).try_for_each(|key| chain.insert(&key).map(drop));
        match outcome {
            Ok(()) => assert!(grows, "{expansion}"),
            Err(error) => {
                assert!(
                    !grows && matches!(error, Error::PastLimit { most, .. } if most > 1 << 20),
                    "{error}"
                );
            }
        }
        assert_eq!(chain.links().len(), if grows { 2 } else { 1 }, "{expansion}");
    }
}

/// The limit counts the chain's bytes. For 10,000 keys in 12,032 bytes, a link of 900 times the
/// keys is allowed, at 13.8 bits a key for half the rate; one of 1,000 times is not.
#[test]
fn a_larger_chain_may_grow_by_more() {
    for (expansion, grows) in [(900, true), (1000, false)] {
        let mut first = link(Scheme::RedisBloom, 10_000, 0.01);
        first.meta.inserted = Some(10_000).into();
        let mut chain = ScalableBloomFilter::new(vec![first], Growth::RedisBloom { expansion }).unwrap();
        assert_eq!(chain.insert("one more").is_ok(), grows, "{expansion}");
        assert_eq!(chain.links().len(), if grows { 2 } else { 1 }, "{expansion}");
    }
}

#[test]
fn a_chain_without_a_filter_is_damage() {
    let error = ScalableBloomFilter::new(vec![], Growth::Fixed).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("a chain without a filter"), "{error}");
}

#[test]
fn unions_need_the_same_links() {
    let growth = Growth::RedisBloom { expansion: 2 };
    let (mut a, _) = filled(growth.clone(), 0..250);
    let (b, _) = filled(growth.clone(), 250..500);
    let (longer, _) = filled(growth.clone(), 0..1000);
    let before = a.clone();
    let error = a.union_with(&longer).unwrap_err();
    assert!(matches!(error, Error::Incompatible { property, .. } if property.contains("in the chain")));
    assert!(error.to_string().contains("2 here, 4 in the other"), "{error}");
    let mut other_shape = b.clone();
    other_shape.links[1] = link(Scheme::RedisBloom, 300, 0.005);
    assert!(matches!(a.union_with(&other_shape), Err(Error::Incompatible { .. })));
    // Another rule of growth with the same links.
    for other in [Growth::Fixed, Growth::RedisBloom { expansion: 3 }] {
        let other = ScalableBloomFilter::new(b.links.clone(), other).unwrap();
        let error = a.union_with(&other).unwrap_err();
        assert!(matches!(error, Error::Incompatible { property: "rule of growth", .. }), "{error}");
        assert!(error.to_string().contains("2 times the keys at half the rate here"), "{error}");
    }
    assert!(a.links == before.links);
    a.union_with(&b).unwrap();
    assert!((0..500u64).all(|key| a.contains(&key)));

    let mut emptied = a;
    emptied.clear().unwrap();
    assert_eq!((emptied.links().len(), emptied.links()[0].set_bits()), (1, 0));
    assert!((0..500u64).all(|key| !emptied.contains(&key)));
    assert_eq!(emptied.growth, growth);
}

/// With any number of links the promise is the server's; a filter that does not grow promises its
/// own rate.
#[test]
fn the_promise_is_that_of_the_server() {
    let promised = |growth, keys| {
        let (chain, _) = filled(growth, keys);
        (
            chain.links().len(),
            chain.promised_false_positive_rate(),
            chain.links()[0].promised_false_positive_rate(),
        )
    };
    for keys in [0..1, 0..1000] {
        let (links, all, first) = promised(Growth::RedisBloom { expansion: 2 }, keys);
        assert!((all / first - 2.0).abs() < 1e-12, "{links} links: {all}, {first}");
    }
    let (_, all, first) = promised(Growth::Fixed, 0..1);
    assert_eq!(all, first);
    let valkey = Growth::ValkeyBloom { expansion: 2, rate: 0.01, tightening: 0.5 };
    let (links, all, _) = promised(valkey, 0..1000);
    assert!(links > 2 && all > 0.01 && all < 0.02, "{links} links: {all}");
}

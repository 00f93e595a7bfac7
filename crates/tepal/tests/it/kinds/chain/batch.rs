//! Batches into tepal's own chain: each key in its order, once, under one promise.

use tepal::{
    BloomFilter, Error, Filter, OverCapacity, ScalableBloomFilter, Scheme, builders::BloomFilterBuilder,
    hash::PreparedKeys,
};

fn builder(capacity: u64, rate: f64) -> BloomFilterBuilder {
    BloomFilter::builder().capacity(capacity).false_positive_rate(rate)
}

fn prepared(chain: &ScalableBloomFilter, keys: impl IntoIterator<Item = u64>) -> PreparedKeys {
    let mut prepared = PreparedKeys::default();
    let hasher = chain.key_hasher();
    keys.into_iter().for_each(|key| hasher.prepare(&key, &mut prepared).unwrap());
    prepared
}

fn noted(chain: &mut ScalableBloomFilter, keys: &[u64]) -> Vec<bool> {
    let prepared = prepared(chain, keys.iter().copied());
    let mut is_new = vec![true; keys.len()];
    chain.insert_prepared_noting(&prepared, &mut is_new).unwrap();
    is_new
}

/// One key at a time, batches of any length, and the calls without answers: the links, bits and
/// answers are the same.
#[test]
fn a_batch_is_its_keys_one_by_one() {
    for lengths in [1, 7, 511, 512, 513, 5000] {
        let mut one_by_one = builder(100, 0.01).build_growing().unwrap();
        let (mut batches, mut silent) = (one_by_one.clone(), tepal::AnyFilter::from(one_by_one.clone()));
        // Some keys stand twice in a batch, some were inserted long before, and links begin within
        // batches.
        let keys: Vec<u64> = (0..9000u64).map(|i| i * i % 6007 + i / 4).collect();
        let expected: Vec<bool> = keys.iter().map(|key| one_by_one.insert(key).unwrap()).collect();
        let found: Vec<bool> = keys.chunks(lengths).flat_map(|piece| noted(&mut batches, piece)).collect();
        keys.chunks(lengths).for_each(|piece| silent.insert_many(piece).unwrap());
        assert_eq!(found, expected, "{lengths}");
        let counts = |chain: &ScalableBloomFilter| {
            chain.links().iter().map(|link| (link.capacity(), link.keys_inserted())).collect::<Vec<_>>()
        };
        assert_eq!(counts(&batches), counts(&one_by_one), "{lengths}");
        assert!(batches == one_by_one && silent == batches.clone().into(), "{lengths}");
        assert!(keys.iter().all(|key| batches.contains(key)) && batches.links().len() > 3);
        // A key that is a member changes nothing.
        let before = counts(&batches);
        assert!(noted(&mut batches, &keys).iter().all(|is_new| !is_new));
        assert_eq!(counts(&batches), before);
    }
}

/// The rate is within the promise at every point: in the middle of a link, at its end, and right
/// after the next link began.
#[test]
fn the_promise_is_kept_at_every_edge() {
    let promised = 0.01;
    for (first, expansion) in [(1, 2), (60, 2), (500, 4), (1000, 100)] {
        let mut chain = builder(first, promised).expansion(expansion).build_growing().unwrap();
        assert_eq!(chain.promised_false_positive_rate(), promised);
        let (mut key, mut capacity) = (0u64, 0);
        while capacity < 60_000 {
            let link = chain.links()[chain.links().len() - 1].capacity();
            for edge in [link / 2, link.saturating_sub(1), link, link + 1] {
                let before = chain.clone();
                while Filter::keys_inserted(&chain).unwrap() < capacity + edge {
                    noted(&mut chain, &[key]);
                    key += 1;
                }
                let sum: f64 = chain.links().iter().map(|link| link.promised_false_positive_rate()).sum();
                assert!(sum < promised, "{sum}");
                let rate = chain.false_positive_rate();
                assert!(rate <= promised, "{first}, {expansion}, {key} keys: {rate}");
                assert!(before.links().len() + 1 >= chain.links().len());
            }
            capacity += link;
        }
        // Measured too: members are consecutive integers, and non-members are consecutive integers
        // far from them.
        let strangers: Vec<u64> = (1 << 40..(1 << 40) + 100_000).collect();
        let wrong = tepal::AnyFilter::from(chain).contains_many(&strangers);
        let wrong = wrong.into_iter().filter(|held| *held).count();
        assert!(wrong as f64 <= promised * 1.1 * strangers.len() as f64, "{wrong}");
    }
}

/// Keys that were chosen by the chain's own hash are refused in the end, members or not, and a
/// refusal changes nothing.
#[test]
fn keys_of_its_own_hash_are_refused() {
    for rate in [0.05, 1e-4] {
        let mut chain = builder(20_000, rate).build_growing().unwrap();
        let hasher = chain.key_hasher();
        let shard: Vec<u64> = (0..).filter(|key| hasher.hash(key).unwrap() >> 57 == 7).take(20_000).collect();
        let mut inserted = 0;
        let refused = shard.chunks(64).find_map(|piece| {
            let keys = prepared(&chain, piece.iter().copied());
            let mut is_new = vec![false; piece.len()];
            let refused = chain.insert_prepared_noting(&keys, &mut is_new).err();
            inserted += is_new.into_iter().filter(|is_new| *is_new).count();
            refused
        });
        assert!(matches!(refused, Some(Error::KeysClustered { .. })), "{refused:?}");
        assert!((100..=10_000).contains(&inserted), "{inserted}");
        assert_eq!(Filter::keys_inserted(&chain), Some(inserted as u64));
        let before = chain.clone();
        assert!(chain.insert(&shard[19_999]).is_err() && chain.insert_many(&shard[15_000..]).is_err());
        assert!(chain == before);
        // In crowded lines each key looks like a member.
        assert!(chain.insert(&shard[0]).is_err() && chain.contains(&shard[0]));
    }
}

/// Expected keys make the next link larger, and never smaller than the next total of the series
/// 100, 500, 2,100, 8,500.
#[test]
fn what_is_expected_makes_the_next_link_larger() {
    let capacities =
        |chain: &ScalableBloomFilter| chain.links().iter().map(|l| l.capacity()).collect::<Vec<_>>();
    for (expected, second) in
        [(0, 400), (7, 400), (150, 400), (500, 400), (600, 500), (2000, 2000), (1 << 40, 6400)]
    {
        let mut chain = builder(100, 0.01).build_growing().unwrap();
        chain.expect_more(expected);
        noted(&mut chain, &(0..110).collect::<Vec<_>>());
        assert_eq!(capacities(&chain), [100, second], "{expected}");
        assert_eq!(chain.promised_false_positive_rate(), 0.01);
    }
    // Keys that were inserted are no longer expected.
    let mut chain = builder(100, 0.01).build_growing().unwrap();
    noted(&mut chain, &(0..50).collect::<Vec<_>>());
    chain.expect_more(950);
    noted(&mut chain, &(50..10_000).collect::<Vec<_>>());
    assert_eq!(capacities(&chain), [100, 900, 1100, 6400, 25_600]);
    // Nor are they after `clear`.
    let mut chain = builder(100, 0.01).build_growing().unwrap();
    chain.expect_more(5000);
    chain.clear().unwrap();
    noted(&mut chain, &(0..110).collect::<Vec<_>>());
    assert_eq!(capacities(&chain), [100, 400]);
}

#[test]
fn what_cannot_be_built_is_refused() {
    for (builder, part) in [
        (builder(1, 0.01).expansion(1), "the expansion of the chain is 1; it must be a number from 2 to 256"),
        (builder(1, 0.01).expansion(257), "257"),
        (builder(1, 0.01).num_hashes(4), "the number of hashes of a chain that grows"),
        (BloomFilter::builder().bit_len(4096), "the size of a chain that grows is given"),
        (builder(1, 1.5), "1.5"),
        (builder(0, 0.01), "capacity"),
        (builder(u64::MAX, 0.01), "out of reach"),
        #[cfg(feature = "foreign")]
        (builder(1, 0.01).scheme(Scheme::GuavaMitz64), "one with a 64-bit hash"),
    ] {
        let error = builder.build_growing().unwrap_err();
        assert!(std::format!("{error}").contains(part), "{error}");
    }
    // By default it is for any number of keys, at the default rate.
    let chain = BloomFilter::builder()
        .scheme(Scheme::Xxh64)
        .over_capacity(OverCapacity::Refuse)
        .build_growing()
        .unwrap();
    assert_eq!((chain.links()[0].capacity(), chain.promised_false_positive_rate()), (65_536, 0.01));
}

/// A chain with a hash refuses keys that were prepared for a scheme without one: nothing is
/// inserted.
#[cfg(all(feature = "foreign", feature = "extras"))]
#[test]
fn keys_of_another_scheme_are_refused() {
    let other = BloomFilter::builder().scheme(Scheme::RedisBloom).capacity(10).build().unwrap();
    let mut keys = PreparedKeys::default();
    for key in ["apple", "pear"] {
        other.key_hasher().prepare(key, &mut keys).unwrap();
    }
    let mut chain = BloomFilter::builder().capacity(500).build_growing().unwrap();
    let refused = chain.insert_prepared_noting(&keys, &mut [false; 2]);
    assert!(matches!(refused, Err(Error::NoHash { .. })), "{refused:?}");
    assert_eq!(chain.links()[0].set_bits(), 0);
}

//! Keys that were divided by a hash, as shards, partitions and load balancers do: each part keeps
//! the promise for non-members of the same part.

use std::hash::Hasher;

use siphasher::sip::{SipHasher13, SipHasher24};
use tepal::{BloomFilter, Layout};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use xxhash_rust::xxh64::xxh64;

/// Keys of a part, and non-members of the same part that are looked up.
const KEYS: usize = 20_000;
const STRANGERS: usize = 400_000;

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// MurmurHash64A of Appleby, with seed 0.
fn murmur64a(bytes: &[u8]) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let mut h = (bytes.len() as u64).wrapping_mul(M);
    let chunks = bytes.chunks_exact(8);
    let tail = chunks.remainder();
    for chunk in chunks {
        let k = word(chunk).wrapping_mul(M);
        h = (h ^ (k ^ (k >> 47)).wrapping_mul(M)).wrapping_mul(M);
    }
    if !tail.is_empty() {
        h = (h ^ word(tail)).wrapping_mul(M);
    }
    h = (h ^ (h >> 47)).wrapping_mul(M);
    h ^ (h >> 47)
}

fn siphash(mut hasher: impl Hasher, bytes: &[u8]) -> u64 {
    hasher.write(bytes);
    hasher.finish()
}

type Hash = fn(&[u8]) -> u64;

/// Hashes that are commonly used to divide sets.
const HASHES: &[(&str, Hash)] = &[
    ("XXH3", |bytes| xxh3_64(bytes)),
    ("XXH3, seed 1", |bytes| xxh3_64_with_seed(bytes, 1)),
    ("XXH3, seed 42", |bytes| xxh3_64_with_seed(bytes, 42)),
    ("XXH64", |bytes| xxh64(bytes, 0)),
    ("FNV-1a", fnv1a),
    ("CRC-32", |bytes| u64::from(crc32fast::hash(bytes)) << 32 | u64::from(crc32fast::hash(bytes))),
    ("MurmurHash64A", murmur64a),
    ("SipHash-1-3", |bytes| siphash(SipHasher13::new(), bytes)),
    ("SipHash-2-4", |bytes| siphash(SipHasher24::new(), bytes)),
];

type Part = fn(u64) -> bool;

/// Ways to choose a part by a hash.
const PARTS: &[(&str, Part)] =
    &[("top bits", |h| h >> 60 == 7), ("low bits", |h| h % 16 == 3), ("remainder", |h| h % 10 == 9)];

mod no_choice_of_shards_changes_the_rate {
    #[test]
    fn top_bits() {
        super::check_part(0);
    }

    #[test]
    fn low_bits() {
        super::check_part(1);
    }

    #[test]
    fn remainder() {
        super::check_part(2);
    }
}

fn check_part(number: usize) {
    assert_eq!(PARTS.len(), 3);
    let filters = || {
        Layout::ALL
            .iter()
            .map(|&layout| BloomFilter::builder().layout(layout).capacity(KEYS as u64).build().unwrap())
    };
    // The rate of each layout for evenly spread keys.
    let usual: Vec<f64> = filters()
        .map(|mut filter| {
            filter.insert_iter((0..KEYS).map(|i| format!("{i:012}"))).unwrap();
            filter.false_positive_rate()
        })
        .collect();
    let (part, is_in) = PARTS[number];
    for (name, hash) in HASHES {
        let mut keys = (0u64..).map(|i| format!("{i:012}")).filter(|key| is_in(hash(key.as_bytes())));
        let members: Vec<String> = keys.by_ref().take(KEYS).collect();
        let strangers: Vec<String> = keys.take(STRANGERS).collect();
        for (mut filter, usual) in filters().zip(&usual) {
            filter.insert_many(&members).unwrap();
            let wrong = filter.contains_many(&strangers).into_iter().filter(|held| *held).count();
            let rate = wrong as f64 / STRANGERS as f64;
            // Four standard errors of the measurement are 6 %.
            let layout = filter.layout();
            assert!((0.88..1.12).contains(&(rate / usual)), "{name}, {part}, {layout}: {rate}");
            let like = filter.false_positive_rate_like_members();
            assert!(like < 1.12 * usual, "{name}, {part}, {layout}: {like}");
        }
    }
}

/// Dividing by the filter's own hash is fine too if each part has a seed of its own; so is a filter
/// of the keys that another one let through.
#[test]
fn a_seed_of_its_own_is_as_good_as_keys_from_anywhere() {
    let hasher = BloomFilter::builder().key_hasher().unwrap();
    let keys: Vec<u64> =
        (0..).filter(|key: &u64| hasher.hash(key).unwrap() >> 60 == 7).take(KEYS + STRANGERS).collect();
    let all: Vec<u64> = (1 << 40..(1 << 40) + KEYS as u64).collect();
    for &layout in Layout::ALL {
        let builder = BloomFilter::builder().layout(layout).capacity(KEYS as u64).false_positive_rate(0.01);
        let rate = |builder: tepal::builders::BloomFilterBuilder, members: &[u64], strangers: &[u64]| {
            let filter = builder.build_from(members).unwrap();
            let wrong = filter.contains_many(strangers).into_iter().filter(|held| *held).count();
            wrong as f64 / strangers.len() as f64
        };
        let (members, strangers) = keys.split_at(KEYS);
        let own = rate(builder.clone().seed_for("shard 7"), members, strangers);
        assert!(own < 0.0108, "{layout}: {own}");

        // The cascade: members of the first filter are non-members of the second.
        let first = builder.clone().build_from(&all).unwrap();
        let through: Vec<u64> = (0..).filter(|key| first.contains(key)).take(KEYS).collect();
        let second = rate(builder.clone().seed_for("what the first lets through"), &through, &all);
        assert!(second < 0.0125, "{layout}: {second}");
    }
}

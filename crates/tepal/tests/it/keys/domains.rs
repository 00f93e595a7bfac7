//! Published check values and the rules of the key domains.

use std::borrow::Cow;

use tepal::{
    BloomFilter, Error, Key, KeyDomain, KeyRef, KeySink, Keys, Recipe, Scheme, SecretKey,
    builders::BloomFilterBuilder,
    hash::{DEFAULT_SEED, KeyHasher, PreparedKeys},
};

use crate::kinds::bloom::domains_of_numbers;

/// The hasher of a scheme with these parameters, for keys of this domain.
fn hasher(scheme: Scheme, given: &BloomFilterBuilder, domain: KeyDomain, recipe: Recipe) -> KeyHasher {
    given.clone().scheme(scheme).key_domain(domain).recipe(recipe).key_hasher().unwrap()
}

/// The hash of these bytes, through every step.
fn hash(scheme: Scheme, given: &BloomFilterBuilder, bytes: &[u8]) -> u64 {
    hasher(scheme, given, KeyDomain::Bytes, Recipe::default()).hash(bytes).unwrap()
}

/// The parameters with this seed.
fn seeded(seed: u64) -> BloomFilterBuilder {
    BloomFilter::builder().seed(seed)
}

/// The parameters with this secret.
fn secret(bytes: [u8; 16]) -> BloomFilterBuilder {
    BloomFilter::builder().secret_key(SecretKey::new(bytes))
}

#[test]
fn xxh3_published_values() {
    let h = |bytes: &[u8], seed| hash(Scheme::Xxh3, &seeded(seed), bytes);
    let xxh64 = |bytes: &[u8]| hash(Scheme::Xxh64, &BloomFilter::builder(), bytes);
    assert_eq!(h(b"", 0), 0x2d06_8005_38d3_94c2);
    assert_eq!(xxh64(b""), 0xef46_db37_51d8_e999);
    assert_eq!(xxh64(b"hello"), 0x26c7_827d_889f_6da3);
    // XXH3_64bits_withSeed sanity values of the xxHash test-suite are checked through the vectors
    // in testdata/vectors, which an independent implementation wrote.
    assert_ne!(h(b"a", 0), h(b"a", 1));
    assert_eq!(hash(Scheme::Xxh3, &BloomFilter::builder(), b"a"), h(b"a", DEFAULT_SEED));
}

#[test]
fn siphash_check_value() {
    let given = secret(std::array::from_fn(|i| i as u8));
    assert_eq!(hash(Scheme::SipHash13, &given, b"hello"), 0xb6be_2b8c_d613_85b7);
}

#[test]
fn one_key_however_it_is_held() {
    let hash = |domain, key: &dyn Key| {
        hasher(Scheme::Xxh3, &seeded(9), domain, Recipe::default()).hash(key).unwrap()
    };
    for domain in domains_of_numbers() {
        let hash = |key: &dyn Key| hash(domain, key);
        assert_eq!(hash(&42u16), hash(&"42"));
        assert_eq!(hash(&42u64), hash(&42i32));
        assert_eq!(hash(&-7i64), hash(&"-7"));
        assert_eq!(hash(&-7i16), hash(b"-7"));
        assert_eq!(hash(&0i64), hash(&"0"));
        assert_eq!(hash(&0u16), hash(&"0"));
    }
    assert_eq!(hash(KeyDomain::Integer, &-1i64), hash(KeyDomain::Integer, &u64::MAX));
    assert_ne!(hash(KeyDomain::Bytes, &-1i64), hash(KeyDomain::Bytes, &u64::MAX));
}

const BOTH: Recipe = Recipe::new().trim(true).nocase(true);

/// One scheme of each sort: the default, another hash, a secret, positions without a hash.
fn sorts() -> Vec<(Scheme, BloomFilterBuilder)> {
    Vec::from([
        (Scheme::Xxh3, seeded(3)),
        (Scheme::Xxh64, BloomFilter::builder()),
        (Scheme::SipHash13, secret([5; 16])),
        #[cfg(feature = "foreign")]
        (Scheme::GuavaMitz64, BloomFilter::builder()),
        #[cfg(feature = "foreign")]
        (Scheme::SparkV2, seeded(3)),
    ])
}

/// The prepared key: its hash, or its bytes under a scheme without one. All calls agree.
fn stands(hasher: &KeyHasher, key: &dyn Key) -> Result<PreparedKeys, Error> {
    let mut prepared = PreparedKeys::default();
    hasher.prepare(key, &mut prepared)?;
    hasher.check(key).unwrap();
    match hasher.hash(key) {
        Ok(hash) => assert_eq!(prepared.hashes(), Some(&[hash][..])),
        Err(error) => assert!(!hasher.has_hash() && matches!(error, Error::NoHash { .. }), "{error}"),
    }
    Ok(prepared)
}

#[test]
fn a_recipe_is_applied_to_text_and_bytes() {
    for (scheme, given) in sorts() {
        let plain = hasher(scheme, &given, KeyDomain::Bytes, Recipe::default());
        let both = hasher(scheme, &given, KeyDomain::Bytes, BOTH);
        let alice = stands(&plain, &"alice").unwrap();
        let keys: [&dyn Key; 8] = [
            &"alice",
            &" Alice ",
            &String::from("ALICE\n"),
            b"\talice\x0b",
            &&b"\x0cAlICE"[..],
            &b"\r aLiCe \r\n".to_vec(),
            &Cow::Borrowed("Alice"),
            &KeyRef::Bytes(b"alice "),
        ];
        for (i, key) in keys.into_iter().enumerate() {
            assert_eq!(stands(&both, key).unwrap(), alice, "{scheme} {i}");
            assert_eq!(stands(&plain, key).unwrap() == alice, i == 0, "{scheme} {i}");
        }
        // Each half alone.
        for (recipe, key, other) in
            [(Recipe::new().trim(true), " alice\t", "Alice"), (Recipe::new().nocase(true), "ALICE", " alice")]
        {
            let one = hasher(scheme, &given, KeyDomain::Bytes, recipe);
            assert_eq!(one.recipe(), recipe);
            assert_eq!(stands(&one, &key).unwrap(), alice, "{scheme} {recipe:?}");
            assert_ne!(stands(&one, &other).unwrap(), alice, "{scheme} {recipe:?}");
        }
        // White space alone is the empty key.
        assert_eq!(stands(&both, &" \t").unwrap(), stands(&plain, &"").unwrap());
    }
}

/// A number is the same key with a recipe and without; the text of a number is trimmed.
#[test]
fn a_recipe_does_not_change_numbers() {
    let keys: [&dyn Key; 6] = [&0u16, &42u32, &u64::MAX, &-7i64, &i64::MIN, &KeyRef::Signed(42)];
    for (scheme, given) in sorts() {
        for domain in [KeyDomain::Bytes, KeyDomain::Integer] {
            let plain = hasher(scheme, &given, domain, Recipe::default());
            let both = hasher(scheme, &given, domain, BOTH);
            for key in keys {
                assert_eq!(stands(&both, key).unwrap(), stands(&plain, key).unwrap(), "{scheme} {domain}");
            }
            assert_eq!(stands(&both, &" 42\n").unwrap(), stands(&plain, &42u64).unwrap());
            assert_eq!(stands(&both, &" -7").unwrap(), stands(&plain, &-7i64).unwrap());
        }
        let [plain, both] =
            [Recipe::default(), BOTH].map(|recipe| hasher(scheme, &given, KeyDomain::Integer, recipe));
        let refused = stands(&plain, &" 42").unwrap_err();
        assert!(matches!(&refused, Error::KeyRefused { found, .. } if found == " 42"), "{refused}");
        // An error shows the key as it is after the recipe.
        let refused = stands(&both, &" X7 ").unwrap_err();
        assert!(matches!(&refused, Error::KeyRefused { found, .. } if found == "x7"), "{refused}");
        assert!(both.check(" X7 ").is_err() && both.check(" 7 ").is_ok());
    }
}

/// `prepare_many` adds what `prepare` adds for one key after the other, up to the first key
/// refused.
#[test]
fn many_keys_are_prepared_as_each_of_them() {
    let texts: Vec<String> = (0..300).map(|n| "7".repeat(n % 19 + 1)).collect();
    for (scheme, given) in sorts() {
        for domain in [KeyDomain::Bytes, KeyDomain::Integer] {
            for recipe in [Recipe::default(), BOTH] {
                for refused in [None, Some(0), Some(200)] {
                    let mut texts = texts.clone();
                    refused.into_iter().for_each(|at: usize| texts[at] = " Text ".to_string());
                    let hasher = hasher(scheme, &given, domain, recipe);
                    let (mut many, mut each) = (PreparedKeys::default(), PreparedKeys::default());
                    for keys in [&texts[..150], &texts[150..], &[]] {
                        let together = hasher.prepare_many(keys, &mut many);
                        let one_by_one = keys.iter().try_for_each(|key| hasher.prepare(key, &mut each));
                        assert_eq!(
                            together.map_err(|e| e.to_string()),
                            one_by_one.map_err(|e| e.to_string())
                        );
                    }
                    assert_eq!(many, each, "{scheme}, {domain}, {refused:?}");
                    assert!(domain == KeyDomain::Integer || many.len() == texts.len());
                }
            }
        }
    }
}

/// If the caller hashes, no key can be prepared, with any recipe.
#[test]
fn the_callers_hash_is_no_hash_of_ours() {
    let given = BloomFilter::builder().caller_hash("mine");
    for recipe in [Recipe::default(), BOTH] {
        let hasher = hasher(Scheme::CallerHash, &given, KeyDomain::Bytes, recipe);
        let mut prepared = PreparedKeys::default();
        for refused in [hasher.hash("x").map(drop), hasher.prepare("x", &mut prepared), hasher.check(&7u64)] {
            assert!(
                matches!(&refused, Err(Error::CallerHashes { name , .. }) if name == "mine"),
                "{refused:?}"
            );
        }
        assert!(prepared.is_empty() && hasher.has_hash());
        assert_eq!(hasher.caller_hash().as_deref(), Some("mine"));
    }
}

#[cfg(feature = "foreign")]
#[test]
fn keys_of_two_hashers_do_not_go_together() {
    let of = |scheme| hasher(scheme, &BloomFilter::builder(), KeyDomain::Bytes, Recipe::default());
    let (hashed, own) = (of(Scheme::Xxh3), of(Scheme::GuavaMitz64));
    for (first, second) in [(&hashed, &own), (&own, &hashed)] {
        let mut keys = PreparedKeys::default();
        first.prepare("a", &mut keys).unwrap();
        assert!(matches!(second.prepare("b", &mut keys), Err(Error::NoHash { .. })));
        assert!(matches!(second.prepare_many(&["b", "c"], &mut keys), Err(Error::NoHash { .. })));
        assert_eq!(keys.len(), 1);
        keys.clear();
        second.prepare("b", &mut keys).unwrap();
    }
}

/// A caller's own list, which implements only what it must.
struct Own<'a>(&'a [u64]);

impl Keys for Own<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn key<'a>(&'a self, i: usize, sink: &'a mut KeySink) -> KeyRef<'a> {
        self.0[i].key(sink)
    }
}

/// Lists of 64-bit integers return themselves, and have the same hashes as single keys: also parts
/// of a list, in both lengths of batches.
#[test]
fn integers_are_hashed_together_as_alone() {
    let unsigned: Vec<u64> = (0..1200u64).map(|i| i.wrapping_mul(0x0123_4567_89ab_cdef)).collect();
    let signed: Vec<i64> = unsigned.iter().map(|&n| n as i64).collect();
    assert_eq!(unsigned.integers(), Some(&unsigned[..]));
    assert_eq!((&&signed[..]).integers(), Some(&unsigned[..]));
    assert_eq!([5u64, 6].integers(), Some(&[5, 6][..]));
    assert_eq!([5u32, 6].integers(), None);
    assert_eq!(["5", "6"].integers(), None);
    assert_eq!([&5u64].integers(), None);
    for domain in [KeyDomain::Integer, KeyDomain::Bytes] {
        let builder = BloomFilter::builder().capacity(3000).key_domain(domain);
        for count in [0, 1, 31, 32, 33, 511, 512, 513, 1200] {
            let (unsigned, signed) = (&unsigned[..count], &signed[..count]);
            let mut alone = builder.clone().build().unwrap();
            unsigned.iter().for_each(|n| assert!(alone.insert(n).is_ok()));
            let mut together = builder.clone().build().unwrap();
            together.insert_many(unsigned).unwrap();
            assert!(alone == together, "{domain} {count}");
            let mut own = builder.clone().build().unwrap();
            own.insert_many(&Own(unsigned)).unwrap();
            assert!(own == alone, "{domain} {count}");
            assert_eq!(own.contains_many(&Own(unsigned)), vec![true; count], "{domain} {count}");
            signed.iter().for_each(|n| assert!(alone.insert(n).is_ok()));
            together.insert_many(signed).unwrap();
            assert!(alone == together, "{domain} {count}");
            assert_eq!(together.contains_many(signed), vec![true; count], "{domain} {count}");
            assert_eq!(together.keys_inserted(), Some(2 * count as u64));
        }
    }
}

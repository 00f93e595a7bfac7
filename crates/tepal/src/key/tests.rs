//! Published check values and the rules of the key domains.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::domain::parse_integer;
use super::schemes::{Hasher, Parameters};
use super::*;
use crate::error::Error;
use crate::ids::{KeyDomain, Scheme};
use crate::{BloomFilter, builders::BloomFilterBuilder};

/// The hasher of a scheme with these parameters, for keys of this domain.
fn hasher(scheme: Scheme, given: &BloomFilterBuilder, domain: KeyDomain, recipe: Recipe) -> KeyHasher {
    given.clone().scheme(scheme).key_domain(domain).recipe(recipe).key_hasher().unwrap()
}

/// The parameters with this seed.
fn seeded(seed: u64) -> BloomFilterBuilder {
    BloomFilter::builder().seed(seed)
}

/// The parameters with this secret.
fn secret(bytes: [u8; 16]) -> BloomFilterBuilder {
    BloomFilter::builder().secret_key(SecretKey::new(bytes))
}

/// The functions for other programs' domains give the same bytes for tepal's own domains.
#[cfg(feature = "foreign")]
#[test]
fn own_domains_are_encoded_alike_on_both_ways() {
    let keys = [KeyRef::Bytes(b"42"), KeyRef::Unsigned(42), KeyRef::Signed(-42), KeyRef::Bytes(b"-9")];
    for domain in [KeyDomain::Bytes, KeyDomain::Integer] {
        for key in keys {
            let near = domain.encode(key, <[u8]>::to_vec).unwrap();
            assert_eq!(domain.encode_foreign(key, <[u8]>::to_vec).unwrap(), near, "{domain} {key:?}");
        }
    }
}

#[cfg(feature = "foreign")]
#[test]
fn integers_of_32_bits() {
    let encoded = |key: &dyn Key| KeyDomain::Integer32.encode(key.key(&mut KeySink::new()), <[u8]>::to_vec);
    let fit: [(&dyn Key, [u8; 4]); 8] = [
        (&0u64, [0; 4]),
        (&"1", [1, 0, 0, 0]),
        (&u32::MAX, [255; 4]),
        (&"4294967295", [255; 4]),
        (&-1i64, [255; 4]),
        (&"-1", [255; 4]),
        (&i32::MIN, [0, 0, 0, 0x80]),
        (&"-2147483648", [0, 0, 0, 0x80]),
    ];
    for (key, bytes) in fit {
        assert_eq!(encoded(key).unwrap(), bytes);
    }
    for key in [
        &(1u64 << 32) as &dyn Key,
        &"4294967296",
        &u64::MAX,
        &"18446744073709551615",
        &(i64::from(i32::MIN) - 1),
        &"-2147483649",
        &"-0",
        &"01",
        &"",
    ] {
        let refused = encoded(key);
        let domain = KeyDomain::Integer32;
        assert!(matches!(refused, Err(Error::KeyRefused { domain: d, .. }) if d == domain), "{refused:?}");
    }
}

#[test]
fn text_for_an_integer_filter() {
    for (text, value) in
        [("0", 0), ("-1", u64::MAX), ("18446744073709551615", u64::MAX), ("-9223372036854775808", 1 << 63)]
    {
        assert_eq!(parse_integer(text.as_bytes()).unwrap(), value, "{text}");
    }
    for text in [
        "",
        "-",
        "-0",
        "+1",
        "00",
        "042",
        "-042",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "abc",
        "\u{661}",
        "18446744073709551616",
        "-9223372036854775809",
    ] {
        assert!(matches!(parse_integer(text.as_bytes()), Err(Error::KeyRefused { .. })), "{text}");
    }
    assert!(parse_integer(b"\xff").is_err());
}

#[test]
fn recipes() {
    let both = Recipe::new().trim(true).nocase(true);
    assert_eq!(&*both.apply(b"\t A\xc3\x84b \r\n"), b"a\xc3\x84b");
    assert_eq!(&*both.apply(b" \x0b\x0c "), b"");
    assert_eq!(&*Recipe::default().apply(b" A "), b" A ");
    for flags in 0..4 {
        assert_eq!(Recipe::from_flags(flags).unwrap().to_flags(), flags);
    }
    assert!(Recipe::from_flags(4).is_err());
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
fn the_identity_changes_nothing() {
    for (scheme, given) in sorts() {
        let plain = hasher(scheme, &given, KeyDomain::Bytes, Recipe::default());
        assert!(plain.recipe().is_identity());
        assert_ne!(stands(&plain, &" Alice ").unwrap(), stands(&plain, &"alice").unwrap());
        let same = hasher(scheme, &given, KeyDomain::Bytes, Recipe::new());
        assert_eq!(same, plain);
        assert!(same.check_same(&plain).is_ok());
        let both = hasher(scheme, &given, KeyDomain::Bytes, BOTH);
        assert!(!both.recipe().is_identity() && both != plain);
        let differ = plain.check_same(&both).unwrap_err();
        assert!(matches!(differ, Error::Incompatible { property: "key recipe", .. }), "{differ}");
    }
}

#[test]
fn a_secret_is_not_shown() {
    let secret = Some(SecretKey::new([0xAB; 16]));
    let given = Parameters { secret, ..Parameters::default() };
    let text = format!("{:?}", Hasher::new(Scheme::SipHash13, &given).unwrap());
    assert_eq!(text, "Hash(SipHash13(SipHash13 { key: Known(SecretKey(..)) }))");
    let hasher = BloomFilter::builder().secret_key(SecretKey::new([0xAB; 16])).key_hasher().unwrap();
    let text = format!("{hasher:?}");
    assert!(text.starts_with("KeyHasher { scheme: SipHash13, seed: None,"), "{text}");
    assert!(!text.contains("171") && !text.to_lowercase().contains("ab, ab"), "{text}");
}

/// Numbers with every count of digits, on both sides of each border.
#[test]
fn decimal_texts_are_the_shortest() {
    let text = |key: &dyn Key| KeyDomain::Bytes.encode(key.key(&mut KeySink::new()), <[u8]>::to_vec).unwrap();
    let mut numbers = Vec::from([0, u64::MAX, u64::MAX - 1, 1 << 63]);
    for digits in 0..20 {
        let border = 10u64.pow(digits);
        numbers.extend([border - 1, border, border + 1, border + border / 2, border.saturating_mul(9)]);
    }
    for n in numbers {
        assert_eq!(text(&n), n.to_string().as_bytes());
        let signed = n as i64;
        assert_eq!(text(&signed), signed.to_string().as_bytes());
        assert_eq!(text(&signed.wrapping_neg()), signed.wrapping_neg().to_string().as_bytes());
    }
}

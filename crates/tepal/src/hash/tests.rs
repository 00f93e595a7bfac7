//! Published check values, and the rules of the key domains.

use super::*;
use crate::hash::key::parse_integer;

#[test]
fn xxh3_published_values() {
    let h = |bytes: &[u8], seed| Hasher::Xxh3 { seed }.hash(bytes).unwrap();
    assert_eq!(h(b"", 0), 0x2d06_8005_38d3_94c2);
    assert_eq!(Hasher::Xxh64.hash(b"").unwrap(), 0xef46_db37_51d8_e999);
    assert_eq!(Hasher::Xxh64.hash(b"hello").unwrap(), 0x26c7_827d_889f_6da3);
    // XXH3_64bits_withSeed sanity values of the xxHash test-suite are checked through the vectors in
    // testdata/vectors, which an independent implementation wrote.
    assert_ne!(h(b"a", 0), h(b"a", 1));
}

#[test]
fn siphash_check_value() {
    let key = SecretKey::new(core::array::from_fn(|i| i as u8));
    assert_eq!(Hasher::SipHash13 { key }.hash(b"hello").unwrap(), 0xb6be_2b8c_d613_85b7);
}

#[test]
fn one_key_however_it_is_held() {
    let hasher = Hasher::Xxh3 { seed: 9 };
    for domain in KeyDomain::ALL {
        let hash = |key: &dyn Key| hasher.hash_key(domain, key.key()).unwrap();
        assert_eq!(hash(&42u8), hash(&"42"));
        assert_eq!(hash(&42u64), hash(&42i32));
        assert_eq!(hash(&-7i64), hash(&"-7"));
        assert_eq!(hash(&-7i8), hash(b"-7"));
        assert_eq!(hash(&0i64), hash(&"0"));
        assert_eq!(hash(&0u8), hash(&"0"));
    }
    let hash = |domain, key: &dyn Key| hasher.hash_key(domain, key.key()).unwrap();
    assert_eq!(hash(KeyDomain::Integer, &-1i64), hash(KeyDomain::Integer, &u64::MAX));
    assert_ne!(hash(KeyDomain::Bytes, &-1i64), hash(KeyDomain::Bytes, &u64::MAX));
}

/// The way of the other programs' domains leads back for the own ones: one set of rules.
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

#[test]
fn integers_of_32_bits() {
    let encoded = |key: &dyn Key| KeyDomain::Integer32.encode(key.key(), <[u8]>::to_vec);
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
    let both = Recipe { trim: true, nocase: true };
    assert_eq!(&*both.apply(b"\t A\xc3\x84b \r\n"), b"a\xc3\x84b");
    assert_eq!(&*both.apply(b" \x0b\x0c "), b"");
    assert_eq!(&*Recipe::default().apply(b" A "), b" A ");
    for flags in 0..4 {
        assert_eq!(Recipe::from_flags(flags).unwrap().to_flags(), flags);
    }
    assert!(Recipe::from_flags(4).is_err());
}

#[test]
fn a_secret_is_not_shown() {
    let text = alloc::format!("{:?}", Hasher::SipHash13 { key: SecretKey::new([0xAB; 16]) });
    assert_eq!(text, "SipHash13 { key: SecretKey(..) }");
}

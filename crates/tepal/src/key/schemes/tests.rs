//! Positions and limits from the independent reference, at sizes that no test could allocate.

use alloc::vec::Vec;

use serde_json::Value;

use super::*;

fn number(value: &Value) -> u64 {
    let text = value.as_str().unwrap();
    let hex = text.strip_prefix("0x").map(|hex| u64::from_str_radix(hex, 16).unwrap());
    hex.unwrap_or_else(|| text.parse().unwrap())
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn own_scheme(scheme: Scheme, given: &Parameters) -> OwnScheme {
    match Hasher::new(scheme, given).unwrap() {
        Hasher::Own(own) => *own,
        Hasher::Hash(hash) => panic!("{hash:?}"),
    }
}

fn own(case: &Value) -> OwnScheme {
    let scheme: Scheme = case["scheme"].as_str().unwrap().parse().unwrap();
    let parameters = number(&case["parameters"]);
    let mut given = Parameters::default();
    match scheme {
        Scheme::Md5Split => given.md5_split = Some(Md5Split::from_flags(parameters).unwrap()),
        Scheme::SparkV2 => given.seed = Some(parameters),
        Scheme::ValkeyBloom => {
            given.seed32 = Some(bytes(case["scheme_seed"].as_str().unwrap()).try_into().unwrap());
        }
        _ => {}
    }
    own_scheme(scheme, &given)
}

fn cases(list: &str, least: usize) -> Vec<Value> {
    crate::tests::cases("schemes.json", list, least)
}

/// The key of this name.
fn key(keys: &[Value], name: &Value) -> Vec<u8> {
    bytes(keys.iter().find(|key| key["name"] == *name).unwrap()["hex"].as_str().unwrap())
}

#[test]
fn positions_are_the_references() {
    let keys = cases("keys", 0);
    for case in &cases("positions", 900) {
        let (k, m) = (case["num_hashes"].as_u64().unwrap() as u32, number(&case["bit_len"]));
        let own = own(case);
        assert_eq!(own.parameters(), number(&case["parameters"]), "{case}");
        let mut found = Vec::new();
        assert!(own.all(&key(&keys, &case["key"]), k, m, |p| {
            found.push(p);
            true
        }));
        let expected: Vec<u64> = case["positions"].as_array().unwrap().iter().map(number).collect();
        assert_eq!(found, expected, "{case}");
    }
}

/// The hashes inside the schemes. A hash that no function of the library returns is tested by the
/// positions of its scheme.
#[test]
fn hashes_are_the_references() {
    let keys = cases("keys", 0);
    for case in &cases("hashes", 250) {
        let key = key(&keys, &case["key"]);
        let seed = || number(&case["seed"]);
        let found = match case["hash"].as_str().unwrap() {
            "murmur3-x64-128" => {
                let (h1, h2) = murmur::murmur3_128(&key, b"");
                alloc::vec![h1, h2]
            }
            "spark-murmur3-32" => alloc::vec![murmur::spark_murmur3_32(&key, seed() as u32).into()],
            "murmur64a" => alloc::vec![murmur::murmur2_64(&key, seed())],
            "fnv1-64" => {
                // With more bits than any position needs, the first position is FNV-1 mod P, times
                // G.
                const P: u64 = 18_446_744_073_709_551_557;
                const G: u64 = 18_446_744_073_709_550_147;
                let expected = (number(&case["value"][0]) % P).wrapping_mul(G) % P;
                let own = own_scheme(Scheme::Dcso, &Parameters::default());
                assert!(own.all(&key, 1, u64::MAX, |position| position == expected), "{case}");
                continue;
            }
            "fnv1a-32" | "crc32" => {
                // The positions are a, a + b and a + 2·b in 32 bits, with the first hash a and the
                // second hash b.
                let own = own_scheme(Scheme::FnvCrc, &Parameters::default());
                let mut p = Vec::new();
                own.all(&key, 3, 1 << 32, |position| {
                    p.push(position);
                    true
                });
                let is_first = case["hash"] == "fnv1a-32";
                alloc::vec![if is_first { p[0] } else { p[1].wrapping_sub(p[0]) & 0xFFFF_FFFF }]
            }
            "xxh64" => alloc::vec![hashed(Scheme::Xxh64, &Parameters::default(), &key)],
            "siphash13" => {
                let secret = bytes(case["secret_key"].as_str().unwrap()).try_into().unwrap();
                let given = Parameters { secret: Some(SecretKey::new(secret)), ..Parameters::default() };
                alloc::vec![hashed(Scheme::SipHash13, &given, &key)]
            }
            other => panic!("{other}"),
        };
        let expected: Vec<u64> = case["value"].as_array().unwrap().iter().map(number).collect();
        assert_eq!(found, expected, "{case}");
    }
}

/// A key's hash under a scheme that has one.
fn hashed(scheme: Scheme, given: &Parameters, key: &[u8]) -> u64 {
    match Hasher::new(scheme, given).unwrap() {
        Hasher::Hash(hash) => hash.hash(key).unwrap(),
        Hasher::Own(own) => panic!("{own:?}"),
    }
}

#[test]
fn limits_are_the_references() {
    for case in &cases("limits", 500) {
        let (k, m) = (case["num_hashes"].as_u64().unwrap() as u32, number(&case["bit_len"]));
        let allowed = sizing::check(own(case).scheme(), k, m).is_ok();
        assert_eq!(allowed, case["allowed"].as_bool().unwrap(), "{case}");
    }
}

/// The walk ends when a visitor returns `false`.
#[test]
fn asking_stops_at_the_first_clear_bit() {
    let mut asked = 0;
    let own = own_scheme(Scheme::GuavaMitz64, &Parameters::default());
    let all = own.all(b"key", 7, 1 << 20, |_| {
        asked += 1;
        asked < 3
    });
    assert!(!all && asked == 3);
}

/// Which schemes never reach a bit from 2^31 on, tested by their positions.
#[test]
fn who_has_31_bit_positions() {
    // The most bits that the scheme allows, up to a few billion.
    let schemes = [
        (Scheme::Md5Split, 1 << 36),
        (Scheme::GuavaMitz32, 1 << 36),
        (Scheme::GuavaMitz64, 1 << 36),
        (Scheme::SparkV1, 1 << 36),
        (Scheme::SparkV2, 1 << 36),
        (Scheme::BitsAndBlooms, 1 << 36),
        (Scheme::Dcso, 1 << 36),
        (Scheme::RedisBloom, 1 << 36),
        (Scheme::ValkeyBloom, 1 << 36),
        (Scheme::FnvCrc, (1 << 32) - 1),
        (Scheme::Sha384, 1 << 32),
    ];
    for (scheme, m) in schemes {
        let own = own_scheme(scheme, &Parameters::default());
        let k = match scheme {
            Scheme::FnvCrc => 3,
            Scheme::Sha384 => 12,
            _ => 5,
        };
        sizing::check(scheme, k, m).unwrap();
        let low = (0..100u32).all(|key| own.all(&key.to_le_bytes(), k, m, |position| position < 1 << 31));
        assert_eq!(sizing(scheme).unwrap().has_31_bit_positions, low, "{scheme}");
    }
}

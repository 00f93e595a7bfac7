//! `schemes.json`: section 1.4, schemes with a rule of their own, and the hashes they are made of.

use crate::all::{hex, hex64};
use crate::print::to_json;
use serde::Serialize;
use tepal_reference::bits::Layout;
use tepal_reference::hash::xxh64;
use tepal_reference::key::{Domain, Key};
use tepal_reference::schemes::fnv_crc::{crc32, fnv1_64, fnv1a_32};
use tepal_reference::schemes::murmur::{MURMUR64A_M, murmur3_x64_128, murmur64a, spark_murmur3_32};
use tepal_reference::schemes::{Md5Split, Own};
use tepal_reference::siphash::siphash13;

const ABOUT: &str = "Schemes with a rule of their own (FORMAT.md section 1.4). keys: the keys, by name, in hexadecimal. \
    hashes: what the rules are made of; `value` in hexadecimal, murmur3-x64-128 as h1 and h2. positions: `parameters` \
    is the field at offset 64, `scheme_seed` record 5; `positions` are the num_hashes bit positions of the named key in \
    a filter of `bit_len` bits, in the order of section 1.4, repeated positions repeated. domains: the same for a key \
    given as `value` to a key domain, which hashes `bytes`. limits: whether a scheme can have num_hashes and bit_len.";

/// The seeds of scheme 28: the one that valkey-bloom uses when it is told not to draw one, and another.
pub(crate) const VALKEY_SEEDS: [[u8; 32]; 2] = [
    [
        0x59, 0x0f, 0xf5, 0x22, 0xea, 0x78, 0x11, 0xda, 0xa7, 0x14, 0xd8, 0x09, 0x3b, 0x3e, 0x7b, 0xd9, 0x1d,
        0x89, 0x8a, 0x73, 0x3e, 0x98, 0x88, 0x87, 0x30, 0x7f, 0x97, 0xcd, 0x28, 0x07, 0x33, 0x83,
    ],
    *b"exactly thirty-two bytes of text",
];

#[derive(Serialize)]
struct Schemes {
    about: &'static str,
    keys: Vec<NamedKey>,
    hashes: Vec<HashCase>,
    positions: Vec<PositionCase>,
    domains: Vec<DomainCase>,
    limits: Vec<LimitCase>,
}

#[derive(Serialize)]
struct NamedKey {
    name: String,
    hex: String,
}

#[derive(Serialize)]
struct HashCase {
    hash: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret_key: Option<String>,
    key: String,
    value: Vec<String>,
}

/// A scheme with its parameters, k and m.
#[derive(Serialize)]
struct Shape {
    scheme: &'static str,
    parameters: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheme_seed: Option<String>,
    num_hashes: u32,
    bit_len: String,
}

#[derive(Serialize)]
struct PositionCase {
    #[serde(flatten)]
    shape: Shape,
    key: String,
    positions: Vec<String>,
}

#[derive(Serialize)]
struct DomainCase {
    #[serde(flatten)]
    shape: Shape,
    key_domain: &'static str,
    given: &'static str,
    value: String,
    bytes: String,
    positions: Vec<String>,
}

#[derive(Serialize)]
struct LimitCase {
    #[serde(flatten)]
    shape: Shape,
    allowed: bool,
}

/// The text of the file.
pub(crate) fn json() -> Result<String, String> {
    let keys = keys();
    let schemes = Schemes {
        about: ABOUT,
        keys: keys.iter().map(|(name, key)| NamedKey { name: name.clone(), hex: hex(key) }).collect(),
        hashes: hashes(&keys),
        positions: positions(&keys)?,
        domains: domains()?,
        limits: limits(),
    };
    to_json(&schemes, 2)
}

/// Names and bytes of the keys.
fn keys() -> Vec<(String, Vec<u8>)> {
    let mut keys: Vec<(String, Vec<u8>)> = vec![
        ("empty".to_string(), Vec::new()),
        ("one byte".to_string(), b"a".to_vec()),
        ("apple".to_string(), b"apple".to_vec()),
        ("digits".to_string(), b"570108428378".to_vec()),
        ("text".to_string(), "Bl\u{fc}te \u{9375} \u{1f511}".as_bytes().to_vec()),
        // Overlong, cut short, a surrogate, beyond the last character, a lone byte.
        ("not UTF-8".to_string(), b"a\xC0\xAF\xE1\x80\xED\xA0\x80z\xF4\x90\x80\x80\xFF\xF0\x9F\x94".to_vec()),
    ];
    // Lengths around the words of 4 and 8 and the blocks of 16, 64 and 128 bytes; bytes of both halves.
    for len in [2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 55, 56, 100, 111, 112] {
        keys.push((format!("{len} bytes"), (0..len).map(|i| (200 + 37 * i) as u8).collect()));
    }
    keys
}

fn hashes(keys: &[(String, Vec<u8>)]) -> Vec<HashCase> {
    let counting: [u8; 16] = std::array::from_fn(|i| i as u8);
    let mut cases = Vec::new();
    for (name, key) in keys {
        let mut add = |hash, seed: Option<String>, secret_key, value| {
            cases.push(HashCase { hash, seed, secret_key, key: name.clone(), value });
        };
        let (h1, h2) = murmur3_x64_128(key, 0);
        add("murmur3-x64-128", None, None, vec![hex64(h1), hex64(h2)]);
        for seed in [0, 42, 0xfffffff9] {
            add("spark-murmur3-32", Some(hex32(seed)), None, vec![hex32(spark_murmur3_32(key, seed))]);
        }
        for seed in [MURMUR64A_M, 1] {
            add("murmur64a", Some(hex64(seed)), None, vec![hex64(murmur64a(key, seed))]);
        }
        add("fnv1-64", None, None, vec![hex64(fnv1_64(key))]);
        add("fnv1a-32", None, None, vec![hex32(fnv1a_32(key))]);
        add("crc32", None, None, vec![hex32(crc32(key))]);
        add("xxh64", None, None, vec![hex64(xxh64(key))]);
        add("siphash13", None, Some(hex(&counting)), vec![hex64(siphash13(&counting, key))]);
    }
    cases.sort_by_key(|case| case.hash);
    cases
}

/// A number of 32 bits: `0x` and 8 digits.
fn hex32(value: u32) -> String {
    format!("{value:#010x}")
}

/// Every scheme, in every variant of its parameters.
fn all_schemes() -> Vec<Own> {
    let mut all = vec![Own::Md5Presets];
    all.extend((0..8).filter_map(Md5Split::from_bits).map(Own::Md5Split));
    all.extend([Own::Bkdr7, Own::FnvCrc, Own::Sha384, Own::GuavaMitz32, Own::GuavaMitz64, Own::SparkV1]);
    all.extend([0, 42, -7].map(|seed| Own::SparkV2 { seed }));
    all.extend([Own::BitsAndBlooms, Own::Dcso, Own::RedisBloom]);
    all.extend(VALKEY_SEEDS.map(|seed| Own::ValkeyBloom { seed }));
    all
}

/// The shapes in which a scheme is shown: the first with all keys, the others with three.
fn shapes(own: &Own) -> Vec<(u32, u64)> {
    match own {
        Own::Md5Presets => {
            vec![(7, 1009), (1, 1), (9, 64), (40, 2003), (5, (1 << 30) + 3), (5, (1 << 31) - 1)]
        }
        Own::Bkdr7 => vec![(7, 1 << 25)],
        // The fifth is the least m at which a + 2·b can wrap.
        Own::FnvCrc => {
            [1000, 1, 64, 2003, 1431655766, (1 << 31) + 11, 4294967291, 4294967295].map(|m| (3, m)).to_vec()
        }
        Own::Sha384 => [1 << 28, 1, 64, 1 << 10, 1 << 31, 1 << 32].map(|m| (12, m)).to_vec(),
        Own::GuavaMitz32 | Own::GuavaMitz64 | Own::SparkV1 | Own::SparkV2 { .. } => vec![
            (7, 2240),
            (1, 64),
            (9, 64),
            (40, 2880),
            (5, (1 << 31) + 64),
            (5, (1 << 33) + 448),
            (3, 64 * ((1 << 31) - 1)),
        ],
        Own::RedisBloom | Own::ValkeyBloom { .. } => vec![
            (7, 1000),
            (1, 8),
            (2, 408),
            (9, 64),
            (40, 2880),
            (5, (1 << 31) + 8),
            (5, (1 << 33) + 24),
            (5, (1 << 40) + 40),
            (3, 1 << 46),
        ],
        Own::Md5Split(_) | Own::BitsAndBlooms | Own::Dcso => vec![
            (7, 1009),
            (1, 1),
            (9, 64),
            (40, 2003),
            (5, (1 << 31) + 11),
            (5, (1 << 33) + 17),
            (5, (1 << 40) + 15),
            (3, 1 << 46),
        ],
    }
}

fn positions(keys: &[(String, Vec<u8>)]) -> Result<Vec<PositionCase>, String> {
    let mut cases = Vec::new();
    let mut add = |own: &Own, k, m, (name, key): &(String, Vec<u8>)| -> Result<(), String> {
        let positions = positions_of(own, key, k, m)?;
        cases.push(PositionCase { shape: shape(own, k, m), key: name.clone(), positions });
        Ok(())
    };
    for own in all_schemes() {
        for (i, (k, m)) in shapes(&own).into_iter().enumerate() {
            let shown = |name: &str| i == 0 || matches!(name, "apple" | "text" | "33 bytes");
            for key in keys.iter().filter(|(name, _)| shown(name)) {
                add(&own, k, m, key)?;
            }
        }
        if own == Own::Md5Presets {
            // The byte before the key wraps.
            for key in keys.iter().filter(|(name, _)| name == "apple") {
                add(&own, 1100, 9005, key)?;
            }
        }
    }
    Ok(cases)
}

fn domains() -> Result<Vec<DomainCase>, String> {
    let wide = [0, 1, -1, 570108428378, i64::MIN.into(), u64::MAX.into()];
    let narrow = [0, 1, -1, i32::MIN.into(), u32::MAX.into()];
    let texts = ["", "apple", "Bl\u{fc}te \u{9375} \u{1f511}"];
    let mut cases = Vec::new();
    for own in [Own::GuavaMitz32, Own::GuavaMitz64, Own::SparkV1, Own::SparkV2 { seed: 42 }] {
        let mut add = |domain: Domain, given, value: String, key: Key| -> Result<(), String> {
            let (k, m) = (6, 3264);
            let bytes = domain.bytes_of(key)?;
            let positions = positions_of(&own, &bytes, k, m)?;
            let (shape, key_domain) = (shape(&own, k, m), domain.name());
            cases.push(DomainCase { shape, key_domain, given, value, bytes: hex(&bytes), positions });
            Ok(())
        };
        for value in wide {
            add(Domain::Integer, "integer", value.to_string(), Key::Integer(value))?;
        }
        if matches!(own, Own::GuavaMitz32 | Own::GuavaMitz64) {
            for value in narrow {
                add(Domain::Integer32, "integer", value.to_string(), Key::Integer(value))?;
            }
            for text in texts {
                add(Domain::Utf16, "text", text.to_string(), Key::Bytes(text.as_bytes()))?;
            }
        }
    }
    Ok(cases)
}

/// Values of k and m on both sides of every limit, each with a good value of the other.
fn limits() -> Vec<LimitCase> {
    let mut sizes = vec![0, 1, 3, 7, 8, 32, 63, 64, 96, 100, 1 << 25, (1 << 25) + 64, (1 << 31) - 1, 1 << 31];
    sizes.extend([(1 << 32) - 1, 1 << 32, 1 << 33, 64 * ((1 << 31) - 1), 64 << 31, (64 << 31) + 64]);
    sizes.extend([1 << 46, (1 << 46) + 1, (1 << 46) + 64, 1 << 63, u64::MAX]);
    let mut cases = Vec::new();
    let mut seen = Vec::new();
    for own in all_schemes() {
        if seen.contains(&own.id()) {
            continue;
        }
        seen.push(own.id());
        let (good_k, good_m) = shapes(&own)[0];
        let some_k = [0, 1, 2, 3, 4, 6, 7, 8, 11, 12, 13, 64, 65_535, 65_536, u32::MAX].map(|k| (k, good_m));
        for (k, m) in some_k.into_iter().chain(sizes.iter().map(|&m| (good_k, m))) {
            let allowed = own.check(Layout::Scattered, k, m).is_ok();
            cases.push(LimitCase { shape: shape(&own, k, m), allowed });
        }
    }
    cases
}

fn shape(own: &Own, k: u32, m: u64) -> Shape {
    Shape {
        scheme: own.name(),
        parameters: hex64(own.parameters()),
        scheme_seed: own.seed_record(),
        num_hashes: k,
        bit_len: m.to_string(),
    }
}

fn positions_of(own: &Own, bytes: &[u8], k: u32, m: u64) -> Result<Vec<String>, String> {
    own.check(Layout::Scattered, k, m)?;
    Ok(own.positions(bytes, k, m).iter().map(u64::to_string).collect())
}

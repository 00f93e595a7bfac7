//! `schemes.json`: section 1.4, schemes with a rule of their own, and the hashes that they use.

use crate::json::{Json, decimal, decimals, hex, hex64, list, object, optional, plain};
use crate::names;
use tepal_reference::hash::{MURMUR64A_M, crc32, fnv1_64, fnv1a_32, murmur3_x64_128};
use tepal_reference::hash::{murmur64a, siphash13, spark_murmur3_32, xxh64};
use tepal_reference::key::bytes_of;
use tepal_reference::schemes::{check, positions};

const ABOUT: &str = "Schemes with a rule of their own (FORMAT.md section 1.4). keys: the keys, by name, in hexadecimal. \
    hashes: what the rules are made of; `value` in hexadecimal, murmur3-x64-128 as h1 and h2. positions: `parameters` \
    is the field at offset 64, `scheme_seed` record 5; `positions` are the num_hashes bit positions of the named key in \
    a filter of `bit_len` bits, in the order of section 1.4, repeated positions repeated. domains: the same for a key \
    given as `value` to a key domain, which hashes `bytes`. limits: whether a scheme can have num_hashes and bit_len.";

/// The seeds of scheme 28: the fixed seed of valkey-bloom, and another.
pub(crate) const VALKEY_SEEDS: [[u8; 32]; 2] = [
    [
        0x59, 0x0f, 0xf5, 0x22, 0xea, 0x78, 0x11, 0xda, 0xa7, 0x14, 0xd8, 0x09, 0x3b, 0x3e, 0x7b, 0xd9, 0x1d,
        0x89, 0x8a, 0x73, 0x3e, 0x98, 0x88, 0x87, 0x30, 0x7f, 0x97, 0xcd, 0x28, 0x07, 0x33, 0x83,
    ],
    *b"exactly thirty-two bytes of text",
];

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let keys = keys();
    let named = keys.iter().map(|(name, key)| object([("name", plain(name.as_str())), ("hex", hex(key))]));
    Ok(object([
        ("about", plain(ABOUT)),
        ("keys", list(named)),
        ("hashes", hashes(&keys)),
        ("positions", all_positions(&keys)?),
        ("domains", domains()?),
        ("limits", limits()),
    ]))
}

/// Names and bytes of the keys.
fn keys() -> Vec<(String, Vec<u8>)> {
    let mut keys: Vec<(String, Vec<u8>)> = vec![
        ("empty".to_string(), Vec::new()),
        ("one byte".to_string(), b"a".to_vec()),
        ("apple".to_string(), b"apple".to_vec()),
        ("digits".to_string(), b"570108428378".to_vec()),
        ("text".to_string(), "Bl\u{fc}te \u{9375} \u{1f511}".as_bytes().to_vec()),
        // An overlong form, an incomplete character, a surrogate, a number beyond the last
        // character, a lone byte.
        ("not UTF-8".to_string(), b"a\xC0\xAF\xE1\x80\xED\xA0\x80z\xF4\x90\x80\x80\xFF\xF0\x9F\x94".to_vec()),
    ];
    // Lengths around the words of 4 and 8 and the blocks of 16, 64 and 128 bytes; bytes of both
    // halves.
    for len in [2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 55, 56, 100, 111, 112] {
        keys.push((format!("{len} bytes"), (0..len).map(|i| (200 + 37 * i) as u8).collect()));
    }
    keys
}

fn hashes(keys: &[(String, Vec<u8>)]) -> Json {
    let counting: [u8; 16] = std::array::from_fn(|i| i as u8);
    let mut cases = Vec::new();
    for (name, key) in keys {
        let mut add = |hash: &'static str, seed: Option<Json>, secret_key: Option<Json>, value: Vec<Json>| {
            let fields = [
                ("hash", plain(hash)),
                ("seed", optional(seed)),
                ("secret_key", optional(secret_key)),
                ("key", plain(name.as_str())),
                ("value", list(value)),
            ];
            cases.push((hash, object(fields)));
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
    cases.sort_by_key(|case| case.0);
    list(cases.into_iter().map(|case| case.1))
}

/// A number of 32 bits: `0x` and 8 digits.
fn hex32(value: u32) -> Json {
    plain(format!("{value:#010x}"))
}

/// A scheme with its parameters: the field at offset 64, and the seed of scheme 28.
#[derive(Clone, Copy)]
struct Rule {
    scheme: u8,
    parameter: u64,
    seed: Option<[u8; 32]>,
}

/// Every scheme, in every variant of its parameters.
fn all_rules() -> Vec<Rule> {
    let mut all = Vec::new();
    for scheme in 16..=28 {
        let parameters = match scheme {
            17 => (0..8).collect(),
            24 => vec![0, 42, 0xFFFF_FFF9],
            _ => vec![0],
        };
        let seeds = if scheme == 28 { VALKEY_SEEDS.map(Some).to_vec() } else { vec![None] };
        for &parameter in &parameters {
            all.extend(seeds.iter().map(|&seed| Rule { scheme, parameter, seed }));
        }
    }
    all
}

/// The shapes of a scheme in the JSON: the first with all keys, the others with three.
fn shapes(scheme: u8) -> Vec<(u32, u64)> {
    match scheme {
        16 => {
            vec![(7, 1009), (1, 1), (9, 64), (40, 2003), (5, (1 << 30) + 3), (5, (1 << 31) - 1)]
        }
        18 => vec![(7, 1 << 25)],
        // The fifth m is the smallest at which a + 2·b can wrap.
        19 => {
            [1000, 1, 64, 2003, 1431655766, (1 << 31) + 11, 4294967291, 4294967295].map(|m| (3, m)).to_vec()
        }
        20 => [1 << 28, 1, 64, 1 << 10, 1 << 31, 1 << 32].map(|m| (12, m)).to_vec(),
        21..=24 => vec![
            (7, 2240),
            (1, 64),
            (9, 64),
            (40, 2880),
            (5, (1 << 31) + 64),
            (5, (1 << 33) + 448),
            (3, 64 * ((1 << 31) - 1)),
        ],
        27 | 28 => vec![
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
        _ => vec![
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

/// The fields of a rule, of k and of m.
fn shape(rule: Rule, k: u32, m: u64) -> Vec<(&'static str, Json)> {
    vec![
        ("scheme", plain(names::scheme(rule.scheme))),
        ("parameters", hex64(rule.parameter)),
        ("scheme_seed", optional(rule.seed.map(|seed| hex(&seed)))),
        ("num_hashes", plain(k)),
        ("bit_len", decimal(m)),
    ]
}

/// The field that has the positions of a key.
fn positions_of(rule: Rule, key: &[u8], k: u32, m: u64) -> Result<(&'static str, Json), String> {
    check(rule.scheme, rule.parameter, k, m)?;
    let seed = rule.seed.unwrap_or_default();
    Ok(("positions", decimals(&positions(rule.scheme, rule.parameter, &seed, key, k, m))))
}

fn all_positions(keys: &[(String, Vec<u8>)]) -> Result<Json, String> {
    let mut cases = Vec::new();
    for rule in all_rules() {
        let mut shapes = shapes(rule.scheme);
        if rule.scheme == 16 {
            // The byte before the key wraps.
            shapes.push((1100, 9005));
        }
        for (i, (k, m)) in shapes.into_iter().enumerate() {
            for (name, key) in keys {
                let shown = match name.as_str() {
                    "apple" => true,
                    "text" | "33 bytes" => k != 1100,
                    _ => i == 0,
                };
                if shown {
                    let mut case = shape(rule, k, m);
                    case.extend([("key", plain(name.as_str())), positions_of(rule, key, k, m)?]);
                    cases.push(object(case));
                }
            }
        }
    }
    Ok(list(cases))
}

fn domains() -> Result<Json, String> {
    let wide: [i128; 6] = [0, 1, -1, 570108428378, i64::MIN as i128, u64::MAX as i128];
    let narrow: [i128; 5] = [0, 1, -1, i32::MIN as i128, u32::MAX as i128];
    let texts = ["", "apple", "Bl\u{fc}te \u{9375} \u{1f511}"];
    let mut cases = Vec::new();
    for (scheme, parameter) in [(21, 0), (22, 0), (23, 0), (24, 42)] {
        let rule = Rule { scheme, parameter, seed: None };
        let mut values: Vec<(u8, &str, String)> = Vec::new();
        values.extend(wide.map(|value| (2, "integer", value.to_string())));
        if scheme <= 22 {
            values.extend(narrow.map(|value| (3, "integer", value.to_string())));
            values.extend(texts.map(|text| (4, "text", text.to_string())));
        }
        for (domain, given, value) in values {
            let bytes = bytes_of(domain, value.as_bytes())?;
            let mut case = shape(rule, 6, 3264);
            case.extend([
                ("key_domain", plain(names::domain(domain))),
                ("given", plain(given)),
                ("value", plain(value)),
                ("bytes", hex(&bytes)),
                positions_of(rule, &bytes, 6, 3264)?,
            ]);
            cases.push(object(case));
        }
    }
    Ok(list(cases))
}

/// Values of k and m on both sides of every limit, each with a good value of the other.
fn limits() -> Json {
    let mut sizes = vec![0, 1, 3, 7, 8, 32, 63, 64, 96, 100, 1 << 25, (1 << 25) + 64, (1 << 31) - 1, 1 << 31];
    sizes.extend([(1 << 32) - 1, 1 << 32, 1 << 33, 64 * ((1 << 31) - 1), 64 << 31, (64 << 31) + 64]);
    sizes.extend([1 << 46, (1 << 46) + 1, (1 << 46) + 64, 1 << 63, u64::MAX]);
    let mut cases = Vec::new();
    let mut last = 0;
    for rule in all_rules() {
        if rule.scheme == last {
            continue;
        }
        last = rule.scheme;
        let (good_k, good_m) = shapes(rule.scheme)[0];
        let some_k = [0, 1, 2, 3, 4, 6, 7, 8, 11, 12, 13, 64, 2048, 2049, u32::MAX].map(|k| (k, good_m));
        for (k, m) in some_k.into_iter().chain(sizes.iter().map(|&m| (good_k, m))) {
            let mut case = shape(rule, k, m);
            case.push(("allowed", plain(check(rule.scheme, rule.parameter, k, m).is_ok())));
            cases.push(object(case));
        }
    }
    list(cases)
}

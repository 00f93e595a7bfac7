//! `hashes.json`: sections 1.1 to 1.3.

use crate::all::{hex, hex64};
use crate::print::to_json;
use serde::Serialize;
use tepal_reference::hash::Scheme;
use tepal_reference::key::{Domain, Key, apply_recipe};

const ABOUT: &str = "From a key to its hash (FORMAT.md section 1). hashes: `key` is either {hex}, the bytes, or \
    {repeat_hex, len}, the first len bytes of those bytes repeated without end; `hash` is h (xxh64 is in \
    schemes.json). domains: `given` is \"text\", \"integer\" or \"hex\" (the key is these bytes), `bytes` is what is \
    hashed in hexadecimal, or null where the key is refused. recipes: `recipe` is the number at offset 124, `key` \
    and `result` are hexadecimal.";

#[derive(Serialize)]
struct Hashes {
    about: &'static str,
    hashes: Vec<HashCase>,
    domains: Vec<DomainCase>,
    recipes: Vec<RecipeCase>,
}

#[derive(Serialize)]
struct HashCase {
    scheme: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret_key: Option<String>,
    key: KeyText,
    hash: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum KeyText {
    Whole { hex: String },
    Repeated { repeat_hex: String, len: usize },
}

#[derive(Serialize)]
struct DomainCase {
    domain: &'static str,
    given: &'static str,
    value: String,
    bytes: Option<String>,
}

#[derive(Serialize)]
struct RecipeCase {
    recipe: u32,
    key: String,
    result: String,
}

/// The text of the file.
pub(crate) fn json() -> Result<String, String> {
    to_json(&Hashes { about: ABOUT, hashes: hashes(), domains: domains(), recipes: recipes()? }, 2)
}

/// The lengths at which XXH3-64 and SipHash change their ways, and those beside them.
const LENGTHS: [usize; 23] =
    [0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 32, 64, 100, 128, 129, 200, 240, 241, 256, 500, 1024, 1025, 3000];

/// What long keys repeat: 13 bytes, so that no word of 8 comes back soon.
const PATTERN: &[u8] = b"a tepal petal";

fn hashes() -> Vec<HashCase> {
    let mut schemes: Vec<Scheme> =
        [0, 1, 0x8000_0000_0000_3039, u64::MAX].into_iter().map(|seed| Scheme::Xxh3 { seed }).collect();
    let counting = std::array::from_fn(|i| i as u8);
    schemes.push(Scheme::SipHash13 { key: counting });
    schemes.push(Scheme::SipHash13 { key: *b"sixteen secrets!" });

    let mut cases = Vec::new();
    for scheme in schemes {
        for len in LENGTHS {
            let bytes: Vec<u8> = PATTERN.iter().copied().cycle().take(len).collect();
            let key = if len <= 32 {
                KeyText::Whole { hex: hex(&bytes) }
            } else {
                KeyText::Repeated { repeat_hex: hex(PATTERN), len }
            };
            cases.extend(hash_case(&scheme, key, &bytes));
        }
        // Text with two-byte characters, a small integer, the largest, an identifier, the key check.
        for bytes in [
            "Bl\u{fc}tenbl\u{e4}tter".as_bytes(),
            &[42, 0, 0, 0, 0, 0, 0, 0],
            &[255; 8],
            b"570108428378",
            b"tepal key check",
        ] {
            cases.extend(hash_case(&scheme, KeyText::Whole { hex: hex(bytes) }, bytes));
        }
    }
    cases
}

fn hash_case(scheme: &Scheme, key: KeyText, bytes: &[u8]) -> Option<HashCase> {
    let (seed, secret_key) = match scheme {
        Scheme::Xxh3 { seed } => (Some(hex64(*seed)), None),
        Scheme::SipHash13 { key } => (None, Some(hex(key))),
        Scheme::Xxh64 | Scheme::Own(_) => (None, None),
    };
    let hash = hex64(scheme.hash(bytes)?);
    Some(HashCase { scheme: scheme.name(), seed, secret_key, key, hash })
}

fn domains() -> Vec<DomainCase> {
    let texts = [
        // Accepted in `integer` too.
        "0",
        "1",
        "7",
        "42",
        "-1",
        "-42",
        "570108428378",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "-9223372036854775808",
        // Refused in `integer`.
        "",
        "042",
        "00",
        "+1",
        "-0",
        "-01",
        "-",
        "+",
        "--1",
        "1.0",
        "1e3",
        "0x10",
        " 1",
        "1 ",
        "1\n",
        "1_000",
        "1,000",
        "18446744073709551616",
        "-9223372036854775809",
        "340282366920938463463374607431768211456",
        "NaN",
        "\u{661}",
        "\u{2212}1",
        "key",
        // Around the limits of `integer32`.
        "2147483647",
        "2147483648",
        "4294967295",
        "4294967296",
        "-2147483648",
        "-2147483649",
        // Units of `utf16`.
        "Bl\u{fc}te",
        "\u{ffff}\u{10000}",
        "\u{9375}\u{1f511}",
        // Numbers of `float32` and `float64`; the middle of two floats, and just above it.
        "1.5",
        "-1.5",
        "0.1",
        ".5",
        "5.",
        "+1.5e-3",
        "1E3",
        "-0.0",
        "16777217",
        "1.000000059604644775390625",
        "1.000000059604644775390626",
        "9007199254740993",
        "1e-45",
        "5e-324",
        "1e400",
        "-1e-400",
        "inf",
        "-Infinity",
        "nan",
        // No numbers.
        ".",
        "e5",
        "1e",
        "1.5.",
        "1e1.5",
        "0x1p3",
        "1.5f",
        "1,5",
        "\u{221e}",
    ];
    let integers = [
        0,
        1,
        42,
        -1,
        -42,
        570108428378,
        i64::MIN.into(),
        i64::MAX.into(),
        1 << 63,
        u64::MAX.into(),
        i32::MIN.into(),
        u32::MAX.into(),
    ];
    let mut cases = Vec::new();
    for domain in Domain::ALL {
        for text in texts {
            cases.push(domain_case(domain, "text", text.to_string(), Key::Bytes(text.as_bytes())));
        }
        // Not UTF-8: a lone byte, a character cut short, a surrogate, text with such a byte behind it.
        for bytes in [&b"\xFF"[..], b"\xC3", b"\xED\xA0\x80", b"1\xFF"] {
            cases.push(domain_case(domain, "hex", hex(bytes), Key::Bytes(bytes)));
        }
        for integer in integers {
            cases.push(domain_case(domain, "integer", integer.to_string(), Key::Integer(integer)));
        }
    }
    cases
}

fn domain_case(domain: Domain, given: &'static str, value: String, key: Key) -> DomainCase {
    let bytes = domain.bytes_of(key).ok().map(|bytes| hex(&bytes));
    DomainCase { domain: domain.name(), given, value, bytes }
}

fn recipes() -> Result<Vec<RecipeCase>, String> {
    let keys: [&[u8]; 11] = [
        b"",
        b" \t\n\x0b\x0c\r",
        b"  Tepal\r\n",
        b"two  WORDS",
        b"\x0bvertical tab\x0b",
        b"\x00zero and unit separator\x1f",
        b"@AZ[`az{",
        "\u{c4}pfel".as_bytes(),
        "\u{a0}no-break space\u{2003}".as_bytes(),
        b"\x85\xff not UTF-8 \x20",
        b" 042 ",
    ];
    let mut cases = Vec::new();
    for recipe in 0..4 {
        for key in keys {
            cases.push(RecipeCase { recipe, key: hex(key), result: hex(&apply_recipe(recipe, key)?) });
        }
    }
    Ok(cases)
}

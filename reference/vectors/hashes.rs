//! `hashes.json`: sections 1.1 to 1.3.

use crate::json::{Json, hex, hex64, list, object, plain};
use crate::names;
use tepal_reference::hash::{finish, seed_for, siphash13, xxh3};
use tepal_reference::key::{Part, apply_recipe, bytes_of, compound, ipv4, ipv6};

const ABOUT: &str = "From a key to its hash (FORMAT.md section 1). hashes: `key` is either {hex}, the bytes, or \
    {repeat_hex, len}, the first len bytes of those bytes repeated without end; `hash` is h (xxh64 is in \
    schemes.json). domains: `given` is \"text\", \"integer\" or \"hex\" (the key is these bytes), `bytes` is what is \
    hashed in hexadecimal, or null where the key is refused. compounds: \
    `parts` are texts, integers, {hex} or lists of parts, `recipe` is the number at offset 124, `bytes` is what is hashed. \
    addresses: the bytes of an address in network order, and its text. paths: a file name as a Unix system has it; its key \
    is the same bytes. recipes: `recipe` is the number at offset 124, `key` \
    and `result` are hexadecimal. finish: `finished` is finish(`hash`), for callers who hash themselves (scheme 4). seeds: the seed that writers \
    take for a purpose, null for none (section 5).";

/// The file.
pub(crate) fn json() -> Json {
    object([
        ("about", plain(ABOUT)),
        ("hashes", hashes()),
        ("domains", domains()),
        ("compounds", compounds()),
        ("addresses", addresses()),
        ("paths", paths()),
        ("recipes", recipes()),
        ("finish", finished()),
        ("seeds", seeds()),
    ])
}

fn hashes() -> Json {
    let mut cases = Vec::new();
    for seed in [0, 1, 0x8000_0000_0000_3039, u64::MAX] {
        for (key, bytes) in keys() {
            cases.push(object([
                ("scheme", plain("xxh3")),
                ("seed", hex64(seed)),
                ("key", key),
                ("hash", hex64(xxh3(&bytes, seed))),
            ]));
        }
    }
    for secret in [std::array::from_fn(|i| i as u8), *b"sixteen secrets!"] {
        for (key, bytes) in keys() {
            cases.push(object([
                ("scheme", plain("siphash13")),
                ("secret_key", hex(&secret)),
                ("key", key),
                ("hash", hex64(siphash13(&secret, &bytes))),
            ]));
        }
    }
    list(cases)
}

/// The keys, printed, with their bytes.
fn keys() -> Vec<(Json, Vec<u8>)> {
    // The lengths at which XXH3-64 and SipHash use another method, and the lengths next to them.
    const LENGTHS: [usize; 23] =
        [0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 32, 64, 100, 128, 129, 200, 240, 241, 256, 500, 1024, 1025, 3000];
    // The pattern that long keys repeat: 13 bytes, so that a word of 8 bytes does not repeat soon.
    const PATTERN: &[u8] = b"a tepal petal";
    let mut keys = Vec::new();
    for len in LENGTHS {
        let bytes: Vec<u8> = PATTERN.iter().copied().cycle().take(len).collect();
        let key = if len <= 32 {
            object([("hex", hex(&bytes))])
        } else {
            object([("repeat_hex", hex(PATTERN)), ("len", plain(len))])
        };
        keys.push((key, bytes));
    }
    // Text with two-byte characters, a small integer, the largest integer, an identifier, the key
    // check.
    for bytes in [
        "Bl\u{fc}tenbl\u{e4}tter".as_bytes(),
        &[42, 0, 0, 0, 0, 0, 0, 0],
        &[255; 8],
        b"570108428378",
        b"tepal key check",
    ] {
        keys.push((object([("hex", hex(bytes))]), bytes.to_vec()));
    }
    keys
}

/// Texts that are keys in some domains and refused in others.
#[rustfmt::skip]
const TEXTS: &[&str] = &[
    // Accepted in `int64` too.
    "0", "1", "7", "42", "-1", "-42", "570108428378", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "-9223372036854775808",
    // Refused in `int64`.
    "", "042", "00", "+1", "-0", "-01", "-", "+", "--1", "1.0", "1e3", "0x10", " 1", "1 ", "1\n",
    "1_000", "1,000", "18446744073709551616", "-9223372036854775809",
    "340282366920938463463374607431768211456", "NaN", "\u{661}", "\u{2212}1", "key",
    // Around the limits of `int32`.
    "2147483647", "2147483648", "4294967295", "4294967296", "-2147483648", "-2147483649",
    // Units of `utf16`.
    "Bl\u{fc}te", "\u{ffff}\u{10000}", "\u{9375}\u{1f511}",
    // Numbers of `float32` and `float64`; the middle between two floats, and a number just above
    // it.
    "1.5", "-1.5", "0.1", ".5", "5.", "+1.5e-3", "1E3", "-0.0", "16777217",
    "1.000000059604644775390625", "1.000000059604644775390626", "9007199254740993", "1e-45", "5e-324",
    "1e400", "-1e-400", "inf", "-Infinity", "nan",
    // Bytes of `hex`.
    "00fF", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "ab-cd", "ab-", "-ab", "ab--cd", "a-b", "abc", "ab cd", "0xab", "\\xab",
    "\u{e9}a",
    // Texts that are not numbers.
    ".", "e5", "1e", "1.5.", "1e1.5", "0x1p3", "1.5f", "1,5", "\u{221e}",
];

const INTEGERS: [i128; 12] = [
    0,
    1,
    42,
    -1,
    -42,
    570108428378,
    i64::MIN as i128,
    i64::MAX as i128,
    1 << 63,
    u64::MAX as i128,
    i32::MIN as i128,
    u32::MAX as i128,
];

fn domains() -> Json {
    let mut cases = Vec::new();
    for domain in 1..=7 {
        let mut add = |given: &str, value: Json, key: &[u8]| {
            let bytes = bytes_of(domain, key).ok().filter(|_| (domain, given) != (7, "integer"));
            cases.push(object([
                ("domain", plain(names::domain(domain))),
                ("given", plain(given)),
                ("value", value),
                ("bytes", bytes.map_or(plain(()), |bytes| hex(&bytes))),
            ]));
        };
        for text in TEXTS {
            add("text", plain(*text), text.as_bytes());
        }
        // Not UTF-8: a lone byte, an incomplete character, a surrogate, text followed by a byte
        // that is not UTF-8.
        for bytes in [&b"\xFF"[..], b"\xC3", b"\xED\xA0\x80", b"1\xFF"] {
            add("hex", hex(bytes), bytes);
        }
        for integer in INTEGERS {
            add("integer", plain(integer.to_string()), integer.to_string().as_bytes());
        }
    }
    list(cases)
}

/// A part of a compound key, with its printed form.
struct Printed(Json, Part);

fn text(text: &str) -> Printed {
    Printed(plain(text), Part::Plain(text.as_bytes().to_vec()))
}

fn integer(n: i128) -> Printed {
    Printed(object([("integer", plain(n.to_string()))]), Part::Plain(n.to_string().into_bytes()))
}

fn bytes(bytes: &[u8]) -> Printed {
    Printed(object([("hex", hex(bytes))]), Part::Plain(bytes.to_vec()))
}

fn parts(parts: Vec<Printed>) -> Printed {
    let (printed, parts): (Vec<Json>, Vec<Part>) =
        parts.into_iter().map(|Printed(json, part)| (json, part)).unzip();
    Printed(list(printed), Part::Compound(parts))
}

fn compounds() -> Json {
    // Lengths around 2^6 and 2^13, where the number before a part takes one byte more; and many
    // parts.
    let long = [63, 64, 8191, 8192].map(|len| "a".repeat(len));
    let keys = |recipe| {
        vec![
            parts(vec![]),
            parts(vec![text("")]),
            parts(vec![text("a")]),
            parts(vec![text(""), text("")]),
            parts(vec![text("ab"), text("c")]),
            parts(vec![text("a"), text("bc")]),
            parts(vec![text("abc")]),
            parts(vec![parts(vec![text("a"), text("b")]), text("c")]),
            parts(vec![text("a"), parts(vec![text("b"), text("c")])]),
            parts(vec![parts(vec![])]),
            parts(vec![parts(vec![parts(vec![text("deep")])])]),
            parts(vec![integer(7), text("/home")]),
            parts(vec![text("7"), text("/home")]),
            parts(vec![integer(-1), integer(u64::MAX.into()), integer(i64::MIN.into())]),
            parts(vec![integer(1 << 64), integer(-(1 << 64))]),
            parts(vec![bytes(&[0xFF]), bytes(&[0]), bytes(b"\x02a")]),
            parts(vec![text(" Bl\u{fc}te "), integer(42), parts(vec![text("\tNESTED ")])]),
            parts((0..20).map(|i| text(&"Ab ".repeat(i))).collect()),
            parts(long.iter().filter(|_| recipe == 0).map(|long| text(long)).collect()),
            parts(vec![parts(vec![text(&" A".repeat(40))]), text("B")]),
        ]
    };
    let mut cases = Vec::new();
    for recipe in 0..4 {
        for Printed(json, part) in keys(recipe) {
            let Part::Compound(parts) = part else { unreachable!("all of them are") };
            let bytes = hex(&compound(recipe, &parts));
            cases.push(object([("parts", json), ("recipe", plain(recipe)), ("bytes", bytes)]));
        }
    }
    list(cases)
}

fn addresses() -> Json {
    let mut cases = Vec::new();
    for address in [[0; 4], [127, 0, 0, 1], [192, 0, 2, 1], [255; 4]] {
        cases.push(object([("hex", hex(&address)), ("text", plain(ipv4(address)))]));
    }
    let v6 = |groups: [u16; 8]| {
        let address: Vec<u8> = groups.iter().flat_map(|group| group.to_be_bytes()).collect();
        <[u8; 16]>::try_from(address).unwrap()
    };
    for groups in [
        [0; 8],
        [0, 0, 0, 0, 0, 0, 0, 1],
        [1, 0, 0, 0, 0, 0, 0, 0],
        [0x2001, 0xdb8, 0, 0, 0, 0, 0, 1],
        [0x2001, 0xdb8, 0, 0, 1, 0, 0, 1],
        [0x2001, 0xdb8, 0, 1, 1, 1, 1, 1],
        [0x2001, 0, 0, 1, 0, 0, 0, 1],
        [0, 0, 1, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 0xffff, 0xc000, 0x0201],
        [0, 0, 0, 0, 0, 0, 0xc000, 0x0201],
        [0, 0, 0, 0, 0xffff, 0, 0xc000, 0x0201],
        [0x64, 0xff9b, 0, 0, 0, 0, 0xc000, 0x0201],
        [0xffff; 8],
        [0xABCD, 0xEF01, 0x10, 0x100, 0x1000, 1, 0xa, 0x20],
    ] {
        cases.push(object([("hex", hex(&v6(groups))), ("text", plain(ipv6(v6(groups))))]));
    }
    list(cases)
}

fn paths() -> Json {
    let names: [&[u8]; 16] = [
        b"/etc/hosts",
        b"a/b.csv",
        b"../up",
        b".",
        "Bl\u{fc}te".as_bytes(),
        b" spaces \t",
        b"not UTF-8 \xff\xfe",
        b"\\windows\\C:",
        b"/",
        b"..",
        b"-",
        b"42",
        b"name.tar.gz",
        b"two\nlines",
        "e\u{301}".as_bytes(),
        b"\xff",
    ];
    list(names.into_iter().map(|name| object([("hex", hex(name))])))
}

fn recipes() -> Json {
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
            let result = hex(&apply_recipe(recipe, key));
            cases.push(object([("recipe", plain(recipe)), ("key", hex(key)), ("result", result)]));
        }
    }
    list(cases)
}

fn seeds() -> Json {
    let mut cases = vec![object([("purpose", plain(())), ("seed", hex64(seed_for(None)))])];
    let mut purposes =
        vec![String::new(), "what the first lets through".into(), "Bl\u{fc}te".into(), "a".repeat(300)];
    purposes.extend((0..12).map(|i| format!("shard {i}")));
    for purpose in purposes {
        let seed = hex64(seed_for(Some(&purpose)));
        cases.push(object([("purpose", plain(purpose)), ("seed", seed)]));
    }
    list(cases)
}

fn finished() -> Json {
    let mut hashes = vec![0, 1, 2, 3, 255, 256, 65_535, 1 << 32, (1 << 33) - 1, 1 << 33, 1 << 62, 1 << 63];
    hashes.extend([u64::MAX, u64::MAX - 1, 0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53]);
    hashes.extend((0..7).map(|i| xxh3(format!("hash {i}").as_bytes(), 0)));
    list(hashes.into_iter().map(|h| object([("hash", hex64(h)), ("finished", hex64(finish(h)))])))
}

//! Sections 1.1 and 1.2: the bytes that are hashed for a key, and the recipe that is applied to the
//! key first.

use std::str::FromStr;

/// Section 1.1: the bytes that are hashed for a key of a key domain, or the reason why it is not in
/// that domain. The key is text or other bytes. An integer is given as its shortest decimal text,
/// except in domain 7, which has no integers.
pub fn bytes_of(domain: u8, key: &[u8]) -> Result<Vec<u8>, String> {
    match domain {
        1 => Ok(key.to_vec()),
        // `as` keeps the low bits, which are the two's complement.
        2 => Ok((integer(key, -(1 << 63), (1 << 64) - 1)? as u64).to_le_bytes().to_vec()),
        3 => Ok((integer(key, -(1 << 31), (1 << 32) - 1)? as u32).to_le_bytes().to_vec()),
        4 => Ok(text(key)?.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        5 => Ok(float::<f32>(key)?.to_le_bytes().to_vec()),
        6 => Ok(float::<f64>(key)?.to_le_bytes().to_vec()),
        7 => hexadecimal(text(key)?),
        _ => Err(format!("key domain {domain} is not known")),
    }
}

/// Pairs of digits, with or without a hyphen between two pairs.
fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if !bytes.is_empty() && rest.starts_with('-') {
            rest = &rest[1..];
        }
        let pair = rest.get(..2).filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let pair = pair.ok_or_else(|| format!("{text:?} is not hexadecimal"))?;
        bytes.push(u8::from_str_radix(pair, 16).map_err(|error| error.to_string())?);
        rest = &rest[2..];
    }
    Ok(bytes)
}

/// Section 1.1.1: a part of a compound key.
pub enum Part {
    /// A key that is not compound: its bytes in the domain `bytes`.
    Plain(Vec<u8>),
    /// A compound key.
    Compound(Vec<Part>),
}

/// Section 1.1.1: the bytes of a compound key. The recipe is applied to each part that is not
/// compound.
pub fn compound(recipe: u32, parts: &[Part]) -> Vec<u8> {
    let mut bytes = vec![0xFF];
    bytes.extend(framed(recipe, parts));
    bytes
}

fn framed(recipe: u32, parts: &[Part]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        let (bytes, is_compound) = match part {
            Part::Plain(key) => (apply_recipe(recipe, key), 0),
            Part::Compound(parts) => (framed(recipe, parts), 1),
        };
        let mut number = 2 * bytes.len() + is_compound;
        while number >= 128 {
            out.push((number % 128 + 128) as u8);
            number /= 128;
        }
        out.push(number as u8);
        out.extend(bytes);
    }
    out
}

/// Section 1.1: the text of an IPv4 address.
pub fn ipv4(address: [u8; 4]) -> String {
    let [a, b, c, d] = address;
    format!("{a}.{b}.{c}.{d}")
}

/// Section 1.1: the text of an IPv6 address, in the form of RFC 5952.
pub fn ipv6(address: [u8; 16]) -> String {
    if address[..12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255] {
        return format!("::ffff:{}", ipv4([address[12], address[13], address[14], address[15]]));
    }
    let group = |i: usize| u16::from_be_bytes([address[2 * i], address[2 * i + 1]]);
    // The first of the longest runs of at least two zeros.
    let (mut start, mut len) = (0, 0);
    for from in 0..8 {
        let mut to = from;
        while to < 8 && group(to) == 0 {
            to += 1;
        }
        if to - from >= 2 && to - from > len {
            (start, len) = (from, to - from);
        }
    }
    let groups = |from: usize, to: usize| {
        let texts: Vec<String> = (from..to).map(|i| format!("{:x}", group(i))).collect();
        texts.join(":")
    };
    if len == 0 { groups(0, 8) } else { format!("{}::{}", groups(0, start), groups(start + len, 8)) }
}

/// The value of a shortest decimal text, from `least` to `most`. The text is parsed and printed
/// again: only the shortest text stays unchanged, so `+1`, `01`, `-0` and ` 1` are refused.
fn integer(key: &[u8], least: i128, most: i128) -> Result<i128, String> {
    let text = text(key)?;
    let value: i128 = text.parse().map_err(|_| format!("{text:?} is not an integer"))?;
    if value.to_string() != text {
        return Err(format!("{text:?} is not the shortest decimal text of {value}"));
    }
    if value < least || value > most {
        return Err(format!("{value} is not from {least} to {most}"));
    }
    Ok(value)
}

/// UTF-8 as text.
fn text(key: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(key).map_err(|_| "the key is not UTF-8".to_string())
}

/// The `f32` or `f64` nearest to a decimal text. The standard library reads exactly the texts of
/// section 1.1, and rounds them once, to the nearest, ties to even.
fn float<F: FromStr>(key: &[u8]) -> Result<F, String> {
    let text = text(key)?;
    text.parse().map_err(|_| format!("{text:?} is not the decimal text of a number"))
}

/// Recipe bit 0: remove ASCII white space at both ends.
pub const TRIM: u32 = 1;
/// Recipe bit 1: turn `A`..`Z` into `a`..`z`.
pub const NOCASE: u32 = 2;

/// Section 1.2: applies the recipe to a key, before section 1.1.
pub fn apply_recipe(recipe: u32, key: &[u8]) -> Vec<u8> {
    let mut key = key.to_vec();
    if recipe & TRIM != 0 {
        while key.last().is_some_and(|&byte| is_white_space(byte)) {
            key.pop();
        }
        while key.first().is_some_and(|&byte| is_white_space(byte)) {
            key.remove(0);
        }
    }
    if recipe & NOCASE != 0 {
        for byte in &mut key {
            if (0x41..=0x5A).contains(byte) {
                *byte += 0x20;
            }
        }
    }
    key
}

/// The white space of the recipe. The standard library's `is_ascii_whitespace` lacks 0B.
fn is_white_space(byte: u8) -> bool {
    matches!(byte, 0x09..=0x0D | 0x20)
}

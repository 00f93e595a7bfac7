//! Sections 1.1 and 1.2: what is hashed for a key, and what is done to it before.

use std::str::FromStr;

/// A key as a caller gives it. Booleans, nulls and tuples have no key and so no variant here; floats are
/// given as text, to the two domains that have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key<'a> {
    /// Text, or any other bytes.
    Bytes(&'a [u8]),
    /// An integer.
    Integer(i128),
}

/// Section 1.1: what the keys of a filter are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Id 1: the bytes of the key.
    Bytes,
    /// Id 2: 64-bit integers.
    Integer,
    /// Id 3: 32-bit integers.
    Integer32,
    /// Id 4: text as UTF-16.
    Utf16,
    /// Id 5: IEEE 754 binary32.
    Float32,
    /// Id 6: IEEE 754 binary64.
    Float64,
}

impl Domain {
    /// All domains, in the order of their ids.
    pub const ALL: [Domain; 6] =
        [Domain::Bytes, Domain::Integer, Domain::Integer32, Domain::Utf16, Domain::Float32, Domain::Float64];

    /// The id in the header.
    pub fn id(self) -> u8 {
        match self {
            Domain::Bytes => 1,
            Domain::Integer => 2,
            Domain::Integer32 => 3,
            Domain::Utf16 => 4,
            Domain::Float32 => 5,
            Domain::Float64 => 6,
        }
    }

    /// The name of section 1.1.
    pub fn name(self) -> &'static str {
        match self {
            Domain::Bytes => "bytes",
            Domain::Integer => "integer",
            Domain::Integer32 => "integer32",
            Domain::Utf16 => "utf16",
            Domain::Float32 => "float32",
            Domain::Float64 => "float64",
        }
    }

    /// The bytes that are hashed for a key, or why it is not a key of this domain.
    pub fn bytes_of(self, key: Key) -> Result<Vec<u8>, String> {
        // An integer is in every domain what its shortest decimal text is.
        let given = match key {
            Key::Bytes(bytes) => bytes.to_vec(),
            Key::Integer(value) => value.to_string().into_bytes(),
        };
        match self {
            Domain::Bytes => Ok(given),
            Domain::Integer => eight_bytes(shortest_decimal(&given)?),
            Domain::Integer32 => four_bytes(shortest_decimal(&given)?),
            Domain::Utf16 => Ok(text(&given)?.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Domain::Float32 => Ok(number::<f32>(&given)?.to_le_bytes().to_vec()),
            Domain::Float64 => Ok(number::<f64>(&given)?.to_le_bytes().to_vec()),
        }
    }
}

/// The value of a shortest decimal text. Read it, print it: only the shortest text comes back unchanged,
/// so `+1`, `01`, `-0` and ` 1` fall out.
fn shortest_decimal(text: &[u8]) -> Result<i128, String> {
    let refused =
        || format!("{:?} is not the shortest decimal text of an integer", String::from_utf8_lossy(text));
    let text = std::str::from_utf8(text).map_err(|_| refused())?;
    let value: i128 = text.parse().map_err(|_| refused())?;
    if value.to_string() == text { Ok(value) } else { Err(refused()) }
}

/// A value from -2^63 to 2^64-1 as 8 little-endian bytes, a negative one in two's complement.
fn eight_bytes(value: i128) -> Result<Vec<u8>, String> {
    if !(-(1 << 63)..=(1 << 64) - 1).contains(&value) {
        return Err(format!("{value} does not fit: an integer key is from -2^63 to 2^64-1"));
    }
    // `as` keeps the low 64 bits, which are the two's complement.
    Ok((value as u64).to_le_bytes().to_vec())
}

/// A value from -2^31 to 2^32-1 as 4 little-endian bytes, a negative one in two's complement.
fn four_bytes(value: i128) -> Result<Vec<u8>, String> {
    if !(-(1 << 31)..=(1 << 32) - 1).contains(&value) {
        return Err(format!("{value} does not fit: an integer32 key is from -2^31 to 2^32-1"));
    }
    Ok((value as u32).to_le_bytes().to_vec())
}

/// UTF-8 as text.
fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "the key is not UTF-8".to_string())
}

/// The `f32` or `f64` nearest to a decimal text, ties to the even one, rounded once. A decimal text is, after
/// a sign that may be missing, digits with at most one point among, before or after them, then perhaps `e` or
/// `E` and a whole exponent; or, in letters of any case, `inf`, `infinity` or `nan`.
fn number<F: FromStr>(bytes: &[u8]) -> Result<F, String> {
    let text = text(bytes)?;
    text.parse().map_err(|_| format!("{text:?} is not the decimal text of a number"))
}

/// Recipe bit 0: remove ASCII white space at both ends.
pub const TRIM: u32 = 1;
/// Recipe bit 1: turn `A`..`Z` into `a`..`z`.
pub const NOCASE: u32 = 2;

/// Section 1.2: what whoever asks does to a key before it is hashed.
pub fn apply_recipe(recipe: u32, key: &[u8]) -> Result<Vec<u8>, String> {
    check_recipe(recipe)?;
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
    Ok(key)
}

/// Refuses recipe bits that section 1.2 does not name.
pub fn check_recipe(recipe: u32) -> Result<(), String> {
    if recipe & !(TRIM | NOCASE) != 0 {
        return Err(format!("recipe {recipe:#x} has unknown bits"));
    }
    Ok(())
}

/// The white space of the recipe: 09, 0A, 0B, 0C, 0D and 20. (The standard library's
/// `is_ascii_whitespace` leaves 0B out.)
fn is_white_space(byte: u8) -> bool {
    matches!(byte, 0x09..=0x0D | 0x20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_in_the_bytes_domain_is_its_text() {
        assert_eq!(Domain::Bytes.bytes_of(Key::Integer(-42)).unwrap(), b"-42");
        assert_eq!(Domain::Bytes.bytes_of(Key::Bytes(b"042")).unwrap(), b"042");
    }

    #[test]
    fn text_in_the_integer_domain_is_the_integer() {
        for (text, value) in [("0", 0), ("-1", u64::MAX), ("18446744073709551615", u64::MAX)] {
            assert_eq!(Domain::Integer.bytes_of(Key::Bytes(text.as_bytes())).unwrap(), value.to_le_bytes());
        }
        let lowest = Domain::Integer.bytes_of(Key::Bytes(b"-9223372036854775808")).unwrap();
        assert_eq!(lowest, (1u64 << 63).to_le_bytes());
    }

    #[test]
    fn other_text_is_refused_in_the_integer_domain() {
        let refused = ["", "042", "+1", "-0", "-", "1.0", " 1", "1 ", "1e3", "0x1", "\u{661}"];
        for text in refused.iter().chain(&["18446744073709551616", "-9223372036854775809"]) {
            assert!(Domain::Integer.bytes_of(Key::Bytes(text.as_bytes())).is_err(), "{text:?}");
        }
        assert!(Domain::Integer.bytes_of(Key::Bytes(b"\xff")).is_err());
        assert!(Domain::Integer.bytes_of(Key::Integer(1 << 64)).is_err());
    }

    #[test]
    fn thirty_two_bit_integers() {
        for (text, bytes) in
            [("0", [0; 4]), ("-1", [255; 4]), ("4294967295", [255; 4]), ("258", [2, 1, 0, 0])]
        {
            assert_eq!(Domain::Integer32.bytes_of(Key::Bytes(text.as_bytes())).unwrap(), bytes);
        }
        assert_eq!(Domain::Integer32.bytes_of(Key::Integer(-(1 << 31))).unwrap(), [0, 0, 0, 0x80]);
        for text in ["4294967296", "-2147483649", "", "01", "+1", "-0", "1.0", "x"] {
            assert!(Domain::Integer32.bytes_of(Key::Bytes(text.as_bytes())).is_err(), "{text:?}");
        }
        assert!(Domain::Integer32.bytes_of(Key::Integer(1 << 32)).is_err());
    }

    #[test]
    fn utf16_units() {
        let key = "a\u{e9}\u{1f511}";
        let expected = [0x61, 0, 0xE9, 0, 0x3D, 0xD8, 0x11, 0xDD];
        assert_eq!(Domain::Utf16.bytes_of(Key::Bytes(key.as_bytes())).unwrap(), expected);
        assert_eq!(Domain::Utf16.bytes_of(Key::Integer(-1)).unwrap(), [b'-', 0, b'1', 0]);
        // A lone byte, and a surrogate written as if it were a character.
        for bytes in [&b"\xFF"[..], b"\xED\xA0\x80"] {
            assert!(Domain::Utf16.bytes_of(Key::Bytes(bytes)).is_err());
        }
    }

    #[test]
    fn floats_are_rounded_once() {
        let f32_of = |text: &str| Domain::Float32.bytes_of(Key::Bytes(text.as_bytes()));
        // Just above the middle of 1 and the next f32; as f64 it would be the middle itself, and go to 1.
        let above_middle = "1.000000059604644775390626";
        assert_eq!(f32_of(above_middle).unwrap(), 1.0000001f32.to_le_bytes());
        assert_eq!(f32_of("-0").unwrap(), [0, 0, 0, 0x80]);
        assert_eq!(f32_of("NaN").unwrap(), [0, 0, 0xC0, 0x7F]);
        assert_eq!(Domain::Float64.bytes_of(Key::Integer(1)).unwrap(), [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]);
        for text in ["", " 1", "1 ", "1,5", "0x1p3", ".", "e5", "1e", "1_0", "-", "--1", "NaN()", "1f"] {
            assert!(f32_of(text).is_err(), "{text:?}");
        }
        assert!(Domain::Float64.bytes_of(Key::Bytes(b"\xFF")).is_err());
    }

    #[test]
    fn recipe_trims_then_lowers() {
        assert_eq!(apply_recipe(TRIM | NOCASE, b"\x0b\r Ab C\t\n\x0c").unwrap(), b"ab c");
        assert_eq!(apply_recipe(TRIM, b" \t ").unwrap(), b"");
        assert_eq!(apply_recipe(NOCASE, "@AZ[\u{c4}".as_bytes()).unwrap(), "@az[\u{c4}".as_bytes());
        assert!(apply_recipe(4, b"a").is_err());
    }
}

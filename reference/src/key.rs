//! Sections 1.1 and 1.2: what is hashed for a key, and what is done to it before.

/// A key as a caller gives it. Floats, booleans, nulls and tuples have no key and so no variant here.
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
}

impl Domain {
    /// Both domains, in the order of their ids.
    pub const ALL: [Domain; 2] = [Domain::Bytes, Domain::Integer];

    /// The id in the header.
    pub fn id(self) -> u8 {
        match self {
            Domain::Bytes => 1,
            Domain::Integer => 2,
        }
    }

    /// The name of section 1.1.
    pub fn name(self) -> &'static str {
        match self {
            Domain::Bytes => "bytes",
            Domain::Integer => "integer",
        }
    }

    /// The bytes that are hashed for a key, or why it is not a key of this domain.
    pub fn bytes_of(self, key: Key) -> Result<Vec<u8>, String> {
        match (self, key) {
            (Domain::Bytes, Key::Bytes(bytes)) => Ok(bytes.to_vec()),
            (Domain::Bytes, Key::Integer(value)) => Ok(value.to_string().into_bytes()),
            (Domain::Integer, Key::Integer(value)) => eight_bytes(value),
            (Domain::Integer, Key::Bytes(bytes)) => eight_bytes(shortest_decimal(bytes)?),
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
    fn recipe_trims_then_lowers() {
        assert_eq!(apply_recipe(TRIM | NOCASE, b"\x0b\r Ab C\t\n\x0c").unwrap(), b"ab c");
        assert_eq!(apply_recipe(TRIM, b" \t ").unwrap(), b"");
        assert_eq!(apply_recipe(NOCASE, "@AZ[\u{c4}".as_bytes()).unwrap(), "@az[\u{c4}".as_bytes());
        assert!(apply_recipe(4, b"a").is_err());
    }
}

//! The bytes that are hashed for a key in each key domain (FORMAT.md, section 1.1).

use alloc::string::String;
#[cfg(feature = "foreign")]
use alloc::vec::Vec;

use super::decimal::with_decimal;
#[cfg(feature = "foreign")]
use super::decimal::{DECIMAL, write_decimal};
use super::key_ref::KeyRef;
use crate::error::{Error, Result};
use crate::ids::KeyDomain;

impl KeyDomain {
    /// Calls `with` with the bytes that are hashed for `key` in this domain.
    #[inline(always)]
    pub(crate) fn encode<R>(self, key: KeyRef<'_>, with: impl FnOnce(&[u8]) -> R) -> Result<R> {
        match (self, key) {
            (KeyDomain::Bytes, KeyRef::Bytes(bytes)) => Ok(with(bytes)),
            (KeyDomain::Bytes, KeyRef::Unsigned(n)) => Ok(with_decimal(false, n, with)),
            (KeyDomain::Bytes, KeyRef::Signed(n)) => Ok(with_decimal(n < 0, n.unsigned_abs(), with)),
            (KeyDomain::Bytes, KeyRef::Compound(compound)) => Ok(with(compound.bytes())),
            (KeyDomain::Integer, KeyRef::Bytes(text)) => Ok(with(&parse_integer(text)?.to_le_bytes())),
            (KeyDomain::Integer, KeyRef::Unsigned(n)) => Ok(with(&n.to_le_bytes())),
            (KeyDomain::Integer, KeyRef::Signed(n)) => Ok(with(&n.to_le_bytes())),
            (KeyDomain::Integer, KeyRef::Compound(_)) => Err(self.without_compounds()),
            #[cfg(feature = "foreign")]
            (foreign, key) => foreign.encode_foreign(key, with),
            // No filter has this domain: `check_known`.
            #[cfg(not(feature = "foreign"))]
            (foreign, _) => foreign.unknown(),
        }
    }

    /// The error for a compound key in a domain other than bytes.
    #[cold]
    fn without_compounds(self) -> Error {
        Error::KeyRefused { domain: self, found: String::from("a key of several parts") }
    }

    /// Refuses a domain that is not compiled into this build.
    pub(crate) fn check_known(self) -> Result<()> {
        match self {
            KeyDomain::Bytes | KeyDomain::Integer => Ok(()),
            #[cfg(feature = "foreign")]
            KeyDomain::Integer32
            | KeyDomain::Utf16
            | KeyDomain::Float32
            | KeyDomain::Float64
            | KeyDomain::Hex => Ok(()),
            #[cfg(not(feature = "foreign"))]
            KeyDomain::Integer32
            | KeyDomain::Utf16
            | KeyDomain::Float32
            | KeyDomain::Float64
            | KeyDomain::Hex => self.unknown(),
        }
    }

    /// The domains of this build in which every number is a key.
    #[cfg(test)]
    pub(crate) fn of_numbers() -> impl Iterator<Item = Self> {
        let has_numbers = |domain: &Self| *domain != KeyDomain::Hex && domain.check_known().is_ok();
        KeyDomain::ALL.iter().copied().filter(has_numbers)
    }

    /// The error for a domain that this build does not have. A separate function: inlined, it makes
    /// hashing of integers in a filter of bytes take 1.5 times as long.
    #[cfg(not(feature = "foreign"))]
    #[cold]
    #[inline(never)]
    fn unknown<R>(self) -> Result<R> {
        let known = "1 (bytes), 2 (int64), and others with the feature foreign";
        Err(Error::Unsupported { what: KeyDomain::WHAT, found: self.id().into(), known })
    }

    /// [`encode`](Self::encode) for the domains of other programs.
    #[cfg(feature = "foreign")]
    pub(super) fn encode_foreign<R>(self, key: KeyRef<'_>, with: impl FnOnce(&[u8]) -> R) -> Result<R> {
        let mut decimal = [0; DECIMAL];
        let text = match key {
            KeyRef::Bytes(text) => text,
            KeyRef::Compound(_) => return Err(self.without_compounds()),
            KeyRef::Unsigned(n) => write_decimal(false, n, &mut decimal),
            KeyRef::Signed(n) => write_decimal(n < 0, n.unsigned_abs(), &mut decimal),
        };
        let refused = || Error::KeyRefused { domain: self, found: shown(text) };
        let utf8 = core::str::from_utf8(text).map_err(|_| refused())?;
        match self {
            KeyDomain::Integer32 => {
                // An i32 and the u32 of the same bits are one key, like the 64-bit integers.
                let value = parse_integer(text).map_err(|_| refused())? as i64;
                let negative = utf8.starts_with('-');
                let fits =
                    if negative { value >= i64::from(i32::MIN) } else { (0..1 << 32).contains(&value) };
                if fits { Ok(with(&(value as u32).to_le_bytes())) } else { Err(refused()) }
            }
            KeyDomain::Utf16 => {
                let units: Vec<u8> = utf8.encode_utf16().flat_map(u16::to_le_bytes).collect();
                Ok(with(&units))
            }
            KeyDomain::Float32 => {
                Ok(with(&utf8.parse::<f32>().map_err(|_| refused())?.to_bits().to_le_bytes()))
            }
            KeyDomain::Float64 => {
                Ok(with(&utf8.parse::<f64>().map_err(|_| refused())?.to_bits().to_le_bytes()))
            }
            // The decimal digits of a number would be another number if they were read as
            // hexadecimal digits.
            KeyDomain::Hex if !matches!(key, KeyRef::Bytes(_)) => Err(refused()),
            KeyDomain::Hex => Ok(with(&parse_hex(text).ok_or_else(refused)?)),
            KeyDomain::Bytes | KeyDomain::Integer => self.encode(key, with),
        }
    }
}

/// Parses pairs of hexadecimal digits into bytes. A hyphen may stand between two pairs.
#[cfg(feature = "foreign")]
fn parse_hex(mut text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut bytes = Vec::with_capacity(text.len() / 2);
    while let [high, low, rest @ ..] = text {
        bytes.push(digit(*high)? << 4 | digit(*low)?);
        text = match rest {
            [b'-', next @ ..] if !next.is_empty() => next,
            _ => rest,
        };
    }
    text.is_empty().then_some(bytes)
}

/// The beginning of a key, for an error.
fn shown(key: &[u8]) -> String {
    String::from_utf8_lossy(&key[..key.len().min(40)]).into_owned()
}

/// Parses the shortest decimal text of an integer from -2^63 to 2^64-1 into its 64 bits.
pub(crate) fn parse_integer(text: &[u8]) -> Result<u64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let negative = digits.len() < text.len();
    let canonical = match digits {
        [b'0'] => !negative,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let more = |n: u64, digit: &u8| n.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    let size = if canonical { digits.iter().try_fold(0, more) } else { None };
    let value = match negative {
        true => size.filter(|n| *n <= 1 << 63).map(u64::wrapping_neg),
        false => size,
    };
    value.ok_or_else(|| Error::KeyRefused { domain: KeyDomain::Integer, found: shown(text) })
}

//! What a key is: bytes, or a 64-bit integer, as the filter's domain says (FORMAT.md, section 1.1).

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::error::{Error, Result};

/// What the keys of a filter are. The filter's domain decides which bytes are hashed, never the type the
/// caller holds the key in.
///
/// [`Bytes`](KeyDomain::Bytes) and [`Integer`](KeyDomain::Integer) are for tepal's own filters; the others
/// are encodings that other programs hash and their files do not record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyDomain {
    /// Bytes, the default. Text is its UTF-8; an integer is its shortest decimal text, so that `42`,
    /// `"42"` and the line `42` are one key.
    #[default]
    Bytes,
    /// 64-bit integers, hashed as 8 little-endian bytes; `i64` and `u64` share their bits (-1 and 2^64-1
    /// are one key). Text is accepted only as the shortest decimal form of such an integer.
    Integer,
    /// 32-bit integers, hashed as 4 little-endian bytes: Guava's `integerFunnel`, Parquet's INT32.
    Integer32,
    /// Text, hashed as its UTF-16 units, little-endian: Guava's `unencodedCharsFunnel`.
    Utf16,
    /// Numbers, hashed as the 4 bytes of an IEEE 754 binary32: Parquet's FLOAT. Given as decimal text.
    Float32,
    /// Numbers, hashed as the 8 bytes of an IEEE 754 binary64: Parquet's DOUBLE. Given as decimal text.
    Float64,
}

impl KeyDomain {
    /// Every domain this build knows.
    pub const ALL: [KeyDomain; 6] = [
        KeyDomain::Bytes,
        KeyDomain::Integer,
        KeyDomain::Integer32,
        KeyDomain::Utf16,
        KeyDomain::Float32,
        KeyDomain::Float64,
    ];

    /// The number that stands for it in a file.
    pub const fn id(self) -> u8 {
        match self {
            KeyDomain::Bytes => 1,
            KeyDomain::Integer => 2,
            KeyDomain::Integer32 => 3,
            KeyDomain::Utf16 => 4,
            KeyDomain::Float32 => 5,
            KeyDomain::Float64 => 6,
        }
    }

    /// Its name, in texts and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            KeyDomain::Bytes => "bytes",
            KeyDomain::Integer => "integer",
            KeyDomain::Integer32 => "integer32",
            KeyDomain::Utf16 => "utf16",
            KeyDomain::Float32 => "float32",
            KeyDomain::Float64 => "float64",
        }
    }

    pub(crate) fn from_id(id: u8) -> Result<Self> {
        Self::ALL.into_iter().find(|d| d.id() == id).ok_or(Error::Unsupported {
            what: "key domain",
            found: id.into(),
            known: "1 (bytes), 2 (integer), 3 (integer32), 4 (utf16), 5 (float32) and 6 (float64)",
        })
    }

    /// Hands the bytes that stand for `key` in this domain to `with`.
    #[inline(always)]
    pub(crate) fn encode<R>(self, key: KeyRef<'_>, with: impl FnOnce(&[u8]) -> R) -> Result<R> {
        match (self, key) {
            (KeyDomain::Bytes, KeyRef::Bytes(bytes)) => Ok(with(bytes)),
            (KeyDomain::Bytes, KeyRef::Unsigned(n)) => Ok(with_decimal(false, n, with)),
            (KeyDomain::Bytes, KeyRef::Signed(n)) => Ok(with_decimal(n < 0, n.unsigned_abs(), with)),
            (KeyDomain::Integer, KeyRef::Bytes(text)) => Ok(with(&parse_integer(text)?.to_le_bytes())),
            (KeyDomain::Integer, KeyRef::Unsigned(n)) => Ok(with(&n.to_le_bytes())),
            (KeyDomain::Integer, KeyRef::Signed(n)) => Ok(with(&n.to_le_bytes())),
            (foreign, key) => foreign.encode_foreign(key, with),
        }
    }

    /// [`encode`](Self::encode) for the domains of other programs.
    pub(super) fn encode_foreign<R>(self, key: KeyRef<'_>, with: impl FnOnce(&[u8]) -> R) -> Result<R> {
        let mut decimal = [0; DECIMAL];
        let text = match key {
            KeyRef::Bytes(text) => text,
            KeyRef::Unsigned(n) => write_decimal(false, n, &mut decimal),
            KeyRef::Signed(n) => write_decimal(n < 0, n.unsigned_abs(), &mut decimal),
        };
        let refused = || Error::KeyRefused { domain: self, found: shown(text) };
        let utf8 = core::str::from_utf8(text).map_err(|_| refused())?;
        match self {
            KeyDomain::Integer32 => {
                // i32 and u32 share their bits, as the 64-bit integers do.
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
            KeyDomain::Bytes | KeyDomain::Integer => self.encode(key, with),
        }
    }
}

/// A sign and the 20 digits of 2^64-1.
const DECIMAL: usize = 21;

fn with_decimal<R>(negative: bool, n: u64, with: impl FnOnce(&[u8]) -> R) -> R {
    with(write_decimal(negative, n, &mut [0; DECIMAL]))
}

/// The shortest decimal text of an integer.
#[inline]
fn write_decimal(negative: bool, mut n: u64, buffer: &mut [u8; DECIMAL]) -> &[u8] {
    let mut start = DECIMAL;
    loop {
        start -= 1;
        buffer[start] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    if negative {
        start -= 1;
        buffer[start] = b'-';
    }
    &buffer[start..]
}

/// The beginning of a key, for an error.
fn shown(key: &[u8]) -> String {
    String::from_utf8_lossy(&key[..key.len().min(40)]).into_owned()
}

impl fmt::Display for KeyDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for KeyDomain {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|domain| domain.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::parameter("the key domain", name, format_args!("one of {names}"))
        })
    }
}

/// A key as the caller holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRef<'a> {
    /// Bytes or text.
    Bytes(&'a [u8]),
    /// An integer of 0 or more.
    Unsigned(u64),
    /// An integer that may be negative.
    Signed(i64),
}

/// Whatever can be a key: bytes, text, and integers of up to 64 bits.
///
/// Floats, booleans and tuples are none, on purpose: their bytes differ between languages. Nothing goes
/// through [`core::hash::Hash`], whose framing may change between releases.
pub trait Key {
    /// The key, borrowed.
    fn key(&self) -> KeyRef<'_>;
}

impl<K: Key + ?Sized> Key for &K {
    #[inline]
    fn key(&self) -> KeyRef<'_> {
        (**self).key()
    }
}

impl<K: Key + ToOwned + ?Sized> Key for Cow<'_, K> {
    #[inline]
    fn key(&self) -> KeyRef<'_> {
        (**self).key()
    }
}

impl Key for KeyRef<'_> {
    #[inline]
    fn key(&self) -> KeyRef<'_> {
        *self
    }
}

impl<const N: usize> Key for [u8; N] {
    #[inline]
    fn key(&self) -> KeyRef<'_> {
        KeyRef::Bytes(self)
    }
}

macro_rules! byte_keys {
    ($($type:ty => $bytes:expr),*) => {$(
        impl Key for $type {
            #[inline]
            fn key(&self) -> KeyRef<'_> {
                let bytes: fn(&$type) -> &[u8] = $bytes;
                KeyRef::Bytes(bytes(self))
            }
        }
    )*};
}
byte_keys!([u8] => |k| k, Vec<u8> => |k| k, str => str::as_bytes, String => |k| k.as_bytes());

macro_rules! integer_keys {
    ($($type:ty => $variant:ident($wide:ty)),*) => {$(
        impl Key for $type {
            #[inline]
            fn key(&self) -> KeyRef<'_> {
                KeyRef::$variant(*self as $wide)
            }
        }
    )*};
}
integer_keys!(u8 => Unsigned(u64), u16 => Unsigned(u64), u32 => Unsigned(u64), u64 => Unsigned(u64));
integer_keys!(i8 => Signed(i64), i16 => Signed(i64), i32 => Signed(i64), i64 => Signed(i64));
integer_keys!(usize => Unsigned(u64), isize => Signed(i64));

/// Reads the shortest decimal text of an integer from -2^63 to 2^64-1, as its 64 bits.
pub(crate) fn parse_integer(text: &[u8]) -> Result<u64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let negative = digits.len() < text.len();
    let canonical = match digits {
        [b'0'] => !negative,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    // Digits and a sign are ASCII, so a canonical text is UTF-8.
    let text_utf8 = core::str::from_utf8(text).ok().filter(|_| canonical);
    let value = text_utf8
        .and_then(|t| if negative { t.parse::<i64>().ok().map(|n| n as u64) } else { t.parse::<u64>().ok() });
    value.ok_or_else(|| Error::KeyRefused { domain: KeyDomain::Integer, found: shown(text) })
}

/// What is done to a key before it is hashed, by whoever asks: part of the set's meaning, so it stands
/// in the file (FORMAT.md, section 1.2). The filter stores it and applies it to nothing by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// ASCII white space is removed at both ends.
    pub trim: bool,
    /// ASCII capital letters become small ones; no other byte changes.
    pub nocase: bool,
}

impl Recipe {
    /// The key after the recipe. Borrows unless a letter has to change.
    pub fn apply<'a>(&self, key: &'a [u8]) -> Cow<'a, [u8]> {
        let mut key = key;
        if self.trim {
            while let [b'\t'..=b'\r' | b' ', rest @ ..] = key {
                key = rest;
            }
            while let [rest @ .., b'\t'..=b'\r' | b' '] = key {
                key = rest;
            }
        }
        if self.nocase && key.iter().any(u8::is_ascii_uppercase) {
            return Cow::Owned(key.to_ascii_lowercase());
        }
        Cow::Borrowed(key)
    }

    pub(crate) fn to_flags(self) -> u32 {
        u32::from(self.trim) | u32::from(self.nocase) << 1
    }

    pub(crate) fn from_flags(flags: u32) -> Result<Self> {
        if flags > 3 {
            return Err(Error::Unsupported {
                what: "key recipe",
                found: flags.into(),
                known: "bits 0 (trim) and 1 (nocase)",
            });
        }
        Ok(Recipe { trim: flags & 1 != 0, nocase: flags & 2 != 0 })
    }
}

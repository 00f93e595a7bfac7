//! What a key is: bytes, or a 64-bit integer, as the filter's domain says (FORMAT.md, section 1.1).

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::error::{Error, Result};

/// What the keys of a filter are. The filter's domain decides how a key is hashed, never the type the
/// caller holds it in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyDomain {
    /// Bytes, the default. Text is its UTF-8; an integer is its shortest decimal text, so that `42`,
    /// `"42"` and the line `42` are one key.
    #[default]
    Bytes,
    /// 64-bit integers, hashed as 8 bytes; `i64` and `u64` share their bits (-1 and 2^64-1 are one
    /// key). Text is accepted only as the shortest decimal form of such an integer.
    Integer,
}

impl KeyDomain {
    pub(crate) const ALL: [KeyDomain; 2] = [KeyDomain::Bytes, KeyDomain::Integer];

    /// The number that stands for it in a file.
    pub const fn id(self) -> u8 {
        match self {
            KeyDomain::Bytes => 1,
            KeyDomain::Integer => 2,
        }
    }

    pub(crate) fn from_id(id: u8) -> Result<Self> {
        Self::ALL.into_iter().find(|d| d.id() == id).ok_or(Error::Unsupported {
            what: "key domain",
            found: id.into(),
            known: "1 (bytes) and 2 (integer)",
        })
    }
}

impl fmt::Display for KeyDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyDomain::Bytes => "bytes",
            KeyDomain::Integer => "integer",
        })
    }
}

impl FromStr for KeyDomain {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "bytes" => Ok(KeyDomain::Bytes),
            "integer" => Ok(KeyDomain::Integer),
            _ => Err(Error::parameter("the key domain", name, "`bytes` or `integer`")),
        }
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
    value.ok_or_else(|| {
        let shown = &text[..text.len().min(40)];
        Error::NotAnInteger { found: String::from_utf8_lossy(shown).into_owned() }
    })
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

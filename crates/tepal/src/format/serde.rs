//! Filters in serde's formats: as the bytes of their file, which are refused or right.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ids::Scheme;
use crate::kinds::bloom::BloomFilter;
use crate::kinds::storage::PlainStorage;

/// As the bytes of the [file](BloomFilter::to_bytes); in formats that people read, such as JSON, in Base64. A filter with a
/// secret key is refused: whoever reads it has no place to give the key.
impl<L: PlainStorage> Serialize for BloomFilter<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.scheme() == Scheme::SipHash13 {
            let instead =
                "a filter with a secret key: write its `to_bytes`, and read them with `from_bytes_with_key`";
            return Err(S::Error::custom(instead));
        }
        let bytes = self.to_bytes().map_err(S::Error::custom)?;
        match serializer.is_human_readable() {
            true => serializer.serialize_str(&STANDARD.encode(bytes)),
            false => serializer.serialize_bytes(&bytes),
        }
    }
}

/// With every check of [`from_bytes`](BloomFilter::from_bytes).
impl<'de> Deserialize<'de> for BloomFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_str(File),
            false => deserializer.deserialize_bytes(File),
        }
    }
}

/// The bytes of a file, however they come.
struct File;

impl<'de> Visitor<'de> for File {
    type Value = BloomFilter;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a tepal file, or these in Base64")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<BloomFilter, E> {
        BloomFilter::from_bytes(bytes).map_err(E::custom)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<BloomFilter, E> {
        let bytes = STANDARD.decode(text).map_err(|error| E::custom(format_args!("not Base64: {error}")))?;
        self.visit_bytes(&bytes)
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<BloomFilter, E> {
        self.visit_str(&text)
    }

    /// Formats without bytes of their own have a list of numbers.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<BloomFilter, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element::<u8>()? {
            bytes.push(byte);
        }
        BloomFilter::from_bytes(&bytes).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests;

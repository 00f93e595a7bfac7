//! Filters in serde's formats: as the bytes of their file, which are refused or right.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::open::Open;
use crate::error::Result as OurResult;
use crate::ids::Scheme;
use crate::kinds::AnyFilter;
use crate::kinds::bloom::BloomFilter;
use crate::kinds::storage::PlainStorage;

/// A filter that is read as the bytes of its file.
trait OfFile: Sized {
    fn of_file(bytes: &[u8]) -> OurResult<Self>;
}

/// Writes the file of a filter. One with a secret key is refused; `instead` says what does.
fn write<S: Serializer>(
    serializer: S,
    scheme: Scheme,
    instead: &'static str,
    file: impl FnOnce() -> OurResult<Vec<u8>>,
) -> Result<S::Ok, S::Error> {
    if scheme == Scheme::SipHash13 {
        return Err(S::Error::custom(format_args!("a filter with a secret key: {instead}")));
    }
    let bytes = file().map_err(S::Error::custom)?;
    match serializer.is_human_readable() {
        true => serializer.serialize_str(&STANDARD.encode(bytes)),
        false => serializer.serialize_bytes(&bytes),
    }
}

/// Reads it.
fn read<'de, F: OfFile, D: Deserializer<'de>>(deserializer: D) -> Result<F, D::Error> {
    match deserializer.is_human_readable() {
        true => deserializer.deserialize_str(File(PhantomData)),
        false => deserializer.deserialize_bytes(File(PhantomData)),
    }
}

/// As the bytes of the [file](BloomFilter::to_bytes); in formats that people read, such as JSON, in Base64. A filter with a
/// secret key is refused: whoever reads it has no place to give the key.
impl<L: PlainStorage> Serialize for BloomFilter<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let instead = "write its `to_bytes`, and read them with `from_bytes_with_key`";
        write(serializer, self.scheme(), instead, || self.to_bytes())
    }
}

/// With every check of [`from_bytes`](BloomFilter::from_bytes).
impl<'de> Deserialize<'de> for BloomFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer)
    }
}

impl OfFile for BloomFilter {
    fn of_file(bytes: &[u8]) -> OurResult<Self> {
        BloomFilter::from_bytes(bytes)
    }
}

/// What a filter whose file an [`Opened`](crate::Opened) writes says where it has a secret key.
const KEYED: &str = "write its `Opened::to_bytes`, and read them with `Open::secret_key`";

/// As the bytes of its file, whatever its kind; in formats that people read, such as JSON, in Base64. A filter with a secret key is
/// refused: whoever reads it has no place to give the key. So is a chain of another program, which has no tepal file.
impl Serialize for AnyFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(serializer, self.scheme(), KEYED, || self.to_bytes())
    }
}

/// With every check of [`tepal::from_bytes`](crate::format::open::from_bytes), and of tepal files alone.
impl<'de> Deserialize<'de> for AnyFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer)
    }
}

impl OfFile for AnyFilter {
    fn of_file(bytes: &[u8]) -> OurResult<Self> {
        Open::new().read_as(bytes)
    }
}

/// The types of the list, but the Bloom filter, which is read into memory and has calls of its own. A type with a storage may have its
/// bits elsewhere when it is written.
macro_rules! as_file {
    (Bloom: $($bloom:tt)*) => {};
    ($kind:ident: $module:ident::$type:ident $(<$storage:ident>)?) => {
        /// As the bytes of its file (`Opened::to_bytes`); in formats that people read, such as JSON, in Base64. A filter with a secret key
        /// is refused: whoever reads it has no place to give the key.
        impl$(<$storage: PlainStorage>)? Serialize for crate::kinds::$module::$type$(<$storage>)? {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let scheme = crate::kinds::Filter::key_hasher(self).scheme();
                write(serializer, scheme, KEYED, || self.to_bytes())
            }
        }

        /// With every check of [`tepal::from_bytes`](crate::format::open::from_bytes). A filter of another kind is refused: an [`AnyFilter`] is
        /// of any.
        impl<'de> Deserialize<'de> for crate::kinds::$module::$type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(deserializer)
            }
        }

        impl OfFile for crate::kinds::$module::$type {
            fn of_file(bytes: &[u8]) -> OurResult<Self> {
                Open::new().read_as(bytes)
            }
        }
    };
}

each_kind!(each_type as_file);

/// The bytes of a file, however they come.
struct File<F>(PhantomData<fn() -> F>);

impl<'de, F: OfFile> Visitor<'de> for File<F> {
    type Value = F;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a tepal file, or these in Base64")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<F, E> {
        F::of_file(bytes).map_err(E::custom)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<F, E> {
        let bytes = STANDARD.decode(text).map_err(|error| E::custom(format_args!("not Base64: {error}")))?;
        self.visit_bytes(&bytes)
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<F, E> {
        self.visit_str(&text)
    }

    /// Formats without bytes of their own have a list of numbers.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<F, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element::<u8>()? {
            bytes.push(byte);
        }
        F::of_file(&bytes).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests;

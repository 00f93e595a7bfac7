//! Filters in serde's formats, as the bytes of their file. Reading checks everything.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::open::Open;
use crate::error::Result as OurResult;
use crate::ids::Scheme;
use crate::kinds::AnyFilter;
use crate::kinds::storage::PlainStorage;

/// Writes a filter as its file. A filter with a secret key is refused.
fn write<S: Serializer>(
    serializer: S,
    scheme: Scheme,
    file: impl FnOnce() -> OurResult<Vec<u8>>,
) -> Result<S::Ok, S::Error> {
    if scheme == Scheme::SipHash13 {
        let instead =
            "write its `to_bytes`, and read them with `from_bytes_with_key`, or with `Open::secret_key`";
        return Err(S::Error::custom(format_args!("a filter with a secret key: {instead}")));
    }
    let bytes = file().map_err(S::Error::custom)?;
    match serializer.is_human_readable() {
        true => serializer.serialize_str(&STANDARD.encode(bytes)),
        false => serializer.serialize_bytes(&bytes),
    }
}

/// Reads a filter with `of`. Owned bytes are asked for: a format that reads from a stream lends
/// only those that fit its buffer.
fn read<'de, F, D: Deserializer<'de>>(deserializer: D, of: fn(&[u8]) -> OurResult<F>) -> Result<F, D::Error> {
    match deserializer.is_human_readable() {
        true => deserializer.deserialize_string(File(of)),
        false => deserializer.deserialize_byte_buf(File(of)),
    }
}

/// Writes the bytes of its file; in human-readable formats such as JSON, in Base64. A filter with a
/// secret key is refused, because reading has no parameter for the key. A chain of another program
/// is refused, because it has no tepal file.
impl Serialize for AnyFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(serializer, self.scheme(), || self.to_bytes())
    }
}

/// Reads with every check of [`tepal::from_bytes`](crate::format::open::from_bytes); only tepal
/// files.
impl<'de> Deserialize<'de> for AnyFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, |bytes| Open::new().read_as(bytes))
    }
}

/// Implements serde for the types in the list. A type with storage may be written from any storage.
macro_rules! as_file {
    ($kind:ident: $module:ident::$type:ident $(<$storage:ident>)?) => {
        /// Writes the bytes of its file (`to_bytes`); in human-readable formats such as JSON, in
        /// Base64. A filter with a secret key is refused, because reading has no parameter for the
        /// key.
        impl$(<$storage: PlainStorage>)? Serialize for crate::kinds::$module::$type$(<$storage>)? {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let scheme = crate::kinds::Filter::key_hasher(self).scheme();
                write(serializer, scheme, || self.to_bytes())
            }
        }

        /// Reads with every check of `from_bytes`. A filter of another kind is refused; an
        /// [`AnyFilter`] accepts any kind.
        impl<'de> Deserialize<'de> for crate::kinds::$module::$type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(deserializer, Self::from_bytes)
            }
        }
    };
}

each_kind!(each_type as_file);

/// Reads the bytes of a file in each form that serde's formats have.
struct File<F>(fn(&[u8]) -> OurResult<F>);

impl<'de, F> Visitor<'de> for File<F> {
    type Value = F;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a tepal file, or these in Base64")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<F, E> {
        (self.0)(bytes).map_err(E::custom)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<F, E> {
        let bytes = STANDARD.decode(text).map_err(|error| E::custom(format_args!("not Base64: {error}")))?;
        self.visit_bytes(&bytes)
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<F, E> {
        self.visit_str(&text)
    }

    /// Formats without a type for bytes have a list of numbers.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<F, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element::<u8>()? {
            bytes.push(byte);
        }
        (self.0)(&bytes).map_err(A::Error::custom)
    }
}

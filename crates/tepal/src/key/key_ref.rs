//! What can be a key.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;

/// A key as the caller holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyRef<'a> {
    /// Bytes or text.
    Bytes(&'a [u8]),
    /// An integer of 0 or more.
    Unsigned(u64),
    /// An integer that may be negative.
    Signed(i64),
}

/// Whatever can be a key: bytes, text, and integers of 16 to 64 bits.
///
/// Floats, booleans and tuples are none, on purpose: their bytes differ between languages. Nothing goes
/// through [`core::hash::Hash`], whose framing may change between releases.
///
/// `u8` and `i8` are none either: bytes in a row are one key, never a list of keys.
///
/// ```
/// use tepal::BloomFilter;
/// let mut filter = BloomFilter::builder().capacity(10).build()?;
/// filter.insert(b"hello")?;
/// assert!(filter.contains("hello"));
/// # Ok::<(), tepal::Error>(())
/// ```
///
/// ```compile_fail
/// # let mut filter = tepal::BloomFilter::builder().capacity(10).build().unwrap();
/// filter.insert_many(b"hello"); // would be five keys, and `contains("hello")` false
/// ```
///
/// ```compile_fail
/// # let mut filter = tepal::BloomFilter::builder().capacity(10).build().unwrap();
/// filter.insert_many(&vec![104u8, 101, 108, 108, 111]);
/// ```
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
integer_keys!(u16 => Unsigned(u64), u32 => Unsigned(u64), u64 => Unsigned(u64));
integer_keys!(i16 => Signed(i64), i32 => Signed(i64), i64 => Signed(i64));
integer_keys!(usize => Unsigned(u64), isize => Signed(i64));

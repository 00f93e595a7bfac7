//! What can be a key.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::sink::{Compound, KeySink};

/// A key as the caller holds it, or as it has written itself into a [`KeySink`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyRef<'a> {
    /// Bytes or text.
    Bytes(&'a [u8]),
    /// An integer of 0 or more.
    Unsigned(u64),
    /// An integer that may be negative.
    Signed(i64),
    /// Several parts: [`KeySink::finish`].
    Compound(Compound<'a>),
}

/// Whatever can be a key.
///
/// | the type | the key |
/// | --- | --- |
/// | `&str`, `String`, `char` | the text, as UTF-8 |
/// | `&[u8]`, `[u8; N]`, `Vec<u8>` | the bytes |
/// | `u16` to `u128`, `i16` to `i128`, `usize`, `isize` | the integer; in a filter of bytes the same key as its decimal text |
/// | `IpAddr`, `Ipv4Addr`, `Ipv6Addr` | the same key as its text: `192.0.2.1`, `2001:db8::1`. An IPv4 address inside IPv6 (`::ffff:192.0.2.1`) is another key: `to_canonical` makes them one |
/// | `Path`, `OsStr` and their owned forms (with `std`) | the bytes of the name as it is written: `a//b` is not `a/b` |
/// | a tuple of keys | its parts, with the borders between them: `("ab", "c")` is not `("a", "bc")` |
/// | `&K`, `Box<K>`, `Rc<K>`, `Arc<K>`, `Cow<K>` | what they point to |
/// | a type of your own | what it says below |
///
/// The same value is the same key in every language and door: FORMAT.md, section 1.1, has the rule. Floats, booleans and
/// options are no keys, on purpose: their bytes differ between languages. Nothing goes through [`core::hash::Hash`],
/// whose framing may change between releases.
///
/// `u8` and `i8` are none either: bytes in a row are one key, never a list of keys.
///
/// **Numbers.** A filter of bytes, the default, writes each integer as decimal text first: its hash takes some 15 times as
/// long as that of the number itself (`cargo run --release -p tepal --example integer_keys`), and inserting or asking several
/// times. For numbers alone choose [`KeyDomain::Integer`](crate::KeyDomain::Integer).
///
/// ```
/// use tepal::BloomFilter;
/// let mut filter = BloomFilter::builder().capacity(10).build()?;
/// filter.insert(b"hello")?;
/// filter.insert(&std::net::Ipv4Addr::LOCALHOST)?;
/// filter.insert(&("ab", "c"))?;
/// assert!(filter.contains("hello") && filter.contains("127.0.0.1"));
/// assert!(filter.contains(&("ab", "c")) && !filter.contains(&("a", "bc")));
/// # Ok::<(), tepal::Error>(())
/// ```
///
/// # A type of your own
///
/// Several fields are put one after the other; a wrapper hands on what it wraps:
///
/// ```
/// use tepal::{Key, KeyRef, KeySink};
///
/// struct Visit { user: u64, page: String }
/// impl Key for Visit {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         sink.put(&self.user).put(&self.page).finish()
///     }
/// }
///
/// struct Iin(String);
/// impl Key for Iin {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         self.0.key(sink)
///     }
/// }
/// ```
///
/// A key is one of the two: where parts are put, each of them is, with [`KeySink::put`]. A list is a key of its own that puts
/// each element, so that its end is seen; and a field that may be missing is put as a list of none or one, or behind a
/// word that says which it is, never left out:
///
/// ```
/// use tepal::{Key, KeyRef, KeySink};
///
/// struct Article { title: String, tags: Tags, author: Option<String> }
/// struct Tags(Vec<String>);
///
/// impl Key for Tags {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         self.0.iter().fold(sink, |sink, tag| sink.put(tag)).finish()
///     }
/// }
///
/// impl Key for Article {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         sink.put(&self.title).put(&self.tags);
///         match &self.author {
///             Some(author) => sink.put(&("by", author)),
///             None => sink.put("anonymous"),
///         };
///         sink.finish()
///     }
/// }
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key",
    label = "not text, bytes, an integer of 16 to 128 bits, an address, a path, or a tuple of such",
    note = "for a type of your own implement `tepal::Key`:\n\
            fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {{ sink.put(&self.user).put(&self.page).finish() }}",
    note = "a single `u8` is no key, so that bytes in a row are one key and never a list of them: convert it to `u16`",
    note = "a float, a `bool` or an `Option` is no key: say which text or number stands for it; a `Result` has to be unwrapped",
    note = "a list is no key by itself: give it a type of its own that puts each element"
)]
pub trait Key {
    /// The key: borrowed from `self` where it is held as one value, else written into `sink`, which is empty.
    fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a>;

    /// Keys of this type, where they are integers of 64 bits.
    #[doc(hidden)]
    #[inline]
    fn integers(_keys: &[Self]) -> Option<&[u64]>
    where
        Self: Sized,
    {
        None
    }
}

/// Keys that hand on another one.
macro_rules! handed_on {
    ($($(#[$attr:meta])* [$($generics:tt)*] $type:ty),* $(,)?) => {$(
        $(#[$attr])*
        impl<$($generics)*> Key for $type {
            #[inline]
            fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
                (**self).key(sink)
            }
        }
    )*};
}
handed_on!(
    [K: Key + ?Sized] &K,
    [K: Key + ?Sized] Box<K>,
    [K: Key + ?Sized] Rc<K>,
    #[cfg(target_has_atomic = "ptr")] [K: Key + ?Sized] Arc<K>,
    [K: Key + ToOwned + ?Sized] Cow<'_, K>,
);

/// Keys that are a value for which there is an expression.
macro_rules! values {
    ($($(#[$attr:meta])* [$($generics:tt)*] $type:ty, |$self:ident, $sink:pat_param| $key:expr $(, $integers:expr)?;)*) => {$(
        $(#[$attr])*
        impl<$($generics)*> Key for $type {
            #[inline]
            fn key<'a>(&'a $self, $sink: &'a mut KeySink) -> KeyRef<'a> {
                $key
            }

            $(#[inline]
            fn integers(keys: &[Self]) -> Option<&[u64]> {
                Some($integers(keys))
            })?
        }
    )*};
}
values! {
    [] KeyRef<'_>, |self, _| *self;
    [] [u8], |self, _| KeyRef::Bytes(self);
    [const N: usize] [u8; N], |self, _| KeyRef::Bytes(self);
    [] Vec<u8>, |self, _| KeyRef::Bytes(self);
    [] str, |self, _| KeyRef::Bytes(self.as_bytes());
    [] String, |self, _| KeyRef::Bytes(self.as_bytes());
    [] char, |self, sink| sink.bytes(self.encode_utf8(&mut [0; 4]).as_bytes());
    [] u16, |self, _| KeyRef::Unsigned(u64::from(*self));
    [] u32, |self, _| KeyRef::Unsigned(u64::from(*self));
    [] u64, |self, _| KeyRef::Unsigned(*self), core::convert::identity;
    [] usize, |self, _| KeyRef::Unsigned(*self as u64);
    [] i16, |self, _| KeyRef::Signed(i64::from(*self));
    [] i32, |self, _| KeyRef::Signed(i64::from(*self));
    [] i64, |self, _| KeyRef::Signed(*self), bytemuck::cast_slice;
    [] isize, |self, _| KeyRef::Signed(*self as i64);
    // Beyond 64 bits the decimal text is all there is.
    [] u128, |self, sink| match u64::try_from(*self) {
        Ok(n) => KeyRef::Unsigned(n),
        Err(_) => sink.text(self),
    };
    [] i128, |self, sink| match (i64::try_from(*self), u64::try_from(*self)) {
        (Ok(n), _) => KeyRef::Signed(n),
        (_, Ok(n)) => KeyRef::Unsigned(n),
        _ => sink.text(self),
    };
    [] IpAddr, |self, sink| sink.text(self);
    [] Ipv4Addr, |self, sink| sink.text(self);
    [] Ipv6Addr, |self, sink| sink.text(self);
    #[cfg(feature = "std")] [] std::ffi::OsStr, |self, _| KeyRef::Bytes(name(self));
    #[cfg(feature = "std")] [] std::ffi::OsString, |self, _| KeyRef::Bytes(name(self));
    #[cfg(feature = "std")] [] std::path::Path, |self, _| KeyRef::Bytes(name(self.as_os_str()));
    #[cfg(feature = "std")] [] std::path::PathBuf, |self, _| KeyRef::Bytes(name(self.as_os_str()));
}

/// The bytes of a name: on Unix those that it has, elsewhere its UTF-8. What is not Unicode there has bytes that only
/// this machine gives it.
#[cfg(feature = "std")]
fn name(name: &std::ffi::OsStr) -> &[u8] {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStrExt::as_bytes(name);
    #[cfg(not(unix))]
    name.to_str().map_or(name.as_encoded_bytes(), str::as_bytes)
}

macro_rules! tuples {
    ($(($($name:ident)+),)*) => {$(
        impl<$($name: Key),+> Key for ($($name,)+) {
            #[inline]
            fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
                #[allow(non_snake_case, reason = "each part is named as its type")]
                let ($($name,)+) = self;
                $(sink.put($name);)+
                sink.finish()
            }
        }
    )*};
}
tuples! { (A), (A B), (A B C), (A B C D), (A B C D E), (A B C D E F), (A B C D E F G), (A B C D E F G H), }

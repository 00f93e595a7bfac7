//! The types that are keys.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::key_ref::KeyRef;
use super::sink::{Key, KeySink};

/// Types whose key is the key of the value that they wrap.
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

/// Types whose key is the value of an expression.
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
    // A larger integer becomes its decimal text.
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

/// The bytes of a name: on Unix its own bytes, on other systems its UTF-8. On other systems, a name
/// that is not Unicode has bytes that are valid on this machine only.
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

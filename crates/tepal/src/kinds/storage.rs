//! Where a filter's bits live: in memory or in an opened file, inside the caller's bytes, or shared
//! by threads.

mod owned;

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::bits::{self, Bits, Line};
use crate::error::{Error, Result};
pub use owned::Owned;
#[cfg(all(feature = "std", target_endian = "little"))]
pub(crate) use owned::{Holder, Private};

/// A reference count that a filter and its clones share: atomic, if the machine has atomics.
#[cfg(not(target_has_atomic = "ptr"))]
pub(crate) use alloc::rc::Rc as Ref;
#[cfg(target_has_atomic = "ptr")]
pub(crate) use alloc::sync::Arc as Ref;

/// Where the bits of a filter live: in memory or in an opened file ([`Owned`], the default), inside
/// the caller's bytes ([`InBytes`]), or shared by threads ([`Shared`](crate::storage::Shared)).
/// Only this crate can implement the trait.
pub trait Storage: sealed::Sealed {
    /// The bits, for lookups.
    #[doc(hidden)]
    fn view(&self) -> View<'_>;

    /// The number of keys inserted through other handles; `None` if that is not known.
    #[doc(hidden)]
    fn inserted_since(&self) -> Option<u64> {
        Some(0)
    }

    /// Moves the bits into memory, or copies them.
    #[doc(hidden)]
    fn into_lines(self) -> Result<Vec<Line>>;
}

/// A storage whose bits nobody changes while they are read: every storage but
/// [`Shared`](crate::storage::Shared).
pub trait PlainStorage: Storage {
    /// The bits.
    #[doc(hidden)]
    fn as_lines(&self) -> &[Line];
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// The bits, for lookups.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(pub(crate) Bits<'a>);

/// Copies the lines, onto huge pages if there are many.
pub(crate) fn copied(lines: &[Line]) -> Result<Vec<Line>> {
    let mut copy = bits::zeroed(lines.len() as u64)?;
    copy.copy_from_slice(lines);
    Ok(copy)
}

/// Bits inside the caller's bytes, which are read in place and never copied: a `&[u8]`, bytes built
/// into the program ([`include_aligned!`](crate::include_aligned)), the caller's memory map, a
/// piece of a larger file.
///
/// [`BloomFilter::view`](crate::BloomFilter::view) makes such a filter.
///
/// `B` is a reference, an `Arc` or an `Rc` to something that gives bytes ([`StableBytes`]). Clones
/// and moves of the filter leave the bytes in place.
#[derive(Clone)]
pub struct InBytes<B> {
    bytes: B,
    body: Range<usize>,
}

/// Bytes that stay in place when their holder is moved or cloned: `&T`, `Arc<T>` and `Rc<T>`, if
/// `T` gives bytes by [`AsRef`], such as `&[u8]`, `&Vec<u8>`, and an `Arc` of a memory map. Only
/// this crate can implement the trait.
///
/// `T` must give the same bytes on every call, as all types of the standard library do. A type that
/// does not can make an answer wrong, or cause a panic.
pub trait StableBytes: Clone + sealed::Sealed {
    /// The bytes.
    #[doc(hidden)]
    fn bytes(&self) -> &[u8];
}

macro_rules! stable_bytes {
    ($($(#[$attr:meta])* $type:ty),*) => {$(
        $(#[$attr])*
        impl<T: AsRef<[u8]> + ?Sized> sealed::Sealed for $type {}

        $(#[$attr])*
        impl<T: AsRef<[u8]> + ?Sized> StableBytes for $type {
            #[inline(always)]
            fn bytes(&self) -> &[u8] {
                (**self).as_ref()
            }
        }
    )*};
}
stable_bytes!(&T, alloc::rc::Rc<T>, #[cfg(target_has_atomic = "ptr")] alloc::sync::Arc<T>);

impl<B: StableBytes> InBytes<B> {
    /// The lines in this range of the bytes, if they can be read in place: on a little-endian
    /// machine, at an address that is a multiple of 64.
    ///
    /// # Errors
    /// [`Error::NotInPlace`].
    pub(crate) fn new(bytes: B, body: Range<usize>) -> Result<Self> {
        let lies_right = bytemuck::try_cast_slice::<u8, Line>(&bytes.bytes()[body.clone()]).is_ok();
        if lies_right && cfg!(target_endian = "little") {
            return Ok(InBytes { bytes, body });
        }
        let past = bytes.bytes()[body].as_ptr().addr() % size_of::<Line>();
        Err(Error::NotInPlace { past: if cfg!(target_endian = "little") { past } else { 0 } })
    }
}

impl<B> sealed::Sealed for InBytes<B> {}

impl<B: StableBytes> Storage for InBytes<B> {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View(Bits::Plain(self.as_lines()))
    }

    fn into_lines(self) -> Result<Vec<Line>> {
        copied(self.as_lines())
    }
}

impl<B: StableBytes> PlainStorage for InBytes<B> {
    #[inline(always)]
    fn as_lines(&self) -> &[Line] {
        // `new` has checked that the cast succeeds.
        bytemuck::cast_slice(&self.bytes.bytes()[self.body.clone()])
    }
}

impl<B> fmt::Debug for InBytes<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InBytes({:?})", self.body)
    }
}

//! The bits of a filter's own: in memory, or in a file that it has opened. Their address is
//! computed once, so a lookup does not ask which of them it is.

#![allow(unsafe_code)]

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::mem::ManuallyDrop;
use core::slice;

#[cfg(all(feature = "std", target_endian = "little"))]
use super::InBytes;
#[cfg(any(
    all(feature = "std", target_endian = "little"),
    feature = "foreign",
    feature = "extras",
    feature = "table"
))]
use super::Ref;
use super::{PlainStorage, Storage, View, copied, sealed};
use crate::bits::{Bits, Line};
use crate::error::Result;

/// The filter's own bits, the default storage. A filter that is built or
/// [read from bytes](crate::BloomFilter::from_bytes) has them in memory. A filter that is
/// [opened](crate::BloomFilter::open) has them in its file, which is mapped and not copied (on a
/// big-endian machine it is read into memory).
///
/// The first change of a mapped filter copies the bits into memory; the file keeps its content.
/// [`Open::copy_on_write`](crate::Open::copy_on_write) copies only the pages that a change touches.
/// [`into_owned`](crate::BloomFilter::into_owned) copies the bits before any change. Clones share a
/// map, and copy memory.
#[repr(C)]
pub struct Owned {
    /// What holds the lines. `None`: they are a `Box<[Line]>` that belongs to this value, so that a
    /// filter in memory is small and an insert checks a null pointer at most.
    holder: Option<Box<Holder>>,
    /// The place of the lines, in the box or as [`Holder::place`] gives it.
    first: *mut Line,
    count: usize,
}

// SAFETY: the pointer points into a box that belongs to the value or into what `holder` owns or
// shares, and is used like a reference to it.
#[cfg(target_has_atomic = "ptr")]
unsafe impl Send for Owned {}
// SAFETY: as above.
#[cfg(target_has_atomic = "ptr")]
unsafe impl Sync for Owned {}

/// What holds lines that are not a box of the filter's own.
#[derive(Debug)]
pub(crate) enum Holder {
    #[cfg(all(feature = "std", target_endian = "little"))]
    File(InBytes<Ref<memmap2::Mmap>>),
    /// A file's private map: a page becomes this process's own when it is changed.
    #[cfg(all(feature = "std", target_endian = "little"))]
    Private(Private),
    /// Some of the lines in memory that several filters share.
    #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
    Part(Ref<Vec<Line>>, core::ops::Range<usize>),
}

impl Owned {
    /// Where the address of the lines is, in bytes; lookups need nothing before it.
    #[cfg(test)]
    pub(crate) const ADDRESS: usize = core::mem::offset_of!(Owned, first);

    /// These lines, in memory.
    pub(crate) fn new(lines: Vec<Line>) -> Self {
        let lines = Box::into_raw(lines.into_boxed_slice());
        Owned { holder: None, first: lines.cast(), count: lines.len() }
    }

    /// The lines of this holder.
    #[cfg(any(
        all(feature = "std", target_endian = "little"),
        feature = "foreign",
        feature = "extras",
        feature = "table"
    ))]
    pub(crate) fn held(mut holder: Holder) -> Self {
        let (first, count) = holder.place();
        Owned { holder: Some(Box::new(holder)), first, count }
    }

    /// Whether the bits are in memory of their own.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.holder.is_none()
    }

    /// The bits, for changes, if they are in memory: the quick case of [`own`](Self::own).
    #[inline(always)]
    pub(crate) fn in_memory(&mut self) -> Option<&mut [Line]> {
        match self.holder {
            // SAFETY: as in `own`.
            None => Some(unsafe { slice::from_raw_parts_mut(self.first, self.count) }),
            Some(_) => None,
        }
    }

    /// The bits, for changes; `None` if they belong to a file or to several filters.
    #[inline]
    pub(crate) fn own(&mut self) -> Option<&mut [Line]> {
        match self.holder.as_deref() {
            None => {}
            #[cfg(all(feature = "std", target_endian = "little"))]
            Some(Holder::Private(_)) => {}
            #[allow(unreachable_patterns, reason = "if there is no holder")]
            Some(_) => return None,
        }
        // SAFETY: (1) the lines are a box that belongs to this value, or the pages of a private map
        // that `holder` owns, so nothing else refers to them while `self` is borrowed; (2) `new` or
        // `held` found this number of lines at this address, and they are still there (`as_lines`).
        Some(unsafe { slice::from_raw_parts_mut(self.first, self.count) })
    }

    /// Takes the lines out of their box.
    ///
    /// # Safety
    /// `holder` is `None`, and this is the last use of `self`.
    unsafe fn take_box(&mut self) -> Box<[Line]> {
        let lines = core::ptr::slice_from_raw_parts_mut(self.first, self.count);
        // SAFETY: without a holder the pointer and the number are those of the box that `new` made.
        // The caller does not use `self` again, so the box has one owner.
        unsafe { Box::from_raw(lines) }
    }
}

impl Drop for Owned {
    #[inline]
    fn drop(&mut self) {
        if self.holder.is_none() {
            // SAFETY: there is no holder, and nothing uses a dropped value.
            drop(unsafe { self.take_box() });
        }
    }
}

impl Holder {
    /// The address of the lines, and their number. They stay there when this value is moved, since
    /// it holds a map or a reference count. For lines that may change, it is the owner's own
    /// address: one made from a reference would become invalid with the next change.
    #[cfg(any(
        all(feature = "std", target_endian = "little"),
        feature = "foreign",
        feature = "extras",
        feature = "table"
    ))]
    fn place(&mut self) -> (*mut Line, usize) {
        let lines: &[Line] = match self {
            #[cfg(all(feature = "std", target_endian = "little"))]
            Holder::Private(private) => return private.place(),
            #[cfg(all(feature = "std", target_endian = "little"))]
            Holder::File(file) => file.as_lines(),
            #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
            Holder::Part(lines, part) => &lines[part.clone()],
        };
        // Only read: `own` gives lines of a private map alone.
        (lines.as_ptr().cast_mut(), lines.len())
    }
}

impl Clone for Owned {
    /// A private map has one owner: its clone is in memory.
    fn clone(&self) -> Self {
        match self.holder.as_deref() {
            #[cfg(all(feature = "std", target_endian = "little"))]
            Some(Holder::File(file)) => Owned::held(Holder::File(file.clone())),
            #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
            Some(Holder::Part(lines, part)) => Owned::held(Holder::Part(lines.clone(), part.clone())),
            _ => Owned::new(self.as_lines().to_vec()),
        }
    }
}

/// The same bits.
impl PartialEq for Owned {
    fn eq(&self, other: &Owned) -> bool {
        self.as_lines() == other.as_lines()
    }
}

impl fmt::Debug for Owned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.holder {
            None => write!(f, "Owned({} lines)", self.count),
            Some(holder) => f.debug_tuple("Owned").field(holder).finish(),
        }
    }
}

#[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
impl Owned {
    /// The same bits, in a form that parts can be taken of.
    pub(crate) fn shared(self) -> Self {
        if self.holder.is_some() {
            return self;
        }
        let all = 0..self.count;
        // SAFETY: there is no holder, and `ManuallyDrop` keeps `self` from being dropped.
        let lines = unsafe { ManuallyDrop::new(self).take_box() };
        Owned::held(Holder::Part(Ref::new(lines.into_vec()), all))
    }

    /// A part of the lines; shared or mapped lines are not copied.
    pub(crate) fn part(&self, lines: core::ops::Range<usize>) -> Self {
        match self.holder.as_deref() {
            #[cfg(all(feature = "std", target_endian = "little"))]
            Some(Holder::File(file)) => {
                let at = |line| file.body.start + line * size_of::<Line>();
                let body = at(lines.start)..at(lines.end);
                Owned::held(Holder::File(InBytes { bytes: file.bytes.clone(), body }))
            }
            Some(Holder::Part(all, here)) => {
                let part = here.start + lines.start..here.start + lines.end;
                Owned::held(Holder::Part(all.clone(), part))
            }
            // No caller takes a part of a private map or of memory: a chain is not mapped this way,
            // and shares memory.
            _ => Owned::new(self.as_lines()[lines].to_vec()),
        }
    }
}

/// The bits in a private map.
#[cfg(all(feature = "std", target_endian = "little"))]
#[derive(Debug)]
pub(crate) struct Private {
    map: memmap2::MmapMut,
    body: core::ops::Range<usize>,
}

#[cfg(all(feature = "std", target_endian = "little"))]
impl Private {
    /// The lines in this range of the map, at an address that is a multiple of 64.
    ///
    /// # Errors
    /// [`Error::NotInPlace`](crate::error::Error::NotInPlace).
    pub(crate) fn new(map: memmap2::MmapMut, body: core::ops::Range<usize>) -> Result<Self> {
        InBytes::new(&map[..], body.clone())?;
        Ok(Private { map, body })
    }

    fn as_lines(&self) -> &[Line] {
        // `new` has checked that the cast succeeds.
        bytemuck::cast_slice(&self.map[self.body.clone()])
    }

    /// [`Holder::place`].
    fn place(&mut self) -> (*mut Line, usize) {
        let count = self.as_lines().len();
        (self.map.as_mut_ptr().wrapping_add(self.body.start).cast(), count)
    }
}

impl sealed::Sealed for Owned {}

impl Storage for Owned {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View(Bits::Plain(self.as_lines()))
    }

    fn into_lines(self) -> Result<Vec<Line>> {
        if self.holder.is_some() {
            return copied(self.as_lines());
        }
        // SAFETY: there is no holder, and `ManuallyDrop` keeps `self` from being dropped.
        Ok(unsafe { ManuallyDrop::new(self).take_box() }.into_vec())
    }
}

impl PlainStorage for Owned {
    #[inline(always)]
    fn as_lines(&self) -> &[Line] {
        // SAFETY: `new` or `held` found this number of lines at this address. The box, or `holder`,
        // keeps them in place until this value is dropped; they change only through `own`, which
        // has `&mut self`.
        unsafe { slice::from_raw_parts(self.first, self.count) }
    }
}

#[cfg(test)]
mod tests;

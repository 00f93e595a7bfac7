//! The bits of an opened file. Their address is computed once, so a lookup does not ask which
//! backing holds them.

#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::fmt;
use core::slice;

#[cfg(all(feature = "mmap", target_endian = "little"))]
use super::InBytes;
#[cfg(any(feature = "mmap", feature = "foreign", feature = "extras", feature = "table"))]
use super::Ref;
use super::{PlainStorage, Storage, StorageMut, View, sealed};
use crate::bits::{Bits, Line};
use crate::error::Result;

/// The bits of an opened file: mapped, not copied, on little-endian machines with the feature
/// `mmap`; otherwise in memory. The first change copies mapped bits into memory, or only the pages
/// that it touches ([`Open::copy_on_write`](crate::Open::copy_on_write)). Clones share a map, and
/// copy memory.
pub struct Mapped {
    /// [`Backing::place`] of `backing`.
    first: *const Line,
    count: usize,
    backing: Backing,
}

// SAFETY: the pointer points into what `backing` owns or shares, and is used like a reference to
// it.
#[cfg(target_has_atomic = "ptr")]
unsafe impl Send for Mapped {}
// SAFETY: as above.
#[cfg(target_has_atomic = "ptr")]
unsafe impl Sync for Mapped {}

#[derive(Debug)]
#[cfg_attr(not(all(feature = "mmap", target_endian = "little")), derive(Clone))]
pub(crate) enum Backing {
    #[cfg(all(feature = "mmap", target_endian = "little"))]
    File(InBytes<Ref<memmap2::Mmap>>),
    /// A file's private map: a page becomes this process's own when it is changed.
    #[cfg(all(feature = "mmap", target_endian = "little"))]
    Private(Private),
    Memory(Vec<Line>),
    /// Some of the lines in memory that several filters share.
    #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
    Part(Ref<Vec<Line>>, core::ops::Range<usize>),
}

impl Mapped {
    pub(crate) fn new(backing: Backing) -> Self {
        let (first, count) = backing.place();
        Mapped { first, count, backing }
    }

    /// Whether the bits are in memory of their own.
    #[cfg(any(feature = "table", test))]
    pub(crate) fn is_in_memory(&self) -> bool {
        matches!(self.backing, Backing::Memory(_))
    }
}

impl Backing {
    /// The address of the lines, and their number. They stay there when this value is moved, since
    /// it holds a map or the block of a vector. For lines that may change, it is the owner's own
    /// address: one made from a reference would become invalid with the next change.
    fn place(&self) -> (*const Line, usize) {
        match self {
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File(file) => (file.as_lines().as_ptr(), file.as_lines().len()),
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::Private(private) => private.place(),
            Backing::Memory(lines) => (lines.as_ptr(), lines.len()),
            #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
            Backing::Part(lines, part) => (lines[part.clone()].as_ptr(), part.len()),
        }
    }
}

impl Clone for Mapped {
    fn clone(&self) -> Self {
        Mapped::new(self.backing.clone())
    }
}

impl fmt::Debug for Mapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mapped").field(&self.backing).finish()
    }
}

#[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
impl Mapped {
    /// The same bits, in a form that parts can be taken of.
    pub(crate) fn shared(self) -> Self {
        match self.backing {
            Backing::Memory(lines) => {
                let all = 0..lines.len();
                Mapped::new(Backing::Part(Ref::new(lines), all))
            }
            _ => self,
        }
    }

    /// A part of the lines; shared or mapped lines are not copied.
    pub(crate) fn part(&self, lines: core::ops::Range<usize>) -> Self {
        Mapped::new(match &self.backing {
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File(file) => {
                let at = |line| file.body.start + line * size_of::<Line>();
                Backing::File(InBytes { bytes: file.bytes.clone(), body: at(lines.start)..at(lines.end) })
            }
            // No caller takes a part of these: a chain is not mapped this way, and shares memory.
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::Private(private) => Backing::Memory(private.as_lines()[lines].to_vec()),
            Backing::Memory(all) => Backing::Memory(all[lines].to_vec()),
            Backing::Part(all, here) => {
                Backing::Part(all.clone(), here.start + lines.start..here.start + lines.end)
            }
        })
    }
}

/// The bits in a private map.
#[cfg(all(feature = "mmap", target_endian = "little"))]
#[derive(Debug)]
pub(crate) struct Private {
    map: memmap2::MmapMut,
    body: core::ops::Range<usize>,
}

#[cfg(all(feature = "mmap", target_endian = "little"))]
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

    /// [`Backing::place`].
    fn place(&self) -> (*const Line, usize) {
        (self.map.as_ptr().wrapping_add(self.body.start).cast(), self.as_lines().len())
    }

    fn as_lines_mut(&mut self) -> &mut [Line] {
        bytemuck::cast_slice_mut(&mut self.map[self.body.clone()])
    }
}

#[cfg(all(feature = "mmap", target_endian = "little"))]
impl Clone for Backing {
    /// A private map has one owner: its clone is in memory.
    fn clone(&self) -> Self {
        match self {
            Backing::File(file) => Backing::File(file.clone()),
            Backing::Private(private) => Backing::Memory(private.as_lines().to_vec()),
            Backing::Memory(lines) => Backing::Memory(lines.clone()),
            #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
            Backing::Part(lines, part) => Backing::Part(lines.clone(), part.clone()),
        }
    }
}

impl sealed::Sealed for Mapped {}

impl Storage for Mapped {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View(Bits::Plain(self.as_lines()))
    }

    fn into_lines(self) -> Result<Vec<Line>> {
        match self.backing {
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File(file) => file.into_lines(),
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::Private(private) => super::copied(private.as_lines()),
            Backing::Memory(lines) => Ok(lines),
            #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
            Backing::Part(lines, part) => super::copied(&lines[part]),
        }
    }
}

impl PlainStorage for Mapped {
    #[inline(always)]
    fn as_lines(&self) -> &[Line] {
        // SAFETY: `new` found this number of lines at this address. `backing` keeps them in place
        // until it is replaced, and only `new` replaces it; they change only through `own`, which
        // has `&mut self`.
        unsafe { slice::from_raw_parts(self.first, self.count) }
    }
}

impl StorageMut for Mapped {
    #[inline]
    fn own(&mut self) -> Option<&mut [Line]> {
        match &mut self.backing {
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File(_) => None,
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::Private(private) => Some(private.as_lines_mut()),
            Backing::Memory(lines) => Some(lines),
            #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
            Backing::Part(..) => None,
        }
    }

    fn replace(&mut self, lines: Vec<Line>) {
        *self = Mapped::new(Backing::Memory(lines));
    }
}

#[cfg(test)]
mod tests;

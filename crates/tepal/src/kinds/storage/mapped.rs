//! The bits of an opened file, whose place in memory is found once: a lookup does not ask what they
//! are a part of.

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
/// `mmap`; else in memory. The first change copies mapped bits into memory, or the pages that it
/// touches ([`Open::copy_on_write`](crate::Open::copy_on_write)). Clones share a map, and copy
/// memory.
pub struct Mapped {
    /// [`Backing::place`] of `backing`.
    first: *const Line,
    count: usize,
    backing: Backing,
}

// SAFETY: the pointer is into what `backing` owns or shares, and is used as a reference to that
// would be.
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
    /// A file's, of which each page becomes this process's own when it is changed.
    #[cfg(all(feature = "mmap", target_endian = "little"))]
    Private(Private),
    Memory(Vec<Line>),
    /// Some of the lines in memory that several filters have.
    #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
    Part(Ref<Vec<Line>>, core::ops::Range<usize>),
}

impl Mapped {
    pub(crate) fn new(backing: Backing) -> Self {
        let (first, count) = backing.place();
        Mapped { first, count, backing }
    }

    /// Are the bits in memory of its own?
    #[cfg(any(feature = "table", test))]
    pub(crate) fn is_in_memory(&self) -> bool {
        matches!(self.backing, Backing::Memory(_))
    }
}

impl Backing {
    /// Where the lines lie, and how many there are. They stay there when this value is moved: what
    /// it has is a map, or the block of a vector. Of lines that may be changed it is the address
    /// that their owner has, not that of a reference to them, which would end with the next change.
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
    /// The same bits, of which parts can be taken.
    pub(crate) fn shared(self) -> Self {
        match self.backing {
            Backing::Memory(lines) => {
                let all = 0..lines.len();
                Mapped::new(Backing::Part(Ref::new(lines), all))
            }
            _ => self,
        }
    }

    /// These of the lines, not copied where they are shared or a file's.
    pub(crate) fn part(&self, lines: core::ops::Range<usize>) -> Self {
        Mapped::new(match &self.backing {
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File(file) => {
                let at = |line| file.body.start + line * size_of::<Line>();
                Backing::File(InBytes { bytes: file.bytes.clone(), body: at(lines.start)..at(lines.end) })
            }
            // Neither is asked for a part: a chain is not mapped so, and shares what is in memory.
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
    /// The lines at these places, from a multiple of 64 in memory on.
    ///
    /// # Errors
    /// [`Error::NotInPlace`](crate::error::Error::NotInPlace).
    pub(crate) fn new(map: memmap2::MmapMut, body: core::ops::Range<usize>) -> Result<Self> {
        InBytes::new(&map[..], body.clone())?;
        Ok(Private { map, body })
    }

    fn as_lines(&self) -> &[Line] {
        // `new` has seen that the cast can be.
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
    /// A private map has no second owner: its clone is in memory.
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
        // SAFETY: `new` found as many lines there. `backing` keeps them in place for as long as it
        // is not replaced, which `new` alone does; they change only through `own`, which has `&mut
        // self`.
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

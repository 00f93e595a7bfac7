//! Where a filter's bits live: in memory, in an opened file, or shared by threads.

#[cfg(all(feature = "mmap", target_endian = "little"))]
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::bits::{self, Bits, Line};
use crate::error::Result;

/// Where the bits of a filter live: in memory, in an opened file ([`Mapped`]), or in [`Shared`](crate::Shared).
/// Nothing else can be a storage.
pub trait Storage {
    /// The bits, to be asked.
    #[doc(hidden)]
    fn view(&self) -> View<'_>;

    /// Keys inserted that the filter itself was not told of.
    #[doc(hidden)]
    fn inserted_since(&self) -> u64 {
        0
    }

    /// The bits in memory: a copy, or the same memory.
    #[doc(hidden)]
    fn into_lines(self) -> Result<Vec<Line>>;
}

/// Where bits live that can be changed through `&mut`.
pub trait StorageMut: Storage + AsRef<[Line]> {
    /// The bits, to be changed; nothing where they are a file's.
    #[doc(hidden)]
    fn own(&mut self) -> Option<&mut [Line]>;

    /// Takes other bits in their place.
    #[doc(hidden)]
    fn replace(&mut self, lines: Vec<Line>);
}

/// The bits, to be asked.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(pub(crate) Bits<'a>);

/// A copy of the lines, on huge pages where they are many.
pub(crate) fn copied(lines: &[Line]) -> Result<Vec<Line>> {
    let mut copy = bits::zeroed(lines.len() as u64)?;
    copy.copy_from_slice(lines);
    Ok(copy)
}

impl Storage for Vec<Line> {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View(Bits::Plain(self))
    }

    fn into_lines(self) -> Result<Vec<Line>> {
        Ok(self)
    }
}

impl StorageMut for Vec<Line> {
    #[inline(always)]
    fn own(&mut self) -> Option<&mut [Line]> {
        Some(self)
    }

    fn replace(&mut self, lines: Vec<Line>) {
        *self = lines;
    }
}

/// The bits of an opened file: mapped, not copied, on little-endian machines with the feature `mmap`; else in memory.
/// The first change copies mapped bits into memory. Clones share a map, and copy memory.
#[derive(Clone, Debug)]
pub struct Mapped(pub(crate) Backing);

#[derive(Clone, Debug)]
pub(crate) enum Backing {
    #[cfg(all(feature = "mmap", target_endian = "little"))]
    File {
        map: Arc<memmap2::Mmap>,
        body_offset: usize,
    },
    Memory(Vec<Line>),
}

impl AsRef<[Line]> for Mapped {
    #[inline]
    fn as_ref(&self) -> &[Line] {
        match &self.0 {
            // The map starts on a page and the body on a multiple of 64: the cast cannot fail.
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File { map, body_offset } => bytemuck::cast_slice(&map[*body_offset..]),
            Backing::Memory(lines) => lines,
        }
    }
}

impl Storage for Mapped {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View(Bits::Plain(self.as_ref()))
    }

    fn into_lines(self) -> Result<Vec<Line>> {
        match self.0 {
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File { .. } => copied(self.as_ref()),
            Backing::Memory(lines) => Ok(lines),
        }
    }
}

impl StorageMut for Mapped {
    #[inline]
    fn own(&mut self) -> Option<&mut [Line]> {
        match &mut self.0 {
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File { .. } => None,
            Backing::Memory(lines) => Some(lines),
        }
    }

    fn replace(&mut self, lines: Vec<Line>) {
        self.0 = Backing::Memory(lines);
    }
}

//! Where a filter's bits live: in memory, in an opened file, inside bytes of the caller's, or shared by threads.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::bits::{self, Bits, Line};
use crate::error::{Error, Result};

/// Held by a filter and its clones: counted by atomics, where the machine has them.
#[cfg(not(target_has_atomic = "ptr"))]
pub(crate) use alloc::rc::Rc as Ref;
#[cfg(target_has_atomic = "ptr")]
pub(crate) use alloc::sync::Arc as Ref;

/// Where the bits of a filter live: [`InMemory`], in an opened file ([`Mapped`]), inside bytes of the caller's
/// ([`InBytes`]), or in [`Shared`](crate::storage::Shared). Nothing else can be a storage.
pub trait Storage: sealed::Sealed {
    /// The bits, to be asked.
    #[doc(hidden)]
    fn view(&self) -> View<'_>;

    /// Keys inserted that the filter itself was not told of; nothing where that is not known.
    #[doc(hidden)]
    fn inserted_since(&self) -> Option<u64> {
        Some(0)
    }

    /// The bits in memory: a copy, or the same memory.
    #[doc(hidden)]
    fn into_lines(self) -> Result<Vec<Line>>;
}

/// Where bits live that nobody changes while they are read: every storage but [`Shared`](crate::storage::Shared).
pub trait PlainStorage: Storage {
    /// The bits.
    #[doc(hidden)]
    fn as_lines(&self) -> &[Line];
}

/// Where bits live that can be changed through `&mut`: [`InMemory`] and [`Mapped`].
pub trait StorageMut: PlainStorage {
    /// The bits, to be changed; nothing where they are a file's.
    #[doc(hidden)]
    fn own(&mut self) -> Option<&mut [Line]>;

    /// Takes other bits in their place.
    #[doc(hidden)]
    fn replace(&mut self, lines: Vec<Line>);
}

pub(crate) mod sealed {
    pub trait Sealed {}
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

/// Bits in memory: of every filter that is built, and of one that was read with
/// [`from_bytes`](crate::BloomFilter::from_bytes).
#[derive(Clone, PartialEq)]
pub struct InMemory(pub(crate) Box<[Line]>);

impl InMemory {
    pub(crate) fn new(lines: Vec<Line>) -> Self {
        InMemory(lines.into_boxed_slice())
    }
}

impl sealed::Sealed for InMemory {}

impl Storage for InMemory {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View(Bits::Plain(&self.0))
    }

    fn into_lines(self) -> Result<Vec<Line>> {
        Ok(self.0.into_vec())
    }
}

impl PlainStorage for InMemory {
    #[inline(always)]
    fn as_lines(&self) -> &[Line] {
        &self.0
    }
}

impl StorageMut for InMemory {
    #[inline(always)]
    fn own(&mut self) -> Option<&mut [Line]> {
        Some(&mut self.0)
    }

    fn replace(&mut self, lines: Vec<Line>) {
        self.0 = lines.into_boxed_slice();
    }
}

impl fmt::Debug for InMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InMemory({} lines)", self.0.len())
    }
}

/// Bits inside bytes that the caller has, asked where they are and never copied: a `&[u8]`, bytes that were built into the
/// program ([`include_aligned!`](crate::include_aligned)), a map of the caller's, a piece of a larger file.
///
/// [`BloomFilter::view`](crate::BloomFilter::view) makes such a filter.
///
/// `B` is a reference, an `Arc` or an `Rc` to whatever gives bytes ([`StableBytes`]): clones and moves of the filter leave the
/// bytes where they are.
#[derive(Clone)]
pub struct InBytes<B> {
    bytes: B,
    body: Range<usize>,
}

/// Bytes that stay where they are when who holds them is moved or cloned: `&T`, `Arc<T>` and `Rc<T>`, for whatever `T` gives
/// bytes by [`AsRef`], such as `&[u8]`, `&Vec<u8>`, and `Arc` of a map. Nothing else can be such.
///
/// `T` gives the same bytes each time it is asked, as all of the standard library do. One that does not can make an answer
/// wrong, or panic.
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
    /// The lines at these places, where they can be asked as they lie: on a little-endian machine, from a multiple of 64 in
    /// memory on.
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
        // `new` has seen that the cast can be.
        bytemuck::cast_slice(&self.bytes.bytes()[self.body.clone()])
    }
}

impl<B> fmt::Debug for InBytes<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InBytes({:?})", self.body)
    }
}

/// The bits of an opened file: mapped, not copied, on little-endian machines with the feature `mmap`; else in memory.
/// The first change copies mapped bits into memory, or the pages that it touches
/// ([`Open::copy_on_write`](crate::Open::copy_on_write)). Clones share a map, and copy memory.
#[derive(Clone, Debug)]
pub struct Mapped(pub(crate) Backing);

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
    Part(Ref<Vec<Line>>, Range<usize>),
}

#[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
impl Mapped {
    /// The same bits, of which parts can be taken.
    pub(crate) fn shared(self) -> Self {
        match self.0 {
            Backing::Memory(lines) => {
                let all = 0..lines.len();
                Mapped(Backing::Part(Ref::new(lines), all))
            }
            _ => self,
        }
    }

    /// These of the lines, not copied where they are shared or a file's.
    pub(crate) fn part(&self, lines: Range<usize>) -> Self {
        Mapped(match &self.0 {
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
    body: Range<usize>,
}

#[cfg(all(feature = "mmap", target_endian = "little"))]
impl Private {
    /// The lines at these places, from a multiple of 64 in memory on.
    ///
    /// # Errors
    /// [`Error::NotInPlace`].
    pub(crate) fn new(map: memmap2::MmapMut, body: Range<usize>) -> Result<Self> {
        InBytes::new(&map[..], body.clone())?;
        Ok(Private { map, body })
    }

    #[inline(never)]
    fn as_lines(&self) -> &[Line] {
        // `new` has seen that the cast can be.
        bytemuck::cast_slice(&self.map[self.body.clone()])
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
        match self.0 {
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File(file) => file.into_lines(),
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::Private(private) => copied(private.as_lines()),
            Backing::Memory(lines) => Ok(lines),
            #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
            Backing::Part(lines, part) => copied(&lines[part]),
        }
    }
}

impl PlainStorage for Mapped {
    // What is seldom met stands elsewhere: this is part of every question.
    #[inline(always)]
    fn as_lines(&self) -> &[Line] {
        match &self.0 {
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File(file) => file.as_lines(),
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::Private(private) => private.as_lines(),
            Backing::Memory(lines) => lines,
            #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
            Backing::Part(lines, part) => part_of(lines, part),
        }
    }
}

#[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
#[inline(never)]
fn part_of<'a>(lines: &'a [Line], part: &Range<usize>) -> &'a [Line] {
    &lines[part.clone()]
}

impl StorageMut for Mapped {
    #[inline]
    fn own(&mut self) -> Option<&mut [Line]> {
        match &mut self.0 {
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
        self.0 = Backing::Memory(lines);
    }
}

//! Opens a file: maps it into memory if possible, otherwise reads it.

#![allow(unsafe_code)]

use std::fs::{File, Metadata};
use std::io::ErrorKind::InvalidInput;
use std::path::Path;
use std::vec::Vec;

use super::envelope::MAGIC;
use super::open::Open;
use super::opened::Opened;
use super::stamp::{Origin, Stamp};
use super::stream::{CheckHeader, read_up_to};
use crate::error::{Error, Result};
#[cfg(target_endian = "little")]
use crate::kinds::storage::{Holder, InBytes, Owned, PlainStorage, Private};
use crate::kinds::{AnyFilter, FromFile};
#[cfg(target_endian = "little")]
use crate::kinds::{BodyChecked, Ref};

/// Opens a filter's file, of tepal or of another program, and checks all of it. It calls
/// [`Open::open`] without keys, and takes the format from the file's mark.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.tepal");
/// # let mut seen = tepal::BloomFilter::builder().capacity(1000).build()?;
/// # seen.insert("570108428378")?;
/// # seen.save(&path)?;
/// let mut seen = tepal::open(&path)?;
/// assert!(seen.contains("570108428378"));
/// seen.insert("850514300021")?;               // from here on a copy in memory
/// seen.save(&path)?;                          // in the format that it had
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`Open::open`].
pub fn open(path: impl AsRef<Path>) -> Result<Opened> {
    Open::new().open(path)
}

/// An opened file, mapped or read.
pub(super) enum Bytes {
    #[cfg(target_endian = "little")]
    Map(memmap2::Mmap),
    /// A private map: writes stay in this process.
    #[cfg(target_endian = "little")]
    Private(memmap2::MmapMut),
    Read(Vec<u8>),
}

impl Bytes {
    /// Maps the file; reads it if mapping fails or is not wanted. Also returns the file's metadata.
    pub(super) fn of<'a>(path: &Path, open: &Open<'a>, check: CheckHeader<'a>) -> Result<(Self, Metadata)> {
        let io = |source| Error::io(path, "opening", source);
        let file = File::open(path).map_err(io)?;
        let kind = file.metadata().map_err(io)?;
        if kind.is_file() && isize::try_from(kind.len()).is_err() {
            // No slice can have that length: it is half of the 32-bit address space.
            return Err(Error::TooLarge { bytes: kind.len() });
        }
        #[cfg(target_endian = "little")]
        if cfg!(any(unix, windows)) && kind.is_file() && kind.len() > 0 && !open.in_memory {
            // SAFETY: the map is only read. Its caller must ensure that nobody cuts or overwrites
            // the file: the documentation of `open` says so, and offers `in_memory` otherwise.
            // `save` replaces files and never overwrites them.
            let map = unsafe { memmap2::Mmap::map(&file) }.map_err(io)?;
            // The filters of a chain share their map, but only the newest one is changed: that one
            // is copied.
            let is_one = map.get(10..12) == Some(&crate::ids::Kind::Bloom.id().to_le_bytes()[..]);
            if open.copy_on_write && is_one && map.starts_with(&MAGIC) {
                // SAFETY: as above. Writes to a private map reach neither the file nor another map.
                let private = unsafe { memmap2::MmapOptions::new().no_reserve_swap().map_copy(&file) };
                // If the system has no private maps, the first change copies.
                if let Ok(private) = private {
                    return Ok((Bytes::Private(private), kind));
                }
            }
            return Ok((Bytes::Map(map), kind));
        }
        if kind.is_dir() {
            return Err(io(std::io::ErrorKind::IsADirectory.into()));
        }
        if is_device(&kind) {
            return Err(io(std::io::Error::new(InvalidInput, "a device, which need not end")));
        }
        let bytes = match kind.is_file() && kind.len() > 0 {
            true => read_file(&file, kind.len()),
            // A pipe, or a file whose length the system does not know.
            false => open.all_of(&mut &file, check),
        };
        let bytes = bytes.map_err(|error| match error {
            Error::Io { source, .. } => io(source),
            other => other,
        })?;
        Ok((Bytes::Read(bytes), kind))
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            #[cfg(target_endian = "little")]
            Bytes::Map(map) => map,
            #[cfg(target_endian = "little")]
            Bytes::Private(map) => map,
            Bytes::Read(bytes) => bytes,
        }
    }

    /// Copies the bytes into memory.
    #[cfg(feature = "extras")]
    pub(super) fn into_vec(self) -> Result<Vec<u8>> {
        match self {
            #[cfg(target_endian = "little")]
            Bytes::Map(map) => crate::bits::memory::copy_of(&map),
            #[cfg(target_endian = "little")]
            Bytes::Private(map) => crate::bits::memory::copy_of(&map),
            Bytes::Read(bytes) => Ok(bytes),
        }
    }
}

/// The smallest piece, in bytes, whose memory is released: for a smaller one a system call costs
/// too much.
#[cfg(all(target_endian = "little", unix))]
const LEAST_LET_GO: usize = 1 << 20;

impl Bytes {
    /// Releases the memory of a piece that was copied. Otherwise it would count as this process's
    /// memory until the map is closed. A later read gets it from the file again.
    fn let_go(&self, piece: &[u8]) {
        #[cfg(all(target_endian = "little", unix))]
        if let Bytes::Map(map) = self {
            let offset = piece.as_ptr().addr().checked_sub(map.as_ptr().addr());
            let inside = |offset: &usize| *offset <= map.len() && piece.len() <= map.len() - offset;
            if let Some(offset) = offset.filter(inside).filter(|_| piece.len() >= LEAST_LET_GO) {
                // SAFETY: (1) the range lies in the map, as was just checked; (2) the map is of a
                // file and is only read, so its pages have the file's content: after they are
                // dropped, they are read from the file again, and no byte changes.
                let _ = unsafe {
                    map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, offset, piece.len())
                };
            }
        }
        #[cfg(not(all(target_endian = "little", unix)))]
        let _ = piece;
    }
}

/// Reads a file of this length. A file that grows meanwhile is refused: it may have no end.
fn read_file(mut file: &File, len: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(usize::try_from(len).unwrap_or(usize::MAX))
        .map_err(|_| Error::TooLarge { bytes: len })?;
    read_up_to(&mut file, len.saturating_add(1), &mut bytes)?;
    if bytes.len() as u64 > len {
        return Err(Error::damaged(format_args!("it grew past its {len} bytes while it was read")));
    }
    Ok(bytes)
}

/// Is it a device, for example `/dev/zero`, which has no length?
#[cfg(unix)]
fn is_device(kind: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.file_type().is_char_device() || kind.file_type().is_block_device()
}

/// Other systems do not tell.
#[cfg(not(unix))]
fn is_device(_: &Metadata) -> bool {
    false
}

impl<'a> Open<'a> {
    /// Opens a file, of tepal or of another program, with these keys and checks.
    ///
    /// The bits of a tepal file are mapped, not copied (see
    /// [`BloomFilter::open`](crate::BloomFilter::open)), unless [`in_memory`](Self::in_memory) is
    /// set. The bits of another program's file are decoded into memory once. The file is mapped for
    /// this too, and its memory is released piece by piece, so there is never a second copy of the
    /// bits. With `in_memory` the file is read first.
    ///
    /// A pipe is read up to the length in the header of a tepal file; for another program's filter,
    /// at most 256 MiB are read. A device is refused.
    ///
    /// # Errors
    /// [`Error::Io`], and as [`from_bytes`](Self::from_bytes); [`Error::TooLarge`] for a file of 2
    /// GiB or more on a 32-bit machine; [`Error::PastLimit`] for a pipe with too many bytes.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Opened> {
        let path = path.as_ref();
        let (bytes, found) = Bytes::of(path, self, Open::<'a>::check_header::<AnyFilter>)?;
        let opened = if bytes.as_slice().starts_with(&MAGIC) {
            let (filter, is_sealed) = self.ours::<AnyFilter>(bytes)?;
            self.opened(filter, is_sealed)?
        } else {
            self.foreign(bytes.as_slice(), Some(&|piece| bytes.let_go(piece)))?
        };
        Ok(opened.came_from(Origin { path: path.into(), stamp: Stamp::of(&found) }))
    }

    /// Opens a tepal file with a filter of one kind. For other files the error says how to open
    /// them.
    pub(super) fn open_as<F: FromFile>(&self, path: &Path) -> Result<F> {
        let (bytes, _) = Bytes::of(path, self, Open::<'a>::check_header::<F>)?;
        if !bytes.as_slice().starts_with(&MAGIC) {
            return Err(Error::NotTepal { found: super::envelope::looks_like(bytes.as_slice()) });
        }
        Ok(self.ours(bytes)?.0)
    }

    /// Opens a tepal file as the requested type. Also returns whether the file is sealed.
    fn ours<F: FromFile>(&self, bytes: Bytes) -> Result<(F, bool)> {
        match bytes {
            #[cfg(target_endian = "little")]
            Bytes::Map(map) => self.of_map(map),
            #[cfg(target_endian = "little")]
            Bytes::Private(map) => self.of_private_map(map),
            Bytes::Read(bytes) => self.read(&bytes),
        }
    }

    #[cfg(target_endian = "little")]
    fn of_map<F: FromFile>(&self, map: memmap2::Mmap) -> Result<(F, bool)> {
        let read = self.dissect::<F>(&map)?;
        let is_sealed = read.check.is_sealed();
        // The map starts on a page and the body on a multiple of 64.
        let lines = Owned::held(Holder::File(InBytes::new(Ref::new(map), read.body.clone())?));
        if !self.quick {
            read.check.run(lines.as_lines())?;
        }
        Ok((read.checked_with(lines), is_sealed))
    }

    /// Checks everything at once: after a change of the bits their checksums no longer fit.
    #[cfg(target_endian = "little")]
    fn of_private_map<F: FromFile>(&self, map: memmap2::MmapMut) -> Result<(F, bool)> {
        let read = self.dissect::<F>(&map)?;
        let lines = Owned::held(Holder::Private(Private::new(map, read.body.clone())?));
        read.check.run(lines.as_lines())?;
        let is_sealed = read.check.is_sealed();
        Ok((read.with_lines(lines), is_sealed))
    }
}

#[cfg(all(test, unix))]
mod tests;

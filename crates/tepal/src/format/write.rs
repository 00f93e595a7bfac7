//! Writes a tepal file: as bytes, to a writer, or as a file that replaces another.

use alloc::vec::Vec;
use core::result::Result as CoreResult;
#[cfg(feature = "std")]
use std::io::{self, Write};
#[cfg(feature = "std")]
use std::path::Path;

use super::chunks::chunks_of;
use super::envelope;
use super::seal::{SEAL_BYTES, SealKey, Sealer};
use crate::bits::memory;
use crate::error::{Error, Result};
use crate::ids::Kind;
use crate::kinds::bloom::BloomFilter;
#[cfg(target_has_atomic = "64")]
use crate::kinds::bloom::Shared;
use crate::kinds::storage::PlainStorage;
use crate::kinds::{FilePart, Filter};

/// Calls `out` with the pieces of a filter's file. `refuse` makes the caller's error if memory is
/// short.
pub(super) fn pieces<E>(
    kind: Kind,
    part: &FilePart<'_>,
    seal: Option<&SealKey>,
    refuse: impl Fn(Error) -> E,
    mut out: impl FnMut(&[u8]) -> CoreResult<(), E>,
) -> CoreResult<(), E> {
    let mut table: Vec<u64> = Vec::new();
    for chunk in chunks_of(&part.body) {
        memory::push(&mut table, envelope::checksum(&chunk)).map_err(&refuse)?;
    }
    let head = envelope::encode(kind, part, &table, seal.is_some()).map_err(refuse)?;
    let mut sealer = Sealer::new(seal);
    sealer.update(&head);
    out(&head)?;
    for chunk in chunks_of(&part.body) {
        sealer.update(&chunk);
        out(&chunk)?;
    }
    super::behind::pieces(part, &head, |piece| {
        sealer.update(piece);
        out(piece)
    })?;
    sealer.finish().map_or(Ok(()), |seal| out(&seal))
}

/// The content of a filter's tepal file, after its bits were checked. A keyed filter that was
/// opened without its key is refused, because the file's self-test needs the key.
pub(super) fn checked_part(filter: &dyn Filter) -> Result<FilePart<'_>> {
    filter.key_hasher().hasher().check_key()?;
    filter.check_before_copying()?;
    filter.file_part()
}

/// The file of a filter as bytes.
pub(super) fn bytes(filter: &dyn Filter, seal: Option<&SealKey>) -> Result<Vec<u8>> {
    let part = checked_part(filter)?;
    let mut bytes = Vec::new();
    let file_len = envelope::file_len(&part) + SEAL_BYTES;
    let too_large = |_| Error::TooLarge { bytes: file_len };
    let len = usize::try_from(file_len).map_err(|_| too_large(()))?;
    bytes.try_reserve_exact(len).map_err(|_| too_large(()))?;
    pieces(filter.kind(), &part, seal, core::convert::identity, |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })?;
    Ok(bytes)
}

/// Writes the file of a filter to `out`.
#[cfg(feature = "std")]
pub(super) fn to_writer(filter: &dyn Filter, seal: Option<&SealKey>, out: &mut dyn Write) -> Result<()> {
    let part = checked_part(filter)?;
    let refuse = |error| io::Error::new(io::ErrorKind::OutOfMemory, error);
    pieces(filter.kind(), &part, seal, refuse, |piece| out.write_all(piece))
        .and_then(|()| out.flush())
        .map_err(writing)
}

#[cfg(feature = "std")]
pub(super) fn writing(source: io::Error) -> Error {
    Error::Io { path: None, doing: "writing a filter".into(), source }
}

impl<L: PlainStorage> BloomFilter<L> {
    /// The length of this filter's file in bytes; a sealed file has 32 more.
    ///
    /// ```
    /// let seen = tepal::BloomFilter::builder().capacity(1000).build()?;
    /// assert_eq!(seen.file_len(), seen.to_bytes()?.len() as u64);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn file_len(&self) -> u64 {
        envelope::file_len(&self.part())
    }

    /// The number of chunks with a checksum of their own in the file: 64 KiB each, the last one up
    /// to that.
    #[must_use]
    pub fn chunks(&self) -> u64 {
        self.size_in_bytes().div_ceil(envelope::CHUNK_BYTES)
    }
}

/// Saves a copy of the present keys ([`snapshot`](BloomFilter::snapshot)), while other threads
/// insert and look up keys. It takes the memory of a second filter until it is done.
#[cfg(target_has_atomic = "64")]
impl BloomFilter<Shared> {
    /// Returns the file as bytes.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if memory for the copy or the bytes is short.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.snapshot()?.to_bytes()
    }

    /// [`to_bytes`](Self::to_bytes), sealed.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    #[cfg(feature = "seal")]
    pub fn to_bytes_sealed(&self, key: &SealKey) -> Result<Vec<u8>> {
        self.snapshot()?.to_bytes_sealed(key)
    }

    /// Writes the file to `out`.
    ///
    /// # Errors
    /// As [`write_to`](BloomFilter::write_to) of a filter in memory, and [`Error::TooLarge`] if
    /// memory for the copy is short.
    #[cfg(feature = "std")]
    pub fn write_to(&self, out: impl Write) -> Result<()> {
        self.snapshot()?.write_to(out)
    }

    /// Saves the filter as a file, atomically, like [`save`](BloomFilter::save) of a filter in
    /// memory.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tepal::BloomFilter;
    /// let seen = BloomFilter::builder().capacity(1000).build()?.into_shared()?;
    /// seen.insert("apple")?;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("seen.tepal");
    /// seen.save(&path)?;                                   // other threads may go on
    /// assert!(BloomFilter::open(&path)?.contains("apple"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`save`](BloomFilter::save) of a filter in memory, and [`Error::TooLarge`] if memory for
    /// the copy is short.
    #[cfg(feature = "std")]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.snapshot()?.save(path)
    }

    /// [`save`](Self::save), sealed.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    #[cfg(all(feature = "std", feature = "seal"))]
    pub fn save_sealed(&self, path: impl AsRef<Path>, key: &SealKey) -> Result<()> {
        self.snapshot()?.save_sealed(path, key)
    }
}

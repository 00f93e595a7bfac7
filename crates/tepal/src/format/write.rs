//! Writing a tepal file: as bytes, to any writer, or as a file that takes the place of another.

use alloc::vec::Vec;
use core::result::Result as CoreResult;
#[cfg(feature = "std")]
use std::io::{self, Write};
#[cfg(feature = "std")]
use std::path::Path;

#[cfg(feature = "std")]
use super::replace::{Over, replace};
use super::seal::{SEAL_BYTES, SealKey, Sealer};
use super::{chunks_of, envelope};
use crate::bits::memory;
use crate::error::{Error, Result};
use crate::ids::Kind;
use crate::kinds::bloom::BloomFilter;
#[cfg(target_has_atomic = "64")]
use crate::kinds::bloom::Shared;
use crate::kinds::storage::PlainStorage;
use crate::kinds::{FilePart, Filter};

/// Hands out the file of a filter, piece by piece. `refuse` makes an error of the caller's where there is no memory.
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

/// What a tepal file holds of a filter, once its bits are known to be right.
pub(super) fn checked_part(filter: &dyn Filter) -> Result<FilePart<'_>> {
    filter.check_before_copying()?;
    filter.file_part()
}

/// The file of a filter as bytes.
pub(super) fn bytes(kind: Kind, part: &FilePart<'_>, seal: Option<&SealKey>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file_len = envelope::file_len(part) + SEAL_BYTES;
    let too_large = |_| Error::TooLarge { bytes: file_len };
    let len = usize::try_from(file_len).map_err(|_| too_large(()))?;
    bytes.try_reserve_exact(len).map_err(|_| too_large(()))?;
    pieces(kind, part, seal, core::convert::identity, |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })?;
    Ok(bytes)
}

/// Writes the file of a filter to `out`.
#[cfg(feature = "std")]
pub(super) fn to_writer(
    kind: Kind,
    part: &FilePart<'_>,
    seal: Option<&SealKey>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let refuse = |error| io::Error::new(io::ErrorKind::OutOfMemory, error);
    pieces(kind, part, seal, refuse, |piece| out.write_all(piece))?;
    out.flush()
}

#[cfg(feature = "std")]
pub(super) fn writing(source: io::Error) -> Error {
    Error::Io { doing: "writing a filter".into(), source }
}

impl<L: PlainStorage> BloomFilter<L> {
    /// Bytes of the file that this filter makes; sealed, it has 32 more.
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

    /// Chunks of the file that have a checksum of their own: 64 KiB each, the last one up to that.
    #[must_use]
    pub fn chunks(&self) -> u64 {
        self.size_in_bytes().div_ceil(envelope::CHUNK_BYTES)
    }

    /// The file as bytes. One filter has exactly one file, on every machine.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for it; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        bytes(Kind::Bloom, &self.checked_part()?, None)
    }

    /// [`to_bytes`](Self::to_bytes), sealed: whoever opens it needs the same key, and finds every change that
    /// was made without it.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    #[cfg(feature = "seal")]
    pub fn to_bytes_sealed(&self, key: &SealKey) -> Result<Vec<u8>> {
        bytes(Kind::Bloom, &self.checked_part()?, Some(key))
    }

    /// What the file holds, once the bits are known to be right.
    fn checked_part(&self) -> Result<FilePart<'_>> {
        self.check_before_copying()?;
        Ok(self.part())
    }
}

/// While other threads insert and ask, of a copy of what the filter holds now
/// ([`snapshot`](BloomFilter::snapshot)): the memory of a second filter, for as long as it takes.
#[cfg(target_has_atomic = "64")]
impl BloomFilter<Shared> {
    /// The file as bytes.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for the copy or the bytes.
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
    /// As [`write_to`](BloomFilter::write_to) of a filter in memory, and [`Error::TooLarge`] where there is no memory for
    /// the copy.
    #[cfg(feature = "std")]
    pub fn write_to(&self, out: impl Write) -> Result<()> {
        self.snapshot()?.write_to(out)
    }

    /// Saves the filter as a file, atomically, as [`save`](BloomFilter::save) of a filter in memory does.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tepal::BloomFilter;
    /// let seen = BloomFilter::builder().capacity(1000).build()?.into_shared();
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
    /// As there, and [`Error::TooLarge`] where there is no memory for the copy.
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

#[cfg(feature = "std")]
impl<L: PlainStorage> BloomFilter<L> {
    /// Writes the file to `out`. Buffering is the caller's; the pieces are 64 KiB.
    ///
    /// # Errors
    /// [`Error::Io`] where `out` refuses; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn write_to(&self, mut out: impl Write) -> Result<()> {
        to_writer(Kind::Bloom, &self.checked_part()?, None, &mut out).map_err(writing)
    }

    /// [`write_to`](Self::write_to), sealed as by [`to_bytes_sealed`](Self::to_bytes_sealed).
    ///
    /// # Errors
    /// As [`write_to`](Self::write_to).
    #[cfg(feature = "seal")]
    pub fn write_to_sealed(&self, mut out: impl Write, key: &SealKey) -> Result<()> {
        to_writer(Kind::Bloom, &self.checked_part()?, Some(key), &mut out).map_err(writing)
    }

    /// Saves the filter as a file, atomically: the bytes go to a temporary file beside `path`, reach the
    /// disk, and then take the name. Whatever happens, `path` is the old file or the new one, whole.
    ///
    /// An existing file keeps its permissions, its owner and group where this process may give them away (where not, the
    /// group gets no more than everybody), and its readers keep what they had opened; access lists are not kept. Until it
    /// is finished, only its owner may read the temporary file. A symbolic link is followed. A process that is killed while saving leaves its temporary file; on Unix the next save
    /// of the same target removes it.
    ///
    /// # Errors
    /// [`Error::Io`] where the system refuses; [`Error::Parameter`] where `path` is something that cannot be
    /// replaced by a file, such as a folder or a device ([`check_place`](crate::check_place) says so ahead); [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_at(path.as_ref(), Over::Any, None)
    }

    /// [`save`](Self::save) as a new file, which never replaces another: of two at once, one makes it.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tepal::{BloomFilter, Error};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("seen.tepal");
    /// let seen = BloomFilter::builder().capacity(1000).build()?;
    /// seen.save_new(&path)?;
    /// assert!(matches!(seen.save_new(&path), Err(Error::FileExists { .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::FileExists`] where there is anything of that name; and as [`save`](Self::save).
    pub fn save_new(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_at(path.as_ref(), Over::Nothing, None)
    }

    /// [`save`](Self::save), sealed: whoever opens the file needs the same key, and finds every change that was
    /// made without it ([`SealKey`]).
    ///
    /// # Errors
    /// As [`save`](Self::save).
    #[cfg(feature = "seal")]
    pub fn save_sealed(&self, path: impl AsRef<Path>, key: &SealKey) -> Result<()> {
        self.save_at(path.as_ref(), Over::Any, Some(key))
    }

    fn save_at(&self, path: &Path, over: Over<'_>, seal: Option<&SealKey>) -> Result<()> {
        let part = self.checked_part()?;
        replace(path, over, |out| to_writer(Kind::Bloom, &part, seal, out).map_err(writing)).map(drop)
    }
}

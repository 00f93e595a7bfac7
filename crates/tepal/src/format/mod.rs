//! Filters and files: `FORMAT.md` in code. Only this room knows of files.
//!
//! [`header`] turns everything but the bits into bytes and back, [`check`] holds the bits against it, [`open`]
//! hands out filters, [`map`] maps a file without copying it, [`mod@write`] writes and [`replace`] saves atomically, [`seal`] is for files that must not be swapped. Other programs'
//! files are in [`foreign`], one file a format.

pub(crate) mod check;
mod fields;
pub(crate) mod foreign;
pub(crate) mod header;
#[cfg(feature = "std")]
pub(crate) mod map;
pub(crate) mod open;
#[cfg(feature = "std")]
mod replace;
pub(crate) mod seal;
#[cfg(feature = "std")]
mod write;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::result::Result as CoreResult;

use xxhash_rust::xxh3::xxh3_64;

use crate::bits::{self, LINE_BYTES, Line};
use crate::error::{Error, Result};
use crate::filters::bloom::BloomFilter;
use header::CHUNK_BYTES;
use seal::{SEAL_BYTES, SealKey, Sealer};

/// The body as the file holds it, chunk by chunk: the words little-endian, whatever the machine.
fn chunks(lines: &[Line]) -> impl Iterator<Item = Cow<'_, [u8]>> {
    lines.chunks((CHUNK_BYTES / LINE_BYTES) as usize).map(|chunk| {
        if cfg!(target_endian = "little") {
            Cow::Borrowed(bytemuck::cast_slice(chunk))
        } else {
            Cow::Owned(bits::words(chunk).iter().flat_map(|word| word.to_le_bytes()).collect())
        }
    })
}

impl<L: AsRef<[Line]>> BloomFilter<L> {
    /// Bytes of the file that this filter makes; sealed, it has 32 more.
    pub fn file_len(&self) -> u64 {
        let records = header::records_len(&self.meta.labels, &self.meta.hasher);
        header::body_offset(self.size_in_bytes(), records) + self.size_in_bytes()
    }

    /// The file as bytes. One filter has exactly one file, on every machine.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for it; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes(None)
    }

    /// [`to_bytes`](Self::to_bytes), sealed: whoever opens it needs the same key, and finds every change that
    /// was made without it.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    #[cfg(feature = "seal")]
    pub fn to_bytes_sealed(&self, key: &SealKey) -> Result<Vec<u8>> {
        self.bytes(Some(key))
    }

    fn bytes(&self, seal: Option<&SealKey>) -> Result<Vec<u8>> {
        self.check_before_copying()?;
        let mut bytes = Vec::new();
        let file_len = self.file_len() + SEAL_BYTES;
        let too_large = |_| Error::TooLarge { bytes: file_len };
        let len = usize::try_from(file_len).map_err(|_| too_large(()))?;
        bytes.try_reserve_exact(len).map_err(|_| too_large(()))?;
        let written: CoreResult<(), Infallible> = self.pieces(seal, |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        });
        let Ok(()) = written;
        Ok(bytes)
    }

    /// Hands out the file, piece by piece.
    fn pieces<E>(
        &self,
        seal: Option<&SealKey>,
        mut out: impl FnMut(&[u8]) -> CoreResult<(), E>,
    ) -> CoreResult<(), E> {
        let lines = self.lines.as_ref();
        let table: Vec<u64> = chunks(lines).map(|chunk| xxh3_64(&chunk)).collect();
        let head = header::encode(&self.meta, &self.rules, self.set_bits(), &table, seal.is_some());
        let mut sealer = Sealer::new(seal);
        sealer.update(&head);
        out(&head)?;
        for chunk in chunks(lines) {
            sealer.update(&chunk);
            out(&chunk)?;
        }
        sealer.finish().map_or(Ok(()), |seal| out(&seal))
    }
}

/// What bytes that are no tepal file look like, for the error.
fn looks_like(bytes: &[u8]) -> String {
    let first = &bytes[..bytes.len().min(8)];
    match first {
        [] => "it is empty".into(),
        [0x1F, 0x8B, ..] => "it looks like gzip data".into(),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => "it looks like zstd data".into(),
        [b'P', b'K', 3 | 5, ..] => "it looks like a zip archive".into(),
        [0x89, b'T', b'E', b'P', b'A', b'L', ..] => {
            "it was one, but a copy in text mode has changed its line ends".into()
        }
        _ if header::MAGIC.starts_with(first) => "it ends within the first 8 bytes".into(),
        _ if first.iter().all(|b| matches!(b, b'\t'..=b'\r' | b' '..=b'~') || *b >= 0x80) => {
            format!("it looks like text ({:?})", String::from_utf8_lossy(first))
        }
        _ => format!("it starts with the bytes {first:02x?}"),
    }
}

#[cfg(test)]
mod tests;

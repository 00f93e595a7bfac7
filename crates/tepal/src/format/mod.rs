//! Filters and files: `FORMAT.md` in code. Only this room knows of files.
//!
//! [`header`] turns everything but the bits into bytes and back, this module checks bodies and hands out
//! filters, [`mod@write`] saves atomically, [`map`] maps a file without copying it. Other programs' files are
//! in [`foreign`], one file a format.

mod fields;
pub(crate) mod foreign;
pub(crate) mod header;
#[cfg(feature = "std")]
pub(crate) mod map;
#[cfg(feature = "std")]
mod write;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use crate::bits::{self, LINE_BYTES, Line};
use crate::error::{Error, Result};
use crate::filters::bloom::BloomFilter;
use crate::hash::SecretKey;
use header::{CHUNK_BYTES, Header, Lengths};

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

/// Checks the bits against the header: every chunk's checksum, the padding, the number of set bits.
fn check_body(header: &Header, lines: &[Line]) -> Result<()> {
    for (i, (chunk, &expected)) in (0u64..).zip(chunks(lines).zip(&header.chunk_table)) {
        let found = xxh3_64(&chunk);
        if found != expected {
            let from = header.lengths.body_offset + i * CHUNK_BYTES;
            return Err(Error::damaged(format_args!(
                "bytes {from} to {} have the checksum {found:016x}, and {expected:016x} was written",
                from + chunk.len() as u64 - 1
            )));
        }
    }
    let (bit_len, set_bits) = (header.meta.shape.bit_len, bits::count(lines));
    if bits::count_below(lines, bit_len) != set_bits {
        return Err(Error::damaged(format_args!("bits are set beyond the last one, {}", bit_len - 1)));
    }
    if set_bits != header.set_bits {
        return Err(Error::damaged(format_args!(
            "{set_bits} bits are set, and the header says {}",
            header.set_bits
        )));
    }
    Ok(())
}

impl<L: AsRef<[Line]>> BloomFilter<L> {
    /// Bytes of the file that this filter makes.
    pub fn file_len(&self) -> u64 {
        let records = header::records_len(&self.meta.labels, &self.meta.hasher);
        header::body_offset(self.size_in_bytes(), records) + self.size_in_bytes()
    }

    /// The file as bytes. One filter has exactly one file, on every machine.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for it.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let too_large = |_| Error::TooLarge { bytes: self.file_len() };
        let len = usize::try_from(self.file_len()).map_err(|_| too_large(()))?;
        bytes.try_reserve_exact(len).map_err(|_| too_large(()))?;
        bytes.extend_from_slice(&self.file_head());
        chunks(self.lines.as_ref()).for_each(|chunk| bytes.extend_from_slice(&chunk));
        Ok(bytes)
    }

    /// Everything before the body.
    fn file_head(&self) -> Vec<u8> {
        let lines = self.lines.as_ref();
        let table: Vec<u64> = chunks(lines).map(|chunk| xxh3_64(&chunk)).collect();
        header::encode(&self.meta, &self.rules, self.set_bits(), &table)
    }
}

impl BloomFilter {
    /// Reads a file's bytes into a filter in memory, with every check of [`open`](BloomFilter::open).
    ///
    /// # Errors
    /// As [`open`](BloomFilter::open), save for reading itself.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from_bytes(bytes, None)
    }

    /// [`from_bytes`](Self::from_bytes) for a filter made with a secret key.
    ///
    /// # Errors
    /// As [`open_with_key`](BloomFilter::open_with_key), save for reading itself.
    pub fn from_bytes_with_key(bytes: &[u8], key: &SecretKey) -> Result<Self> {
        from_bytes(bytes, Some(key))
    }
}

fn from_bytes(bytes: &[u8], key: Option<&SecretKey>) -> Result<BloomFilter> {
    let lengths = Lengths::read(bytes, bytes.len() as u64)?;
    let (head, body) = bytes.split_at(lengths.body_offset as usize);
    let header = Header::decode(lengths, head, key)?;
    // The header's body length was compared with the bytes that are there.
    let mut lines = bits::zeroed(header.meta.shape.lines())?;
    bytemuck::cast_slice_mut(&mut lines).copy_from_slice(body);
    bits::words_mut(&mut lines).iter_mut().for_each(|word| *word = u64::from_le(*word));
    check_body(&header, &lines)?;
    Ok(BloomFilter::from_parts(header.meta, lines, header.set_bits))
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

//! Reading a file out of a stream of bytes.

use std::io::Read;
use std::vec::Vec;

use super::envelope::{MAGIC, START};
use super::open::Open;
use super::opened::Opened;
use crate::error::{Error, Looks, Result};
use crate::kinds::bloom::BloomFilter;

impl Open<'_> {
    /// Reads one tepal file out of a stream, and leaves what follows it: files can stand one after the other. Everything is
    /// checked, as by [`from_bytes`](Self::from_bytes).
    ///
    /// Memory grows with what has come, not with what the file says of its length. The reads are few and large; a buffer
    /// around `stream` is not needed.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), and [`Error::Io`]. A file of another program does not say where it ends: read
    /// all of it, for [`from_bytes`](Self::from_bytes).
    pub fn read_from(&self, mut stream: impl Read) -> Result<Opened> {
        let bytes = file_in(&mut stream)?;
        let (filter, is_sealed) = self.read(&bytes)?;
        self.opened(filter, is_sealed)
    }
}

/// The bytes of one file.
fn file_in(stream: &mut dyn Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let reading = |source| Error::Io { doing: "reading a filter".into(), source };
    (&mut *stream).take(START as u64).read_to_end(&mut bytes).map_err(reading)?;
    if bytes.len() < START || !bytes.starts_with(&MAGIC) {
        return Err(Error::NotTepal {
            found: if bytes.is_empty() { Looks::Empty } else { super::looks_like(&bytes) },
        });
    }
    let file_len = u64::from_le_bytes(core::array::from_fn(|i| bytes[START - 8 + i]));
    // Where fewer come, the length that is written does not fit, and opening says so.
    stream.take(file_len.saturating_sub(START as u64)).read_to_end(&mut bytes).map_err(reading)?;
    Ok(bytes)
}

impl BloomFilter {
    /// Reads one tepal file out of a stream into a filter in memory, and leaves what follows it. Everything is checked.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let (mut a, mut b) = (BloomFilter::builder().capacity(10).build()?, BloomFilter::builder().capacity(10).build()?);
    /// a.insert("apple")?;
    /// b.insert("banana")?;
    /// let mut stream = Vec::new();
    /// a.write_to(&mut stream)?;
    /// b.write_to(&mut stream)?;
    ///
    /// let mut stream = &stream[..];
    /// assert!(BloomFilter::read_from(&mut stream)?.contains("apple"));
    /// assert!(BloomFilter::read_from(&mut stream)?.contains("banana"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), and [`Error::Io`].
    pub fn read_from(stream: impl Read) -> Result<Self> {
        Open::new().read_from(stream)?.into_filter().into_bloom()?.into_owned()
    }
}

#[cfg(test)]
mod tests;

//! The bits alone, out and in.

use alloc::vec::Vec;

use super::storage::{InMemory, PlainStorage};
use super::{BloomFilter, BloomFilterBuilder, Meta};
use crate::bits;
use crate::error::{Error, Result};

impl<L: PlainStorage> BloomFilter<L> {
    /// The bits alone, for programs that follow the same rule and keep everything else by
    /// themselves: bit `p` is bit `p % 8` (0 = least significant) of byte `p / 8`.
    /// [`build_with_bits`](BloomFilterBuilder::build_with_bits) takes them.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for them; [`Error::Damaged`] for a filter that
    /// was opened [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn to_bits(&self) -> Result<Vec<u8>> {
        self.check_before_copying()?;
        let bytes = self.bit_len().div_ceil(8);
        let mut out = Vec::new();
        // They are in memory already.
        let bytes = bytes as usize;
        out.try_reserve_exact(bytes.next_multiple_of(8))
            .map_err(|_| Error::TooLarge { bytes: bytes as u64 })?;
        let words = bits::words(self.lines.as_lines());
        out.extend(words[..bytes.div_ceil(8)].iter().flat_map(|word| word.to_le_bytes()));
        out.truncate(bytes);
        Ok(out)
    }
}

impl BloomFilterBuilder {
    /// Builds the filter whose bits are these, as [`BloomFilter::to_bits`] or another program that
    /// follows the same rule has written them: bit `p` is bit `p % 8` (0 = least significant) of
    /// byte `p / 8`.
    ///
    /// Nothing in the bits says by which scheme, seed and layout they were set. Where the builder
    /// says another, the filter denies keys that are held: a [file](BloomFilter::to_bytes) or the
    /// [embedded form](BloomFilter::to_embedded) would be refused then.
    ///
    /// ```
    /// use tepal::{BloomFilter, Layout};
    /// let builder = BloomFilter::builder().layout(Layout::SplitBlock).num_hashes(8).bit_len(4096).capacity(400);
    /// let mut filter = builder.clone().build()?;
    /// filter.insert("apple")?;
    /// let bits: Vec<u8> = filter.to_bits()?;
    /// assert_eq!(bits.len(), 4096 / 8);
    /// assert!(builder.build_with_bits(&bits)?.contains("apple"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build); [`Error::Parameter`] where the bytes are not just those of the
    /// planned size, or bits beyond the last one are set. How many keys were inserted is not known
    /// afterwards.
    pub fn build_with_bits(self, bits: &[u8]) -> Result<BloomFilter> {
        let meta = Meta { inserted: None.into(), ..self.meta()? };
        let wanted = meta.shape.bit_len.div_ceil(8);
        if bits.len() as u64 != wanted {
            let expected =
                alloc::format!("{wanted}, the size that the builder plans; give that with `bit_len`");
            return Err(Error::parameter("the number of bytes", bits.len(), expected));
        }
        let mut lines = bits::zeroed(meta.shape.lines())?;
        bits::fill_from_bytes(&mut lines, bits);
        let set_bits = bits::count_within(&lines, meta.shape.bit_len).map_err(|_| {
            let expected = alloc::format!("none beyond the last one, {}", meta.shape.bit_len - 1);
            Error::parameter("the bits", "more of them set", expected)
        })?;
        Ok(BloomFilter::from_parts(meta, InMemory::new(lines), set_bits))
    }
}

#[cfg(test)]
mod tests;

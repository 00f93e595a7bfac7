//! The bits alone: writing and reading them.

use alloc::vec::Vec;

use super::storage::{Owned, PlainStorage};
use super::{BloomFilter, BloomFilterBuilder, BloomMeta};
use crate::bits;
use crate::error::{Error, Result, advice};

impl<L: PlainStorage> BloomFilter<L> {
    /// The bits alone, for programs that use the same rule and store everything else themselves.
    /// Bit `p` is bit `p % 8` (0 = least significant) of byte `p / 8`.
    /// [`build_with_bits`](BloomFilterBuilder::build_with_bits) reads them.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there is no memory for them; [`Error::Damaged`] for a filter that was
    /// opened [quick](crate::Open::quick) and whose bits are damaged.
    pub fn to_bits(&self) -> Result<Vec<u8>> {
        self.check_before_copying()?;
        let bytes = self.bit_len().div_ceil(8);
        let mut out = Vec::new();
        // The bits are in memory already.
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
    /// Builds the filter from its bits, as written by [`BloomFilter::to_bits`] or by another
    /// program that uses the same rule. Bit `p` is bit `p % 8` (0 = least significant) of byte
    /// `p / 8`.
    ///
    /// The bits do not tell their scheme, seed and layout. If the builder names others, the filter
    /// answers `false` for members. A [file](BloomFilter::to_bytes) or the [embedded
    /// form](BloomFilter::to_embedded) would be refused in that case.
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
    /// As [`build`](Self::build); [`Error::Parameter`] if the number of bytes is not that of the
    /// planned size, or if bits past the last one are set. The number of inserted keys is not known
    /// afterwards.
    pub fn build_with_bits(self, bits: &[u8]) -> Result<BloomFilter> {
        let meta = BloomMeta { inserted: None.into(), ..self.meta()? };
        let wanted = meta.shape.bit_len.div_ceil(8);
        if bits.len() as u64 != wanted {
            let expected = alloc::format!("{wanted}, the size that the builder plans");
            let error = Error::parameter("the number of bytes", bits.len(), expected);
            return Err(error.with(advice!("give the builder the number of bits", BitLen)));
        }
        let mut lines = bits::zeroed(meta.shape.lines())?;
        bits::fill_from_bytes(&mut lines, bits);
        let set_bits = bits::count_within(&lines, meta.shape.bit_len).map_err(|_| {
            let expected = alloc::format!("{} at most", meta.shape.bit_len - 1);
            Error::parameter("the number of the last set bit", "greater", expected)
        })?;
        Ok(BloomFilter::from_parts(meta, Owned::new(lines), set_bits))
    }
}

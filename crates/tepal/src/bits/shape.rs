//! The limits of the layouts, and the shape of a filter.

use super::LINE_BITS;
use crate::error::{Error, Result};
use crate::ids::Layout;

impl Layout {
    /// The smallest and the largest number of bits that a key may set.
    #[must_use]
    pub const fn num_hashes_range(self) -> (u32, u32) {
        match self {
            Layout::Line => (1, 16),
            Layout::Double => (2, 32),
            Layout::SplitBlock => (8, 8),
            Layout::Scattered => (1, 64),
        }
    }

    /// `bit_len` is a multiple of this.
    #[must_use]
    pub const fn unit_bits(self) -> u64 {
        match self {
            Layout::Line | Layout::Double => LINE_BITS,
            Layout::SplitBlock => 256,
            Layout::Scattered => 64,
        }
    }
}

/// The largest number of bits in a filter: 8 TiB, the limit of the file format.
pub(crate) const MOST_BITS: u64 = 1 << 46;

/// Layout, bits for each key and size: two filters that share them set the same bits for the same
/// hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) layout: Layout,
    pub(crate) num_hashes: u32,
    pub(crate) bit_len: u64,
}

impl Shape {
    /// Checks the ranges of FORMAT.md, section 2.
    pub(crate) fn new(layout: Layout, num_hashes: u32, bit_len: u64) -> Result<Self> {
        let (least, most) = layout.num_hashes_range();
        if !(least..=most).contains(&num_hashes) {
            let expected = alloc::format!("{least} to {most} in the layout {layout}");
            return Err(Error::parameter("the number of hashes", num_hashes, expected));
        }
        let unit = layout.unit_bits();
        if bit_len == 0 || bit_len % unit != 0 {
            let expected = alloc::format!("a multiple of {unit} in the layout {layout}, and not 0");
            return Err(Error::parameter("the number of bits", bit_len, expected));
        }
        let most_bits = if layout == Layout::SplitBlock { 256 << 32 } else { MOST_BITS };
        if bit_len > most_bits {
            let expected = alloc::format!("at most {most_bits} in the layout {layout}");
            return Err(Error::parameter("the number of bits", bit_len, expected));
        }
        Ok(Shape { layout, num_hashes, bit_len })
    }

    /// The number of lines that hold the bits.
    pub(crate) fn lines(&self) -> u64 {
        self.bit_len.div_ceil(LINE_BITS)
    }
}

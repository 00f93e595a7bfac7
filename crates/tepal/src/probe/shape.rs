//! The layouts with their frozen ids and limits, and the shape of a filter.

use core::fmt;
use core::str::FromStr;

use crate::bits::LINE_BITS;
use crate::error::{Error, Result};
use crate::hash::Scheme;

/// Which bits a hash sets. Frozen numbers, only ever added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// All bits in one cache line: one memory access a key. The fastest down to a rate of 0.1 %;
    /// 4 % more memory than scattered bits at 1 %, 9 % more at 0.1 %.
    Line,
    /// Half of the bits in each of two lines: within 1 to 2 % of the memory of scattered bits down to
    /// 0.1 %. A batch fetches the second line only for keys that pass the first.
    Double,
    /// The 256-bit block of Apache Parquet's Bloom filter, 8 bits a key: the least work a key, 10 % more
    /// memory than scattered bits at 1 %, 17 % more at 0.1 %.
    SplitBlock,
    /// The classic filter: k independent positions, each in a line of its own. The least memory, the
    /// most memory accesses.
    Scattered,
}

impl Layout {
    /// Every layout this build knows.
    pub const ALL: [Layout; 4] = [Layout::Line, Layout::Double, Layout::SplitBlock, Layout::Scattered];

    /// The number that stands for it in a file.
    pub const fn id(self) -> u8 {
        match self {
            Layout::Line => 1,
            Layout::Double => 2,
            Layout::SplitBlock => 3,
            Layout::Scattered => 4,
        }
    }

    /// Its name, in texts and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Line => "line",
            Layout::Double => "double",
            Layout::SplitBlock => "split-block",
            Layout::Scattered => "scattered",
        }
    }

    pub(crate) fn from_id(id: u8) -> Result<Self> {
        Self::ALL.into_iter().find(|l| l.id() == id).ok_or(Error::Unsupported {
            what: "layout",
            found: id.into(),
            known: "1 (line), 2 (double), 3 (split-block) and 4 (scattered)",
        })
    }

    /// The least and the greatest number of bits a key may set.
    pub const fn num_hashes_range(self) -> (u32, u32) {
        match self {
            Layout::Line => (1, 16),
            Layout::Double => (2, 32),
            Layout::SplitBlock => (8, 8),
            Layout::Scattered => (1, 64),
        }
    }

    /// `bit_len` is a multiple of this.
    pub const fn unit_bits(self) -> u64 {
        match self {
            Layout::Line | Layout::Double => LINE_BITS,
            Layout::SplitBlock => 256,
            Layout::Scattered => 64,
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Layout {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|layout| layout.name() == name);
        known.ok_or_else(|| {
            let expected = "`line`, `double`, `split-block` or `scattered`";
            Error::parameter("the layout", name, expected)
        })
    }
}

/// No filter has more bits: 8 TiB, what one file can describe.
pub(crate) const MOST_BITS: u64 = 1 << 46;

/// Layout, bits a key and size: what two filters must share to set the same bits for the same hash.
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
            let expected = alloc::format!("{least} to {most} in the layout `{layout}`");
            return Err(Error::parameter("the number of hashes", num_hashes, expected));
        }
        let unit = layout.unit_bits();
        if bit_len == 0 || bit_len % unit != 0 {
            let expected = alloc::format!("a multiple of {unit} in the layout `{layout}`, and not 0");
            return Err(Error::parameter("the number of bits", bit_len, expected));
        }
        let most_bits = if layout == Layout::SplitBlock { 256 << 32 } else { MOST_BITS };
        if bit_len > most_bits {
            let expected = alloc::format!("at most {most_bits} in the layout `{layout}`");
            return Err(Error::parameter("the number of bits", bit_len, expected));
        }
        Ok(Shape { layout, num_hashes, bit_len })
    }

    /// The shape of a scheme with a rule of its own: any number of bits that the scheme can have.
    pub(crate) fn of_scheme(scheme: Scheme, num_hashes: u32, bit_len: u64) -> Result<Self> {
        crate::schemes::sizing::check(scheme, num_hashes, bit_len)?;
        Ok(Shape { layout: Layout::Scattered, num_hashes, bit_len })
    }

    /// Lines of memory that hold the bits.
    pub(crate) fn lines(&self) -> u64 {
        self.bit_len.div_ceil(LINE_BITS)
    }
}

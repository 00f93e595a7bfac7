//! A Bloom filter of which only the bits, the shape and the key hasher are known.

use super::storage::PlainStorage;
use super::{BloomFilter, Meta, shape_of};
use crate::bits::{self, LINE_BITS};
use crate::error::{Error, Result};
use crate::facts::Labels;
use crate::ids::{Layout, OverCapacity};
use crate::key::KeyHasher;
use crate::params::keys_for_fill;

/// What is known of it beside its bits and its key hasher.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Embedded {
    pub(crate) layout: Layout,
    pub(crate) num_hashes: u32,
    pub(crate) bit_len: u64,
}

impl Embedded {
    /// Lines that the bits take.
    pub(crate) fn lines(&self) -> u64 {
        self.bit_len.div_ceil(LINE_BITS)
    }

    /// The filter with these bits, of which there are as many lines.
    pub(crate) fn with_bits<L: PlainStorage>(self, keys: &KeyHasher, lines: L) -> Result<BloomFilter<L>> {
        let Embedded { layout, num_hashes, bit_len } = self;
        let shape = shape_of(keys.scheme(), layout, num_hashes, bit_len)?;
        if layout != shape.layout {
            let expected = alloc::format!("`{}` with the scheme `{}`", shape.layout, keys.scheme());
            return Err(Error::parameter("the layout", layout, expected));
        }
        let set_bits = bits::count(lines.as_lines());
        if bits::count_below(lines.as_lines(), bit_len) != set_bits {
            return Err(Error::damaged(format_args!("bits are set beyond the last one, {}", bit_len - 1)));
        }
        let held = keys_for_fill(layout, num_hashes, bit_len, set_bits);
        let meta = Meta {
            shape,
            keys: keys.clone(),
            over_capacity: OverCapacity::Warn,
            capacity: libm::ceil(held).max(1.0) as u64,
            promised_rate: f64::MIN_POSITIVE,
            inserted: None,
            labels: Labels::default(),
        };
        let mut filter = BloomFilter::from_parts(meta, lines, set_bits);
        let now = filter.false_positive_rate();
        filter.meta.promised_rate = now.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
        Ok(filter)
    }
}

impl<L: PlainStorage> BloomFilter<L> {
    /// What the embedded form keeps of the filter.
    pub(crate) fn embedded(&self) -> Embedded {
        Embedded { layout: self.layout(), num_hashes: self.num_hashes(), bit_len: self.bit_len() }
    }
}

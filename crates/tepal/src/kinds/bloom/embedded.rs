//! A Bloom filter that is known only by its bits, its shape and its key hasher.

use super::storage::PlainStorage;
use super::{BloomFilter, BloomMeta};
use crate::bits;
use crate::bits::shape::Shape;
use crate::error::Result;
use crate::ids::OverCapacity;
use crate::key::KeyHasher;
use crate::params::keys_for_fill;

impl<L: PlainStorage> BloomFilter<L> {
    /// Makes the filter of these bits, which have the shape's number of lines. Everything else is
    /// computed from them.
    pub(crate) fn of_bits(shape: Shape, keys: &KeyHasher, lines: L) -> Result<Self> {
        let set_bits = bits::count_within(lines.as_lines(), shape.bit_len)?;
        let held = keys_for_fill(shape.layout, shape.num_hashes, shape.bit_len, set_bits);
        let meta = BloomMeta {
            shape,
            keys: keys.clone(),
            over_capacity: OverCapacity::Warn,
            capacity: libm::ceil(held).max(1.0) as u64,
            promised_rate: f64::MIN_POSITIVE,
            inserted: None.into(),
            labels: None,
        };
        let mut filter = BloomFilter::from_parts(meta, lines, set_bits);
        let now = filter.false_positive_rate();
        filter.meta.promised_rate = now.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
        Ok(filter)
    }
}

//! Guava's MURMUR128_MITZ_32: the halves of h1 in 32-bit arithmetic. It never reaches bits from
//! 2^31 on.

use super::murmur::{murmur3_128, steps_of_32};
use super::rule::Positions;
use super::sizing::Sizing;

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GuavaMitz32;

impl Positions for GuavaMitz32 {
    const SIZING: Sizing = Sizing { has_31_bit_positions: true, ..super::guava_mitz64::SIZING };

    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
        let (h1, _) = murmur3_128(key, b"");
        steps_of_32(h1 as i32, (h1 >> 32) as i32, k, m)
    }
}

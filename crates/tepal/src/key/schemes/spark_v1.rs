//! Spark's V1: like Guava's 32-bit strategy, with Spark's own Murmur3.

use super::murmur::{spark_murmur3_32, steps_of_32};
use super::rule::Positions;
use super::sizing::Sizing;

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SparkV1;

impl Positions for SparkV1 {
    const SIZING: Sizing = Sizing { has_31_bit_positions: true, ..super::spark_v2::SIZING };

    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
        let h1 = spark_murmur3_32(key, 0);
        steps_of_32(h1 as i32, spark_murmur3_32(key, h1) as i32, k, m)
    }
}

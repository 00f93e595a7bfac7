//! Spark's V2: the same two hashes with a seed, combined in 64 bits.

use super::murmur::spark_murmur3_32;
use super::parameters::{Parameter, Parameters};
use super::rule::Positions;
use super::sizing::{LN_2, Sizing, WHOLE_WORDS, classic, round, whole_words};
use crate::error::{Error, Result};

/// The scheme with its seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SparkV2 {
    pub(crate) seed: i32,
}

impl Positions for SparkV2 {
    const SIZING: Sizing = SIZING;
    const PARAMETER: Parameter = Parameter::Seed;

    /// A signed seed of 32 bits, given as a signed number or as its 32 bits.
    fn make(given: &Parameters) -> Result<Self> {
        let seed = given.seed.unwrap_or(0);
        match (i32::try_from(seed as i64), u32::try_from(seed)) {
            (Ok(seed), _) => Ok(SparkV2 { seed }),
            (_, Ok(bits)) => Ok(SparkV2 { seed: bits as i32 }),
            _ => Err(Error::parameter("the seed", seed, "a signed 32-bit number for Spark")),
        }
    }

    fn parameters(&self) -> u64 {
        u64::from(self.seed as u32)
    }

    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
        let h1 = spark_murmur3_32(key, self.seed as u32);
        let h2 = i64::from(spark_murmur3_32(key, h1) as i32);
        let mut combined = i64::from(h1 as i32).wrapping_mul(i64::from(i32::MAX));
        (0..k).map(move |_| {
            combined = combined.wrapping_add(h2);
            // The next step does not use the inverted number.
            (if combined < 0 { !combined } else { combined }) as u64 % m
        })
    }
}

/// The sizes of both Spark versions.
pub(super) const SIZING: Sizing = Sizing { size, allows: whole_words, allowed: WHOLE_WORDS, ..Sizing::USUAL };

fn size(keys: u64, rate: f64) -> Result<(f64, f64)> {
    let bits = libm::trunc(classic(keys, rate));
    Ok((64.0 * libm::ceil(bits / 64.0).max(1.0), round(bits / keys as f64 * LN_2).max(1.0)))
}

//! XXH3-64 with a seed (xxHash specification 0.2.0), by the crate `xxhash-rust`.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::parameters::{Parameter, Parameters};
use super::rule::Hash64;
use crate::error::Result;

/// The default seed of a filter: XXH3-64 with seed 0 of the ASCII bytes `tepal default seed`.
///
/// No other program uses this number. It must differ from theirs: if keys were chosen by XXH3 with
/// the filter's own seed, for example as one shard of a set, they all fall on a few lines of the
/// filter. Its rate is then many times the promised one
/// ([`seed_for`](crate::builders::BloomFilterBuilder::seed_for)).
pub const DEFAULT_SEED: u64 = 0xC306_0CFC_C46C_C38B;

/// The seed for a purpose, for example for one shard or for one filter of a cascade.
pub(crate) fn seed_for(purpose: &str) -> u64 {
    hash(purpose.as_bytes(), DEFAULT_SEED)
}

/// The scheme with its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Xxh3 {
    pub(crate) seed: u64,
}

impl Hash64 for Xxh3 {
    const PARAMETER: Parameter = Parameter::Seed;

    fn make(given: &Parameters) -> Result<Self> {
        Ok(Xxh3 { seed: given.seed.unwrap_or(DEFAULT_SEED) })
    }

    fn parameters(&self) -> u64 {
        self.seed
    }

    fn hash(&self, bytes: &[u8]) -> Result<u64> {
        Ok(hash(bytes, self.seed))
    }
}

#[inline(always)]
pub(crate) fn hash(bytes: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(bytes, seed)
}

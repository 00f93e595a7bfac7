//! XXH3-64 with a seed (xxHash specification 0.2.0), by the crate `xxhash-rust`.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{Hash64, Parameter, Parameters};
use crate::error::Result;

/// The scheme with its seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Xxh3 {
    pub(crate) seed: u64,
}

impl Hash64 for Xxh3 {
    const PARAMETER: Parameter = Parameter::Seed;

    fn make(given: &Parameters) -> Result<Self> {
        Ok(Xxh3 { seed: given.seed.unwrap_or(0) })
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

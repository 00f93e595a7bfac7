//! XXH64 with seed 0, by the crate `xxhash-rust`: the hash of Apache Parquet's filters.

use super::parameters::Parameters;
use super::rule::Hash64;
use crate::error::Result;

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Xxh64;

impl Hash64 for Xxh64 {
    fn make(_: &Parameters) -> Result<Self> {
        Ok(Xxh64)
    }

    fn hash(&self, bytes: &[u8]) -> Result<u64> {
        Ok(xxhash_rust::xxh64::xxh64(bytes, 0))
    }
}

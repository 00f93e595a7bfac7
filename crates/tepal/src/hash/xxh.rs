//! XXH3-64 and XXH64 (xxHash specification 0.2.0), by the crate `xxhash-rust`.

use xxhash_rust::xxh3::xxh3_64_with_seed;
use xxhash_rust::xxh64;

#[inline(always)]
pub(crate) fn xxh3(bytes: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(bytes, seed)
}

#[inline(always)]
pub(crate) fn xxh64(bytes: &[u8]) -> u64 {
    xxh64::xxh64(bytes, 0)
}

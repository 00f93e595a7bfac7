//! XXH3-64 (xxHash specification 0.2.0), by the crate `xxhash-rust`.

use xxhash_rust::xxh3::xxh3_64_with_seed;

#[inline(always)]
pub(crate) fn hash(bytes: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(bytes, seed)
}

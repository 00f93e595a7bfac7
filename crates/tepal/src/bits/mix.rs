//! The arithmetic of a hash of eight bytes, alone and for many: what the levels of the CPU do at different speeds.

/// XXH3 of 4 to 8 bytes (xxHash specification 0.2.0), as a number of which the last four are below the first four;
/// `secret` has the seed in it.
#[inline(always)]
pub(crate) fn mix(secret: u64, n: u64, len: u64) -> u64 {
    const MIX: u64 = 0x9fb2_1c65_1e98_df25;
    let h = n ^ secret;
    let h = (h ^ h.rotate_left(49) ^ h.rotate_left(24)).wrapping_mul(MIX);
    let h = (h ^ (h >> 35).wrapping_add(len)).wrapping_mul(MIX);
    h ^ h >> 28
}

/// The hash of the eight bytes of an integer.
#[inline(always)]
pub(crate) fn mix_integer(secret: u64, n: u64) -> u64 {
    mix(secret, n.rotate_left(32), 8)
}

/// The hashes of as many integers.
#[inline(always)]
pub(super) fn mix_integers(secret: u64, integers: &[u64], hashes: &mut [u64]) {
    for (hash, &n) in hashes.iter_mut().zip(integers) {
        *hash = mix_integer(secret, n);
    }
}

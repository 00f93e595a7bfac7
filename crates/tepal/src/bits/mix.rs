//! The hash of eight bytes, for one key and for many: the CPU levels differ in its speed. Also
//! functions that mix a hash once more.

/// XXH3 of 4 to 8 bytes (xxHash specification 0.2.0). In `n` the last four bytes are below the
/// first four; `secret` contains the seed.
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

/// Hashes integers; `hashes` is as long as `integers`.
#[inline(always)]
pub(super) fn mix_integers(secret: u64, integers: &[u64], hashes: &mut [u64]) {
    for (hash, &n) in hashes.iter_mut().zip(integers) {
        *hash = mix_integer(secret, n);
    }
}

/// The finisher of FORMAT.md, section 1.3. It is one to one.
#[inline(always)]
pub(crate) const fn finish(hash: u64) -> u64 {
    let mut x = hash;
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// The reverse of [`finish`].
#[cfg(feature = "static")]
#[inline(always)]
pub(crate) const fn unfinish(finished: u64) -> u64 {
    let mut x = finished;
    x ^= x >> 33;
    x = x.wrapping_mul(0x9cb4_b2f8_1293_37db);
    x ^= x >> 33;
    x = x.wrapping_mul(0x4f74_430c_22a5_4005);
    x ^ x >> 33
}

/// Spreads the hash over all 64 bits, so that its first bits depend on all of them (FORMAT.md,
/// section 2.7). It is one to one.
#[cfg(any(feature = "table", feature = "static"))]
#[inline(always)]
pub(crate) const fn spread(h: u64) -> u64 {
    (h ^ (h >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The number of a hash in the range 0..`numbers` (FORMAT.md, section 2.7).
#[cfg(any(feature = "table", feature = "static"))]
#[inline(always)]
pub(crate) const fn number(h: u64, numbers: u64) -> u64 {
    ((spread(h) as u128 * numbers as u128) >> 64) as u64
}

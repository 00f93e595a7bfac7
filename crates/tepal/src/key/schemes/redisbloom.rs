//! RedisBloom with its 64-bit option: MurmurHash64A twice, a + i·b.

use super::logarithm::ln;
use super::murmur::murmur2_64;
use super::rule::Positions;
use super::sizing::Sizing;

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RedisBloom;

impl Positions for RedisBloom {
    const SIZING: Sizing = Sizing {
        size: |keys, rate| {
            Ok((bits(keys, rate), libm::ceil(REDISBLOOM_LN_2 * redisbloom_bits_per_key(rate))))
        },
        allows: |m| m % 8 == 0,
        allowed: "a multiple of 8",
        records_rate: true,
        ..Sizing::USUAL
    };

    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
        let a = murmur2_64(key, 0xc6a4_a793_5bd1_e995);
        let b = murmur2_64(key, a);
        (0..u64::from(k)).map(move |i| a.wrapping_add(i.wrapping_mul(b)) % m)
    }
}

/// ln 2 with the digits in RedisBloom's source; the last digits are missing there.
#[allow(clippy::approx_constant)]
pub(crate) const REDISBLOOM_LN_2: f64 = 0.693_147_180_559_945;

/// RedisBloom's bits for each entry at an error rate, as the server computes them with the
/// logarithm of its C library.
pub(crate) fn redisbloom_bits_per_key(error: f64) -> f64 {
    libm::fabs(ln(error) / 0.480_453_013_918_201)
}

/// RedisBloom's bits for this number of entries, in whole words of 64.
fn bits(entries: u64, error: f64) -> f64 {
    let raw = libm::trunc(entries as f64 * redisbloom_bits_per_key(error)).max(1.0);
    64.0 * libm::ceil(raw / 64.0)
}

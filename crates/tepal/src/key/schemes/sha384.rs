//! Fifth article: the twelve big-endian words of one SHA-384 digest, mod m = 2^b by a mask.

use sha2::Digest;

use super::rule::Positions;
use super::sizing::{Sizing, classic};

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sha384;

impl Positions for Sha384 {
    const SIZING: Sizing = Sizing {
        size: |keys, rate| Ok((aligned(keys, libm::ceil(classic(keys, rate))), 12.0)),
        fixed_positions: Some(12),
        allows: |m| m.is_power_of_two() && m <= 1 << 32,
        allowed: "a power of two up to 2^32",
        ..Sizing::USUAL
    };

    fn positions(&self, key: &[u8], _k: u32, m: u64) -> impl Iterator<Item = u64> {
        let digest = <[u8; 48]>::from(sha2::Sha384::digest(key));
        (0..12).map(move |i| {
            let word =
                u32::from_be_bytes([digest[4 * i], digest[4 * i + 1], digest[4 * i + 2], digest[4 * i + 3]]);
            u64::from(word) & (m - 1)
        })
    }
}

/// The article's alignment: twice the largest power of two that is at most the bit count. If that
/// power equals the number of keys, the article returns the number of keys, an evident slip for the
/// bit count.
fn aligned(keys: u64, bits: f64) -> f64 {
    let power = libm::exp2(libm::floor(libm::log2(bits)));
    if power == keys as f64 { power } else { 2.0 * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_articles_slip() {
        // A bit count that is a power of two is doubled. If the power equals the key count, the key
        // count is used instead.
        assert_eq!(aligned(10, 1024.0), 2048.0);
        assert_eq!(aligned(1024, 1500.0), 1024.0);
        assert_eq!(aligned(20_000_000, 191_701_168.0), 268_435_456.0);
    }
}

//! Fourth article: FNV-1a and CRC-32, both reduced mod m, combined with wrap-around at 2^32.

use super::rule::Positions;
use super::sizing::Sizing;

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FnvCrc;

impl Positions for FnvCrc {
    const SIZING: Sizing = Sizing {
        size: |keys, rate| Ok((libm::ceil(-3.0 * keys as f64 / libm::log1p(-libm::cbrt(rate))), 3.0)),
        fixed_positions: Some(3),
        allows: |m| m <= u64::from(u32::MAX),
        allowed: "1 to 2^32 - 1",
        ..Sizing::USUAL
    };

    fn positions(&self, key: &[u8], _k: u32, m: u64) -> impl Iterator<Item = u64> {
        let fnv = key.iter().fold(0x811c_9dc5u32, |h, &byte| (h ^ u32::from(byte)).wrapping_mul(16_777_619));
        let reduce = |h: u32| (u64::from(h) % m) as u32;
        let (a, b) = (reduce(fnv), reduce(crc32fast::hash(key)));
        (0..3u32).map(move |i| u64::from(a.wrapping_add(i.wrapping_mul(b))) % m)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn known_positions() {
        let positions = |key: &str| FnvCrc.positions(key.as_bytes(), 3, 1000).collect::<Vec<_>>();
        assert_eq!(positions("apple"), [167, 655, 143]);
        assert_eq!(positions("banana"), [552, 279, 6]);
        assert_eq!(positions("grape"), [840, 401, 962]);
    }
}

//! Third article: seven multiplicative hashes (BKDR) over the UTF-16 units of the text, mod 2^25 by
//! a mask.
//!
//! Weak by construction: the seeds are odd, so all seven positions of a key agree in their lowest
//! bit, and collisions can be written down by hand. Not for keys that strangers choose.

use super::rule::Positions;
use super::sizing::Sizing;

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bkdr7;

impl Positions for Bkdr7 {
    const SIZING: Sizing = Sizing {
        size: |_, _| Ok((f64::from(1u32 << 25), 7.0)),
        fixed_positions: Some(7),
        allows: |m| m == 1 << 25,
        allowed: "2^25 = 33554432, as always with this scheme",
        is_weak: true,
        ..Sizing::USUAL
    };

    fn positions(&self, key: &[u8], _k: u32, _m: u64) -> impl Iterator<Item = u64> {
        const SEEDS: [u32; 7] = [5, 7, 11, 13, 31, 37, 61];
        let mut hashes = [0u32; 7];
        // UTF-16 units of bytes that are not text: each broken piece counts as the replacement
        // character.
        for chunk in key.utf8_chunks() {
            let broken = (!chunk.invalid().is_empty()).then_some(char::REPLACEMENT_CHARACTER);
            for character in chunk.valid().chars().chain(broken) {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    for (hash, seed) in hashes.iter_mut().zip(SEEDS) {
                        *hash = seed.wrapping_mul(*hash).wrapping_add(u32::from(*unit));
                    }
                }
            }
        }
        hashes.into_iter().map(|hash| u64::from(hash & 0x01ff_ffff))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn known_positions() {
        let positions = |key: &[u8]| Bkdr7.positions(key, 7, 1 << 25).collect::<Vec<_>>();
        assert_eq!(positions(b""), [0; 7]);
        assert_eq!(positions("ж".as_bytes()), [0x436; 7]);
    }
}

//! The schemes of the five articles that tepal began from, bit for bit.

use md5::{Digest, Md5};
use sha2::Sha384;

/// How the halves of an MD5 digest become positions: what the second article leaves open.
///
/// The default is the canonical reading: big-endian halves, i from 1 to k, no wrap-around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Md5Split {
    /// The halves are read as little-endian numbers.
    pub little_endian: bool,
    /// i runs from 0 to k-1, not from 1 to k.
    pub from_zero: bool,
    /// h1 + i·h2 wraps at 2^64, as in 64-bit arithmetic, before it is reduced.
    pub wrapping: bool,
}

impl Md5Split {
    pub(crate) fn to_flags(self) -> u64 {
        u64::from(self.little_endian) | u64::from(self.from_zero) << 1 | u64::from(self.wrapping) << 2
    }

    pub(crate) fn from_flags(flags: u64) -> Option<Self> {
        let bit = |i: u32| flags >> i & 1 != 0;
        (flags < 8).then_some(Md5Split { little_endian: bit(0), from_zero: bit(1), wrapping: bit(2) })
    }
}

/// First article: MD5 of a counting byte and the key, four signed numbers of each digest, |hash mod m|.
pub(super) fn md5_presets(key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
    // The byte before the key counts the digests from 1 and wraps after 255.
    let digests = (1..=k.div_ceil(4)).map(move |j| {
        let digest = Md5::new().chain_update([j as u8]).chain_update(key).finalize();
        <[u8; 16]>::from(digest)
    });
    let hashes =
        digests.flat_map(|d| [0, 4, 8, 12].map(|i| i32::from_be_bytes([d[i], d[i + 1], d[i + 2], d[i + 3]])));
    hashes.take(k as usize).map(move |hash| u64::from(hash.unsigned_abs()) % m)
}

/// Second article: the two halves of one MD5 digest, h1 + i·h2 without overflow, mod m.
pub(super) fn md5_split(key: &[u8], rule: Md5Split, k: u32, m: u64) -> impl Iterator<Item = u64> {
    let digest = <[u8; 16]>::from(Md5::digest(key));
    let half = |from: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&digest[from..from + 8]);
        if rule.little_endian { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) }
    };
    let (h1, h2) = (u128::from(half(0)), u128::from(half(8)));
    let first = if rule.from_zero { 0 } else { 1 };
    let most = if rule.wrapping { u128::from(u64::MAX) } else { u128::MAX };
    (first..first + u128::from(k)).map(move |i| (((h1 + i * h2) & most) % u128::from(m)) as u64)
}

/// Third article: seven multiplicative hashes (BKDR) over the UTF-16 units of the text, mod 2^25 by a mask.
///
/// Weak by construction: the seeds are odd, so all seven positions of a key agree in their lowest bit, and
/// collisions can be written down by hand. Not for keys that strangers choose.
pub(super) fn bkdr7(key: &[u8]) -> impl Iterator<Item = u64> {
    const SEEDS: [u32; 7] = [5, 7, 11, 13, 31, 37, 61];
    let mut hashes = [0u32; 7];
    // Units of bytes that are no text: each broken piece counts as the replacement character.
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

/// Fourth article: FNV-1a and CRC-32, both reduced mod m, combined with wrap-around at 2^32.
pub(super) fn fnv_crc(key: &[u8], m: u64) -> impl Iterator<Item = u64> {
    let fnv = key.iter().fold(0x811c_9dc5u32, |h, &byte| (h ^ u32::from(byte)).wrapping_mul(16_777_619));
    let reduce = |h: u32| (u64::from(h) % m) as u32;
    let (a, b) = (reduce(fnv), reduce(crc32fast::hash(key)));
    (0..3u32).map(move |i| u64::from(a.wrapping_add(i.wrapping_mul(b))) % m)
}

/// Fifth article: the twelve big-endian words of one SHA-384 digest, mod m = 2^b by a mask.
pub(super) fn sha384(key: &[u8], m: u64) -> impl Iterator<Item = u64> {
    let digest = <[u8; 48]>::from(Sha384::digest(key));
    (0..12).map(move |i| {
        let word =
            u32::from_be_bytes([digest[4 * i], digest[4 * i + 1], digest[4 * i + 2], digest[4 * i + 3]]);
        u64::from(word) & (m - 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn known_positions() {
        let positions = |key: &str| fnv_crc(key.as_bytes(), 1000).collect::<Vec<_>>();
        assert_eq!(positions("apple"), [167, 655, 143]);
        assert_eq!(positions("banana"), [552, 279, 6]);
        assert_eq!(positions("grape"), [840, 401, 962]);
        assert_eq!(bkdr7(b"").collect::<Vec<_>>(), [0; 7]);
        assert_eq!(bkdr7("ж".as_bytes()).collect::<Vec<_>>(), [0x436; 7]);
    }

    #[test]
    fn flags_go_both_ways() {
        for flags in 0..8 {
            assert_eq!(Md5Split::from_flags(flags).map(Md5Split::to_flags), Some(flags));
        }
        assert_eq!(Md5Split::from_flags(8), None);
    }
}

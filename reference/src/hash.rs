//! Section 1.3: a scheme turns the bytes of a key into one 64-bit hash.

use crate::siphash::siphash13;
use twox_hash::XxHash3_64;

/// How the bytes of a key become a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Id 1: XXH3-64 with a public seed.
    Xxh3 {
        /// The seed, kept in the file.
        seed: u64,
    },
    /// Id 2: SipHash-1-3 under a secret key.
    SipHash13 {
        /// The secret key, never in the file.
        key: [u8; 16],
    },
}

/// What the key check of scheme 2 is the hash of.
pub const KEY_CHECK_TEXT: &[u8; 15] = b"tepal key check";

impl Scheme {
    /// The id in the header.
    pub fn id(&self) -> u8 {
        match self {
            Scheme::Xxh3 { .. } => 1,
            Scheme::SipHash13 { .. } => 2,
        }
    }

    /// The name of section 1.3.
    pub fn name(&self) -> &'static str {
        match self {
            Scheme::Xxh3 { .. } => "xxh3",
            Scheme::SipHash13 { .. } => "siphash13",
        }
    }

    /// The hash `h` of some bytes.
    pub fn hash(&self, bytes: &[u8]) -> u64 {
        match self {
            Scheme::Xxh3 { seed } => xxh3(bytes, *seed),
            Scheme::SipHash13 { key } => siphash13(key, bytes),
        }
    }

    /// The header field at offset 64: the seed, or the key check.
    pub fn seed_or_key_check(&self) -> u64 {
        match self {
            Scheme::Xxh3 { seed } => *seed,
            Scheme::SipHash13 { .. } => self.hash(KEY_CHECK_TEXT),
        }
    }
}

/// XXH3-64 of `bytes` with a seed: scheme 1, and with seed 0 every checksum of the file.
pub fn xxh3(bytes: &[u8], seed: u64) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The input of xxHash's own sanity check.
    fn sanity_buffer(len: usize) -> Vec<u8> {
        let mut generator: u64 = 2654435761;
        let mut buffer = Vec::new();
        for _ in 0..len {
            buffer.push((generator >> 56) as u8);
            generator = generator.wrapping_mul(0x9E3779B185EBCA8D);
        }
        buffer
    }

    #[test]
    fn xxh3_check_values() {
        const PRIME64: u64 = 0x9E3779B185EBCA8D;
        // From xxHash v0.8.3, cli/xsum_sanity_check.c.
        let expected: [(usize, u64, u64); 14] = [
            (0, 0, 0x2D06800538D394C2),
            (0, PRIME64, 0xA8A6B918B2F0364A),
            (1, 0, 0xC44BDFF4074EECDB),
            (1, PRIME64, 0x032BE332DD766EF8),
            (6, 0, 0x27B56A84CD2D7325),
            (6, PRIME64, 0x84589C116AB59AB9),
            (12, 0, 0xA713DAF0DFBB77E7),
            (12, PRIME64, 0xE7303E1B2336DE0E),
            (24, 0, 0xA3FE70BF9D3510EB),
            (24, PRIME64, 0x850E80FC35BDD690),
            (80, 0, 0xBCDEFBBB2C47C90A),
            (80, PRIME64, 0xC6DD0CB699532E73),
            (195, 0, 0xCD94217EE362EC3A),
            (195, PRIME64, 0xBA68003D370CB3D9),
        ];
        for (len, seed, hash) in expected {
            assert_eq!(xxh3(&sanity_buffer(len), seed), hash, "length {len}, seed {seed:#x}");
        }
    }

    #[test]
    fn the_field_at_offset_64_is_the_seed_or_a_check_of_the_key() {
        assert_eq!(Scheme::Xxh3 { seed: 77 }.seed_or_key_check(), 77);
        let key = [9; 16];
        let scheme = Scheme::SipHash13 { key };
        assert_eq!(scheme.seed_or_key_check(), siphash13(&key, b"tepal key check"));
    }
}

//! Sections 1.3 and 1.4: a scheme turns the bytes of a key into one 64-bit hash, or straight into positions.

use crate::bits::{self, Layout};
use crate::schemes::Own;
use crate::siphash::siphash13;
use twox_hash::{XxHash3_64, XxHash64};

/// How the bytes of a key become bits.
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
    /// Id 3: XXH64 with seed 0.
    Xxh64,
    /// Ids 16 to 28: a rule of its own, without a hash.
    Own(Own),
}

/// What the key check of scheme 2 is the hash of.
pub const KEY_CHECK_TEXT: &[u8; 15] = b"tepal key check";

impl Scheme {
    /// The id in the header.
    pub fn id(&self) -> u8 {
        match self {
            Scheme::Xxh3 { .. } => 1,
            Scheme::SipHash13 { .. } => 2,
            Scheme::Xxh64 => 3,
            Scheme::Own(own) => own.id(),
        }
    }

    /// The name of section 1.3 or 1.4.
    pub fn name(&self) -> &'static str {
        match self {
            Scheme::Xxh3 { .. } => "xxh3",
            Scheme::SipHash13 { .. } => "siphash13",
            Scheme::Xxh64 => "xxh64",
            Scheme::Own(own) => own.name(),
        }
    }

    /// The hash `h` of some bytes; nothing where the scheme has a rule of its own.
    pub fn hash(&self, bytes: &[u8]) -> Option<u64> {
        match self {
            Scheme::Xxh3 { seed } => Some(xxh3(bytes, *seed)),
            Scheme::SipHash13 { key } => Some(siphash13(key, bytes)),
            Scheme::Xxh64 => Some(xxh64(bytes)),
            Scheme::Own(_) => None,
        }
    }

    /// The k positions of some bytes: those of the hash by section 2, or those of section 1.4.
    /// [`Scheme::check`] must accept `k` and `bit_len`.
    pub fn positions(&self, layout: Layout, k: u32, bit_len: u64, bytes: &[u8]) -> Vec<u64> {
        match (self, self.hash(bytes)) {
            (Scheme::Own(own), _) => own.positions(bytes, k, bit_len),
            (_, Some(h)) => bits::positions(layout, k, bit_len, h),
            (_, None) => Vec::new(),
        }
    }

    /// Refuses a layout, a `k` or a `bit_len` that the scheme cannot have.
    pub fn check(&self, layout: Layout, k: u32, bit_len: u64) -> Result<(), String> {
        match self {
            Scheme::Own(own) => own.check(layout, k, bit_len),
            _ => layout.check(k, bit_len),
        }
    }

    /// The header field at offset 64: the seed, the key check, or the parameters.
    pub fn field_at_64(&self) -> u64 {
        match self {
            Scheme::Xxh3 { seed } => *seed,
            Scheme::SipHash13 { key } => siphash13(key, KEY_CHECK_TEXT),
            Scheme::Xxh64 => 0,
            Scheme::Own(own) => own.parameters(),
        }
    }
}

/// XXH3-64 of `bytes` with a seed: scheme 1, and with seed 0 every checksum of the file.
pub fn xxh3(bytes: &[u8], seed: u64) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

/// XXH64 of `bytes` with seed 0: scheme 3.
pub fn xxh64(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
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
    fn xxh64_check_values() {
        // From xxHash v0.8.3, cli/xsum_sanity_check.c, and two short texts.
        for (len, hash) in [
            (0, 0xEF46DB3751D8E999),
            (1, 0xE934A84ADB052768),
            (4, 0x9136A0DCA57457EE),
            (14, 0x8282DCC4994E35C8),
            (222, 0xB641AE8CB691C174),
        ] {
            assert_eq!(xxh64(&sanity_buffer(len)), hash, "length {len}");
        }
        assert_eq!(xxh64(b"hello"), 0x26c7827d889f6da3);
    }

    #[test]
    fn the_field_at_offset_64_is_the_seed_or_a_check_of_the_key() {
        assert_eq!(Scheme::Xxh3 { seed: 77 }.field_at_64(), 77);
        let key = [9; 16];
        let scheme = Scheme::SipHash13 { key };
        assert_eq!(scheme.field_at_64(), siphash13(&key, b"tepal key check"));
    }
}

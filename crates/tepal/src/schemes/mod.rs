//! Schemes that choose the bits of a key by a rule of their own: the five articles' and other systems'
//! (`docs/formats.md`; FORMAT.md, section 1.4).
//!
//! Each goes from the bytes of a key straight to positions; there is no 64-bit hash between that could be
//! taken out and used elsewhere. The articles' are in [`seeds`], the systems' in [`systems`], how each of
//! them sizes a filter in [`sizing`].

mod murmur;
mod seeds;
pub(crate) mod sizing;
mod systems;

pub use seeds::Md5Split;

use crate::hash::Scheme;

/// A scheme with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    Md5Presets,
    Md5Split(Md5Split),
    Bkdr7,
    FnvCrc,
    Sha384,
    GuavaMitz32,
    GuavaMitz64,
    SparkV1,
    SparkV2 { seed: i32 },
    BitsAndBlooms,
    Dcso,
    RedisBloom,
    ValkeyBloom { seed: [u8; 32] },
}

/// The fixed seed of valkey-bloom where it is told not to draw one.
pub(crate) const VALKEY_FIXED_SEED: [u8; 32] = [
    0x59, 0x0f, 0xf5, 0x22, 0xea, 0x78, 0x11, 0xda, 0xa7, 0x14, 0xd8, 0x09, 0x3b, 0x3e, 0x7b, 0xd9, 0x1d,
    0x89, 0x8a, 0x73, 0x3e, 0x98, 0x88, 0x87, 0x30, 0x7f, 0x97, 0xcd, 0x28, 0x07, 0x33, 0x83,
];

impl Own {
    /// The scheme with its default parameters, if it is one of these.
    pub(crate) fn of(scheme: Scheme) -> Option<Self> {
        Some(match scheme {
            Scheme::Xxh3 | Scheme::SipHash13 | Scheme::Xxh64 => return None,
            Scheme::Md5Presets => Own::Md5Presets,
            Scheme::Md5Split => Own::Md5Split(Md5Split::default()),
            Scheme::Bkdr7 => Own::Bkdr7,
            Scheme::FnvCrc => Own::FnvCrc,
            Scheme::Sha384 => Own::Sha384,
            Scheme::GuavaMitz32 => Own::GuavaMitz32,
            Scheme::GuavaMitz64 => Own::GuavaMitz64,
            Scheme::SparkV1 => Own::SparkV1,
            Scheme::SparkV2 => Own::SparkV2 { seed: 0 },
            Scheme::BitsAndBlooms => Own::BitsAndBlooms,
            Scheme::Dcso => Own::Dcso,
            Scheme::RedisBloom => Own::RedisBloom,
            Scheme::ValkeyBloom => Own::ValkeyBloom { seed: VALKEY_FIXED_SEED },
        })
    }

    pub(crate) fn scheme(&self) -> Scheme {
        match self {
            Own::Md5Presets => Scheme::Md5Presets,
            Own::Md5Split(_) => Scheme::Md5Split,
            Own::Bkdr7 => Scheme::Bkdr7,
            Own::FnvCrc => Scheme::FnvCrc,
            Own::Sha384 => Scheme::Sha384,
            Own::GuavaMitz32 => Scheme::GuavaMitz32,
            Own::GuavaMitz64 => Scheme::GuavaMitz64,
            Own::SparkV1 => Scheme::SparkV1,
            Own::SparkV2 { .. } => Scheme::SparkV2,
            Own::BitsAndBlooms => Scheme::BitsAndBlooms,
            Own::Dcso => Scheme::Dcso,
            Own::RedisBloom => Scheme::RedisBloom,
            Own::ValkeyBloom { .. } => Scheme::ValkeyBloom,
        }
    }

    /// Calls `visit` with each of the `k` positions of a key in `m` bits, in order, while it answers
    /// `true`; says whether it always did. A position may repeat.
    pub(crate) fn all(&self, key: &[u8], k: u32, m: u64, visit: impl FnMut(u64) -> bool) -> bool {
        match self {
            Own::Md5Presets => seeds::md5_presets(key, k, m).all(visit),
            Own::Md5Split(rule) => seeds::md5_split(key, *rule, k, m).all(visit),
            Own::Bkdr7 => seeds::bkdr7(key).all(visit),
            Own::FnvCrc => seeds::fnv_crc(key, m).all(visit),
            Own::Sha384 => seeds::sha384(key, m).all(visit),
            Own::GuavaMitz32 => systems::guava_mitz32(key, k, m).all(visit),
            Own::GuavaMitz64 => systems::guava_mitz64(key, k, m).all(visit),
            Own::SparkV1 => systems::spark_v1(key, k, m).all(visit),
            Own::SparkV2 { seed } => systems::spark_v2(key, *seed, k, m).all(visit),
            Own::BitsAndBlooms => systems::bits_and_blooms(key, k, m).all(visit),
            Own::Dcso => systems::dcso(key, k, m).all(visit),
            Own::RedisBloom => systems::redisbloom(key, k, m).all(visit),
            Own::ValkeyBloom { seed } => systems::valkey_bloom(key, seed, k, m).all(visit),
        }
    }

    /// The scheme's parameters as the file keeps them at offset 64.
    pub(crate) fn parameters(&self) -> u64 {
        match self {
            Own::Md5Split(rule) => rule.to_flags(),
            Own::SparkV2 { seed } => *seed as u32 as u64,
            _ => 0,
        }
    }

    /// Does its program count only keys that set a bit?
    pub(crate) fn counts_only_new(&self) -> bool {
        matches!(self, Own::Dcso)
    }

    /// Do its positions come from 31 bits, so that no bit from 2^31 on is ever set and the bits below are
    /// not equally likely?
    pub(crate) fn has_31_bit_positions(&self) -> bool {
        matches!(self, Own::GuavaMitz32 | Own::SparkV1)
    }
}

#[cfg(test)]
mod tests;

//! Section 1.4: schemes that go from the bytes of a key straight to its positions, by a rule of their own.
//!
//! Every hash in this module is written out here, so that nothing is shared with a library that takes it
//! from elsewhere. Sums are made wide enough not to overflow where a rule says nothing of wrapping.

use crate::bits::Layout;

mod articles;
pub mod fnv_crc;
pub mod md5;
pub mod murmur;
pub mod sha384;
mod systems;

pub use articles::Md5Split;

/// A scheme with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Own {
    /// Id 16: the first article.
    Md5Presets,
    /// Id 17: the second article.
    Md5Split(Md5Split),
    /// Id 18: the third article.
    Bkdr7,
    /// Id 19: the fourth article.
    FnvCrc,
    /// Id 20: the fifth article.
    Sha384,
    /// Id 21: Guava's older strategy.
    GuavaMitz32,
    /// Id 22: Guava's present strategy.
    GuavaMitz64,
    /// Id 23: Spark's first version.
    SparkV1,
    /// Id 24: Spark's second version.
    SparkV2 {
        /// The seed, kept in the file.
        seed: i32,
    },
    /// Id 25: the Go library bits-and-blooms.
    BitsAndBlooms,
    /// Id 26: DCSO's bloom.
    Dcso,
    /// Id 27: RedisBloom.
    RedisBloom,
    /// Id 28: valkey-bloom.
    ValkeyBloom {
        /// The seed, record 5 of the file.
        seed: [u8; 32],
    },
}

impl Own {
    /// The id in the header.
    pub fn id(&self) -> u8 {
        match self {
            Own::Md5Presets => 16,
            Own::Md5Split(_) => 17,
            Own::Bkdr7 => 18,
            Own::FnvCrc => 19,
            Own::Sha384 => 20,
            Own::GuavaMitz32 => 21,
            Own::GuavaMitz64 => 22,
            Own::SparkV1 => 23,
            Own::SparkV2 { .. } => 24,
            Own::BitsAndBlooms => 25,
            Own::Dcso => 26,
            Own::RedisBloom => 27,
            Own::ValkeyBloom { .. } => 28,
        }
    }

    /// The name in the table of section 1.4.
    pub fn name(&self) -> &'static str {
        match self {
            Own::Md5Presets => "md5-presets",
            Own::Md5Split(_) => "md5-split",
            Own::Bkdr7 => "bkdr7",
            Own::FnvCrc => "fnv-crc",
            Own::Sha384 => "sha384",
            Own::GuavaMitz32 => "guava-mitz32",
            Own::GuavaMitz64 => "guava-mitz64",
            Own::SparkV1 => "spark-v1",
            Own::SparkV2 { .. } => "spark-v2",
            Own::BitsAndBlooms => "bits-and-blooms",
            Own::Dcso => "dcso",
            Own::RedisBloom => "redisbloom",
            Own::ValkeyBloom { .. } => "valkey-bloom",
        }
    }

    /// The header field at offset 64.
    pub fn parameters(&self) -> u64 {
        match self {
            Own::Md5Split(rule) => rule.bits(),
            Own::SparkV2 { seed } => u64::from(*seed as u32),
            _ => 0,
        }
    }

    /// The value of record 5: the seed of scheme 28.
    pub fn seed_record(&self) -> Option<String> {
        match self {
            Own::ValkeyBloom { seed } => Some(hex(seed)),
            _ => None,
        }
    }

    /// The scheme that a file names: its id, the field at offset 64, and record 5 if there is one.
    pub fn from_file(id: u8, parameters: u64, seed_record: Option<&str>) -> Result<Own, String> {
        let refused = || format!("scheme {id} has no parameter {parameters:#x}");
        let seed = seed_record.map(seed_of).transpose()?;
        let own = match id {
            16 => Own::Md5Presets,
            17 => Own::Md5Split(Md5Split::from_bits(parameters).ok_or_else(refused)?),
            18 => Own::Bkdr7,
            19 => Own::FnvCrc,
            20 => Own::Sha384,
            21 => Own::GuavaMitz32,
            22 => Own::GuavaMitz64,
            23 => Own::SparkV1,
            24 => Own::SparkV2 { seed: u32::try_from(parameters).map_err(|_| refused())? as i32 },
            25 => Own::BitsAndBlooms,
            26 => Own::Dcso,
            27 => Own::RedisBloom,
            28 => Own::ValkeyBloom { seed: seed.ok_or("scheme 28 needs record 5, its seed")? },
            _ => return Err(format!("scheme {id} is not known")),
        };
        if own.parameters() != parameters {
            return Err(refused());
        }
        if own.seed_record().is_none() && seed.is_some() {
            return Err(format!("scheme {id} has no seed, and record 5 is there"));
        }
        Ok(own)
    }

    /// The column "k, m" of section 1.4, and the layout.
    pub fn check(&self, layout: Layout, k: u32, m: u64) -> Result<(), String> {
        let name = self.name();
        if layout != Layout::Scattered {
            return Err(format!("scheme {name} has the layout scattered, not {}", layout.name()));
        }
        let allowed_k = match self {
            Own::Bkdr7 => 7..=7,
            Own::FnvCrc => 3..=3,
            Own::Sha384 => 12..=12,
            _ => 1..=65_535,
        };
        if !allowed_k.contains(&k) {
            return Err(format!(
                "scheme {name} has k from {} to {}, not {k}",
                allowed_k.start(),
                allowed_k.end()
            ));
        }
        let allowed_m = match self {
            Own::Md5Presets => m < 1 << 31,
            Own::Bkdr7 => m == 1 << 25,
            Own::FnvCrc => m < 1 << 32,
            Own::Sha384 => (0..=32).any(|b| m == 1 << b),
            Own::GuavaMitz32 | Own::GuavaMitz64 | Own::SparkV1 | Own::SparkV2 { .. } => {
                m % 64 == 0 && m < 64 << 31
            }
            Own::RedisBloom | Own::ValkeyBloom { .. } => m % 8 == 0,
            Own::Md5Split(_) | Own::BitsAndBlooms | Own::Dcso => true,
        };
        if m == 0 || m > 1 << 46 || !allowed_m {
            return Err(format!("scheme {name} cannot have {m} bits"));
        }
        Ok(())
    }

    /// The k positions of a key in m bits, in the order of section 1.4. [`Own::check`] must accept k and m.
    pub fn positions(&self, key: &[u8], k: u32, m: u64) -> Vec<u64> {
        match self {
            Own::Md5Presets => articles::md5_presets(key, k, m),
            Own::Md5Split(rule) => articles::md5_split(key, *rule, k, m),
            Own::Bkdr7 => articles::bkdr7(key),
            Own::FnvCrc => articles::fnv_crc(key, m),
            Own::Sha384 => articles::sha384_words(key, m),
            Own::GuavaMitz32 => systems::guava_mitz32(key, k, m),
            Own::GuavaMitz64 => systems::guava_mitz64(key, k, m),
            Own::SparkV1 => systems::spark_v1(key, k, m),
            Own::SparkV2 { seed } => systems::spark_v2(key, *seed, k, m),
            Own::BitsAndBlooms => systems::bits_and_blooms(key, k, m),
            Own::Dcso => systems::dcso(key, k, m),
            Own::RedisBloom => systems::redisbloom(key, k, m),
            Own::ValkeyBloom { seed } => systems::valkey_bloom(key, seed, k, m),
        }
    }
}

/// Bytes as hexadecimal digits in small letters.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The seed in record 5: 64 hexadecimal digits in small letters, nothing else.
fn seed_of(text: &str) -> Result<[u8; 32], String> {
    let mut seed = [0; 32];
    if text.len() == 64 && text.is_ascii() {
        for (i, byte) in seed.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap_or(0);
        }
    }
    // Only the right text comes back unchanged: capital letters, signs and other lengths fall out.
    if hex(&seed) == text { Ok(seed) } else { Err(format!("record 5 is no seed: {text:?}")) }
}

#[cfg(test)]
mod tests;

//! Sections 1 and 4.2.2, common to the kinds 3 and 5 to 7: how a key becomes a hash of 64 bits, and
//! the header fields for it.

use crate::filter::check_records;
use crate::hash::{siphash13, xxh3, xxh64};
use crate::key::{apply_recipe, bytes_of};
use crate::table::spread;

/// The fields of a filter that decide how keys are hashed.
pub(crate) struct Hashing<'a> {
    pub(crate) scheme: u8,
    pub(crate) domain: u8,
    pub(crate) parameter: u64,
    pub(crate) recipe: u32,
    pub(crate) records: &'a [(u16, String)],
    pub(crate) secret: &'a [u8; 16],
}

impl Hashing<'_> {
    /// Refuses fields that a file cannot have.
    pub(crate) fn check(&self) -> Result<(), String> {
        if !(1..=4).contains(&self.scheme) {
            return Err(format!("scheme {} has no 64-bit hash", self.scheme));
        }
        if matches!(self.scheme, 3 | 4) && self.parameter != 0 {
            return Err(format!("scheme {} has no parameter", self.scheme));
        }
        check_records(self.records)?;
        let has = |tag: u16| self.records.iter().any(|record| record.0 == tag);
        if has(5) || has(6) != (self.scheme == 4) {
            return Err("record 5 is not there, and record 6 if and only if the scheme is 4".to_string());
        }
        if !(1..=7).contains(&self.domain) {
            return Err(format!("key domain {} is not known", self.domain));
        }
        if self.recipe > 3 {
            return Err(format!("recipe {:#x} has unknown bits", self.recipe));
        }
        Ok(())
    }

    /// The hash of the bytes of section 1.1.
    fn hash(&self, bytes: &[u8]) -> Result<u64, String> {
        match self.scheme {
            1 => Ok(xxh3(bytes, self.parameter)),
            2 => Ok(siphash13(self.secret, bytes)),
            3 => Ok(xxh64(bytes)),
            _ => Err("scheme 4 cannot hash a key".to_string()),
        }
    }

    /// The hash of a key.
    pub(crate) fn hash_of(&self, key: &[u8]) -> Result<u64, String> {
        self.hash(&bytes_of(self.domain, &apply_recipe(self.recipe, key))?)
    }

    /// Offset 112: the sum of the spread hashes of four fixed keys, hashed without a recipe. Scheme
    /// 4 has four fixed hashes instead.
    pub(crate) fn self_test(&self) -> Result<u64, String> {
        let mut sum = 0u64;
        for i in 0..4 {
            let h = match self.scheme {
                4 => (i + 1u64).wrapping_mul(0x9E3779B97F4A7C15),
                _ => self.hash(format!("tepal self-test {i}").as_bytes())?,
            };
            sum = sum.wrapping_add(spread(h));
        }
        Ok(sum)
    }
}

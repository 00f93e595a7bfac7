//! Second article: the two halves of one MD5 digest, h1 + i·h2 without overflow, mod m.

use md5::{Digest, Md5};

use super::parameters::{Md5Split, Parameter, Parameters};
use super::rule::Positions;
use super::sizing::{Sizing, classic_rounded};
use crate::error::Result;

impl Positions for Md5Split {
    const SIZING: Sizing = Sizing { size: |keys, rate| Ok(classic_rounded(keys, rate)), ..Sizing::USUAL };
    const PARAMETER: Parameter = Parameter::Choices;

    fn make(given: &Parameters) -> Result<Self> {
        Ok(given.md5_split.unwrap_or_default())
    }

    fn parameters(&self) -> u64 {
        self.to_flags()
    }

    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
        let digest = <[u8; 16]>::from(Md5::digest(key));
        let half = |from: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&digest[from..from + 8]);
            if self.little_endian { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) }
        };
        let (h1, h2) = (u128::from(half(0)), u128::from(half(8)));
        let first = if self.from_zero { 0 } else { 1 };
        let most = if self.wrapping { u128::from(u64::MAX) } else { u128::MAX };
        (first..first + u128::from(k)).map(move |i| (((h1 + i * h2) & most) % u128::from(m)) as u64)
    }
}

//! Second article: the two halves of one MD5 digest, h1 + i·h2 without overflow, mod m.

use md5::{Digest, Md5};

use super::sizing::{Sizing, classic_rounded};
use super::{Parameter, Parameters, Positions};
use crate::error::Result;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_go_both_ways() {
        for flags in 0..8 {
            assert_eq!(Md5Split::from_flags(flags).map(Md5Split::to_flags), Some(flags));
        }
        assert_eq!(Md5Split::from_flags(8), None);
    }
}

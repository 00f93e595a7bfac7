//! What a scheme does with the bytes of a key.

use alloc::string::String;

use super::parameters::{Parameter, Parameters};
use super::sizing::Sizing;
use crate::error::Result;

/// A scheme with a 64-bit hash.
pub(crate) trait Hash64: Sized {
    const PARAMETER: Parameter = Parameter::None;

    /// The scheme with its parameters.
    fn make(given: &Parameters) -> Result<Self>;

    /// What the file keeps at offset 64.
    fn parameters(&self) -> u64 {
        0
    }

    /// What the file keeps in the record of [`Parameter::record_tag`].
    fn record(&self) -> Option<String> {
        None
    }

    /// The hash of key bytes.
    fn hash(&self, bytes: &[u8]) -> Result<u64>;

    /// The hash that stands for key `number` of the file's self-test.
    fn self_test_hash(&self, _number: u64, key: &[u8]) -> Result<u64> {
        self.hash(key)
    }
}

/// A scheme that goes from the bytes of a key straight to positions: there is no 64-bit hash
/// between that could be taken out and used elsewhere.
#[cfg_attr(not(feature = "foreign"), allow(dead_code, reason = "there is none then"))]
pub(crate) trait Positions: Default {
    const SIZING: Sizing;
    const PARAMETER: Parameter = Parameter::None;

    /// The scheme with its parameters.
    fn make(_given: &Parameters) -> Result<Self> {
        Ok(Self::default())
    }

    /// What the file keeps at offset 64.
    fn parameters(&self) -> u64 {
        0
    }

    /// What the file keeps in the record of [`Parameter::record_tag`].
    fn record(&self) -> Option<String> {
        None
    }

    /// The `k` positions of a key in `m` bits, in order. A position may repeat.
    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64>;
}

//! The traits of a scheme.

use alloc::string::String;

use super::parameters::{Parameter, Parameters};
use super::sizing::Sizing;
use crate::error::Result;

/// A scheme with a 64-bit hash.
pub(crate) trait Hash64: Sized {
    const PARAMETER: Parameter = Parameter::None;

    /// Makes the scheme with these parameters.
    fn make(given: &Parameters) -> Result<Self>;

    /// The value that the file stores at offset 64.
    fn parameters(&self) -> u64 {
        0
    }

    /// The text of the record [`Parameter::record_tag`].
    fn record(&self) -> Option<String> {
        None
    }

    /// The hash of the bytes of a key.
    fn hash(&self, bytes: &[u8]) -> Result<u64>;

    /// The hash of key `number` in the file's self-test.
    fn self_test_hash(&self, _number: u64, key: &[u8]) -> Result<u64> {
        self.hash(key)
    }
}

/// A scheme without a 64-bit hash: it computes positions directly from the bytes of a key.
#[cfg_attr(not(feature = "foreign"), allow(dead_code, reason = "there is none then"))]
pub(crate) trait Positions: Default {
    const SIZING: Sizing;
    const PARAMETER: Parameter = Parameter::None;

    /// Makes the scheme with these parameters.
    fn make(_given: &Parameters) -> Result<Self> {
        Ok(Self::default())
    }

    /// The value that the file stores at offset 64.
    fn parameters(&self) -> u64 {
        0
    }

    /// The text of the record [`Parameter::record_tag`].
    fn record(&self) -> Option<String> {
        None
    }

    /// The `k` positions of a key in `m` bits, in order. A position may repeat.
    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64>;
}

//! A hash that the caller computes and names (FORMAT.md, section 1.3).

use alloc::boxed::Box;
use alloc::string::String;

use super::parameters::{Parameter, Parameters};
use super::rule::Hash64;
use crate::error::{Error, Result, advice};

/// The scheme with the name of the hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallerHash {
    // Every filter has room for the largest scheme, so the name takes one word.
    #[allow(clippy::box_collection)]
    name: Box<String>,
}

impl Hash64 for CallerHash {
    const PARAMETER: Parameter = Parameter::Name;

    fn make(given: &Parameters) -> Result<Self> {
        match &given.name {
            Some(name) => Ok(CallerHash { name: Box::new(name.clone()) }),
            None => Err(Error::parameter("the name of the caller's hash", "missing", "given")
                .with(advice!("give it", CallerHash))),
        }
    }

    fn record(&self) -> Option<String> {
        Some(String::clone(&self.name))
    }

    fn hash(&self, _: &[u8]) -> Result<u64> {
        Err(Error::CallerHashes { name: String::clone(&self.name) })
    }

    /// The library cannot hash the keys of the self-test, so it takes four fixed hashes.
    fn self_test_hash(&self, number: u64, _: &[u8]) -> Result<u64> {
        Ok((number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }
}

/// Spreads every bit of a weak hash over all 64 bits.
///
/// A filter computes its positions from all bits of a hash, the highest bits first. A hash that
/// does not use all 64 bits evenly (an integer itself, FNV-1a of short keys, a sum) fills only a
/// few places. Measured: filters were built for a rate of 0.0001, with the identity as the hash of
/// small integers. Their rate was 1.0 in the layouts `line` and `split-block`, and 0.0008 in
/// `double`. [`false_positive_rate`](crate::BloomFilter::false_positive_rate), which counts set
/// bits, did not show it.
///
/// Different hashes stay different: the function is a permutation, the finalizer of MurmurHash3
/// (Appleby). It does not help if different keys have the same hash, or if strangers choose the
/// keys.
///
/// Mention it in the name of the hash: every program that uses the filter must apply it.
///
/// ```
/// use tepal::{BloomFilter, hash::finish_hash};
/// let mut filter = BloomFilter::builder().capacity(1000).caller_hash("user id, finished").build()?;
/// let hash = |id: u64| finish_hash(id);
/// filter.insert_hash(hash(42))?;
/// assert!(filter.contains_hash(hash(42)) && !filter.contains_hash(hash(43)));
/// # Ok::<(), tepal::Error>(())
/// ```
#[must_use]
pub const fn finish_hash(hash: u64) -> u64 {
    crate::bits::mix::finish(hash)
}

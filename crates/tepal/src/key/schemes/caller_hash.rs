//! A hash that the caller computes, under the name that the caller gives it (FORMAT.md, section
//! 1.3).

use alloc::boxed::Box;
use alloc::string::String;

use super::parameters::{Parameter, Parameters};
use super::rule::Hash64;
use crate::error::{Error, Result};

/// The scheme with the name of the hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallerHash {
    // Every filter has room for the largest scheme: one word.
    #[allow(clippy::box_collection)]
    name: Box<String>,
}

impl Hash64 for CallerHash {
    const PARAMETER: Parameter = Parameter::Name;

    fn make(given: &Parameters) -> Result<Self> {
        match &given.name {
            Some(name) => Ok(CallerHash { name: Box::new(name.clone()) }),
            None => {
                Err(Error::parameter("the name of the caller's hash", "missing", "given by `caller_hash`"))
            }
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

/// Makes a weak hash usable: spreads what differs in any of its bits over all 64.
///
/// A filter takes its positions from all bits of a hash, the highest first. A hash whose values do
/// not spread over them (an integer as it is, FNV-1a of short keys, a sum) fills a few places only:
/// with the identity as the hash of small integers the rate was 1.0 in the layouts `line` and
/// `split-block` and 0.0008 in `double`, where the filter was built for 0.0001, and
/// [`false_positive_rate`](crate::BloomFilter::false_positive_rate), which goes by the bits that
/// are set, could not tell. Different hashes stay different: this is a permutation, the finalizer
/// of MurmurHash3 (Appleby). It is no remedy for a hash under which different keys have the same
/// value, nor for keys that strangers choose.
///
/// Whoever uses it says so in the name of the hash, for both sides must do the same.
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

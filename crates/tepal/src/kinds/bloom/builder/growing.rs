//! A chain that grows, of tepal's own kind: for keys of which nobody knows how many will come.

use alloc::vec;

use super::BloomFilterBuilder;
use crate::error::{Error, Result};
use crate::ids::{OverCapacity, Scheme};
use crate::kinds::chain::{EXPANSIONS, Growth, SHARE, ScalableBloomFilter, check_scheme};
use crate::params::{DEFAULT_RATE, check_rate};

/// Keys of the first link, where nobody says how many are expected.
const FIRST: u64 = 1 << 16;
/// How many times the keys of one link the next one is for, where nobody says it.
const EXPANSION: u32 = 4;

impl BloomFilterBuilder {
    /// Lets a chain grow: each further link has so many times the capacity of the one before. 4 is what
    /// [`build_growing`](Self::build_growing) takes where it is not told, and 2 what RedisBloom and valkey-bloom take
    /// (`EXPANSION`). For `build_chain` and `build::Gather` too; one filter does not grow.
    pub fn expansion(mut self, times: u32) -> Self {
        self.expansion = Some(times);
        self
    }

    /// Builds an empty chain that grows and keeps one promise, however many keys come: the
    /// [rate](Self::false_positive_rate) is that of the whole chain. Up to its [capacity](Self::capacity), or 65,536 keys
    /// where none is given, it is one filter; then links follow, each for four times the keys of the one before
    /// ([`expansion`](Self::expansion)), or for more where more are
    /// [expected](ScalableBloomFilter::expect_more). Each link is promised a quarter of what the links before it leave of the
    /// rate, which takes three to six bits a key more than one filter of the right size takes.
    ///
    /// From 65,536 keys on it has room for more than 10^10 keys at a rate of 10^-6, and for more than 10^8 at 10^-9. Then what
    /// is left of the rate is too little for another link, and inserting a new key is [`Error::RateOutOfReach`]. Of keys that
    /// were chosen by its own hash it takes no more once they crowd one link ([`Error::KeysClustered`]).
    ///
    /// ```
    /// use tepal::{BloomFilter, Opened, file::Format};
    /// let mut seen = BloomFilter::builder().capacity(1000).false_positive_rate(1e-6).build_growing()?;
    /// let new = (0..100_000u32).filter(|key| seen.insert(key).is_ok_and(|is_new| is_new)).count();
    /// assert!(new > 99_990 && seen.links().len() == 5 && seen.false_positive_rate() < 1e-6);
    /// assert!(!seen.insert(&7u32)?);
    /// let file = Opened::new(seen, Format::Tepal)?.to_bytes()?;
    /// assert!(tepal::from_bytes(&file)?.contains(&99_999u32));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build). [`Error::Parameter`] for a scheme without a 64-bit hash, an expansion other than 2 to 256,
    /// and for a size or a number of hashes, which follow from rate and capacity.
    pub fn build_growing(mut self) -> Result<ScalableBloomFilter> {
        check_scheme(self.keys.scheme.unwrap_or(Scheme::Xxh3))?;
        let expansion = self.expansion.take().unwrap_or(EXPANSION);
        if !EXPANSIONS.contains(&expansion) {
            return Err(Error::parameter("the expansion of the chain", expansion, "a number from 2 to 256"));
        }
        let request = &self.request;
        for (name, is_given) in [
            ("the size of a chain that grows", request.bit_len.is_some() || self.planned.is_some()),
            ("the number of hashes of a chain that grows", request.num_hashes.is_some()),
        ] {
            if is_given {
                return Err(Error::parameter(name, "given", "left out: it follows from rate and capacity"));
            }
        }
        let rate = self.request.false_positive_rate.unwrap_or(DEFAULT_RATE);
        check_rate(rate)?;
        self.request.false_positive_rate = Some(rate * SHARE);
        self.request.capacity = Some(self.request.capacity.unwrap_or(FIRST));
        // The chain decides when a link is full, by its keys.
        self.over_capacity = Some(OverCapacity::Warn);
        ScalableBloomFilter::new(vec![self.build()?], Growth::Promise { expansion, rate })
    }

    /// Refuses an expansion for one filter.
    pub(super) fn check_is_one(&self) -> Result<()> {
        match self.expansion {
            None => Ok(()),
            Some(times) => {
                let expected = "left out: one filter does not grow, and `build_chain` and `build_growing` make what does";
                Err(Error::parameter("the expansion", times, expected))
            }
        }
    }
}

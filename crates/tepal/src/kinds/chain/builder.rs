//! Builders of empty chains: tepal's own, and the ones that `BF.RESERVE` makes from a rate and a
//! capacity.

use alloc::vec;

use super::ScalableBloomFilter;
use super::grow::Growth;
use super::in_file::{EXPANSIONS, check_scheme};
use super::promise::SHARE;
use crate::error::{Error, Result};
use crate::ids::{OverCapacity, Scheme};
use crate::kinds::bloom::BloomFilterBuilder;
use crate::params::{DEFAULT_RATE, check_rate};

/// The keys of the first link, if the caller names no capacity.
const FIRST: u64 = 1 << 16;
/// How many times more keys the next link has than the one before, if the caller names no
/// expansion.
const EXPANSION: u32 = 4;

impl BloomFilterBuilder {
    /// Builds an empty chain that grows and keeps one promise for any number of keys: the
    /// [rate](Self::false_positive_rate) is the rate of the whole chain.
    ///
    /// Up to its [capacity](Self::capacity), by default 65,536 keys, it is one filter. Then links
    /// follow, each for four times the keys of the one before ([`expansion`](Self::expansion)), or
    /// for more if more keys are [expected](ScalableBloomFilter::expect_more). Each link is
    /// promised a quarter of the rate that the links before it leave. That takes three to six bits
    /// a key more than one filter of the right size.
    ///
    /// With a capacity of 65,536 keys or more the chain has room for more than 10^10 keys at a rate
    /// of 10^-6, and for more than 10^8 at 10^-9. Then the rest of the rate is too little for
    /// another link, and inserting a new key is [`Error::RateOutOfReach`]. Keys that an attacker
    /// chose by their hashes crowd one link; then the chain takes no more of them
    /// ([`Error::KeysClustered`]).
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
    /// As [`build`](Self::build). [`Error::Parameter`] for a scheme without a 64-bit hash, for an
    /// expansion that is not 2 to 256, and for a size or a number of hashes, since both follow from
    /// rate and capacity.
    pub fn build_growing(mut self) -> Result<ScalableBloomFilter> {
        check_scheme(self.keys.scheme.unwrap_or(Scheme::Xxh3))?;
        let expansion = self.expansion.take().unwrap_or(EXPANSION);
        if !EXPANSIONS.contains(&expansion) {
            return Err(Error::parameter("the expansion of the chain", expansion, "a number from 2 to 256"));
        }
        self.check_follows()?;
        let rate = self.request.false_positive_rate.unwrap_or(DEFAULT_RATE);
        check_rate(rate)?;
        self.request.false_positive_rate = Some(rate * SHARE);
        self.request.capacity = Some(self.request.capacity.unwrap_or(FIRST));
        // The chain decides when a link is full, by its keys.
        self.over_capacity = Some(OverCapacity::Warn);
        ScalableBloomFilter::new(vec![self.build()?], Growth::Promise { expansion, rate })
    }

    /// Refuses a size and a number of hashes: in a growing chain both follow from rate and
    /// capacity.
    fn check_follows(&self) -> Result<()> {
        let request = &self.request;
        let given = [
            ("the size of a chain that grows", request.bit_len.is_some() || self.planned.is_some()),
            ("the number of hashes of a chain that grows", request.num_hashes.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => {
                Err(Error::parameter(name, "given", "left out: it follows from rate and capacity"))
            }
            None => Ok(()),
        }
    }
}

#[cfg(feature = "foreign")]
impl BloomFilterBuilder {
    /// Builds an empty chain, as RedisBloom and valkey-bloom make it for
    /// `BF.RESERVE key rate capacity`: one link for this number of keys. With an
    /// [`expansion`](Self::expansion) larger links follow as it fills. Without one it never grows
    /// (`NONSCALING`), and refuses keys past its capacity.
    ///
    /// The chain equals the program's to the last bit. The first link of a RedisBloom chain that
    /// grows has *half* of the rate, and each further link half of the rate of the one before. The
    /// first link of a valkey-bloom chain has the rate itself.
    ///
    /// ```
    /// use tepal::{BloomFilter, Opened, Scheme, file::Format};
    /// // BF.RESERVE seen 0.01 100
    /// let builder = BloomFilter::builder().scheme(Scheme::RedisBloom).false_positive_rate(0.01).capacity(100);
    /// let mut seen = Opened::new(builder.expansion(2).build_chain()?, Format::RedisBloom)?;
    /// for key in 0..1000u32 {
    ///     seen.insert(&key)?;
    /// }
    /// assert_eq!(seen.facts()?.parts.len(), 4);      // for 100, 200, 400 and 800 keys
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build). [`Error::Parameter`] for a scheme other than
    /// [`Scheme::RedisBloom`] and [`Scheme::ValkeyBloom`]; for an expansion of 0; for a size or
    /// number of hashes of a chain that grows, since both follow from rate and capacity; for a rate
    /// above 0.25 under RedisBloom, which lowers the rate to 0.25.
    pub fn build_chain(mut self) -> Result<ScalableBloomFilter> {
        /// RedisBloom lowers every higher rate to this one.
        const MOST_REDISBLOOM_RATE: f64 = 0.25;
        /// RedisBloom multiplies the rate by this for the first link of a chain that grows.
        const REDISBLOOM_FIRST: f64 = 0.5;
        /// valkey-bloom's default factor of the rate for each link after the first.
        const VALKEY_TIGHTENING: f64 = 0.5;
        let scheme = self.keys.scheme.unwrap_or(Scheme::Xxh3);
        if !matches!(scheme, Scheme::RedisBloom | Scheme::ValkeyBloom) {
            let expected = "redisbloom or valkey-bloom: only these programs have chains";
            return Err(Error::parameter("the scheme of a chain", scheme, expected));
        }
        let rate = match self.planned {
            Some(plan) => plan.false_positive_rate,
            None => self.request.false_positive_rate.unwrap_or(DEFAULT_RATE),
        };
        if scheme == Scheme::RedisBloom && rate > MOST_REDISBLOOM_RATE {
            let expected = "at most 0.25, which RedisBloom makes of every higher one";
            return Err(Error::parameter("the rate of a RedisBloom chain", rate, expected));
        }
        let growth = match self.expansion.take() {
            None => Growth::Fixed,
            Some(expansion) => {
                self.check_growing(expansion)?;
                check_rate(rate)?;
                if scheme == Scheme::RedisBloom {
                    self.request.false_positive_rate = Some(rate * REDISBLOOM_FIRST);
                    Growth::RedisBloom { expansion }
                } else {
                    Growth::ValkeyBloom { expansion, rate, tightening: VALKEY_TIGHTENING }
                }
            }
        };
        // The chain decides when a link is full, by its items.
        self.over_capacity = Some(OverCapacity::Warn);
        ScalableBloomFilter::new(vec![self.build()?], growth)
    }

    /// Refuses options that `BF.RESERVE` does not have.
    fn check_growing(&self, expansion: u32) -> Result<()> {
        if expansion == 0 {
            let expected = "1 or more; leave it out for a chain that does not grow";
            return Err(Error::parameter("the expansion", expansion, expected));
        }
        self.check_follows()
    }

    /// Refuses a chain that no server makes, before its capacity is known.
    #[cfg(feature = "parallel")]
    pub(crate) fn check_growth(&self) -> Result<()> {
        self.expansion.map_or(Ok(()), |expansion| self.check_growing(expansion))
    }

    /// The expansion of the described chain.
    #[cfg(feature = "parallel")]
    pub(crate) fn growth(&self) -> Option<u32> {
        self.expansion
    }
}

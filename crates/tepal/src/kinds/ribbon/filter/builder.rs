//! Describes a filter, and builds it from its keys.

use alloc::vec::Vec;

use super::RibbonFilter;
use crate::error::{Error, Result};
use crate::facts::Labels;
use crate::key::options::KeyOptions;
use crate::key::{Key, hash_each};
use crate::kinds::calls::key_options;
use crate::kinds::ribbon::lines::RibbonMeta;
use crate::kinds::ribbon::{LEAST_RATE, second};
use crate::params::{DEFAULT_RATE, check_rate};

/// The highest rate of a ribbon filter.
pub(super) const MOST_RATE: f64 = 0.5;

/// Describes a [`RibbonFilter`]; everything has a default.
///
/// ```
/// use tepal::RibbonFilter;
/// let filter = RibbonFilter::builder().false_positive_rate(1.0 / 256.0).build_from(0..100_000u32)?;
/// assert_eq!(filter.bit_len() / 1000, 802);     // 8.02 bits a key
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build_from`"]
pub struct RibbonFilterBuilder {
    keys: KeyOptions,
    labels: Labels,
    rate: Option<f64>,
    prefers_speed: bool,
    /// 0 means 1.
    threads: usize,
}

impl RibbonFilter {
    /// Starts to describe a filter.
    pub fn builder() -> RibbonFilterBuilder {
        RibbonFilterBuilder::default()
    }
}

impl RibbonFilterBuilder {
    /// The promised false-positive rate, from 2^-32 to 0.5; the default is 0.01, or 1 %.
    ///
    /// The filter keeps it, and spends hardly any bit on a lower rate. From 100,000 keys on, powers
    /// of two are cheapest. 0.1 takes 1.3 % more bits than the least, 0.01 takes 1.5 %, and any
    /// rate of 1/8 or less takes at most 2 %.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Prefers faster lookups over the smallest filter, at rates above 1/64 between two powers of
    /// two. At other rates, close to a power of two, and for few keys, both filters are the same.
    ///
    /// The smallest filter of such a rate has a second ribbon, which holds a part of the keys. With
    /// it, the lookup of a member takes 1.5 to 1.8 times the time, and of a non-member 1.1 to 1.3
    /// times. The faster filter takes up to 4 % more bits (`docs/ribbon.md`).
    ///
    /// ```
    /// use tepal::RibbonFilter;
    /// let builder = || RibbonFilter::builder().false_positive_rate(0.1);
    /// let (smallest, fast) = (builder().build_from(0..20_000u32)?, builder().prefer_speed().build_from(0..20_000u32)?);
    /// assert!(smallest.bit_len() < fast.bit_len());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn prefer_speed(mut self) -> Self {
        self.prefers_speed = true;
        self
    }

    key_options!("a static filter");

    /// Builds on this many threads; the default is one. The filter is the same, bit for bit.
    #[cfg(feature = "parallel")]
    pub fn threads(mut self, threads: core::num::NonZeroUsize) -> Self {
        self.threads = threads.get();
        self
    }

    /// Builds the filter of these keys, in any order; repeats count once.
    ///
    /// Takes 8 bytes a key in addition to the filter, repeats included, and 6 MiB for each thread.
    ///
    /// ```
    /// let filter = tepal::RibbonFilter::builder().build_from(["apple", "banana", "apple"])?;
    /// assert!(filter.contains("apple") && filter.len() == 2);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::RateOutOfReach`] for a rate that no ribbon has, and [`Error::Parameter`] for other
    /// impossible values; [`Error::KeyRefused`] for a key that the key domain does not have;
    /// [`Error::CallerHashes`] for a filter with `caller_hash` (`build_from_hashes` builds it);
    /// [`Error::TooLarge`] if there is no memory.
    pub fn build_from<K: Key>(self, keys: impl IntoIterator<Item = K>) -> Result<RibbonFilter> {
        let hasher = self.key_hasher()?;
        let hashes = hash_each(keys, |key, sink| hasher.hash_ref(key.key(sink)))?;
        self.build_from_hashes(hashes)
    }

    /// [`build_from`](Self::build_from) for hashes, computed by the filter's
    /// [`key_hasher`](Self::key_hasher) or by the caller. Takes no memory for hashes beyond this
    /// vector.
    ///
    /// # Errors
    /// As [`build_from`](Self::build_from).
    pub fn build_from_hashes(self, hashes: Vec<u64>) -> Result<RibbonFilter> {
        let has_second = !self.prefers_speed;
        let (meta, threads) = self.described()?;
        let built = second::ribbon_of(hashes, meta.promised_rate, has_second, threads)?;
        Ok(RibbonFilter::from_parts(meta, built))
    }

    /// [`build_from_hashes`](Self::build_from_hashes) for hashes outside of memory.
    #[cfg(feature = "parallel")]
    pub(crate) fn build_from_pieces(
        self,
        pieces: &dyn crate::kinds::ribbon::pieces::Pieces,
    ) -> Result<RibbonFilter> {
        let has_second = !self.prefers_speed;
        let (meta, threads) = self.described()?;
        let built = second::ribbon_of_pieces(pieces, meta.promised_rate, has_second, threads)?;
        Ok(RibbonFilter::from_parts(meta, built))
    }

    /// Estimates the size in bytes of the ribbon of this many different keys
    /// ([`size_in_bytes`](RibbonFilter::size_in_bytes)): within a hundredth from 10,000 keys on.
    /// The filter keeps its rate for any set of keys.
    ///
    /// ```
    /// use tepal::RibbonFilter;
    /// let builder = RibbonFilter::builder().false_positive_rate(1.0 / 256.0);
    /// let planned = builder.planned_size_in_bytes(50_000)?;
    /// let built = builder.build_from(0..50_000u32)?.size_in_bytes();
    /// assert!(planned.abs_diff(built) < built / 100);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::RateOutOfReach`] for a rate that no ribbon has; [`Error::TooLarge`] for more keys
    /// than a ribbon can have.
    pub fn planned_size_in_bytes(&self, keys: u64) -> Result<u64> {
        let lines =
            crate::kinds::ribbon::plan::planned_lines(keys, self.reachable_rate()?, !self.prefers_speed)?;
        Ok(lines * crate::bits::LINE_BYTES)
    }

    /// The promised rate, if a ribbon can have it.
    fn reachable_rate(&self) -> Result<f64> {
        let promised_rate = self.rate.unwrap_or(DEFAULT_RATE);
        check_reachable(promised_rate).map(|()| promised_rate)
    }

    /// The described properties, and the number of threads for the build.
    fn described(self) -> Result<(RibbonMeta, usize)> {
        let (rate, threads) = (self.reachable_rate()?, self.threads.max(1));
        Ok((RibbonMeta::new(self.key_hasher()?, rate, self.labels)?, threads))
    }
}

/// Checks that a ribbon can have this rate.
pub(super) fn check_reachable(rate: f64) -> Result<()> {
    check_rate(rate)?;
    match (LEAST_RATE..=MOST_RATE).contains(&rate) {
        true => Ok(()),
        false => Err(Error::rate_out_of_reach(
            rate,
            format_args!(
                "a static filter cannot have the rate {rate}; ask for 0.5 at most, and 2^-32 (2.4e-10) at least"
            ),
        )),
    }
}

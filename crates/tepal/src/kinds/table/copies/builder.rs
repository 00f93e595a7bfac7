//! Describing a filter before it exists.

use alloc::vec::Vec;

use super::{Meta, QuotientFilter};
use crate::bits::table::packing::{Packing, most_numbers};
use crate::error::{Error, Result};
use crate::facts::Labels;
use crate::ids::OverCapacity;
use crate::key::options::KeyOptions;
use crate::key::{Key, hash_each};
use crate::kinds::calls::key_options;
use crate::kinds::table::lines::Table;
use crate::params::{DEFAULT_RATE, check_rate, is_rate};

/// Describes a [`QuotientFilter`]; everything has a default but the capacity.
///
/// ```
/// use tepal::QuotientFilter;
/// let filter = QuotientFilter::builder().capacity(50_000).false_positive_rate(1e-4).build()?;
/// assert_eq!(filter.size_in_bytes() * 8 / 50_000, 17);     // bits a key
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct QuotientFilterBuilder {
    keys: KeyOptions,
    labels: Labels,
    capacity: Option<u64>,
    rate: Option<f64>,
    count_bits: u8,
    over_capacity: OverCapacity,
}

impl QuotientFilter {
    /// Starts to describe a filter.
    pub fn builder() -> QuotientFilterBuilder {
        QuotientFilterBuilder::default()
    }
}

impl QuotientFilterBuilder {
    /// How many different keys the filter shall hold.
    pub fn capacity(mut self, keys: u64) -> Self {
        self.capacity = Some(keys);
        self
    }

    /// The promised share of `true` answers among keys that are not in it, such as 0.01 for 1 %, which is the default.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Counts copies in so many bits beside each number, 4, 8 or 16: a key that is inserted often then takes no more room
    /// until its count is past 16, 256 or 65,536, and can be inserted 1,024, 16,384 or 4,194,304 times; without it 64 times.
    ///
    /// 4 bits cost 4.7 bits a different key at 1 %: 14.3 in all, where a counting Bloom filter with counters of 4 bits takes 38
    /// to 40 and stops at 15.
    ///
    /// ```
    /// use tepal::QuotientFilter;
    /// let mut words = QuotientFilter::builder().capacity(1000).count_bits(8).build()?;
    /// for _ in 0..1000 {
    ///     words.insert("the")?;
    /// }
    /// assert_eq!((words.count("the"), words.count("a")), (1000, 0));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn count_bits(mut self, bits: u8) -> Self {
        self.count_bits = bits;
        self
    }

    key_options!("a quotient filter");

    /// What happens when more different keys come than planned: refuse them (the default), warn, or ignore it. The table has room
    /// for them; its rate is past the promise then.
    pub fn over_capacity(mut self, policy: OverCapacity) -> Self {
        self.over_capacity = policy;
        self
    }

    /// Bytes that the table of [`build`](Self::build) takes: to plan with, without the table.
    ///
    /// ```
    /// use tepal::QuotientFilter;
    /// let described = QuotientFilter::builder().capacity(1_000_000).false_positive_rate(0.01);
    /// assert_eq!(described.planned_size_in_bytes()?, described.build()?.size_in_bytes());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build), but for the memory.
    pub fn planned_size_in_bytes(&self) -> Result<u64> {
        let capacity = self.needed_capacity()?;
        let (_, numbers) = self.meta(capacity)?;
        Ok(Packing::for_slots(capacity, numbers, self.count_bits)?.bytes())
    }

    fn needed_capacity(&self) -> Result<u64> {
        self.capacity
            .ok_or_else(|| Error::parameter("the capacity", "not given", "given, or the keys (`build_from`)"))
    }

    /// Builds the empty filter, with room for its capacity.
    ///
    /// # Errors
    /// [`Error::Parameter`] where no capacity is given, and for impossible values; [`Error::RateOutOfReach`] for a rate that so
    /// many keys cannot have; [`Error::TooLarge`] where the machine has no memory for it.
    pub fn build(self) -> Result<QuotientFilter> {
        let capacity = self.needed_capacity()?;
        let (meta, numbers) = self.meta(capacity)?;
        Ok(QuotientFilter::from_parts(meta, Table::new(numbers, self.count_bits, capacity)?, 0))
    }

    /// Builds a filter of these keys, sorting their numbers: many times as fast as to insert one after the other. Where no
    /// capacity is given, it is planned for as many keys as there are. Takes 8 bytes a key beside the filter.
    ///
    /// ```
    /// let filter = tepal::QuotientFilter::builder().build_from(["apple", "banana"])?;
    /// assert!(filter.contains("apple") && !filter.contains("cherry"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build) and as [`QuotientFilter::insert`].
    pub fn build_from<K: Key>(self, keys: impl IntoIterator<Item = K>) -> Result<QuotientFilter> {
        let hasher = self.key_hasher()?;
        let hashes = hash_each(keys, |key, sink| hasher.hash_ref(key.key(sink)))?;
        self.build_from_hashes(hashes)
    }

    /// [`build_from`](Self::build_from) for keys hashed before, by the filter's [`key_hasher`](Self::key_hasher) or by the
    /// caller.
    ///
    /// # Errors
    /// As [`build_from`](Self::build_from).
    pub fn build_from_hashes(self, hashes: Vec<u64>) -> Result<QuotientFilter> {
        let capacity = self.capacity.unwrap_or(hashes.len() as u64).max(1);
        let (meta, numbers) = self.meta(capacity)?;
        let empty = Table::new(numbers, self.count_bits, 1)?;
        let mut filter = QuotientFilter::from_parts(meta, empty, 0);
        filter.insert_sorting(hashes, capacity)?;
        Ok(filter)
    }

    /// What the filter is beside its table, and how many numbers there are.
    fn meta(&self, capacity: u64) -> Result<(Meta, u64)> {
        let rate = self.rate.unwrap_or(DEFAULT_RATE);
        check_rate(rate)?;
        debug_assert!(is_rate(rate));
        if capacity == 0 {
            return Err(Error::parameter("the capacity", 0u64, "1 key or more"));
        }
        if !matches!(self.count_bits, 0 | 4 | 8 | 16) {
            return Err(Error::parameter(
                "the bits of a count",
                self.count_bits,
                "4, 8 or 16, or 0 for none",
            ));
        }
        let most = most_numbers(self.count_bits.into());
        let wanted = libm::ceil(capacity as f64 / rate);
        if wanted > (most - 64) as f64 {
            return Err(Error::rate_out_of_reach(
                rate,
                format_args!(
                    "the numbers of {capacity} keys would be more than {most}; plan for fewer keys or a higher rate"
                ),
            ));
        }
        let numbers = (wanted as u64).next_multiple_of(64);
        self.labels.check()?;
        let meta = Meta {
            keys: self.key_hasher()?,
            over_capacity: self.over_capacity,
            capacity,
            promised_rate: rate,
            labels: self.labels.kept(),
        };
        Ok((meta, numbers))
    }
}

//! Describes a filter before it exists.

use alloc::vec::Vec;

use super::QuotientFilter;
use crate::bits::table::packing::most_numbers;
use crate::error::{Error, Result, advice};
use crate::facts::Labels;
use crate::key::options::KeyOptions;
use crate::key::{Key, hash_each};
use crate::kinds::table::builder::{Called, Planned, Promise};
use crate::kinds::table::calls::table_options;
use crate::kinds::table::lines::Table;

/// Describes a [`QuotientFilter`]; only the capacity has no default.
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
    promise: Promise,
    count_bits: u8,
}

impl QuotientFilter {
    /// Starts to describe a filter.
    pub fn builder() -> QuotientFilterBuilder {
        QuotientFilterBuilder::default()
    }
}

impl QuotientFilterBuilder {
    table_options! {
        "a deletable filter";
        /// The number of different keys that the filter will hold.
        capacity;
        /// The promised false-positive rate; the default is 0.01, or 1 %.
        false_positive_rate;
        /// The policy for more different keys than planned: refuse them (the default), warn, or
        /// ignore it. The table makes room for them, and then its rate is past the promise.
        over_capacity;
    }

    /// Counts copies in this many bits beside each fingerprint: 4, 8 or 16. Then a key that is
    /// inserted often takes no more room until its count is past 16, 256 or 65,536. It can be
    /// inserted 1,024, 16,384 or 4,194,304 times; without this option 64 times.
    ///
    /// At 1 %, 4 bits add 4.7 bits a different key, 14.3 in all. A counting Bloom filter with
    /// counters of 4 bits takes 38 to 40, and stops at 15.
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

    /// The bytes of the table that [`build`](Self::build) makes, for planning without the table.
    ///
    /// ```
    /// use tepal::QuotientFilter;
    /// let described = QuotientFilter::builder().capacity(1_000_000).false_positive_rate(0.01);
    /// assert_eq!(described.planned_size_in_bytes()?, described.build()?.size_in_bytes());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build), except for memory.
    pub fn planned_size_in_bytes(&self) -> Result<u64> {
        self.plan(self.needed_capacity()?)?.size_in_bytes()
    }

    fn needed_capacity(&self) -> Result<u64> {
        self.promise.capacity.ok_or_else(|| {
            Error::parameter("the capacity", "not given", "given")
                .with(advice!("give it, or the keys themselves", Keys))
        })
    }

    /// Builds the empty filter, with room for its capacity.
    ///
    /// # Errors
    /// [`Error::Parameter`] if no capacity is given, and for impossible values;
    /// [`Error::RateOutOfReach`] for a rate that this many keys cannot have; [`Error::TooLarge`] if
    /// the machine has no memory for it.
    pub fn build(self) -> Result<QuotientFilter> {
        let planned = self.plan(self.needed_capacity()?)?;
        let table = planned.table()?;
        Ok(QuotientFilter::from_parts(planned.meta, table, 0, true))
    }

    /// Builds a filter of these keys by sorting their fingerprints, many times as fast as inserting
    /// one after the other. If no capacity is given, it is the number of keys. Takes 8 bytes a key
    /// in addition to the filter.
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

    /// [`build_from`](Self::build_from) for hashes, computed by the filter's
    /// [`key_hasher`](Self::key_hasher) or by the caller.
    ///
    /// # Errors
    /// As [`build_from`](Self::build_from).
    pub fn build_from_hashes(self, hashes: Vec<u64>) -> Result<QuotientFilter> {
        let capacity = self.promise.capacity.unwrap_or(hashes.len() as u64).max(1);
        let planned = self.plan(capacity)?;
        let empty = Table::new(planned.numbers, self.count_bits, 1)?;
        let mut filter = QuotientFilter::from_parts(planned.meta, empty, 0, true);
        filter.insert_sorting(hashes, capacity)?;
        Ok(filter)
    }

    fn plan(&self, capacity: u64) -> Result<Planned> {
        if !matches!(self.count_bits, 0 | 4 | 8 | 16) {
            let expected = "4, 8 or 16, or 0 for none";
            return Err(Error::parameter("the number of bits of a count", self.count_bits, expected));
        }
        let slots = (self.count_bits, most_numbers(self.count_bits.into()));
        self.promise.plan((self.key_hasher()?, &self.labels), (capacity, capacity.into()), slots, &KEYS)
    }
}

const KEYS: Called = Called { least: "1 key or more", all: "keys", fewer: "keys" };

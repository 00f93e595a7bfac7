//! Describes a filter before it exists.

use super::plan::GrowthPlan;
use super::{GrowingFilter, GrowingMeta};
use crate::bits::table::packing::Packing;
use crate::error::Result;
use crate::facts::Labels;
use crate::key::Key;
use crate::key::options::KeyOptions;
use crate::kinds::calls::key_options;
use crate::params::DEFAULT_RATE;

/// The default number of keys that a filter begins with room for: 2 kB at 1 %.
const DEFAULT_FIRST: u64 = 1000;

/// Describes a [`GrowingFilter`]; everything has a default.
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct GrowingFilterBuilder {
    keys: KeyOptions,
    labels: Labels,
    first: Option<u64>,
    rate: Option<f64>,
    is_deletable: bool,
}

impl GrowingFilter {
    /// Starts to describe a filter.
    pub fn builder() -> GrowingFilterBuilder {
        GrowingFilterBuilder::default()
    }
}

impl GrowingFilterBuilder {
    /// The number of keys that the filter begins with room for; the default is 1,000. With up to 16
    /// times as many it is one table, with up to 272 times as many two, and so on. The larger the
    /// number, the fewer tables a lookup reads, and the more memory the filter takes at first.
    ///
    /// The number of keys is limited, because fingerprints are below 2^56. A filter that begins
    /// with 1,000 keys takes some 10^11 keys at 1 %, some 10^9 at 10^-6, and some millions at
    /// 10^-9. Then inserting returns an error that says so.
    pub fn first(mut self, keys: u64) -> Self {
        self.first = Some(keys);
        self
    }

    /// The promised false-positive rate, for any number of keys; the default is 0.01, or 1 %.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Allows keys to be [removed](GrowingFilter::remove). Then each insert adds one more copy,
    /// also for a key that is a member or a false positive, so that its removal removes no other
    /// key. So do not insert a key again that is a member. Without this option such an insert costs
    /// nothing.
    ///
    /// ```
    /// use tepal::{GrowingFilter, Removal};
    /// let mut open = GrowingFilter::builder().deletable(true).build()?;
    /// open.insert("alice")?;
    /// assert_eq!(open.remove("alice")?, Removal::Removed);
    /// assert_eq!(open.remove("alice")?, Removal::NotHeld);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn deletable(mut self, is_deletable: bool) -> Self {
        self.is_deletable = is_deletable;
        self
    }

    key_options!("a growing filter");

    /// The bytes of the table with the keys that the filter [begins with](Self::first) and no more,
    /// for planning without the table.
    ///
    /// ```
    /// let described = tepal::GrowingFilter::builder().first(1_000_000);
    /// assert_eq!(described.planned_size_in_bytes()?, described.build()?.size_in_bytes());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build), except for memory.
    pub fn planned_size_in_bytes(&self) -> Result<u64> {
        let plan = self.plan()?;
        Ok(Packing::for_slots(plan.first(), plan.first_numbers(), 0)?.bytes())
    }

    fn plan(&self) -> Result<GrowthPlan> {
        GrowthPlan::new(self.first.unwrap_or(DEFAULT_FIRST), self.rate.unwrap_or(DEFAULT_RATE))
    }

    /// Builds the empty filter.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for impossible values;
    /// [`Error::RateOutOfReach`](crate::Error::RateOutOfReach) for a rate that this many keys
    /// cannot have; [`Error::TooLarge`](crate::Error::TooLarge) if the machine has no memory for
    /// it.
    pub fn build(self) -> Result<GrowingFilter> {
        let plan = self.plan()?;
        self.labels.check()?;
        let keys = self.key_hasher()?;
        let meta = GrowingMeta { keys, plan, is_deletable: self.is_deletable, labels: self.labels.kept() };
        GrowingFilter::empty(meta, plan.first())
    }

    /// Builds a filter of these keys.
    ///
    /// ```
    /// let filter = tepal::GrowingFilter::builder().build_from(["apple", "banana"])?;
    /// assert!(filter.contains("apple") && !filter.contains("cherry"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build) and as [`GrowingFilter::insert`].
    pub fn build_from<K: Key>(self, keys: impl IntoIterator<Item = K>) -> Result<GrowingFilter> {
        let mut filter = self.build()?;
        filter.insert_iter(keys)?;
        Ok(filter)
    }
}

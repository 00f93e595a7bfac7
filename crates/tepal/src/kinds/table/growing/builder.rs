//! Describing a filter before it exists.

use super::plan::GrowthPlan;
use super::{GrowingFilter, Meta};
use crate::bits::table::packing::Packing;
use crate::error::Result;
use crate::facts::Labels;
use crate::key::Key;
use crate::key::options::KeyOptions;
use crate::kinds::calls::key_options;
use crate::params::DEFAULT_RATE;

/// The keys that a filter begins with room for where the caller names no number: 2 kB at 1 %.
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
    /// So many keys the filter begins with room for, 1,000 where nothing is said. With up to 16
    /// times as many it is one table, with up to 272 times as many two, and so on: the larger the
    /// number, the fewer tables are asked, and the more memory is taken from the first.
    ///
    /// Numbers of keys end at 2^56: from 1,000 keys on a filter takes some 10^11 keys at 1 %, some
    /// 10^9 at 10^-6, and some millions at 10^-9; then inserting is an error that says so.
    pub fn first(mut self, keys: u64) -> Self {
        self.first = Some(keys);
        self
    }

    /// The promised share of `true` answers among keys that are not in it, however many are: such
    /// as 0.01 for 1 %, which is the default.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Lets keys be [removed](GrowingFilter::remove). Each key that is inserted is then held once
    /// more, also one that was in or looked so, so that its removal takes nobody else away: do not
    /// insert a key again that is in. Without it such a key costs nothing.
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

    /// Bytes that the table takes with the keys that the filter [begins with](Self::first), if they
    /// are all that come: to plan with, without the table.
    ///
    /// ```
    /// let described = tepal::GrowingFilter::builder().first(1_000_000);
    /// assert_eq!(described.planned_size_in_bytes()?, described.build()?.size_in_bytes());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build), but for the memory.
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
    /// [`Error::RateOutOfReach`](crate::Error::RateOutOfReach) for a rate that so many keys cannot
    /// have; [`Error::TooLarge`](crate::Error::TooLarge) where the machine has no memory for it.
    pub fn build(self) -> Result<GrowingFilter> {
        let plan = self.plan()?;
        self.labels.check()?;
        let keys = self.key_hasher()?;
        let meta = Meta { keys, plan, is_deletable: self.is_deletable, labels: self.labels.kept() };
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

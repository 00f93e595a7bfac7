//! Describing a filter before it exists.

use alloc::string::String;

use super::plan::GrowthPlan;
use super::{GrowingFilter, Meta};
use crate::error::{Error, Result};
use crate::facts::Labels;
use crate::ids::{KeyDomain, Scheme};
use crate::key::{Key, KeyHasher, Recipe, SecretKey};
use crate::kinds::bloom::BloomFilterBuilder;

/// The rate that is promised where the caller names none.
const DEFAULT_RATE: f64 = 0.01;

/// The keys that a filter begins with room for where the caller names no number: 2 kB at 1 %.
const DEFAULT_FIRST: u64 = 1000;

/// Describes a [`GrowingFilter`]; everything has a default.
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct GrowingFilterBuilder {
    /// What it does with keys, and labels.
    keys: BloomFilterBuilder,
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
    /// So many keys the filter begins with room for, 1,000 where nothing is said. With up to 16 times as many it is one table, with
    /// up to 272 times as many two, and so on: the larger the number, the fewer tables are asked, and the more memory is taken
    /// from the first.
    ///
    /// Numbers of keys end at 2^56: at 1 % a filter takes some 10^13 keys, but at 10^-9 some millions; then inserting is an
    /// error that says so.
    pub fn first(mut self, keys: u64) -> Self {
        self.first = Some(keys);
        self
    }

    /// The promised share of `true` answers among keys that are not in it, however many are: such as 0.01 for 1 %, which is the
    /// default.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Lets keys be [removed](GrowingFilter::remove). Each key that is inserted is then held once more, also one that was in or looked
    /// so, so that its removal takes nobody else away: do not insert a key again that is in. Without it such a key costs nothing.
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

    /// The public seed of the hash: [`BloomFilterBuilder::seed`].
    pub fn seed(mut self, seed: u64) -> Self {
        self.keys = self.keys.seed(seed);
        self
    }

    /// A seed of its own for a purpose: [`BloomFilterBuilder::seed_for`].
    pub fn seed_for(mut self, purpose: &str) -> Self {
        self.keys = self.keys.seed_for(purpose);
        self
    }

    /// Hashes with SipHash-1-3 under this secret, so that nobody without it can choose keys whose numbers are equal or lie close
    /// together: [`BloomFilterBuilder::secret_key`].
    pub fn secret_key(mut self, key: SecretKey) -> Self {
        self.keys = self.keys.secret_key(key);
        self
    }

    /// The hash scheme, one with a 64-bit hash.
    pub fn scheme(mut self, scheme: Scheme) -> Self {
        self.keys = self.keys.scheme(scheme);
        self
    }

    /// For keys that the caller hashes: [`BloomFilterBuilder::caller_hash`].
    pub fn caller_hash(mut self, name: impl Into<String>) -> Self {
        self.keys = self.keys.caller_hash(name);
        self
    }

    /// What the keys are: bytes (the default) or 64-bit integers.
    pub fn key_domain(mut self, domain: KeyDomain) -> Self {
        self.keys = self.keys.key_domain(domain);
        self
    }

    /// What is done to a key before it is hashed.
    pub fn recipe(mut self, recipe: Recipe) -> Self {
        self.keys = self.keys.recipe(recipe);
        self
    }

    /// Free text about the set, stored in the file.
    pub fn labels(mut self, labels: Labels) -> Self {
        self.labels = labels;
        self
    }

    /// What the filter will do with a key, before there is a filter.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the seed or the secret key does not fit the scheme, and for a scheme without a 64-bit hash.
    pub fn key_hasher(&self) -> Result<KeyHasher> {
        let keys = self.keys.key_hasher()?;
        match keys.has_hash() {
            true => Ok(keys),
            false => Err(Error::parameter(
                "the scheme of a growing filter",
                format_args!("`{}`", keys.scheme()),
                "one with a 64-bit hash, such as `xxh3` or `siphash13`",
            )),
        }
    }

    /// Builds the empty filter.
    ///
    /// # Errors
    /// [`Error::Parameter`] for impossible values; [`Error::RateOutOfReach`] for a rate that so many keys cannot have;
    /// [`Error::TooLarge`] where the machine has no memory for it.
    pub fn build(self) -> Result<GrowingFilter> {
        let first = self.first.unwrap_or(DEFAULT_FIRST);
        let plan = GrowthPlan::new(first, self.rate.unwrap_or(DEFAULT_RATE))?;
        self.labels.check()?;
        let keys = self.key_hasher()?;
        GrowingFilter::empty(Meta { keys, plan, is_deletable: self.is_deletable, labels: self.labels.kept() })
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

//! A filter from which keys can be removed, and which counts them: a sorted table of numbers.
//!
//! Describing it is in [`builder`], asking in [`ask`], inserting, removing and counting in [`change`], joining two and making
//! one smaller in [`combine`], what a file holds of it in [`part`], what every kind of filter does in [`kind`], hashes in the order of
//! their numbers in `sort`. The table itself,
//! which has room for whatever comes, is in [`lines`](super::lines).

mod builder;

mod ask;
mod change;

mod combine;

mod kind;
pub(crate) mod part;
#[cfg(feature = "parallel")]
mod sort;

use alloc::boxed::Box;
use core::fmt;

pub use builder::QuotientFilterBuilder;

use super::lines::Table;
use crate::error::Result;
use crate::facts::Labels;
use crate::ids::OverCapacity;
use crate::key::KeyHasher;
use crate::kinds::calls::about_keys;

/// A filter from which keys can be removed.
///
/// It holds, for each key, a number below U, in a sorted table. A key that was never inserted has by chance a number that is
/// held: that is what a wrong `true` is, and it happens at the rate *(different numbers held) / U*, which is at most the
/// promised one up to the capacity. Whoever comes from a cuckoo filter or a counting Bloom filter finds both here: it needs
/// fewer bits than either below a rate of 1 %, never loses a member while it is full, and two filters of one shape unite to
/// just what one filter of all the keys would be.
///
/// Each call of [`insert`](Self::insert) adds one copy of the key, each [`remove`](Self::remove) takes one away.
///
/// **Remove only what was inserted.** A key that never was has by chance, at the rate above, the number of a member, and its
/// removal takes that member away. Where that can happen, ask the list of members first.
///
/// The table has room for its capacity, and is laid out again for an eighth more where more copies come or keys lie too close
/// together: a pass over all of it, and no answer changes. Up to 64 MiB there are two tables in memory for that time; beyond, one and a
/// few MiB (of a file that was opened, the file's too).
///
/// The table takes 9.6 bits a key at 1 %, a Bloom filter of lines 9.95; it costs several times as much to ask and some ten times
/// as much to fill (`bench/README.md`). Where keys are neither removed nor counted, a [`BloomFilter`](crate::BloomFilter) is the
/// better choice.
///
/// ```
/// use tepal::QuotientFilter;
/// let mut sessions = QuotientFilter::builder().capacity(1_000_000).false_positive_rate(0.01).build()?;
/// sessions.insert("alice")?;
/// assert!(sessions.contains("alice"));
/// assert!(sessions.remove("alice")?);         // it was there
/// assert!(!sessions.contains("alice"));
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone)]
pub struct QuotientFilter {
    table: Table,
    /// So many different numbers it may hold.
    most_numbers: u64,
    meta: Meta,
    /// Copies of all keys: with counts more than there are slots.
    held: u64,
    /// Has each key a copy of its own?
    is_deletable: bool,
}

/// Everything about a filter that is not its table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Meta {
    pub(crate) keys: KeyHasher,
    pub(crate) over_capacity: OverCapacity,
    pub(crate) capacity: u64,
    pub(crate) promised_rate: f64,
    pub(crate) labels: Option<Box<Labels>>,
}

impl QuotientFilter {
    pub(crate) fn from_parts(meta: Meta, table: Table, held: u64) -> Self {
        let by_rate = meta.promised_rate * table.packing().numbers() as f64;
        let most_numbers = meta.capacity.max(by_rate as u64);
        QuotientFilter { table, most_numbers, meta, held, is_deletable: true }
    }

    /// Several keys may have one copy, where this says no: then none is removed.
    pub(crate) fn deletable(mut self, is_deletable: bool) -> Self {
        self.is_deletable = is_deletable;
        self
    }

    /// Can keys be removed? From every filter but one that [`GrowingFilter::freeze`](crate::GrowingFilter::freeze) made of a filter from
    /// which none can, where two keys may share a copy. Once it is [cleared](Self::clear) they can.
    #[must_use]
    pub fn is_deletable(&self) -> bool {
        self.is_deletable
    }

    /// Keys the filter was planned for.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.meta.capacity
    }

    /// The share of wrong answers promised as long as the filter holds no more different keys than its capacity.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.promised_rate
    }

    /// The share of wrong answers now: exact for keys whose hashes are spread evenly. Costs nothing.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.table.rate()
    }

    /// How many copies of keys it holds: those that were inserted, less those that were removed.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.held
    }

    /// Does it hold no key?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// How many different numbers it holds: different keys, but for those few whose numbers are equal.
    #[must_use]
    pub fn distinct_numbers(&self) -> u64 {
        self.table.distinct()
    }

    /// U: how many numbers there are. Filters of one U and one hash unite.
    #[must_use]
    pub fn numbers(&self) -> u64 {
        self.table.packing().numbers()
    }

    /// How many bits of each slot count copies: 0, or 4, 8 or 16 in a [counting](QuotientFilterBuilder::count_bits) filter.
    #[must_use]
    pub fn count_bits(&self) -> u8 {
        self.table.packing().fields().tag_bits
    }

    /// Bytes of the table in memory. They grow and shrink with the keys.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.table.packing().bytes()
    }

    /// What happens when more different keys come than the capacity.
    #[must_use]
    pub fn over_capacity(&self) -> OverCapacity {
        self.meta.over_capacity
    }

    /// Changes that.
    ///
    /// # Errors
    /// None: other kinds have one policy.
    pub fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        self.meta.over_capacity = policy;
        Ok(())
    }

    /// Does it hold more different keys than its promise allows? Never under [`OverCapacity::Ignore`].
    #[must_use]
    pub fn is_over_capacity(&self) -> bool {
        self.meta.over_capacity != OverCapacity::Ignore && self.table.distinct() > self.most_numbers
    }

    /// Does it refuse every key whose number it does not hold?
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.meta.over_capacity == OverCapacity::Refuse && self.table.distinct() >= self.most_numbers
    }

    about_keys!();

    /// Holds the table against what the file says of it. After [`Open::quick`](crate::Open::quick) this is the rest of what opening
    /// checks.
    ///
    /// # Errors
    /// [`Error::Damaged`](crate::Error::Damaged); [`Error::WrongSeal`](crate::Error::WrongSeal) for a file that was changed without
    /// the key of its seal.
    pub fn verify(&self) -> Result<()> {
        self.table.verify()
    }
}

/// Two filters are equal when they give every key the same answer for the same reason, and hold as many copies of each, which can be
/// removed or not: same hash, domain, recipe, numbers and counts. Capacity, labels and how the table is laid out do not matter.
impl PartialEq for QuotientFilter {
    fn eq(&self, other: &QuotientFilter) -> bool {
        self.check_compatible(other).is_ok()
            && self.is_deletable == other.is_deletable
            && self.table.entries().eq(other.table.entries())
    }
}

impl Eq for QuotientFilter {}

impl fmt::Debug for QuotientFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuotientFilter")
            .field("numbers", &self.numbers())
            .field("count_bits", &self.count_bits())
            .field("capacity", &self.capacity())
            .field("promised_false_positive_rate", &self.promised_false_positive_rate())
            .field("len", &self.len())
            .field("size_in_bytes", &self.size_in_bytes())
            .field("scheme", &self.scheme())
            .field("seed", &self.seed())
            .field("key_domain", &self.key_domain())
            .field("over_capacity", &self.over_capacity())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

//! A filter from which keys can be removed, and which counts them: a tag is a count.
//!
//! Describing it is in [`builder`], inserting, removing and counting in [`change`], joining two and
//! making one smaller in [`combine`], what a file holds of it in [`part`], what every kind of
//! filter does in [`kind`], hashes in the order of their numbers in `sort`.

mod builder;

mod change;

mod combine;

mod kind;
pub(crate) mod part;
#[cfg(feature = "parallel")]
mod sort;

pub use builder::QuotientFilterBuilder;

use super::calls::one_table;
use super::core::{Meta, TableCore};
use super::lines::Table;
use crate::key::{Batch, Key, Keys, One, PreparedKeys};
use crate::kinds::shown::shown;

/// A filter from which keys can be removed.
///
/// It holds, for each key, a number below U, in a sorted table. A key that was never inserted has
/// by chance a number that is held: that is what a wrong `true` is, and it happens at the
/// rate *(different numbers held) / U*, which is at most the promised one up to the capacity.
/// Whoever comes from a cuckoo filter or a counting Bloom filter finds both here: it needs fewer
/// bits than either below a rate of 1 %, never loses a member while it is full, and two filters of
/// one shape unite to just what one filter of all the keys would be.
///
/// Each call of [`insert`](Self::insert) adds one copy of the key, each [`remove`](Self::remove)
/// takes one away.
///
/// **Remove only what was inserted.** A key that never was has by chance, at the rate above, the
/// number of a member, and its removal takes that member away. Where that can happen, ask the list
/// of members first.
///
/// The table has room for its capacity, and is laid out again for an eighth more where more copies
/// come or keys lie too close together: a pass over all of it, and no answer changes. Up to 64 MiB
/// there are two tables in memory for that time; beyond, one and a few MiB (of a file that was
/// opened, the file's too).
///
/// The table takes 9.6 bits a key at 1 %, a Bloom filter of lines 9.95; it costs several times as
/// much to ask and some ten times as much to fill (`bench/README.md`). Where keys are neither
/// removed nor counted, a [`BloomFilter`](crate::BloomFilter) is the better choice.
///
/// ```
/// use tepal::QuotientFilter;
/// let builder = QuotientFilter::builder().capacity(1_000_000).false_positive_rate(0.01);
/// let mut sessions = builder.clone().build()?;
/// sessions.insert("alice")?;
/// assert!(sessions.contains("alice"));
/// assert!(sessions.remove("alice")?);         // it was there
/// assert!(!sessions.contains("alice"));
///
/// let mut others = builder.build()?;
/// others.insert_many(&["bob", "bob"])?;
/// sessions.union_with(&others)?;              // copies add up
/// assert_eq!(sessions.count("bob"), 2);
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("sessions.tepal");
/// sessions.save(&path)?;
/// assert_eq!(QuotientFilter::open(&path)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct QuotientFilter {
    core: TableCore,
    /// Copies of all keys: with counts more than there are slots.
    held: u64,
    /// Has each key a copy of its own?
    is_deletable: bool,
}

impl QuotientFilter {
    /// A filter with so many copies of keys.
    pub(super) fn from_parts(meta: Meta, table: Table, held: u64, is_deletable: bool) -> Self {
        let room = meta.capacity;
        QuotientFilter { core: TableCore::new(meta, table, room), held, is_deletable }
    }

    /// What counts against the capacity.
    #[inline]
    fn held(&self) -> u64 {
        self.core.table.distinct()
    }

    one_table! {
        /// Keys the filter was planned for.
        capacity;
        /// The share of wrong answers promised as long as the filter holds no more different keys
        /// than its capacity.
        promised_false_positive_rate;
        /// The share of wrong answers now: exact for keys whose hashes are spread evenly. Costs
        /// nothing.
        false_positive_rate;
        /// Bytes of the table in memory. They grow and shrink with the keys.
        size_in_bytes;
        /// Does it hold more different keys than its promise allows? Never under
        /// [`OverCapacity::Ignore`](crate::OverCapacity::Ignore).
        is_over_capacity;
        /// Does it refuse every key whose number it does not hold?
        is_full;
        /// Is the key in the set?
        ///
        /// `false` is certain: no copy of it is in. `true` means perhaps: about
        /// [`false_positive_rate`](Self::false_positive_rate) of all other keys get it too. A key
        /// that the filter's domain refuses is not in; a filter of the caller's hashes cannot hash
        /// a key, and answers `true`.
        contains;
        ///
        /// ```
        /// let seen = tepal::QuotientFilter::builder().build_from(["apple", "banana"])?;
        /// assert_eq!(seen.contains_many(&["banana", "cherry"]), [true, false]);
        /// # Ok::<(), tepal::Error>(())
        /// ```
        contains_many;
    }

    /// Can keys be removed? From every filter but one that
    /// [`GrowingFilter::freeze`](crate::GrowingFilter::freeze) made of a filter from which none
    /// can, where two keys may share a copy. Once it is [cleared](Self::clear) they can.
    #[must_use]
    pub fn is_deletable(&self) -> bool {
        self.is_deletable
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

    /// How many bits of each slot count copies: 0, or 4, 8 or 16 in a
    /// [counting](QuotientFilterBuilder::count_bits) filter.
    #[must_use]
    pub fn count_bits(&self) -> u8 {
        self.core.tag_bits()
    }

    /// How often the key is in: never too low, and too high only where another key has the same
    /// number, at [`false_positive_rate`](Self::false_positive_rate). 0 is certain. A key that the
    /// domain refuses is in 0 times. A filter of the caller's hashes cannot hash a key and says 0,
    /// which means nothing there: ask [`count_hash`](Self::count_hash).
    ///
    /// ```
    /// let mut seen = tepal::QuotientFilter::builder().capacity(100).build()?;
    /// seen.insert("apple")?;
    /// seen.insert("apple")?;
    /// assert_eq!((seen.count("apple"), seen.count("pear")), (2, 0));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> u64 {
        self.core.meta.keys.hash(key).map_or(0, |hash| self.count_hash(hash))
    }

    /// [`count`](Self::count) for a key hashed before.
    #[must_use]
    pub fn count_hash(&self, hash: u64) -> u64 {
        self.count_of(self.core.table.copies(self.core.table.number(hash)))
    }
}

/// Two filters are equal when they give every key the same answer for the same reason, and hold as
/// many copies of each, which can be removed or not: same hash, domain, recipe, numbers and counts.
/// Capacity, labels and how the table is laid out do not matter.
impl PartialEq for QuotientFilter {
    fn eq(&self, other: &QuotientFilter) -> bool {
        self.core == other.core && self.is_deletable == other.is_deletable
    }
}

impl Eq for QuotientFilter {}

shown!(QuotientFilter: len, count_bits, numbers, capacity, promised_false_positive_rate, size_in_bytes, scheme, seed, key_domain, over_capacity);

#[cfg(test)]
mod tests;

//! A filter from which keys can be removed, and which counts them: a tag is a count.
//!
//! The builder is in [`builder`]; inserts, removals and counts are in [`change`]; unions and
//! smaller filters in [`combine`]; the file part in [`part`]; the traits of every filter in
//! [`kind`]; hashes in the order of their fingerprints in `sort`.

mod builder;

mod change;

mod combine;

mod kind;
pub(crate) mod part;
#[cfg(feature = "parallel")]
mod sort;

pub use builder::QuotientFilterBuilder;

use super::calls::one_table;
use super::core::{TableCore, TableMeta};
use super::lines::Table;
use crate::key::{Batch, Key, Keys, One, PreparedKeys};
use crate::kinds::shown::shown;

/// A filter from which keys can be removed.
///
/// It holds a fingerprint of each key, a number below U, in a sorted table. A false positive is a
/// non-member whose fingerprint is held by chance. The false-positive rate is *(different
/// fingerprints held) / U*, which is at most the promised rate up to the capacity.
///
/// It replaces a cuckoo filter and a counting Bloom filter. Below a rate of 1 % it needs fewer bits
/// than either. It never loses a member while it is full. The union of two filters of one shape
/// equals the filter of all the keys.
///
/// Each call of [`insert`](Self::insert) adds one copy of the key, and each
/// [`remove`](Self::remove) removes one.
///
/// **Remove only keys that were inserted.** At the rate above, a non-member has the fingerprint of
/// a member by chance, and its removal removes that member. If that can happen, check the list of
/// members first.
///
/// The table has room for its capacity. If more copies are inserted, or if fingerprints crowd one
/// place, the table is laid out again for an eighth more: a pass over all of it, and no answer
/// changes. Up to 64 MiB there are two tables in memory during that time; beyond, one and a few MiB
/// (and the file of an opened filter).
///
/// At 1 % the table takes 9.6 bits a key, and a Bloom filter of lines 9.95. A lookup costs several
/// times as much as there, and an insert some ten times as much (`bench/README.md`). If keys are
/// neither removed nor counted, a [`BloomFilter`](crate::BloomFilter) is the better choice.
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
    /// Copies of all keys; with counts this may be more than the number of slots.
    held: u64,
    /// Whether each inserted key has a copy of its own.
    is_deletable: bool,
}

impl QuotientFilter {
    /// Makes a filter with this many copies of keys.
    pub(super) fn from_parts(meta: TableMeta, table: Table, held: u64, is_deletable: bool) -> Self {
        let room = meta.capacity;
        QuotientFilter { core: TableCore::new(meta, table, room), held, is_deletable }
    }

    /// The number that counts against the capacity.
    #[inline]
    fn held(&self) -> u64 {
        self.core.table.distinct()
    }

    one_table! {
        /// The number of different keys that the filter was planned for.
        capacity;
        /// The false-positive rate that is promised while the filter holds at most its capacity of
        /// different keys.
        promised_false_positive_rate;
        /// The false-positive rate now: exact for keys whose hashes are spread evenly. Costs
        /// nothing.
        false_positive_rate;
        /// The bytes of the table in memory. They grow and shrink with the keys.
        size_in_bytes;
        /// Whether it holds more different keys than its promise allows.
        is_over_capacity;
        /// Whether it refuses every key whose fingerprint it does not hold.
        is_full;
        /// Looks up a key.
        ///
        /// `false` is certain: the filter holds no copy of it. `true` means perhaps: about
        /// [`false_positive_rate`](Self::false_positive_rate) of all non-members get it too. For a
        /// key that the filter's domain refuses the answer is `false`. A filter with `caller_hash`
        /// cannot hash a key, and answers `true`.
        contains;
        ///
        /// ```
        /// let seen = tepal::QuotientFilter::builder().build_from(["apple", "banana"])?;
        /// assert_eq!(seen.contains_many(&["banana", "cherry"]), [true, false]);
        /// # Ok::<(), tepal::Error>(())
        /// ```
        contains_many;
    }

    /// Whether keys can be removed. It is `false` only for a filter that
    /// [`GrowingFilter::freeze`](crate::GrowingFilter::freeze) made of a filter without removal,
    /// since two keys may share a copy there. After [`clear`](Self::clear) it is `true`.
    #[must_use]
    pub fn is_deletable(&self) -> bool {
        self.is_deletable
    }

    /// The number of copies of keys that it holds: inserted copies less removed ones.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.held
    }

    /// Whether it holds no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// The number of bits of each slot that count copies: 0, or 4, 8 or 16 in a
    /// [counting](QuotientFilterBuilder::count_bits) filter.
    #[must_use]
    pub fn count_bits(&self) -> u8 {
        self.core.tag_bits()
    }

    /// The number of copies of a key. It is never too low. It is too high only if another key has
    /// the same fingerprint, with the probability
    /// [`false_positive_rate`](Self::false_positive_rate). 0 is certain.
    ///
    /// For a key that the domain refuses it is 0. A filter with `caller_hash` cannot hash a key and
    /// returns 0, which has no meaning there: use [`count_hash`](Self::count_hash).
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

    /// [`count`](Self::count) for a hash.
    #[must_use]
    pub fn count_hash(&self, hash: u64) -> u64 {
        self.count_of(self.core.table.copies(self.core.table.number(hash)))
    }
}

/// Two filters are equal if they give every key the same answer for the same reason, hold the same
/// number of copies of each, and both allow removal or both do not: same hash, domain, recipe,
/// fingerprints and counts. Capacity, labels and the layout of the table do not matter.
impl PartialEq for QuotientFilter {
    fn eq(&self, other: &QuotientFilter) -> bool {
        self.core == other.core && self.is_deletable == other.is_deletable
    }
}

impl Eq for QuotientFilter {}

shown!(QuotientFilter: len, count_bits, numbers, capacity, promised_false_positive_rate, size_in_bytes, scheme, seed, key_domain, over_capacity);

#[cfg(test)]
mod tests;

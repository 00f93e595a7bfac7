//! A filter in which each key expires a window after its last insert: one table whose tags are
//! times.
//!
//! The builder is in [`builder`], time in [`clock`], lookups in [`ask`], inserts and the end of a
//! generation in [`change`], unions in [`combine`], the file part in [`part`], and the traits of
//! every filter in [`kind`]. The table is that of [`lines`](super::lines).

mod ask;
mod builder;
mod change;
mod clock;
mod combine;
mod kind;
mod part;

pub use builder::ExpiringFilterBuilder;

use super::calls::one_table;
use super::core::{TableCore, TableMeta};
use super::lines::Table;
use crate::error::Result;
use crate::facts::Window;
use crate::key::{Batch, Key, Keys, One, PreparedKeys};
use crate::kinds::shown::shown;
use clock::Clock;

/// A filter whose keys expire: it tells whether a key was inserted within the last window.
///
/// The window W is a time ([`window_of_time`](ExpiringFilterBuilder::window_of_time)), or a number
/// of inserted keys ([`window_of_keys`](ExpiringFilterBuilder::window_of_keys)). It is divided into
/// g generations ([`generations`](ExpiringFilterBuilder::generations); the default is 6), of W / g
/// each. Inserting a key again makes it young again. A key whose last insert was
///
/// - less than W ago is a member: that is certain;
/// - W (1 + 1/g) ago or more is a non-member: it gets `true` at most at the promised rate;
/// - between these two may get either answer: at six generations and a window of seven days, 7 to 8
///   1/6 days after its insert.
///
/// **The filter has no clock.** The caller tells it the time ([`advance_to`](Self::advance_to),
/// [`insert_at`](Self::insert_at)), in any unit that counts up: seconds since 1970, minutes, the
/// number of a block. A time before the latest one changes nothing. If the caller never tells a
/// time, nothing expires. A window of keys needs no clock: each inserted key is one step of it.
///
/// It promises its rate for `capacity` different keys in each window. At 1 % and six generations it
/// takes 15.3 bits for each of them. Seven rotating Bloom filters take 17 and need seven lookups.
/// If a key must be removed on demand, and not by its age, use a
/// [`QuotientFilter`](crate::QuotientFilter).
///
/// ```
/// use tepal::ExpiringFilter;
/// let day = 86_400;
/// let builder = ExpiringFilter::builder().capacity(1_000_000).window_of_time(7 * day);
/// let mut seen = builder.clone().build()?;
/// seen.advance_to(1_790_000_000)?;
/// assert!(seen.insert("alice")?);                     // surely new
/// seen.advance_to(1_790_000_000 + 7 * day)?;
/// assert!(seen.contains("alice"));
/// seen.advance_to(1_790_000_000 + 9 * day)?;
/// assert!(!seen.contains("alice"));                   // forgotten
///
/// let mut others = builder.build()?;
/// others.insert_at("bob", 1_790_000_000 + 9 * day)?;
/// seen.union_with(&others)?;                          // each key keeps the later time
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.tepal");
/// seen.save(&path)?;
/// assert!(ExpiringFilter::open(&path)?.contains("bob"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ExpiringFilter {
    /// Each fingerprint has one slot, and none is older than the window and a generation.
    core: TableCore,
    clock: Clock,
    /// The number of keys inserted, repeats included, if it is known.
    inserted: Option<u64>,
}

impl ExpiringFilter {
    fn from_parts(meta: TableMeta, clock: Clock, table: Table, inserted: Option<u64>) -> Self {
        let room = u64::try_from(clock.slots_for(meta.capacity)).unwrap_or(u64::MAX);
        ExpiringFilter { core: TableCore::new(meta, table, room), clock, inserted }
    }

    /// The number that counts against the capacity: the fingerprints of a window and a generation.
    #[inline]
    fn held(&self) -> u64 {
        self.core.table.distinct()
    }

    one_table! {
        /// The number of different keys that each window may have.
        capacity;
        /// The false-positive rate that is promised while each window has at most its capacity of
        /// different keys.
        promised_false_positive_rate;
        /// The false-positive rate now: exact for keys whose hashes are spread evenly. Costs
        /// nothing.
        false_positive_rate;
        /// The bytes of the table in memory.
        size_in_bytes;
        /// Whether it holds more different keys than its promise allows.
        is_over_capacity;
        /// Whether it refuses every key whose fingerprint it does not hold, until others expire.
        is_full;
        /// Looks up whether the key was inserted within the last window, as of [`now`](Self::now).
        ///
        /// `false` is certain: the key was not inserted within the last W. `true` means perhaps:
        /// keys that were inserted up to W (1 + 1/g) ago get it, and about
        /// [`false_positive_rate`](Self::false_positive_rate) of all others. For a key that the
        /// filter's domain refuses the answer is `false`. A filter with `caller_hash` cannot hash a
        /// key, and answers `true`.
        contains;
        contains_many;
    }

    /// The window: how long keys stay.
    #[must_use]
    pub fn window(&self) -> Window {
        self.clock.window()
    }

    /// g: the number of generations of a window.
    #[must_use]
    pub fn generations(&self) -> u8 {
        self.clock.generations()
    }

    /// The latest time that it was told; `None` before the first. In a window of keys, the number
    /// of inserted keys.
    #[must_use]
    pub fn now(&self) -> Option<u64> {
        self.clock.now()
    }

    /// The number of keys that were inserted, repeats and expired ones included; after a union the
    /// sum of both. `None` if it is not known, for example after an intersection.
    #[must_use]
    pub fn keys_inserted(&self) -> Option<u64> {
        self.inserted
    }

    /// Whether it holds no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.core.table.slots() == 0
    }

    /// Lays the table out for the keys in it: the same answers, in the fewest bytes. Inserting more
    /// keys lays it out again.
    ///
    /// # Errors
    /// [`Error::NumbersClustered`](crate::Error::NumbersClustered) if there is no smaller table for
    /// its fingerprints, as in tiny filters;
    /// [`Error::TooLarge`](crate::Error::TooLarge) if there is no memory for the new table;
    /// [`Error::Damaged`](crate::Error::Damaged) as for [`insert`](Self::insert).
    pub fn shrink_to_fit(&mut self) -> Result<()> {
        self.core.shrink_to_fit(self.clock.tag_bits())
    }
}

/// Two filters are equal if they give every key the same answer for the same reason, now and later:
/// same hash, domain, recipe, window, time, fingerprints and their ages. Capacity, labels and the
/// layout of the table do not matter.
impl PartialEq for ExpiringFilter {
    fn eq(&self, other: &ExpiringFilter) -> bool {
        self.core == other.core && self.check_compatible(other).is_ok() && self.clock == other.clock
    }
}

impl Eq for ExpiringFilter {}

shown!(ExpiringFilter: window, generations, now, distinct_numbers, numbers, capacity, promised_false_positive_rate, size_in_bytes, scheme, seed, key_domain, over_capacity);

#[cfg(test)]
mod tests;

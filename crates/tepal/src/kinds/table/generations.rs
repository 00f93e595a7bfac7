//! A filter that forgets keys by itself, a window after they were last inserted: one table whose
//! tags say when.
//!
//! Describing it is in [`builder`], what time is in [`clock`], asking in [`ask`], inserting and the
//! turn of a generation in [`change`], joining two in [`combine`], what a file holds of it in
//! [`part`], what every kind of filter does in [`kind`]. The table is that of
//! [`lines`](super::lines).

mod ask;
mod builder;
mod change;
mod clock;
mod combine;
mod kind;
mod part;

pub use builder::ExpiringFilterBuilder;

use super::calls::one_table;
use super::core::{Meta, TableCore};
use super::lines::Table;
use crate::error::Result;
use crate::facts::Window;
use crate::key::{Batch, Key, Keys, One, PreparedKeys};
use crate::kinds::shown::shown;
use clock::Clock;

/// A filter whose keys expire: it says of a key whether it was inserted within the last window.
///
/// The window W is a time ([`window_of_time`](ExpiringFilterBuilder::window_of_time)), or so many
/// inserted keys ([`window_of_keys`](ExpiringFilterBuilder::window_of_keys)). It is counted in g
/// generations ([`generations`](ExpiringFilterBuilder::generations), 6 unless given), of W / g
/// each. To insert a key again makes it young again. A key that was inserted for the last time
///
/// - less than W ago is in: that is certain;
/// - W (1 + 1/g) ago or more is not in, but for wrong answers, whose share is at most the promised
///   rate;
/// - between these is in or not: at six generations 7 to 8 1/6 days after it came into a window of
///   seven days.
///
/// **The filter has no clock.** The caller tells it the time ([`advance_to`](Self::advance_to),
/// [`insert_at`](Self::insert_at)), in whatever unit counts up: seconds since 1970, minutes, the
/// number of a block. A time before the latest one that it was told changes nothing. Where the
/// clock is never told, nothing expires. A window of keys needs no clock: each inserted key is one
/// step of it.
///
/// It promises its rate for `capacity` different keys in each window. A table of 15.3 bits for each
/// of them does that at 1 % and six generations; rotating seven Bloom filters takes 17 and asks
/// seven times. Where a key must go on demand, and not by its age, use a
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
/// seen.union_with(&others)?;                          // the younger time of each key counts
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.tepal");
/// seen.save(&path)?;
/// assert!(ExpiringFilter::open(&path)?.contains("bob"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ExpiringFilter {
    /// Each number stands once, and none is older than the window and a generation.
    core: TableCore,
    clock: Clock,
    /// Keys given to it, repeats included, where that is known.
    inserted: Option<u64>,
}

impl ExpiringFilter {
    fn from_parts(meta: Meta, clock: Clock, table: Table, inserted: Option<u64>) -> Self {
        let room = u64::try_from(clock.slots_for(meta.capacity)).unwrap_or(u64::MAX);
        ExpiringFilter { core: TableCore::new(meta, table, room), clock, inserted }
    }

    /// What counts against the capacity: the numbers of a window and a generation.
    #[inline]
    fn held(&self) -> u64 {
        self.core.table.distinct()
    }

    one_table! {
        /// Different keys that each window may have.
        capacity;
        /// The share of wrong answers promised as long as no window has more different keys than
        /// its capacity.
        promised_false_positive_rate;
        /// The share of wrong answers now: exact for keys whose hashes are spread evenly. Costs
        /// nothing.
        false_positive_rate;
        /// Bytes of the table in memory.
        size_in_bytes;
        /// Does it hold more different keys than its promise allows, and is to say so?
        is_over_capacity;
        /// Does it refuse every key whose number it does not hold, until others expire?
        is_full;
        /// Was the key inserted within the last window, as of [`now`](Self::now)?
        ///
        /// `false` is certain: it was not inserted in the last W. `true` means perhaps: keys that
        /// came up to W (1 + 1/g) ago get it, and about
        /// [`false_positive_rate`](Self::false_positive_rate) of all others. A key that the
        /// filter's domain refuses is not in; a filter of the caller's hashes cannot hash a key,
        /// and answers `true`.
        contains;
        contains_many;
    }

    /// How long keys stay.
    #[must_use]
    pub fn window(&self) -> Window {
        self.clock.window()
    }

    /// g: in how many generations a window is counted.
    #[must_use]
    pub fn generations(&self) -> u8 {
        self.clock.generations()
    }

    /// The latest time that it was told, and nothing before it was told any; in a window of keys,
    /// how many were inserted.
    #[must_use]
    pub fn now(&self) -> Option<u64> {
        self.clock.now()
    }

    /// How many keys were given to it, repeats and expired ones included; of a union to both
    /// together. Nothing where that is not known, as of an intersection.
    #[must_use]
    pub fn keys_inserted(&self) -> Option<u64> {
        self.inserted
    }

    /// Does it hold no key?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.core.table.slots() == 0
    }

    /// Lays the table out for the keys in it: the same answers, in as few bytes as there can be.
    /// More keys lay it out again.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) where there is no memory for the new table;
    /// [`Error::Damaged`](crate::Error::Damaged) as for [`insert`](Self::insert).
    pub fn shrink_to_fit(&mut self) -> Result<()> {
        self.core.shrink_to_fit(self.clock.tag_bits())
    }
}

/// Two filters are equal when they give every key the same answer for the same reason, now and
/// later: same hash, domain, recipe, window, time, numbers and their ages. Capacity, labels and how
/// the table is laid out do not matter.
impl PartialEq for ExpiringFilter {
    fn eq(&self, other: &ExpiringFilter) -> bool {
        self.core == other.core && self.check_compatible(other).is_ok() && self.clock == other.clock
    }
}

impl Eq for ExpiringFilter {}

shown!(ExpiringFilter: window, generations, now, distinct_numbers, numbers, capacity, promised_false_positive_rate, size_in_bytes, scheme, seed, key_domain, over_capacity);

#[cfg(test)]
mod tests;

//! A filter that forgets keys by itself, a window after they were last inserted: one table whose tags say when.
//!
//! Describing it is in [`builder`], what time is in [`clock`], asking in [`ask`], inserting and the turn of a generation in
//! [`change`], joining two in [`combine`], what a file holds of it in [`part`], what every kind of filter does in [`kind`]. The
//! table is that of [`lines`](super::lines).

mod ask;
mod builder;
mod change;
mod clock;
mod combine;
mod kind;
mod part;

use core::fmt;

pub use builder::ExpiringFilterBuilder;

use super::copies::Meta;
use super::lines::Table;
use crate::error::Result;
use crate::facts::Window;
use crate::ids::OverCapacity;
use crate::kinds::calls::about_keys;
use clock::Clock;

/// A filter whose keys expire: it says of a key whether it was inserted within the last window.
///
/// The window W is a time ([`window_of_time`](ExpiringFilterBuilder::window_of_time)), or so many inserted keys
/// ([`window_of_keys`](ExpiringFilterBuilder::window_of_keys)). It is counted in g generations
/// ([`generations`](ExpiringFilterBuilder::generations), 6 unless given), of W / g each. To insert a key again makes it young again.
/// A key that was inserted for the last time
///
/// - less than W ago is in: that is certain;
/// - W (1 + 1/g) ago or more is not in, but for wrong answers, whose share is at most the promised rate;
/// - between these is in or not: at six generations 7 to 8 1/6 days after it came into a window of seven days.
///
/// **The filter has no clock.** The caller tells it the time ([`advance_to`](Self::advance_to), [`insert_at`](Self::insert_at)), in
/// whatever unit counts up: seconds since 1970, minutes, the number of a block. A time before the latest one that it was told changes
/// nothing. Where the clock is never told, nothing expires. A window of keys needs no clock: each inserted key is one step of it.
///
/// It promises its rate for `capacity` different keys in each window. A table of 15.3 bits for each of them does that at 1 % and six
/// generations; rotating seven Bloom filters takes 17 and asks seven times. Where a key must go on demand, and not by its age, use a
/// [`QuotientFilter`](crate::QuotientFilter).
///
/// ```
/// use tepal::ExpiringFilter;
/// let day = 86_400;
/// let mut seen = ExpiringFilter::builder().capacity(1_000_000).window_of_time(7 * day).build()?;
/// seen.advance_to(1_790_000_000)?;
/// assert!(seen.insert("alice")?);                     // surely new
/// seen.advance_to(1_790_000_000 + 7 * day)?;
/// assert!(seen.contains("alice"));
/// seen.advance_to(1_790_000_000 + 9 * day)?;
/// assert!(!seen.contains("alice"));                   // forgotten
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone)]
pub struct ExpiringFilter {
    /// Each number stands once, and none is older than the window and a generation.
    table: Table,
    meta: Meta,
    clock: Clock,
    /// Keys given to it, repeats included, where that is known.
    inserted: Option<u64>,
}

impl ExpiringFilter {
    fn from_parts(meta: Meta, clock: Clock, table: Table, inserted: Option<u64>) -> Self {
        ExpiringFilter { table, meta, clock, inserted }
    }

    /// Different keys that each window may have.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.meta.capacity
    }

    /// The share of wrong answers promised as long as no window has more different keys than its capacity.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.promised_rate
    }

    /// The share of wrong answers now: exact for keys whose hashes are spread evenly. Costs nothing.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.table.rate()
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

    /// The latest time that it was told, and nothing before it was told any; in a window of keys, how many were inserted.
    #[must_use]
    pub fn now(&self) -> Option<u64> {
        self.clock.now()
    }

    /// How many keys were given to it, repeats and expired ones included; of a union to both together. Nothing where that is not known, as
    /// of an intersection.
    #[must_use]
    pub fn keys_inserted(&self) -> Option<u64> {
        self.inserted
    }

    /// Does it hold no key?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.slots() == 0
    }

    /// How many different numbers it holds: different keys, but for those few whose numbers are equal.
    #[must_use]
    pub fn distinct_numbers(&self) -> u64 {
        self.table.distinct()
    }

    /// U: how many numbers there are. Filters of one U, one hash and one window unite.
    #[must_use]
    pub fn numbers(&self) -> u64 {
        self.table.packing().numbers()
    }

    /// Bytes of the table in memory.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.table.packing().bytes()
    }

    /// What happens when a window has more different keys than the capacity.
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

    /// Does it hold more different keys than its promise allows, and is to say so?
    #[must_use]
    pub fn is_over_capacity(&self) -> bool {
        self.meta.over_capacity != OverCapacity::Ignore && self.table.distinct() > self.most_numbers()
    }

    /// Does it refuse every key whose number it does not hold, until others expire?
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.meta.over_capacity == OverCapacity::Refuse && self.table.distinct() >= self.most_numbers()
    }

    /// So many different numbers it may hold: those of a window and a generation.
    fn most_numbers(&self) -> u64 {
        let by_rate = self.meta.promised_rate * self.numbers() as f64;
        let by_keys = u64::try_from(self.clock.slots_for(self.meta.capacity)).unwrap_or(u64::MAX);
        by_keys.max(by_rate as u64)
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

/// Two filters are equal when they give every key the same answer for the same reason, now and later: same hash, domain, recipe,
/// window, time, numbers and their ages. Capacity, labels and how the table is laid out do not matter.
impl PartialEq for ExpiringFilter {
    fn eq(&self, other: &ExpiringFilter) -> bool {
        self.check_compatible(other).is_ok()
            && self.clock == other.clock
            && self.table.entries().eq(other.table.entries())
    }
}

impl Eq for ExpiringFilter {}

impl fmt::Debug for ExpiringFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpiringFilter")
            .field("window", &self.window())
            .field("generations", &self.generations())
            .field("now", &self.now())
            .field("numbers", &self.numbers())
            .field("distinct_numbers", &self.distinct_numbers())
            .field("capacity", &self.capacity())
            .field("promised_false_positive_rate", &self.promised_false_positive_rate())
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

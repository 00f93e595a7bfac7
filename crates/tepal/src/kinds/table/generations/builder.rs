//! Describes a filter before it exists.

use super::ExpiringFilter;
use super::clock::Clock;
use crate::bits::table::packing::most_numbers;
use crate::error::{Error, Result, advice};
use crate::facts::{Labels, Window};
use crate::key::options::KeyOptions;
use crate::kinds::table::builder::{Called, Planned, Promise};
use crate::kinds::table::calls::table_options;

/// The default number of generations of a window: it needs the fewest bits a key at 1 %.
const DEFAULT_GENERATIONS: u8 = 6;

/// Describes an [`ExpiringFilter`]. Only the window has no default, and for a window of time the
/// capacity.
///
/// ```
/// use tepal::{ExpiringFilter, facts::Window};
/// let hour = 3600;
/// let logins = ExpiringFilter::builder().capacity(50_000).window_of_time(24 * hour).generations(24).build()?;
/// assert_eq!(logins.window(), Window::Time(86_400));
/// // No clock: the last million keys.
/// let recent = ExpiringFilter::builder().window_of_keys(1_000_000).false_positive_rate(1e-3).build()?;
/// assert_eq!(recent.size_in_bytes() * 8 / 1_000_000, 19);     // bits for each key of the window
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct ExpiringFilterBuilder {
    keys: KeyOptions,
    labels: Labels,
    promise: Promise,
    window: Option<Window>,
    generations: Option<u8>,
}

impl ExpiringFilter {
    /// Starts to describe a filter.
    pub fn builder() -> ExpiringFilterBuilder {
        ExpiringFilterBuilder::default()
    }
}

impl ExpiringFilterBuilder {
    table_options! {
        "a filter with a window";
        /// The number of different keys that each window may have.
        capacity;
        /// The promised false-positive rate; the default is 0.01, or 1 %.
        false_positive_rate;
        /// The policy for more different keys in a window than planned: refuse them until others
        /// expire (the default), warn, or ignore it. The table makes room for them, and then its
        /// rate is past the promise. No key expires before its time.
        over_capacity;
    }

    /// Keys stay for this time, in the unit of the caller's clock: seconds, or any other. The
    /// caller tells the time: [`ExpiringFilter::advance_to`].
    pub fn window_of_time(mut self, length: u64) -> Self {
        self.window = Some(Window::Time(length));
        self
    }

    /// The last `keys` inserted keys stay, counting repeats. The capacity is that number, unless a
    /// higher one is given.
    pub fn window_of_keys(mut self, keys: u64) -> Self {
        self.window = Some(Window::Keys(keys));
        self
    }

    /// The number of generations of the window, 1 to 254; the default is 6. A key is kept for the
    /// window, and for up to one generation more.
    ///
    /// Bits for each key of the window at 1 %: 17.9 with 2 generations, 15.3 with 6 and with 14,
    /// 16.2 with 30 (`bench/results/2026-11-23-expiring.md`). The end of each generation is a pass
    /// over the table.
    pub fn generations(mut self, generations: u8) -> Self {
        self.generations = Some(generations);
        self
    }

    /// The bytes of the table that [`build`](Self::build) makes, for planning without the table.
    ///
    /// ```
    /// let described = tepal::ExpiringFilter::builder().window_of_keys(1_000_000);
    /// assert_eq!(described.planned_size_in_bytes()?, described.build()?.size_in_bytes());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build), except for memory.
    pub fn planned_size_in_bytes(&self) -> Result<u64> {
        self.plan()?.1.size_in_bytes()
    }

    /// The clock and the table that follow from the window, the capacity and the rate.
    fn plan(&self) -> Result<(Clock, Planned)> {
        let Some(window) = self.window else {
            let error = Error::parameter("the window", "not given", "given");
            return Err(
                error.with(advice!("say for how long, or for how many keys, a key stays", WindowLength))
            );
        };
        let clock = Clock::new(window, self.generations.unwrap_or(DEFAULT_GENERATIONS))?;
        let capacity = match (window, self.promise.capacity) {
            (Window::Keys(keys), None) => keys,
            (Window::Time(_), None) => {
                let expected = "given: how many different keys a window may have";
                return Err(Error::parameter("the capacity", "not given", expected));
            }
            (_, Some(0)) => 0,
            // With a lower capacity the filter would become full, and then no key would be inserted
            // and none would expire.
            (Window::Keys(keys), Some(capacity)) if capacity < keys => {
                let expected = alloc::format!("{keys} or more, the keys of the window");
                return Err(Error::parameter("the capacity", capacity, expected));
            }
            (_, Some(capacity)) => capacity,
        };
        let (slots, tag_bits) = (clock.slots_for(capacity), clock.tag_bits());
        let most = (tag_bits, most_numbers(tag_bits.into()));
        let keys = (self.key_hasher()?, &self.labels);
        Ok((clock, self.promise.plan(keys, (capacity, slots), most, &KEYS)?))
    }

    /// Builds the empty filter, with room for the keys of a window and a generation.
    ///
    /// # Errors
    /// [`Error::Parameter`] if no window or no capacity is given, and for impossible values;
    /// [`Error::RateOutOfReach`] for a rate that this many keys cannot have; [`Error::TooLarge`] if
    /// the machine has no memory for it.
    pub fn build(self) -> Result<ExpiringFilter> {
        let (clock, planned) = self.plan()?;
        let table = planned.table()?;
        Ok(ExpiringFilter::from_parts(planned.meta, clock, table, Some(0)))
    }
}

const KEYS: Called = Called { least: "1 key or more", all: "keys a window", fewer: "keys" };

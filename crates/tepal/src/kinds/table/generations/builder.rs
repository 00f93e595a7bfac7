//! Describing a filter before it exists.

use super::ExpiringFilter;
use super::clock::Clock;
use crate::bits::table::packing::{Packing, most_numbers};
use crate::error::{Error, Result};
use crate::facts::{Labels, Window};
use crate::ids::OverCapacity;
use crate::key::options::KeyOptions;
use crate::kinds::calls::key_options;
use crate::kinds::table::copies::Meta;
use crate::kinds::table::lines::Table;
use crate::params::{DEFAULT_RATE, check_rate};

/// Generations of a window where the caller names none: the fewest bits a key at 1 %.
const DEFAULT_GENERATIONS: u8 = 6;

/// Describes an [`ExpiringFilter`]; everything has a default but the window, and of a window of time the capacity.
///
/// ```
/// use tepal::{ExpiringFilter, Window};
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
    capacity: Option<u64>,
    rate: Option<f64>,
    window: Option<Window>,
    generations: Option<u8>,
    over_capacity: OverCapacity,
}

impl ExpiringFilter {
    /// Starts to describe a filter.
    pub fn builder() -> ExpiringFilterBuilder {
        ExpiringFilterBuilder::default()
    }
}

impl ExpiringFilterBuilder {
    /// How many different keys each window may have.
    pub fn capacity(mut self, keys: u64) -> Self {
        self.capacity = Some(keys);
        self
    }

    /// The promised share of `true` answers among keys that are not in it, such as 0.01 for 1 %, which is the default.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Keys stay for so long, in the unit of the caller's clock: seconds, or any other. The caller tells the time:
    /// [`ExpiringFilter::advance_to`].
    pub fn window_of_time(mut self, length: u64) -> Self {
        self.window = Some(Window::Time(length));
        self
    }

    /// The last so many inserted keys stay, repeats counted. The capacity is that number, unless it is given as more.
    pub fn window_of_keys(mut self, keys: u64) -> Self {
        self.window = Some(Window::Keys(keys));
        self
    }

    /// In how many generations the window is counted, 1 to 254; 6 unless given. A key is kept for the window, and for up to one
    /// generation more.
    ///
    /// Bits for each key of the window at 1 %: 17.9 with 2 generations, 15.3 with 6 and with 14, 16.2 with 30
    /// (`bench/results/2026-11-23-expiring.md`). Each generation's
    /// end is a pass over the table.
    pub fn generations(mut self, generations: u8) -> Self {
        self.generations = Some(generations);
        self
    }

    key_options!("an expiring filter");

    /// What happens when a window has more different keys than planned: refuse them until others expire (the default), warn, or
    /// ignore it. The table has room for them; its rate is past the promise then. No key goes before its time.
    pub fn over_capacity(mut self, policy: OverCapacity) -> Self {
        self.over_capacity = policy;
        self
    }

    /// Bytes that the table of [`build`](Self::build) takes: to plan with, without the table.
    ///
    /// ```
    /// let described = tepal::ExpiringFilter::builder().window_of_keys(1_000_000);
    /// assert_eq!(described.planned_size_in_bytes()?, described.build()?.size_in_bytes());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build), but for the memory.
    pub fn planned_size_in_bytes(&self) -> Result<u64> {
        let Shape { clock, slots, numbers, .. } = self.shape()?;
        Ok(Packing::for_slots(slots, numbers, clock.tag_bits())?.bytes())
    }

    /// What follows from the window, the capacity and the rate.
    fn shape(&self) -> Result<Shape> {
        let Some(window) = self.window else {
            let expected = "given: `window_of_time` or `window_of_keys`";
            return Err(Error::parameter("the window", "not given", expected));
        };
        let clock = Clock::new(window, self.generations.unwrap_or(DEFAULT_GENERATIONS))?;
        let capacity = match (window, self.capacity) {
            (Window::Keys(keys), None) => keys,
            (Window::Time(_), None) => {
                let expected = "given: how many different keys a window may have";
                return Err(Error::parameter("the capacity", "not given", expected));
            }
            (_, Some(0)) => return Err(Error::parameter("the capacity", 0u64, "1 key or more")),
            // Fewer would be full one day, and no key expires where none comes in.
            (Window::Keys(keys), Some(capacity)) if capacity < keys => {
                let expected = alloc::format!("{keys} or more, the keys of the window");
                return Err(Error::parameter("the capacity", capacity, expected));
            }
            (_, Some(capacity)) => capacity,
        };
        let rate = self.rate.unwrap_or(DEFAULT_RATE);
        check_rate(rate)?;
        let slots = clock.slots_for(capacity);
        let most = most_numbers(clock.tag_bits().into());
        let wanted = libm::ceil(slots as f64 / rate);
        if wanted > (most - 64) as f64 {
            return Err(Error::rate_out_of_reach(
                rate,
                format_args!(
                    "the numbers of {capacity} keys a window would be more than {most}; plan for fewer keys or a higher rate"
                ),
            ));
        }
        let numbers = (wanted as u64).next_multiple_of(64);
        Ok(Shape { clock, capacity, rate, slots: slots as u64, numbers })
    }

    /// Builds the empty filter, with room for the keys of a window and a generation.
    ///
    /// # Errors
    /// [`Error::Parameter`] where no window or no capacity is given, and for impossible values; [`Error::RateOutOfReach`] for a rate
    /// that so many keys cannot have; [`Error::TooLarge`] where the machine has no memory for it.
    pub fn build(self) -> Result<ExpiringFilter> {
        let Shape { clock, capacity, rate, slots, numbers } = self.shape()?;
        self.labels.check()?;
        let meta = Meta {
            keys: self.key_hasher()?,
            over_capacity: self.over_capacity,
            capacity,
            promised_rate: rate,
            labels: self.labels.kept(),
        };
        let table = Table::new(numbers, clock.tag_bits(), slots)?;
        Ok(ExpiringFilter::from_parts(meta, clock, table, Some(0)))
    }
}

/// What the table follows from.
struct Shape {
    clock: Clock,
    capacity: u64,
    rate: f64,
    /// Those of the keys of a window and a generation.
    slots: u64,
    numbers: u64,
}

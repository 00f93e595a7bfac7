//! Computes the generation of a time (FORMAT.md, section 4.2.4).

use crate::bits::table::tagged::Recent;
use crate::error::{Error, Result};
use crate::facts::Window;

/// The most generations of a window.
pub(crate) const MOST_GENERATIONS: u8 = 254;

/// The window, the generations and the time of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    window: Window,
    generations: u8,
    /// The latest time that it was told; `None` before the first. In a window of keys, the number
    /// of inserted keys.
    now: Option<u64>,
    /// The present generation, and the time at which the next one begins.
    generation: u64,
    until: u64,
}

impl Clock {
    /// Makes a clock that was told no time yet.
    pub(crate) fn new(window: Window, generations: u8) -> Result<Self> {
        if !(1..=MOST_GENERATIONS).contains(&generations) {
            return Err(Error::parameter("the number of generations of a window", generations, "1 to 254"));
        }
        let (Window::Time(length) | Window::Keys(length)) = window;
        if length < generations.into() {
            let expected = alloc::format!(
                "{generations} or more, one for each generation: give a longer window, fewer generations, or a finer unit"
            );
            return Err(Error::parameter("the window", length, expected));
        }
        let now = match window {
            Window::Time(_) => None,
            Window::Keys(_) => Some(0),
        };
        Ok(Clock { window, generations, now: None, generation: 0, until: 0 }.at(now))
    }

    pub(crate) fn window(&self) -> Window {
        self.window
    }

    pub(crate) fn generations(&self) -> u8 {
        self.generations
    }

    pub(crate) fn now(&self) -> Option<u64> {
        self.now
    }

    /// The clock at this time.
    #[inline]
    pub(crate) fn at(self, now: Option<u64>) -> Self {
        // Most times are in the present generation, and need no division.
        if now >= self.now && now.is_some_and(|now| now < self.until) {
            return Clock { now, ..self };
        }
        let generation = now.map_or(0, |now| self.generation_at(now));
        // The least time of the next generation, or the greatest possible time.
        let next =
            ((u128::from(generation) + 1) * u128::from(self.length())).div_ceil(self.generations.into());
        Clock { now, generation, until: u64::try_from(next).unwrap_or(u64::MAX), ..self }
    }

    /// W: the length of the window.
    pub(crate) fn length(&self) -> u64 {
        let (Window::Time(length) | Window::Keys(length)) = self.window;
        length
    }

    /// v: the number of bits of a tag. No two generations in the table have the same tag.
    pub(crate) fn tag_bits(&self) -> u8 {
        tag_bits(self.generations)
    }

    /// The generation of a time: floor(time * g / W).
    fn generation_at(&self, time: u64) -> u64 {
        let generation = u128::from(time) * u128::from(self.generations) / u128::from(self.length());
        // W is at least g.
        generation as u64
    }

    /// The present generation.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// The tag of a key that is inserted now.
    #[inline]
    pub(crate) fn tag(&self) -> u64 {
        self.generation & ((1 << self.tag_bits()) - 1)
    }

    /// How many generations later that time is; 0 if it is not later.
    #[inline]
    pub(crate) fn turns_to(&self, time: u64) -> u64 {
        if time < self.until {
            return 0;
        }
        self.generation_at(time).saturating_sub(self.generation())
    }

    /// The tags that are in the window this many generations later.
    pub(crate) fn recent_after(&self, turns: u64) -> Option<Recent> {
        let most = u64::from(self.generations).checked_sub(turns)?;
        Some(Recent { now: self.tag(), most })
    }

    /// The tags that can be in the table.
    pub(crate) fn recent(&self) -> Recent {
        Recent { now: self.tag(), most: self.generation().min(self.generations.into()) }
    }

    /// The slots of a table for the keys of a window: for its generations and the one that is
    /// expiring.
    pub(crate) fn slots_for(&self, capacity: u64) -> u128 {
        let g = u128::from(self.generations);
        (u128::from(capacity) * (g + 1)).div_ceil(g)
    }
}

/// The least v with 2^v >= g + 2.
pub(crate) fn tag_bits(generations: u8) -> u8 {
    (u32::from(generations) + 2).next_power_of_two().trailing_zeros() as u8
}

//! The plan of a growing filter's links: how many possible fingerprints each has, and how many keys
//! it takes.

use crate::bits::table::packing::MOST_NUMBERS;
use crate::error::{Error, Result};
use crate::params::check_rate;

/// The most links: an eleventh would need fingerprints of 2^56 or more.
pub(crate) const MOST_LINKS: usize = 10;

/// Each link takes this many times the keys of the one before, as a power of 2.
const TIMES: u32 = 4;
/// Each link has this many times the possible fingerprints of the one before, as a power of 2. So
/// each has half of the rate of the one before.
const TIMES_NUMBERS: u32 = 5;

/// The numbers that define all links (FORMAT.md, section 5.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GrowthPlan {
    /// The keys that the first link is laid out for at first.
    first: u64,
    /// The rate that all links together promise.
    rate: f64,
    /// U of the first link.
    numbers: u64,
}

impl GrowthPlan {
    pub(crate) fn new(first: u64, rate: f64) -> Result<Self> {
        check_rate(rate)?;
        if first == 0 {
            return Err(Error::parameter(
                "the number of keys that a growing filter begins with",
                0u64,
                "1 key or more",
            ));
        }
        let wanted = libm::ceil(first as f64 * 32.0 / rate);
        if wanted > (MOST_NUMBERS - 64) as f64 {
            return Err(Error::rate_out_of_reach(
                rate,
                format_args!(
                    "a table of {first} keys and 31 times as many would need more than {MOST_NUMBERS} possible fingerprints; \
                     begin with fewer keys or take a higher rate"
                ),
            ));
        }
        Ok(GrowthPlan { first, rate, numbers: (wanted as u64).next_multiple_of(64) })
    }

    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    /// U of the first link.
    pub(crate) fn first_numbers(&self) -> u64 {
        self.numbers
    }

    /// U of a link; `None` if it would be 2^56 or more.
    pub(crate) fn numbers(&self, link: usize) -> Option<u64> {
        let numbers = u128::from(self.numbers) << (TIMES_NUMBERS * u32::try_from(link).ok()?.min(12));
        u64::try_from(numbers).ok().filter(|numbers| *numbers < MOST_NUMBERS)
    }

    /// How many different fingerprints a link takes, of its possible [`numbers`](Self::numbers).
    #[inline]
    pub(crate) fn capacity(&self, link: usize) -> u64 {
        // U is at least 32 times this and below 2^56, so the shift loses no bits.
        self.first << (TIMES * (link as u32 + 1))
    }

    /// The rate that a link promises: half of the whole rate, a quarter, and so on.
    pub(crate) fn promised(&self, link: usize) -> f64 {
        self.rate / (2u64 << link) as f64
    }

    /// How many bits longer the fingerprints of a link are than those of the first. Without these
    /// bits they are fingerprints of the first.
    pub(crate) fn finer(link: usize) -> u32 {
        TIMES_NUMBERS * link as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many links hold this number of keys; used for ten years of daily runs.
    fn links_for(plan: &GrowthPlan, keys: u64) -> Option<usize> {
        let mut room = 0u64;
        let links = (0..MOST_LINKS).take_while(|link| plan.numbers(*link).is_some());
        links.map(|link| plan.capacity(link)).position(|capacity| {
            room += capacity;
            room >= keys
        })
    }

    /// The number of links follows from the keys alone, so the number of runs does not raise it.
    /// Ten years of 1, 70,000, 300,000 and 10^7 keys a day take at most 7 links at 1 %, from the
    /// default first keys or those of one run. At 10^-6 the fingerprints are used up before 3.65 *
    /// 10^10 keys (`GrowingFilterBuilder::first` says so), and not for the others.
    #[test]
    fn ten_years_take_few_links() {
        for a_day in [1, 70_000, 300_000, 10_000_000] {
            for (first, rate) in [(1000, 0.01), (a_day, 0.01), (1000, 1e-6), (a_day, 1e-6)] {
                let last = links_for(&GrowthPlan::new(first, rate).unwrap(), 3650 * a_day);
                if rate < 0.01 && a_day == 10_000_000 {
                    assert_eq!(last, None, "{first}");
                } else {
                    assert!(
                        last.is_some_and(|last| last < 7),
                        "{a_day} keys a day from {first} at {rate}: {last:?}"
                    );
                }
            }
        }
    }
}

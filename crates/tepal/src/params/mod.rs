//! Sizes and rates: any one of keys, rate and size from the other two, for every layout.
//!
//! Plain numbers; nothing here allocates a filter. The formulas are in [`rate`], how filters of one plan differ from
//! each other in [`spread`]; the choice of layout, k and size is in this file.

mod rate;
mod spread;

pub(crate) use rate::{bits_per_key, keys_for_fill, power, touched_in_line};
pub(crate) use spread::WITHIN;

use alloc::format;
use alloc::string::String;
use core::fmt;

pub(crate) use crate::bits::shape::MOST_BITS;
use crate::bits::shape::Shape;
use crate::bits::{LINE_BITS, LINE_BYTES};
use crate::error::{Error, Result};
use crate::ids::{Layout, Scheme};
use spread::Spread;

/// What a plan should be good at, where the caller names no layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Goal {
    /// One memory access a key wherever that is not wasteful: layout `line` down to a rate of 0.1 %,
    /// `double` below. The default.
    #[default]
    Speed,
    /// The least memory among the blocked layouts: `double`.
    Memory,
}

/// What is known of a filter to be: two of keys, rate and size, and whatever else the caller fixes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Request {
    /// Keys the filter shall hold.
    pub(crate) capacity: Option<u64>,
    /// The promised share of wrong answers among keys that were never inserted.
    pub(crate) false_positive_rate: Option<f64>,
    /// Bits of the array.
    pub(crate) bit_len: Option<u64>,
    /// The layout; chosen by `goal` where none is named.
    pub(crate) layout: Option<Layout>,
    /// Bits set for each key; the best number where none is named.
    pub(crate) num_hashes: Option<u32>,
    /// What to prefer where no layout is named.
    pub(crate) goal: Goal,
    /// The hash scheme. One with a rule of its own (an article's, another program's) sizes the filter by
    /// that program's formulas; the others do not change the plan.
    pub(crate) scheme: Option<Scheme>,
}

/// A filter on paper: everything that decides its size and its rate. [`BloomFilterBuilder::plan`] makes it, and
/// [`BloomFilterBuilder::planned`] takes it.
///
/// ```
/// use tepal::{BloomFilter, Layout};
/// let builder = BloomFilter::builder().capacity(20_000_000).false_positive_rate(0.01);
/// let plan = builder.clone().layout(Layout::Double).plan()?;
/// assert!((plan.bits_per_key() - 9.66).abs() < 0.02);
/// assert!(plan.size_in_bytes() < builder.plan()?.size_in_bytes());
/// # Ok::<(), tepal::Error>(())
/// ```
///
/// [`BloomFilterBuilder::plan`]: crate::BloomFilterBuilder::plan
/// [`BloomFilterBuilder::planned`]: crate::BloomFilterBuilder::planned
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// Which bits a hash sets.
    pub layout: Layout,
    /// Bits set for each key.
    pub num_hashes: u32,
    /// Bits of the array.
    pub bit_len: u64,
    /// Keys it is planned for.
    pub capacity: u64,
    /// The share of wrong answers it promises once it holds `capacity` keys: the mean of all such filters is at most that,
    /// and nineteen of twenty are within 1.03 times.
    pub false_positive_rate: f64,
}

impl Plan {
    /// Bytes of the bit array in memory and on disk.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.bit_len.div_ceil(LINE_BITS) * LINE_BYTES
    }

    /// Bits of the array for each key of the capacity.
    #[must_use]
    pub fn bits_per_key(&self) -> f64 {
        self.bit_len as f64 / self.capacity as f64
    }
}

/// The error for a plan of which too little is given.
pub(crate) fn open_plan(request: &Request) -> Error {
    let missing = match request.capacity {
        None => "the capacity",
        Some(_) => "the false-positive rate",
    };
    Error::parameter(missing, "missing", "given; two of capacity, false-positive rate and size fix a plan")
}

/// The lowest rate any filter is planned for.
const LOWEST_RATE: f64 = 1e-12;
/// The lowest rate of a split block, whose bits come from 32 bits of the hash.
const LOWEST_SPLIT_RATE: f64 = 1e-8;
/// Where no layout is named and speed matters, one line down to this rate, two below it.
const ONE_LINE_DOWN_TO: f64 = 1e-3;
/// Up to this much more memory is given for eight bits a line or fewer: the second product costs more
/// time than that memory.
const NARROW_WORTH: f64 = 1.01;
/// Sizes from 1,024 lines up are rounded to a multiple of one of these, so that they can be folded.
const FOLDABLE: [u64; 18] =
    [2, 4, 6, 12, 24, 36, 48, 60, 120, 180, 240, 360, 720, 840, 1260, 1680, 2520, 5040];

impl Request {
    /// Refuses what no filter can have.
    pub(crate) fn check(&self) -> Result<()> {
        if self.capacity == Some(0) {
            return Err(Error::parameter("the capacity", 0, "1 key or more"));
        }
        self.false_positive_rate.map_or(Ok(()), check_rate)
    }

    /// Works out what is left open, for a scheme with a 64-bit hash.
    pub(crate) fn plan_layout(&self) -> Result<Plan> {
        let plan = match (self.capacity, self.false_positive_rate, self.bit_len) {
            (Some(capacity), Some(rate), None) => self.size_for(capacity, rate)?,
            (Some(capacity), wanted, Some(bit_len)) => {
                let plan = self.rate_for(capacity, bit_len)?;
                if let Some(wanted) = wanted.filter(|wanted| plan.false_positive_rate > *wanted) {
                    let reason = format!(
                        "{bit_len} bits for {capacity} keys give {:.3e} at best in the layout `{}`; \
                         take a larger size, fewer keys or another layout",
                        plan.false_positive_rate, plan.layout
                    );
                    return Err(Error::rate_out_of_reach(wanted, reason));
                }
                plan
            }
            (None, Some(rate), Some(bit_len)) => self.capacity_for(rate, bit_len)?,
            _ => {
                return Err(open_plan(self));
            }
        };
        check_hash(plan.capacity, plan.false_positive_rate)?;
        Shape::new(plan.layout, plan.num_hashes, plan.bit_len)?;
        Ok(plan)
    }

    fn size_for(&self, capacity: u64, wanted: f64) -> Result<Plan> {
        check_hash(capacity, wanted)?;
        let layout = self.layout_for(wanted);
        let (num_hashes, bits_per_key) = self.best(layout, wanted)?;
        let needed = libm::ceil(bits_per_key * capacity as f64 / LINE_BITS as f64) as u64;
        let most = MOST_BITS / LINE_BITS;
        if needed > most {
            return Err(Error::TooLarge { bytes: needed.saturating_mul(LINE_BYTES) });
        }
        // What fits may pass the most when it is rounded up.
        let sizes = Sizes::of(layout, self.scheme);
        let mut bit_len = sizes.from(libm::ceil(bits_per_key * capacity as f64) as u64);
        while promise(layout, num_hashes, bit_len, capacity) > wanted {
            bit_len = sizes.after(bit_len);
        }
        if bit_len > MOST_BITS {
            return Err(Error::TooLarge { bytes: bit_len / 8 });
        }
        Ok(Plan { layout, num_hashes, bit_len, capacity, false_positive_rate: wanted })
    }

    fn rate_for(&self, capacity: u64, bit_len: u64) -> Result<Plan> {
        let rate_in = |layout| {
            let ks = self.hashes(layout)?;
            let rates = ks.map(|k| (k, promise(layout, k, bit_len, capacity)));
            // A tie goes to the smaller k; no layout has an empty range.
            let best = rates.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((1, 1.0));
            Ok::<_, Error>(best)
        };
        let layout = match self.layout {
            Some(layout) => layout,
            None => self.layout_for(rate_in(Layout::Line)?.1),
        };
        let (num_hashes, rate) = rate_in(layout)?;
        let lowest = lowest_rate(layout).max(HASH_SHARE * hash_floor(capacity));
        let rate = rate.max(lowest).min(1.0 - f64::EPSILON);
        Ok(Plan { layout, num_hashes, bit_len, capacity, false_positive_rate: rate })
    }

    fn capacity_for(&self, wanted: f64, bit_len: u64) -> Result<Plan> {
        let layout = self.layout_for(wanted);
        let (num_hashes, bits_per_key) = self.best(layout, wanted)?;
        let most = libm::floor(bit_len as f64 / bits_per_key) as u64;
        let keeps = |keys: u64| promise(layout, num_hashes, bit_len, keys) <= wanted;
        let capacity = if keeps(most.max(1)) { most } else { last_that(most, keeps) };
        if capacity == 0 {
            let expected = format!("{} or more for one key at this rate", libm::ceil(bits_per_key));
            return Err(Error::parameter("the number of bits", bit_len, expected));
        }
        Ok(Plan { layout, num_hashes, bit_len, capacity, false_positive_rate: wanted })
    }

    fn layout_for(&self, rate: f64) -> Layout {
        self.layout.unwrap_or(match self.goal {
            Goal::Speed if rate >= ONE_LINE_DOWN_TO => Layout::Line,
            Goal::Speed | Goal::Memory => Layout::Double,
        })
    }

    /// The numbers of hashes to choose from: the fixed one, or all that the layout can have.
    fn hashes(&self, layout: Layout) -> Result<core::ops::RangeInclusive<u32>> {
        let (least, most) = layout.num_hashes_range();
        match self.num_hashes {
            None => Ok(least..=most),
            Some(k) if (least..=most).contains(&k) => Ok(k..=k),
            Some(k) => {
                let expected = format!("{least} to {most} in the layout `{layout}`");
                Err(Error::parameter("the number of hashes", k, expected))
            }
        }
    }

    /// The best k for a rate and the bits a key it needs.
    fn best(&self, layout: Layout, wanted: f64) -> Result<(u32, f64)> {
        let out_of_reach = |reason: String| Error::rate_out_of_reach(wanted, reason);
        let lowest = lowest_rate(layout);
        if wanted < lowest {
            return Err(out_of_reach(format!(
                "the layout `{layout}` keeps its promise down to {lowest:e}; ask for that or more"
            )));
        }
        let ks = self.hashes(layout)?;
        let (least, most) = (*ks.start(), *ks.end());
        let best = rate::least_bits(layout, ks, wanted).ok_or_else(|| {
            out_of_reach(format!(
                "the layout `{layout}` with {least} to {most} bits a key does not reach it within \
                 {} bits a key; take the layout `double` or `scattered`, or a higher rate",
                rate::BITS_PER_KEY.1
            ))
        })?;
        let narrow_most = match layout {
            Layout::Line => 8,
            Layout::Double => 16,
            Layout::SplitBlock | Layout::Scattered => most,
        };
        if best.0 > narrow_most && least <= narrow_most {
            let narrow = bits_per_key(layout, narrow_most, wanted);
            if let Some(bits) = narrow.filter(|bits| *bits <= best.1 * NARROW_WORTH) {
                return Ok((narrow_most, bits));
            }
        }
        Ok(best)
    }
}

/// The lowest rate that filters of this size with this many keys can promise.
fn promise(layout: Layout, num_hashes: u32, bit_len: u64, keys: u64) -> f64 {
    let (least, _) = rate::BITS_PER_KEY;
    // A block with far more keys than bits has nearly all of them set, however many more there are.
    if layout != Layout::Scattered && bit_len as f64 / (keys as f64) < least {
        return rate::rate(layout, num_hashes, least);
    }
    Spread::of(layout, num_hashes, bit_len, keys).promise()
}

/// The last of `1..most` for which it is true, where it is so from 1 up to that one; 0 where there is none.
fn last_that(most: u64, is_so: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, most);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if is_so(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

fn lowest_rate(layout: Layout) -> f64 {
    if layout == Layout::SplitBlock { LOWEST_SPLIT_RATE } else { LOWEST_RATE }
}

/// The promise is kept to 5 %, so a twentieth of the rate is what keys of one hash may use up.
const HASH_SHARE: f64 = 20.0;

/// The share of foreign keys whose whole 64-bit hash is that of a key in the filter.
fn hash_floor(capacity: u64) -> f64 {
    capacity as f64 / 18_446_744_073_709_551_616.0
}

pub(crate) fn check_rate(rate: f64) -> Result<()> {
    if is_rate(rate) { Ok(()) } else { Err(no_rate(rate)) }
}

pub(crate) fn is_rate(rate: f64) -> bool {
    rate > 0.0 && rate < 1.0
}

/// The refusal of what is no rate.
pub(crate) fn no_rate(found: impl fmt::Display) -> Error {
    Error::parameter("the false-positive rate", found, "greater than 0 and less than 1, such as 0.01 for 1 %")
}

/// Refuses a rate that keys with one 64-bit hash alone would break.
fn check_hash(capacity: u64, rate: f64) -> Result<()> {
    if HASH_SHARE * hash_floor(capacity) <= rate {
        return Ok(());
    }
    let reason = format!(
        "with {capacity} keys a 64-bit hash alone errs at {:.1e}; split the keys over several filters, each with its own seed (`seed_for`, `--seed-for`)",
        hash_floor(capacity)
    );
    Err(Error::rate_out_of_reach(rate, reason))
}

/// The sizes that a plan chooses from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sizes {
    /// Whole lines, so many that they can be folded.
    Lines,
    /// Powers of two from one split block on: libparquet reads no other filter.
    PowersOfTwo,
}

impl Sizes {
    /// Of filters of this layout and scheme.
    pub(crate) fn of(layout: Layout, scheme: Option<Scheme>) -> Self {
        match (layout, scheme) {
            (Layout::SplitBlock, Some(Scheme::Xxh64)) => Sizes::PowersOfTwo,
            _ => Sizes::Lines,
        }
    }

    /// The least with so many bits or more.
    fn from(self, bits: u64) -> u64 {
        match self {
            Sizes::Lines => LINE_BITS * foldable(bits.div_ceil(LINE_BITS)),
            Sizes::PowersOfTwo => bits.max(Layout::SplitBlock.unit_bits()).next_power_of_two(),
        }
    }

    /// The next one after this.
    pub(crate) fn after(self, bit_len: u64) -> u64 {
        self.from(bit_len + 1)
    }
}

/// Rounds up by at most 0.1 % so that the lines can be folded evenly.
fn foldable(lines: u64) -> u64 {
    let lines = lines.max(1);
    let step = FOLDABLE.into_iter().rev().find(|step| step * 1024 <= lines).unwrap_or(1);
    lines.next_multiple_of(step)
}

#[cfg(test)]
mod tests;
#[cfg(all(test, feature = "std"))]
mod vectors;

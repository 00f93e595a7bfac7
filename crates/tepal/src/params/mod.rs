//! Sizes and rates for every layout: any one of keys, rate and size from the other two.
//!
//! Plain numbers; nothing here allocates a filter. [`rate`] has the formulas, [`spread`] the
//! differences between filters of one plan. [`near`] computes both to ten digits, and faster.
//! [`search`] finds the best k for a rate; [`usual`] lists it for common rates. [`sizes`] has the
//! allowed sizes. This file chooses layout and size.
//!
//! An approximation from [`near`] decides if it is clear enough. If the numbers are too close, the
//! plain formula decides. So every plan is the plan of the plain formulas, to the bit.

mod near;
mod rate;
mod search;
mod sizes;
mod spread;
mod usual;

pub(crate) use rate::{bits_per_key, keys_for_fill, power, touched_in_line};
pub(crate) use sizes::Sizes;
pub(crate) use spread::WITHIN;

use alloc::format;
use alloc::string::String;
use core::cmp::Ordering;
use core::f64::consts::LN_2;
use core::fmt;
use core::ops::RangeInclusive;

pub(crate) use crate::bits::shape::MOST_BITS;
use crate::bits::shape::Shape;
use crate::bits::{LINE_BITS, LINE_BYTES};
use crate::error::{Error, Result, advice};
use crate::ids::{Layout, Scheme};
use near::{Than, compare};
use search::Needed;
use spread::Spread;

/// The rate that a builder promises if the caller gives none.
pub(crate) const DEFAULT_RATE: f64 = 0.01;

/// What to optimize if the caller names no layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Goal {
    /// One memory access for each key if that costs little memory: layout `line` down to a rate of
    /// 0.1 %, `double` below. The default.
    #[default]
    Speed,
    /// The least memory among the blocked layouts: `double`.
    Memory,
}

/// The input of a plan: two of keys, rate and size, and any other fixed parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Request {
    /// Keys that the filter must hold.
    pub(crate) capacity: Option<u64>,
    /// The promised false-positive rate.
    pub(crate) false_positive_rate: Option<f64>,
    /// Bits of the array.
    pub(crate) bit_len: Option<u64>,
    /// The layout; if `None`, `goal` chooses it.
    pub(crate) layout: Option<Layout>,
    /// Bits set for each key; if `None`, the best number.
    pub(crate) num_hashes: Option<u32>,
    /// What to optimize if no layout is named.
    pub(crate) goal: Goal,
    /// The hash scheme. For an article's or another program's scheme, that program's formulas give
    /// the size. Other schemes do not change the plan.
    pub(crate) scheme: Option<Scheme>,
}

/// The size and rate of a filter that is not built yet. [`BloomFilterBuilder::plan`] returns it,
/// and [`BloomFilterBuilder::planned`] takes it.
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
/// [`BloomFilterBuilder::plan`]: crate::builders::BloomFilterBuilder::plan
/// [`BloomFilterBuilder::planned`]: crate::builders::BloomFilterBuilder::planned
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// Which bits a hash sets.
    pub layout: Layout,
    /// Bits set for each key.
    pub num_hashes: u32,
    /// Bits of the array.
    pub bit_len: u64,
    /// The planned number of different keys.
    pub capacity: u64,
    /// The false-positive rate that the filter promises when it holds `capacity` keys. The mean
    /// over all seeds is at most this rate, and 19 of 20 filters are within 1.03 times.
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

/// The error for a request with too few parameters.
pub(crate) fn open_plan(request: &Request) -> Error {
    let missing = match request.capacity {
        None => "the capacity",
        Some(_) => "the false-positive rate",
    };
    Error::parameter(missing, "missing", "given; two of capacity, false-positive rate and size fix a plan")
}

/// The lowest rate of any plan.
const LOWEST_RATE: f64 = 1e-12;
/// The lowest rate of a split block: its bits come from only 32 bits of the hash.
const LOWEST_SPLIT_RATE: f64 = 1e-8;
/// [`Goal::Speed`] chooses `line` down to this rate, and `double` below it.
const ONE_LINE_DOWN_TO: f64 = 1e-3;
/// A filter with at most eight bits in a line may take this factor more memory. It needs one
/// product less, which saves more time than the memory costs.
const NARROW_WORTH: f64 = 1.01;
impl Request {
    /// Refuses parameters that no filter can have.
    pub(crate) fn check(&self) -> Result<()> {
        if self.capacity == Some(0) {
            return Err(Error::parameter("the capacity", 0, "1 key or more"));
        }
        self.false_positive_rate.map_or(Ok(()), check_rate)
    }

    /// Computes the missing parameters, for a scheme with a 64-bit hash.
    pub(crate) fn plan_layout(&self) -> Result<Plan> {
        let plan = match (self.capacity, self.false_positive_rate, self.bit_len) {
            (Some(capacity), Some(rate), None) => self.size_for(capacity, rate)?,
            (Some(capacity), wanted, Some(bit_len)) => {
                let plan = self.rate_for(capacity, bit_len)?;
                if let Some(wanted) = wanted.filter(|wanted| plan.false_positive_rate > *wanted) {
                    let reason = format!(
                        "{bit_len} bits at a capacity of {capacity} give {:.3e} at best in the layout {}; \
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

    /// Is the request complete and allowed, and its rate surely below `rate`? It must be for a
    /// scheme with a 64-bit hash. `false` if the approximation is too close to tell.
    pub(crate) fn surely_keeps(&self, rate: f64) -> bool {
        let (Some(capacity @ 1..), Some(bit_len), Some(layout), Some(num_hashes)) =
            (self.capacity, self.bit_len, self.layout, self.num_hashes)
        else {
            return false;
        };
        let lowest = lowest_rate(layout).max(HASH_SHARE * hash_floor(capacity));
        lowest <= rate.min(1.0 - f64::EPSILON)
            && Shape::new(layout, num_hashes, bit_len).is_ok()
            && compare(near::promise(layout, num_hashes, bit_len, capacity), rate) == Than::Below
    }

    fn size_for(&self, capacity: u64, wanted: f64) -> Result<Plan> {
        check_hash(capacity, wanted)?;
        let layout = self.layout_for(wanted);
        let best = self.best(layout, wanted)?;
        let num_hashes = best.num_hashes;
        let lines = |bits: f64| libm::ceil(bits * capacity as f64 / LINE_BITS as f64) as u64;
        if best.give(|bits| lines(bits) > MOST_BITS / LINE_BITS) {
            return Err(Error::TooLarge { bytes: best.give(lines).saturating_mul(LINE_BYTES) });
        }
        // A size that fits may pass the maximum when it is rounded up.
        let sizes = Sizes::of(layout, self.scheme);
        let least = best.give(|bits| sizes.from(libm::ceil(bits * capacity as f64) as u64));
        let bit_len = sizes.first_that(least, |bit_len| {
            compare_promise(layout, num_hashes, bit_len, capacity, wanted).is_le()
        });
        if bit_len > MOST_BITS {
            return Err(Error::TooLarge { bytes: bit_len / 8 });
        }
        Ok(Plan { layout, num_hashes, bit_len, capacity, false_positive_rate: wanted })
    }

    fn rate_for(&self, capacity: u64, bit_len: u64) -> Result<Plan> {
        let layout = match self.layout {
            Some(layout) => layout,
            None => {
                let k = best_for_size(Layout::Line, self.hashes(Layout::Line)?, bit_len, capacity);
                // It only matters on which side of this rate the filter is.
                let above = compare_promise(Layout::Line, k, bit_len, capacity, ONE_LINE_DOWN_TO).is_ge();
                self.layout_for(if above { ONE_LINE_DOWN_TO } else { 0.0 })
            }
        };
        let num_hashes = best_for_size(layout, self.hashes(layout)?, bit_len, capacity);
        let lowest = lowest_rate(layout).max(HASH_SHARE * hash_floor(capacity));
        let rate = promise(layout, num_hashes, bit_len, capacity).max(lowest).min(1.0 - f64::EPSILON);
        Ok(Plan { layout, num_hashes, bit_len, capacity, false_positive_rate: rate })
    }

    fn capacity_for(&self, wanted: f64, bit_len: u64) -> Result<Plan> {
        let layout = self.layout_for(wanted);
        let best = self.best(layout, wanted)?;
        let num_hashes = best.num_hashes;
        let most = best.give(|bits| libm::floor(bit_len as f64 / bits) as u64);
        let keeps = |keys| compare_promise(layout, num_hashes, bit_len, keys, wanted).is_le();
        let capacity = if keeps(most.max(1)) { most } else { last_that(most, keeps) };
        if capacity == 0 {
            let expected = format!("{} or more for one key at this rate", best.give(libm::ceil));
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

    /// The candidates for k: the fixed one, or all that the layout allows.
    fn hashes(&self, layout: Layout) -> Result<RangeInclusive<u32>> {
        let (least, most) = layout.num_hashes_range();
        match self.num_hashes {
            None => Ok(least..=most),
            Some(k) if (least..=most).contains(&k) => Ok(k..=k),
            Some(k) => {
                let expected = format!("{least} to {most} in the layout {layout}");
                Err(Error::parameter("the number of hashes", k, expected))
            }
        }
    }

    /// The best k for a rate, and the bits for each key that it needs.
    fn best(&self, layout: Layout, wanted: f64) -> Result<Needed> {
        let out_of_reach = |reason: String| Error::rate_out_of_reach(wanted, reason);
        let lowest = lowest_rate(layout);
        if wanted < lowest {
            return Err(out_of_reach(format!(
                "the layout {layout} keeps its promise down to {lowest:e}; ask for that or more"
            )));
        }
        if let Some(found) = usual::find(layout, wanted).filter(|_| self.num_hashes.is_none()) {
            return Ok(Needed::exactly(layout, wanted, found));
        }
        let ks = self.hashes(layout)?;
        let (least, most) = (*ks.start(), *ks.end());
        let narrow = narrow_most(layout).filter(|narrow| ks.contains(narrow));
        search::least(layout, ks, wanted, narrow, NARROW_WORTH).ok_or_else(|| {
            out_of_reach(format!(
                "the layout {layout} with {least} to {most} bits a key does not reach it within \
                 {} bits a key; take the layout double or scattered, or a higher rate",
                rate::BITS_PER_KEY.1
            ))
        })
    }
}

/// The largest k with at most eight bits in each line, if the layout has larger ones.
fn narrow_most(layout: Layout) -> Option<u32> {
    match layout {
        Layout::Line => Some(8),
        Layout::Double => Some(16),
        Layout::SplitBlock | Layout::Scattered => None,
    }
}

/// The lowest rate that filters of this size can promise with this number of keys.
fn promise(layout: Layout, num_hashes: u32, bit_len: u64, keys: u64) -> f64 {
    let (least, _) = rate::BITS_PER_KEY;
    // A block with far more keys than bits has nearly all bits set; the exact number is irrelevant.
    if layout != Layout::Scattered && bit_len as f64 / (keys as f64) < least {
        return rate::rate(layout, num_hashes, least);
    }
    Spread::of(layout, num_hashes, bit_len, keys).promise()
}

/// Compares the [`promise`] with `wanted`.
fn compare_promise(layout: Layout, num_hashes: u32, bit_len: u64, keys: u64, wanted: f64) -> Ordering {
    match compare(near::promise(layout, num_hashes, bit_len, keys), wanted) {
        Than::Below => Ordering::Less,
        Than::Above => Ordering::Greater,
        Than::Close => promise(layout, num_hashes, bit_len, keys).total_cmp(&wanted),
    }
}

/// The first k with which filters of this size can promise the lowest rate.
fn best_for_size(layout: Layout, ks: RangeInclusive<u32>, bit_len: u64, keys: u64) -> u32 {
    if ks.start() == ks.end() {
        return *ks.start();
    }
    let plain = |k| promise(layout, k, bit_len, keys);
    nearly_best_for_size(layout, &ks, bit_len, keys).unwrap_or_else(|| {
        // A tie goes to the smaller k; no layout has an empty range.
        ks.map(|k| (k, plain(k))).min_by(|a, b| a.1.total_cmp(&b.1)).map_or(1, |best| best.0)
    })
}

/// Descends from the k of a classic filter. `None` if the approximation does not decide.
fn nearly_best_for_size(layout: Layout, ks: &RangeInclusive<u32>, bit_len: u64, keys: u64) -> Option<u32> {
    let near = |k| near::promise(layout, k, bit_len, keys);
    let guess = bit_len as f64 / keys as f64 * LN_2 + 0.5;
    let mut best = (guess as u32).clamp(*ks.start(), *ks.end());
    let mut lowest = near(best);
    for step in [-1, 1] {
        while let Some(next) = best.checked_add_signed(step).filter(|next| ks.contains(next)) {
            let rate = near(next);
            match compare(rate, lowest) {
                Than::Below => (best, lowest) = (next, rate),
                Than::Above => break,
                Than::Close => return None,
            }
        }
    }
    Some(best)
}

/// The largest number in `1..most` for which `is_so` is true, or 0. `is_so` must be true for all
/// numbers below that one.
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

/// Equal hashes of different keys may use up a twentieth of the rate: the promise is kept to 5 %.
const HASH_SHARE: f64 = 20.0;

/// The share of non-members whose 64-bit hash equals the hash of a member.
fn hash_floor(capacity: u64) -> f64 {
    capacity as f64 / 18_446_744_073_709_551_616.0
}

/// The lowest rate that the layouts `line` and `double` can promise for this number of keys.
#[cfg(any(feature = "foreign", feature = "extras"))]
pub(crate) fn least_rate(capacity: u64) -> f64 {
    LOWEST_RATE.max(HASH_SHARE * hash_floor(capacity))
}

/// The largest number of keys whose [`least_rate`] is at most this rate, less one millionth.
#[cfg(any(feature = "foreign", feature = "extras"))]
pub(crate) fn most_keys(rate: f64) -> u64 {
    (rate * (18_446_744_073_709_551_616.0 / HASH_SHARE * (1.0 - 1e-6))) as u64
}

pub(crate) fn check_rate(rate: f64) -> Result<()> {
    if is_rate(rate) { Ok(()) } else { Err(no_rate(rate)) }
}

pub(crate) fn is_rate(rate: f64) -> bool {
    rate > 0.0 && rate < 1.0
}

/// The error for a number that is not a rate.
pub(crate) fn no_rate(found: impl fmt::Display) -> Error {
    Error::parameter("the false-positive rate", found, "greater than 0 and less than 1, such as 0.01 for 1 %")
}

/// Refuses a rate that equal 64-bit hashes alone would break.
fn check_hash(capacity: u64, rate: f64) -> Result<()> {
    if HASH_SHARE * hash_floor(capacity) <= rate {
        return Ok(());
    }
    let reason =
        format!("at a capacity of {capacity} a 64-bit hash alone errs at {:.1e}", hash_floor(capacity));
    let advice = advice!("split the keys over several filters, each with its own seed", Seed);
    Err(Error::rate_out_of_reach(rate, reason).with(advice))
}

#[cfg(test)]
mod plain;
#[cfg(test)]
mod tests;
#[cfg(all(test, feature = "std"))]
mod vectors;

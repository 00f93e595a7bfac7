//! Unions of two filters, and one table of all links.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::GrowingFilter;
use super::plan::GrowthPlan;
use crate::bits::table::stream::Stream;
use crate::error::{Error, Result};
use crate::ids::{Operation, OverCapacity};
use crate::kinds::Filter;
#[cfg(feature = "static")]
use crate::kinds::ribbon::RibbonFilter;
use crate::kinds::table::copies::QuotientFilter;
use crate::kinds::table::core::{TableMeta, check_equal};
use crate::kinds::table::join::{Join, in_either};
use crate::kinds::table::lines::{Counts, MOST_COPIES, Table, too_many_copies};
use crate::params::check_rate;

/// The logarithm (base 2) of the greatest factor by which the possible fingerprints of the first
/// link are divided: their number is a multiple of 64.
const MOST_FACTOR: u32 = 6;

impl GrowingFilter {
    /// Checks that the two can be united: their hasher, domain, recipe, first keys and promised
    /// rate are equal, and both or neither allow removal.
    ///
    /// # Errors
    /// [`Error::Incompatible`], which names the first property in which they differ.
    pub fn check_compatible(&self, other: &GrowingFilter) -> Result<()> {
        self.meta.keys.check_same(&other.meta.keys)?;
        let (a, b) = (&self.meta.plan, &other.meta.plan);
        let shown = |filter: &Self| if filter.meta.is_deletable { "they can" } else { "they cannot" };
        check_equal("the keys that they began with", &a.first(), &b.first())?;
        check_equal("the promised rate", &format_args!("{:e}", a.rate()), &format_args!("{:e}", b.rate()))?;
        check_equal("whether keys can be removed", &shown(self), &shown(other))
    }

    /// Adds all keys of another filter, link by link. The rate of the union is at most the sum of
    /// both. The union works while each of its links has at most the keys that it takes: that is so
    /// up to 16 times the keys that the filters [began](Self::first) with, in both together.
    ///
    /// A key that both hold in one link is held once; if keys can be
    /// [removed](super::GrowingFilterBuilder::deletable), its copies add up. A key that they hold
    /// in different links is held in both, and counts twice in [`len`](Self::len);
    /// [`remove`](Self::remove) keeps it.
    ///
    /// ```
    /// use tepal::GrowingFilter;
    /// let mut week = GrowingFilter::builder().build_from(["apple", "banana"])?;
    /// week.union_with(&GrowingFilter::builder().build_from(["banana", "cherry"])?)?;
    /// assert!(week.contains("apple") && week.contains("cherry") && week.len() == 3);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Incompatible`] if they differ ([`check_compatible`](Self::check_compatible));
    /// [`Error::NotPossible`] if the union would pass the promise; [`Error::TooManyCopies`];
    /// [`Error::NumbersClustered`] if there is no table for its fingerprints, as in tiny filters;
    /// [`Error::TooLarge`]; [`Error::Damaged`] as for [`insert`](Self::insert). The filter is
    /// unchanged then.
    pub fn union_with(&mut self, other: &GrowingFilter) -> Result<()> {
        self.check_compatible(other)?;
        self.check_before_copying()?;
        other.check_before_copying()?;
        let mut links = Vec::with_capacity(self.links.len().max(other.links.len()));
        for (number, (a, b)) in self.links.iter().zip(&other.links).enumerate() {
            links.push(self.united(a, b, self.meta.plan.capacity(number))?);
        }
        let longer = if self.links.len() > other.links.len() { &self.links } else { &other.links };
        for rest in &longer[links.len()..] {
            links.push(Table::of_entries(rest.packing().numbers(), 0, rest.packing().room(), &|| {
                rest.stream()
            })?);
        }
        (self.links, self.whole) = (links, None);
        Ok(())
    }

    /// The union of two tables of one U, with at most `most` different fingerprints.
    fn united(&self, a: &Table, b: &Table, most: u64) -> Result<Table> {
        // If keys cannot be removed, each fingerprint is held once.
        let join = if self.meta.is_deletable { Join::Counted } else { Join::Once };
        let entries = || in_either(join, 0, a.stream(), b.stream());
        let counts = Counts::of(entries(), 0);
        if counts.numbers > most {
            return Err(self.refusal(Operation::Unite));
        }
        counts.check_copies(0)?;
        Table::of_counted(a.packing().numbers(), 0, a.packing().room(), counts, &entries)
    }

    /// Makes one table of all keys, in the fewest bits for this rate: for a set that gets no more
    /// keys. The fingerprints of all links become those that the keys would have had in that table.
    /// So nothing is lost, and a key takes few bits more than in a table that was made for this
    /// many keys.
    ///
    /// The rate must be high enough for the possible fingerprints of the first link. With 16 times
    /// the keys that the filter [began](Self::first) with, half of its promised rate is enough.
    /// With 32 times as many keys the whole rate is needed, and with more keys proportionally more.
    /// The call takes 8 bytes a key. Keys can be removed from the table if they can be removed from
    /// this filter; otherwise two of them may share a copy.
    ///
    /// ```
    /// let mut grown = tepal::GrowingFilter::builder().first(1000).build_from(0..20_000u32)?;
    /// let frozen = grown.freeze(0.01)?;
    /// assert!(frozen.contains(&7u32) && frozen.false_positive_rate() <= 0.01);
    /// assert!(frozen.size_in_bytes() < grown.size_in_bytes());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::RateOutOfReach`] if the rate is too low (the error names the lowest one);
    /// [`Error::Parameter`] for a rate that is not between 0 and 1; [`Error::TooManyCopies`] if too
    /// many keys have one fingerprint; [`Error::NumbersClustered`] if there is no table for its
    /// fingerprints, as in tiny filters; [`Error::TooLarge`]; [`Error::Damaged`] as for
    /// [`insert`](Self::insert).
    pub fn freeze(&self, rate: f64) -> Result<QuotientFilter> {
        check_rate(rate)?;
        self.check_before_copying()?;
        let finest = self.links[0].packing().numbers();
        let numbers = self.numbers_of_all()?;
        let numbers_by = |factor: u32| Stream::of(numbers.iter().map(move |number| number >> factor));
        let mut factor = MOST_FACTOR;
        let counts = loop {
            let counts = Counts::of(numbers_by(factor), 0);
            if counts.numbers as f64 <= rate * (finest >> factor) as f64
                && counts.most_copies <= MOST_COPIES.into()
            {
                break counts;
            }
            if factor == 0 {
                return Err(match counts.most_copies <= MOST_COPIES.into() {
                    true => Error::rate_out_of_reach(
                        rate,
                        format_args!(
                            "one table of these {} keys errs at {:.2e} at the least; ask for that rate or a higher one, or keep it \
                             as it is",
                            numbers.len(),
                            counts.numbers as f64 / finest as f64
                        ),
                    ),
                    false => too_many_copies(0),
                });
            }
            factor -= 1;
        };
        let entries = || numbers_by(factor);
        let table = Table::of_counted(finest >> factor, 0, counts.slots, counts, &entries)?;
        let meta = TableMeta {
            keys: self.meta.keys.clone(),
            over_capacity: OverCapacity::Refuse,
            capacity: ((rate * (finest >> factor) as f64) as u64).max(1),
            promised_rate: rate,
            labels: self.meta.labels.as_ref().map(|labels| Box::new((**labels).clone())),
        };
        Ok(QuotientFilter::from_parts(meta, table, counts.slots, self.meta.is_deletable))
    }

    /// Makes the smallest filter of the fingerprints that the links hold, without the keys: a
    /// ribbon. Keys can be added to it, but none can be removed. [`QuotientFilter::to_ribbon`]
    /// tells its size and cost.
    ///
    /// It uses the fingerprints of the first link. If the filter has grown far, there are few of
    /// them for its keys: then their own false-positive rate is too high, and the error names it.
    ///
    /// ```
    /// let grown = tepal::GrowingFilter::builder().first(10_000).false_positive_rate(0.001).build_from(0..20_000u32)?;
    /// let frozen = grown.to_ribbon(0.01)?;
    /// assert!(frozen.contains(&7u32) && frozen.false_positive_rate() <= 0.01);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`QuotientFilter::to_ribbon`].
    #[cfg(feature = "static")]
    pub fn to_ribbon(&self, rate: f64) -> Result<RibbonFilter> {
        self.check_before_copying()?;
        let mut numbers = self.numbers_of_all()?;
        numbers.dedup();
        let (all, labels) = (self.links[0].packing().numbers(), self.labels().kept());
        RibbonFilter::of_numbers(&self.meta.keys, labels, all, numbers, rate)
    }

    /// The fingerprints of all keys in the form of the first link, ascending, with all copies.
    fn numbers_of_all(&self) -> Result<Vec<u64>> {
        let mut numbers = Vec::new();
        let keys = usize::try_from(self.len()).unwrap_or(usize::MAX);
        numbers
            .try_reserve_exact(keys)
            .map_err(|_| Error::TooLarge { bytes: self.len().saturating_mul(8) })?;
        for (link, table) in self.links.iter().enumerate() {
            numbers.extend(table.entries().map(|number| number >> GrowthPlan::finer(link)));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }
}

//! Two filters as one, and all links of one as one table.

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
use crate::kinds::table::core::{Meta as TableMeta, check_equal};
use crate::kinds::table::join::{Join, in_either};
use crate::kinds::table::lines::{Counts, MOST_COPIES, Table, too_many_copies};
use crate::params::check_rate;

/// The greatest factor by which the numbers of the first link are made fewer: they are a multiple
/// of 64.
const MOST_FACTOR: u32 = 6;

impl GrowingFilter {
    /// Can the two be united? They have one hash, domain and recipe, began with as many keys,
    /// promise one rate, and both or neither can have keys removed.
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

    /// Adds all keys of another filter, link by link. The rates of both add up, at most: so this
    /// works as long as each link of the union has no more keys than it takes, which is so where
    /// both together have no more than 16 times as many keys as they [began](Self::first) with. A
    /// key that both hold in one link is held once; where keys can be
    /// [removed](super::GrowingFilterBuilder::deletable), as often as in both together. One that
    /// they hold in different links is held in both, counts twice in [`len`](Self::len), and
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
    /// [`Error::Incompatible`] where they differ ([`check_compatible`](Self::check_compatible));
    /// [`Error::NotPossible`] where the union would pass the promise; [`Error::TooManyCopies`];
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

    /// Two tables of one U as one, for at most so many different numbers.
    fn united(&self, a: &Table, b: &Table, most: u64) -> Result<Table> {
        // Where keys cannot be removed each number is held once.
        let join = if self.meta.is_deletable { Join::Counted } else { Join::Once };
        let entries = || in_either(join, 0, a.stream(), b.stream());
        let counts = Counts::of(entries(), 0);
        if counts.numbers > most {
            return Err(self.refusal(Operation::Unite));
        }
        counts.check_copies(0)?;
        Table::of_counted(a.packing().numbers(), 0, a.packing().room(), counts, &entries)
    }

    /// One table of all keys, in the fewest bits that there are at this rate: for a set to which no
    /// more keys come. A key of any link is just the number that it would have had in that table,
    /// so nothing is lost, and a key takes few bits more than in a table that was made for so many
    /// keys.
    ///
    /// The rate must allow for the numbers that the first link has: with 16 times the keys it
    /// [began](Self::first) with, half of its promise does, and with 32 times as many all of it;
    /// with more keys so many times more. Takes 8 bytes a key for a while. Keys can be removed from
    /// the table where they can be from this filter; else two of them may share a copy.
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
    /// [`Error::RateOutOfReach`] where the rate is too low, with the one there is;
    /// [`Error::Parameter`] for a rate that is not between 0 and 1; [`Error::TooManyCopies`] where
    /// too many keys have one number; [`Error::TooLarge`]; [`Error::Damaged`] as for
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

    /// The smallest filter of what the links hold, without their keys: a ribbon of their numbers,
    /// to which keys can be added, but from which none can be taken. [`QuotientFilter::to_ribbon`]
    /// says what it takes.
    ///
    /// The numbers are those of the first link, of which there are few where the filter has grown
    /// far: then a table of them errs too often by itself, and the error says how often.
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

    /// The numbers of all keys as the first link has them, ascending, each as often as it is held.
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

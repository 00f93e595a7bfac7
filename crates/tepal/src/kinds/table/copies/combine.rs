//! Unions and intersections of two filters, and smaller filters.

use alloc::vec::Vec;

use super::QuotientFilter;
use crate::bits::table::packing::Packing;
use crate::bits::table::stream::Stream;
use crate::error::{Error, Result};
#[cfg(feature = "static")]
use crate::kinds::ribbon::{RibbonFilter, pieces::room_for};
use crate::kinds::table::core::{TableMeta, check_equal};
use crate::kinds::table::join::{Join, in_both, in_either};
use crate::kinds::table::lines::{Counts, Table};
use crate::params::check_rate;

/// The greatest factor by which a filter is made smaller.
const MOST_FACTOR: u64 = 64;

impl QuotientFilter {
    /// Checks that the two can be united: their hasher, domain, recipe, number of possible
    /// fingerprints and count bits are equal.
    ///
    /// # Errors
    /// [`Error::Incompatible`], which names the first property in which they differ.
    pub fn check_compatible(&self, other: &QuotientFilter) -> Result<()> {
        self.core.check_compatible(&other.core)?;
        check_equal("the bits of a count", &self.count_bits(), &other.count_bits())
    }

    /// Adds all copies of all keys of another filter. Afterwards it equals the filter of all the
    /// keys.
    ///
    /// The result is the sum of two multisets. A key that both hold once has two copies, and stays
    /// a member until it is removed twice. [`len`](Self::len) is the sum of both, and
    /// [`distinct_numbers`](Self::distinct_numbers) counts the key once. Both filters and the union
    /// are in memory at the same time.
    ///
    /// ```
    /// use tepal::QuotientFilter;
    /// let day = |keys: [&str; 2]| QuotientFilter::builder().capacity(100).build_from(keys).unwrap();
    /// let mut week = day(["apple", "banana"]);
    /// week.union_with(&day(["banana", "cherry"]))?;
    /// assert_eq!((week.count("banana"), week.len()), (2, 4));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::Incompatible`] if they differ ([`check_compatible`](Self::check_compatible));
    /// - [`Error::CapacityReached`] if the union has more different fingerprints than the capacity
    ///   allows and the policy is [`OverCapacity::Refuse`](crate::OverCapacity::Refuse);
    /// - [`Error::TooManyCopies`];
    /// - [`Error::NumbersClustered`] if there is no table for its fingerprints, as in tiny filters;
    /// - [`Error::TooLarge`];
    /// - [`Error::Damaged`] as for [`insert`](Self::insert).
    ///
    /// The filter is unchanged then.
    pub fn union_with(&mut self, other: &QuotientFilter) -> Result<()> {
        self.check_compatible(other)?;
        self.core.check_both(&other.core)?;
        let (a, b) = (&self.core.table, &other.core.table);
        let entries = || in_either(Join::Counted, self.count_bits(), a.stream(), b.stream());
        let slots = |counts: &Counts| self.capacity().min(2 * counts.slots);
        self.core.table = self.core.laid_out(&slots, &entries)?;
        self.held += other.held;
        self.is_deletable &= other.is_deletable;
        Ok(())
    }

    /// Keeps, of each fingerprint, the lower of the two numbers of copies. Keys of both filters
    /// stay. Of the keys of only one filter, about the share
    /// [`false_positive_rate`](Self::false_positive_rate) stays too.
    ///
    /// # Errors
    /// As [`union_with`](Self::union_with).
    pub fn intersect_with(&mut self, other: &QuotientFilter) -> Result<()> {
        self.check_compatible(other)?;
        self.core.check_both(&other.core)?;
        let (a, b, count_bits) = (&self.core.table, &other.core.table, self.count_bits());
        let entries = || in_both(Join::Counted, count_bits, a.stream(), b.stream());
        let held = entries().map(|entry| (entry & ((1 << count_bits) - 1)) + 1).sum();
        self.core.table = Table::of_entries(self.numbers(), count_bits, 1, &entries)?;
        self.held = held;
        self.is_deletable &= other.is_deletable;
        Ok(())
    }

    /// The factors by which [`fold`](Self::fold) can make the filter smaller: the divisors of
    /// [`numbers`](Self::numbers) from 2 to 64.
    #[must_use]
    pub fn fold_factors(&self) -> Vec<u64> {
        (2..=MOST_FACTOR).filter(|factor| self.numbers() % factor == 0).collect()
    }

    /// The bytes of the table after [`fold`](Self::fold) by this factor; if its fingerprints lie
    /// together, it may take more. `None` if the filter cannot be folded by this factor. Costs a
    /// pass over the table.
    #[must_use]
    pub fn folded_size_in_bytes(&self, factor: u64) -> Option<u64> {
        let counts = self.folded_counts(factor).ok()?;
        let packing = Packing::for_slots(counts.slots, self.numbers() / factor, self.count_bits());
        packing.ok().map(|packing| packing.bytes())
    }

    /// Divides the number of possible fingerprints ([`numbers`](Self::numbers)) by a factor, one of
    /// [`fold_factors`](Self::fold_factors), without the keys. The result equals the filter that
    /// the same keys would have made. A key takes fewer bits, and the rate is almost `factor` times
    /// higher. The promised rate stays if the smaller filter keeps it; otherwise it becomes the
    /// rate after the fold.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another factor, and if the rate would be 1;
    /// [`Error::TooManyCopies`] if too many keys get the same fingerprint;
    /// [`Error::NumbersClustered`] if there is no table for its fingerprints, as in tiny filters;
    /// [`Error::TooLarge`]; [`Error::Damaged`]. The filter is unchanged then.
    pub fn fold(&mut self, factor: u64) -> Result<()> {
        *self = self.folded_by(factor)?;
        Ok(())
    }

    /// The entries after a fold by this factor.
    fn folded_entries(&self, factor: u64) -> Stream<'_> {
        let count_bits = self.count_bits();
        let tags = (1u64 << count_bits) - 1;
        let fold = move |entry: u64| (((entry >> count_bits) / factor) << count_bits) | (entry & tags);
        let folded = Stream::of(self.core.table.entries().map(fold));
        in_either(Join::Counted, count_bits, folded, Stream::empty())
    }

    /// Counts the entries after a fold by this factor; an error if the filter cannot be folded so.
    fn folded_counts(&self, factor: u64) -> Result<Counts> {
        if !self.fold_factors().contains(&factor) {
            let expected = alloc::format!("one that divides {} and is from 2 to 64", self.numbers());
            return Err(Error::parameter("the factor", factor, expected));
        }
        self.core.table.check_before_copying()?;
        let count_bits = self.count_bits();
        let counts = Counts::of(self.folded_entries(factor), count_bits);
        counts.check_copies(count_bits)?;
        if counts.numbers >= self.numbers() / factor {
            return Err(Error::parameter("the factor", factor, "one that leaves a rate below 1"));
        }
        Ok(counts)
    }

    pub(crate) fn folded_by(&self, factor: u64) -> Result<QuotientFilter> {
        let counts = self.folded_counts(factor)?;
        let (count_bits, numbers) = (self.count_bits(), self.numbers() / factor);
        let entries = || self.folded_entries(factor);
        let promised_rate = self.core.meta.promised_rate.max(counts.numbers as f64 / numbers as f64);
        // The keys that it already holds are within its promise, whatever the product is rounded
        // to.
        let capacity = ((promised_rate * numbers as f64) as u64).max(counts.numbers).max(1);
        let table = Table::of_counted(numbers, count_bits, counts.slots, counts, &entries)?;
        let meta = TableMeta { promised_rate, capacity, ..self.core.meta.clone() };
        Ok(QuotientFilter::from_parts(meta, table, self.held, self.is_deletable))
    }

    /// Makes the filter as small as its keys allow at `rate`, without the keys. Returns the factor
    /// by which the possible fingerprints were divided. If dividing by 2 would already pass the
    /// rate, it returns 1, lays the table out for the keys in it, and changes nothing else.
    ///
    /// Its promise is `rate` then, and its capacity the number of keys that this allows.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a rate that is not between 0 and 1; [`Error::RateOutOfReach`] if
    /// the filter is above `rate` before folding; and as [`fold`](Self::fold). The filter is
    /// unchanged then.
    pub fn shrink_to(&mut self, rate: f64) -> Result<u64> {
        let (factor, shrunk) = self.shrunk_to(rate)?;
        *self = shrunk;
        Ok(factor)
    }

    pub(crate) fn shrunk_to(&self, rate: f64) -> Result<(u64, QuotientFilter)> {
        check_rate(rate)?;
        let now = self.false_positive_rate();
        if now > rate {
            return Err(Error::rate_out_of_reach(
                rate,
                format_args!("the filter errs at {now:.2e} as it is, and a smaller one errs more often"),
            ));
        }
        let within = |factor: &&u64| **factor as f64 * now <= rate;
        let factors = self.fold_factors();
        let Some(&factor) = factors.iter().rev().find(within) else {
            self.core.table.check_before_copying()?;
            let table =
                Table::of_entries(self.numbers(), self.count_bits(), 1, &|| self.core.table.stream())?;
            let meta = self.core.meta.clone();
            return Ok((1, QuotientFilter::from_parts(meta, table, self.held, self.is_deletable)));
        };
        let folded = self.folded_by(factor)?;
        let capacity = ((rate * folded.numbers() as f64) as u64).max(folded.distinct_numbers()).max(1);
        let meta = TableMeta { promised_rate: rate, capacity, ..folded.core.meta };
        Ok((factor, QuotientFilter::from_parts(meta, folded.core.table, self.held, self.is_deletable)))
    }

    /// Makes the smallest filter of the fingerprints that the table holds, without the keys: a
    /// ribbon. Keys can be added to it, but none can be removed. It has no counts.
    ///
    /// A non-member whose fingerprint the table holds is a false positive of the ribbon too. The
    /// ribbon adds its own false positives, and `rate` is for both together. So the table needs a
    /// rate much below `rate`: for a million keys at 0.1 % a table takes 13.5 bits a key, and its
    /// ribbon at 1 % takes 6.87. The call takes 8 bytes and some 80 ns a key.
    ///
    /// ```
    /// let sessions = tepal::QuotientFilter::builder().false_positive_rate(0.001).build_from(0..20_000u32)?;
    /// let frozen = sessions.to_ribbon(0.01)?;
    /// assert!(frozen.contains(&7u32) && frozen.false_positive_rate() <= 0.01);
    /// assert!(frozen.size_in_bytes() * 3 < sessions.size_in_bytes() * 2);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::RateOutOfReach`] for a rate that no ribbon has, and if the table's own rate is no
    /// lower (the error names a possible rate); [`Error::Parameter`] for a rate that is not between
    /// 0 and 1; [`Error::TooLarge`] if there is no memory; [`Error::Damaged`] as for
    /// [`insert`](Self::insert).
    #[cfg(feature = "static")]
    pub fn to_ribbon(&self, rate: f64) -> Result<RibbonFilter> {
        self.core.table.check_before_copying()?;
        let mut numbers = room_for(self.distinct_numbers())?;
        for entry in self.core.table.entries() {
            let number = entry >> self.count_bits();
            if numbers.last() != Some(&number) {
                numbers.push(number);
            }
        }
        let labels = self.labels().kept();
        RibbonFilter::of_numbers(&self.core.meta.keys, labels, self.numbers(), numbers, rate)
    }

    /// Lays the table out for the keys in it: the same answers, in the fewest bytes. Inserting more
    /// keys lays it out again.
    ///
    /// # Errors
    /// [`Error::NumbersClustered`] if there is no smaller table for its fingerprints, as in tiny
    /// filters; [`Error::TooLarge`] if there is no memory for it; [`Error::Damaged`] as for
    /// [`insert`](Self::insert). The filter is unchanged then.
    pub fn shrink_to_fit(&mut self) -> Result<()> {
        self.core.shrink_to_fit(self.count_bits())
    }
}

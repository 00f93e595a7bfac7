//! Two filters as one, and one made smaller.

use alloc::vec::Vec;

use super::QuotientFilter;
use crate::bits::table::packing::Packing;
use crate::bits::table::stream::Stream;
use crate::error::{Error, Result};
#[cfg(feature = "static")]
use crate::kinds::ribbon::{RibbonFilter, pieces::room_for};
use crate::kinds::table::core::{Meta, check_equal};
use crate::kinds::table::join::{Join, in_both, in_either};
use crate::kinds::table::lines::{Counts, Table};
use crate::params::check_rate;

/// The greatest factor by which a filter is made smaller.
const MOST_FACTOR: u64 = 64;

impl QuotientFilter {
    /// Can the two be united? They have one hash, domain and recipe, as many numbers, and count in
    /// as many bits.
    ///
    /// # Errors
    /// [`Error::Incompatible`], which names the first property in which they differ.
    pub fn check_compatible(&self, other: &QuotientFilter) -> Result<()> {
        self.core.check_compatible(&other.core)?;
        check_equal("the bits of a count", &self.count_bits(), &other.count_bits())
    }

    /// Adds all copies of all keys of another filter: afterwards it is what one filter of all the
    /// keys would be. It is the sum of two multisets: a key that both hold once is in twice, and
    /// stays in until it was removed twice; [`len`](Self::len) is the sum of both, and
    /// [`distinct_numbers`](Self::distinct_numbers) counts it once. Takes both and the union in
    /// memory.
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
    /// [`Error::Incompatible`] where they differ ([`check_compatible`](Self::check_compatible));
    /// [`Error::CapacityReached`] where the union has more different numbers than the capacity
    /// allows and the policy is [`OverCapacity::Refuse`](crate::OverCapacity::Refuse);
    /// [`Error::TooManyCopies`]; [`Error::TooLarge`]; [`Error::Damaged`] as for
    /// [`insert`](Self::insert). The filter is unchanged then.
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

    /// Keeps, of each number, as many copies as both have. What is in both stays; of what is in one
    /// alone about a share of [`false_positive_rate`](Self::false_positive_rate) stays too.
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

    /// By which factors [`fold`](Self::fold) can make the filter smaller: from 2 to 64, whatever
    /// divides [`numbers`](Self::numbers).
    #[must_use]
    pub fn fold_factors(&self) -> Vec<u64> {
        (2..=MOST_FACTOR).filter(|factor| self.numbers() % factor == 0).collect()
    }

    /// Bytes of the table after [`fold`](Self::fold) by this factor: at most these, and fewer where
    /// counts are put together. `None` where it cannot be folded so.
    #[must_use]
    pub fn folded_size_in_bytes(&self, factor: u64) -> Option<u64> {
        let folds = self.fold_factors().contains(&factor);
        let packing =
            Packing::for_slots(self.core.table.slots(), self.numbers() / factor.max(1), self.count_bits());
        packing.ok().filter(|_| folds).map(|packing| packing.bytes())
    }

    /// Divides the number of [`numbers`](Self::numbers) by a factor, one of
    /// [`fold_factors`](Self::fold_factors), without the keys: the filter is then the one that the
    /// same keys would have made. A key takes fewer bits, and the rate is nearly so many times
    /// higher. The promise stays where it is kept; else it is the rate that the filter has then.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another factor, and where the rate would be 1;
    /// [`Error::TooManyCopies`] where keys whose numbers become one are too many;
    /// [`Error::TooLarge`]; [`Error::Damaged`]. The filter is unchanged then.
    pub fn fold(&mut self, factor: u64) -> Result<()> {
        *self = self.folded_by(factor)?;
        Ok(())
    }

    pub(crate) fn folded_by(&self, factor: u64) -> Result<QuotientFilter> {
        if !self.fold_factors().contains(&factor) {
            let expected = alloc::format!("one that divides {} and is from 2 to 64", self.numbers());
            return Err(Error::parameter("the factor", factor, expected));
        }
        self.core.table.check_before_copying()?;
        let (count_bits, numbers) = (self.count_bits(), self.numbers() / factor);
        let tags = (1u64 << count_bits) - 1;
        let fold = move |entry: u64| (((entry >> count_bits) / factor) << count_bits) | (entry & tags);
        let folded = || Stream::of(self.core.table.entries().map(fold));
        let entries = || in_either(Join::Counted, count_bits, folded(), Stream::empty());
        let counts = Counts::of(entries(), count_bits);
        counts.check_copies(count_bits)?;
        let rate = counts.numbers as f64 / numbers as f64;
        if rate >= 1.0 {
            return Err(Error::parameter("the factor", factor, "one that leaves a rate below 1"));
        }
        let promised_rate = self.core.meta.promised_rate.max(rate);
        // What it holds already is within its promise, whatever the product is rounded to.
        let capacity = ((promised_rate * numbers as f64) as u64).max(counts.numbers).max(1);
        let table = Table::of_counted(numbers, count_bits, counts.slots, counts, &entries)?;
        let meta = Meta { promised_rate, capacity, ..self.core.meta.clone() };
        Ok(QuotientFilter::from_parts(meta, table, self.held, self.is_deletable))
    }

    /// Makes the filter as small as the keys in it allow at `rate`, without the keys. Returns by
    /// which factor the numbers were divided; 1 where dividing by even 2 would pass the rate: then
    /// the table is laid out for the keys in it, and nothing else changes.
    ///
    /// Its promise is `rate` then, and its capacity what that allows.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a rate that is not between 0 and 1; [`Error::RateOutOfReach`] where
    /// the filter is above `rate` as it is; and as [`fold`](Self::fold). The filter is unchanged
    /// then.
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
        let meta = Meta { promised_rate: rate, capacity, ..folded.core.meta };
        Ok((factor, QuotientFilter::from_parts(meta, folded.core.table, self.held, self.is_deletable)))
    }

    /// The smallest filter of what the table holds, without its keys: a ribbon of its numbers, to
    /// which keys can be added, but from which none can be taken. Counts are not in it: a key is
    /// in, or not.
    ///
    /// A stranger whose number the table holds is found as it is here; the ribbon errs on top of
    /// that, and `rate` is for both together. So a table of a rate much below `rate` is made for
    /// it: of a million keys at 0.1 % a table takes 13.5 bits a key, its ribbon at 1 % 6.87. Takes
    /// 8 bytes a key for a while, and some 80 ns.
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
    /// [`Error::RateOutOfReach`] for a rate that no ribbon has, and where the table errs at as much
    /// by itself, with one that can be had; [`Error::Parameter`] for a rate that is not between 0
    /// and 1; [`Error::TooLarge`] where there is no memory; [`Error::Damaged`] as for
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

    /// Lays the table out for the keys in it: the same answers, in as few bytes as there can be.
    /// More keys lay it out again.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for the new table; [`Error::Damaged`] as for
    /// [`insert`](Self::insert).
    pub fn shrink_to_fit(&mut self) -> Result<()> {
        self.core.shrink_to_fit(self.count_bits())
    }
}

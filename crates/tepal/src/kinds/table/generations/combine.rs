//! Unions and intersections of two filters.

use super::ExpiringFilter;
use super::clock::Clock;
use crate::bits::table::stream::Stream;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::facts::Window;
use crate::ids::Operation;
use crate::kinds::Filter;
use crate::kinds::table::core::check_equal;
use crate::kinds::table::join::{Join, in_both, in_either};
use crate::kinds::table::lines::Table;

impl ExpiringFilter {
    /// Checks that the two can be united: their hasher, domain, recipe, number of possible
    /// fingerprints, window and generations are equal.
    ///
    /// # Errors
    /// [`Error::Incompatible`], which names the first property in which they differ.
    pub fn check_compatible(&self, other: &ExpiringFilter) -> Result<()> {
        self.core.check_compatible(&other.core)?;
        check_equal("the window", &self.window(), &other.window())?;
        check_equal("the generations of the window", &self.generations(), &other.generations())
    }

    /// Adds all keys of another filter, with their ages; a key of both gets the lower age.
    /// Afterwards it equals the filter of all the keys, at the later of the two times.
    /// [`keys_inserted`](Self::keys_inserted) is the sum of both. Both filters and the union are in
    /// memory at the same time.
    ///
    /// ```
    /// use tepal::ExpiringFilter;
    /// let new = || ExpiringFilter::builder().capacity(100).window_of_time(60).build().unwrap();
    /// let (mut one, mut other) = (new(), new());
    /// one.insert_at("apple", 1000)?;
    /// other.insert_at("pear", 1030)?;
    /// one.union_with(&other)?;
    /// assert_eq!((one.now(), one.age_estimate("apple"), one.age_estimate("pear")), (Some(1030), Some(3), Some(0)));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::Incompatible`] if they differ ([`check_compatible`](Self::check_compatible));
    /// - [`Error::NotPossible`] in windows of keys, because the order of the two filters' keys is
    ///   not known;
    /// - [`Error::CapacityReached`] if the union has more different keys than the promise allows
    ///   and the policy is [`OverCapacity::Refuse`](crate::OverCapacity::Refuse);
    /// - [`Error::NumbersClustered`] if there is no table for its fingerprints, as in tiny filters;
    /// - [`Error::TooLarge`];
    /// - [`Error::Damaged`] as for [`insert`](Self::insert).
    ///
    /// The filter is unchanged then.
    pub fn union_with(&mut self, other: &ExpiringFilter) -> Result<()> {
        let (clock, tag_bits) = self.clock_of_both(other, Operation::Unite)?;
        let join = Join::Youngest(clock.recent());
        let entries = || in_either(join, tag_bits, self.entries_at(clock), other.entries_at(clock));
        self.core.table = self.core.laid_out(&|_| self.core.usual_slots(), &entries)?;
        self.inserted = self.inserted.zip(other.inserted).map(|(a, b)| a.saturating_add(b));
        self.clock = clock;
        Ok(())
    }

    /// Keeps the keys that both filters have, with the higher of the two ages: a key expires when
    /// it expires in one of them. Of the keys of only one filter, about the share
    /// [`false_positive_rate`](Self::false_positive_rate) stays too. The number of inserted keys is
    /// not known afterwards.
    ///
    /// # Errors
    /// As [`union_with`](Self::union_with).
    pub fn intersect_with(&mut self, other: &ExpiringFilter) -> Result<()> {
        let (clock, tag_bits) = self.clock_of_both(other, Operation::Intersect)?;
        let join = Join::Youngest(clock.recent());
        let entries = || in_both(join, tag_bits, self.entries_at(clock), other.entries_at(clock));
        self.core.table = Table::of_entries(self.numbers(), tag_bits, self.core.usual_slots(), &entries)?;
        (self.clock, self.inserted) = (clock, None);
        Ok(())
    }

    /// The clock of the later of two filters that can be combined.
    fn clock_of_both(&self, other: &ExpiringFilter, operation: Operation) -> Result<(Clock, u8)> {
        self.check_compatible(other)?;
        if let Window::Keys(_) = self.window() {
            return Err(self.refusal(operation));
        }
        self.core.check_both(&other.core)?;
        let clock = self.clock.at(self.now().max(other.now()));
        Ok((clock, clock.tag_bits()))
    }

    /// The entries at the later time of another clock, ascending. Keys that were inserted before
    /// any time was told get that time.
    fn entries_at(&self, clock: Clock) -> Stream<'_> {
        let tag_bits = clock.tag_bits().into();
        let is_told = self.now().is_some();
        let recent = clock.now().map_or(Some(self.clock.recent()), |now| match is_told {
            true => self.clock.recent_after(self.clock.turns_to(now)),
            false => Some(self.clock.recent()),
        });
        let tag = if is_told { 0 } else { clock.tag() };
        let entries = self.core.table.entries().map(move |entry| entry | tag);
        let is_recent = move |entry| recent.is_some_and(|recent| !is_told || recent.has(tag_bits, entry));
        Stream::of(entries.filter(move |entry| is_recent(*entry)))
    }
}

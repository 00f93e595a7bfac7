//! Two filters as one.

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
    /// Can the two be united? They have one hash, domain and recipe, as many numbers, and one
    /// window of as many generations.
    ///
    /// # Errors
    /// [`Error::Incompatible`], which names the first property in which they differ.
    pub fn check_compatible(&self, other: &ExpiringFilter) -> Result<()> {
        self.core.check_compatible(&other.core)?;
        check_equal("the window", &self.window(), &other.window())?;
        check_equal("the generations of the window", &self.generations(), &other.generations())
    }

    /// Adds all keys of another filter, each as old as it is, and as young as in either where both
    /// have it: afterwards it is what one filter of all the keys would be, at the later of the two
    /// times. [`keys_inserted`](Self::keys_inserted) is the sum of both. Takes both and the union
    /// in memory.
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
    /// [`Error::Incompatible`] where they differ ([`check_compatible`](Self::check_compatible));
    /// [`Error::NotPossible`] in windows of keys, of which nobody knows which came first;
    /// [`Error::CapacityReached`] where the union has more different keys than the promise allows
    /// and the policy is [`OverCapacity::Refuse`](crate::OverCapacity::Refuse);
    /// [`Error::TooLarge`]; [`Error::Damaged`] as for [`insert`](Self::insert). The filter is
    /// unchanged then.
    pub fn union_with(&mut self, other: &ExpiringFilter) -> Result<()> {
        let (clock, tag_bits) = self.clock_of_both(other, Operation::Unite)?;
        let join = Join::Youngest(clock.recent());
        let entries = || in_either(join, tag_bits, self.entries_at(clock), other.entries_at(clock));
        self.core.table = self.core.laid_out(&|_| self.core.usual_slots(), &entries)?;
        self.inserted = self.inserted.zip(other.inserted).map(|(a, b)| a.saturating_add(b));
        self.clock = clock;
        Ok(())
    }

    /// Keeps what is in both, as old as it is in the one where it is older: it goes when it goes
    /// from one of them. Of what is in one alone about a share of
    /// [`false_positive_rate`](Self::false_positive_rate) stays too. How many keys were inserted is
    /// not known then.
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

    /// What is in it at the later time of another clock, ascending. Keys that came before any time
    /// was told came then.
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

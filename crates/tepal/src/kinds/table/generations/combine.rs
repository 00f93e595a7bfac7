//! Two filters as one.

use alloc::string::ToString;
use core::iter::Peekable;

use super::ExpiringFilter;
use super::clock::Clock;
use crate::bits::table::tagged::Recent;
use crate::error::{Error, Result};
use crate::facts::Window;
use crate::ids::{Kind, OverCapacity};
use crate::kinds::table::lines::{Merged, Table};

impl ExpiringFilter {
    /// Can the two be united? They have one hash, domain and recipe, as many numbers, and one window of as many generations.
    ///
    /// # Errors
    /// [`Error::Incompatible`], which names the first property in which they differ.
    pub fn check_compatible(&self, other: &ExpiringFilter) -> Result<()> {
        self.meta.keys.check_same(&other.meta.keys)?;
        let differ = |property, a: &dyn ToString, b: &dyn ToString| match (a.to_string(), b.to_string()) {
            (a, b) if a == b => Ok(()),
            (expected, found) => Err(Error::Incompatible { property, expected, found }),
        };
        differ("the number of numbers (capacity / rate)", &self.numbers(), &other.numbers())?;
        differ("the window", &self.window(), &other.window())?;
        differ("the generations of the window", &self.generations(), &other.generations())
    }

    /// Adds all keys of another filter, each as old as it is, and as young as in either where both have it: afterwards it is what one
    /// filter of all the keys would be, at the later of the two times. [`keys_inserted`](Self::keys_inserted) is the sum of both.
    /// Takes both and the union in memory.
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
    /// [`Error::Incompatible`] where they differ ([`check_compatible`](Self::check_compatible)); [`Error::NotPossible`] in windows of
    /// keys, of which nobody knows which came first; [`Error::CapacityReached`] where the union has more different keys than the
    /// promise allows and the policy is [`OverCapacity::Refuse`]; [`Error::TooLarge`]; [`Error::Damaged`] as for
    /// [`insert`](Self::insert). The filter is unchanged then.
    pub fn union_with(&mut self, other: &ExpiringFilter) -> Result<()> {
        let (clock, tag_bits) = self.clock_of_both(other, "be united")?;
        let entries = || {
            let both = Merged::new(self.entries_at(clock), other.entries_at(clock));
            Youngest::new(both, clock.recent(), tag_bits)
        };
        let table = Table::of_entries(self.numbers(), tag_bits, self.usual_slots(), entries)?;
        if table.distinct() > self.most_numbers() && self.meta.over_capacity == OverCapacity::Refuse {
            return Err(self.full());
        }
        let inserted = self.inserted.zip(other.inserted).map(|(a, b)| a.saturating_add(b));
        *self = ExpiringFilter::from_parts(self.meta.clone(), clock, table, inserted);
        Ok(())
    }

    /// Keeps what is in both, as old as it is in the one where it is older: it goes when it goes from one of them. Of what is in one
    /// alone about a share of [`false_positive_rate`](Self::false_positive_rate) stays too. How many keys were inserted is not
    /// known then.
    ///
    /// # Errors
    /// As [`union_with`](Self::union_with).
    pub fn intersect_with(&mut self, other: &ExpiringFilter) -> Result<()> {
        let (clock, tag_bits) = self.clock_of_both(other, "be intersected")?;
        let recent = clock.recent();
        let entries = || {
            let mut others = other.entries_at(clock).peekable();
            self.entries_at(clock).filter_map(move |entry| {
                let number = entry >> tag_bits;
                while others.next_if(|other| other >> tag_bits < number).is_some() {}
                let twin = others.next_if(|other| other >> tag_bits == number)?;
                let age = |entry| recent.age(tag_bits.into(), entry);
                Some(if age(twin) > age(entry) { twin } else { entry })
            })
        };
        let table = Table::of_entries(self.numbers(), tag_bits, self.usual_slots(), entries)?;
        *self = ExpiringFilter::from_parts(self.meta.clone(), clock, table, None);
        Ok(())
    }

    /// The clock of the later of two filters that can be combined.
    fn clock_of_both(&self, other: &ExpiringFilter, operation: &'static str) -> Result<(Clock, u8)> {
        self.check_compatible(other)?;
        if let Window::Keys(_) = self.window() {
            let instead =
                "insert the keys of both into one: of two windows of keys nobody knows which keys came first";
            return Err(Error::NotPossible { kind: Kind::Expiring, operation, instead });
        }
        self.table.check_before_copying()?;
        other.table.check_before_copying()?;
        let clock = self.clock.at(self.now().max(other.now()));
        Ok((clock, clock.tag_bits()))
    }

    /// What is in it at the later time of another clock, ascending. Keys that came before any time was told came then.
    fn entries_at(&self, clock: Clock) -> impl Iterator<Item = u64> {
        let tag_bits = clock.tag_bits().into();
        let is_told = self.now().is_some();
        let recent = clock.now().map_or(Some(self.clock.recent()), |now| match is_told {
            true => self.clock.recent_after(self.clock.turns_to(now)),
            false => Some(self.clock.recent()),
        });
        let tag = if is_told { 0 } else { clock.tag() };
        let entries = self.table.entries().map(move |entry| entry | tag);
        entries.filter(move |entry| recent.is_some_and(|recent| !is_told || recent.has(tag_bits, *entry)))
    }
}

/// Ascending entries with each number once, as young as it is in any of them.
pub(super) struct Youngest<I: Iterator<Item = u64>> {
    entries: Peekable<I>,
    recent: Recent,
    tag_bits: u8,
}

impl<I: Iterator<Item = u64>> Youngest<I> {
    pub(super) fn new(entries: I, recent: Recent, tag_bits: u8) -> Self {
        Youngest { entries: entries.peekable(), recent, tag_bits }
    }
}

impl<I: Iterator<Item = u64>> Iterator for Youngest<I> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let mut youngest = self.entries.next()?;
        let (tag_bits, recent) = (self.tag_bits, self.recent);
        while let Some(twin) = self.entries.next_if(|entry| entry >> tag_bits == youngest >> tag_bits) {
            let age = |entry| recent.age(tag_bits.into(), entry);
            if age(twin) < age(youngest) {
                youngest = twin;
            }
        }
        Some(youngest)
    }
}

//! Telling the time, and inserting keys.

use super::ExpiringFilter;
use crate::bits::memory::copy_of;
use crate::bits::table::stream::Stream;
use crate::error::{Error, Result};
use crate::facts::Window;
use crate::ids::Operation;
use crate::key::{Batch, Key, KeySink, Keys, One, PreparedKeys};
use crate::kinds::Filter;
use crate::kinds::bloom::after;
use crate::kinds::calls::insert_many;
use crate::kinds::table::core::one_by_one;
use crate::kinds::table::join::Join;
use crate::kinds::table::lines::Table;

impl ExpiringFilter {
    /// Tells the filter what time it is, in the unit of its window. Keys that came W (1 + 1/g) ago
    /// or more are forgotten, and none that came less than W ago. Says how many generations have
    /// gone by.
    ///
    /// A time before [`now`](Self::now) changes nothing: a clock that was put back makes keys live
    /// longer, and loses none. Keys that came before the filter was told any time count as if they
    /// came at the first one.
    ///
    /// The end of a generation costs one pass over the table, some 5 ns for each key in it
    /// (`bench/results/2026-11-23-expiring.md`); the end of more than g empties it.
    ///
    /// ```
    /// let mut seen = tepal::ExpiringFilter::builder().capacity(100).window_of_time(60).build()?;
    /// seen.insert_at("apple", 1000)?;
    /// assert_eq!(seen.advance_to(1025)?, 2);          // generations of 10 each
    /// assert_eq!(seen.advance_to(900)?, 0);           // the past
    /// assert!(seen.contains("apple"));
    /// seen.advance_to(1075)?;
    /// assert!(!seen.contains("apple"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotPossible`] in a window of keys, which has no time; [`Error::TooLarge`] and
    /// [`Error::Damaged`] for an opened file, which is copied into memory when keys go. The filter
    /// is unchanged then.
    pub fn advance_to(&mut self, time: u64) -> Result<u64> {
        if let Window::Keys(_) = self.window() {
            return Err(self.refusal(Operation::Advance));
        }
        if self.now().is_none() {
            self.tell_first(time)?;
        }
        let turns = self.turns_to(time);
        self.turn(turns, time)?;
        Ok(turns)
    }

    /// How many generations a time is behind now, as this filter counts time.
    pub(super) fn turns_to(&self, time: u64) -> u64 {
        match (self.window(), self.now()) {
            (Window::Time(_), Some(_)) => self.clock.turns_to(time),
            _ => 0,
        }
    }

    /// The first time there is: keys that are in have come now.
    fn tell_first(&mut self, time: u64) -> Result<()> {
        let clock = self.clock.at(Some(time));
        let (tag, tag_bits) = (clock.tag(), clock.tag_bits());
        if tag != 0 && !self.is_empty() {
            self.core.table.check_before_copying()?;
            let entries = || Stream::of(self.core.table.entries().map(|entry| entry | tag));
            self.core.table = Table::of_entries(self.numbers(), tag_bits, self.core.usual_slots(), &entries)?;
        }
        self.clock = clock;
        Ok(())
    }

    /// So many generations are over when it is this time.
    fn turn(&mut self, turns: u64, time: u64) -> Result<()> {
        if turns > 0 && !self.is_empty() {
            match self.clock.recent_after(turns) {
                Some(recent) => {
                    self.core.table.before_a_change()?;
                    self.core.table.sweep(recent)?;
                }
                None => {
                    self.core.table.clear()?;
                }
            }
        }
        self.clock = self.clock.at(self.now().max(Some(time)));
        Ok(())
    }

    /// Adds a key as of [`now`](Self::now); one that is in is young again. `true`: the key is
    /// surely not in the window.
    ///
    /// ```
    /// let mut last = tepal::ExpiringFilter::builder().window_of_keys(600).build()?;
    /// assert!(last.insert("apple")?);         // surely new
    /// assert!(!last.insert("apple")?);
    /// for key in 0..700u32 {
    ///     last.insert(&key)?;
    /// }
    /// assert!(last.contains(&100u32) && !last.contains("apple"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::CapacityReached`] for a new key where the filter is full and its policy is
    /// [`OverCapacity::Refuse`](crate::OverCapacity::Refuse); [`Error::KeyRefused`] for a key that
    /// the key domain does not have; [`Error::CallerHashes`] in a filter of the caller's hashes;
    /// [`Error::NumbersClustered`] where keys were chosen by the filter's own hash so that their
    /// numbers lie side by side; [`Error::TooLarge`] where there is no memory for more lines;
    /// [`Error::Damaged`] for a filter that was opened [quick](crate::Open::quick) and is not what
    /// was written. The filter is unchanged then.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        let hash = self.core.meta.keys.hash_ref(key.key(&mut KeySink::new()))?;
        self.insert_hash(hash)
    }

    /// [`advance_to`](Self::advance_to) and [`insert`](Self::insert). A key with a time of the past
    /// comes in as of now.
    ///
    /// # Errors
    /// As both.
    pub fn insert_at<K: Key + ?Sized>(&mut self, key: &K, time: u64) -> Result<bool> {
        let hash = self.core.meta.keys.hash_ref(key.key(&mut KeySink::new()))?;
        self.advance_to(time)?;
        self.insert_hash(hash)
    }

    /// [`insert`](Self::insert) for a key hashed before by [`hash_key`](Self::hash_key), by an
    /// equal [`key_hasher`](Self::key_hasher), or by the caller.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) -> Result<bool> {
        self.core.table.before_a_change()?;
        let (number, tag) = (self.core.table.number(hash), self.clock.tag());
        let is_new = !self.core.table.refresh(number, tag)?;
        if is_new {
            if self.is_full() {
                return Err(self.core.full());
            }
            self.core.table.insert(number, tag, true)?;
        }
        self.count(1)?;
        Ok(is_new)
    }

    /// So many keys more were inserted: steps of a clock of keys.
    #[inline]
    fn count(&mut self, keys: u64) -> Result<()> {
        self.inserted = self.inserted.map(|inserted| inserted.saturating_add(keys));
        if let (Window::Keys(_), Some(now)) = (self.window(), self.now()) {
            let time = now.saturating_add(keys);
            self.turn(self.clock.turns_to(time), time)?;
        }
        Ok(())
    }

    insert_many!(core.meta; ": the error says how many.");

    /// [`insert`](Self::insert) for keys hashed before. Many of them, beside those that are in, are
    /// sorted and merged.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_many_hashes(&mut self, hashes: &[u64]) -> Result<()> {
        // Whatever is refused is refused again, at its place.
        if matches!(self.window(), Window::Time(_))
            && self.core.is_sorted_quicker(hashes.len())
            && self.insert_sorting(hashes).is_ok()
        {
            return Ok(());
        }
        one_by_one(self, |filter| &filter.core, hashes, Self::insert_hash)
    }

    /// Inserts keys of one time by sorting their numbers, all or none.
    fn insert_sorting(&mut self, hashes: &[u64]) -> Result<()> {
        let join = Join::Youngest(self.clock.recent());
        let (tag, slots) = (self.clock.tag(), self.core.usual_slots());
        self.core.table = self.core.with_hashes(join, copy_of(hashes)?, tag, slots)?;
        self.inserted = self.inserted.map(|inserted| inserted.saturating_add(hashes.len() as u64));
        Ok(())
    }
}

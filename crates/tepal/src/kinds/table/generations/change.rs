//! Advances the time, and inserts keys.

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
    /// Tells the filter the time, in the unit of its window. Forgets the keys whose last insert was
    /// W (1 + 1/g) ago or more, and none whose last insert was less than W ago. Returns how many
    /// generations ended.
    ///
    /// A time before [`now`](Self::now) changes nothing ([`set_clock`](Self::set_clock) sets the
    /// clock back): a machine whose clock was set back lets keys live longer, and loses none. Keys
    /// that were inserted before the filter was told any time count as inserted at the first time.
    ///
    /// The end of a generation costs one pass over the table, some 5 ns for each key in it
    /// (`bench/results/2026-11-23-expiring.md`). The end of more than g generations empties it.
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
    /// [`Error::Damaged`] for an opened file, which is copied into memory when keys expire. The
    /// filter is unchanged then.
    pub fn advance_to(&mut self, time: u64) -> Result<u64> {
        if let Window::Keys(_) = self.window() {
            return Err(self.refusal(Operation::Advance));
        }
        if self.now().is_none() {
            self.stamp_all(time)?;
        }
        let turns = self.turns_to(time);
        self.turn(turns, time)?;
        Ok(turns)
    }

    /// How many generations a time is after now, as this filter counts time.
    pub(super) fn turns_to(&self, time: u64) -> u64 {
        match (self.window(), self.now()) {
            (Window::Time(_), Some(_)) => self.clock.turns_to(time),
            _ => 0,
        }
    }

    /// Sets the clock to a time, also to one before [`now`](Self::now). If it is before now, all
    /// keys in the filter count as inserted at that time, so none is lost, and each stays for a
    /// whole window. A later time is told as by [`advance_to`](Self::advance_to).
    ///
    /// A filter that was told a time in the future by mistake forgets no key until then; this call
    /// mends it. It costs one pass over the table.
    ///
    /// ```
    /// let mut seen = tepal::ExpiringFilter::builder().capacity(100).window_of_time(60).build()?;
    /// seen.insert_at("apple", 9_000_000)?;            // a wrong time
    /// seen.set_clock(1000)?;
    /// assert_eq!((seen.now(), seen.age_estimate("apple")), (Some(1000), Some(0)));
    /// seen.advance_to(1070)?;
    /// assert!(!seen.contains("apple"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`advance_to`](Self::advance_to). The filter is unchanged then.
    pub fn set_clock(&mut self, time: u64) -> Result<()> {
        match (self.window(), self.now()) {
            (Window::Time(_), Some(now)) if time < now => self.stamp_all(time),
            _ => self.advance_to(time).map(drop),
        }
    }

    /// Sets the clock to a time at which all present keys count as inserted.
    fn stamp_all(&mut self, time: u64) -> Result<()> {
        let clock = self.clock.at(Some(time));
        let (tag, tag_bits) = (clock.tag(), clock.tag_bits());
        if !self.is_empty() {
            self.core.table.check_before_copying()?;
            let entries =
                || Stream::of(self.core.table.entries().map(|entry| entry >> tag_bits << tag_bits | tag));
            self.core.table = Table::of_entries(self.numbers(), tag_bits, self.core.usual_slots(), &entries)?;
        }
        self.clock = clock;
        Ok(())
    }

    /// Ends this many generations; the time is now `time`.
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

    /// Inserts a key as of [`now`](Self::now). A key that is a member becomes young again. `true`:
    /// the key is surely not in the window.
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
    /// - [`Error::CapacityReached`] for a new key if the filter is full and its policy is
    ///   [`OverCapacity::Refuse`](crate::OverCapacity::Refuse);
    /// - [`Error::KeyRefused`] for a key that the key domain does not have;
    /// - [`Error::CallerHashes`] in a filter with `caller_hash`;
    /// - [`Error::NumbersClustered`] if keys were chosen by the filter's own hash so that their
    ///   fingerprints lie side by side;
    /// - [`Error::TooLarge`] if there is no memory for more lines;
    /// - [`Error::Damaged`] for a filter that was opened [quick](crate::Open::quick) and is
    ///   damaged.
    ///
    /// The filter is unchanged then.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        let hash = self.core.meta.keys.hash_ref(key.key(&mut KeySink::new()))?;
        self.insert_hash(hash)
    }

    /// [`advance_to`](Self::advance_to), then [`insert`](Self::insert). A key with a past time is
    /// inserted as of now.
    ///
    /// # Errors
    /// As both.
    pub fn insert_at<K: Key + ?Sized>(&mut self, key: &K, time: u64) -> Result<bool> {
        let hash = self.core.meta.keys.hash_ref(key.key(&mut KeySink::new()))?;
        self.advance_to(time)?;
        self.insert_hash(hash)
    }

    /// [`insert`](Self::insert) for a hash, computed by [`hash_key`](Self::hash_key), by an equal
    /// [`key_hasher`](Self::key_hasher), or by the caller.
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

    /// Counts inserted keys: the steps of a window of keys.
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

    /// [`insert`](Self::insert) for hashes. If they are many compared with the filter, they are
    /// sorted and merged.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_many_hashes(&mut self, hashes: &[u64]) -> Result<()> {
        // Inserting one by one reports the refusal at the right key.
        if matches!(self.window(), Window::Time(_))
            && self.core.is_sorted_quicker(hashes.len())
            && self.insert_sorting(hashes).is_ok()
        {
            return Ok(());
        }
        one_by_one(self, |filter| &filter.core, hashes, Self::insert_hash)
    }

    /// Inserts keys of one time by sorting their fingerprints, all or none.
    fn insert_sorting(&mut self, hashes: &[u64]) -> Result<()> {
        let join = Join::Youngest(self.clock.recent());
        let (tag, slots) = (self.clock.tag(), self.core.usual_slots());
        self.core.table = self.core.with_hashes(join, copy_of(hashes)?, tag, slots)?;
        self.inserted = self.inserted.map(|inserted| inserted.saturating_add(hashes.len() as u64));
        Ok(())
    }
}

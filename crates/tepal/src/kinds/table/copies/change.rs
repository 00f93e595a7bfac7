//! Inserts, removals and counts.

use alloc::vec::Vec;

use super::QuotientFilter;
use crate::bits::memory::copy_of;
use crate::bits::table::change::{Added, Copies, Wanted};
use crate::error::{Error, Result};
use crate::ids::Operation;
use crate::key::{Batch, Key, KeySink, Keys, One, PreparedKeys};
use crate::kinds::Filter;
use crate::kinds::bloom::after;
use crate::kinds::calls::insert_many;
use crate::kinds::table::core::{AHEAD, one_by_one};
use crate::kinds::table::join::Join;
use crate::kinds::table::lines::{MOST_COPIES, too_many_copies};

impl QuotientFilter {
    /// Adds one copy of a key. `true`: the key is surely new.
    ///
    /// ```
    /// let mut seen = tepal::QuotientFilter::builder().capacity(1000).build()?;
    /// assert!(seen.insert("apple")?);          // surely new
    /// assert!(!seen.insert("apple")?);         // a second copy
    /// assert!(seen.remove("apple")? && seen.contains("apple"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::CapacityReached`] for a new key if the filter is full and its policy is
    ///   [`OverCapacity::Refuse`](crate::OverCapacity::Refuse);
    /// - [`Error::TooManyCopies`] if the filter holds the most copies of the key;
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

    /// [`insert`](Self::insert) for a hash, computed by [`hash_key`](Self::hash_key), by an equal
    /// [`key_hasher`](Self::key_hasher), or by the caller.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) -> Result<bool> {
        self.core.table.before_a_change()?;
        let (number, is_full) = (self.core.table.number(hash), self.is_full());
        if self.count_bits() == 0 {
            let wanted = if is_full { Wanted::Held } else { Wanted::All };
            match self.core.table.add(number, wanted) {
                Added::Not => {}
                Added::Refused => return Err(self.core.full()),
                added => {
                    self.held += 1;
                    return Ok(added == Added::New);
                }
            }
        }
        self.insert_slowly(number, is_full)
    }

    /// [`insert_hash`](Self::insert_hash) for every fingerprint.
    #[inline(never)]
    fn insert_slowly(&mut self, number: u64, is_full: bool) -> Result<bool> {
        let copies = self.core.table.copies(number);
        let is_new = copies.slots == 0;
        if is_new && is_full {
            return Err(self.core.full());
        }
        let most_tag = self.most_tag();
        if !is_new && copies.first_tag < most_tag {
            self.core.table.set_first_tag(number, copies.first_tag + 1)?;
        } else if copies.slots == MOST_COPIES {
            return Err(too_many_copies(self.count_bits()));
        } else {
            self.core.table.insert(number, 0, is_new)?;
        }
        self.held += 1;
        Ok(is_new)
    }

    /// The greatest tag: one less than the copies that a slot can count.
    #[inline]
    fn most_tag(&self) -> u64 {
        (1 << self.count_bits()) - 1
    }

    /// The number of copies that these slots count: all but the first count the most they can.
    pub(super) fn count_of(&self, copies: Copies) -> u64 {
        match copies.slots {
            0 => 0,
            slots => u64::from(slots - 1) * (self.most_tag() + 1) + copies.first_tag + 1,
        }
    }

    /// Removes one copy of a key. `false`: there was none, and nothing changed.
    ///
    /// Remove only keys that were inserted. A non-member has the fingerprint of a member with the
    /// probability [`false_positive_rate`](Self::false_positive_rate); then that member is removed
    /// in its place. q removals of non-members lose about q times that rate of members.
    ///
    /// # Errors
    /// [`Error::KeyRefused`] and [`Error::CallerHashes`] as [`insert`](Self::insert);
    /// [`Error::NotPossible`] if two keys may share a copy ([`is_deletable`](Self::is_deletable));
    /// [`Error::TooLarge`] and [`Error::Damaged`] for an opened file, which is copied into memory
    /// first. The filter is unchanged then.
    #[inline]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        let hash = self.core.meta.keys.hash_ref(key.key(&mut KeySink::new()))?;
        self.remove_hash(hash)
    }

    /// [`remove`](Self::remove) for a hash.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    #[inline]
    pub fn remove_hash(&mut self, hash: u64) -> Result<bool> {
        if !self.is_deletable {
            return Err(self.refusal(Operation::Remove));
        }
        let number = self.core.table.number(hash);
        let copies = self.core.table.copies(number);
        if copies.slots == 0 {
            return Ok(false);
        }
        self.core.table.before_a_change()?;
        if copies.first_tag > 0 {
            self.core.table.set_first_tag(number, copies.first_tag - 1)?;
        } else {
            self.core.table.remove(number, 0, copies.slots == 1)?;
        }
        self.held -= 1;
        Ok(true)
    }

    /// [`remove`](Self::remove) for many keys. Returns how many copies were removed.
    ///
    /// Removing the same list a second time removes members: its keys are no longer in the filter,
    /// and at the filter's rate they look like members. If that can happen, look all keys up first,
    /// and remove none if one of them is surely not a member:
    ///
    /// ```
    /// use tepal::QuotientFilter;
    /// let mut sessions = QuotientFilter::builder().build_from(&["alice", "bob", "carol"])?;
    /// let ended = ["alice", "bob"];
    /// for removed in [2, 0] {
    ///     let are_in = sessions.contains_many(&ended);
    ///     let now = if are_in.contains(&false) { 0 } else { sessions.remove_many(&ended)? };
    ///     assert_eq!(now, removed);
    /// }
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`remove`](Self::remove). The keys before the refused one are removed.
    pub fn remove_many<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<u64> {
        let (mut sink, mut removed) = (KeySink::new(), 0);
        for i in 0..keys.len() {
            let hash = self.core.meta.keys.hash_ref(keys.key(i, sink.cleared()))?;
            removed += u64::from(self.remove_hash(hash)?);
        }
        Ok(removed)
    }

    /// [`remove_many`](Self::remove_many) for hashes; the memory accesses of several removals run
    /// at the same time. Hashes of non-members remove members, as there.
    ///
    /// # Errors
    /// As [`remove`](Self::remove). The keys before the refused one are removed.
    pub fn remove_many_hashes(&mut self, hashes: &[u64]) -> Result<u64> {
        let mut removed = 0;
        for ahead in hashes.chunks(AHEAD) {
            ahead.iter().for_each(|&hash| self.core.table.fetch(self.core.table.number(hash)));
            for &hash in ahead {
                removed += u64::from(self.remove_hash(hash)?);
            }
        }
        Ok(removed)
    }

    /// [`remove_many`](Self::remove_many) for keys that the filter's
    /// [`key_hasher`](Self::key_hasher) has prepared. Non-members remove members, as there.
    ///
    /// # Errors
    /// As [`remove_many`](Self::remove_many); [`Error::NoHash`] for keys that another hasher has
    /// prepared.
    pub fn remove_prepared(&mut self, keys: &PreparedKeys) -> Result<u64> {
        match keys.hashes() {
            Some(hashes) => self.remove_many_hashes(hashes),
            None if keys.is_empty() => Ok(0),
            None => Err(Error::NoHash { scheme: self.core.meta.keys.scheme() }),
        }
    }

    insert_many!(core.meta; ": the error says how many.");

    /// [`insert`](Self::insert) for hashes. If they are many compared with the filter, they are
    /// sorted and merged.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_many_hashes(&mut self, hashes: &[u64]) -> Result<()> {
        if self.core.is_sorted_quicker(hashes.len()) {
            let slots = self.core.table.slots().saturating_add(hashes.len() as u64);
            // Inserting one by one reports the refusal at the right key.
            if self.insert_sorting(copy_of(hashes)?, slots.min(self.capacity())).is_ok() {
                return Ok(());
            }
        }
        one_by_one(self, |filter| &filter.core, hashes, Self::insert_hash)
    }

    /// Inserts keys by sorting their fingerprints, all or none. The table is laid out for at least
    /// `slots` slots.
    pub(super) fn insert_sorting(&mut self, hashes: Vec<u64>, slots: u64) -> Result<()> {
        let added = hashes.len() as u64;
        self.core.table = self.core.with_hashes(Join::Counted, hashes, 0, slots)?;
        self.held += added;
        Ok(())
    }
}

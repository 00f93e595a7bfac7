//! Inserts and removals.

use super::ask::{BATCH, NonMembers};
use super::{GrowingFilter, new_link};
use crate::bits::memory::room;
use crate::bits::table::change::{Added, Wanted};
use crate::bits::table::stream::Stream;
use crate::error::{Error, Result};
use crate::ids::Operation;
use crate::key::{Batch, Key, KeySink, Keys, One, PreparedKeys};
use crate::kinds::bloom::after;
use crate::kinds::calls::insert_many;
use crate::kinds::table::join::{Join, in_either};
use crate::kinds::table::lines::{Counts, MOST_COPIES, Table, too_many_copies};
use crate::kinds::{Filter, Removal};

/// The number of keys whose lines are prefetched at once.
const AHEAD: usize = 16;

/// A batch of this many hashes is sorted and merged, if it is at least as large as the newest link.
const SORTED_FROM: usize = 4096;

impl GrowingFilter {
    /// Inserts a key. `true`: the key is surely new. `false`: it was a member or a false positive,
    /// and nothing changed; if keys can be [removed](super::GrowingFilterBuilder::deletable), the
    /// filter holds one more copy.
    ///
    /// ```
    /// let mut seen = tepal::GrowingFilter::builder().build()?;
    /// assert!(seen.insert("apple")?);          // surely new
    /// assert!(!seen.insert("apple")?);         // perhaps seen before
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::RateOutOfReach`] if the filter has the most keys it can ever have;
    /// - [`Error::TooLarge`] if there is no memory for more lines;
    /// - [`Error::KeyRefused`] for a key that the key domain does not have;
    /// - [`Error::CallerHashes`] in a filter with `caller_hash`;
    /// - [`Error::NumbersClustered`] if keys were chosen by the filter's own hash so that their
    ///   fingerprints lie side by side;
    /// - [`Error::TooManyCopies`] if keys can be removed and the newest table has 64 copies of one;
    /// - [`Error::Damaged`] for a filter that was opened [quick](crate::Open::quick) and is
    ///   damaged.
    ///
    /// The filter is unchanged then.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        let hash = self.meta.keys.hash_ref(key.key(&mut KeySink::new()))?;
        self.insert_hash(hash)
    }

    /// [`insert`](Self::insert) for a hash, computed by [`hash_key`](Self::hash_key), by an equal
    /// [`key_hasher`](Self::key_hasher), or by the caller.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    pub fn insert_hash(&mut self, hash: u64) -> Result<bool> {
        if self.meta.is_deletable {
            return self.insert_copy(hash);
        }
        let newest = self.links.len() - 1;
        if self.whole.is_some() {
            if self.contains_hash(hash) {
                return Ok(false);
            }
            self.before_a_change()?;
        }
        self.links[newest].fetch(self.links[newest].number(hash));
        if self.links[..newest].iter().rev().any(|link| link.contains(hash)) {
            return Ok(false);
        }
        self.insert_if_new(hash, newest)
    }

    /// Inserts a hash that no link before `asked` holds. Returns whether it was new.
    #[inline]
    fn insert_if_new(&mut self, hash: u64, asked: usize) -> Result<bool> {
        let newest = self.links.len() - 1;
        if asked == newest && self.link_with_room() == Some(newest) {
            let link = &mut self.links[newest];
            if link.has_room() {
                match link.add(link.number(hash), Wanted::New) {
                    Added::New => return Ok(true),
                    Added::Refused => return Ok(false),
                    Added::Again | Added::Not => {}
                }
            }
        }
        if self.links[asked..].iter().any(|link| link.contains(hash)) {
            return Ok(false);
        }
        self.insert_non_member(hash)?;
        Ok(true)
    }

    /// Adds one more copy of a key, beside an equal fingerprint if there is one, which does not
    /// raise the rate. An old link has few possible fingerprints, so other keys may already fill
    /// all copies of one there; then a newer link holds the key.
    fn insert_copy(&mut self, hash: u64) -> Result<bool> {
        self.before_a_change()?;
        let Some(holder) = self.links.iter().rposition(|link| link.contains(hash)) else {
            self.insert_non_member(hash)?;
            return Ok(true);
        };
        match self.insert_again(hash, holder) {
            Err(Error::TooManyCopies { .. } | Error::NumbersClustered { .. })
                if holder + 1 < self.links.len() =>
            {
                self.insert_behind(hash, holder)?;
            }
            outcome => outcome?,
        }
        Ok(false)
    }

    /// Adds one more copy of a key in the link that holds its fingerprint.
    fn insert_again(&mut self, hash: u64, holder: usize) -> Result<()> {
        let (most, link) = (self.meta.plan.capacity(holder), &mut self.links[holder]);
        let number = link.number(hash);
        if link.copies(number).slots == MOST_COPIES {
            return Err(too_many_copies(0));
        }
        link.make_room(most)?;
        link.insert(number, 0, false)
    }

    /// Inserts a key that no link holds into the oldest link that takes more, or into a new one.
    /// After removals that may be another link than the newest.
    fn insert_non_member(&mut self, hash: u64) -> Result<()> {
        self.insert_in(self.link_with_room(), hash)
    }

    /// Inserts a key into the oldest link after this one that takes more, or into a new one. None
    /// of these links holds it.
    fn insert_behind(&mut self, hash: u64, link: usize) -> Result<()> {
        self.insert_in((link + 1..self.links.len()).find(|&link| self.takes_more(link)), hash)
    }

    /// Inserts a key into the link at `place`, which does not hold it, or into a new one.
    fn insert_in(&mut self, place: Option<usize>, hash: u64) -> Result<()> {
        match place {
            Some(place) => {
                let (most, link) = (self.meta.plan.capacity(place), &mut self.links[place]);
                link.make_room(most)?;
                link.insert(link.number(hash), 0, true)
            }
            None => self.begin_link(hash),
        }
    }

    /// The oldest link that takes more keys.
    pub(super) fn link_with_room(&self) -> Option<usize> {
        (0..self.links.len()).find(|&link| self.takes_more(link))
    }

    fn takes_more(&self, link: usize) -> bool {
        self.links[link].distinct() < self.meta.plan.capacity(link)
    }

    /// Begins a link with this key, laid out for an eighth of the present keys.
    #[cold]
    fn begin_link(&mut self, hash: u64) -> Result<()> {
        let mut next = new_link(&self.meta.plan, self.links.len(), self.len() / 8)?;
        next.insert(next.number(hash), 0, true)?;
        self.links.try_reserve_exact(1).map_err(|_| Error::TooLarge { bytes: next.packing().bytes() })?;
        self.links.push(next);
        Ok(())
    }

    insert_many!(".");

    /// Inserts keys that the filter's [`key_hasher`](Self::key_hasher) has prepared, in their
    /// order. `is_new[i]` becomes `true` if key `i` was surely new. A key that stands twice among
    /// them is new once.
    ///
    /// # Errors
    /// As [`insert`](Self::insert), and [`Error::NoHash`] for keys that were prepared for another
    /// scheme. The keys before the refused one are inserted. No key was inserted for which `is_new`
    /// is `false`.
    ///
    /// # Panics
    /// If the number of answers differs from the number of keys.
    pub fn insert_prepared_noting(&mut self, keys: &PreparedKeys, is_new: &mut [bool]) -> Result<()> {
        assert_eq!(keys.len(), is_new.len(), "one answer for each key");
        is_new.fill(false);
        match keys.batch() {
            Batch::Hashes(hashes) => self.insert_hashes(hashes, |place| is_new[place] = true),
            other => self.insert_prepared_batch(other, 0),
        }
    }

    /// [`insert`](Self::insert) for hashes. If keys cannot be
    /// [removed](super::GrowingFilterBuilder::deletable), thousands of hashes at a time are sorted
    /// and merged.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_many_hashes(&mut self, hashes: &[u64]) -> Result<()> {
        let mut done = 0;
        while done < hashes.len() {
            let rest = &hashes[done..];
            let here = match self.insert_sorted(rest) {
                Ok(0) => rest.len().min(BATCH),
                Ok(sorted) => {
                    done += sorted;
                    continue;
                }
                // Inserting one by one reports the refusal at the right key.
                Err(_) => rest.len(),
            };
            self.insert_hashes(&rest[..here], |_| ()).map_err(after(done))?;
            done += here;
        }
        Ok(())
    }

    /// Sorts the fingerprints of many hashes and merges them with the newest link: all hashes, or
    /// the first ones that surely fit. Returns how many were merged; 0 if sorting would take longer
    /// than inserting one by one.
    fn insert_sorted(&mut self, hashes: &[u64]) -> Result<usize> {
        let newest = self.links.len() - 1;
        if hashes.len() < SORTED_FROM
            || self.meta.is_deletable
            || self.whole.is_some()
            || self.link_with_room() != Some(newest)
        {
            return Ok(0);
        }
        let (most, link) = (self.meta.plan.capacity(newest), &self.links[newest]);
        let count =
            usize::try_from(most - link.distinct()).map_or(hashes.len(), |most| most.min(hashes.len()));
        if count < SORTED_FROM || (count as u64) < link.slots() {
            return Ok(0);
        }
        let mut numbers = room(count)?;
        for piece in hashes[..count].chunks(BATCH) {
            numbers.extend(self.non_members(piece, newest).hashes().iter().map(|&hash| link.number(hash)));
        }
        numbers.sort_unstable();
        let entries = || in_either(Join::Once, 0, link.stream(), Stream::of(numbers.iter().copied()));
        let counts = Counts::of(entries(), 0);
        let slots = link.laid_after(counts.slots, most)?;
        self.links[newest] = Table::of_counted(link.packing().numbers(), 0, slots, counts, &entries)?;
        Ok(count)
    }

    /// Inserts hashes in their order. Calls `note` with the position of each that was new.
    pub(super) fn insert_hashes(&mut self, hashes: &[u64], mut note: impl FnMut(usize)) -> Result<()> {
        let size = if self.meta.is_deletable { AHEAD } else { BATCH };
        for (start, piece) in (0..).step_by(size).zip(hashes.chunks(size)) {
            let note = |place: usize| note(start + place);
            let done = if self.meta.is_deletable {
                self.insert_copies(piece, note)
            } else {
                self.insert_non_members(piece, note)
            };
            done.map_err(after(start))?;
        }
        Ok(())
    }

    fn insert_copies(&mut self, hashes: &[u64], mut note: impl FnMut(usize)) -> Result<()> {
        for link in &self.links {
            hashes.iter().for_each(|&hash| link.fetch(link.number(hash)));
        }
        for (i, &hash) in hashes.iter().enumerate() {
            if self.insert_copy(hash).map_err(after(i))? {
                note(i);
            }
        }
        Ok(())
    }

    /// Looks up at most [`BATCH`] hashes together, and inserts those that no link holds.
    fn insert_non_members(&mut self, hashes: &[u64], mut note: impl FnMut(usize)) -> Result<()> {
        // An opened filter is not changed before it is clear that a hash is new.
        let asked = if self.whole.is_some() { self.links.len() } else { self.links.len() - 1 };
        let left = self.non_members(hashes, asked);
        if left.hashes().is_empty() {
            return Ok(());
        }
        let failed = |place: &u16| after(usize::from(*place));
        self.before_a_change().map_err(failed(&left.places()[0]))?;
        // From the first link with room on, links may have changed since the lookup.
        let asked = asked.min(self.link_with_room().unwrap_or(self.links.len()));
        for (hashes, places) in left.hashes().chunks(AHEAD).zip(left.places().chunks(AHEAD)) {
            let newest = self.newest();
            hashes.iter().for_each(|&hash| newest.fetch(newest.number(hash)));
            for (&hash, place) in hashes.iter().zip(places) {
                if self.insert_if_new(hash, asked).map_err(failed(place))? {
                    note(usize::from(*place));
                }
            }
        }
        Ok(())
    }

    /// The hashes, of at most [`BATCH`], that none of the first `asked` links holds.
    fn non_members(&self, hashes: &[u64], asked: usize) -> NonMembers {
        let mut left = NonMembers::of(hashes);
        for link in self.links[..asked].iter().rev() {
            let mut found = [false; BATCH];
            let found = &mut found[..left.hashes().len()];
            link.contains_many(left.hashes(), found);
            left.keep_others(found);
        }
        left
    }

    /// Removes one copy of a key, if the filter is
    /// [deletable](super::GrowingFilterBuilder::deletable).
    ///
    /// Remove only keys that were inserted. A non-member has the fingerprint of a member with the
    /// probability [`false_positive_rate`](Self::false_positive_rate); then that member is removed
    /// in its place. A key whose fingerprint two links hold is kept, so that no other key is lost:
    /// about the rate's share of all keys.
    ///
    /// # Errors
    /// [`Error::NotPossible`] if the filter is not deletable; [`Error::KeyRefused`] and
    /// [`Error::CallerHashes`] as [`insert`](Self::insert); [`Error::TooLarge`] and
    /// [`Error::Damaged`] for an opened file, which is copied into memory first. The filter is
    /// unchanged then.
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Result<Removal> {
        let hash = self.meta.keys.hash_ref(key.key(&mut KeySink::new()))?;
        self.remove_hash(hash)
    }

    /// [`remove`](Self::remove) for a hash.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    pub fn remove_hash(&mut self, hash: u64) -> Result<Removal> {
        if !self.meta.is_deletable {
            return Err(self.refusal(Operation::Remove));
        }
        let mut holders = (0..self.links.len()).filter(|&link| self.links[link].contains(hash));
        let Some(holder) = holders.next() else { return Ok(Removal::NotHeld) };
        if holders.next().is_some() {
            return Ok(Removal::Kept);
        }
        self.before_a_change()?;
        let link = &mut self.links[holder];
        let number = link.number(hash);
        let is_last = link.copies(number).slots == 1;
        link.remove(number, 0, is_last)?;
        Ok(Removal::Removed)
    }

    /// [`remove`](Self::remove) for keys that the filter's [`key_hasher`](Self::key_hasher) has
    /// prepared. Returns how many were removed.
    ///
    /// Removing the same list a second time removes members: its keys are no longer in the filter,
    /// and at the filter's rate they look like members. If that can happen, look all keys up first
    /// ([`contains_prepared`](Self::contains_prepared)), and remove none if one of them is surely
    /// not a member.
    ///
    /// # Errors
    /// As [`remove`](Self::remove), and [`Error::NoHash`] for keys that another hasher has
    /// prepared. The keys before the refused one are removed.
    pub fn remove_prepared(&mut self, keys: &PreparedKeys) -> Result<u64> {
        let Some(hashes) = keys.hashes() else {
            return if keys.is_empty() {
                Ok(0)
            } else {
                Err(Error::NoHash { scheme: self.meta.keys.scheme() })
            };
        };
        let mut removed = 0;
        for &hash in hashes {
            removed += u64::from(self.remove_hash(hash)? == Removal::Removed);
        }
        Ok(removed)
    }

    /// Lays all tables out for the keys in them: the same answers, in the fewest bytes. Inserting
    /// more keys lays them out again.
    ///
    /// # Errors
    /// [`Error::NumbersClustered`] if there is no smaller table for its fingerprints, as in tiny
    /// filters; [`Error::TooLarge`] if there is no memory for it; [`Error::Damaged`] as for
    /// [`insert`](Self::insert). The filter is unchanged then.
    pub fn shrink_to_fit(&mut self) -> Result<()> {
        self.before_a_change()?;
        self.links.iter_mut().try_for_each(|link| link.lay_out(link.slots().max(1)))
    }
}

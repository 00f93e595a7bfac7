//! Adding items.

use tepal::{AnyFilter, Error};

use crate::ask::BATCH;
use crate::reply::Refusal;
use crate::value::Held;

/// What adding an item did.
pub(crate) enum Added {
    /// The item is new.
    New,
    /// It was held already, and one more copy of it is; or it stays longer.
    Again,
    /// It was held already, and nothing changed.
    Held,
    /// The filter is full. It has not changed.
    Full,
    /// It is refused for another reason. The filter has not changed.
    Refused(Refusal),
}

/// What becomes of an item that the filter holds.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Repeats {
    /// `BF.ADD`: nothing, unless items can be removed. A filter with removal takes a copy for each
    /// add, so that the removal of another item with the same fingerprint does not lose this one.
    AsKind,
    /// `CF.ADD`: one more copy.
    Count,
    /// `CF.ADDNX`: nothing.
    Skip,
}

/// How items are added.
#[derive(Clone, Copy)]
struct How {
    /// Whether an item that is held already is taken again.
    keeps_all: bool,
    /// The largest size of a filter.
    most: u64,
}

impl Held {
    /// Adds items in their order, as of `now`. `each` is told about each of them, and ends the
    /// command by `false` after one that is refused. `most` is the largest size of a filter.
    pub(crate) fn add_many(
        &mut self,
        items: &[&[u8]],
        (repeats, now, most): (Repeats, u64, u64),
        mut each: impl FnMut(Added) -> bool,
    ) {
        if let AnyFilter::Expiring(_) = self.filter() {
            if let Err(error) = self.file.advance_to(now) {
                each(Added::Refused(error.into()));
                return;
            }
        }
        let how = How { keeps_all: self.keeps_all(repeats), most };
        let mut hashes = [0; BATCH];
        for batch in items.chunks(BATCH) {
            let goes_on = match self.hashed(batch, &mut hashes) {
                Some(hashes) => self.add_hashes(hashes, how, &mut each),
                None => self.add_each(batch, how, &mut each),
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Whether an item that is held already is taken again.
    fn keeps_all(&self, repeats: Repeats) -> bool {
        match self.filter() {
            AnyFilter::Expiring(_) => true,
            _ => repeats != Repeats::Skip && self.can().remove,
        }
    }

    /// Adds a batch, all items at once. Items that differ are all new if the filter held none of
    /// them before the batch, even if it would hold one by mistake after the others.
    fn add_hashes(&mut self, hashes: &[u64], how: How, mut each: impl FnMut(Added) -> bool) -> bool {
        let mut held = [false; BATCH];
        let held = &mut held[..hashes.len()];
        self.filter().contains_many_hashes(hashes, held);
        // The items to insert, and their places in the batch.
        let (mut wanted, mut places, mut count) = ([0; BATCH], [0; BATCH], 0);
        for (i, hash) in hashes.iter().enumerate() {
            // An item may be the same as one before it.
            held[i] = held[i] || hashes[..i].contains(hash);
            (wanted[count], places[count]) = (*hash, i);
            count += usize::from(how.keeps_all || !held[i]);
        }
        let added = |i: usize| match held[i] {
            false => Added::New,
            true if how.keeps_all => Added::Again,
            true => Added::Held,
        };
        let (mut told, mut inserted) = (0, 0);
        loop {
            let (done, refused) = self.insert(&wanted[inserted..count], how);
            inserted += done;
            let end = if refused.is_some() { places[inserted] } else { hashes.len() };
            if !(told..end).all(|i| each(added(i))) {
                return false;
            }
            let Some(refused) = refused else { return true };
            if !each(refused) {
                return false;
            }
            (told, inserted) = (end + 1, inserted + 1);
        }
    }

    /// Inserts hashes in their order. Returns how many are in, and what became of the next one if
    /// not all are.
    fn insert(&mut self, hashes: &[u64], how: How) -> (usize, Option<Added>) {
        if hashes.is_empty() {
            return (0, None);
        }
        if let Some(refused) = self.is_too_large(how.most) {
            return (0, Some(refused));
        }
        match hashes.split_at_checked(self.room()) {
            Some(([], _)) => (0, Some(Added::Full)),
            Some((hashes, [_, ..])) => {
                let (inserted, refused) = self.insert_all(hashes, how);
                (inserted, refused.or(Some(Added::Full)))
            }
            _ => self.insert_all(hashes, how),
        }
    }

    /// [`insert`](Self::insert) as far as the library takes them.
    fn insert_all(&mut self, hashes: &[u64], how: How) -> (usize, Option<Added>) {
        let before = self.items();
        let Err(error) = self.file.insert_many_hashes(hashes) else { return (hashes.len(), None) };
        let inserted = if how.keeps_all {
            // Each is one more copy, or counted.
            self.items().saturating_sub(before) as usize
        } else {
            hashes.iter().take_while(|hash| self.file.contains_hash(**hash)).count()
        };
        (inserted.min(hashes.len() - 1), Some(error.into()))
    }

    /// Adds a batch one item after the other: its filter's scheme has no 64-bit hash, or one of the
    /// items is no key of it.
    fn add_each(&mut self, items: &[&[u8]], how: How, mut each: impl FnMut(Added) -> bool) -> bool {
        let mut held = [false; BATCH];
        let held = &mut held[..items.len()];
        self.filter().contains_many_into(items, held);
        let mut has_changed = false;
        for (item, held) in items.iter().zip(held) {
            // An item of this batch may be the same as one before it.
            let held = *held || has_changed && self.file.contains(item);
            let added = match held && !how.keeps_all {
                true => Added::Held,
                false => self.add(item, held, how.most),
            };
            has_changed |= matches!(added, Added::New);
            if !each(added) {
                return false;
            }
        }
        true
    }

    fn add(&mut self, item: &[u8], held: bool, most: u64) -> Added {
        if self.room() == 0 {
            return Added::Full;
        }
        if let Some(refused) = self.is_too_large(most) {
            return refused;
        }
        match self.file.insert(item) {
            Ok(_) if held => Added::Again,
            Ok(_) => Added::New,
            Err(error) => error.into(),
        }
    }

    /// The number of new items that a Bloom filter takes up to its capacity. The library would take
    /// more, as long as it keeps the promise; RedisBloom does not.
    fn room(&self) -> usize {
        match self.filter() {
            AnyFilter::Bloom(filter) => {
                filter.keys_inserted().map_or(0, |items| filter.capacity().saturating_sub(items) as usize)
            }
            _ => usize::MAX,
        }
    }

    /// The refusal of a new item, if it might make the filter larger than this.
    fn is_too_large(&self, most: u64) -> Option<Added> {
        let text = "ERR the filter has the largest size: load the module with a larger `max-bytes`";
        (self.next_size() > most).then(|| Added::Refused(text.into()))
    }

    /// The bytes of the filter, and of the link that a new item would add to a full chain. The
    /// numbers of a chain that was loaded decide how large that link is.
    fn next_size(&self) -> u64 {
        /// More bits for each item than the newest link has: half of its rate takes 1.44.
        const MORE: f64 = 1.5;
        let size = self.file.size_in_bytes();
        let AnyFilter::Scalable(chain) = self.filter() else { return size };
        match (chain.links().last(), chain.expansion()) {
            (Some(newest), Some(times)) if newest.keys_inserted() >= Some(newest.capacity()) => {
                let items = newest.capacity() as f64 * f64::from(times);
                size.saturating_add((items * (newest.bits_per_key() + MORE) / 8.0) as u64)
            }
            _ => size,
        }
    }

    /// Removes one copy of an item; whether there was one.
    pub(crate) fn remove(&mut self, item: &[u8]) -> Result<bool, Refusal> {
        let removed = self.file.remove(item)? == tepal::Removal::Removed;
        self.about.deleted += u64::from(removed);
        Ok(removed)
    }
}

impl From<Error> for Added {
    fn from(error: Error) -> Self {
        match error {
            Error::CapacityReached { .. } | Error::RateOutOfReach { .. } | Error::PastLimit { .. } => {
                Added::Full
            }
            error => Added::Refused(error.into()),
        }
    }
}

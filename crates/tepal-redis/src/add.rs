//! Adding items.

use tepal::hash::PreparedKeys;
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

impl Held {
    /// Adds items in their order, as of `now`. `each` is told about each of them, and ends the
    /// command by `false`. `most` is the largest size of a filter.
    pub(crate) fn add_many(
        &mut self,
        items: &[&[u8]],
        (repeats, now, most): (Repeats, u64, u64),
        mut each: impl FnMut(usize, Added) -> bool,
    ) {
        if let AnyFilter::Expiring(_) = self.filter() {
            if let Err(error) = self.file.advance_to(now) {
                each(0, Added::Refused(error.into()));
                return;
            }
        }
        let keeps_all = self.keeps_all(repeats);
        let mut prepared = PreparedKeys::default();
        let mut held = [false; BATCH];
        for (number, batch) in items.chunks(BATCH).enumerate() {
            let (first, held) = (number * BATCH, &mut held[..batch.len()]);
            self.contains_batch(batch, held);
            if !keeps_all && held.iter().all(|held| *held) {
                if !(first..).take(batch.len()).all(|i| each(i, Added::Held)) {
                    return;
                }
                continue;
            }
            prepared.clear();
            if let Err(error) = self.file.key_hasher().prepare_many(batch, &mut prepared) {
                each(first, Added::Refused(error.into()));
                return;
            }
            let mut has_changed = false;
            for (i, (item, held)) in batch.iter().zip(held).enumerate() {
                let hash = prepared.hashes().map(|hashes| hashes[i]);
                // An item of this batch may be the same as one before it.
                let held = *held || has_changed && self.holds_now(item, hash);
                let added = match held && !keeps_all {
                    true => Added::Held,
                    false => self.add(item, hash, held, most),
                };
                has_changed |= matches!(added, Added::New);
                if !each(first + i, added) {
                    return;
                }
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

    fn contains_batch(&self, items: &[&[u8]], answers: &mut [bool]) {
        match self.filter() {
            AnyFilter::Bloom(filter) => filter.contains_many_into(items, answers),
            filter => filter.contains_many_into(items, answers),
        }
    }

    fn holds_now(&self, item: &[u8], hash: Option<u64>) -> bool {
        hash.map_or_else(|| self.file.contains(item), |hash| self.file.contains_hash(hash))
    }

    fn add(&mut self, item: &[u8], hash: Option<u64>, held: bool, most: u64) -> Added {
        if !held && self.has_all_items() {
            return Added::Full;
        }
        if !held && self.next_size() > most {
            let text = "ERR the filter has the largest size: load the module with a larger `max-bytes`";
            return Added::Refused(text.into());
        }
        let inserted = match hash {
            Some(hash) => self.file.insert_many_hashes(&[hash]),
            None => self.file.insert(item).map(drop),
        };
        match inserted {
            Ok(()) if held => Added::Again,
            Ok(()) => Added::New,
            Err(Error::CapacityReached { .. } | Error::RateOutOfReach { .. } | Error::PastLimit { .. }) => {
                Added::Full
            }
            Err(error) => Added::Refused(error.into()),
        }
    }

    /// Whether a Bloom filter has all items of its capacity. The library would take more, as long
    /// as it keeps the promise; RedisBloom does not.
    fn has_all_items(&self) -> bool {
        match self.filter() {
            AnyFilter::Bloom(filter) => filter.keys_inserted().is_none_or(|items| items >= filter.capacity()),
            _ => false,
        }
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

//! Keys that come from an iterator.

use alloc::vec::Vec;

use super::storage::{Storage, StorageMut};
use super::{BloomFilter, BloomFilterBuilder};
use crate::error::Result;
use crate::key::schemes::xxh3;
use crate::key::{BATCH, Key, PreparedKeys, insert_iter_in_batches};

impl<L: Storage> BloomFilter<L> {
    /// Answers for the keys of an iterator, each with its key, in their order. It takes 512 keys at
    /// a time, so that they are asked in batches as by [`contains_many`](Self::contains_many):
    /// whoever waits for an answer before the next key asks [`contains`](Self::contains).
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let seen = BloomFilter::builder().build_from(["apple", "banana"])?;
    /// let text = "apple\ncherry\nbanana";
    /// let new: Vec<&str> = seen.contains_iter(text.lines()).filter(|(_, seen)| !seen).map(|(key, _)| key).collect();
    /// assert_eq!(new, ["cherry"]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn contains_iter<I>(&self, keys: I) -> impl Iterator<Item = (I::Item, bool)> + use<'_, L, I>
    where
        I: IntoIterator<Item: Key>,
    {
        let mut keys = keys.into_iter().fuse();
        let mut answered = Vec::new().into_iter().zip(Vec::new());
        core::iter::from_fn(move || {
            if answered.len() == 0 {
                let batch: Vec<I::Item> = keys.by_ref().take(BATCH).collect();
                let answers = self.contains_many(&batch);
                answered = batch.into_iter().zip(answers);
            }
            answered.next()
        })
    }
}

impl<L: StorageMut> BloomFilter<L> {
    /// Inserts the keys of an iterator, in batches as [`insert_many`](Self::insert_many) does.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let mut seen = BloomFilter::builder().capacity(1000).build()?;
    /// seen.insert_iter("apple banana cherry".split(' '))?;
    /// seen.insert_iter((0..100u64).map(|id| (id, "visit")))?;
    /// assert!(seen.contains("banana") && seen.contains(&(7, "visit")));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many). Up to 512 keys more than are in may then have been
    /// taken out of the iterator: where they are needed, keep a clone of it and `skip` as many as
    /// the error says are in, or insert one by one.
    pub fn insert_iter<K: Key>(&mut self, keys: impl IntoIterator<Item = K>) -> Result<()> {
        insert_iter_in_batches(
            self,
            |filter| &filter.meta.keys,
            keys,
            |filter, batch, done| filter.insert_batch(batch, done),
        )
    }
}

/// Inserts the keys of an iterator.
///
/// # Panics
/// Where [`insert_iter`](BloomFilter::insert_iter) gives an error, such as at a key beyond the
/// capacity of a filter that refuses: this trait has no place for one.
impl<K: Key, L: StorageMut> Extend<K> for BloomFilter<L> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        if let Err(error) = self.insert_iter(keys) {
            panic!("{error}");
        }
    }
}

impl BloomFilterBuilder {
    /// Builds the filter of the keys of an iterator. Where the size does not follow from what was
    /// described, it has room for just the different ones among them: it is for a set that is
    /// complete.
    ///
    /// Counting takes 8 bytes a key until the filter is built (under a scheme [without a
    /// hash](BloomFilter::has_hash) the keys themselves), and sorting them more time than inserting
    /// does. For more keys than memory has use `build::Gather` (feature `parallel`), which counts
    /// them on disk.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let seen = BloomFilter::builder().false_positive_rate(0.001).build_from("a b a c".split(' '))?;
    /// assert_eq!((seen.capacity(), seen.keys_inserted()), (3, Some(4)));
    /// assert!(seen.contains("c"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build) and [`insert_iter`](BloomFilter::insert_iter).
    pub fn build_from<K: Key>(self, keys: impl IntoIterator<Item = K>) -> Result<BloomFilter> {
        if self.is_sized() {
            let mut filter = self.build()?;
            filter.insert_iter(keys)?;
            return Ok(filter);
        }
        // What cannot be built is not worth reading the keys for.
        self.clone().capacity(1).plan()?;
        let hasher = self.key_hasher()?;
        let mut prepared = PreparedKeys::default();
        keys.into_iter().try_for_each(|key| hasher.prepare(&key, &mut prepared))?;
        let given = prepared.len() as u64;
        let different = match prepared.hashes_mut() {
            // The different ones alone, in order: so the memory that a key touches is near that of
            // the one before.
            Some(hashes) => {
                sort_and_dedup(hashes);
                hashes.len()
            }
            None => {
                let mut hashes: Vec<u64> = prepared.each().map(|bytes| xxh3::hash(bytes, 0)).collect();
                sort_and_dedup(&mut hashes);
                hashes.len()
            }
        };
        let capacity = different.max(1) as u64;
        let mut filter = self.build_filled(capacity, |filter| filter.insert_prepared(&prepared))?;
        filter.meta.inserted = Some(given).into();
        Ok(filter)
    }
}

fn sort_and_dedup(hashes: &mut Vec<u64>) {
    hashes.sort_unstable();
    hashes.dedup();
}

#[cfg(test)]
mod tests;

//! Lookups and inserts of the keys of an iterator.

use alloc::vec::Vec;

use super::storage::Storage;
use super::{BloomFilter, BloomFilterBuilder};
use crate::error::Result;
use crate::key::schemes::xxh3;
use crate::key::{BATCH, Key, PreparedKeys, insert_iter_in_batches};

impl<L: Storage> BloomFilter<L> {
    /// Looks up the keys of an iterator, and returns each key with its answer, in their order.
    ///
    /// It takes 512 keys at a time from the iterator, to look them up in batches as
    /// [`contains_many`](Self::contains_many) does. A caller that needs an answer before it has the
    /// next key uses [`contains`](Self::contains).
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

impl BloomFilter {
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
    /// As [`insert_many`](Self::insert_many). The call may have taken up to 512 more keys from the
    /// iterator than it inserted. If you need these keys, keep a clone of the iterator and `skip`
    /// the number of keys that the error gives, or insert one by one.
    pub fn insert_iter<K: Key>(&mut self, keys: impl IntoIterator<Item = K>) -> Result<()> {
        insert_iter_in_batches(
            self,
            |filter| &filter.meta.keys,
            keys,
            |filter, batch, done| filter.insert_batch(batch, done),
        )
    }
}

impl BloomFilterBuilder {
    /// Builds the filter of the keys of an iterator. If the description fixes no size, the filter
    /// has room for exactly the different keys of the iterator: it is for a complete set.
    ///
    /// Until the filter is built, counting takes 8 bytes a key (under a scheme [without a
    /// hash](BloomFilter::has_hash) the keys themselves), and sorting the hashes takes more time
    /// than inserting them. For more keys than fit into memory use `build::Gather` (feature
    /// `parallel`), which counts them on disk.
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
        // Refuses an impossible description before it reads the keys.
        self.clone().capacity(1).plan()?;
        let hasher = self.key_hasher()?;
        let mut prepared = PreparedKeys::default();
        keys.into_iter().try_for_each(|key| hasher.prepare(&key, &mut prepared))?;
        let given = prepared.len() as u64;
        let different = match prepared.hashes_mut() {
            // Only the different hashes, sorted: a key then touches memory near that of the one
            // before.
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

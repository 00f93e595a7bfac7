//! Keys that are added after the ribbon was built: a list of their hashes beside it (FORMAT.md,
//! section 4.11).

use alloc::vec::Vec;

use super::RibbonFilter;
use crate::error::{Error, Result};
use crate::ids::Operation;
use crate::key::{Batch, Key, KeySink, Keys, One, PreparedKeys};
use crate::kinds::Filter;
use crate::kinds::bloom::after;
use crate::kinds::storage::PlainStorage;

impl<L: PlainStorage> RibbonFilter<L> {
    /// Adds a key beside the ribbon. `true`: the key is surely new.
    ///
    /// The ribbon does not change, wherever it is. The key takes 8 bytes in memory, unless the
    /// ribbon says yes for it anyway. The false-positive rate does not rise, since the list holds
    /// whole hashes. Add only a few keys until the filter is built again: in a ribbon a key takes a
    /// tenth of these bytes. Costs a lookup; a new key also moves all greater hashes of the list.
    /// [`insert_many`](Self::insert_many) moves them once for all keys.
    ///
    /// ```
    /// use tepal::RibbonFilter;
    /// let mut blocked = RibbonFilter::builder().false_positive_rate(1e-6).build_from(["apple", "banana"])?;
    /// assert!(blocked.insert("cherry")?);                 // surely new
    /// assert!(!blocked.insert("cherry")? && !blocked.insert("apple")?);
    /// assert!(blocked.contains("cherry"));
    /// assert_eq!((blocked.len(), blocked.added()), (3, 1));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::KeyRefused`] for a key that the key domain does not have; [`Error::CallerHashes`]
    /// in a filter with `caller_hash`; [`Error::TooLarge`] if there is no memory. The filter is
    /// unchanged then.
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
        if self.contains_hash(hash) {
            return Ok(false);
        }
        self.make_room(1)?;
        let at = self.added.partition_point(|other| *other < hash);
        self.added.insert(at, hash);
        Ok(true)
    }

    /// [`insert`](Self::insert) for many keys: they are sorted, and merged into the list of added
    /// keys. Takes 8 bytes for each new key meanwhile.
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The keys before the refused one are inserted.
    pub fn insert_many<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<()> {
        let mut new = Vec::new();
        let refused = crate::key::insert_in_batches(
            &*self,
            |filter| &filter.meta.keys,
            keys,
            |filter, batch, done| filter.keep_new(batch, &mut new).map_err(after(done)),
        );
        self.merge(new)?;
        refused
    }

    /// [`insert_many`](Self::insert_many) for the keys of an iterator.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_iter<K: Key>(&mut self, keys: impl IntoIterator<Item = K>) -> Result<()> {
        let mut new = Vec::new();
        let refused = crate::key::insert_iter_in_batches(
            &*self,
            |filter| &filter.meta.keys,
            keys,
            |filter, batch, done| filter.keep_new(batch, &mut new).map_err(after(done)),
        );
        self.merge(new)?;
        refused
    }

    /// [`insert_many`](Self::insert_many) for hashes.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there is no memory. The filter is unchanged then.
    pub fn insert_many_hashes(&mut self, hashes: &[u64]) -> Result<()> {
        let mut new = Vec::new();
        self.keep_new(Batch::Hashes(hashes), &mut new)?;
        self.merge(new)
    }

    /// [`insert_many`](Self::insert_many) for keys that the filter's
    /// [`key_hasher`](Self::key_hasher) has prepared.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_prepared(&mut self, keys: &PreparedKeys) -> Result<()> {
        self.insert_prepared_batch(keys.batch(), 0)
    }

    pub(super) fn insert_prepared_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
        let mut new = Vec::new();
        self.keep_new(keys, &mut new).map_err(after(done))?;
        self.merge(new).map_err(after(done))
    }

    /// The number of keys that were added beside the ribbon, without keys for which the ribbon said
    /// yes anyway.
    #[must_use]
    pub fn added(&self) -> u64 {
        self.added.len() as u64
    }

    /// Unites two filters of the same ribbon: adds the keys that were added to `other`.
    ///
    /// # Errors
    /// [`Error::NotPossible`] for filters of different ribbons; [`Error::TooLarge`] if there is no
    /// memory. The filter is unchanged then.
    pub fn union_with<M: PlainStorage>(&mut self, other: &RibbonFilter<M>) -> Result<()> {
        if !self.is_of_the_same_ribbon(other) {
            return Err(self.refusal(Operation::Unite));
        }
        self.insert_many_hashes(&other.added)
    }

    /// The filter with these ascending hashes of a file beside its ribbon.
    #[must_use]
    pub(crate) fn with_added_of_file(self, added: Vec<u64>) -> Self {
        RibbonFilter { added, ..self }
    }

    /// Whether the key was added beside the ribbon.
    #[inline(never)]
    pub(super) fn is_added(&self, hash: u64) -> bool {
        self.added.binary_search(&hash).is_ok()
    }

    /// Collects the hashes of a batch that are not in the filter.
    fn keep_new(&self, keys: Batch<'_>, new: &mut Vec<u64>) -> Result<()> {
        match keys {
            Batch::Hashes(hashes) => {
                new.try_reserve(hashes.len()).map_err(|_| too_large(new.len() + hashes.len()))?;
                new.extend(hashes.iter().filter(|hash| !self.contains_hash(**hash)));
                Ok(())
            }
            Batch::One(One::Key(key)) => {
                let hash = self.meta.keys.hash_ref(key)?;
                if !self.contains_hash(hash) {
                    new.push(hash);
                }
                Ok(())
            }
            // Only filters whose scheme has no hash take bytes.
            Batch::Bytes(_) | Batch::One(One::Encoded(_)) => {
                Err(Error::NoHash { scheme: self.meta.keys.scheme() })
            }
        }
    }

    /// Merges hashes that are not in the filter into the list, in any order and with repeats.
    fn merge(&mut self, mut new: Vec<u64>) -> Result<()> {
        new.sort_unstable();
        new.dedup();
        self.make_room(new.len())?;
        // From the greatest hash on, into the free place at the end.
        let (mut old, mut to) = (self.added.len(), self.added.len() + new.len());
        self.added.resize(to, 0);
        while let Some(hash) = new.last() {
            to -= 1;
            if old > 0 && self.added[old - 1] > *hash {
                old -= 1;
                self.added[to] = self.added[old];
            } else {
                self.added[to] = *hash;
                new.pop();
            }
        }
        Ok(())
    }

    fn make_room(&mut self, more: usize) -> Result<()> {
        self.added.try_reserve(more).map_err(|_| too_large(self.added.len() + more))
    }
}

fn too_large(hashes: usize) -> Error {
    Error::TooLarge { bytes: (hashes as u64).saturating_mul(8) }
}

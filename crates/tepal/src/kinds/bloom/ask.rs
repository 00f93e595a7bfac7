//! Asking for one key.

use super::BloomFilter;
use super::storage::Storage;
use crate::error::Result;
#[cfg(doc)]
use crate::ids::Scheme;
use crate::key::{Key, KeyHasher, KeyRef, KeySink, One};

impl<L: Storage> BloomFilter<L> {
    /// Is the key in the set?
    ///
    /// `false` is certain: it was never inserted. `true` means perhaps: about
    /// [`false_positive_rate`](Self::false_positive_rate) of all other keys get it too.
    ///
    /// A key that the filter's domain refuses (text that is no integer, in an integer filter)
    /// cannot have been inserted, and the answer is `false`; [`hash_key`](Self::hash_key) tells the
    /// two apart. Under [`Scheme::CallerHash`] the filter cannot hash a key, and the answer is
    /// `true`.
    ///
    /// Costs one hash and one or two memory accesses (layout `scattered`: up to k).
    ///
    /// ```
    /// let seen = tepal::BloomFilter::builder().build_from(["apple", "banana"])?;
    /// assert!(seen.contains("apple"));         // perhaps (here: certainly inserted)
    /// assert!(!seen.contains("cherry"));       // certainly never inserted
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        let mut sink = KeySink::new();
        let key = key.key(&mut sink);
        match (self.meta.keys.quick_hash(key), key) {
            (Some(hash), _) => self.kernel.contains(self.lines.view().0, hash),
            (None, KeyRef::Bytes(bytes)) => self.contains_bytes(bytes),
            (None, _) => self.contains_any(&{ key }),
        }
    }

    /// [`contains`](Self::contains) of bytes of every length, in no frame of the caller's.
    #[inline(never)]
    fn contains_bytes(&self, bytes: &[u8]) -> bool {
        match self.meta.keys.usual_hash_of_bytes(bytes) {
            Some(hash) => self.kernel.contains(self.lines.view().0, hash),
            None => self.contains_any(&KeyRef::Bytes(bytes)),
        }
    }

    /// [`contains`](Self::contains) of every scheme, domain, recipe and key.
    #[inline(never)]
    fn contains_any(&self, key: &KeyRef<'_>) -> bool {
        match self.meta.keys.own() {
            None => {
                let holds = |hash| self.kernel.contains(self.lines.view().0, hash);
                self.meta.keys.is_in_any(key, holds)
            }
            Some(own) => self.contains_positions(own, One::Key(*key)).unwrap_or(false),
        }
    }

    /// [`contains`](Self::contains) for a key hashed before by [`hash_key`](Self::hash_key), by an
    /// equal [`key_hasher`](Self::key_hasher), or by the caller under [`Scheme::CallerHash`].
    ///
    /// A hash from a filter with another hasher gets a meaningless answer. Where the scheme has no
    /// 64-bit hash, all that can be said is `true`: perhaps.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        !self.has_hash() || self.kernel.contains(self.lines.view().0, hash)
    }

    /// [`contains`](Self::contains) for a caller who waits for each answer before the next
    /// question, as on a walk where the answer says where to go: it branches, so that a CPU which
    /// guesses the answer goes on before the memory has given it. There about 3 times as fast out
    /// of cache (`cargo run --release -p tepal --example branching -- 20000000`); where questions
    /// do not wait for each other, no faster.
    #[inline]
    #[must_use]
    pub fn contains_branching<K: Key + ?Sized>(&self, key: &K) -> bool {
        match self.meta.keys.hash(key) {
            Ok(hash) => self.kernel.contains_branching(self.lines.view().0, hash),
            Err(_) => self.contains(key),
        }
    }

    /// The hash of a key under this filter's recipe, key domain, scheme and seed, to be used with
    /// the `_hash` forms of this filter and of all filters that share them: [`KeyHasher::hash`] of
    /// its [`key_hasher`](Self::key_hasher).
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let days = [["apple"], ["banana"]].map(|keys| BloomFilter::builder().build_from(keys).unwrap());
    /// let hash = days[0].hash_key("banana")?;  // once, for filters that share a hasher
    /// assert_eq!(days.map(|day| day.contains_hash(hash)), [false, true]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`KeyHasher::hash`].
    #[inline]
    pub fn hash_key<K: Key + ?Sized>(&self, key: &K) -> Result<u64> {
        self.meta.keys.hash(key)
    }

    /// What the filter does with a key, for threads and programs that hash ahead of it.
    #[must_use]
    pub fn key_hasher(&self) -> KeyHasher {
        self.meta.keys.clone()
    }

    /// Does the scheme have a 64-bit hash, so that the `_hash` calls can be used?
    #[must_use]
    pub fn has_hash(&self) -> bool {
        self.meta.keys.has_hash()
    }
}

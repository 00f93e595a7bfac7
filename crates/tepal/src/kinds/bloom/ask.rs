//! Lookup of one key.

use super::BloomFilter;
use super::storage::Storage;
use crate::error::Result;
#[cfg(doc)]
use crate::ids::Scheme;
use crate::key::{Key, KeyHasher, KeyRef, KeySink, One};

impl<L: Storage> BloomFilter<L> {
    /// Looks up a key.
    ///
    /// `false` is certain: the key was never inserted. `true` means perhaps: about
    /// [`false_positive_rate`](Self::false_positive_rate) of all non-members get it too.
    ///
    /// A key that the filter's domain refuses (text that is no integer, in an integer filter)
    /// cannot have been inserted, and the answer is `false`. [`hash_key`](Self::hash_key) returns
    /// an error for such a key. Under [`Scheme::CallerHash`] the filter cannot hash a key, and the
    /// answer is `true`.
    ///
    /// Costs one hash and one or two memory accesses (layout `scattered`: up to k).
    ///
    /// ```
    /// let seen = tepal::BloomFilter::builder().build_from(["apple", "banana"])?;
    /// assert!(seen.contains("apple"));         // perhaps (here: surely inserted)
    /// assert!(!seen.contains("cherry"));       // surely never inserted
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
            (None, KeyRef::Unsigned(n)) => self.contains_integer(false, n),
            (None, KeyRef::Signed(n)) => self.contains_integer(n < 0, n as u64),
            (None, _) => self.contains_any(&{ key }),
        }
    }

    /// [`contains`](Self::contains) for bytes of every length, in a stack frame of its own.
    #[inline(never)]
    fn contains_bytes(&self, bytes: &[u8]) -> bool {
        match self.meta.keys.usual_hash_of_bytes(bytes) {
            Some(hash) => self.kernel.contains(self.lines.view().0, hash),
            None => self.contains_any(&KeyRef::Bytes(bytes)),
        }
    }

    /// [`contains`](Self::contains) for the 64 bits of an integer whose text is hashed, in a stack
    /// frame of its own.
    #[inline(never)]
    fn contains_integer(&self, negative: bool, bits: u64) -> bool {
        let key = KeyRef::integer(negative, bits);
        match self.meta.keys.usual_hash(key) {
            Some(hash) => self.kernel.contains(self.lines.view().0, hash),
            None => self.contains_any(&{ key }),
        }
    }

    /// [`contains`](Self::contains) for every scheme, domain, recipe and key.
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

    /// [`contains`](Self::contains) for a hash. The hash was computed by
    /// [`hash_key`](Self::hash_key), by an equal [`key_hasher`](Self::key_hasher), or by the caller
    /// under [`Scheme::CallerHash`].
    ///
    /// For a hash from another hasher the answer has no meaning. If the scheme has no 64-bit hash,
    /// the answer is always `true`: perhaps.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        !self.has_hash() || self.kernel.contains(self.lines.view().0, hash)
    }

    /// [`contains`](Self::contains) for a caller whose next lookup depends on this answer, for
    /// example a walk in which the answer decides where to go.
    ///
    /// It branches on the answer. So a CPU that predicts the branch goes on before the memory
    /// access ends. In such a walk it is about 3 times as fast out of cache
    /// (`bench/measure/run branching 20000000`). If lookups do not depend on each other, it is no
    /// faster.
    #[inline]
    #[must_use]
    pub fn contains_branching<K: Key + ?Sized>(&self, key: &K) -> bool {
        match self.meta.keys.hash(key) {
            Ok(hash) => self.kernel.contains_branching(self.lines.view().0, hash),
            Err(_) => self.contains(key),
        }
    }

    /// The hash of a key under this filter's recipe, key domain, scheme and seed:
    /// [`KeyHasher::hash`] of its [`key_hasher`](Self::key_hasher). The `_hash` calls take it, of
    /// this filter and of all filters with an equal key hasher.
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

    /// The filter's key hasher, for threads and programs that hash keys ahead of a call.
    #[must_use]
    pub fn key_hasher(&self) -> KeyHasher {
        self.meta.keys.clone()
    }

    /// Whether the scheme has a 64-bit hash, so that the `_hash` calls can be used.
    #[must_use]
    pub fn has_hash(&self) -> bool {
        self.meta.keys.has_hash()
    }
}

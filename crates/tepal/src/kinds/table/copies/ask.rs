//! Asking for one key, and for many.

use super::QuotientFilter;
use crate::key::{Batch, Key, KeyRef, KeySink, Keys, One, PreparedKeys, is_perhaps_in};
use crate::kinds::calls::ask_many;

impl QuotientFilter {
    /// Is the key in the set?
    ///
    /// `false` is certain: no copy of it is in. `true` means perhaps: about
    /// [`false_positive_rate`](Self::false_positive_rate) of all other keys get it too. A key that the filter's domain refuses
    /// is not in; a filter of the caller's hashes cannot hash a key, and answers `true`.
    ///
    /// Costs one hash and one memory access, seldom two.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        let mut sink = KeySink::new();
        let key = key.key(&mut sink);
        match self.meta.keys.usual_hash(key) {
            Some(hash) => self.table.contains(hash),
            None => self.contains_any(&{ key }),
        }
    }

    #[inline(never)]
    fn contains_any(&self, key: &KeyRef<'_>) -> bool {
        match self.meta.keys.hash_any(key) {
            Ok(hash) => self.table.contains(hash),
            Err(error) => is_perhaps_in(&error),
        }
    }

    /// [`contains`](Self::contains) for a key hashed before by [`hash_key`](Self::hash_key), by an equal
    /// [`key_hasher`](Self::key_hasher), or by the caller.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        self.table.contains(hash)
    }

    ask_many!(
        ""
        "```"
        "let seen = tepal::QuotientFilter::builder().build_from([\"apple\", \"banana\"])?;"
        "assert_eq!(seen.contains_many(&[\"banana\", \"cherry\"]), [true, false]);"
        "# Ok::<(), tepal::Error>(())"
        "```"
    );

    /// [`contains_many`](Self::contains_many) for keys hashed before; `answers[i]` is for `hashes[i]`.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn contains_many_hashes(&self, hashes: &[u64], answers: &mut [bool]) {
        assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
        self.table.contains_many(hashes, answers);
    }

    /// How often the key is in: never too low, and too high only where another key has the same number, at
    /// [`false_positive_rate`](Self::false_positive_rate). 0 is certain. A key that the domain refuses is in 0 times. A filter
    /// of the caller's hashes cannot hash a key and says 0, which means nothing there: ask
    /// [`count_hash`](Self::count_hash).
    ///
    /// ```
    /// let mut seen = tepal::QuotientFilter::builder().capacity(100).build()?;
    /// seen.insert("apple")?;
    /// seen.insert("apple")?;
    /// assert_eq!((seen.count("apple"), seen.count("pear")), (2, 0));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> u64 {
        self.meta.keys.hash(key).map_or(0, |hash| self.count_hash(hash))
    }

    /// [`count`](Self::count) for a key hashed before.
    #[must_use]
    pub fn count_hash(&self, hash: u64) -> u64 {
        self.count_of(self.table.copies(self.table.number(hash)))
    }
}

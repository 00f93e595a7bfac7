//! Lookups of the value of one key and of many, and of membership.

use alloc::vec;
use alloc::vec::Vec;

use super::{RibbonMap, Value};
use crate::key::{Batch, Key, KeyRef, KeySink, Keys, One, PreparedKeys, is_perhaps_in};
use crate::kinds::calls::ask_many;
use crate::kinds::storage::PlainStorage;

/// The number of keys that are hashed and looked up at once.
const BATCH: usize = 256;

impl<L: PlainStorage> RibbonMap<L> {
    /// Looks up the value of a key.
    ///
    /// For a member it is always its value. For a non-member it is `None`, or an arbitrary value
    /// with the probability [`false_positive_rate`](Self::false_positive_rate). **If the map was
    /// built for [known keys only](super::RibbonMapBuilder::known_keys_only), every non-member gets
    /// one.** For a key that the map's domain refuses it is `None`. A map with `caller_hash` cannot
    /// hash a key, and always returns `None`: use [`get_hash`](Self::get_hash).
    ///
    /// Costs one hash and an access to two neighbouring places. Each has as many words as a key has
    /// bits: 128 bytes in all for 8 bits.
    #[inline]
    #[must_use]
    pub fn get<K: Key + ?Sized>(&self, key: &K) -> Option<Value<'_>> {
        let mut sink = KeySink::new();
        let key = key.key(&mut sink);
        let number = match self.meta.keys.usual_hash(key) {
            Some(hash) => self.number(hash),
            None => self.number_of_any(&{ key }),
        };
        number.map(|number| self.value(number))
    }

    #[inline(never)]
    fn number_of_any(&self, key: &KeyRef<'_>) -> Option<u32> {
        self.meta.keys.hash_any(key).ok().and_then(|hash| self.number(hash))
    }

    /// [`get`](Self::get) for a hash, computed by [`hash_key`](Self::hash_key), by an equal
    /// [`key_hasher`](Self::key_hasher), or by the caller.
    #[inline]
    #[must_use]
    pub fn get_hash(&self, hash: u64) -> Option<Value<'_>> {
        self.number(hash).map(|number| self.value(number))
    }

    #[inline]
    fn number(&self, hash: u64) -> Option<u32> {
        match self.is_empty() {
            true => None,
            false => self.kernel.get(&self.ribbon.shape, self.ribbon.words(), self.ribbon.greatest, hash),
        }
    }

    /// [`get`](Self::get) for many keys; the values are in the order of the keys. The memory
    /// accesses of a batch run at the same time.
    ///
    /// ```
    /// let ports = tepal::RibbonMap::builder().build_from([("ssh", 22), ("https", 443)])?;
    /// let values = ports.get_many(&["https", "ssh"]);
    /// assert_eq!(values, [Some(ports.value(443)), Some(ports.value(22))]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn get_many<K: Keys + ?Sized>(&self, keys: &K) -> Vec<Option<Value<'_>>> {
        let mut numbers = vec![None; keys.len()];
        self.get_many_into(keys, &mut numbers);
        self.values(numbers)
    }

    fn values(&self, numbers: Vec<Option<u32>>) -> Vec<Option<Value<'_>>> {
        numbers.into_iter().map(|number| number.map(|number| self.value(number))).collect()
    }

    /// [`get_many`](Self::get_many) into the caller's buffer, as numbers: `answers[i]` is for key
    /// `i`. [`value`](Self::value) tells the name of a number. Allocates nothing.
    ///
    /// # Panics
    /// If the number of answers differs from the number of keys.
    pub fn get_many_into<K: Keys + ?Sized>(&self, keys: &K, answers: &mut [Option<u32>]) {
        assert_eq!(keys.len(), answers.len(), "one answer for each key");
        let (hasher, mut hashes, mut sink) = (&self.meta.keys, [0; BATCH], KeySink::new());
        for (start, answers) in (0..).step_by(BATCH).zip(answers.chunks_mut(BATCH)) {
            let hashes = &mut hashes[..answers.len()];
            let is_one_refused = hasher.hash_batch(keys, start, hashes);
            self.get_many_hashes(hashes, answers);
            if is_one_refused {
                for (i, answer) in answers.iter_mut().enumerate() {
                    if hasher.check(&keys.key(start + i, sink.cleared())).is_err() {
                        *answer = None;
                    }
                }
            }
        }
    }

    /// [`get_many_into`](Self::get_many_into) for hashes; `answers[i]` is for `hashes[i]`.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn get_many_hashes(&self, hashes: &[u64], answers: &mut [Option<u32>]) {
        assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
        match self.is_empty() {
            true => answers.fill(None),
            false => self.kernel.get_many(
                &self.ribbon.shape,
                self.ribbon.words(),
                self.ribbon.greatest,
                hashes,
                answers,
            ),
        }
    }

    /// [`get_many_into`](Self::get_many_into) for keys that this map's
    /// [`key_hasher`](Self::key_hasher) has prepared. For keys that another hasher has prepared the
    /// answers have no meaning.
    ///
    /// # Panics
    /// If the number of answers differs from the number of keys.
    pub fn get_prepared(&self, keys: &PreparedKeys, answers: &mut [Option<u32>]) {
        assert_eq!(keys.len(), answers.len(), "one answer for each key");
        match keys.batch() {
            Batch::Hashes(hashes) => self.get_many_hashes(hashes, answers),
            Batch::Bytes(_) | Batch::One(One::Key(_) | One::Encoded(_)) => answers.fill(None),
        }
    }

    /// [`get_many`](Self::get_many) on this many threads.
    #[cfg(feature = "parallel")]
    #[must_use]
    pub fn get_bulk<K: Keys + Sync + ?Sized>(
        &self,
        keys: &K,
        threads: core::num::NonZeroUsize,
    ) -> Vec<Option<Value<'_>>>
    where
        L: Sync,
    {
        self.values(crate::kinds::bloom::answer_in_bulk(keys, threads, |piece, answers| {
            self.get_many_into(piece, answers);
        }))
    }

    /// Looks up whether the key has a value.
    ///
    /// `false` is certain: the key is no member. `true` means perhaps: about
    /// [`false_positive_rate`](Self::false_positive_rate) of all non-members get it too. For a key
    /// that the map's domain refuses the answer is `false`. A map with `caller_hash` cannot hash a
    /// key, and answers `true`.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        match self.meta.keys.hash(key) {
            Ok(hash) => self.contains_hash(hash),
            Err(error) => is_perhaps_in(&error),
        }
    }

    /// [`contains`](Self::contains) for a hash.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        self.number(hash).is_some()
    }

    ask_many!();

    /// [`contains_many`](Self::contains_many) for hashes; `answers[i]` is for `hashes[i]`.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn contains_many_hashes(&self, hashes: &[u64], answers: &mut [bool]) {
        assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
        let mut values = [None; BATCH];
        for (hashes, answers) in hashes.chunks(BATCH).zip(answers.chunks_mut(BATCH)) {
            let values = &mut values[..hashes.len()];
            self.get_many_hashes(hashes, values);
            answers.iter_mut().zip(values).for_each(|(answer, value)| *answer = value.is_some());
        }
    }
}

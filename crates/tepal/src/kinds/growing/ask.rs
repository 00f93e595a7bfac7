//! Asking for one key, and for many.

use alloc::vec;
use alloc::vec::Vec;

use super::GrowingFilter;
use crate::error::Result;
use crate::key::{Batch, Key, KeyRef, KeySink, Keys, One, PreparedKeys, is_perhaps_in};
use crate::kinds::bloom::put_bits;

/// Keys that go through the links together.
pub(super) const BATCH: usize = 512;

impl GrowingFilter {
    /// Is the key in the set?
    ///
    /// `false` is certain. `true` means perhaps: about [`false_positive_rate`](Self::false_positive_rate) of all other keys get it too.
    /// A key that the filter's domain refuses is not in; a filter of the caller's hashes cannot hash a key, and answers `true`.
    ///
    /// Costs one hash and one memory access for each [link](Self::num_links), all of them under way together.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        let mut sink = KeySink::new();
        let key = key.key(&mut sink);
        match self.meta.keys.usual_hash(key) {
            Some(hash) => self.contains_hash(hash),
            None => self.contains_any(&{ key }),
        }
    }

    #[inline(never)]
    fn contains_any(&self, key: &KeyRef<'_>) -> bool {
        match self.meta.keys.hash_any(key) {
            Ok(hash) => self.contains_hash(hash),
            Err(error) => is_perhaps_in(&error),
        }
    }

    /// [`contains`](Self::contains) for a key hashed before by [`hash_key`](Self::hash_key), by an equal
    /// [`key_hasher`](Self::key_hasher), or by the caller.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        let (newest, older) = (self.newest(), &self.links[..self.links.len() - 1]);
        older.iter().for_each(|link| link.fetch(link.number(hash)));
        // The newest link is the largest: most keys are there.
        newest.contains(hash) || older.iter().rev().any(|link| link.contains(hash))
    }

    /// The hash of a key under this filter's recipe, key domain, scheme and seed, for the `_hash` calls.
    ///
    /// # Errors
    /// As [`KeyHasher::hash`](crate::KeyHasher::hash).
    #[inline]
    pub fn hash_key<K: Key + ?Sized>(&self, key: &K) -> Result<u64> {
        self.meta.keys.hash(key)
    }

    /// Answers for many keys, in their order, with the memory accesses of a batch under way together.
    ///
    /// ```
    /// let seen = tepal::GrowingFilter::builder().build_from(["apple", "banana"])?;
    /// assert_eq!(seen.contains_many(&["banana", "cherry"]), [true, false]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn contains_many<K: Keys + ?Sized>(&self, keys: &K) -> Vec<bool> {
        let mut answers = vec![false; keys.len()];
        self.contains_many_into(keys, &mut answers);
        answers
    }

    /// [`contains_many`](Self::contains_many) into the caller's buffer: `answers[i]` is for key `i`. Allocates nothing.
    ///
    /// # Panics
    /// If there are not as many answers as keys.
    pub fn contains_many_into<K: Keys + ?Sized>(&self, keys: &K, answers: &mut [bool]) {
        assert_eq!(keys.len(), answers.len(), "one answer for each key");
        self.meta.keys.answer_in_batches(
            keys,
            self.size_in_bytes(),
            |batch, answers| self.answer_batch(batch, answers),
            |start, batch| answers[start..start + batch.len()].copy_from_slice(batch),
        );
    }

    /// [`contains_many`](Self::contains_many) into the caller's bitmap, as Apache Arrow lays it out: the answer for key `i` is bit
    /// `i % 8` (0 = least significant) of byte `i / 8`. Bits after the last key become 0.
    ///
    /// # Panics
    /// If the bitmap has not just the bytes for so many bits.
    pub fn contains_many_bits<K: Keys + ?Sized>(&self, keys: &K, bitmap: &mut [u8]) {
        assert_eq!(keys.len().div_ceil(8), bitmap.len(), "one bit for each key, and no byte more");
        self.meta.keys.answer_in_batches(
            keys,
            self.size_in_bytes(),
            |batch, answers| self.answer_batch(batch, answers),
            |start, batch| put_bits(start, batch, bitmap),
        );
    }

    /// [`contains_many`](Self::contains_many) for keys hashed before; `answers[i]` is for `hashes[i]`.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn contains_many_hashes(&self, hashes: &[u64], answers: &mut [bool]) {
        assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
        self.newest().contains_many(hashes, answers);
        if self.links.len() > 1 {
            hashes.chunks(BATCH).zip(answers.chunks_mut(BATCH)).for_each(|(h, a)| self.ask_older(h, a));
        }
    }

    /// Asks the older links for the hashes of a batch that the newest does not hold.
    fn ask_older(&self, hashes: &[u64], answers: &mut [bool]) {
        let mut left = Strangers::of(hashes);
        left.keep_others(answers);
        for link in self.links[..self.links.len() - 1].iter().rev() {
            let mut found = [false; BATCH];
            let found = &mut found[..left.count];
            link.contains_many(left.hashes(), found);
            left.places()
                .iter()
                .zip(&*found)
                .for_each(|(place, found)| answers[usize::from(*place)] = *found);
            left.keep_others(found);
        }
    }

    /// [`contains_many`](Self::contains_many) for keys that this filter's [`key_hasher`](Self::key_hasher) has prepared.
    ///
    /// # Panics
    /// If there are not as many answers as keys.
    pub fn contains_prepared(&self, keys: &PreparedKeys, answers: &mut [bool]) {
        assert_eq!(keys.len(), answers.len(), "one answer for each key");
        self.answer_batch(keys.batch(), answers);
    }

    /// Answers prepared keys. Of bytes where there should be hashes all that can be said is perhaps.
    #[inline]
    pub(super) fn answer_batch(&self, keys: Batch<'_>, answers: &mut [bool]) {
        match keys {
            Batch::Hashes(hashes) => self.contains_many_hashes(hashes, answers),
            Batch::One(One::Key(key)) => answers[0] = self.contains(&key),
            Batch::Bytes(_) | Batch::One(One::Encoded(_)) => answers.fill(true),
        }
    }
}

/// Those hashes of a batch that no link has held so far, and where they stand in the batch.
pub(super) struct Strangers {
    hashes: [u64; BATCH],
    places: [u16; BATCH],
    count: usize,
}

impl Strangers {
    /// All of at most [`BATCH`] hashes.
    pub(super) fn of(hashes: &[u64]) -> Self {
        let mut all = Strangers { hashes: [0; BATCH], places: [0; BATCH], count: hashes.len() };
        all.hashes[..hashes.len()].copy_from_slice(hashes);
        (0..).zip(&mut all.places[..hashes.len()]).for_each(|(i, place)| *place = i);
        all
    }

    pub(super) fn hashes(&self) -> &[u64] {
        &self.hashes[..self.count]
    }

    pub(super) fn places(&self) -> &[u16] {
        &self.places[..self.count]
    }

    /// Keeps those that were not found, in their order, without a branch.
    #[inline(always)]
    pub(super) fn keep_others(&mut self, found: &[bool]) {
        let mut count = 0;
        for (i, found) in found.iter().enumerate() {
            (self.hashes[count], self.places[count]) = (self.hashes[i], self.places[i]);
            count += usize::from(!found);
        }
        self.count = count;
    }
}

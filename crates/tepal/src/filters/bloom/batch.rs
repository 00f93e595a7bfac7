//! Asking for many keys at once.

use alloc::vec;
use alloc::vec::Vec;

use super::storage::{Bits, Storage};
use super::{BATCH, BloomFilter};
use crate::hash::Keys;

impl<L: Storage> BloomFilter<L> {
    /// Answers for many keys, in their order: hashed and probed in batches, with the memory accesses of a
    /// batch under way together. Out of cache several times as fast as one at a time.
    ///
    /// The keys are a slice or vector of whatever can be a [`Key`](crate::Key), or a [`Column`](crate::Column).
    pub fn contains_many<K: Keys + ?Sized>(&self, keys: &K) -> Vec<bool> {
        let mut answers = vec![false; keys.len()];
        self.contains_many_into(keys, &mut answers);
        answers
    }

    /// [`contains_many`](Self::contains_many) into the caller's buffer: `answers[i]` is for key `i`. Allocates
    /// nothing.
    ///
    /// # Panics
    /// If there are not as many answers as keys.
    pub fn contains_many_into<K: Keys + ?Sized>(&self, keys: &K, answers: &mut [bool]) {
        assert_eq!(keys.len(), answers.len(), "one answer for each key");
        self.in_batches(keys, |start, batch| answers[start..start + batch.len()].copy_from_slice(batch));
    }

    /// [`contains_many`](Self::contains_many) into the caller's bitmap, as Apache Arrow lays it out: the answer
    /// for key `i` is bit `i % 8` (0 = least significant) of byte `i / 8`. Bits after the last key become 0.
    /// Allocates nothing.
    ///
    /// # Panics
    /// If the bitmap has not just the bytes for so many bits.
    pub fn contains_many_bits<K: Keys + ?Sized>(&self, keys: &K, bitmap: &mut [u8]) {
        assert_eq!(keys.len().div_ceil(8), bitmap.len(), "one bit for each key, and no byte more");
        self.in_batches(keys, |start, batch| {
            // BATCH is a multiple of 8, so a batch begins with a byte.
            for (byte, answers) in bitmap[start / 8..].iter_mut().zip(batch.chunks(8)) {
                *byte = answers.iter().rev().fold(0, |bits, &answer| bits << 1 | u8::from(answer));
            }
        });
    }

    /// [`contains_many`](Self::contains_many) for keys hashed before; `answers[i]` is for `hashes[i]`.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn contains_many_hashes(&self, hashes: &[u64], answers: &mut [bool]) {
        assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
        if self.meta.hasher.own().is_some() {
            return answers.fill(true);
        }
        match self.lines.view().0 {
            Bits::Plain(lines) => self.kernel.contains_many(&self.rules, lines, hashes, answers),
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(shared) => {
                self.kernel.shared_contains_many(&self.rules, &shared.lines, hashes, answers)
            }
        }
    }

    /// Hands the answers to `take`, at most [`BATCH`] at a time, with the number of the first key.
    #[inline(always)]
    fn in_batches<K: Keys + ?Sized>(&self, keys: &K, mut take: impl FnMut(usize, &[bool])) {
        let mut hashes = [0; BATCH];
        let mut answers = [false; BATCH];
        for start in (0..keys.len()).step_by(BATCH) {
            let count = (keys.len() - start).min(BATCH);
            let answers = &mut answers[..count];
            if self.has_hash() {
                let mut refused = false;
                for (i, hash) in hashes[..count].iter_mut().enumerate() {
                    let hashed = self.meta.hasher.hash_key(self.meta.domain, keys.key(start + i));
                    refused |= hashed.is_err();
                    *hash = hashed.unwrap_or(0);
                }
                self.contains_many_hashes(&hashes[..count], answers);
                if refused {
                    // A key that the domain refuses was never inserted, whatever a hash of 0 finds.
                    for (i, answer) in answers.iter_mut().enumerate() {
                        *answer &= self.hash_key(&keys.key(start + i)).is_ok();
                    }
                }
            } else {
                for (i, answer) in answers.iter_mut().enumerate() {
                    *answer = self.contains(&keys.key(start + i));
                }
            }
            take(start, answers);
        }
    }
}

#[cfg(test)]
mod tests;

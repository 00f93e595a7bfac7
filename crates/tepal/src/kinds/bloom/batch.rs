//! Asking for many keys at once.

use alloc::vec;
use alloc::vec::Vec;

use super::BloomFilter;
use super::storage::Storage;
use crate::key::{Batch, Keys, One, PreparedKeys};

impl<L: Storage> BloomFilter<L> {
    /// Answers for many keys, in their order: hashed and probed in batches, with the memory
    /// accesses of a batch under way together. Out of cache several times as fast as one at a time.
    ///
    /// The keys are a slice or vector of whatever can be a [`Key`](crate::Key), or a
    /// [`Column`](crate::Column).
    ///
    /// ```
    /// let seen = tepal::BloomFilter::builder().build_from(["apple", "banana"])?;
    /// assert_eq!(seen.contains_many(&["banana", "cherry"]), [true, false]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn contains_many<K: Keys + ?Sized>(&self, keys: &K) -> Vec<bool> {
        let mut answers = vec![false; keys.len()];
        self.contains_many_into(keys, &mut answers);
        answers
    }

    /// [`contains_many`](Self::contains_many) into the caller's buffer: `answers[i]` is for key
    /// `i`. Allocates nothing where the scheme has a hash.
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

    /// [`contains_many`](Self::contains_many) into the caller's bitmap, as Apache Arrow lays it
    /// out: the answer for key `i` is bit `i % 8` (0 = least significant) of byte `i / 8`. Bits
    /// after the last key become 0. Allocates nothing where the scheme has a hash.
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

    /// [`contains_many`](Self::contains_many) for keys hashed before, by this filter's
    /// [`key_hasher`](Self::key_hasher) or an equal one; `answers[i]` is for `hashes[i]`.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn contains_many_hashes(&self, hashes: &[u64], answers: &mut [bool]) {
        assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
        self.answer_batch(Batch::Hashes(hashes), answers);
    }

    /// [`contains_many`](Self::contains_many) for keys that this filter's
    /// [`key_hasher`](Self::key_hasher) has prepared.
    ///
    /// # Panics
    /// If there are not as many answers as keys.
    pub fn contains_prepared(&self, keys: &PreparedKeys, answers: &mut [bool]) {
        assert_eq!(keys.len(), answers.len(), "one answer for each key");
        self.answer_batch(keys.batch(), answers);
    }

    /// Answers prepared keys. Of a hash under a scheme without one, and of bytes under one with a
    /// hash, all that can be said is perhaps.
    #[inline]
    pub(crate) fn answer_batch(&self, keys: Batch<'_>, answers: &mut [bool]) {
        match (keys, self.meta.keys.own()) {
            (Batch::Hashes(hashes), None) => {
                self.kernel.contains_many(self.lines.view().0, hashes, answers);
            }
            (Batch::Bytes(keys), Some(own)) => self.answer_positions(own, keys, answers),
            (Batch::One(one), Some(own)) => answers[0] = self.contains_positions(own, one).unwrap_or(false),
            (Batch::One(One::Key(key)), None) => answers[0] = self.contains(&key),
            (Batch::Hashes(_), Some(_)) | (Batch::Bytes(_) | Batch::One(One::Encoded(_)), None) => {
                answers.fill(true);
            }
        }
    }
}

/// Puts answers from number `start` on, a multiple of 8, into a bitmap.
pub(crate) fn put_bits(start: usize, answers: &[bool], bitmap: &mut [u8]) {
    for (byte, answers) in bitmap[start / 8..].iter_mut().zip(answers.chunks(8)) {
        *byte = answers.iter().rev().fold(0, |bits, &answer| bits << 1 | u8::from(answer));
    }
}

#[cfg(test)]
mod tests;

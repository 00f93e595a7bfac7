//! Lookup of many keys at once.

use alloc::vec;
use alloc::vec::Vec;

use super::BloomFilter;
use super::storage::Storage;
use crate::key::{Batch, Keys, One, PreparedKeys};

impl<L: Storage> BloomFilter<L> {
    /// Looks up many keys; the answers are in the order of the keys.
    ///
    /// It hashes and probes the keys in batches, and the memory accesses of a batch run at the same
    /// time. Out of cache it is several times as fast as one lookup at a time.
    ///
    /// The keys are a slice or vector of any [`Key`](crate::Key), or a [`Column`](crate::Column).
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
    /// `i`. Allocates nothing if the scheme has a hash.
    ///
    /// # Panics
    /// If the number of answers differs from the number of keys.
    pub fn contains_many_into<K: Keys + ?Sized>(&self, keys: &K, answers: &mut [bool]) {
        assert_eq!(keys.len(), answers.len(), "one answer for each key");
        self.meta.keys.answer_in_batches(
            keys,
            self.size_in_bytes(),
            |batch, answers| self.answer_batch(batch, answers),
            |start, batch| answers[start..start + batch.len()].copy_from_slice(batch),
        );
    }

    /// [`contains_many`](Self::contains_many) into the caller's bitmap, in Apache Arrow's layout:
    /// the answer for key `i` is bit `i % 8` (0 = least significant) of byte `i / 8`. Bits after
    /// the last key become 0. Allocates nothing if the scheme has a hash.
    ///
    /// # Panics
    /// If the length of the bitmap is not one bit for each key, rounded up to whole bytes.
    pub fn contains_many_bits<K: Keys + ?Sized>(&self, keys: &K, bitmap: &mut [u8]) {
        assert_eq!(keys.len().div_ceil(8), bitmap.len(), "one bit for each key, and no byte more");
        self.meta.keys.answer_in_batches(
            keys,
            self.size_in_bytes(),
            |batch, answers| self.answer_batch(batch, answers),
            |start, batch| put_bits(start, batch, bitmap),
        );
    }

    /// [`contains_many`](Self::contains_many) for hashes, computed by this filter's
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
    /// If the number of answers differs from the number of keys.
    pub fn contains_prepared(&self, keys: &PreparedKeys, answers: &mut [bool]) {
        assert_eq!(keys.len(), answers.len(), "one answer for each key");
        self.answer_batch(keys.batch(), answers);
    }

    /// Answers prepared keys. The answer is "perhaps" for a hash under a scheme without one, and
    /// for bytes under a scheme with one.
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

/// Writes answers into a bitmap, the first one at bit `start`, a multiple of 8.
pub(crate) fn put_bits(start: usize, answers: &[bool], bitmap: &mut [u8]) {
    for (byte, answers) in bitmap[start / 8..].iter_mut().zip(answers.chunks(8)) {
        *byte = answers.iter().rev().fold(0, |bits, &answer| bits << 1 | u8::from(answer));
    }
}

//! Lookups of one key and of many.

use super::GrowingFilter;
use crate::key::{Batch, Key, KeyRef, KeySink, Keys, One, PreparedKeys};
use crate::kinds::calls::ask_many;

/// The most keys that go through the links together.
pub(super) const BATCH: usize = 512;

impl GrowingFilter {
    /// Looks up a key.
    ///
    /// `false` is certain. `true` means perhaps: about
    /// [`false_positive_rate`](Self::false_positive_rate) of all non-members get it too. For a key
    /// that the filter's domain refuses the answer is `false`. A filter with `caller_hash` cannot
    /// hash a key, and answers `true`.
    ///
    /// Costs one hash and one memory access for each [link](Self::num_links); these run at the same
    /// time.
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
        self.meta.keys.is_in_any(key, |hash| self.contains_hash(hash))
    }

    /// [`contains`](Self::contains) for a hash, computed by [`hash_key`](Self::hash_key), by an
    /// equal [`key_hasher`](Self::key_hasher), or by the caller.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        let (newest, older) = (self.newest(), &self.links[..self.links.len() - 1]);
        older.iter().for_each(|link| link.fetch(link.number(hash)));
        // The newest link is the largest: most keys are there.
        newest.contains(hash) || older.iter().rev().any(|link| link.contains(hash))
    }

    ask_many!(
        ""
        "```"
        "let seen = tepal::GrowingFilter::builder().build_from([\"apple\", \"banana\"])?;"
        "assert_eq!(seen.contains_many(&[\"banana\", \"cherry\"]), [true, false]);"
        "# Ok::<(), tepal::Error>(())"
        "```"
    );

    /// [`contains_many`](Self::contains_many) for hashes; `answers[i]` is for `hashes[i]`.
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

    /// Looks up in the older links the hashes of a batch that the newest does not hold.
    fn ask_older(&self, hashes: &[u64], answers: &mut [bool]) {
        let mut left = NonMembers::of(hashes);
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
}

/// The hashes of a batch that no link has held so far, with their positions in the batch.
pub(super) struct NonMembers {
    hashes: [u64; BATCH],
    places: [u16; BATCH],
    count: usize,
}

impl NonMembers {
    /// Starts with all of at most [`BATCH`] hashes.
    pub(super) fn of(hashes: &[u64]) -> Self {
        let mut all = NonMembers { hashes: [0; BATCH], places: [0; BATCH], count: hashes.len() };
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

    /// Keeps the hashes that were not found, in their order, without a branch.
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

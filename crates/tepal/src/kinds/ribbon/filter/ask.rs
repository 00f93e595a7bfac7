//! Lookups of one key and of many.

use super::RibbonFilter;
use crate::key::{Batch, Key, KeyRef, KeySink, Keys, One, PreparedKeys};
use crate::kinds::calls::ask_many;
use crate::kinds::storage::PlainStorage;

impl<L: PlainStorage> RibbonFilter<L> {
    /// Looks up a key.
    ///
    /// `false` is certain. `true` means perhaps: about
    /// [`false_positive_rate`](Self::false_positive_rate) of all non-members get it too. For a key
    /// that the filter's domain refuses the answer is `false`. A filter with `caller_hash` cannot
    /// hash a key, and answers `true`.
    ///
    /// Costs one hash and an access to two neighbouring lines; if keys were [added](Self::insert),
    /// a search in their list too.
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
    #[inline(always)]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        if self.ribbon.thin.is_some() || self.numbers.is_some() {
            return self.contains_another_way(hash);
        }
        self.kernel.contains(&self.ribbon.shape, self.ribbon.words(), hash)
            || !self.added.is_empty() && self.is_added(hash)
    }

    /// [`contains_hash`](Self::contains_hash) of a filter with a second ribbon, or of a table's
    /// fingerprints.
    #[inline(never)]
    fn contains_another_way(&self, hash: u64) -> bool {
        let asked = self.in_ribbon(hash);
        let is_in_ribbon = match &self.ribbon.thin {
            None => self.kernel.contains(&self.ribbon.shape, self.ribbon.words(), asked),
            Some(thin) => self.kernel.contains_thin(&self.ribbon.shape, thin, self.ribbon.words(), asked),
        };
        is_in_ribbon || !self.added.is_empty() && self.is_added(hash)
    }

    ask_many!(
        ""
        "```"
        "let seen = tepal::RibbonFilter::builder().false_positive_rate(1e-4).build_from([\"apple\", \"banana\"])?;"
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
        self.each_in_ribbon(hashes, answers, |hashes, answers| match &self.ribbon.thin {
            None => self.kernel.contains_many(&self.ribbon.shape, self.ribbon.words(), hashes, answers),
            Some(thin) => {
                self.kernel.contains_many_thin(&self.ribbon.shape, thin, self.ribbon.words(), hashes, answers)
            }
        });
        if !self.added.is_empty() {
            for (answer, hash) in answers.iter_mut().zip(hashes) {
                *answer = *answer || self.is_added(*hash);
            }
        }
    }
}

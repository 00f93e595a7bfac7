//! Lookups as of a later time, and the age of a key.

use super::ExpiringFilter;
use crate::key::{Key, is_perhaps_in};

impl ExpiringFilter {
    /// [`contains`](Self::contains) as of a later time, without changing the filter's time. It
    /// gives the answers that the filter would give after [`advance_to`](Self::advance_to), and
    /// also works on a filter that nobody may change, for example an opened file. For a time before
    /// [`now`](Self::now), and in a window of keys, it answers as of now.
    ///
    /// ```
    /// let mut seen = tepal::ExpiringFilter::builder().capacity(100).window_of_time(60).build()?;
    /// seen.insert_at("apple", 1000)?;
    /// assert!(seen.contains_at("apple", 1060) && !seen.contains_at("apple", 1070));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn contains_at<K: Key + ?Sized>(&self, key: &K, time: u64) -> bool {
        match self.core.meta.keys.hash(key) {
            Ok(hash) => self.contains_hash_at(hash, time),
            Err(error) => is_perhaps_in(&error),
        }
    }

    /// [`contains_at`](Self::contains_at) for a hash.
    #[must_use]
    pub fn contains_hash_at(&self, hash: u64, time: u64) -> bool {
        let mut answer = [false];
        self.contains_many_hashes_at(&[hash], time, &mut answer);
        answer[0]
    }

    /// [`contains_many_hashes`](Self::contains_many_hashes) as of a later time:
    /// [`contains_at`](Self::contains_at).
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn contains_many_hashes_at(&self, hashes: &[u64], time: u64, answers: &mut [bool]) {
        assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
        match self.clock.recent_after(self.turns_to(time)) {
            Some(recent) => self.core.table.contains_recent(recent, hashes, answers),
            None => answers.fill(false),
        }
    }

    /// How many generations ago the key was last inserted, from 0 to g. At age a the insert was at
    /// least (a - 1) W / g ago and less than (a + 1) W / g. If another key has the same
    /// fingerprint, at the filter's rate, the age may be too low. It is never too high. `None` if
    /// the key is not a member, or cannot be hashed.
    ///
    /// ```
    /// let mut seen = tepal::ExpiringFilter::builder().capacity(100).window_of_time(60).build()?;
    /// seen.insert_at("apple", 1000)?;
    /// seen.advance_to(1035)?;
    /// assert_eq!((seen.age_estimate("apple"), seen.age_estimate("pear")), (Some(3), None));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn age_estimate<K: Key + ?Sized>(&self, key: &K) -> Option<u64> {
        self.age_estimate_hash(self.core.meta.keys.hash(key).ok()?)
    }

    /// [`age_estimate`](Self::age_estimate) for a hash.
    #[must_use]
    pub fn age_estimate_hash(&self, hash: u64) -> Option<u64> {
        let tag = self.core.table.tag_of(self.core.table.number(hash))?;
        Some(self.clock.recent().age(self.clock.tag_bits().into(), tag))
    }
}

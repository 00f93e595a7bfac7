//! Properties that a filter was made with.

use super::BloomFilter;
use super::storage::Storage;
use crate::bits::LINE_BYTES;
use crate::error::Result;
use crate::facts::Labels;
use crate::ids::{KeyDomain, Layout, OverCapacity, Scheme};
use crate::key::Recipe;

impl<L: Storage> BloomFilter<L> {
    /// The layout: which bits a hash sets.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.meta.shape.layout
    }

    /// The number of bits that each key sets, k.
    #[must_use]
    pub fn num_hashes(&self) -> u32 {
        self.meta.shape.num_hashes
    }

    /// The number of bits of the array, m.
    #[must_use]
    pub fn bit_len(&self) -> u64 {
        self.meta.shape.bit_len
    }

    /// The bytes of the bit array in memory.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.meta.shape.lines() * LINE_BYTES
    }

    /// The hash scheme: how key bytes become a hash.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.meta.keys.scheme()
    }

    /// The public seed of the hash; `None` for a keyed filter and for schemes without a seed.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        self.meta.keys.seed()
    }

    /// The type of the keys.
    #[must_use]
    pub fn key_domain(&self) -> KeyDomain {
        self.meta.keys.key_domain()
    }

    /// The changes that the filter makes to a key before it is hashed.
    #[must_use]
    pub fn recipe(&self) -> Recipe {
        self.meta.keys.recipe()
    }

    /// Free text about the set.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        const NONE: &Labels = &Labels::new();
        self.meta.labels.as_deref().unwrap_or(NONE)
    }

    /// Replaces the labels. No answer changes.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for text that a file cannot hold.
    pub fn set_labels(&mut self, labels: Labels) -> Result<()> {
        labels.check()?;
        self.meta.labels = labels.kept();
        Ok(())
    }

    /// The number of keys that the filter was planned for.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.meta.capacity
    }

    /// The number of bits of the array for each key of the capacity.
    #[must_use]
    pub fn bits_per_key(&self) -> f64 {
        self.bit_len() as f64 / self.capacity() as f64
    }

    /// The policy for keys past the capacity.
    #[must_use]
    pub fn over_capacity(&self) -> OverCapacity {
        self.meta.over_capacity
    }

    /// The false-positive rate that is promised while the filter holds at most its capacity.
    ///
    /// The promise is about the mean of many filters, which is at most 1.05 times the rate, up to
    /// the last key that [`OverCapacity::Refuse`] takes. The rates of small filters differ;
    /// nineteen of twenty are at most 1.03 times the promised one.
    /// [`false_positive_rate`](Self::false_positive_rate) is the rate of this filter.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.promised_rate
    }

    /// The number of keys that were inserted, repeats included: at most this many are different.
    /// After a union it is the sum of both numbers, and a key that both have counts twice;
    /// [`estimated_len`](Self::estimated_len) counts it once. `None` after an intersection.
    #[must_use]
    pub fn keys_inserted(&self) -> Option<u64> {
        let counted = self.meta.inserted.get()?.checked_add(self.tally.ungathered())?;
        counted.checked_add(self.lines.inserted_since()?)
    }

    /// The CPU level whose loops this filter runs: `baseline` or `avx2`. All levels give the same
    /// answers.
    #[must_use]
    pub fn cpu_level(&self) -> &'static str {
        self.kernel.level()
    }
}

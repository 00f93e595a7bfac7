//! The traits of every filter, for a Bloom filter in memory or in a file.

use alloc::vec;
use alloc::vec::Vec;

use super::BloomFilter;
use crate::bits::LINE_BYTES;
use crate::error::Result;
use crate::facts::{Can, Facts, Labels, PartFacts, Warning};
use crate::ids::{Kind, OverCapacity, Scheme};
use crate::key::schemes::sizing::{half_full, rate_at, sizing};
use crate::key::{Batch, KeyHasher, KeyRef};
use crate::kinds::storage::{PlainStorage, Storage};
use crate::kinds::{FilePart, Filter, Inner, InnerMut, MutableFilter};

impl<L: PlainStorage> Inner for BloomFilter<L> {
    fn contains_batch(&self, keys: Batch<'_>, answers: &mut [bool]) {
        self.answer_batch(keys, answers);
    }

    fn check_before_copying(&self) -> Result<()> {
        self.check_before_copying()
    }

    fn file_part(&self) -> Result<FilePart<'_>> {
        Ok(self.part())
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings()
    }
}

impl InnerMut for BloomFilter {
    fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
        self.insert_batch(keys, done)
    }

    #[cfg(feature = "foreign")]
    fn set_key_domain(&mut self, domain: crate::ids::KeyDomain) {
        self.meta.keys = self.meta.keys.of_domain(domain);
    }
}

impl<L: PlainStorage> Filter for BloomFilter<L> {
    fn key_hasher(&self) -> &KeyHasher {
        &self.meta.keys
    }

    fn contains_key(&self, key: KeyRef<'_>) -> bool {
        self.contains(&key)
    }

    fn false_positive_rate(&self) -> f64 {
        self.false_positive_rate()
    }

    fn promised_false_positive_rate(&self) -> f64 {
        self.promised_false_positive_rate()
    }

    fn capacity(&self) -> u64 {
        self.capacity()
    }

    fn over_capacity(&self) -> OverCapacity {
        self.over_capacity()
    }

    fn is_over_capacity(&self) -> bool {
        self.is_over_capacity()
    }

    fn is_full(&self) -> bool {
        self.is_full()
    }

    fn labels(&self) -> &Labels {
        self.labels()
    }

    fn keys_inserted(&self) -> Option<u64> {
        self.keys_inserted()
    }

    fn estimated_len(&self) -> f64 {
        self.estimated_len()
    }

    fn size_in_bytes(&self) -> u64 {
        self.size_in_bytes()
    }

    fn facts(&self) -> Facts {
        self.facts()
    }

    fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        self.fill_of_slices(slices)
    }

    fn verify(&self) -> Result<()> {
        self.verify()
    }

    fn kind(&self) -> Kind {
        Kind::Bloom
    }

    fn can(&self) -> Can {
        // A filter of two or more lines folds into one.
        let foldable = self.has_hash() && self.units() > 1;
        Can {
            insert: true,
            set_over_capacity: true,
            refill: true,
            unite: true,
            intersect: true,
            fold: foldable,
            except: true,
            ..Can::default()
        }
    }

    fn fold_factors(&self) -> Vec<u64> {
        self.fold_factors()
    }

    fn folded_size_in_bytes(&self, factor: u64) -> Option<u64> {
        self.folded_shape(factor).ok().map(|shape| shape.lines() * LINE_BYTES)
    }
}

impl MutableFilter for BloomFilter {
    fn insert_key(&mut self, key: KeyRef<'_>) -> Result<bool> {
        self.insert(&key)
    }

    fn clear(&mut self) -> Result<()> {
        self.clear()
    }

    fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        self.set_over_capacity(policy)
    }

    fn set_labels(&mut self, labels: Labels) -> Result<()> {
        self.set_labels(labels)
    }

    fn union_with(&mut self, other: &Self) -> Result<()> {
        self.union_with(other)
    }

    fn intersect_with(&mut self, other: &Self) -> Result<()> {
        self.intersect_with(other)
    }
}

impl<L: PlainStorage> BloomFilter<L> {
    /// Checks the bits against what the file says of them: every chunk's checksum, the padding, the
    /// number of set bits, and the seal, if there is one. After [`open_quick`](Self::open_quick)
    /// these are the checks that [`open`](Self::open) would have made. For a filter that has
    /// changed since it was opened there is nothing to check.
    ///
    /// Reads all of the bits, at memory speed. Lookups can run at the same time.
    ///
    /// # Errors
    /// [`Error::Damaged`](crate::Error::Damaged), with the position of the first damaged chunk;
    /// [`Error::WrongSeal`](crate::Error::WrongSeal) for a file that was changed without its seal
    /// key.
    pub fn verify(&self) -> Result<()> {
        self.body_check.as_ref().map_or(Ok(()), |check| check.run(self.lines.as_lines()))
    }
}

impl<L: PlainStorage> BloomFilter<L> {
    /// Everything about the filter, as data. Costs some passes over the bits.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let part = self.part_facts();
        Facts {
            kind: Kind::Bloom,
            scheme: self.scheme(),
            seed: self.seed(),
            valkey_seed: self.meta.keys.valkey_seed(),
            caller_hash: self.meta.keys.caller_hash(),
            key_domain: self.key_domain(),
            recipe: self.recipe(),
            capacity: self.capacity(),
            promised_false_positive_rate: self.promised_false_positive_rate(),
            expansion: None,
            window: None,
            exceptions: 0,
            is_divided: false,
            over_capacity: self.over_capacity(),
            is_over_capacity: self.is_over_capacity(),
            is_full: self.is_full(),
            keys_inserted: self.keys_inserted(),
            estimated_len: self.estimated_len(),
            false_positive_rate: part.false_positive_rate,
            size_in_bytes: self.size_in_bytes(),
            labels: self.labels().clone(),
            parts: vec![part],
            tables: Vec::new(),
            segments: Vec::new(),
            ribbon: None,
            warnings: self.warnings(),
            file: None,
        }
    }
}

impl<L: Storage> BloomFilter<L> {
    /// Facts about one filter of a chain, or about the only filter.
    pub(crate) fn part_facts(&self) -> PartFacts {
        PartFacts {
            layout: self.layout(),
            num_hashes: self.num_hashes(),
            bit_len: self.bit_len(),
            capacity: self.capacity(),
            keys_inserted: self.keys_inserted(),
            set_bits: self.set_bits(),
            false_positive_rate: self.false_positive_rate(),
        }
    }

    /// Warnings for the user: promises that the scheme cannot keep.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::from_iter(self.measured().clustered());
        let (scheme, m, k) = (self.scheme(), self.bit_len(), self.num_hashes());
        let Some(its) = sizing(scheme) else { return warnings };
        if its.has_31_bit_positions && m >= 1 << 28 {
            let planned = half_full(k, m);
            let (rate, expected) = (rate_at(scheme, k, m, planned), rate_at(Scheme::Xxh3, k, m, planned));
            warnings.push(Warning::Positions31Bits { scheme, rate, expected });
        }
        if its.is_weak {
            warnings.push(Warning::Weak { scheme });
        }
        warnings
    }
}

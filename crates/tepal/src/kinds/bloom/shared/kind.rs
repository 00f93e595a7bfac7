//! The traits that only read a filter, for one that threads share. What changes it takes `&self`,
//! and is not in [`MutableFilter`](crate::MutableFilter).

use alloc::vec;
use alloc::vec::Vec;

use super::super::BloomFilter;
use super::Shared;
use crate::error::{Advice, Result, advice};
use crate::facts::{Can, Facts, Labels, Warning};
use crate::ids::{Kind, Operation, OverCapacity};
use crate::key::{Batch, KeyHasher, KeyRef};
use crate::kinds::usual_facts::usual_facts;
use crate::kinds::{FilePart, Filter, Inner};

impl Inner for BloomFilter<Shared> {
    fn contains_batch(&self, keys: Batch<'_>, answers: &mut [bool]) {
        self.answer_batch(keys, answers);
    }

    fn check_before_copying(&self) -> Result<()> {
        Ok(())
    }

    fn file_part(&self) -> Result<FilePart<'_>> {
        Err(self.refusal(Operation::BeInFile))
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings()
    }

    fn instead(&self, operation: Operation) -> Advice {
        match operation {
            Operation::BeInFile => advice!("write a snapshot of it"),
            Operation::Fold => advice!("fold a snapshot of it"),
            other => other.instead(),
        }
    }
}

impl Filter for BloomFilter<Shared> {
    fn kind(&self) -> Kind {
        Kind::Bloom
    }

    fn can(&self) -> Can {
        Can { insert: true, refill: true, unite: true, ..Can::default() }
    }

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
        Facts { parts: vec![self.part_facts()], ..usual_facts(self) }
    }

    fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        self.fill_of_slices(slices)
    }

    fn verify(&self) -> Result<()> {
        Ok(())
    }
}

//! What every kind of filter does, for a growing filter.

use alloc::vec::Vec;

use super::GrowingFilter;
use crate::error::{Error, Result};
use crate::facts::{Facts, Labels, TableFacts, Warning};
use crate::ids::{Kind, OverCapacity};
use crate::key::{Batch, KeyHasher, KeyRef};
use crate::kinds::calls::same_calls;
use crate::kinds::table::lines::Table;
use crate::kinds::{FilePart, Filter};

impl GrowingFilter {
    /// Everything about the filter, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts {
            kind: Kind::Growing,
            scheme: self.scheme(),
            seed: self.seed(),
            valkey_seed: None,
            caller_hash: self.meta.keys.caller_hash(),
            key_domain: self.key_domain(),
            recipe: self.recipe(),
            capacity: Filter::capacity(self),
            promised_false_positive_rate: self.promised_false_positive_rate(),
            expansion: Some(16),
            exceptions: 0,
            is_divided: false,
            window: None,
            over_capacity: Filter::over_capacity(self),
            is_over_capacity: false,
            is_full: Filter::is_full(self),
            keys_inserted: Some(self.len()),
            estimated_len: self.estimated_len(),
            false_positive_rate: self.false_positive_rate(),
            size_in_bytes: self.size_in_bytes(),
            labels: self.labels().clone(),
            parts: Vec::new(),
            tables: self.links.iter().enumerate().map(|(i, link)| self.table_facts(i, link)).collect(),
            segments: Vec::new(),
            ribbon: None,
            warnings: Vec::new(),
            file: None,
        }
    }

    fn table_facts(&self, number: usize, link: &Table) -> TableFacts {
        let fields = link.packing().fields();
        TableFacts {
            numbers: fields.numbers,
            remainder_bits: fields.remainder_bits,
            tag_bits: fields.tag_bits,
            buckets: fields.buckets,
            slots: fields.slots,
            lines: link.packing().lines(),
            taken_slots: link.slots(),
            keys: link.slots(),
            distinct_numbers: link.distinct(),
            capacity: self.meta.plan.capacity(number),
        }
    }

    /// How many different keys are in it, from the different numbers: of n keys two have one number at times.
    fn estimated_len(&self) -> f64 {
        self.links.iter().map(Table::estimated_len).sum()
    }
}

impl Filter for GrowingFilter {
    same_calls!();

    fn estimated_len(&self) -> f64 {
        self.estimated_len()
    }

    fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        match policy == Filter::over_capacity(self) {
            true => Ok(()),
            false => Err(Error::NotPossible {
                kind: Kind::Growing,
                operation: "change what happens past its capacity",
                instead: "it grows, and keeps its promise; build a filter of a fixed capacity to have it refuse keys",
            }),
        }
    }

    /// What its links take together; more links take more.
    fn capacity(&self) -> u64 {
        (0..self.links.len()).fold(0, |sum, link| sum.saturating_add(self.meta.plan.capacity(link)))
    }

    fn over_capacity(&self) -> OverCapacity {
        OverCapacity::Warn
    }

    /// It grows in time.
    fn is_over_capacity(&self) -> bool {
        false
    }

    /// It is where there are no numbers for another link.
    fn is_full(&self) -> bool {
        self.meta.plan.numbers(self.links.len()).is_none() && self.link_with_room().is_none()
    }

    fn keys_inserted(&self) -> Option<u64> {
        Some(self.len())
    }

    /// The share of taken slots in equal parts of the largest table.
    fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        let largest = self.links.iter().max_by_key(|link| link.packing().lines());
        largest.map_or_else(Vec::new, |link| link.fill_of_slices(slices))
    }

    fn check_before_copying(&self) -> Result<()> {
        self.check_before_copying()
    }
}

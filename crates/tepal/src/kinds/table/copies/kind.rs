//! What every kind of filter does, for a quotient filter.

use alloc::vec::Vec;

use super::QuotientFilter;
use crate::error::Result;
use crate::facts::{Facts, Labels, TableFacts, Warning};
use crate::ids::{Kind, OverCapacity};
use crate::key::{Batch, KeyHasher, KeyRef};
use crate::kinds::calls::{same_calls, table_calls};
use crate::kinds::{FilePart, Filter};

impl QuotientFilter {
    /// Forgets all keys. The table keeps its size.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) where there is no memory for an opened file's table.
    pub fn clear(&mut self) -> Result<()> {
        self.table.clear()?;
        (self.held, self.is_deletable) = (0, true);
        Ok(())
    }

    /// Everything about the filter, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let fields = self.table.packing().fields();
        Facts {
            kind: Kind::Quotient,
            scheme: self.scheme(),
            seed: self.seed(),
            valkey_seed: None,
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
            keys_inserted: Some(self.held),
            estimated_len: self.table.estimated_len(),
            false_positive_rate: self.false_positive_rate(),
            size_in_bytes: self.size_in_bytes(),
            labels: self.labels().clone(),
            parts: Vec::new(),
            tables: alloc::vec![TableFacts {
                numbers: fields.numbers,
                remainder_bits: fields.remainder_bits,
                tag_bits: fields.tag_bits,
                buckets: fields.buckets,
                slots: fields.slots,
                lines: self.table.packing().lines(),
                taken_slots: self.table.slots(),
                keys: self.held,
                distinct_numbers: self.table.distinct(),
                capacity: self.capacity(),
            }],
            segments: Vec::new(),
            ribbon: None,
            warnings: Vec::new(),
            file: None,
        }
    }
}

impl Filter for QuotientFilter {
    same_calls!();

    table_calls!();

    fn keys_inserted(&self) -> Option<u64> {
        Some(self.held)
    }
}

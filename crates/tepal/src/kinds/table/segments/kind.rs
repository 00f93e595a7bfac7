//! What every kind of filter does, for a segment filter.

use alloc::vec::Vec;

use super::SegmentFilter;
use super::combine::only;
use crate::error::{Error, Result};
use crate::facts::{Facts, Labels, TableFacts, Warning};
use crate::ids::{Kind, OverCapacity};
use crate::key::{Batch, KeyHasher, KeyRef};
use crate::kinds::calls::{same_calls_but_insert, table_calls};
use crate::kinds::named::Segment;
use crate::kinds::{FilePart, Filter};

impl SegmentFilter {
    /// Everything about the filter, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let fields = self.table.packing().fields();
        Facts {
            kind: Kind::Segment,
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
            keys_inserted: Some(self.len()),
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
                keys: self.len(),
                distinct_numbers: self.table.distinct(),
                capacity: self.capacity(),
            }],
            segments: self.segments.facts(),
            ribbon: None,
            warnings: Vec::new(),
            file: None,
        }
    }

    /// The segment of a key that comes without one: the only one.
    fn only_segment(&self) -> Result<Segment> {
        only(&self.segments).ok_or(Error::NotPossible {
            kind: Kind::Segment,
            operation: "take a key without its segment",
            instead: "name the segment: `SegmentFilter::insert(segment, key)`",
        })
    }
}

impl Filter for SegmentFilter {
    fn insert(&mut self, key: KeyRef<'_>) -> Result<bool> {
        self.insert(self.only_segment()?, &key)
    }

    fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
        self.insert_batch(self.only_segment()?, keys, done)
    }

    same_calls_but_insert!();

    table_calls!();

    fn keys_inserted(&self) -> Option<u64> {
        Some(self.len())
    }
}

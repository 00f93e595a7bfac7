//! What every kind of filter does, for a ribbon: what would change more than the list beside it is refused.

use alloc::vec::Vec;

use super::{RibbonFilter, fixed};
use crate::error::Result;
use crate::facts::{Facts, Labels, RibbonFacts, Warning};
use crate::ids::{Kind, OverCapacity};
use crate::key::{Batch, KeyHasher, KeyRef};
use crate::kinds::calls::same_calls;
use crate::kinds::storage::PlainStorage;
use crate::kinds::{FilePart, Filter};

/// Fewer bytes of added keys weigh on no filter.
const HEAVY: u64 = 4096;

/// What the calls of all kinds come to.
impl<L: PlainStorage> RibbonFilter<L> {
    fn clear(&mut self) -> Result<()> {
        Err(fixed("forget its keys"))
    }

    pub(crate) fn intersect_with(&mut self, _: &Self) -> Result<()> {
        Err(fixed("be intersected"))
    }

    fn estimated_len(&self) -> f64 {
        self.len() as f64
    }

    /// Does the list of added keys weigh on the filter?
    fn weighs(&self) -> Option<Warning> {
        let bytes = 8 * self.added();
        let is_heavy = bytes >= HEAVY && bytes > self.size_in_bytes() / 10;
        is_heavy.then(|| Warning::ManyAdded { added: self.added(), bytes, of: self.size_in_bytes() })
    }

    /// Everything about the filter, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts {
            kind: Kind::Ribbon,
            scheme: self.scheme(),
            seed: self.seed(),
            valkey_seed: None,
            caller_hash: self.meta.keys.caller_hash(),
            key_domain: self.key_domain(),
            recipe: self.recipe(),
            capacity: self.len(),
            promised_false_positive_rate: self.promised_false_positive_rate(),
            expansion: None,
            window: None,
            exceptions: 0,
            is_divided: false,
            over_capacity: OverCapacity::Refuse,
            is_over_capacity: false,
            is_full: false,
            keys_inserted: Some(self.len()),
            estimated_len: self.estimated_len(),
            false_positive_rate: self.false_positive_rate(),
            size_in_bytes: self.size_in_bytes(),
            labels: self.labels().clone(),
            parts: Vec::new(),
            tables: Vec::new(),
            segments: Vec::new(),
            ribbon: Some(RibbonFacts {
                keys: self.len(),
                added: self.added(),
                bit_len: self.bit_len(),
                numbers: self.numbers(),
                ..self.ribbon.facts()
            }),
            warnings: self.weighs().into_iter().collect(),
            file: None,
        }
    }
}

impl<L: PlainStorage> Filter for RibbonFilter<L> {
    same_calls!();

    fn estimated_len(&self) -> f64 {
        self.estimated_len()
    }

    fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        match policy {
            OverCapacity::Refuse => Ok(()),
            _ => Err(fixed("change what happens past its capacity")),
        }
    }

    fn capacity(&self) -> u64 {
        self.len()
    }

    fn over_capacity(&self) -> OverCapacity {
        OverCapacity::Refuse
    }

    fn is_over_capacity(&self) -> bool {
        false
    }

    fn is_full(&self) -> bool {
        false
    }

    fn keys_inserted(&self) -> Option<u64> {
        Some(self.len())
    }

    /// It is as full everywhere.
    fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        let fill = if self.ribbon.keys == 0 { 0.0 } else { 1.0 };
        alloc::vec![fill; slices.clamp(1, self.ribbon.shape.lines() as usize)]
    }

    fn check_before_copying(&self) -> Result<()> {
        self.check_before_copying()
    }
}

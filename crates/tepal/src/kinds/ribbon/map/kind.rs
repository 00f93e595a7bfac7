//! What every kind of filter does, for a map: what would change it is refused.

use alloc::vec::Vec;

use super::RibbonMap;
use crate::error::Result;
use crate::facts::{Can, Facts};
use crate::ids::{Operation, OverCapacity};
use crate::key::{Batch, KeyRef};
use crate::kinds::Filter;
use crate::kinds::calls::same_calls;
use crate::kinds::generic::usual_facts;
use crate::kinds::storage::PlainStorage;

/// What the calls of all kinds come to.
impl<L: PlainStorage> RibbonMap<L> {
    fn estimated_len(&self) -> f64 {
        self.len() as f64
    }

    /// Everything about the map, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts { segments: self.names.facts(), ribbon: Some(self.ribbon.facts()), ..usual_facts(self) }
    }
}

same_calls! {
    RibbonMap<L>: Map [L: PlainStorage]
    Inner {
        fn check_before_copying(&self) -> Result<()> {
            self.check_before_copying()
        }

        fn instead(&self, operation: Operation) -> &'static str {
            match operation {
                Operation::Fold => "build a smaller one from its pairs, at a higher rate",
                Operation::Insert
                | Operation::Clear
                | Operation::Unite
                | Operation::Intersect
                | Operation::SetOverCapacity => {
                    "build another one of all its pairs (`RibbonMap::builder`, `tepal build --map`)"
                }
                other => other.instead(),
            }
        }
    }
    InnerMut {
        fn insert_batch(&mut self, keys: Batch<'_>, _: usize) -> Result<()> {
            match keys {
                Batch::Hashes([]) => Ok(()),
                _ => Err(self.refusal(Operation::Insert)),
            }
        }
    }
    Filter {
        fn can(&self) -> Can {
            Can { values: true, ..Can::default() }
        }

        fn estimated_len(&self) -> f64 {
            self.estimated_len()
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
            true
        }

        fn keys_inserted(&self) -> Option<u64> {
            Some(self.len())
        }

        /// It is as full everywhere.
        fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
            let fill = if self.is_empty() { 0.0 } else { 1.0 };
            alloc::vec![fill; slices.clamp(1, self.ribbon.shape.lines() as usize)]
        }
    }
    MutableFilter {
        fn insert_key(&mut self, _: KeyRef<'_>) -> Result<bool> {
            Err(self.refusal(Operation::Insert))
        }

        fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
            match policy {
                OverCapacity::Refuse => Ok(()),
                _ => Err(self.refusal(Operation::SetOverCapacity)),
            }
        }
    }
}

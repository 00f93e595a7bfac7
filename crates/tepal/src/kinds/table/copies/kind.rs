//! The traits of every filter, for a quotient filter.

use alloc::vec::Vec;

use super::QuotientFilter;
use crate::error::{Advice, Result, advice};
use crate::facts::{Can, Facts};
use crate::ids::Operation;
use crate::key::{Batch, KeyRef, PreparedKeys};
use crate::kinds::Removal;
use crate::kinds::calls::table_calls;
use crate::kinds::usual_facts::usual_facts;

impl QuotientFilter {
    /// Removes all keys. The table keeps its size.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) if there is no memory for an opened file's
    /// table.
    pub fn clear(&mut self) -> Result<()> {
        self.core.table.clear()?;
        (self.held, self.is_deletable) = (0, true);
        Ok(())
    }

    /// Everything about the filter, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts { tables: self.core.table_facts(Some(self.held)), ..usual_facts(self) }
    }
}

table_calls! {
    QuotientFilter: Quotient
    Inner {
        fn instead(&self, operation: Operation) -> Advice {
            match operation {
                Operation::Remove => {
                    advice!("two keys may share a copy, as in a table that was a growing filter; build it of the keys", Deletable, ", or as a growing filter with removal", GrowingDeletable)
                }
                other => other.instead(),
            }
        }
    }
    InnerMut {
        fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
            self.insert_prepared_batch(keys, done)
        }
    }
    Filter {
        fn can(&self) -> Can {
            Can {
                insert: true,
                remove: self.is_deletable(),
                count: true,
                set_over_capacity: true,
                refill: true,
                unite: true,
                intersect: true,
                fold: true,
                become_static: true,
                ..Can::default()
            }
        }

        fn count_key(&self, key: KeyRef<'_>) -> Option<u64> {
            Some(self.count(&key))
        }

        fn keys_inserted(&self) -> Option<u64> {
            Some(self.held)
        }

        fn fold_factors(&self) -> Vec<u64> {
            self.fold_factors()
        }

        fn folded_size_in_bytes(&self, factor: u64) -> Option<u64> {
            self.folded_size_in_bytes(factor)
        }
    }
    MutableFilter {
        fn insert_key(&mut self, key: KeyRef<'_>) -> Result<bool> {
            self.insert(&key)
        }

        fn remove_hash(&mut self, hash: u64) -> Result<Removal> {
            Ok(if self.remove_hash(hash)? { Removal::Removed } else { Removal::NotHeld })
        }

        fn remove_prepared(&mut self, keys: &PreparedKeys) -> Result<u64> {
            self.remove_prepared(keys)
        }
    }
}

//! The traits of every filter, for a growing filter.

use alloc::vec::Vec;

use super::GrowingFilter;
use crate::error::{Advice, Result, advice};
use crate::facts::{Can, Facts, TableFacts};
use crate::ids::{Operation, OverCapacity};
use crate::key::{Batch, KeyRef, PreparedKeys};
use crate::kinds::calls::same_calls;
use crate::kinds::table::lines::Table;
use crate::kinds::usual_facts::usual_facts;
use crate::kinds::{Filter, Removal};

impl GrowingFilter {
    /// Everything about the filter, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts {
            expansion: Some(16),
            tables: self.links.iter().enumerate().map(|(i, link)| self.table_facts(i, link)).collect(),
            ..usual_facts(self)
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

    /// An estimate of the number of different keys, from the different fingerprints: some keys
    /// share one.
    fn estimated_len(&self) -> f64 {
        self.links.iter().map(Table::estimated_len).sum()
    }
}

same_calls! {
    GrowingFilter: Growing
    Inner {
        fn check_before_copying(&self) -> Result<()> {
            self.check_before_copying()
        }

        fn instead(&self, operation: Operation) -> Advice {
            match operation {
                Operation::Fold => advice!("make one table of it", Freeze, ", or build one filter from its keys"),
                Operation::Unite => {
                    advice!("a link of both together would hold more keys than it takes, and pass its promise; ask both of them, or add the keys of the one to the other")
                }
                Operation::Intersect => {
                    advice!("make one table of each", Freeze, ", or intersect single filters")
                }
                Operation::Remove => {
                    advice!("build it as a deletable one", GrowingDeletable)
                }
                Operation::SetOverCapacity => {
                    advice!("it grows, and keeps its promise; build a filter of a fixed capacity to have it refuse keys")
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
                grow: true,
                refill: true,
                unite: true,
                become_static: true,
                ..Can::default()
            }
        }

        fn estimated_len(&self) -> f64 {
            self.estimated_len()
        }

        /// The keys that its present links take together; further links take more.
        fn capacity(&self) -> u64 {
            (0..self.links.len()).fold(0, |sum, link| sum.saturating_add(self.meta.plan.capacity(link)))
        }

        fn over_capacity(&self) -> OverCapacity {
            OverCapacity::Warn
        }

        /// It grows before it is over capacity.
        fn is_over_capacity(&self) -> bool {
            false
        }

        /// It is full if there are no fingerprints for another link.
        fn is_full(&self) -> bool {
            self.meta.plan.numbers(self.links.len()).is_none() && self.link_with_room().is_none()
        }

        fn keys_inserted(&self) -> Option<u64> {
            Some(self.len())
        }

        /// The load factor of equal parts of the largest table.
        fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
            let largest = self.links.iter().max_by_key(|link| link.packing().lines());
            largest.map_or_else(Vec::new, |link| link.fill_of_slices(slices))
        }
    }
    MutableFilter {
        fn insert_key(&mut self, key: KeyRef<'_>) -> Result<bool> {
            self.insert(&key)
        }

        fn clear(&mut self) -> Result<()> {
            self.clear()
        }

        fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
            match policy == Filter::over_capacity(self) {
                true => Ok(()),
                false => Err(self.refusal(Operation::SetOverCapacity)),
            }
        }

        fn remove_hash(&mut self, hash: u64) -> Result<Removal> {
            self.remove_hash(hash)
        }

        fn remove_prepared(&mut self, keys: &PreparedKeys) -> Result<u64> {
            self.remove_prepared(keys)
        }

        fn union_with(&mut self, other: &Self) -> Result<()> {
            self.union_with(other)
        }
    }
}

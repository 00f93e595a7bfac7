//! The traits of every filter, for a ribbon filter. It refuses changes beyond added keys.

use alloc::vec::Vec;

use super::RibbonFilter;
use crate::error::{Advice, Result, advice};
use crate::facts::{Can, Facts, RibbonFacts, Touched, Warning};
use crate::ids::{Operation, OverCapacity};
use crate::key::{Batch, KeyRef};
use crate::kinds::Filter;
use crate::kinds::calls::ribbon_calls;
use crate::kinds::storage::PlainStorage;
use crate::kinds::usual_facts::usual_facts;

/// Fewer bytes of added keys cause no warning.
const HEAVY: u64 = 4096;

impl<L: PlainStorage> RibbonFilter<L> {
    /// Everything about the filter, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts {
            ribbon: Some(RibbonFacts {
                keys: self.len(),
                added: self.added(),
                bit_len: self.bit_len(),
                numbers: self.numbers(),
                ..self.ribbon.facts()
            }),
            ..usual_facts(self)
        }
    }
}

ribbon_calls! {
    RibbonFilter<L>: Ribbon
    Inner {
        /// Warns if the list of added keys is large.
        fn warnings(&self) -> Vec<Warning> {
            let bytes = 8 * self.added();
            let is_heavy = bytes >= HEAVY && bytes > self.size_in_bytes() / 10;
            let weighs = is_heavy.then(|| Warning::ManyAdded { added: self.added(), bytes, of: self.size_in_bytes() });
            weighs.into_iter().collect()
        }

        fn touched(&self, hash: u64) -> Option<Touched> {
            self.ribbon.touched(self.in_ribbon(hash))
        }

        fn instead(&self, operation: Operation) -> Advice {
            match operation {
                Operation::Remove => {
                    advice!("build it again without the key", Static, ", or build a deletable filter", Deletable)
                }
                Operation::Fold => advice!("build a smaller one from its keys, at a higher rate"),
                Operation::BecomeStatic => advice!("it is one"),
                Operation::Clear | Operation::Unite | Operation::Intersect | Operation::SetOverCapacity => {
                    advice!("build another one of all its keys", Static, "; keys can only be added", Insert)
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
            Can { insert: true, prefers_all_at_once: true, unite: true, ..Can::default() }
        }

        fn is_full(&self) -> bool {
            false
        }
    }
    MutableFilter {
        fn insert_key(&mut self, key: KeyRef<'_>) -> Result<bool> {
            self.insert(&key)
        }

        fn union_with(&mut self, other: &Self) -> Result<()> {
            self.union_with(other)
        }
    }
}

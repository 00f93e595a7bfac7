//! The traits of every filter, for a map. It refuses all changes.

use alloc::vec::Vec;

use super::RibbonMap;
use crate::error::{Advice, Result, advice};
use crate::facts::{Can, Facts, Touched};
use crate::ids::{Operation, OverCapacity};
use crate::key::{Batch, KeyRef};
use crate::kinds::calls::ribbon_calls;
use crate::kinds::storage::PlainStorage;
use crate::kinds::usual_facts::usual_facts;
use crate::kinds::{AnyFilter, Filter};

impl<L: PlainStorage> RibbonMap<L> {
    /// Everything about the map, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts { segments: self.names.facts(), ribbon: Some(self.ribbon.facts()), ..usual_facts(self) }
    }
}

impl AnyFilter {
    /// This filter as a map whose keys have values; `None` if it is another kind.
    ///
    /// ```
    /// use tepal::{AnyFilter, RibbonMap};
    /// let ports = RibbonMap::builder().value_bits(16).build_from([("ssh", 22)])?;
    /// let any = AnyFilter::from(ports);
    /// assert_eq!(any.as_valued().and_then(|ports| ports.get("ssh")).unwrap(), 22);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn as_valued(&self) -> Option<&RibbonMap> {
        match self {
            AnyFilter::Map(map) => Some(map),
            _ => None,
        }
    }
}

ribbon_calls! {
    RibbonMap<L>: Map
    Inner {
        fn touched(&self, hash: u64) -> Option<Touched> {
            self.ribbon.touched(hash)
        }

        fn instead(&self, operation: Operation) -> Advice {
            match operation {
                Operation::Remove => {
                    advice!("build another one without the key", Map)
                }
                Operation::Fold => advice!("build a smaller one from its pairs, at a higher rate"),
                Operation::Insert
                | Operation::Clear
                | Operation::Unite
                | Operation::Intersect
                | Operation::SetOverCapacity => {
                    advice!("build another one of all its pairs", Map)
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

        fn is_full(&self) -> bool {
            true
        }
    }
    MutableFilter {
        fn insert_key(&mut self, _: KeyRef<'_>) -> Result<bool> {
            Err(self.refusal(Operation::Insert))
        }
    }
}

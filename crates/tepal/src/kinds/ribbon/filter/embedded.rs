//! A filter that is known only by its ribbon, the ribbon's shape and the key hasher.

use super::RibbonFilter;
use crate::error::{Error, Result, advice};
use crate::ids::{Kind, Operation};
use crate::key::KeyHasher;
use crate::kinds::ribbon::lines::{Ribbon, RibbonMeta};
use crate::kinds::storage::PlainStorage;

impl<L: PlainStorage> RibbonFilter<L> {
    /// The parts that the embedded form holds.
    pub(crate) fn embedded(&self) -> (&Ribbon<L>, &KeyHasher) {
        (&self.ribbon, &self.meta.keys)
    }

    /// Refuses a filter whose added keys or second ribbon the embedded form would lose.
    pub(crate) fn check_embeddable(&self) -> Result<()> {
        match self.added() {
            _ if self.numbers().is_some() => Err(Error::NotPossible {
                kind: Kind::Ribbon,
                operation: Operation::BeEmbedded,
                instead: advice!(
                    "it was made from a table; build another one of all its keys",
                    Static,
                    ", or write its file, which has the size of the table",
                    ToBytes
                ),
            }),
            0 => Ok(()),
            _ => Err(Error::NotPossible {
                kind: Kind::Ribbon,
                operation: Operation::BeEmbedded,
                instead: advice!(
                    "it has keys that were added; build another one of all its keys",
                    Static,
                    ", or write its file, which has them",
                    ToBytes
                ),
            }),
        }
    }

    /// Makes the filter of this ribbon, with its lines.
    pub(crate) fn of_embedded(ribbon: Ribbon<()>, hasher: &KeyHasher, lines: L) -> Result<Self> {
        let mut filter =
            RibbonFilter::from_parts(RibbonMeta::of_embedded(hasher), ribbon.with_checked_lines(lines)?);
        let now = filter.false_positive_rate();
        filter.meta.promised_rate = now.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
        Ok(filter)
    }
}

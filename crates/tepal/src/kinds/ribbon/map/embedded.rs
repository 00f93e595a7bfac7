//! A map that is known only by its ribbon, the ribbon's shape and the key hasher.

use super::RibbonMap;
use super::builder::EVERY;
use crate::error::{Error, Result, advice};
use crate::ids::{Kind, Operation};
use crate::key::KeyHasher;
use crate::kinds::named::SegmentList;
use crate::kinds::ribbon::lines::{Ribbon, RibbonMeta};
use crate::kinds::storage::PlainStorage;

impl<L: PlainStorage> RibbonMap<L> {
    /// The parts that the embedded form holds.
    pub(crate) fn embedded(&self) -> (&Ribbon<L>, &KeyHasher) {
        (&self.ribbon, &self.meta.keys)
    }

    /// Refuses a map whose names the embedded form would lose.
    pub(crate) fn check_embeddable(&self) -> Result<()> {
        match self.num_names() {
            0 => Ok(()),
            _ => Err(Error::NotPossible {
                kind: Kind::Map,
                operation: Operation::BeEmbedded,
                instead: advice!(
                    "its values have names; keep the names once for all maps and build it with numbers as values, or write its file, which has them",
                    ToBytes
                ),
            }),
        }
    }

    /// Makes the map of this ribbon, with its lines.
    pub(crate) fn of_embedded(ribbon: Ribbon<()>, hasher: &KeyHasher, lines: L) -> Result<Self> {
        let ribbon = ribbon.with_checked_lines(lines)?;
        let mut map = RibbonMap::from_parts(RibbonMeta::of_embedded(hasher), SegmentList::default(), ribbon);
        let now = map.false_positive_rate();
        map.meta.promised_rate = now.clamp(f64::MIN_POSITIVE, EVERY);
        Ok(map)
    }
}

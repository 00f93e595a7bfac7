//! A map of which only the ribbon, its shape and the key hasher are known.

use super::builder::EVERY;
use super::{Meta, RibbonMap};
use crate::error::{Error, Result};
use crate::ids::Kind;
use crate::key::KeyHasher;
use crate::kinds::CheckBody;
use crate::kinds::named::SegmentList;
use crate::kinds::ribbon::filter::part::{OfRibbon, Padding, RibbonPart};
use crate::kinds::storage::PlainStorage;

impl<L: PlainStorage> RibbonMap<L> {
    /// What the embedded form holds of it.
    pub(crate) fn ribbon_part(&self) -> RibbonPart<'_> {
        RibbonPart {
            shape: &self.shape,
            thin: None,
            keys: self.keys,
            hasher: &self.meta.keys,
            lines: self.as_lines(),
        }
    }

    /// Refuses what that form would lose.
    pub(crate) fn check_embeddable(&self) -> Result<()> {
        match self.num_names() {
            0 => Ok(()),
            _ => Err(Error::NotPossible {
                kind: Kind::Map,
                operation: "be embedded with the names of its values",
                instead: "keep these once for all maps and build it of numbers, or write its file (`Opened::to_bytes`), which has them",
            }),
        }
    }

    /// The map with this ribbon, of which there are as many lines, and so many keys.
    pub(crate) fn of_ribbon(
        OfRibbon { shape, keys, .. }: OfRibbon,
        hasher: &KeyHasher,
        lines: L,
    ) -> Result<Self> {
        Padding { shape, thin: None }.check(lines.as_lines())?;
        let meta = Meta { keys: hasher.clone(), promised_rate: f64::MIN_POSITIVE, labels: None };
        let mut map = RibbonMap::from_parts(meta, SegmentList::default(), shape, lines, keys);
        let now = map.false_positive_rate();
        map.meta.promised_rate = now.clamp(f64::MIN_POSITIVE, EVERY);
        Ok(map)
    }
}

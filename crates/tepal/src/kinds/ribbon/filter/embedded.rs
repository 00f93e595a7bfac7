//! A filter of which only the ribbon, its shape and the key hasher are known.

use super::{Meta, RibbonFilter};
use crate::error::{Error, Result};
use crate::ids::Kind;
use crate::key::KeyHasher;
use crate::kinds::CheckBody;
use crate::kinds::ribbon::filter::part::{OfRibbon, Padding, RibbonPart};
use crate::kinds::storage::PlainStorage;

impl<L: PlainStorage> RibbonFilter<L> {
    /// What the embedded form holds of it.
    pub(crate) fn ribbon_part(&self) -> RibbonPart<'_> {
        RibbonPart {
            shape: &self.shape,
            thin: self.thin.as_deref(),
            keys: self.keys,
            hasher: &self.meta.keys,
            lines: self.as_lines(),
        }
    }

    /// Refuses what that form would lose.
    pub(crate) fn check_embeddable(&self) -> Result<()> {
        match self.added() {
            _ if self.numbers().is_some() => Err(Error::NotPossible {
                kind: Kind::Ribbon,
                operation: "be embedded where it was made of a table",
                instead: "build another one of all its keys (`RibbonFilter::builder`), or write its file (`Opened::to_bytes`), which has the numbers of the table",
            }),
            0 => Ok(()),
            _ => Err(Error::NotPossible {
                kind: Kind::Ribbon,
                operation: "be embedded with keys that were added",
                instead: "build another one of all its keys (`RibbonFilter::builder`), or write its file (`Opened::to_bytes`), which has them",
            }),
        }
    }

    /// The filter with this ribbon, of which there are as many lines, and so many keys.
    pub(crate) fn of_ribbon(of: OfRibbon, hasher: &KeyHasher, lines: L) -> Result<Self> {
        let OfRibbon { shape, thin, keys } = of;
        let padding = Padding { shape, thin };
        padding.check(lines.as_lines())?;
        let meta =
            Meta { keys: hasher.clone(), promised_rate: f64::MIN_POSITIVE, labels: None, numbers: None };
        let mut filter = RibbonFilter::from_parts(meta, (shape, padding.thin, lines, keys));
        let now = filter.false_positive_rate();
        filter.meta.promised_rate = now.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
        Ok(filter)
    }
}

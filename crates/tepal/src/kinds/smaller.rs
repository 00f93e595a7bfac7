//! Makes a filter of any kind smaller, or static.

use super::bloom::BloomFilter;
use super::{AnyFilter, Filter};
use crate::error::Result;
use crate::ids::Operation;

impl AnyFilter {
    /// Makes the filter this many times smaller: [`BloomFilter::fold`].
    ///
    /// # Errors
    /// As there; [`Error::NotPossible`](crate::Error::NotPossible) for a kind that does not fold;
    /// [`Error::Damaged`](crate::Error::Damaged) for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are damaged.
    pub fn fold(&mut self, factor: u64) -> Result<()> {
        *self = self.folded_by(factor)?;
        Ok(())
    }

    /// Makes the filter as small as this rate allows: [`BloomFilter::shrink_to`]. Returns how many
    /// times smaller it became. A growing filter becomes one table, of another kind
    /// (`GrowingFilter::freeze`).
    ///
    /// # Errors
    /// As there, and as [`fold`](Self::fold).
    pub fn shrink_to(&mut self, rate: f64) -> Result<u64> {
        let Some((factor, folded)) = self.shrunk_to(rate)? else { return Ok(1) };
        *self = folded;
        Ok(factor)
    }

    pub(crate) fn folded_by(&self, factor: u64) -> Result<AnyFilter> {
        #[cfg(feature = "table")]
        if let AnyFilter::Quotient(filter) = self {
            return filter.folded_by(factor).map(AnyFilter::Quotient);
        }
        self.same_exceptions(self.foldable()?.folded_by(factor)?)
    }

    pub(crate) fn shrunk_to(&self, rate: f64) -> Result<Option<(u64, AnyFilter)>> {
        #[cfg(feature = "table")]
        if let AnyFilter::Quotient(filter) = self {
            let (factor, shrunk) = filter.shrunk_to(rate)?;
            return Ok(Some((factor, AnyFilter::Quotient(shrunk))));
        }
        #[cfg(feature = "table")]
        if let AnyFilter::Growing(filter) = self {
            return Ok(Some((1, AnyFilter::Quotient(filter.freeze(rate)?))));
        }
        let Some((factor, folded)) = self.foldable()?.shrunk_to(rate)? else { return Ok(None) };
        Ok(Some((factor, self.same_exceptions(folded)?)))
    }

    /// Makes a ribbon filter from the fingerprints of a table:
    /// [`QuotientFilter::to_ribbon`](crate::QuotientFilter::to_ribbon), and the same for a growing
    /// filter.
    ///
    /// # Errors
    /// As there; [`Error::NotPossible`](crate::Error::NotPossible) for every other kind.
    #[cfg(all(feature = "table", feature = "static"))]
    pub fn to_ribbon(&self, rate: f64) -> Result<super::ribbon::RibbonFilter> {
        match self {
            AnyFilter::Quotient(filter) => filter.to_ribbon(rate),
            AnyFilter::Growing(filter) => filter.to_ribbon(rate),
            other => Err(other.refusal(Operation::BecomeStatic)),
        }
    }

    /// A folded filter has the same members, so it keeps the same exceptions.
    fn same_exceptions(&self, folded: BloomFilter) -> Result<AnyFilter> {
        match self {
            #[cfg(feature = "extras")]
            AnyFilter::Excepted(filter) => Ok(filter.same_exceptions(folded)?.into()),
            _ => Ok(folded.into()),
        }
    }

    fn foldable(&self) -> Result<&BloomFilter> {
        match self {
            AnyFilter::Bloom(filter) => Ok(filter),
            #[cfg(feature = "extras")]
            AnyFilter::Excepted(filter) => Ok(filter.bits()),
            #[allow(unreachable_patterns, reason = "if there is only one kind")]
            other => Err(other.refusal(Operation::Fold)),
        }
    }
}

//! A table in which each fingerprint has one slot, with a tag for its time.

use super::Table;
use crate::bits::table::tagged::Recent;
use crate::error::Result;

impl Table {
    /// The tag of a fingerprint, if it is held.
    #[inline]
    pub(crate) fn tag_of(&self, number: u64) -> Option<u64> {
        self.kernel.tag_of(&self.packing, self.as_lines(), number)
    }

    /// Replaces the tag of a fingerprint. Returns whether it is held.
    #[inline]
    pub(crate) fn refresh(&mut self, number: u64, tag: u64) -> Result<bool> {
        let (packing, kernel, lines, _) = self.own()?;
        Ok(kernel.refresh(packing, lines, number, tag))
    }

    /// Looks up a batch of fingerprints whose tags must be young enough; `answers` is as long as
    /// `h`.
    #[inline]
    pub(crate) fn contains_recent(&self, recent: Recent, h: &[u64], answers: &mut [bool]) {
        self.kernel.contains_recent(&self.packing, self.as_lines(), recent, h, answers);
    }

    /// Removes every fingerprint whose tag is too old, in one pass. The number of lines stays.
    pub(crate) fn sweep(&mut self, recent: Recent) -> Result<()> {
        let (packing, kernel, lines, _) = self.own()?;
        let dropped = kernel.sweep(packing, lines, recent);
        self.slots -= dropped;
        self.numbers -= dropped;
        Ok(())
    }
}

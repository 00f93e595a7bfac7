//! A table in which each number stands once, with a tag that says when.

use super::Table;
use crate::bits::table::tagged::Recent;
use crate::error::Result;

impl Table {
    /// The tag of a number, where that is held.
    #[inline]
    pub(crate) fn tag_of(&self, number: u64) -> Option<u64> {
        self.kernel.tag_of(&self.packing, self.as_lines(), number)
    }

    /// Gives a number that is held another tag. Whether it is.
    #[inline]
    pub(crate) fn refresh(&mut self, number: u64, tag: u64) -> Result<bool> {
        let (packing, kernel, lines, _) = self.own()?;
        Ok(kernel.refresh(packing, lines, number, tag))
    }

    /// Answers a batch for numbers whose tag is young enough; `answers` is as long as `h`.
    #[inline]
    pub(crate) fn contains_recent(&self, recent: Recent, h: &[u64], answers: &mut [bool]) {
        self.kernel.contains_recent(&self.packing, self.as_lines(), recent, h, answers);
    }

    /// Drops every number whose tag is too old, in one pass. The lines stay as many.
    pub(crate) fn sweep(&mut self, recent: Recent) -> Result<()> {
        let (packing, kernel, lines, _) = self.own()?;
        let dropped = kernel.sweep(packing, lines, recent);
        self.slots -= dropped;
        self.numbers -= dropped;
        Ok(())
    }
}

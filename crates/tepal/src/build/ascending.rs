//! The hashes of a spool, ascending and each once, as often as they are asked for: for a filter
//! that is built of sorted hashes.

use std::vec::Vec;

use core::num::NonZeroUsize;

use super::spool::{PART_BITS, Spool};
use crate::error::{Error, Result};
use crate::kinds::ribbon::construct::sort;
use crate::kinds::ribbon::pieces::Pieces;

/// Hashes that are sorted together, at the least: 8 MiB.
const RUN: usize = 1 << 20;
/// The same for each thread, which share the work of a run: 2 MiB.
const RUN_OF_THREAD: usize = 1 << 18;

/// The hashes of a spool, sorted part after part: a part is those with the same highest bits.
pub(super) struct AscendingParts<'s> {
    spool: &'s Spool,
    threads: usize,
}

impl<'s> AscendingParts<'s> {
    pub(super) fn new(spool: &'s Spool, threads: NonZeroUsize) -> Self {
        AscendingParts { spool, threads: threads.get() }
    }

    /// Adds more to a run. Repeats need no memory: where it is used up, they go.
    fn push(&self, run: &mut Vec<u64>, more: &[u64]) -> Result<()> {
        if run.capacity() - run.len() < more.len() {
            self.sort(run);
            // Room for half as many again: so often they need not be sorted.
            let room = (run.len() / 2).max(more.len()).max(RUN);
            if run.capacity() - run.len() < room {
                let bytes = 8 * (run.len() as u64).saturating_add(room as u64);
                run.try_reserve_exact(room).map_err(|_| Error::TooLarge { bytes })?;
            }
        }
        run.extend_from_slice(more);
        Ok(())
    }

    fn sort(&self, run: &mut Vec<u64>) {
        sort(run, self.threads);
        run.dedup();
    }
}

impl Pieces for AscendingParts<'_> {
    fn each(&self, first: u64, last: u64, take: &mut dyn FnMut(&[u64]) -> Result<()>) -> Result<()> {
        let part_of = |hash: u64| (hash >> (u64::BITS - PART_BITS)) as usize;
        let enough = RUN.max(self.threads.saturating_mul(RUN_OF_THREAD));
        let mut run = Vec::new();
        for part in part_of(first)..=part_of(last) {
            let mut taken = Ok(());
            self.spool.part(part, &mut |hashes| {
                if taken.is_ok() {
                    taken = self.push(&mut run, hashes);
                }
            })?;
            taken?;
            if run.len() >= enough || part == part_of(last) {
                self.sort(&mut run);
                let begin = run.partition_point(|hash| *hash < first);
                let end = run.partition_point(|hash| *hash <= last);
                take(&run[begin..end])?;
                run.clear();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

//! The hashes of a spool, ascending and without repeats, read any number of times: for a filter
//! that is built from sorted hashes.

use std::vec::Vec;

use core::num::NonZeroUsize;

use super::spool::{PART_BITS, Spool};
use crate::error::{Error, Result};
use crate::kinds::ribbon::construct::sort;
use crate::kinds::ribbon::pieces::Pieces;

/// The least number of hashes that are sorted together: 8 MiB.
const RUN: usize = 1 << 20;
/// The least number for each thread, since the threads share the work of a run: 2 MiB.
const RUN_OF_THREAD: usize = 1 << 18;

/// The hashes of a spool, sorted part after part. A part is the hashes with the same highest bits.
pub(super) struct AscendingParts<'s> {
    spool: &'s Spool,
    threads: usize,
}

impl<'s> AscendingParts<'s> {
    pub(super) fn new(spool: &'s Spool, threads: NonZeroUsize) -> Self {
        AscendingParts { spool, threads: threads.get() }
    }

    /// Adds hashes to a run. Repeats need no memory: if the memory is full, they are removed.
    fn push(&self, run: &mut Vec<u64>, more: &[u64]) -> Result<()> {
        if run.capacity() - run.len() < more.len() {
            self.sort(run);
            // Makes room for half as many again, so that the run is not sorted too often.
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

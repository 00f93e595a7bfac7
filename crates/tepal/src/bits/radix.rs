//! Sorts hashes by the part of the bit array that they fall on. Then each part is filled while it
//! is in the cache: a large filter needs sequential instead of random accesses.

use alloc::vec::Vec;
use core::ops::Range;

use super::fetch::fetch_line;
use super::{LINE_BYTES, Line, words, words_mut, zeroed};
use crate::error::{Error, Result};

/// Hashes in a line.
const IN_LINE: usize = LINE_BYTES as usize / size_of::<u64>();
/// Lines in a block: enough to read a queue in long runs.
const BLOCK_LINES: usize = 16;
/// Hashes in a block.
pub(crate) const BLOCK: usize = BLOCK_LINES * IN_LINE;
/// Bytes of memory for a block, with the bookkeeping of the queues.
pub(crate) const BLOCK_BYTES: usize = BLOCK * size_of::<u64>() + size_of::<u32>() + size_of::<usize>();

/// One queue of hashes for each part of an array.
///
/// A queue is a chain of blocks from one arena, so any distribution of the hashes fits, without
/// counting them first. Hashes are stored directly. With a buffer of one line for each queue,
/// flushed by non-temporal stores, filling took 1.6 times as long: the branch that flushes cannot
/// be predicted.
pub(crate) struct Queues {
    arena: Vec<Line>,
    /// For each block, the next block of its queue.
    next: Vec<u32>,
    /// The place of the next hash in each queue. The queue of part p begins in block p.
    ends: Vec<usize>,
}

impl Queues {
    /// Empty queues with space for this number of hashes, in any distribution over the parts.
    pub(crate) fn new(parts: usize, hashes: usize) -> Result<Self> {
        // In each queue, only the first and the last block may be partly filled.
        let blocks = 2 * parts + hashes / BLOCK;
        let arena = zeroed((blocks * BLOCK_LINES) as u64)?;
        let too_large = |_| Error::TooLarge { bytes: (blocks * size_of::<u32>()) as u64 };
        let (mut next, mut ends) = (Vec::new(), Vec::new());
        next.try_reserve_exact(blocks).map_err(too_large)?;
        next.resize(blocks, 0);
        ends.try_reserve_exact(parts).map_err(too_large)?;
        ends.extend((0..parts).map(start));
        Ok(Queues { arena, next, ends })
    }

    /// Empties the queues and sorts the hashes of items into them; `part` gives the part of a hash.
    /// Stops at the first item without a hash. Returns the number of sorted hashes, and the error
    /// of that item.
    #[inline(always)]
    pub(crate) fn sort(
        &mut self,
        items: Range<usize>,
        hash: impl Fn(usize) -> Result<u64>,
        part: impl Fn(u64) -> usize,
    ) -> (usize, Result<()>) {
        let (hashes, ends) = (words_mut(&mut self.arena), &mut self.ends[..]);
        for (part, end) in ends.iter_mut().enumerate() {
            *end = start(part);
        }
        let mut used = ends.len();
        for item in items.clone() {
            let h = match hash(item) {
                Ok(h) => h,
                Err(error) => return (item - items.start, Err(error)),
            };
            let end = &mut ends[part(h)];
            hashes[*end] = h;
            *end += 1;
            if *end % BLOCK == 0 {
                self.next[*end / BLOCK - 1] = used as u32;
                *end = used * BLOCK;
                used += 1;
            }
        }
        (items.len(), Ok(()))
    }

    /// Calls `with` with the hashes of one part, block by block, in their original order.
    #[inline(always)]
    pub(crate) fn each(&self, part: usize, mut with: impl FnMut(&[u64])) {
        let hashes = words(&self.arena);
        let end = self.ends[part];
        let (mut block, mut begin) = (part, start(part));
        while block != end / BLOCK {
            let next = self.next[block] as usize;
            self.arena[next * BLOCK_LINES..][..BLOCK_LINES].iter().for_each(fetch_line);
            with(&hashes[begin..(block + 1) * BLOCK]);
            (block, begin) = (next, next * BLOCK);
        }
        with(&hashes[begin..end]);
    }
}

/// The start of a queue. Queues grow at about the same speed. Each queue starts at a different line
/// of its block, so that queues do not compete for the same few cache sets. Sorting took 1.5 to 2
/// times as long when all queues started at the first line.
fn start(part: usize) -> usize {
    part * BLOCK + part % BLOCK_LINES * IN_LINE
}

#[cfg(test)]
mod tests;

//! Many keys at once into lines of the caller's own, and those into the shared ones.

use alloc::vec::Vec;

use super::super::BloomFilter;
use super::Shared;
use crate::bits::{self, Line, atomic};
use crate::error::Result;
use crate::key::{Batch, Keys, insert_in_batches};

/// From so many keys a line on, setting them apart and then the lines together is quicker.
const KEYS_A_LINE: usize = 4;

impl BloomFilter<Shared> {
    /// Lines to set so many keys in first, where that pays and there is memory for them. Not where keys may be refused: all
    /// of these would be under way at once, while others look how many are in.
    pub(super) fn lines_apart(&self, keys: usize) -> Option<Vec<Line>> {
        let lines = self.lines.lines.len();
        let pays = keys >= lines.saturating_mul(KEYS_A_LINE) && self.has_hash() && !self.refuses();
        pays.then(|| bits::zeroed(lines as u64).ok()).flatten()
    }

    /// Inserts keys by such lines; those before a key that is refused.
    pub(super) fn insert_apart<K: Keys + ?Sized>(&self, keys: &K, mut lines: Vec<Line>) -> Result<()> {
        let mut given = 0;
        let all = insert_in_batches(
            self,
            |filter| &filter.meta.keys,
            keys,
            |filter, batch, _| {
                // The scheme has a hash.
                if let Batch::Hashes(hashes) = batch {
                    filter.kernel.insert_many(&filter.rules, &mut lines, hashes);
                    given += hashes.len();
                }
                Ok(())
            },
        );
        self.unite(&lines, given);
        all
    }

    /// Sets all bits of lines in which so many keys are set.
    pub(super) fn unite(&self, lines: &[Line], keys: usize) {
        let sampled = atomic::union(&self.lines.lines, lines);
        self.note(keys as u64, sampled);
    }
}

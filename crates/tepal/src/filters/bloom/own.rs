//! Asking and inserting under a scheme with a rule of its own: from the key to its positions, one by one.

use super::BloomFilter;
use super::storage::{Bits, Storage};
use crate::bits;
use crate::error::Result;
use crate::hash::KeyRef;
use crate::schemes::Own;

impl<L: Storage> BloomFilter<L> {
    /// Are all positions of the key set? A key that the domain refuses was never inserted.
    pub(super) fn contains_own(&self, own: &Own, key: KeyRef<'_>) -> bool {
        let shape = self.meta.shape;
        let held = self.meta.domain.encode(key, |bytes| match self.lines.view().0 {
            Bits::Plain(lines) => {
                let words = bits::words(lines);
                let is_set = |p: u64| words[(p / 64) as usize] >> (p % 64) & 1 != 0;
                own.all(bytes, shape.num_hashes, shape.bit_len, is_set)
            }
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(shared) => {
                let is_set = |p| bits::atomic::holds_bit(&shared.lines, p);
                own.all(bytes, shape.num_hashes, shape.bit_len, is_set)
            }
        });
        held.unwrap_or(false)
    }
}

impl BloomFilter {
    /// Sets the positions of the key and says how many were not set before.
    pub(super) fn set_own(&mut self, own: &Own, key: KeyRef<'_>) -> Result<u32> {
        let shape = self.meta.shape;
        let words = bits::words_mut(&mut self.lines);
        self.meta.domain.encode(key, |bytes| {
            let mut new = 0;
            own.all(bytes, shape.num_hashes, shape.bit_len, |p| {
                let word = &mut words[(p / 64) as usize];
                let before = *word;
                *word |= 1 << (p % 64);
                new += u32::from(*word != before);
                true
            });
            new
        })
    }
}

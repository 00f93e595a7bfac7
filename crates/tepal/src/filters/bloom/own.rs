//! Asking and inserting under a scheme with a rule of its own: from the key to its positions, one by one.

use super::BloomFilter;
use super::storage::{Bits, Storage};
#[cfg(target_has_atomic = "64")]
use crate::bits::atomic;
use crate::bits::block::{Lines, LinesMut};
use crate::error::Result;
use crate::hash::KeyRef;
use crate::schemes::Own;

impl<L: Storage> BloomFilter<L> {
    /// Are all positions of the key set? A key that the domain refuses was never inserted.
    pub(super) fn contains_own(&self, own: &Own, key: KeyRef<'_>) -> bool {
        let shape = self.meta.shape;
        let held = self.meta.domain.encode(key, |bytes| match self.lines.view().0 {
            Bits::Plain(lines) => own.all(bytes, shape.num_hashes, shape.bit_len, |p| lines.holds_bit(p)),
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(shared) => {
                own.all(bytes, shape.num_hashes, shape.bit_len, |p| atomic::holds_bit(&shared.lines, p))
            }
        });
        held.unwrap_or(false)
    }
}

impl BloomFilter {
    /// Sets the positions of the key and says how many were not set before.
    pub(super) fn set_own(&mut self, own: &Own, key: KeyRef<'_>) -> Result<u32> {
        let shape = self.meta.shape;
        let lines = self.lines.as_mut_slice();
        self.meta.domain.encode(key, |bytes| {
            let mut new = 0;
            own.all(bytes, shape.num_hashes, shape.bit_len, |p| {
                new += u32::from(lines.set_bit(p));
                true
            });
            new
        })
    }
}

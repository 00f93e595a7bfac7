//! Lookup and insert under a scheme without a 64-bit hash: from the bytes of a key to its
//! positions, in batches.

use super::storage::Storage;
use super::{BloomFilter, BloomMeta};
#[cfg(target_has_atomic = "64")]
use crate::bits::atomic;
use crate::bits::rule::{Lines, LinesMut, fetch_positions};
use crate::bits::{Bits, Line};
use crate::error::Result;
use crate::key::schemes::{OwnScheme, sizing};
use crate::key::{One, PreparedKeys, SMALL};

/// Positions that are computed before the first is probed: the memory accesses of a batch.
const POSITIONS: usize = 512;

impl<L: Storage> BloomFilter<L> {
    /// Whether all positions of the key are set.
    #[inline]
    pub(super) fn contains_positions(&self, own: &OwnScheme, key: One<'_>) -> Result<bool> {
        self.meta.keys.encode_one(key, |bytes| self.holds_positions(own, bytes))
    }

    /// Whether all positions of these key bytes are set.
    #[inline]
    fn holds_positions(&self, own: &OwnScheme, bytes: &[u8]) -> bool {
        let shape = self.meta.shape;
        match self.lines.view().0 {
            Bits::Plain(lines) => own.all(bytes, shape.num_hashes, shape.bit_len, |p| lines.holds_bit(p)),
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(lines) => {
                own.all(bytes, shape.num_hashes, shape.bit_len, |p| atomic::holds_bit(lines, p))
            }
        }
    }

    /// Looks up many keys. For each group: computes the positions, prefetches their lines, then
    /// probes the bits.
    #[inline(never)]
    pub(super) fn answer_positions(&self, own: &OwnScheme, keys: &PreparedKeys, answers: &mut [bool]) {
        let shape = self.meta.shape;
        let k = shape.num_hashes as usize;
        let mut keys = keys.each();
        let lines = match self.lines.view().0 {
            Bits::Plain(lines) if k <= POSITIONS && self.size_in_bytes() >= SMALL => lines,
            // If the bits are in cache, a key is probed up to its first position that is not set.
            _ => {
                let answered = answers.iter_mut().zip(keys);
                return answered.for_each(|(answer, bytes)| *answer = self.holds_positions(own, bytes));
            }
        };
        let mut positions = [0; POSITIONS];
        for answers in answers.chunks_mut(POSITIONS / k) {
            let places = positions.chunks_exact_mut(k);
            for (bytes, places) in keys.by_ref().take(answers.len()).zip(places) {
                let mut places = places.iter_mut();
                own.all(bytes, shape.num_hashes, shape.bit_len, |p| {
                    places.next().map(|place| *place = p).is_some()
                });
            }
            fetch_positions(lines, &positions[..k * answers.len()]);
            for (answer, positions) in answers.iter_mut().zip(positions.chunks_exact(k)) {
                *answer = positions.iter().all(|&p| lines.holds_bit(p));
            }
        }
    }
}

impl BloomFilter {
    /// [`insert`](Self::insert) under a scheme without a hash.
    pub(super) fn insert_positions(&mut self, key: One<'_>) -> Result<bool> {
        self.make_room(|filter| {
            filter.meta.keys.own().map_or(Ok(false), |own| filter.contains_positions(own, key))
        })?;
        let (meta, _, lines) = self.changeable()?;
        let new = meta.keys.encode_one(key, |bytes| set_positions(meta, lines, bytes))?;
        self.tally.counted += u64::from(new);
        if new > 0 || !sizing(self.scheme()).is_some_and(|its| its.counts_only_new) {
            self.add_to_inserted(1);
        }
        Ok(new > 0)
    }
}

/// Sets the positions of these key bytes and returns how many were not set before.
#[inline]
fn set_positions(meta: &BloomMeta, lines: &mut [Line], bytes: &[u8]) -> u32 {
    let mut new = 0;
    if let Some(own) = meta.keys.own() {
        own.all(bytes, meta.shape.num_hashes, meta.shape.bit_len, |p| {
            new += u32::from(lines.set_bit(p));
            true
        });
    }
    new
}

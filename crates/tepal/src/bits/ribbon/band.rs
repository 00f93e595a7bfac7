//! The equations of a shard, in a band: Gaussian elimination as they come. Where a bucket takes no further ones, those that start
//! first in it are left to the next layer.

use alloc::vec::Vec;

use super::entry::Entry;
use super::shape::Layer;
use super::{coefficients, lowest, stored};

/// The equations of a shard, at most one for each slot.
pub(crate) struct Band {
    /// Coefficients from this slot on, of which the first is 1, and value; no coefficients where there is no equation.
    rows: Vec<(u64, u64)>,
    /// Which keys of each bucket are left to the next layer.
    codes: Vec<u8>,
    /// The start of each key.
    starts: Vec<u32>,
    /// Of the bucket under way, where keys of which start have their equations.
    placed: Vec<(u32, u32)>,
}

impl Band {
    pub(crate) const fn new() -> Self {
        Band { rows: Vec::new(), codes: Vec::new(), starts: Vec::new(), placed: Vec::new() }
    }

    pub(crate) fn rows(&self) -> &[(u64, u64)] {
        &self.rows
    }

    pub(crate) fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// Takes the keys of a shard, by their hashes in this layer, ascending and each once; of what is stored for each so many bits. Keys
    /// that are left over go to `bumped`, by their own hashes.
    #[inline(always)]
    pub(crate) fn fill<E: Entry>(&mut self, layer: &Layer, keys: &[E], columns: u32, bumped: &mut Vec<E>) {
        let row = |key: E| {
            let x = key.hash();
            let value = stored(layer.unhash(x), key.value(), layer.value_bits);
            (coefficients(x), lowest(value, columns))
        };
        self.fill_with(layer, keys, row, bumped);
    }

    /// [`fill`](Self::fill) with whatever coefficients and values.
    #[inline(always)]
    fn fill_with<E: Entry>(
        &mut self,
        layer: &Layer,
        keys: &[E],
        row: impl Fn(E) -> (u64, u64),
        bumped: &mut Vec<E>,
    ) {
        self.rows.clear();
        self.rows.resize(layer.slots as usize, (0, 0));
        self.codes.clear();
        self.starts.clear();
        self.starts.extend(keys.iter().map(|key| layer.start(key.hash()).1 as u32));
        let mut begin = 0;
        for bucket in 0..layer.buckets_of_shard() as u32 {
            let first = bucket << layer.bucket_shift;
            let past = first + (1 << layer.bucket_shift);
            let len = self.starts[begin..].iter().take_while(|start| **start < past).count();
            let code = self.bucket(layer, first, begin, &keys[begin..begin + len], &row);
            let limit = first + layer.threshold(code) as u32;
            let left = self.starts[begin..begin + len].iter().take_while(|start| **start < limit).count();
            bumped
                .extend(keys[begin..begin + left].iter().map(|key| key.with_hash(layer.unhash(key.hash()))));
            self.codes.push(code as u8);
            begin += len;
        }
    }

    /// Takes the keys of the bucket that begins at slot `first`, the last start first, and says which of them are left over. They
    /// stand from `begin` on in `starts`.
    #[inline(always)]
    fn bucket<E: Entry>(
        &mut self,
        layer: &Layer,
        first: u32,
        begin: usize,
        keys: &[E],
        row: &impl Fn(E) -> (u64, u64),
    ) -> u64 {
        self.placed.clear();
        let mut end = keys.len();
        while end > 0 {
            let start = self.starts[begin + end - 1];
            let before = self.starts[begin..begin + end].iter().rev();
            let same = before.take_while(|other| **other == start).count();
            for &key in &keys[end - same..end] {
                if !self.put(start, row(key)) {
                    let code = layer.code_above(u64::from(start - first));
                    let limit = first + layer.threshold(code) as u32;
                    for (start, slot) in self.placed.drain(..).filter(|(start, _)| *start < limit) {
                        debug_assert!(start >= first);
                        self.rows[slot as usize] = (0, 0);
                    }
                    return code;
                }
            }
            end -= same;
        }
        0
    }

    /// Puts an equation where there is none yet; `false` where it goes against those that are there. It stands in nobody's way: what
    /// was there before does not change.
    #[inline(always)]
    fn put(&mut self, start: u32, (mut c, mut value): (u64, u64)) -> bool {
        let mut slot = start as usize;
        loop {
            let row = &mut self.rows[slot];
            if row.0 == 0 {
                *row = (c, value);
                self.placed.push((start, slot as u32));
                return true;
            }
            c ^= row.0;
            value ^= row.1;
            if c == 0 {
                return value == 0;
            }
            let zeros = c.trailing_zeros();
            slot += zeros as usize;
            c >>= zeros;
        }
    }
}

//! Sets many keys in separate lines first, then merges these into the shared lines.

use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;

use super::super::BloomFilter;
use super::Shared;
use crate::bits::atomic::AtomicU64;
use crate::bits::{self, Line, atomic};
use crate::error::Result;
use crate::key::{Batch, Keys, Stretch, insert_in_batches};

/// From this many keys a line on, setting keys apart and then merging the lines is faster.
const KEYS_A_LINE: usize = 4;

/// Marks a thread that sets keys apart, while it does.
pub(super) struct Present<'a>(&'a AtomicU64);

impl<'a> Present<'a> {
    fn new(present: &'a AtomicU64) -> Self {
        present.fetch_add(1, Relaxed);
        Present(present)
    }
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl BloomFilter<Shared> {
    /// Inserts the keys of a list by separate lines while that pays. Returns how many are inserted.
    pub(super) fn insert_apart<K: Keys + ?Sized>(&self, keys: &K) -> (usize, Result<()>) {
        let _present = Present::new(&self.lines.apart);
        let mut done = 0;
        while let Some((len, mut lines)) = self.piece_apart(keys.len() - done) {
            let mut given = 0;
            let all = insert_in_batches(
                self,
                |filter| &filter.meta.keys,
                &Stretch::new(keys, done, len),
                |filter, batch, _| {
                    // The scheme has a hash.
                    if let Batch::Hashes(hashes) = batch {
                        filter.kernel.insert_many(&mut lines, hashes);
                        given += hashes.len();
                    }
                    Ok(())
                },
            );
            if self.unite(&lines, given) {
                done += given;
                if all.is_err() {
                    return (done, all);
                }
            }
        }
        (done, Ok(()))
    }

    /// [`insert_apart`](Self::insert_apart) for hashes.
    pub(super) fn insert_hashes_apart(&self, hashes: &[u64]) -> usize {
        let _present = Present::new(&self.lines.apart);
        let mut done = 0;
        while let Some((len, mut lines)) = self.piece_apart(hashes.len() - done) {
            self.kernel.insert_many(&mut lines, &hashes[done..][..len]);
            if self.unite(&lines, len) {
                done += len;
            }
        }
        done
    }

    /// How many of the keys to set apart next, and the lines for them; `None` if it does not pay or
    /// there is no memory.
    ///
    /// If keys may be refused, the threads share the room up to the next check that must not be
    /// missed: at half, and at the capacity.
    fn piece_apart(&self, keys: usize) -> Option<(usize, Vec<Line>)> {
        let lines = self.lines.lines.len();
        let least = lines.saturating_mul(KEYS_A_LINE);
        if keys < least || !self.has_hash() {
            return None;
        }
        let room = if self.refuses() { self.room_apart()? } else { usize::MAX };
        let piece = keys.min(room);
        (piece >= least).then(|| bits::zeroed(lines as u64).ok()).flatten().map(|lines| (piece, lines))
    }

    /// A thread's share of the keys that may be given before the next check.
    fn room_apart(&self) -> Option<usize> {
        if self.lines.watch.is_full() {
            return None;
        }
        let left = self.meta.keys_left(self.keys_inserted())?;
        let room = self.meta.keys_to_half(left).unwrap_or(left);
        usize::try_from(room / self.lines.apart.load(Relaxed).max(1)).ok()
    }

    /// Sets all bits of `lines`, in which this many keys are set. Sets none and returns `false` if
    /// keys may be refused and there is no room for all of them any more.
    fn unite(&self, lines: &[Line], keys: usize) -> bool {
        let keys = keys as u64;
        if !self.refuses() {
            self.note(keys, atomic::union(&self.lines.lines, lines));
            return true;
        }
        let fits = || self.meta.keys_left(self.keys_inserted()).is_some_and(|left| keys <= left);
        let set = || {
            (!self.lines.watch.is_full() && fits()).then(|| {
                self.lines.inserted.add(keys);
                atomic::union(&self.lines.lines, lines)
            })
        };
        self.lines.watch.alone(set, || self.next())
    }
}

#[cfg(all(test, not(loom)))]
mod tests;

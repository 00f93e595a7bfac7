//! Inserts hashes that the caller has grouped by their highest bits, on several threads.
//!
//! If each hash has one line, its highest bits choose the line. Each thread fills the lines of its
//! parts, and no other thread has these parts. Two neighbouring parts share the line on which they
//! meet; the earlier part sets its bits in a copy of that line.

use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{BloomFilter, PlainStorage, after, lock, share_out};
use crate::bits::part::{LineSpan, Pass};
use crate::bits::{Line, union};
use crate::error::Result;

/// Rows of parts for each thread: with several, no thread waits long for the last.
const ROWS: usize = 8;

/// Filters of fewer lines (128 KiB) are filled faster than a thread starts.
const LEAST_LINES: usize = 1 << 11;

/// Neighbouring parts that one thread fills.
struct Row<'a> {
    parts: Range<usize>,
    /// All lines of the parts, without the line where the next row begins.
    lines: &'a mut [Line],
    /// The number of the first of these lines.
    first: usize,
}

impl BloomFilter {
    /// [`insert_many_hashes`](Self::insert_many_hashes) for hashes in `2^bits` parts, on this many
    /// threads. Bits and counts are the same for every number of threads. Part p holds the hashes
    /// whose highest bits are p.
    ///
    /// `part` is called once for each part, on any thread. It passes the hashes of the part to the
    /// function that it is given, in pieces of any length; pieces of thousands are fast.
    ///
    /// Takes the memory of a few pieces. One thread fills all parts in turn in the layouts
    /// [`Double`](crate::Layout::Double) and [`Scattered`](crate::Layout::Scattered), in filters of
    /// less than 128 KiB or 64 bytes a part, and if keys may be refused
    /// ([`OverCapacity::Refuse`](crate::OverCapacity::Refuse)).
    ///
    /// # Errors
    /// The first error of `part`, and those of [`insert_many_hashes`](Self::insert_many_hashes).
    /// Some of the hashes are inserted then.
    ///
    /// # Panics
    /// If a hash does not belong to its part, or `bits` is more than 16.
    pub(crate) fn insert_bulk_parts(
        &mut self,
        bits: u32,
        threads: NonZeroUsize,
        part: impl Fn(usize, &mut dyn FnMut(&[u64])) -> Result<()> + Sync,
    ) -> Result<()> {
        assert!(bits <= 16, "{bits} bits; expected 16 at most");
        let checked = |number: usize, take: &mut dyn FnMut(&[u64])| {
            part(number, &mut |hashes| {
                assert!(all_of(hashes, number, bits), "a hash that is not of part {number}");
                take(hashes);
            })
        };
        match self.kernel.rules().passes(self.lines.as_lines().len()) {
            [Some(pass), None]
                if threads.get() > 1
                    && self.has_hash()
                    && !self.refuses()
                    && self.lines.as_lines().len() >= LEAST_LINES.max(1 << bits) =>
            {
                self.insert_rows(bits, threads, &pass, checked)
            }
            _ => self.insert_in_turn(1 << bits, checked),
        }
    }

    fn insert_in_turn(
        &mut self,
        parts: usize,
        part: impl Fn(usize, &mut dyn FnMut(&[u64])) -> Result<()>,
    ) -> Result<()> {
        let mut done = 0;
        for number in 0..parts {
            let mut inserted = Ok(());
            part(number, &mut |hashes| {
                if inserted.is_ok() {
                    inserted = self.insert_many_hashes(hashes).map_err(after(done));
                    done += hashes.len();
                }
            })?;
            inserted?;
        }
        Ok(())
    }

    fn insert_rows(
        &mut self,
        bits: u32,
        threads: NonZeroUsize,
        pass: &Pass,
        part: impl Fn(usize, &mut dyn FnMut(&[u64])) -> Result<()> + Sync,
    ) -> Result<()> {
        let kernel = self.kernel;
        self.own_lines()?;
        let known = self.forget_counts();
        let failure = Mutex::new(None);
        let inserted = AtomicU64::new(0);
        let rows = rows(self.own_lines()?, bits, ROWS * threads.get(), pass);
        // For each row: the line after its last one, and the bits that the row sets in it.
        let edges = Mutex::new(Vec::with_capacity(rows.len()));
        share_out(threads.get(), rows.into_iter(), |Row { parts, lines, first }| {
            let end = first + lines.len();
            let mut edge = [Line([0; 8])];
            let (mut inner, mut outer) = (Vec::new(), Vec::new());
            for number in parts.clone() {
                if lock(&failure).is_some() {
                    break;
                }
                let filled = part(number, &mut |hashes| {
                    inserted.fetch_add(hashes.len() as u64, Ordering::Relaxed);
                    let hashes = if number + 1 < parts.end {
                        hashes
                    } else {
                        inner.clear();
                        outer.clear();
                        hashes.iter().for_each(|&h| {
                            let side = if pass.line(h) < end { &mut inner } else { &mut outer };
                            side.push(h);
                        });
                        kernel.insert_part(pass, LineSpan { lines: &mut edge, first: end }, &outer, &[]);
                        &inner
                    };
                    kernel.insert_part(pass, LineSpan { lines: &mut *lines, first }, hashes, &[]);
                });
                if let Err(error) = filled {
                    lock(&failure).get_or_insert(error);
                }
            }
            lock(&edges).push((end, edge[0]));
        });
        for (line, edge) in edges.into_inner().unwrap_or_else(PoisonError::into_inner) {
            // The last row has no line after it.
            if let Some(shared) = self.own_lines()?.get_mut(line..=line) {
                union(shared, &[edge]);
            }
        }
        self.restore_counts(known);
        let inserted = inserted.into_inner();
        self.tally.add_uncounted(inserted);
        self.add_to_inserted(inserted);
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// Divides all lines into about this many rows.
fn rows<'a>(mut lines: &'a mut [Line], bits: u32, rows: usize, pass: &Pass) -> Vec<Row<'a>> {
    let parts = 1_usize << bits;
    let in_a_row = parts.div_ceil(rows);
    let begins = (0..parts).step_by(in_a_row).rev();
    begins
        .map(|begin| {
            let first = pass.line(lowest(begin, bits));
            let (before, own) = core::mem::take(&mut lines).split_at_mut(first);
            lines = before;
            Row { parts: begin..parts.min(begin + in_a_row), lines: own, first }
        })
        .collect()
}

/// The lowest hash that belongs to a part.
fn lowest(part: usize, bits: u32) -> u64 {
    (part as u64).rotate_right(bits)
}

/// Whether all of these hashes belong to the part.
fn all_of(hashes: &[u64], part: usize, bits: u32) -> bool {
    let lowest = lowest(part, bits);
    // The highest bits in which one of the hashes differs from the lowest.
    hashes.iter().fold(0, |differing, h| differing | (h ^ lowest)).checked_shr(64 - bits).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests;

//! Gaussian elimination of the equations of a shard, one by one, in a band. If a bucket cannot take
//! an equation, the keys with the first starts in that bucket go to the next layer.

use alloc::vec::Vec;
use core::ops::Range;

use super::entry::Entry;
use super::shape::Layer;
use super::{coefficients, lowest, stored};
use crate::bits::memory;
use crate::error::Result;

/// The equations of a shard, at most one in each slot.
pub(crate) struct Band {
    /// The coefficients from this slot on (the first is 1) and the value. The coefficients are 0 if
    /// the slot has no equation.
    rows: Vec<(u64, u64)>,
    /// The code of each bucket, which decides which of its keys go to the next layer.
    codes: Vec<u8>,
    /// The start of each key.
    starts: Vec<u32>,
    /// For the present bucket: the start of each placed key, and the slot of its equation.
    placed: Vec<(u32, u32)>,
}

/// The keys of a shard, by their hashes in its layer, ascending and without repeats. The keys that
/// are bumped to the next layer are appended to `bumped`, by their own hashes.
pub(crate) struct Keys<'a, E> {
    pub(crate) keys: &'a [E],
    pub(crate) bumped: &'a mut Vec<E>,
}

/// An equation that is looking for a slot without an equation.
#[derive(Clone, Copy)]
struct Equation {
    slot: usize,
    c: u64,
    value: u64,
}

impl Equation {
    /// Does the search end at this row: is it empty, or does it have the same coefficients?
    #[inline(always)]
    fn ends(self, row: (u64, u64)) -> bool {
        row.0 == 0 || row.0 == self.c
    }

    /// The equation after subtracting this row: it moves on by one slot or more.
    #[inline(always)]
    fn past(self, row: (u64, u64)) -> Self {
        let c = self.c ^ row.0;
        let zeros = c.trailing_zeros();
        Equation { slot: self.slot + zeros as usize, c: c >> zeros, value: self.value ^ row.1 }
    }
}

/// A shard during elimination.
struct Shard<'a, E> {
    band: &'a mut Band,
    layer: &'a Layer,
    keys: Keys<'a, E>,
    /// Bits of a value.
    columns: u32,
    /// The first slot of the present bucket.
    first: u32,
    /// The range of its keys.
    begin: usize,
    end: usize,
    /// The keys with one start, and the present one of them. The groups of a bucket are taken from
    /// the last start to the first; the keys of a group ascend. The order matters: if a column ends
    /// before the others, another order gives other bits.
    group: Range<usize>,
    now: usize,
}

impl<'a, E: Entry> Shard<'a, E> {
    /// Begins a shard. Returns its first equation if it has a key.
    #[inline(always)]
    fn begin(
        band: &'a mut Band,
        layer: &'a Layer,
        keys: Keys<'a, E>,
        columns: u32,
    ) -> (Self, Option<Equation>) {
        band.rows.clear();
        band.rows.resize(layer.slots as usize, (0, 0));
        band.codes.clear();
        band.placed.clear();
        band.starts.clear();
        band.starts.extend(keys.keys.iter().map(|key| layer.start(key.hash()).1 as u32));
        let mut shard = Shard { band, layer, keys, columns, first: 0, begin: 0, end: 0, group: 0..0, now: 0 };
        shard.open();
        let equation = shard.next();
        (shard, equation)
    }

    /// Finds the keys of the bucket that begins at `first`.
    #[inline(always)]
    fn open(&mut self) {
        let past = self.first + (1 << self.layer.bucket_shift);
        self.end += self.band.starts[self.begin..].iter().take_while(|start| **start < past).count();
        (self.group, self.now) = (self.end..self.end, self.end);
    }

    /// Ends the bucket with this code, and opens the next one.
    #[inline(always)]
    fn close(&mut self, code: u64) {
        let limit = self.first + self.layer.threshold(code) as u32;
        let starts = &self.band.starts[self.begin..self.end];
        let left = starts.iter().take_while(|start| **start < limit).count();
        let left = &self.keys.keys[self.begin..self.begin + left];
        let layer = self.layer;
        self.keys.bumped.extend(left.iter().map(|key| key.with_hash(layer.unhash(key.hash()))));
        self.band.codes.push(code as u8);
        self.band.placed.clear();
        self.first += 1 << self.layer.bucket_shift;
        self.begin = self.end;
        self.open();
    }

    /// The equation of the next key; `None` after the last bucket.
    #[inline(always)]
    fn next(&mut self) -> Option<Equation> {
        self.now += 1;
        if self.now >= self.group.end {
            while self.group.start == self.begin {
                if u64::from(self.first) >= self.layer.slots {
                    return None;
                }
                self.close(0);
            }
            let starts = &self.band.starts[self.begin..self.group.start];
            let (past, start) = (self.group.start, starts[starts.len() - 1]);
            let same = starts.iter().rev().take_while(|other| **other == start).count();
            (self.group, self.now) = (past - same..past, past - same);
        }
        let key = self.keys.keys[self.now];
        let x = key.hash();
        let value = lowest(stored(self.layer.unhash(x), key.value(), self.layer.value_bits), self.columns);
        Some(Equation { slot: self.band.starts[self.now] as usize, c: coefficients(x), value })
    }

    /// Ends the search of an equation and returns the next equation. If the row is empty, the
    /// equation is placed; this changes no other equation. If the row has the same value, nothing
    /// is left to do. If it has another value, the equation contradicts the placed ones, and the
    /// bucket is closed.
    #[inline(always)]
    fn end(&mut self, equation: Equation) -> Option<Equation> {
        let Equation { slot, c, value } = equation;
        let start = self.band.starts[self.now];
        let row = &mut self.band.rows[slot];
        if row.0 == 0 {
            *row = (c, value);
            self.band.placed.push((start, slot as u32));
        } else if row.1 != value {
            let code = self.layer.code_above(u64::from(start - self.first));
            let limit = self.first + self.layer.threshold(code) as u32;
            for &(_, slot) in self.band.placed.iter().filter(|(start, _)| *start < limit) {
                self.band.rows[slot as usize] = (0, 0);
            }
            self.close(code);
        }
        self.next()
    }
}

impl Band {
    pub(crate) const fn new() -> Self {
        Band { rows: Vec::new(), codes: Vec::new(), starts: Vec::new(), placed: Vec::new() }
    }

    /// Reserves space for a shard of this layer with this number of keys.
    pub(crate) fn make_room(&mut self, layer: &Layer, keys: usize) -> Result<()> {
        self.rows.clear();
        memory::reserve(&mut self.rows, layer.slots as usize)?;
        self.starts.clear();
        memory::reserve(&mut self.starts, keys)
    }

    pub(crate) fn rows(&self) -> &[(u64, u64)] {
        &self.rows
    }

    pub(crate) fn codes(&self) -> &[u8] {
        &self.codes
    }
}

/// Fills the bands of one shard or of two, with the lowest `columns` bits of each key's stored
/// value. Each step of an equation waits for the step before it; meanwhile the other shard makes a
/// step.
#[inline(always)]
pub(crate) fn fill<E: Entry>(
    layer: &Layer,
    columns: u32,
    one: (&mut Band, Keys<'_, E>),
    two: Option<(&mut Band, Keys<'_, E>)>,
) {
    let (mut one, mut first) = Shard::begin(one.0, layer, one.1, columns);
    if let Some((band, keys)) = two {
        let (mut two, mut second) = Shard::begin(band, layer, keys, columns);
        while let (Some(mut a), Some(mut b)) = (first, second) {
            let (rows_a, rows_b) = (&one.band.rows[..], &two.band.rows[..]);
            let (mut row_a, mut row_b) = (rows_a[a.slot], rows_b[b.slot]);
            while !a.ends(row_a) && !b.ends(row_b) {
                (a, b) = (a.past(row_a), b.past(row_b));
                (row_a, row_b) = (rows_a[a.slot], rows_b[b.slot]);
            }
            if a.ends(row_a) {
                (first, second) = (one.end(a), Some(b));
            } else {
                (first, second) = (Some(a), two.end(b));
            }
        }
        finish(&mut two, second);
    }
    finish(&mut one, first);
}

/// Finishes a shard.
#[inline(always)]
fn finish<E: Entry>(shard: &mut Shard<'_, E>, mut equation: Option<Equation>) {
    while let Some(mut here) = equation {
        let mut row = shard.band.rows[here.slot];
        while !here.ends(row) {
            here = here.past(row);
            row = shard.band.rows[here.slot];
        }
        equation = shard.end(here);
    }
}

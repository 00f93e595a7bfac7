//! The bits of a patch, as the gaps between them in a Rice code whose parameter follows the last gaps (FORMAT.md,
//! section 6.2).

use alloc::vec::Vec;

use crate::error::{Error, Result};

/// So many ones begin a gap that is written with its length in front.
const ESCAPE: u32 = 32;

/// The mean of the last gaps, by which the parameter is chosen.
struct Mean {
    count: u64,
    sum: u64,
}

impl Mean {
    /// `coded` bits of `bits`, spread evenly.
    fn new(bits: u64, coded: u64) -> Self {
        Mean { count: 8, sum: 8 * (bits.saturating_sub(coded) / coded.max(1)) }
    }

    fn parameter(&self) -> u32 {
        let wanted = self.sum + self.count / 2;
        (0..).find(|k| self.count << (k + 1) >= wanted).unwrap_or_default()
    }

    /// A gap was coded with the parameter `k`.
    fn learn(&mut self, gap: u64, k: u32) {
        self.sum += gap.min(u64::from(ESCAPE) << k);
        self.count += 1;
        if self.count == 64 {
            self.count = 32;
            self.sum /= 2;
        }
    }
}

/// Writes the gaps between ascending positions.
pub(super) struct Encoder {
    mean: Mean,
    next: u64,
    out: Vec<u8>,
    /// Bits that are not in `out` yet, the first the least significant.
    pending: u64,
    waiting: u32,
}

impl Encoder {
    /// For `coded` positions below `bits`, behind what `out` has.
    pub(super) fn new(bits: u64, coded: u64, out: Vec<u8>) -> Self {
        Encoder { mean: Mean::new(bits, coded), next: 0, out, pending: 0, waiting: 0 }
    }

    pub(super) fn push(&mut self, position: u64) {
        let gap = position - self.next;
        self.next = position + 1;
        let k = self.mean.parameter();
        match u32::try_from(gap >> k).ok().filter(|ones| *ones < ESCAPE) {
            Some(ones) => {
                self.put((1 << ones) - 1, ones + 1);
                self.put(gap & ((1 << k) - 1), k);
            }
            None => {
                let len = gap.ilog2() + 1;
                self.put((1 << ESCAPE) - 1, ESCAPE);
                self.put((len - 1).into(), 6);
                self.put(gap, len);
            }
        }
        self.mean.learn(gap, k);
    }

    /// Appends the `len` lowest bits of a number that has no others.
    fn put(&mut self, number: u64, len: u32) {
        if len > 32 {
            self.put(number & 0xFFFF_FFFF, 32);
            return self.put(number >> 32, len - 32);
        }
        // Fewer than 8 wait, and at most 33 come.
        self.pending |= number << self.waiting;
        self.waiting += len;
        while self.waiting >= 8 {
            self.out.push(self.pending as u8);
            self.pending >>= 8;
            self.waiting -= 8;
        }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.waiting > 0 {
            self.out.push(self.pending as u8);
        }
        self.out
    }
}

/// Reads what an [`Encoder`] has written: ascending positions below `bits`.
pub(super) struct Positions<'a> {
    mean: Mean,
    code: &'a [u8],
    /// The next bit of the code.
    at: u64,
    next: u64,
    left: u64,
    bits: u64,
}

impl<'a> Positions<'a> {
    pub(super) fn new(bits: u64, coded: u64, code: &'a [u8]) -> Self {
        Positions { mean: Mean::new(bits, coded), code, at: 0, next: 0, left: coded, bits }
    }

    /// The next position; nothing after the last one, which must be the end of the code.
    pub(super) fn next(&mut self) -> Result<Option<u64>> {
        if self.left == 0 {
            return self.end().map(|()| None);
        }
        self.left -= 1;
        let k = self.mean.parameter();
        let mut ones = 0;
        while ones < ESCAPE && self.get(1)? == 1 {
            ones += 1;
        }
        let gap = match ones {
            ESCAPE => {
                let len = self.get(6)? as u32 + 1;
                self.get(len)?
            }
            _ => u64::from(ones) << k | self.get(k)?,
        };
        if ones == ESCAPE && gap >> k < u64::from(ESCAPE) {
            return Err(Error::damaged("its code writes a gap longer than it must"));
        }
        let position = self.next.checked_add(gap).filter(|position| *position < self.bits);
        let Some(position) = position else {
            return Err(Error::damaged(format_args!("its code goes past the last of {} bits", self.bits)));
        };
        self.next = position + 1;
        self.mean.learn(gap, k);
        Ok(Some(position))
    }

    /// The next `len` bits, the first the least significant.
    fn get(&mut self, len: u32) -> Result<u64> {
        let mut number = 0;
        for i in 0..len {
            let Some(byte) = self.code.get((self.at / 8) as usize) else {
                return Err(Error::damaged("its code ends within a gap"));
            };
            number |= u64::from(byte >> (self.at % 8) & 1) << i;
            self.at += 1;
        }
        Ok(number)
    }

    /// Nothing but zero bits up to the end of a byte may follow.
    fn end(&self) -> Result<()> {
        let rest = self.code.get((self.at / 8) as usize..).unwrap_or_default();
        let is_end = match (self.at % 8, rest) {
            (0, rest) => rest.is_empty(),
            (used, [last]) => last >> used == 0,
            _ => false,
        };
        if is_end { Ok(()) } else { Err(Error::damaged("bytes follow after the end of its code")) }
    }
}

#[cfg(test)]
mod tests;

//! The code of a patch. The bits are coded as gaps in a Rice code whose parameter adapts to the
//! last gaps (FORMAT.md, section 6.2). The hashes of keys are coded as gaps in a Rice code whose
//! parameter depends on their number (section 6.3).

use alloc::vec::Vec;

use crate::error::{Error, Result};

/// After this number of ones, a gap is written as its length in bits and then the gap itself.
const ESCAPE: u32 = 32;

/// The mean of the last gaps. The parameter follows from it.
struct Mean {
    count: u64,
    sum: u64,
}

impl Mean {
    /// The mean of the gaps if `coded` of `bits` bits are evenly spread.
    fn new(bits: u64, coded: u64) -> Self {
        Mean { count: 8, sum: 8 * (bits.saturating_sub(coded) / coded.max(1)) }
    }

    fn parameter(&self) -> u32 {
        let wanted = self.sum + self.count / 2;
        (0..).find(|k| self.count << (k + 1) >= wanted).unwrap_or_default()
    }

    /// Updates the mean after a gap that was coded with the parameter `k`.
    fn learn(&mut self, gap: u64, k: u32) {
        self.sum += gap.min(u64::from(ESCAPE) << k);
        self.count += 1;
        if self.count == 64 {
            self.count = 32;
            self.sum /= 2;
        }
    }
}

/// The parameter k for this number of hashes; 64 for no hashes. The gaps between hashes are about
/// 2^k to 2^(k + 1).
pub(super) fn parameter_of_hashes(count: u64) -> u32 {
    count.leading_zeros()
}

/// Writes the gaps between ascending positions, and after them the gaps between hashes.
pub(super) struct Encoder {
    mean: Mean,
    next: u64,
    out: Vec<u8>,
    /// Bits that are not in `out` yet, the first one in the lowest bit.
    pending: u64,
    waiting: u32,
}

impl Encoder {
    /// An encoder for `coded` positions below `bits`, which appends to `out`.
    pub(super) fn new(bits: u64, coded: u64, out: Vec<u8>) -> Self {
        Encoder { mean: Mean::new(bits, coded), next: 0, out, pending: 0, waiting: 0 }
    }

    pub(super) fn push(&mut self, position: u64) {
        let gap = position - self.next;
        self.next = position + 1;
        let k = self.mean.parameter();
        match u32::try_from(gap >> k).ok().filter(|ones| *ones < ESCAPE) {
            Some(ones) => self.put_rice(ones.into(), gap, k),
            None => {
                let len = gap.ilog2() + 1;
                self.put((1 << ESCAPE) - 1, ESCAPE);
                self.put((len - 1).into(), 6);
                self.put(gap, len);
            }
        }
        self.mean.learn(gap, k);
    }

    /// Appends all hashes, which must ascend.
    #[cfg(feature = "static")]
    pub(super) fn hashes(&mut self, hashes: &[u64]) {
        let (k, mut next) = (parameter_of_hashes(hashes.len() as u64), 0);
        for hash in hashes {
            let gap = hash - next;
            self.put_rice(gap >> k, gap, k);
            // No hash follows the largest one.
            next = hash.wrapping_add(1);
        }
    }

    /// Appends `ones` ones, a zero, and the `k` lowest bits of a number.
    fn put_rice(&mut self, mut ones: u64, number: u64, k: u32) {
        while ones >= 32 {
            self.put((1 << 32) - 1, 32);
            ones -= 32;
        }
        self.put((1 << ones) - 1, ones as u32 + 1);
        self.put(number & ((1 << k) - 1), k);
    }

    /// Appends the `len` lowest bits of a number, whose other bits are 0.
    fn put(&mut self, number: u64, len: u32) {
        if len > 32 {
            self.put(number & 0xFFFF_FFFF, 32);
            return self.put(number >> 32, len - 32);
        }
        // Fewer than 8 bits wait, and at most 33 are added.
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

/// Reads a bit string.
pub(super) struct Bits<'a> {
    code: &'a [u8],
    /// The index of the next bit.
    at: u64,
}

impl<'a> Bits<'a> {
    pub(super) fn new(code: &'a [u8]) -> Self {
        Bits { code, at: 0 }
    }

    /// The next `len` bits, the first one in the lowest bit.
    fn get(&mut self, len: u32) -> Result<u64> {
        let (mut number, mut read) = (0, 0);
        while read < len {
            let Some(byte) = self.code.get((self.at / 8) as usize) else {
                return Err(Error::damaged("its code ends within a gap"));
            };
            let from = (self.at % 8) as u32;
            let bits = (8 - from).min(len - read);
            number |= (u64::from(*byte >> from) & ((1 << bits) - 1)) << read;
            read += bits;
            self.at += u64::from(bits);
        }
        Ok(number)
    }

    /// Checks that only zero bits follow, up to the end of a byte.
    pub(super) fn end(&self) -> Result<()> {
        let rest = self.code.get((self.at / 8) as usize..).unwrap_or_default();
        let is_end = match (self.at % 8, rest) {
            (0, rest) => rest.is_empty(),
            (used, [last]) => last >> used == 0,
            _ => false,
        };
        if is_end { Ok(()) } else { Err(Error::damaged("bytes follow after the end of its code")) }
    }
}

/// Reads the code of [`Encoder::push`]: ascending positions below `below`.
pub(super) struct Positions<'a> {
    mean: Mean,
    bits: Bits<'a>,
    next: u64,
    left: u64,
    below: u64,
}

impl<'a> Positions<'a> {
    pub(super) fn new(below: u64, coded: u64, bits: Bits<'a>) -> Self {
        Positions { mean: Mean::new(below, coded), bits, next: 0, left: coded, below }
    }

    /// The next position; `None` after the last one.
    pub(super) fn next(&mut self) -> Result<Option<u64>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let k = self.mean.parameter();
        let mut ones = 0;
        while ones < ESCAPE && self.bits.get(1)? == 1 {
            ones += 1;
        }
        let gap = match ones {
            ESCAPE => {
                let len = self.bits.get(6)? as u32 + 1;
                self.bits.get(len)?
            }
            _ => u64::from(ones) << k | self.bits.get(k)?,
        };
        if ones == ESCAPE && gap >> k < u64::from(ESCAPE) {
            return Err(Error::damaged("its code writes a gap longer than it must"));
        }
        let position = self.next.checked_add(gap).filter(|position| *position < self.below);
        let Some(position) = position else {
            return Err(Error::damaged(format_args!("its code goes past the last of {}", self.below)));
        };
        self.next = position + 1;
        self.mean.learn(gap, k);
        Ok(Some(position))
    }

    /// The bits after the last position, which must have been read.
    pub(super) fn rest(self) -> Bits<'a> {
        self.bits
    }
}

/// Reads the code of [`Encoder::hashes`].
pub(super) struct Hashes<'a> {
    k: u32,
    bits: Bits<'a>,
    /// The smallest possible value of the next hash; `None` after the largest hash.
    next: Option<u64>,
    left: u64,
}

impl<'a> Hashes<'a> {
    pub(super) fn new(count: u64, bits: Bits<'a>) -> Self {
        Hashes { k: parameter_of_hashes(count), bits, next: Some(0), left: count }
    }

    /// The next hash; `None` after the last one.
    pub(super) fn next(&mut self) -> Result<Option<u64>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let past = || Error::damaged("its code goes past the greatest hash");
        let mut ones: u64 = 0;
        while self.bits.get(1)? == 1 {
            ones += 1;
        }
        if ones > u64::MAX >> self.k {
            return Err(past());
        }
        let gap = ones << self.k | self.bits.get(self.k)?;
        let hash = self.next.and_then(|next| next.checked_add(gap)).ok_or_else(past)?;
        self.next = hash.checked_add(1);
        Ok(Some(hash))
    }

    /// The bits after the last hash, which must have been read.
    pub(super) fn rest(self) -> Bits<'a> {
        self.bits
    }
}

#[cfg(test)]
mod tests;

//! Integers side by side in memory, of any width, order of bytes and distance from each other.

use tepal::{KeyRef, Keys};

use crate::column::{Broken, Column};

/// Integers in memory that somebody else keeps alive.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    start: *const u8,
    stride: isize,
    len: usize,
    /// Bytes of one.
    width: usize,
    is_signed: bool,
    /// Are their bytes in the other order than this machine's?
    is_swapped: bool,
}

// SAFETY: it only reads, and whoever makes one keeps the memory alive for as long.
unsafe impl Send for Numbers {}
// SAFETY: as above.
unsafe impl Sync for Numbers {}

impl Numbers {
    /// The integers from `start` on, `stride` bytes from each other. Of the last argument: the
    /// bytes of one, whether it has a sign, and whether its bytes are in the other order than this
    /// machine's.
    ///
    /// # Safety
    /// Number `i` of the `len` is at `start + i * stride`, for as long as this value is used.
    /// `width` is 1, 2, 4 or 8.
    pub unsafe fn new(
        start: *const u8,
        stride: isize,
        len: usize,
        (width, is_signed, is_swapped): (usize, bool, bool),
    ) -> Self {
        Numbers { start, stride, len, width, is_signed, is_swapped }
    }

    /// The bits of number `i`, with its sign where it has one.
    fn bits(&self, i: usize) -> u64 {
        assert!(i < self.len);
        let mut bytes = [0; 8];
        // SAFETY: `new` was told that number `i` is there.
        let from = unsafe { self.start.offset(i as isize * self.stride) };
        // SAFETY: (1) `width` bytes are there, by `new`; (2) there is room for 8. They are copied,
        // so that what another thread writes meanwhile makes another key, and nothing else.
        unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), self.width) };
        self.widened(bytes)
    }

    #[inline(always)]
    fn widened(&self, mut bytes: [u8; 8]) -> u64 {
        if self.is_swapped {
            bytes[..self.width].reverse();
        }
        let [a, b, c, d, ..] = bytes;
        match (self.width, self.is_signed) {
            (1, false) => a.into(),
            (1, true) => i64::from(a as i8) as u64,
            (2, false) => u16::from_ne_bytes([a, b]).into(),
            (2, true) => i64::from(i16::from_ne_bytes([a, b])) as u64,
            (4, false) => u32::from_ne_bytes([a, b, c, d]).into(),
            (4, true) => i64::from(i32::from_ne_bytes([a, b, c, d])) as u64,
            _ => u64::from_ne_bytes(bytes),
        }
    }

    /// Are they `u64`s or `i64`s one after the other, in this machine's order?
    fn is_plain(&self) -> bool {
        self.width == 8 && self.stride == 8 && !self.is_swapped
    }

    fn copied(&self, start: usize, len: usize) -> Vec<u64> {
        if !self.is_plain() {
            return (start..start + len).map(|i| self.bits(i)).collect();
        }
        assert!(start + len <= self.len);
        let mut copy = vec![0; len];
        // SAFETY: `new` was told that number `start` is there.
        let from = unsafe { self.start.add(8 * start) };
        // SAFETY: (1) `len` numbers of 8 bytes lie there without a gap; (2) there is room for as
        // many. They are copied as bytes, so that they may lie anywhere.
        unsafe { std::ptr::copy_nonoverlapping(from, copy.as_mut_ptr().cast::<u8>(), 8 * len) };
        copy
    }
}

impl Column for Numbers {
    fn len(&self) -> usize {
        self.len
    }

    fn keys(&self, start: usize, len: usize) -> Result<Box<dyn Keys + '_>, Broken> {
        let copy = self.copied(start, len);
        Ok(if self.is_signed {
            Box::new(copy.into_iter().map(|bits| bits as i64).collect::<Vec<_>>())
        } else {
            Box::new(copy)
        })
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Broken> {
        let bits = self.bits(row);
        Ok(if self.is_signed { KeyRef::Signed(bits as i64) } else { KeyRef::Unsigned(bits) })
    }
}

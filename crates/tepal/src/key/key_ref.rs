//! A borrowed key: bytes, an integer, or several parts in a frame.

use alloc::vec::Vec;

/// A key as the caller holds it, or as it was written into a [`KeySink`](super::KeySink).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyRef<'a> {
    /// Bytes or text.
    Bytes(&'a [u8]),
    /// An integer of 0 or more.
    Unsigned(u64),
    /// An integer that may be negative.
    Signed(i64),
    /// Several parts: [`KeySink::finish`](super::KeySink::finish).
    Compound(Compound<'a>),
}

impl KeyRef<'_> {
    /// The integer with these 64 bits. The sign is a parameter of its own, so that a call passes
    /// both in registers.
    #[inline(always)]
    pub(crate) fn integer(negative: bool, bits: u64) -> Self {
        if negative { KeyRef::Signed(bits as i64) } else { KeyRef::Unsigned(bits) }
    }
}

/// The first byte of a compound key. UTF-8 never contains it, so no text equals a compound key.
pub(super) const COMPOUND: u8 = 0xFF;

/// A key of several parts, framed by a [`KeySink`](super::KeySink).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compound<'a>(pub(super) &'a [u8]);

impl<'a> Compound<'a> {
    /// The bytes that are hashed.
    pub(super) fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The framed parts in sequence.
    pub(super) fn parts(self) -> &'a [u8] {
        &self.0[1..]
    }

    /// The bytes that are hashed, with each part that is not compound replaced by its `change`.
    pub(super) fn map(self, change: &dyn Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let mut out = Vec::from([COMPOUND]);
        map_parts(self.parts(), change, &mut out);
        out
    }
}

/// The number before a part: twice its length, plus one for a compound part. Seven bits a byte, the
/// lowest first.
#[inline]
pub(super) fn head_of_part(len: usize, is_compound: bool) -> ([u8; 10], usize) {
    // No slice is longer than `isize::MAX` bytes, so no bit is lost.
    let mut number = (len as u64) << 1 | u64::from(is_compound);
    let (mut head, mut at) = ([0; 10], 0);
    while number >= 0x80 {
        head[at] = number as u8 | 0x80;
        number >>= 7;
        at += 1;
    }
    head[at] = number as u8;
    (head, at + 1)
}

fn map_parts(mut parts: &[u8], change: &dyn Fn(&[u8]) -> Vec<u8>, out: &mut Vec<u8>) {
    while !parts.is_empty() {
        let mut number = 0u64;
        let mut shift = 0;
        while let [byte, rest @ ..] = parts {
            parts = rest;
            number |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        // `KeySink::put` framed the parts, so the length is right.
        let (part, rest) = parts.split_at((number >> 1) as usize);
        let changed = if number & 1 == 0 {
            change(part)
        } else {
            let mut inner = Vec::new();
            map_parts(part, change, &mut inner);
            inner
        };
        let (head, len) = head_of_part(changed.len(), number & 1 == 1);
        out.extend_from_slice(&head[..len]);
        out.extend_from_slice(&changed);
        parts = rest;
    }
}

//! One line of a table: where its buckets begin, and what stands in their slots.

use super::packing::{Packing, low_bits};
use crate::bits::Line;

/// Whether a remainder is in a bucket, as far as one line can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Held,
    Not,
    /// The bucket goes on in the next line.
    GoOn,
}

/// d: how many buckets before its own first one a line begins.
#[inline(always)]
pub(super) fn begins_before(line: &Line) -> u32 {
    (line.0[7] >> 54) as u32
}

/// 64 bits of a line from bit `at` on; what is behind its end is not meant.
#[inline(always)]
pub(super) fn bits_at(line: &Line, at: u32) -> u64 {
    let (word, bit) = ((at >> 6) as usize & 7, at & 63);
    line.0[word] >> bit | (line.0[(word + 1) & 7] << 1) << (63 - bit)
}

/// Where the bucket number `number` of a line has its 0; nothing where the line has none for it.
#[inline(always)]
pub(super) fn zero_of(packing: &Packing, line: &Line, number: u32) -> Option<u32> {
    let zeros = |word: usize| !line.0[word] & packing.meta_masks[word];
    let first = zeros(0).count_ones();
    let second = first + zeros(1).count_ones();
    let third = second + zeros(2).count_ones();
    let word = usize::from(number >= first) + usize::from(number >= second);
    let before = [0, first, second][word];
    (number < third).then(|| 64 * word as u32 + select(zeros(word), number - before))
}

/// The first slot of a bucket whose 0 is at `zero`, how many it has in this line, and whether it may go on in the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) goes_on: bool,
}

#[inline(always)]
pub(super) fn run(packing: &Packing, line: &Line, number: u32, zero: u32) -> Run {
    let first = zero - number;
    let left = packing.meta - zero - 1;
    let mut ones = (!bits_at(line, zero + 1)).trailing_zeros();
    if ones == 64 {
        ones += (!bits_at(line, zero + 65)).trailing_zeros();
        if ones == 128 {
            ones += (!bits_at(line, zero + 129)).trailing_zeros();
        }
    }
    let len = ones.min(left);
    let slots = packing.slots().saturating_sub(first);
    Run { first, len: len.min(slots), goes_on: len >= left.min(slots) }
}

/// Is the remainder in the line's own bucket? `bucket` counts these alone.
#[inline(always)]
pub(super) fn look(packing: &Packing, line: &Line, bucket: u32, remainder: u64) -> Look {
    look_at(packing, line, bucket + begins_before(line), remainder)
}

/// The same for bucket `number` of all that the line has.
#[inline(always)]
pub(super) fn look_at(packing: &Packing, line: &Line, number: u32, remainder: u64) -> Look {
    let Some(zero) = zero_of(packing, line, number) else { return Look::GoOn };
    let run = run(packing, line, number, zero);
    // Nearly always all of the bucket's slots are in one word, and there is one way through.
    let in_first = run.len.min(packing.in_word);
    let mut held = is_among(packing, line, run.first, in_first, remainder);
    if run.len > packing.in_word {
        held |= is_in_rest(packing, line, run, remainder);
    }
    match (held, run.goes_on) {
        (true, _) => Look::Held,
        (false, false) => Look::Not,
        (false, true) => Look::GoOn,
    }
}

#[cold]
#[inline(never)]
fn is_in_rest(packing: &Packing, line: &Line, run: Run, remainder: u64) -> bool {
    (packing.in_word..run.len).step_by(packing.in_word as usize).any(|from| {
        is_among(packing, line, run.first + from, (run.len - from).min(packing.in_word), remainder)
    })
}

/// In which of so many slots from `first` on the remainder stands: the highest bit of each is 1. So many fit into a word.
#[inline(always)]
pub(super) fn equal_among(packing: &Packing, line: &Line, first: u32, slots: u32, remainder: u64) -> u64 {
    let word = bits_at(line, packing.meta + first * packing.width);
    let differ = (word ^ remainder.wrapping_mul(packing.ones)) & packing.compared;
    // Exact for each field: its highest bit, or a carry into it.
    let low = packing.tops - packing.ones;
    let is_other = (((differ & low) + low) | differ) & packing.tops;
    (is_other ^ packing.tops) & low_bits(slots * packing.width)
}

#[inline(always)]
fn is_among(packing: &Packing, line: &Line, first: u32, slots: u32, remainder: u64) -> bool {
    equal_among(packing, line, first, slots, remainder) != 0
}

/// The value of a slot.
#[inline(always)]
pub(super) fn slot(packing: &Packing, line: &Line, slot: u32) -> u64 {
    bits_at(line, packing.meta + slot * packing.width) & packing.slot_mask()
}

/// The place of 1 number `rank` of a word that has more.
#[inline(always)]
pub(super) fn select(word: u64, rank: u32) -> u32 {
    const LOWS: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = LOWS << 7;
    let pairs = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    // Byte i has the ones of the bytes up to i.
    let sums = ((fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(LOWS);
    let not_past = ((u64::from(rank) * LOWS) | TOPS).wrapping_sub(sums) & TOPS;
    let byte = ((not_past >> 7).wrapping_mul(LOWS) >> 56) as u32 * 8;
    let before = ((sums << 8) >> byte) as u32 & 0xFF;
    byte + u32::from(IN_BYTE[(word >> byte) as usize & 0xFF | ((rank - before) as usize & 7) << 8])
}

/// The place of 1 number `i / 256` in the byte `i % 256`.
static IN_BYTE: [u8; 2048] = {
    let mut table = [0; 2048];
    let mut i: u32 = 0;
    while i < 2048 {
        let (mut byte, mut rank): (u32, u32) = (i % 256, i / 256);
        while rank > 0 {
            byte &= byte.wrapping_sub(1);
            rank -= 1;
        }
        table[i as usize] = if byte == 0 { 0 } else { byte.trailing_zeros() as u8 };
        i += 1;
    }
    table
};

/// Gives a slot another tag.
pub(super) fn set_tag(packing: &Packing, line: &mut Line, slot: u32, tag: u64) {
    let at = packing.meta + slot * packing.width;
    let changed = (bits_at(line, at) ^ tag) & low_bits(packing.tag_bits());
    let (word, bit) = ((at >> 6) as usize & 7, at & 63);
    line.0[word] ^= changed << bit;
    line.0[(word + 1) & 7] ^= (changed >> 1) >> (63 - bit);
}

/// So many of a line's slots are taken.
#[inline(always)]
pub(crate) fn taken(packing: &Packing, line: &Line) -> u32 {
    let ones = |word: usize| (line.0[word] & packing.meta_masks[word]).count_ones();
    (ones(0) + ones(1) + ones(2)).min(packing.slots())
}

/// Puts a value into a line that has all of its buckets and has room for it: as slot `at`, for a bucket with so many slots
/// before it whose 0 is at `zero`.
#[inline(always)]
pub(super) fn put(packing: &Packing, line: &mut Line, meta_at: u32, at: u32, value: u64) {
    let old = line.0;
    let slot_at = packing.meta + at * packing.width;
    let head = old[7] & (0x3FF << 54);
    let mut words = old;
    words[7] &= !(0x3FF << 54);
    // Slots from `slot_at` on go up by a slot's width.
    let mut moved = [0; 8];
    for i in 0..8 {
        moved[i] = words[i] & from_bit(slot_at, i as u32);
    }
    let mut out = [0; 8];
    for i in 0..8 {
        let below = if i == 0 { 0 } else { moved[i - 1] };
        let up = moved[i] << packing.width | below >> (64 - packing.width);
        out[i] = (words[i] & !from_bit(slot_at, i as u32)) | up;
    }
    or_at(&mut out, slot_at, value);
    // The buckets' bits from `meta_at` on go up by one, a 1 comes in.
    let mut carry = 0;
    for ((i, word), mask) in (0..).zip(&mut out).zip(packing.meta_masks) {
        let meta = *word & mask;
        let high = meta & from_bit(meta_at, i);
        let up = high << 1 | carry;
        carry = high >> 63;
        *word = (*word & !mask) | (((meta & !high) | up) & mask);
    }
    out[(meta_at >> 6) as usize] |= 1 << (meta_at & 63);
    out[7] |= head;
    line.0 = out;
}

/// Takes a slot out of a line that has all of its buckets: the reverse of [`put`].
#[inline(always)]
pub(super) fn take(packing: &Packing, line: &mut Line, meta_at: u32, at: u32) {
    let slot_at = packing.meta + at * packing.width;
    let head = line.0[7] & (0x3FF << 54);
    let mut words = line.0;
    words[7] &= !(0x3FF << 54);
    let behind = slot_at + packing.width;
    let mut moved = [0; 9];
    for i in 0..8 {
        moved[i] = words[i] & from_bit(behind, i as u32);
    }
    let mut out = [0; 8];
    for i in 0..8 {
        let down = moved[i] >> packing.width | moved[i + 1] << (64 - packing.width);
        out[i] = (words[i] & !from_bit(slot_at, i as u32)) | down;
    }
    let mut moved = [0; 4];
    for (i, mask) in (0..).zip(packing.meta_masks) {
        moved[i as usize] = out[i as usize] & mask & from_bit(meta_at + 1, i);
    }
    for ((i, word), mask) in (0..).zip(&mut out).zip(packing.meta_masks) {
        let kept = *word & mask & !from_bit(meta_at, i);
        let down = moved[i as usize] >> 1 | moved[i as usize + 1] << 63;
        *word = (*word & !mask) | kept | (down & mask);
    }
    out[7] |= head;
    line.0 = out;
}

/// Of word `word`, the bits from bit `at` of the line on.
#[inline(always)]
fn from_bit(at: u32, word: u32) -> u64 {
    !low_bits(at.saturating_sub(64 * word))
}

/// Sets the bits of a value from bit `at` on.
#[inline(always)]
pub(super) fn or_at(words: &mut [u64; 8], at: u32, value: u64) {
    let (word, bit) = ((at >> 6) as usize & 7, at & 63);
    words[word] |= value << bit;
    let rest = (value >> 1) >> (63 - bit);
    if rest != 0 {
        words[(word + 1) & 7] |= rest;
    }
}

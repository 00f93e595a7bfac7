//! One line of a table: where its buckets begin, and the contents of its slots.

use super::packing::{Packing, low_bits};
use crate::bits::Line;

/// Finds a 1 in a word by its rank, with one instruction if the CPU has it.
pub(crate) trait Select {
    /// The place of the 1 with index `rank` in a word; 64 or more if the word has too few 1s.
    fn select(word: u64, rank: u32) -> u32;
}

/// By arithmetic, on every CPU.
pub(crate) struct ByArithmetic;

impl Select for ByArithmetic {
    #[inline(always)]
    fn select(word: u64, rank: u32) -> u32 {
        select(word, rank)
    }
}

/// The result of a lookup of a remainder in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) is_held: bool,
    /// Does the bucket continue in the next line?
    pub(super) goes_on: bool,
}

/// d: the number of buckets of earlier lines with which a line begins.
#[inline(always)]
pub(super) fn begins_before(line: &Line) -> u32 {
    (line.0[7] >> 54) as u32
}

/// 64 bits of a line from bit `at` on. Bits after the end of the line are undefined.
#[inline(always)]
pub(super) fn bits_at(line: &Line, at: u32) -> u64 {
    let (word, bit) = ((at >> 6) as usize & 7, at & 63);
    line.0[word] >> bit | (line.0[(word + 1) & 7] << 1) << (63 - bit)
}

/// The place of the 0 of bucket `number` of a line; `None` if the line has no 0 for this bucket.
#[inline(always)]
pub(super) fn zero_of<S: Select>(packing: &Packing, line: &Line, number: u32) -> Option<u32> {
    let [first, second, third] = zeros(packing, line);
    let in_first = first.count_ones();
    let in_both = in_first + second.count_ones();
    // By arithmetic and without branches: the CPU cannot predict which word has the 0, and a
    // misprediction costs more than all of this.
    let (past_first, past_both) = (number >= in_first, number >= in_both);
    let mask = |is_past: bool| u64::from(is_past).wrapping_neg();
    let word = first ^ ((first ^ second) & mask(past_first)) ^ ((second ^ third) & mask(past_both));
    let before = (in_first & mask(past_first) as u32) + ((in_both - in_first) & mask(past_both) as u32);
    let zero = 64 * (u32::from(past_first) + u32::from(past_both)) + S::select(word, number - before);
    // With too few 0s, the last word has none.
    (zero < packing.meta).then_some(zero)
}

/// The 0s of the buckets, inverted to 1s.
#[inline(always)]
fn zeros(packing: &Packing, line: &Line) -> [u64; 3] {
    core::array::from_fn(|word| !line.0[word] & packing.meta_masks[word])
}

/// The first slot of the bucket whose 0 is at `zero`, its number of slots in this line, and whether
/// it may continue in the next line.
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
    let ones = (!bits_at(line, zero + 1)).trailing_zeros();
    let ones = if ones == 64 { long_run(line, zero) } else { ones };
    let most = left.min(packing.slots().saturating_sub(first));
    Run { first, len: ones.min(most), goes_on: ones >= most }
}

/// The number of 1s after a bucket's 0, for 64 or more.
#[cold]
#[inline(never)]
fn long_run(line: &Line, zero: u32) -> u32 {
    let ones = (!bits_at(line, zero + 65)).trailing_zeros();
    let more = if ones == 64 { (!bits_at(line, zero + 129)).trailing_zeros() } else { 0 };
    64 + ones + more
}

/// Is the remainder in this bucket of the line? `bucket` counts only the line's own buckets.
#[inline(always)]
pub(super) fn look<S: Select>(packing: &Packing, line: &Line, bucket: u32, remainder: u64) -> Look {
    look_at::<S>(packing, line, bucket + begins_before(line), remainder)
}

/// Is the remainder in this bucket? `number` counts all buckets of the line.
#[inline(always)]
pub(super) fn look_at<S: Select>(packing: &Packing, line: &Line, number: u32, remainder: u64) -> Look {
    let Some(zero) = zero_of::<S>(packing, line, number) else {
        return Look { is_held: false, goes_on: true };
    };
    let run = run(packing, line, number, zero);
    // Nearly always all slots of the bucket are in one word. Then only this path is taken.
    let in_first = run.len.min(packing.in_word);
    let mut is_held = is_among(packing, line, run.first, in_first, remainder);
    if run.len > packing.in_word {
        is_held |= is_in_rest(packing, line, run, remainder);
    }
    Look { is_held, goes_on: run.goes_on }
}

#[cold]
#[inline(never)]
fn is_in_rest(packing: &Packing, line: &Line, run: Run, remainder: u64) -> bool {
    (packing.in_word..run.len).step_by(packing.in_word as usize).any(|from| {
        is_among(packing, line, run.first + from, (run.len - from).min(packing.in_word), remainder)
    })
}

/// Marks which of `slots` slots from `first` on hold the remainder, by the highest bit of each
/// slot. The slots must fit in a word.
#[inline(always)]
pub(super) fn equal_among(packing: &Packing, line: &Line, first: u32, slots: u32, remainder: u64) -> u64 {
    let word = bits_at(line, packing.meta + first * packing.width);
    let differ = (word ^ remainder.wrapping_mul(packing.ones)) & packing.compared;
    // Exact for each slot: its highest bit is set by a difference in this bit, or by a carry from a
    // difference in a lower bit.
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

/// The place of the 1 with index `rank` in a word; 64 or more if the word has too few 1s.
#[inline(always)]
pub(super) fn select(word: u64, rank: u32) -> u32 {
    const LOWS: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = LOWS << 7;
    let pairs = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    // Byte i has the number of ones in the bytes up to i.
    let sums = ((fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(LOWS);
    let not_past = ((u64::from(rank.min(127)) * LOWS) | TOPS).wrapping_sub(sums) & TOPS;
    let byte = ((not_past >> 7).wrapping_mul(LOWS) >> 56) as u32 * 8;
    let before = (sums << 8).wrapping_shr(byte) as u32 & 0xFF;
    let in_byte = (word.wrapping_shr(byte) & 0xFF) as usize;
    byte + u32::from(IN_BYTE[in_byte | (rank.wrapping_sub(before) as usize & 7) << 8])
}

/// The place of the 1 with index `i / 256` in the byte `i % 256`.
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

/// Changes the tag of a slot.
pub(super) fn set_tag(packing: &Packing, line: &mut Line, slot: u32, tag: u64) {
    let at = packing.meta + slot * packing.width;
    let changed = (bits_at(line, at) ^ tag) & low_bits(packing.tag_bits());
    let (word, bit) = ((at >> 6) as usize & 7, at & 63);
    line.0[word] ^= changed << bit;
    line.0[(word + 1) & 7] ^= (changed >> 1) >> (63 - bit);
}

/// The number of used slots in a line.
#[inline(always)]
pub(crate) fn taken(packing: &Packing, line: &Line) -> u32 {
    let ones = |word: usize| (line.0[word] & packing.meta_masks[word]).count_ones();
    (ones(0) + ones(1) + ones(2)).min(packing.slots())
}

/// Inserts a value as slot `at` into a line that holds all of its buckets and has space. The
/// value's 1 is bit `meta_at`.
#[inline(always)]
pub(super) fn put(packing: &Packing, line: &mut Line, meta_at: u32, at: u32, value: u64) {
    let (slot_at, width) = (packing.meta + at * packing.width, packing.width);
    let words = line.0;
    // The bits of the buckets from `meta_at` on move up by one.
    let masks = packing.meta_masks;
    let meta: [u64; 3] = core::array::from_fn(|i| words[i] & masks[i]);
    let high: [u64; 3] = core::array::from_fn(|i| meta[i] & from_bit(meta_at, i as u32));
    let up = [high[0] << 1, high[1] << 1 | high[0] >> 63, high[2] << 1 | high[1] >> 63];
    // The slots from `slot_at` on move up by the width of a slot; the last slot is free.
    let moved: [u64; 8] = core::array::from_fn(|i| words[i] & from_bit(slot_at, i as u32) & SLOTS[i]);
    line.0 = core::array::from_fn(|i| {
        let below = if i == 0 { 0 } else { moved[i - 1] >> (64 - width) };
        let out = (words[i] ^ moved[i]) | moved[i] << width | below;
        if i < 3 { (out & !masks[i]) | (((meta[i] ^ high[i]) | up[i]) & masks[i]) } else { out }
    });
    // Only now, after the line is in memory again: choosing a word by index forces all words into
    // memory.
    line.0[(meta_at >> 6) as usize] |= 1 << (meta_at & 63);
    or_at(&mut line.0, slot_at, value);
}

/// Removes slot `at`, whose 1 is bit `meta_at`, from a line that holds all of its buckets: the
/// reverse of [`put`].
#[inline(always)]
pub(super) fn take(packing: &Packing, line: &mut Line, meta_at: u32, at: u32) {
    let (slot_at, width) = (packing.meta + at * packing.width, packing.width);
    let words = line.0;
    let masks = packing.meta_masks;
    let meta: [u64; 3] = core::array::from_fn(|i| words[i] & masks[i]);
    let high: [u64; 3] = core::array::from_fn(|i| meta[i] & from_bit(meta_at + 1, i as u32));
    let down = [high[0] >> 1 | high[1] << 63, high[1] >> 1 | high[2] << 63, high[2] >> 1];
    let moved: [u64; 8] = core::array::from_fn(|i| words[i] & from_bit(slot_at + width, i as u32) & SLOTS[i]);
    line.0 = core::array::from_fn(|i| {
        let above = if i == 7 { 0 } else { moved[i + 1] << (64 - width) };
        let kept = words[i] & !(from_bit(slot_at, i as u32) & SLOTS[i]);
        let out = kept | moved[i] >> width | above;
        let buckets = (meta[i.min(2)] & !from_bit(meta_at, i as u32)) | down[i.min(2)];
        if i < 3 { (out & !masks[i]) | (buckets & masks[i]) } else { out }
    });
}

/// For each word of a line, the bits that slots can use.
pub(super) const SLOTS: [u64; 8] =
    [u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, (1 << 54) - 1];

/// The bits of word `word` from bit `at` of the line on.
#[inline(always)]
pub(super) fn from_bit(at: u32, word: u32) -> u64 {
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

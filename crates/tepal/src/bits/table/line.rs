//! One line of a table: where its buckets begin, and what stands in their slots.

use super::packing::{Packing, low_bits};
use crate::bits::Line;

/// How a place is found in a word: by one instruction where the CPU has it.
pub(crate) trait Select {
    /// The place of 1 number `rank` of a word; 64 or more where it has no more than so many.
    fn select(word: u64, rank: u32) -> u32;
}

/// By arithmetic that every CPU has.
pub(crate) struct ByArithmetic;

impl Select for ByArithmetic {
    #[inline(always)]
    fn select(word: u64, rank: u32) -> u32 {
        select(word, rank)
    }
}

/// Whether a remainder is in a bucket, as far as one line can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) is_held: bool,
    /// Does the bucket go on in the next line?
    pub(super) goes_on: bool,
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
pub(super) fn zero_of<S: Select>(packing: &Packing, line: &Line, number: u32) -> Option<u32> {
    let [first, second, third] = zeros(packing, line);
    let in_first = first.count_ones();
    let in_both = in_first + second.count_ones();
    // By arithmetic: which word it is cannot be guessed, and a wrong guess costs more than all of
    // this.
    let (past_first, past_both) = (number >= in_first, number >= in_both);
    let mask = |is_past: bool| u64::from(is_past).wrapping_neg();
    let word = first ^ ((first ^ second) & mask(past_first)) ^ ((second ^ third) & mask(past_both));
    let before = (in_first & mask(past_first) as u32) + ((in_both - in_first) & mask(past_both) as u32);
    let zero = 64 * (u32::from(past_first) + u32::from(past_both)) + S::select(word, number - before);
    // Of too few there is none in the last word.
    (zero < packing.meta).then_some(zero)
}

/// The 0s of the buckets, as 1s.
#[inline(always)]
fn zeros(packing: &Packing, line: &Line) -> [u64; 3] {
    core::array::from_fn(|word| !line.0[word] & packing.meta_masks[word])
}

/// The first slot of a bucket whose 0 is at `zero`, how many it has in this line, and whether it
/// may go on in the next.
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

/// The 1s behind a bucket's 0 where they are 64 or more.
#[cold]
#[inline(never)]
fn long_run(line: &Line, zero: u32) -> u32 {
    let ones = (!bits_at(line, zero + 65)).trailing_zeros();
    let more = if ones == 64 { (!bits_at(line, zero + 129)).trailing_zeros() } else { 0 };
    64 + ones + more
}

/// Is the remainder in the line's own bucket? `bucket` counts these alone.
#[inline(always)]
pub(super) fn look<S: Select>(packing: &Packing, line: &Line, bucket: u32, remainder: u64) -> Look {
    look_at::<S>(packing, line, bucket + begins_before(line), remainder)
}

/// The same for bucket `number` of all that the line has.
#[inline(always)]
pub(super) fn look_at<S: Select>(packing: &Packing, line: &Line, number: u32, remainder: u64) -> Look {
    let Some(zero) = zero_of::<S>(packing, line, number) else {
        return Look { is_held: false, goes_on: true };
    };
    let run = run(packing, line, number, zero);
    // Nearly always all of the bucket's slots are in one word, and there is one way through.
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

/// In which of so many slots from `first` on the remainder stands: the highest bit of each is 1. So
/// many fit into a word.
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

/// The place of 1 number `rank` of a word; 64 or more where it has no more than so many.
#[inline(always)]
pub(super) fn select(word: u64, rank: u32) -> u32 {
    const LOWS: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = LOWS << 7;
    let pairs = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    // Byte i has the ones of the bytes up to i.
    let sums = ((fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(LOWS);
    let not_past = ((u64::from(rank.min(127)) * LOWS) | TOPS).wrapping_sub(sums) & TOPS;
    let byte = ((not_past >> 7).wrapping_mul(LOWS) >> 56) as u32 * 8;
    let before = (sums << 8).wrapping_shr(byte) as u32 & 0xFF;
    let in_byte = (word.wrapping_shr(byte) & 0xFF) as usize;
    byte + u32::from(IN_BYTE[in_byte | (rank.wrapping_sub(before) as usize & 7) << 8])
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

/// Puts a value into a line that has all of its buckets and has room for it, as slot `at`; its 1 is
/// bit `meta_at`.
#[inline(always)]
pub(super) fn put(packing: &Packing, line: &mut Line, meta_at: u32, at: u32, value: u64) {
    let (slot_at, width) = (packing.meta + at * packing.width, packing.width);
    let words = line.0;
    // The buckets' bits from `meta_at` on go up by one.
    let masks = packing.meta_masks;
    let meta: [u64; 3] = core::array::from_fn(|i| words[i] & masks[i]);
    let high: [u64; 3] = core::array::from_fn(|i| meta[i] & from_bit(meta_at, i as u32));
    let up = [high[0] << 1, high[1] << 1 | high[0] >> 63, high[2] << 1 | high[1] >> 63];
    // Slots from `slot_at` on go up by a slot's width; the last one is free.
    let moved: [u64; 8] = core::array::from_fn(|i| words[i] & from_bit(slot_at, i as u32) & SLOTS[i]);
    line.0 = core::array::from_fn(|i| {
        let below = if i == 0 { 0 } else { moved[i - 1] >> (64 - width) };
        let out = (words[i] ^ moved[i]) | moved[i] << width | below;
        if i < 3 { (out & !masks[i]) | (((meta[i] ^ high[i]) | up[i]) & masks[i]) } else { out }
    });
    // Last, in memory: a word that is chosen by number would bring all of them there before.
    line.0[(meta_at >> 6) as usize] |= 1 << (meta_at & 63);
    or_at(&mut line.0, slot_at, value);
}

/// Takes slot `at` out of a line that has all of its buckets, and its 1, bit `meta_at`: the reverse
/// of [`put`].
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

/// Of each word of a line, the bits that slots can be in.
pub(super) const SLOTS: [u64; 8] =
    [u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, (1 << 54) - 1];

/// Of word `word`, the bits from bit `at` of the line on.
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

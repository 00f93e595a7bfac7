//! Inserts one slot into a line that is full: slots move on from line to line, until a line has
//! space.
//!
//! A line is changed as words, in steps in which at most one slot leaves it.

use alloc::vec::Vec;

use super::line::{self, begins_before};
use super::packing::{Packing, low_bits};
use super::stream::{MOST_BEFORE, NoRoom};
use crate::bits::Line;

/// A slot to be inserted into a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Its bucket, counted from the bucket with which the line begins.
    pub(super) number: u32,
    /// Its index among the slots of the line.
    pub(super) at: u32,
    pub(super) value: u64,
}

/// The change of a line. It will begin with `begins` buckets of earlier lines, no fewer than now,
/// and may gain one slot.
#[derive(Clone, Copy, Debug)]
struct Push {
    begins: u32,
    slot: Option<Slot>,
}

/// The bookkeeping of [`push`]. The memory is reused by the next push.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The lines before the push, from the first changed line on. Each is kept once, even if it is
    /// changed several times.
    before: Vec<Line>,
    /// The remaining steps, the last one first.
    waiting: Vec<(usize, Push)>,
}

/// Entries of each list whose memory is kept for the next push: 1 KiB for both.
const KEPT: usize = 8;

impl Scratch {
    /// Frees the memory of a long push.
    #[inline(always)]
    fn forget_long(&mut self) {
        if self.before.capacity().max(self.waiting.capacity()) > KEPT {
            *self = Scratch::default();
        }
    }
}

/// Inserts a slot into line `here` and moves slots on to the lines after it. If there is no space,
/// the lines stay as they were.
#[inline(always)]
pub(super) fn push(
    packing: &Packing,
    lines: &mut [Line],
    here: usize,
    slot: Slot,
    scratch: &mut Scratch,
) -> Result<(), NoRoom> {
    scratch.before.clear();
    scratch.waiting.clear();
    let first = here;
    let (mut here, mut push) = (here, Push { begins: begins_before(&lines[here]), slot: Some(slot) });
    loop {
        let next_begins = lines.get(here + 1).map_or(0, begins_before);
        let Some((changed, on)) = pushed(packing, &lines[here], push, next_begins) else {
            // First each bucket on its own, then the slot.
            let begins = begins_before(&lines[here]);
            if push.slot.is_some() {
                scratch.waiting.push((here, push));
            }
            let buckets = (begins + 1..=push.begins).rev().map(|begins| (here, Push { begins, slot: None }));
            scratch.waiting.extend(buckets);
            (here, push) = scratch.waiting.pop().ok_or(NoRoom)?;
            continue;
        };
        // No line is skipped.
        if here == first + scratch.before.len() {
            scratch.before.push(lines[here]);
        }
        lines[here] = changed;
        if on.slot.is_none() & (on.begins == next_begins) {
            match scratch.waiting.pop() {
                Some(next) => (here, push) = next,
                None => {
                    scratch.forget_long();
                    return Ok(());
                }
            }
        } else if here + 1 == lines.len() || u64::from(on.begins) > MOST_BEFORE {
            lines[first..][..scratch.before.len()].copy_from_slice(&scratch.before);
            scratch.forget_long();
            return Err(NoRoom);
        } else {
            (here, push) = (here + 1, on);
        }
    }
}

/// A line after a push, and the change of the next line, which now begins with `next_begins`
/// buckets of earlier lines. `None` if more than one slot would leave the line. That never happens
/// for one bucket more, or for one slot.
#[inline(always)]
fn pushed(packing: &Packing, line: &Line, push: Push, next_begins: u32) -> Option<(Line, Push)> {
    let meta = packing.meta;
    // The number of additional buckets at its beginning.
    let earlier = push.begins - begins_before(line);
    if earlier >= 63 {
        return None;
    }
    let words: [u64; 3] = core::array::from_fn(|i| line.0[i] & packing.meta_masks[i]);
    let ones = count(words);
    let taken = ones.min(packing.slots());
    // The 1s from here on only fill up the bits of a line whose slots are all used.
    let own_end = meta - (ones - taken);
    let own = words_below(words, own_end);
    let end = packing.buckets() + push.begins;
    let (mut changed, total) = match push.slot {
        None => (up(packing, own, 0, earlier), taken),
        Some(slot) => {
            let one_at = slot.number + 1 + slot.at;
            // A slot that came from another line belongs to an additional bucket, or to the first
            // one.
            let from = if earlier == 0 { one_at } else { 0 };
            let mut changed = up(packing, own, from, earlier + 1);
            if one_at < meta {
                changed[(one_at >> 6) as usize] |= 1 << (one_at & 63);
            }
            (changed, taken + 1)
        }
    };
    let in_meta = count(changed);
    let goes_on = (total > packing.slots()) | (in_meta < total);
    let kept = total - u32::from(goes_on);
    if in_meta < kept {
        return None;
    }
    let is_last = push.slot.is_some_and(|slot| slot.at == taken);
    let mut out = line.0;
    match push.slot {
        Some(slot) if !(is_last & goes_on) => out = slots_up(packing, line, slot, kept),
        _ if goes_on => cut(&mut out, packing.meta + kept * packing.width),
        _ => {}
    }
    let (next, slot) = if goes_on {
        let (number, value) = match push.slot {
            Some(slot) if is_last => (slot.number, slot.value),
            _ => (last_one(own) + earlier - taken, line::slot(packing, line, taken - 1)),
        };
        changed = ones_from(packing, changed, number + 1 + kept);
        let next = number.min(meta - kept);
        (next, Some(Slot { number: number - next, at: 0, value }))
    } else {
        // If some slots were free, no 1s fill up the bits.
        changed = ones_from(packing, changed, own_end + earlier);
        ((end - next_begins).min(meta - kept), None)
    };
    Some((with(packing, out, changed, push.begins), Push { begins: end - next, slot }))
}

/// The number of 1s in the buckets' words.
#[inline(always)]
pub(super) fn count(words: [u64; 3]) -> u32 {
    words[0].count_ones() + words[1].count_ones() + words[2].count_ones()
}

/// Keeps only the bits below bit `end`.
#[inline(always)]
pub(super) fn words_below(words: [u64; 3], end: u32) -> [u64; 3] {
    core::array::from_fn(|i| words[i] & !line::from_bit(end, i as u32))
}

/// Sets all bits from bit `from` on: the slots of later buckets are not in this line.
#[inline(always)]
pub(super) fn ones_from(packing: &Packing, words: [u64; 3], from: u32) -> [u64; 3] {
    core::array::from_fn(|i| words[i] | (packing.meta_masks[i] & line::from_bit(from, i as u32)))
}

/// The place of the last 1, which must exist.
#[inline(always)]
fn last_one(words: [u64; 3]) -> u32 {
    let [first, second, third] = words;
    let (word, base) = if third != 0 {
        (third, 128)
    } else if second != 0 {
        (second, 64)
    } else {
        (first, 0)
    };
    base + (63 - (word | 1).leading_zeros())
}

/// Moves the bits from `from` on up by less than 64.
#[inline(always)]
fn up(packing: &Packing, words: [u64; 3], from: u32, by: u32) -> [u64; 3] {
    let high: [u64; 3] = core::array::from_fn(|i| words[i] & line::from_bit(from, i as u32));
    let over = |word: u64| (word >> 1) >> (63 - by);
    let up = [high[0] << by, high[1] << by | over(high[0]), high[2] << by | over(high[1])];
    core::array::from_fn(|i| ((words[i] ^ high[i]) | up[i]) & packing.meta_masks[i])
}

/// The line's words with a slot inserted; `kept` slots stay.
#[inline(always)]
fn slots_up(packing: &Packing, line: &Line, slot: Slot, kept: u32) -> [u64; 8] {
    let (slot_at, width) = (packing.meta + slot.at * packing.width, packing.width);
    let words = line.0;
    let moved: [u64; 8] = core::array::from_fn(|i| words[i] & line::from_bit(slot_at, i as u32));
    let mut out: [u64; 8] = core::array::from_fn(|i| {
        let below = if i == 0 { 0 } else { moved[i - 1] >> (64 - width) };
        (words[i] ^ moved[i]) | moved[i] << width | below
    });
    cut(&mut out, packing.meta + kept * width);
    line::or_at(&mut out, slot_at, slot.value);
    out
}

/// Clears the bits from `end` on.
#[inline(always)]
fn cut(words: &mut [u64; 8], end: u32) {
    *words = core::array::from_fn(|i| words[i] & !line::from_bit(end, i as u32));
}

/// A line of these words, with the given buckets and the given beginning.
#[inline(always)]
pub(super) fn with(packing: &Packing, words: [u64; 8], buckets: [u64; 3], begins: u32) -> Line {
    let mut out = words;
    for ((word, mask), buckets) in out.iter_mut().zip(packing.meta_masks).zip(buckets) {
        *word = (*word & !mask) | buckets;
    }
    out[7] = (out[7] & low_bits(54)) | u64::from(begins) << 54;
    Line(out)
}

//! Removes one slot of a line that continues in the next: slots move back from line to line, until
//! a line is complete.
//!
//! The reverse of [`super::push`]. It works in steps in which at most one slot comes from the next
//! line.

use alloc::vec::Vec;

use super::line::{self, begins_before};
use super::packing::Packing;
use super::push::{count, ones_from, with, words_below};
use crate::bits::Line;

/// The change of a line. It will begin with `begins` buckets of earlier lines, no more than now,
/// and may lose one slot.
#[derive(Clone, Copy, Debug)]
struct Pull {
    begins: u32,
    slot: Option<Gone>,
}

/// A slot that is removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gone {
    /// Its index among the slots of the line.
    pub(super) at: u32,
    /// The place of its 1.
    pub(super) one_at: u32,
}

/// The list of [`pull`]'s remaining steps, the last one first. The memory is reused by the next
/// pull.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch(Vec<(usize, Pull)>);

/// Removes a slot of line `here` and moves back slots of the lines after it. `is_told_before`: the
/// slot is the first of the line, and its bucket belongs to the line before.
#[inline(always)]
pub(super) fn pull(
    packing: &Packing,
    lines: &mut [Line],
    here: usize,
    slot: Gone,
    is_told_before: bool,
    Scratch(waiting): &mut Scratch,
) {
    waiting.clear();
    let (mut here, mut pull) = (here, Pull { begins: begins_before(&lines[here]), slot: Some(slot) });
    if is_told_before {
        // The line before records in which bucket the next slot is.
        let before = Pull { begins: begins_before(&lines[here - 1]), slot: None };
        if let Some((changed, on)) = pulled(packing, &lines[here - 1..], before, true) {
            lines[here - 1] = changed;
            pull = on;
        }
    }
    while here < lines.len() {
        let begins = begins_before(&lines[here]);
        let Some((changed, on)) = pulled(packing, &lines[here..], pull, false) else {
            // First the slot, then each bucket on its own.
            waiting.extend((pull.begins..begins).map(|begins| (here, Pull { begins, slot: None })));
            if pull.slot.is_some() {
                waiting.push((here, Pull { begins, slot: pull.slot }));
            }
            let Some(next) = waiting.pop() else { return };
            (here, pull) = next;
            continue;
        };
        lines[here] = changed;
        let next_begins = lines.get(here + 1).map_or(0, begins_before);
        if on.slot.is_some() | (on.begins != next_begins) {
            (here, pull) = (here + 1, on);
        } else if let Some(next) = waiting.pop() {
            (here, pull) = next;
        } else {
            return;
        }
    }
}

/// The first of these lines after a pull, and the change of the next line. With `next_goes` the
/// next line loses its first slot, which is removed. `None` if more than one slot would come back.
/// That never happens for one bucket less, or for one slot.
#[inline(always)]
fn pulled(packing: &Packing, lines: &[Line], pull: Pull, next_goes: bool) -> Option<(Line, Pull)> {
    let meta = packing.meta;
    let [line, next, behind] = [0, 1, 2].map(|i| lines.get(i).unwrap_or(&Line([0; 8])));
    // The number of buckets that are no longer at the beginning of the line.
    let later = begins_before(line) - pull.begins;
    if later >= 64 {
        return None;
    }
    let words: [u64; 3] = core::array::from_fn(|i| line.0[i] & packing.meta_masks[i]);
    let ones = count(words);
    let taken = ones.min(packing.slots());
    // The 1s from here on only fill up the bits of a line whose slots are all used.
    let own = words_below(words, meta - (ones - taken));
    let (left, mut changed, mut out) = match pull.slot {
        Some(slot) => (taken - 1, down(without(own, slot.one_at), later), slots_down(packing, line, slot.at)),
        None => (taken, down(own, later), line.0),
    };
    let end = packing.buckets() + pull.begins;
    let next_begins = begins_before(next);
    if next_begins == 0 {
        // The line held all of its buckets.
        return Some((with(packing, out, changed, pull.begins), Pull { begins: 0, slot: None }));
    }
    // The buckets of the next two slots, counted from the bucket with which this line begins. The
    // next line's first 1 gives the bucket of its first slot, even if this 1 only fills up the
    // bits. If there is no 1, the slot is not before the bucket with which the line after the next
    // one begins.
    let (next_from, far) = (end - next_begins, end + packing.buckets() - begins_before(behind));
    let next: [u64; 3] = core::array::from_fn(|i| lines[1].0[i] & packing.meta_masks[i]);
    let first_one = first_one(next);
    let first = first_one.map_or(far, |at| next_from + at - 1);
    let comes = !next_goes & (first < end) & (left < packing.slots()) & (first + 1 + left < meta);
    if comes {
        let one_at = first + 1 + left;
        changed[(one_at >> 6) as usize] |= 1 << (one_at & 63);
        line::or_at(&mut out, packing.meta + left * packing.width, line::slot(packing, &lines[1], 0));
    }
    let kept = left + u32::from(comes);
    let (following, slot) = match first_one {
        Some(one_at) if comes | next_goes => {
            let second = self::first_one(without(next, one_at)).map_or(far, |at| next_from + at - 1);
            (second, Some(Gone { at: 0, one_at }))
        }
        _ => (first, None),
    };
    let ones_at = following + 1 + kept;
    if (following < end) & (ones_at < meta) {
        if kept < packing.slots() {
            return None;
        }
        changed = ones_from(packing, changed, ones_at);
    }
    let begins = end - following.min(end).min(meta - kept);
    Some((with(packing, out, changed, pull.begins), Pull { begins, slot }))
}

/// The place of the first 1.
#[inline(always)]
fn first_one(words: [u64; 3]) -> Option<u32> {
    (0..3).zip(words).find(|(_, word)| *word != 0).map(|(i, word)| 64 * i + word.trailing_zeros())
}

/// Removes bit `at`: the bits after it move down by one.
#[inline(always)]
fn without(words: [u64; 3], at: u32) -> [u64; 3] {
    let below = words_below(words, at);
    let above = down(core::array::from_fn(|i| words[i] & line::from_bit(at + 1, i as u32)), 1);
    core::array::from_fn(|i| below[i] | above[i])
}

/// Moves all bits down by less than 64.
#[inline(always)]
fn down(words: [u64; 3], by: u32) -> [u64; 3] {
    let from_above = |word: u64| (word << 1) << (63 - by);
    [words[0] >> by | from_above(words[1]), words[1] >> by | from_above(words[2]), words[2] >> by]
}

/// The line's words without slot `at`: the slots after it move down by one.
#[inline(always)]
fn slots_down(packing: &Packing, line: &Line, at: u32) -> [u64; 8] {
    let (slot_at, width) = (packing.meta + at * packing.width, packing.width);
    let mut words = line.0;
    words[7] &= line::SLOTS[7];
    let moved: [u64; 8] = core::array::from_fn(|i| words[i] & line::from_bit(slot_at + width, i as u32));
    core::array::from_fn(|i| {
        let above = if i == 7 { 0 } else { moved[i + 1] << (64 - width) };
        (words[i] & !line::from_bit(slot_at, i as u32)) | moved[i] >> width | above
    })
}

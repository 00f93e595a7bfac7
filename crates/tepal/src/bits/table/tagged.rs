//! Tables in which each number is stored once, with a tag for its time: its age, refreshing it, and
//! removing old numbers (FORMAT.md, section 4.2.4).

use alloc::vec::Vec;

use super::AHEAD;
use super::line::{Select, begins_before, bits_at, equal_among, run, zero_of};
use super::packing::{Packing, Place, low_bits};
use super::stream::{read_line, write_line};
use crate::bits::Line;
use crate::bits::fetch::fetch_line;

/// The tags that are recent: at most `most` older than `now`, the tag of the present time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recent {
    pub(crate) now: u64,
    pub(crate) most: u64,
}

impl Recent {
    /// The age of a tag.
    #[inline(always)]
    pub(crate) fn age(self, tag_bits: u32, tag: u64) -> u64 {
        self.now.wrapping_sub(tag) & low_bits(tag_bits)
    }

    /// Is an entry, or a tag, recent?
    #[inline(always)]
    pub(crate) fn has(self, tag_bits: u32, entry: u64) -> bool {
        self.age(tag_bits, entry) <= self.most
    }
}

/// The first slot of a number.
#[derive(Clone, Copy)]
pub(crate) struct FoundSlot {
    pub(super) line: usize,
    /// Its first bit in that line.
    pub(super) at: u32,
    /// The bit after the last slot of its bucket there.
    pub(super) end: u32,
    /// May the bucket continue in the next line?
    pub(super) goes_on: bool,
}

/// Finds the first slot of a number.
#[inline(always)]
pub(crate) fn find<S: Select>(packing: &Packing, lines: &[Line], place: Place) -> Option<FoundSlot> {
    let (mut at, mut behind) = (place.line, 0);
    while let Some(line) = lines.get(at) {
        let begins = begins_before(line);
        // The line begins with a bucket of its own, or with one after this bucket.
        if behind > 0 && (begins == 0 || place.bucket + begins < behind) {
            return None;
        }
        let bucket = place.bucket + begins - behind;
        if let Some(zero) = zero_of::<S>(packing, line, bucket) {
            let run = run(packing, line, bucket, zero);
            let mut from = 0;
            while from < run.len {
                let slots = (run.len - from).min(packing.in_word);
                let equal = equal_among(packing, line, run.first + from, slots, place.remainder);
                if equal != 0 {
                    let last_bit = (run.first + from) * packing.width + equal.trailing_zeros();
                    return Some(FoundSlot {
                        line: at,
                        at: packing.meta + last_bit + 1 - packing.width,
                        end: packing.meta + (run.first + run.len) * packing.width,
                        goes_on: run.goes_on,
                    });
                }
                from += slots;
            }
            if !run.goes_on {
                return None;
            }
        }
        behind += packing.buckets();
        at += 1;
    }
    None
}

/// The tag of a number, if the number is in the table.
#[inline(always)]
pub(crate) fn tag_of<S: Select>(packing: &Packing, lines: &[Line], number: u64) -> Option<u64> {
    let found = find::<S>(packing, lines, packing.place(number))?;
    Some(bits_at(&lines[found.line], found.at) & low_bits(packing.tag_bits()))
}

/// Sets the tag of a number. Returns whether the number is in the table.
#[inline(always)]
pub(crate) fn refresh<S: Select>(packing: &Packing, lines: &mut [Line], number: u64, tag: u64) -> bool {
    let Some(FoundSlot { line, at, .. }) = find::<S>(packing, lines, packing.place(number)) else {
        return false;
    };
    let line = &mut lines[line];
    let changed = (bits_at(line, at) ^ tag) & low_bits(packing.tag_bits());
    let (word, bit) = ((at >> 6) as usize & 7, at & 63);
    line.0[word] ^= changed << bit;
    line.0[(word + 1) & 7] ^= (changed >> 1) >> (63 - bit);
    true
}

/// Looks up a batch: is each number in the table with a recent tag? `answers` is as long as `h`.
#[inline(always)]
pub(crate) fn contains_many<S: Select>(
    packing: &Packing,
    lines: &[Line],
    recent: Recent,
    h: &[u64],
    answers: &mut [bool],
) {
    for (h, answers) in h.chunks(AHEAD).zip(answers.chunks_mut(AHEAD)) {
        let mut places = [Place::default(); AHEAD];
        for (place, &h) in places.iter_mut().zip(h) {
            *place = packing.place(packing.number(h));
            fetch_line(&lines[place.line]);
        }
        for (answer, &place) in answers.iter_mut().zip(&places) {
            *answer = match find::<S>(packing, lines, place) {
                Some(FoundSlot { line, at, .. }) => recent.has(packing.tag_bits(), bits_at(&lines[line], at)),
                None => false,
            };
        }
    }
}

/// Written entries are removed from memory when there are this many.
const OUT: usize = 2048;

/// Removes every entry with an old tag, in one pass and in place. Returns the number of removed
/// entries.
#[inline(always)]
pub(crate) fn sweep(packing: &Packing, lines: &mut [Line], recent: Recent) -> u64 {
    let mut entries: Vec<u64> = Vec::with_capacity(2 * OUT);
    let (mut out, mut read, mut begin, mut dropped) = (0, 0, 0, 0);
    for here in 0..lines.len() {
        // Removing entries moves no entry to a later line. The entries ahead were read from this
        // line on, and each line is read before it is written.
        while entries.len() - out <= packing.slots() as usize && read < lines.len() {
            if out >= OUT {
                entries.drain(..out);
                out = 0;
            }
            let from = entries.len();
            read_line(packing, lines, read, &mut entries);
            read += 1;
            let mut kept = from;
            for i in from..entries.len() {
                let entry = entries[i];
                entries[kept] = entry;
                kept += usize::from(recent.has(packing.tag_bits(), entry));
            }
            dropped += (entries.len() - kept) as u64;
            entries.truncate(kept);
        }
        let written = write_line(packing, here, begin, &entries[out..]);
        lines[here] = written.line;
        out += written.taken;
        begin = written.next;
    }
    dropped
}

#[cfg(test)]
mod tests;

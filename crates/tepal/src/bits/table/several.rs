//! Tables in which a number can have several tags, each once (FORMAT.md, section 4.2.5).

use alloc::vec::Vec;

use super::AHEAD;
use super::line::{ByArithmetic, Select, begins_before, bits_at, run, zero_of};
use super::packing::{Packing, Place, low_bits};
use super::tagged::{FoundSlot, find};
use crate::bits::Line;
use crate::bits::fetch::fetch_line;

/// The tags of a number, ascending.
#[derive(Clone)]
pub(crate) struct Tags<'a> {
    packing: &'a Packing,
    lines: &'a [Line],
    place: Place,
    /// The next slot.
    next: Option<FoundSlot>,
}

impl<'a> Tags<'a> {
    /// The tags of the number at a place, from its first slot.
    #[inline(always)]
    pub(crate) fn new(
        packing: &'a Packing,
        lines: &'a [Line],
        place: Place,
        first: Option<FoundSlot>,
    ) -> Self {
        Tags { packing, lines, place, next: first }
    }

    /// Is the slot at this bit of a line a slot of the number?
    #[inline(always)]
    fn is_its(&self, line: usize, at: u32) -> bool {
        let value = bits_at(&self.lines[line], at) & self.packing.slot_mask();
        (value ^ self.place.remainder) >> self.packing.tag_bits() == 0
    }

    /// The first slot of the bucket in the lines after this one, if it is a slot of the number. The
    /// slots of a number are next to each other.
    #[cold]
    #[inline(never)]
    fn in_next_line(&self, before: usize) -> Option<FoundSlot> {
        let packing = self.packing;
        for line in before + 1..self.lines.len() {
            let begins = begins_before(&self.lines[line]);
            // In a damaged table anything may follow.
            let behind = (line - self.place.line) as u64 * u64::from(packing.buckets());
            let bucket =
                u64::from(self.place.bucket + begins).checked_sub(behind).filter(|_| begins > 0)? as u32;
            let Some(zero) = zero_of::<ByArithmetic>(packing, &self.lines[line], bucket) else { continue };
            let run = run(packing, &self.lines[line], bucket, zero);
            if run.len == 0 && run.goes_on {
                continue;
            }
            let at = packing.meta + run.first * packing.width;
            let found = FoundSlot { line, at, end: at + run.len * packing.width, goes_on: run.goes_on };
            return (run.len > 0 && self.is_its(line, at)).then_some(found);
        }
        None
    }
}

impl Iterator for Tags<'_> {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        let FoundSlot { line, at, end, goes_on } = self.next?;
        let tag = bits_at(&self.lines[line], at) & low_bits(self.packing.tag_bits());
        let after = at + self.packing.width;
        self.next = if after < end {
            self.is_its(line, after).then_some(FoundSlot { line, at: after, end, goes_on })
        } else if goes_on {
            self.in_next_line(line)
        } else {
            None
        };
        Some(tag)
    }
}

/// The slots of a number, and one of its tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Among {
    /// Its slots.
    pub(crate) slots: u32,
    /// Does one of them have the tag?
    pub(crate) has_it: bool,
    /// The largest tag.
    pub(crate) last: u64,
}

/// Looks for a tag among the tags of a number.
#[inline(always)]
pub(crate) fn among<S: Select>(packing: &Packing, lines: &[Line], number: u64, tag: u64) -> Among {
    let place = packing.place(number);
    Tags::new(packing, lines, place, find::<S>(packing, lines, place)).fold(
        Among::default(),
        |among, last| Among { slots: among.slots + 1, has_it: among.has_it | (last == tag), last },
    )
}

/// The tags of many numbers in a row, and where the tags of each hash end.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagsOfMany {
    pub(crate) tags: Vec<u16>,
    pub(crate) ends: Vec<usize>,
}

/// Appends the tags of the numbers of these hashes. If a number has `most` tags in the table, it
/// calls `more`, which appends the rest.
#[inline(always)]
pub(crate) fn tags_of_many<S: Select>(
    packing: &Packing,
    lines: &[Line],
    h: &[u64],
    most: usize,
    more: &dyn Fn(u64, &mut Vec<u16>),
    out: &mut TagsOfMany,
) {
    for h in h.chunks(AHEAD) {
        let mut places = [Place::default(); AHEAD];
        for (place, &h) in places.iter_mut().zip(h) {
            *place = packing.place(packing.number(h));
            fetch_line(&lines[place.line]);
        }
        for (&place, &h) in places.iter().zip(h) {
            let next = find::<S>(packing, lines, place);
            if next.is_some() {
                let before = out.tags.len();
                out.tags.extend(Tags::new(packing, lines, place, next).map(|tag| tag as u16));
                if out.tags.len() - before >= most {
                    more(packing.number(h), &mut out.tags);
                }
            }
            out.ends.push(out.tags.len());
        }
    }
}

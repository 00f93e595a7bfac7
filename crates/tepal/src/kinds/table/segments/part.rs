//! The segment filter's own part of a tepal file and its segments (FORMAT.md, section 4.2.5), and
//! the checks of its body.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::SegmentFilter;
use super::wide::{IN_TABLE, MOST_BYTES, WideList};
use crate::bits::Line;
use crate::bits::memory;
use crate::bits::table::stream::Entries;
use crate::error::{Error, Result};
use crate::fields;
use crate::ids::Kind;
use crate::key::SecretKey;
use crate::kinds::in_file::BodyChecked;
use crate::kinds::named::{
    Listed, MOST_NAME_BYTES, MOST_SEGMENTS, Segment, SegmentList, damaged, padded, read_listed,
};
use crate::kinds::storage::{Owned, Ref};
use crate::kinds::table::lines::Table;
use crate::kinds::table::part::{self, Claimed, Named, OwnFields, State, TableBodiless};
use crate::kinds::{CheckBody, FilePart, KindEntry, Kinded, OWN_BYTES};

/// The meaning of a slot's tag.
const SEGMENT: u8 = 3;

const NAMED: Named = Named {
    scheme: "the scheme of a filter of segments",
    tags: &[SEGMENT],
    known_tags: "3 (segment)",
    least: "1 pair of key and segment or more",
};

/// The most bytes of the segments of a file.
const MOST_SECTION: u64 = (MOST_SEGMENTS * (16 + MOST_NAME_BYTES)) as u64 + MOST_BYTES;

/// The length in bytes of the segments of a file with this own part.
fn section_of(own: &[u8; OWN_BYTES]) -> Result<u64> {
    let len = u64::from_le_bytes(core::array::from_fn(|i| own[72 + i]));
    match len % 8 == 0 && len <= MOST_SECTION {
        true => Ok(len),
        false => {
            let expected = alloc::format!("a multiple of 8, at most {MOST_SECTION}");
            Err(Error::parameter("the number of bytes of the segments", len, expected))
        }
    }
}

impl SegmentFilter {
    /// The filter's part of a tepal file.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let section = section(&self.segments, &self.wide)?;
        let fields = OwnFields {
            tag: SEGMENT,
            at_40: self.len(),
            at_56: self.distinct_numbers(),
            at_68: self.num_segments() as u32,
            at_72: section.len() as u64,
        };
        Ok(FilePart { section, ..self.core.part(fields) })
    }
}

/// The segments, and the list of fingerprints in very many segments, in the file's encoding.
fn section(segments: &SegmentList, wide: &WideList) -> Result<Vec<u8>> {
    let mut out = memory::room(segments.file_len().saturating_add(wide.bytes() as usize))?;
    segments.write(&mut out);
    for (number, segments) in wide.numbers() {
        out.extend(number.to_le_bytes());
        out.extend((segments.len() as u32).to_le_bytes());
        out.extend([0; 4]);
        segments.iter().for_each(|segment| out.extend(segment.to_le_bytes()));
        out.resize(out.len().next_multiple_of(8), 0);
    }
    Ok(out)
}

/// Reads this many segments, and the list that follows them.
fn read_section(bytes: &[u8], count: u32) -> Result<(SegmentList, WideList)> {
    if count as usize > MOST_SEGMENTS || u64::from(count) * 16 > bytes.len() as u64 {
        return Err(damaged("has no room for as many as there are"));
    }
    let mut fields = fields::Fields::at(bytes, 0);
    let mut listed: Vec<Listed> = memory::room(count as usize)?;
    for _ in 0..count {
        let next = read_listed(&mut fields, "the name of a segment", listed.last())?;
        listed.push(next);
    }
    let segments = SegmentList::new(listed)?;
    let (mut wide, mut last) = (WideList::default(), None);
    while !fields.rest().is_empty() {
        let (number, count, zero) = (fields.u64_le()?, fields.u32_le()?, fields.u32_le()?);
        let more = padded(&mut fields, 2 * (count as usize).min(bytes.len()))?;
        if zero != 0 || count == 0 || last >= Some(number) {
            return Err(damaged(
                "has numbers in many segments that do not ascend, or bytes that are not zero",
            ));
        }
        let mut before = None;
        for segment in more.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])) {
            if before >= Some(segment) || segments.position(Segment(segment)).is_none() {
                return Err(damaged(
                    "has a number in many segments that do not ascend, or that there are not",
                ));
            }
            before = Some(segment);
            wide.insert(number, segment)?;
        }
        last = Some(number);
    }
    Ok((segments, wide))
}

/// The properties of a filter beside its table.
pub(crate) struct SegmentsState {
    list: SegmentList,
    wide: Ref<WideList>,
}

/// Reads the own part and the segments, with every check that needs no body.
fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<TableBodiless<SegmentsState>> {
    let (read, fields) = part::read(&part.own, part, secret, &NAMED)?;
    let Claimed { packing, slots, distinct } = read.claimed;
    if packing.numbers() > super::builder::most_numbers_of_all() {
        let expected = alloc::format!("at most {}", super::builder::most_numbers_of_all());
        return Err(Error::parameter(
            "the number of possible fingerprints of a filter of segments",
            packing.numbers(),
            expected,
        ));
    }
    let (segments, wide) = read_section(&part.section, fields.at_68)?;
    let tag_bits = packing.fields().tag_bits;
    if segments.tag_bits() > tag_bits {
        let expected = alloc::format!("{} or more, for its segments", segments.tag_bits());
        return Err(Error::parameter("the number of tag bits of a slot", tag_bits, expected));
    }
    let (held, most_slots) = (fields.at_40, read.claimed.most_slots());
    let in_segments = segments.listed().iter().try_fold(0u64, |sum, listed| sum.checked_add(listed.len));
    let is_sum = slots.checked_add(wide.pairs()) == Some(held) && in_segments == Some(held);
    if slots > most_slots || distinct > slots || !is_sum {
        return Err(Error::damaged(format_args!(
            "the header says {slots} slots of {most_slots}, {distinct} different numbers and {held} pairs"
        )));
    }
    Ok(read.with(SegmentsState { list: segments, wide: Ref::new(wide) }))
}

impl Kinded for SegmentFilter {
    const ENTRY: KindEntry = KindEntry::new(Kind::Segment).section(section_of);

    type Bodiless = TableBodiless<SegmentsState>;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        of_part(part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let (meta, table, SegmentsState { list, wide }) = bodiless.with_lines(lines, checked);
        SegmentFilter::from_parts(meta, list, table, wide)
    }
}

impl State for SegmentsState {
    fn check(&self, claimed: Claimed) -> Box<dyn CheckBody> {
        let of = |listed: &Listed| (listed.number, listed.len);
        let lens = self.list.listed().iter().map(of).collect();
        Box::new(SegmentsCheck { claimed, lens, wide: Ref::clone(&self.wide) })
    }
}

/// Checks the lines: the fingerprints are valid, their number is that of the header, and each
/// segment has the number that its list records.
struct SegmentsCheck {
    claimed: Claimed,
    /// The number of each segment, and how many fingerprints it has.
    lens: Vec<(u16, u64)>,
    wide: Ref<WideList>,
}

impl CheckBody for SegmentsCheck {
    fn check(&self, lines: &[Line]) -> Result<()> {
        let Claimed { packing, slots, distinct } = &self.claimed;
        // Each segment once, ascending.
        Table::check_tags(packing, lines, *slots, *distinct, |before, entry| before < entry)?;
        let damaged = |what: &str| Err(Error::damaged(format_args!("the table {what}")));
        let mut lens: Vec<u64> = memory::zeros(self.lens.len())?;
        let mut count = |segment: u16| {
            let at = match self.lens.get(usize::from(segment)) {
                Some((number, _)) if *number == segment => Some(usize::from(segment)),
                _ => self.lens.binary_search_by_key(&segment, |(number, _)| *number).ok(),
            };
            at.map(|at| lens[at] += 1).is_some()
        };
        let tag_bits = packing.tag_bits();
        let (mut last, mut slots, mut full) = (None, 0, 0);
        for entry in Entries::new(packing, lines) {
            let (number, segment) = (entry >> tag_bits, (entry & ((1 << tag_bits) - 1)) as u16);
            if !count(segment) {
                return damaged("holds a number of a segment that there is not");
            }
            slots = if last == Some(number) { slots + 1 } else { 1 };
            last = Some(number);
            if slots == IN_TABLE {
                let more = self.wide.of(number);
                full += usize::from(!more.is_empty());
                if more.first().is_some_and(|first| *first <= segment) {
                    return damaged("holds other segments of a number than its lowest");
                }
            }
        }
        if full != self.wide.len() {
            return damaged("holds fewer segments of a number than it has room for");
        }
        self.wide.numbers().flat_map(|(_, more)| more).for_each(|segment| _ = count(*segment));
        match self.lens.iter().map(|(_, len)| *len).eq(lens) {
            true => Ok(()),
            false => damaged("does not hold as many numbers of a segment as its list says"),
        }
    }
}

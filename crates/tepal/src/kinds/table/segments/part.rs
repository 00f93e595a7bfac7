//! The segment filter's own part of a tepal file and its segments (FORMAT.md, section 4.2.5), and what its body must be.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::wide::{IN_TABLE, MOST_BYTES, Wide};
use super::{Meta, SegmentFilter};
use crate::bits::Line;
use crate::bits::memory;
use crate::bits::table::packing::{Fields, Packing};
use crate::bits::table::stream::Entries;
use crate::error::{Error, Result};
use crate::fields;
use crate::ids::{KeyDomain, Kind, OverCapacity, Scheme};
use crate::key::schemes::{Hasher, known, sizing};
use crate::key::{KeyHasher, SecretKey};
use crate::kinds::in_file::{BodyChecked, Ref, check_self_test_of_spread};
use crate::kinds::named::{
    Listed, MOST_NAME_BYTES, MOST_SEGMENTS, Segment, SegmentList, damaged, padded, read_listed,
};
use crate::kinds::storage::Mapped;
use crate::kinds::table::copies::part::own_part;
use crate::kinds::table::lines::Table;
use crate::kinds::{AwaitsBody, CheckBody, Entry, FilePart, Kinded, OWN_BYTES};
use crate::params::{is_rate, no_rate};

/// What the tag of a slot means.
const SEGMENT: u8 = 3;

/// The most bytes of the segments of a file.
const MOST_SECTION: u64 = (MOST_SEGMENTS * (16 + MOST_NAME_BYTES)) as u64 + MOST_BYTES;

/// How many bytes the segments take in a file that begins its own part so.
fn section_of(own: &[u8; OWN_BYTES]) -> Result<u64> {
    let len = u64::from_le_bytes(core::array::from_fn(|i| own[72 + i]));
    match len % 8 == 0 && len <= MOST_SECTION {
        true => Ok(len),
        false => {
            let expected = alloc::format!("a multiple of 8, at most {MOST_SECTION}");
            Err(Error::parameter("the bytes of the segments", len, expected))
        }
    }
}

impl SegmentFilter {
    /// What a tepal file holds of it.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let section = section(&self.segments, &self.wide)?;
        let mut own = own_part(&self.meta, &self.table, self.len(), true);
        own[3] = SEGMENT;
        own[68..72].copy_from_slice(&(self.num_segments() as u32).to_le_bytes());
        own[72..80].copy_from_slice(&(section.len() as u64).to_le_bytes());
        let body = vec![self.table.as_lines()];
        Ok(FilePart { section, ..FilePart::new(own, &self.meta.keys, self.labels(), body) })
    }
}

/// The segments and what keys in very many of them have beside the table, as a file has them.
fn section(segments: &SegmentList, wide: &Wide) -> Result<Vec<u8>> {
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

/// Reads so many segments, and what follows them.
fn read_section(bytes: &[u8], count: u32) -> Result<(SegmentList, Wide)> {
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
    let (mut wide, mut last) = (Wide::default(), None);
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

/// A filter of a file that awaits its body.
pub(crate) struct Bodiless {
    meta: Meta,
    packing: Packing,
    segments: SegmentList,
    wide: Ref<Wide>,
    slots: u64,
    distinct: u64,
    /// Of the writer's self-test.
    sum: u64,
}

/// Reads the own part and the segments, with every check that needs no body.
fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Bodiless> {
    let own = &part.own;
    let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let scheme = Scheme::from_id(own[0])?;
    known(scheme)?;
    sizing::check_has_hash("the scheme of a segment filter", scheme)?;
    let domain = KeyDomain::from_id(own[1])?;
    domain.check_known()?;
    let over_capacity = OverCapacity::from_id(own[2])?;
    if own[3] != SEGMENT {
        let known = "3 (segment)";
        return Err(Error::Unsupported { what: "meaning of the tags", found: own[3].into(), known });
    }
    let last = number(64);
    let packing = Packing::new(Fields {
        numbers: number(8),
        remainder_bits: own[4],
        buckets: own[5],
        slots: own[6],
        tag_bits: own[7],
        spare: last as u32,
    })?;
    if packing.numbers() > super::builder::most_numbers_of_all() {
        let expected = alloc::format!("at most {}", super::builder::most_numbers_of_all());
        return Err(Error::parameter("the numbers of a segment filter", packing.numbers(), expected));
    }
    let (capacity, promised_rate) = (number(16), f64::from_bits(number(24)));
    if capacity == 0 {
        return Err(Error::parameter("the capacity", 0u64, "1 pair of key and segment or more"));
    }
    if !is_rate(promised_rate) {
        return Err(no_rate(format_args!("the float of the bits {:#018x}", promised_rate.to_bits())));
    }
    let (segments, wide) = read_section(&part.section, (last >> 32) as u32)?;
    if segments.tag_bits() > own[7] {
        let expected = alloc::format!("{} or more, for its segments", segments.tag_bits());
        return Err(Error::parameter("the tag bits of a slot", own[7], expected));
    }
    let (held, slots, distinct) = (number(40), number(48), number(56));
    let most_slots = u64::from(packing.fields().slots).saturating_mul(packing.lines());
    let in_segments = segments.listed().iter().try_fold(0u64, |sum, listed| sum.checked_add(listed.len));
    let is_sum = slots.checked_add(wide.pairs()) == Some(held) && in_segments == Some(held);
    if slots > most_slots || distinct > slots || !is_sum {
        return Err(Error::damaged(format_args!(
            "the header says {slots} slots of {most_slots}, {distinct} different numbers and {held} pairs"
        )));
    }
    let record = part.scheme_record.as_ref().map(|(tag, text)| (*tag, text.as_str()));
    let hasher = Hasher::of_file(scheme, number(32), record, secret)?;
    let keys = KeyHasher::new(hasher, domain, part.recipe);
    let meta = Meta { keys, over_capacity, capacity, promised_rate, labels: part.labels.kept() };
    let (wide, sum) = (Ref::new(wide), number(80));
    Ok(Bodiless { meta, packing, segments, wide, slots, distinct, sum })
}

impl Kinded for SegmentFilter {
    const ENTRY: Entry = Entry::new(Kind::Segment).section(section_of);

    type Bodiless = Bodiless;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        of_part(part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let table =
            Table::of_lines(bodiless.packing, lines, bodiless.slots, bodiless.distinct).held_against(checked);
        SegmentFilter::from_parts(bodiless.meta, bodiless.segments, table, bodiless.wide)
    }
}

impl AwaitsBody for Bodiless {
    fn lines(&self) -> u64 {
        self.packing.lines()
    }

    fn self_test(&self) -> Result<()> {
        check_self_test_of_spread(self.meta.keys.hasher(), self.sum)
    }

    fn check(&self) -> Box<dyn CheckBody> {
        let of = |listed: &Listed| (listed.number, listed.len);
        Box::new(Numbers {
            packing: self.packing,
            lens: self.segments.listed().iter().map(of).collect(),
            wide: Ref::clone(&self.wide),
            slots: self.slots,
            distinct: self.distinct,
        })
    }
}

/// The lines are as their numbers say, these are as many as the header says, and each segment has as many as its list says.
struct Numbers {
    packing: Packing,
    /// The number of each segment, and how many numbers it has.
    lens: Vec<(u16, u64)>,
    wide: Ref<Wide>,
    slots: u64,
    distinct: u64,
}

impl CheckBody for Numbers {
    fn check(&self, lines: &[Line]) -> Result<()> {
        // Each segment once, ascending.
        Table::check_tags(&self.packing, lines, self.slots, self.distinct, |before, entry| before < entry)?;
        let damaged = |what: &str| Err(Error::damaged(format_args!("the table {what}")));
        let mut lens: Vec<u64> = memory::zeros(self.lens.len())?;
        let mut count = |segment: u16| {
            let at = match self.lens.get(usize::from(segment)) {
                Some((number, _)) if *number == segment => Some(usize::from(segment)),
                _ => self.lens.binary_search_by_key(&segment, |(number, _)| *number).ok(),
            };
            at.map(|at| lens[at] += 1).is_some()
        };
        let tag_bits = self.packing.tag_bits();
        let (mut last, mut slots, mut full) = (None, 0, 0);
        for entry in Entries::new(&self.packing, lines) {
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

//! The segments of a filter, or the named values of a map: their numbers, names and numbers of
//! keys, and their encoding in a file (FORMAT.md, section 4.2.5).

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

#[cfg(feature = "table")]
use crate::bits::memory::copy_of;
#[cfg(feature = "table")]
use crate::error::advice;
use crate::error::{Error, Result};
use crate::facts::SegmentFacts;
use crate::fields::{Fields, check_text};

/// The most segments of a filter.
pub(crate) const MOST_SEGMENTS: usize = 1 << 16;

/// The most bytes of a name.
pub(crate) const MOST_NAME_BYTES: usize = 1024;

/// One of the segments of a `SegmentFilter`, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment(pub(crate) u16);

impl Segment {
    /// The segment with this number.
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Segment(number)
    }

    /// The number of this segment.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }
}

/// Checks that a segment can have this name: it has 1 to 1,024 bytes, no control characters, and no
/// characters that turn the direction of text.
///
/// # Errors
/// [`Error::Parameter`] if it cannot.
#[cfg(feature = "table")]
pub fn check_segment_name(name: &str) -> Result<()> {
    check_name("the name of a segment", name)
}

/// [`check_segment_name`] for other named things.
pub(crate) fn check_name(of: &'static str, name: &str) -> Result<()> {
    if name.len() > MOST_NAME_BYTES {
        let found = format_args!("{} bytes", name.len()).to_string();
        return Err(Error::parameter(of, found, "at most 1024 bytes"));
    }
    check_text(of, name)
}

/// A segment of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) number: u16,
    pub(crate) name: Option<Box<str>>,
    /// The number of its fingerprints.
    pub(crate) len: u64,
}

/// All segments of a filter, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SegmentList {
    listed: Vec<Listed>,
    /// The numbers of the segments that have a name, in the order of the names.
    by_name: Vec<u16>,
}

impl SegmentList {
    /// Makes a list of segments whose numbers ascend.
    ///
    /// # Errors
    /// [`Error::Damaged`] if two have the same name.
    pub(crate) fn new(listed: Vec<Listed>) -> Result<Self> {
        let mut list = SegmentList { listed, by_name: Vec::new() };
        let named = list.listed.iter().filter(|segment| segment.name.is_some());
        let mut by_name: Vec<u16> = named.map(|segment| segment.number).collect();
        by_name.sort_unstable_by_key(|number| list.name(Segment(*number)));
        let is_twice = |pair: &[u16]| list.name(Segment(pair[0])) == list.name(Segment(pair[1]));
        if by_name.windows(2).any(is_twice) {
            return Err(Error::damaged("two of its segments have one name"));
        }
        list.by_name = by_name;
        Ok(list)
    }

    /// All segments, by their numbers.
    pub(crate) fn listed(&self) -> &[Listed] {
        &self.listed
    }

    /// The position of a segment in the list.
    #[inline]
    pub(crate) fn position(&self, segment: Segment) -> Option<usize> {
        let number = segment.0;
        match self.listed.get(usize::from(number)) {
            // No number before it is missing.
            Some(listed) if listed.number == number => Some(number.into()),
            _ => self.listed.binary_search_by_key(&number, |listed| listed.number).ok(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, segment: Segment) -> Option<&Listed> {
        self.position(segment).map(|at| &self.listed[at])
    }

    pub(crate) fn name(&self, segment: Segment) -> Option<&str> {
        self.get(segment)?.name.as_deref()
    }

    /// The segment of this name; or the position among the names to insert it at.
    pub(crate) fn find(&self, name: &str) -> core::result::Result<Segment, usize> {
        let at = self.by_name.binary_search_by(|number| self.name(Segment(*number)).cmp(&Some(name)));
        at.map(|at| Segment(self.by_name[at]))
    }

    /// The list as facts.
    pub(crate) fn facts(&self) -> Vec<SegmentFacts> {
        let of = |listed: &Listed| SegmentFacts {
            number: listed.number,
            name: listed.name.as_ref().map(|name| name.to_string()),
            keys: listed.len,
        };
        self.listed.iter().map(of).collect()
    }

    /// The length in a file in bytes.
    pub(crate) fn file_len(&self) -> usize {
        let names = self.listed.iter().map(|listed| listed.name.as_ref().map_or(0, |name| name.len() + 7));
        16 * self.listed.len() + names.sum::<usize>()
    }

    /// Writes the list in the file's encoding.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        for listed in &self.listed {
            let name = listed.name.as_deref().unwrap_or("").as_bytes();
            out.extend(listed.number.to_le_bytes());
            out.extend((name.len() as u16).to_le_bytes());
            out.extend([0; 4]);
            out.extend(listed.len.to_le_bytes());
            out.extend(name);
            out.resize(out.len().next_multiple_of(8), 0);
        }
    }
}

/// Reads the next member of a list from a file; `last` is the number before it. `of` names the
/// named thing in errors.
pub(crate) fn read_listed(
    fields: &mut Fields<'_>,
    of: &'static str,
    last: Option<&Listed>,
) -> Result<Listed> {
    let (number, len, zero) = (fields.u16_le()?, usize::from(fields.u16_le()?), fields.u32_le()?);
    let numbers = fields.u64_le()?;
    let name = padded(fields, len)?;
    if zero != 0 || last.is_some_and(|last| last.number >= number) {
        return Err(damaged("does not ascend, or has bytes that are not zero"));
    }
    let name = core::str::from_utf8(name).map_err(|_| damaged("has a name that is not UTF-8"))?;
    if !name.is_empty() {
        check_name(of, name)?;
    }
    Ok(Listed { number, name: (len > 0).then(|| name.into()), len: numbers })
}

/// The error for a damaged list.
pub(crate) fn damaged(what: &str) -> Error {
    Error::damaged(format_args!("the list of its names {what}"))
}

/// Reads bytes and the zeros that pad them to a multiple of 8.
pub(crate) fn padded<'a>(fields: &mut Fields<'a>, len: usize) -> Result<&'a [u8]> {
    let taken = fields.take(len)?;
    let padding = fields.take(len.next_multiple_of(8) - len)?;
    match padding.iter().all(|byte| *byte == 0) {
        true => Ok(taken),
        false => Err(Error::damaged("the padding in the list of its names is not zero")),
    }
}

/// Calls for lists that change.
#[cfg(feature = "table")]
impl SegmentList {
    /// A copy in newly allocated memory.
    pub(crate) fn copied(&self) -> Result<Self> {
        Ok(SegmentList { listed: copy_of(&self.listed)?, by_name: copy_of(&self.by_name)? })
    }

    /// Looks up a segment; the error for a segment that does not exist.
    pub(crate) fn check(&self, segment: Segment) -> Result<&Listed> {
        self.get(segment).ok_or_else(|| {
            let expected = "that of a segment that was added";
            Error::parameter("the number of a segment", segment.0, expected)
                .with(advice!("add it first", AddSegment))
        })
    }

    /// Adds this number of fingerprints to a segment.
    #[inline]
    pub(crate) fn grow(&mut self, segment: Segment, numbers: u64) {
        if let Some(at) = self.position(segment) {
            self.listed[at].len += numbers;
        }
    }

    /// Sets the numbers of fingerprints, in the order of the list.
    pub(crate) fn set_lens(&mut self, lens: &[u64]) {
        self.listed.iter_mut().zip(lens).for_each(|(listed, len)| listed.len = *len);
    }

    /// v: the number of bits that hold every segment's number.
    pub(crate) fn tag_bits(&self) -> u8 {
        self.listed.last().map_or(0, |last| (16 - last.number.leading_zeros()) as u8)
    }

    /// The lowest unused number.
    pub(crate) fn free(&self) -> Result<u16> {
        // The numbers ascend: up to the first gap each number equals its position.
        let (mut low, mut high) = (0, self.listed.len());
        while low < high {
            let middle = (low + high) / 2;
            if usize::from(self.listed[middle].number) == middle { low = middle + 1 } else { high = middle }
        }
        u16::try_from(low).map_err(|_| {
            let error = Error::parameter("the number of segments", MOST_SEGMENTS + 1, "at most 65536");
            error.with(advice!("drop some first", DropSegment, " or merge some", MergeSegments))
        })
    }

    /// The segment of this name; it is added if it does not exist.
    pub(crate) fn named(&mut self, name: &str) -> Result<Segment> {
        if let Ok(segment) = self.find(name) {
            return Ok(segment);
        }
        check_segment_name(name)?;
        let number = self.free()?;
        self.add(number, Some(name));
        Ok(Segment(number))
    }

    /// Adds a segment without fingerprints; number and name must be unused.
    pub(crate) fn add(&mut self, number: u16, name: Option<&str>) {
        let at = self.listed.partition_point(|listed| listed.number < number);
        if let Some(Err(place)) = name.map(|name| self.find(name)) {
            self.by_name.insert(place, number);
        }
        self.listed.insert(at, Listed { number, name: name.map(Box::from), len: 0 });
    }

    /// Removes a segment from the list.
    pub(crate) fn remove(&mut self, segment: Segment) {
        let Some(at) = self.position(segment) else { return };
        self.by_name.retain(|number| *number != segment.0);
        self.listed.remove(at);
    }

    /// Renames a segment; the name must be unused.
    pub(crate) fn rename(&mut self, segment: Segment, name: &str) {
        let Some(at) = self.position(segment) else { return };
        self.by_name.retain(|number| *number != segment.0);
        self.listed[at].name = None;
        if let Err(place) = self.find(name) {
            self.by_name.insert(place, segment.0);
        }
        self.listed[at].name = Some(name.into());
    }
}

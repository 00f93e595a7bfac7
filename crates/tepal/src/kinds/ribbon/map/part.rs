//! The map's own part of a tepal file and its names (FORMAT.md, section 4.2.7), and the checks of
//! its body.

use alloc::vec;
use alloc::vec::Vec;

use super::RibbonMap;
use super::builder::EVERY;
use super::value::NAME;
use crate::bits::memory;
use crate::bits::ribbon::shape::MOST_VALUE_BITS;
use crate::error::{Error, Result};
use crate::fields;
use crate::ids::Kind;
use crate::key::SecretKey;
use crate::kinds::in_file::BodyChecked;
use crate::kinds::named::{MOST_NAME_BYTES, MOST_SEGMENTS, SegmentList, damaged, read_listed};
use crate::kinds::ribbon::part::{RibbonBodiless, own_part, read_hash, read_rate, read_ribbon};
use crate::kinds::storage::{Owned, PlainStorage, Ref};
use crate::kinds::{FilePart, KindEntry, Kinded, OWN_BYTES};
use crate::params::is_rate;

/// The most bytes of the names of a file.
const MOST_SECTION: u64 = (MOST_SEGMENTS * (16 + MOST_NAME_BYTES)) as u64;

/// The length in bytes of the names of a file with this own part.
fn section_of(own: &[u8; OWN_BYTES]) -> Result<u64> {
    let len = u64::from(u32::from_le_bytes(core::array::from_fn(|i| own[20 + i])));
    match len % 8 == 0 && len <= MOST_SECTION {
        true => Ok(len),
        false => {
            let expected = alloc::format!("a multiple of 8, at most {MOST_SECTION}");
            Err(Error::parameter("the number of bytes of the names", len, expected))
        }
    }
}

impl<L: PlainStorage> RibbonMap<L> {
    /// The map's part of a tepal file.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let mut section = memory::room(self.names.file_len())?;
        self.names.write(&mut section);
        let own = own_part(&self.meta, &self.ribbon, section.len() as u32);
        let body = vec![self.ribbon.as_lines()];
        Ok(FilePart { section, ..FilePart::new(own, &self.meta.keys, self.labels(), body) })
    }
}

/// Reads the names of the values 0, 1 and on. Their numbers of keys must add up to `keys`.
fn read_names(bytes: &[u8], value_bits: u8, keys: u64) -> Result<SegmentList> {
    let mut fields = fields::Fields::at(bytes, 0);
    let (mut listed, mut sum) = (Vec::new(), 0u64);
    while !fields.rest().is_empty() {
        let next = read_listed(&mut fields, NAME, listed.last())?;
        if usize::from(next.number) != listed.len() || next.name.is_none() {
            return Err(damaged("has a gap"));
        }
        sum = sum.saturating_add(next.len);
        memory::push(&mut listed, next)?;
    }
    if listed.len() as u64 > 1 << value_bits {
        return Err(damaged("has more than there are values"));
    }
    if !listed.is_empty() && sum != keys {
        return Err(damaged("does not have as many keys as there are"));
    }
    SegmentList::new(listed)
}

/// Checks that a map can have values of this many bits.
pub(crate) fn checked_value_bits(bits: u64) -> Result<u8> {
    match u8::try_from(bits) {
        Ok(bits @ 1..=MOST_VALUE_BITS) => Ok(bits),
        _ => Err(Error::parameter("the number of bits of a value", bits, "1 to 32")),
    }
}

impl Kinded for RibbonMap {
    const ENTRY: KindEntry = KindEntry::new(Kind::Map).section(section_of);

    type Bodiless = RibbonBodiless<SegmentList>;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        let own = &part.own;
        let hash = read_hash(own, "the scheme of a map")?;
        checked_value_bits(own[2].into())?;
        let (ribbon, rate) = (read_ribbon(own)?, read_rate(own, |rate| is_rate(rate) || rate == EVERY)?);
        let names = read_names(&part.section, ribbon.shape.fields().value_bits, ribbon.keys)?;
        RibbonBodiless::new(part, hash, secret, rate, ribbon, names)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let (meta, ribbon, names) = bodiless.with_lines(lines, checked);
        RibbonMap::from_parts(meta, names, ribbon)
    }
}

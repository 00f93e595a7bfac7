//! The map's own part of a tepal file and its values (FORMAT.md, section 4.2.7), and the checks of
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

/// The most bytes of the names of a file. In place of names there are 8 bytes.
const MOST_SECTION: u64 = (MOST_SEGMENTS * (16 + MOST_NAME_BYTES)) as u64;

/// The length in bytes of the values of a file with this own part.
fn section_of(own: &[u8; OWN_BYTES]) -> Result<u64> {
    let len = u64::from(u32::from_le_bytes(core::array::from_fn(|i| own[20 + i])));
    match len % 8 == 0 && (8..=MOST_SECTION).contains(&len) {
        true => Ok(len),
        false => {
            let expected = alloc::format!("a multiple of 8 from 8 to {MOST_SECTION}");
            Err(Error::parameter("the number of bytes of the values", len, expected))
        }
    }
}

impl<L: PlainStorage> RibbonMap<L> {
    /// The map's part of a tepal file.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let mut section = memory::room(self.names.file_len().max(8))?;
        match self.num_names() {
            0 => section.extend(u64::from(self.ribbon.greatest).to_le_bytes()),
            _ => self.names.write(&mut section),
        }
        let own = own_part(&self.meta, &self.ribbon, section.len() as u32);
        let body = vec![self.ribbon.as_lines()];
        Ok(FilePart { section, ..FilePart::new(own, &self.meta.keys, self.labels(), body) })
    }
}

/// Reads the values: the greatest one, or names. Returns the names and the greatest value.
fn read_values(bytes: &[u8], value_bits: u8, keys: u64) -> Result<(SegmentList, u32)> {
    match <[u8; 8]>::try_from(bytes) {
        Ok(greatest) => {
            let greatest = checked_greatest(u64::from_le_bytes(greatest), value_bits, keys)?;
            Ok((SegmentList::default(), greatest))
        }
        Err(_) => {
            let names = read_names(bytes, value_bits, keys)?;
            let last = names.listed().len().saturating_sub(1);
            Ok((names, last as u32))
        }
    }
}

/// Checks that a map of this many keys can have this greatest value.
pub(crate) fn checked_greatest(greatest: u64, value_bits: u8, keys: u64) -> Result<u32> {
    let most = if keys == 0 { 0 } else { u32::MAX >> (32 - value_bits) };
    match u32::try_from(greatest) {
        Ok(greatest) if greatest <= most => Ok(greatest),
        _ => {
            let expected = alloc::format!("{most} at most");
            Err(Error::parameter("the greatest value of a map", greatest, expected))
        }
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
        let (names, greatest) = read_values(&part.section, ribbon.shape.fields().value_bits, ribbon.keys)?;
        RibbonBodiless::new(part, hash, secret, rate, ribbon.with_greatest(greatest), names)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let (meta, ribbon, names) = bodiless.with_lines(lines, checked);
        RibbonMap::from_parts(meta, names, ribbon)
    }
}

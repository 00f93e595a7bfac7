//! The map's own part of a tepal file and its names (FORMAT.md, section 4.2.7), and what its body must be.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::builder::{EVERY, NAME};
use super::{Meta, RibbonMap};
use crate::bits::memory;
use crate::bits::ribbon::shape::{MOST_VALUE_BITS, Shape};
use crate::error::{Error, Result};
use crate::fields;
use crate::ids::Kind;
use crate::key::SecretKey;
use crate::kinds::in_file::{BodyChecked, Ref, check_self_test_of_spread};
use crate::kinds::named::{MOST_NAME_BYTES, MOST_SEGMENTS, SegmentList, damaged, read_listed};
use crate::kinds::ribbon::filter::part::{Padding, long, own_part, read_hash, read_hasher, read_shape};
use crate::kinds::storage::{Mapped, PlainStorage};
use crate::kinds::{AwaitsBody, CheckBody, Entry, FilePart, Kinded, OWN_BYTES};
use crate::params::{is_rate, no_rate};

/// The most bytes of the names of a file.
const MOST_SECTION: u64 = (MOST_SEGMENTS * (16 + MOST_NAME_BYTES)) as u64;

/// How many bytes the names take in a file that begins its own part so.
fn section_of(own: &[u8; OWN_BYTES]) -> Result<u64> {
    let len = u64::from(u32::from_le_bytes(core::array::from_fn(|i| own[20 + i])));
    match len % 8 == 0 && len <= MOST_SECTION {
        true => Ok(len),
        false => {
            let expected = alloc::format!("a multiple of 8, at most {MOST_SECTION}");
            Err(Error::parameter("the bytes of the names", len, expected))
        }
    }
}

impl<L: PlainStorage> RibbonMap<L> {
    /// What a tepal file holds of it.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let mut section = memory::room(self.names.file_len())?;
        self.names.write(&mut section);
        let (meta, section_len) = (&self.meta, section.len() as u32);
        let own = own_part(&meta.keys, self.shape.fields(), self.keys, section_len, meta.promised_rate);
        let body = vec![self.as_lines()];
        Ok(FilePart { section, ..FilePart::new(own, &meta.keys, self.labels(), body) })
    }
}

/// Reads the names of the values: those of 0, 1 and on, of which as many keys have one as there are.
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

/// A map of a file that awaits its body.
pub(crate) struct Bodiless {
    meta: Meta,
    names: SegmentList,
    shape: Shape,
    keys: u64,
    /// Of the writer's self-test.
    sum: u64,
}

/// So many bits of a value, if a map has such.
pub(crate) fn checked_value_bits(bits: u64) -> Result<u8> {
    match u8::try_from(bits) {
        Ok(bits @ 1..=MOST_VALUE_BITS) => Ok(bits),
        _ => Err(Error::parameter("the bits of a value", bits, "1 to 32")),
    }
}

/// Reads the own part and the names, with every check that needs no body.
fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Bodiless> {
    let own = &part.own;
    let hash = read_hash(own, "the scheme of a ribbon map")?;
    checked_value_bits(own[2].into())?;
    let ((shape, keys), promised_rate) = (read_shape(own)?, f64::from_bits(long(own, 24)));
    if !is_rate(promised_rate) && promised_rate != EVERY {
        return Err(no_rate(format_args!("the float of the bits {:#018x}", promised_rate.to_bits())));
    }
    let names = read_names(&part.section, shape.fields().value_bits, keys)?;
    let meta = Meta { keys: read_hasher(part, hash, secret)?, promised_rate, labels: part.labels.kept() };
    Ok(Bodiless { meta, names, shape, keys, sum: long(own, 80) })
}

impl Kinded for RibbonMap {
    const ENTRY: Entry = Entry::new(Kind::Map).section(section_of);

    type Bodiless = Bodiless;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        of_part(part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let map = RibbonMap::from_parts(bodiless.meta, bodiless.names, bodiless.shape, lines, bodiless.keys);
        RibbonMap { body_check: checked, ..map }
    }
}

impl AwaitsBody for Bodiless {
    fn lines(&self) -> u64 {
        self.shape.lines()
    }

    fn self_test(&self) -> Result<()> {
        check_self_test_of_spread(self.meta.keys.hasher(), self.sum)
    }

    fn check(&self) -> Box<dyn CheckBody> {
        Box::new(Padding { shape: self.shape, thin: None })
    }
}

//! The ribbon filter's own part of a tepal file (FORMAT.md, section 4.2.6), and the checks of its
//! body.

use alloc::vec::Vec;
use alloc::{format, vec};
use core::num::NonZeroU64;

use super::RibbonFilter;
use crate::bits::ribbon::thin::Thin;
use crate::error::{Error, Result};
use crate::ids::Kind;
use crate::key::SecretKey;
use crate::kinds::in_file::BodyChecked;
use crate::kinds::ribbon::lines::{MOST_KEYS, Ribbon};
use crate::kinds::ribbon::part::{
    RibbonBodiless, own_part, put_layers, put_ribbon, read_hash, read_rate, read_ribbon,
};
use crate::kinds::storage::{Owned, PlainStorage, Ref};
use crate::kinds::{Behind, FilePart, KindEntry, Kinded, OWN_BYTES, Trailer};
use crate::params::is_rate;

/// The bytes of U.
const NUMBERS_BYTES: u32 = 8;
/// The bytes of the part of a second ribbon.
const SECOND_BYTES: u32 = 80;

impl<L: PlainStorage> RibbonFilter<L> {
    /// The filter's part of a tepal file.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let section = match (&self.ribbon.thin, self.numbers) {
            (Some(thin), _) => second_part(thin),
            (None, Some(numbers)) => numbers.get().to_le_bytes().to_vec(),
            (None, None) => Vec::new(),
        };
        let own = own_part(&self.meta, &self.ribbon, section.len() as u32);
        let part = FilePart::new(own, &self.meta.keys, self.labels(), vec![self.ribbon.as_lines()]);
        Ok(FilePart { section, added: &self.added, ..part })
    }
}

/// The part of a second ribbon: the same fields at the same offsets as in the own part of the
/// first.
fn second_part(thin: &Thin) -> Vec<u8> {
    let mut out = Vec::with_capacity(SECOND_BYTES as usize);
    out.extend(thin.most.to_le_bytes());
    put_ribbon(&mut out, thin.shape.fields(), thin.keys);
    out.extend([0; 20]);
    put_layers(&mut out, thin.shape.fields());
    out
}

/// The ribbon with the second ribbon of a section.
fn with_second(first: Ribbon<()>, section: &[u8]) -> Result<Ribbon<()>> {
    let second = read_ribbon(section)?;
    if section[20..40] != [0; 20] {
        return Err(Error::damaged("the bytes before the words of the second ribbon are not zero"));
    }
    first.with_second(&second, u16::from_le_bytes([section[0], section[1]]))
}

/// The length of the section of a file with this own part: the bytes of a table's U, of a second
/// ribbon, or 0.
fn section_of(own: &[u8; OWN_BYTES]) -> Result<u64> {
    match u32::from_le_bytes(core::array::from_fn(|i| own[20 + i])) {
        len @ (0 | NUMBERS_BYTES | SECOND_BYTES) => Ok(len.into()),
        len => Err(Error::parameter(
            "the number of bytes behind the records of a static filter",
            len,
            "0, 8 or 80",
        )),
    }
}

/// Reads U of the table whose fingerprints are in the ribbon; `keys` is their number.
fn read_numbers(section: &[u8], keys: u64) -> Result<Option<NonZeroU64>> {
    let Some(bytes) = section.first_chunk() else { return Ok(None) };
    let numbers = u64::from_le_bytes(*bytes);
    match NonZeroU64::new(numbers).filter(|numbers| numbers.get() < MOST_KEYS && keys <= numbers.get()) {
        Some(numbers) => Ok(Some(numbers)),
        None => {
            let expected = format!("as many as there are keys ({keys}) or more, at least 1, below 2^56");
            Err(Error::parameter("the number of possible fingerprints of a static filter", numbers, expected))
        }
    }
}

/// The number of lines of the body of a file with this own part and section. It needs no secret
/// key.
#[cfg(feature = "extras")]
pub(crate) fn lines_of(own: &[u8; OWN_BYTES], section: &[u8]) -> Result<u64> {
    let ribbon = read_ribbon(own)?;
    match section.len() as u32 {
        SECOND_BYTES => Ok(with_second(ribbon, section)?.num_lines()),
        _ => Ok(ribbon.num_lines()),
    }
}

impl Kinded for RibbonFilter {
    const ENTRY: KindEntry = KindEntry::new(Kind::Ribbon).section(section_of).behind(Trailer::Added);

    type Bodiless = RibbonBodiless<Option<NonZeroU64>>;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        let own = &part.own;
        let hash = read_hash(own, "the scheme of a static filter")?;
        if own[2] != 0 {
            return Err(Error::damaged("the byte before the columns of the ribbon is not zero"));
        }
        let (ribbon, rate) = (read_ribbon(own)?, read_rate(own, is_rate)?);
        let (ribbon, numbers) = match part.section.len() as u32 {
            SECOND_BYTES => (with_second(ribbon, &part.section)?, None),
            _ => {
                let numbers = read_numbers(&part.section, ribbon.keys)?;
                (ribbon, numbers)
            }
        };
        RibbonBodiless::new(part, hash, secret, rate, ribbon, numbers)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let (meta, ribbon, numbers) = bodiless.with_lines(lines, checked);
        RibbonFilter { numbers, ..RibbonFilter::from_parts(meta, ribbon) }
    }

    const WITH_BEHIND: Option<fn(Self, Behind) -> Self> =
        Some(|filter, behind| filter.with_added_of_file(behind.hashes));
}

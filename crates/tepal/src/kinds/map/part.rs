//! The map's own part of a tepal file and its names (FORMAT.md, section 4.2.7), and what its body must be.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::builder::{EVERY, MOST_VALUE_BITS, NAME};
use super::{Meta, RibbonMap};
use crate::bits::ribbon::shape::{Fields, Shape};
use crate::error::{Error, Result};
use crate::fields;
use crate::ids::{KeyDomain, Scheme};
use crate::key::schemes::{Hasher, known, sizing};
use crate::key::{KeyHasher, SecretKey};
use crate::kinds::in_file::{BodyChecked, Ref, self_test_of_spread};
use crate::kinds::list::{MOST_NAME_BYTES, MOST_SEGMENTS, SegmentList, damaged, read_listed};
use crate::kinds::ribbon::part::Padding;
use crate::kinds::storage::Mapped;
use crate::kinds::{AnyFilter, AwaitsBody, CheckBody, FilePart, OWN_BYTES};
use crate::params::{is_rate, no_rate};

/// The most bytes of the names of a file.
const MOST_SECTION: u64 = (MOST_SEGMENTS * (16 + MOST_NAME_BYTES)) as u64;

/// How many bytes the names take in a file that begins its own part so.
pub(crate) fn section_of(own: &[u8; OWN_BYTES]) -> Result<u64> {
    let len = u64::from(u32::from_le_bytes(core::array::from_fn(|i| own[20 + i])));
    match len % 8 == 0 && len <= MOST_SECTION {
        true => Ok(len),
        false => {
            let expected = alloc::format!("a multiple of 8, at most {MOST_SECTION}");
            Err(Error::parameter("the bytes of the names", len, expected))
        }
    }
}

impl RibbonMap {
    /// What a tepal file holds of it.
    pub(crate) fn part(&self) -> FilePart<'_> {
        let mut section = Vec::with_capacity(self.names.file_len());
        self.names.write(&mut section);
        FilePart {
            own: self.own_part(section.len() as u32),
            recipe: self.meta.keys.recipe(),
            labels: self.labels().clone(),
            scheme_record: self.meta.keys.hasher().record(),
            section,
            exceptions: &[],
            added: &[],
            #[cfg(feature = "except")]
            divider: None,
            links: Vec::new(),
            body: vec![self.as_lines()],
        }
    }

    fn own_part(&self, section: u32) -> [u8; OWN_BYTES] {
        let (fields, hasher) = (self.shape.fields(), self.meta.keys.hasher());
        let mut out = Vec::with_capacity(OWN_BYTES);
        out.extend([hasher.scheme().id(), self.key_domain().id(), fields.value_bits, fields.columns]);
        out.extend([fields.deep, fields.last_seed]);
        out.extend(fields.last.to_le_bytes());
        out.extend(self.keys.to_le_bytes());
        out.extend(fields.split.to_le_bytes());
        out.extend(section.to_le_bytes());
        out.extend(self.meta.promised_rate.to_bits().to_le_bytes());
        out.extend(hasher.parameters().to_le_bytes());
        out.extend(fields.words.iter().flat_map(|words| words.to_le_bytes()));
        out.extend(fields.seeds);
        out.extend(self_test_of_spread(hasher).to_le_bytes());
        core::array::from_fn(|i| out[i])
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
        listed.push(next);
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
struct Bodiless {
    meta: Meta,
    names: SegmentList,
    shape: Shape,
    keys: u64,
    /// Of the writer's self-test.
    sum: u64,
}

/// Reads the own part and the names, with every check that needs no body.
pub(super) fn of_file(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Box<dyn AwaitsBody>> {
    let own = &part.own;
    let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let small = |at: usize| u32::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let scheme = Scheme::from_id(own[0])?;
    known(scheme)?;
    sizing::check_has_hash("the scheme of a ribbon map", scheme)?;
    let domain = KeyDomain::from_id(own[1])?;
    domain.check_known()?;
    if !(1..=MOST_VALUE_BITS).contains(&own[2]) {
        return Err(Error::parameter("the bits of a value", own[2], "1 to 32"));
    }
    let fields = Fields {
        columns: own[3],
        deep: own[4],
        last_seed: own[5],
        last: u16::from_le_bytes([own[6], own[7]]),
        split: small(16),
        words: core::array::from_fn(|k| small(40 + 4 * k)),
        seeds: core::array::from_fn(|k| own[72 + k]),
        value_bits: own[2],
    };
    fields.check()?;
    let shape = Shape::new(fields)?;
    let (keys, promised_rate) = (number(8), f64::from_bits(number(24)));
    if (keys == 0) != (shape.is_all_last() && fields.last == 0) {
        return Err(Error::damaged(format_args!("{keys} keys in a ribbon of {} words", shape.words())));
    }
    if !is_rate(promised_rate) && promised_rate != EVERY {
        return Err(no_rate(format_args!("the float of the bits {:#018x}", promised_rate.to_bits())));
    }
    let names = read_names(&part.section, fields.value_bits, keys)?;
    let record = part.scheme_record.as_ref().map(|(tag, text)| (*tag, text.as_str()));
    let hasher = Hasher::of_file(scheme, number(32), record, secret)?;
    let keys_of = KeyHasher::new(hasher, domain, part.recipe);
    let meta = Meta { keys: keys_of, promised_rate, labels: part.labels.kept() };
    Ok(Box::new(Bodiless { meta, names, shape, keys, sum: number(80) }))
}

impl AwaitsBody for Bodiless {
    fn lines(&self) -> u64 {
        self.shape.lines()
    }

    fn self_test(&self) -> Result<()> {
        match self_test_of_spread(self.meta.keys.hasher()) == self.sum {
            true => Ok(()),
            false => {
                Err(Error::damaged("this build's hash does not give the numbers that the writer's gave"))
            }
        }
    }

    fn check(&self) -> Box<dyn CheckBody> {
        Box::new(Padding { shape: self.shape })
    }

    fn with_body(self: Box<Self>, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> AnyFilter {
        let map = RibbonMap::from_parts(self.meta, self.names, self.shape, lines, self.keys);
        AnyFilter::Map(RibbonMap { body_check: checked, ..map })
    }
}

//! The ribbon filter's own part of a tepal file (FORMAT.md, section 4.2.6), and what its body must be.

use alloc::boxed::Box;
use alloc::vec::Vec;
use alloc::{format, vec};
use core::num::NonZeroU64;

use super::{Meta, RibbonFilter};
use crate::bits::ribbon::shape::{Fields, Shape};
use crate::bits::ribbon::thin::{self, Thin};
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::ids::{KeyDomain, Kind, Scheme};
use crate::key::schemes::{Hasher, known, sizing};
use crate::key::{KeyHasher, SecretKey};
use crate::kinds::in_file::{BodyChecked, Ref, check_self_test_of_spread, self_test_of_spread};
use crate::kinds::storage::{Mapped, PlainStorage};
use crate::kinds::{AwaitsBody, Behind, CheckBody, Entry, FilePart, Kinded, OWN_BYTES, What};
use crate::params::{is_rate, no_rate};

/// A ribbon has fewer keys, and a table that one is made of fewer numbers.
const MOST_KEYS: u64 = 1 << 56;
/// Bytes of U.
const NUMBERS_BYTES: u32 = 8;
/// What is said of a second ribbon takes so many bytes.
const SECOND_BYTES: u32 = 80;

impl<L: PlainStorage> RibbonFilter<L> {
    /// What a tepal file holds of it.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let section = match (&self.thin, self.meta.numbers) {
            (Some(thin), _) => second_part(thin),
            (None, Some(numbers)) => numbers.get().to_le_bytes().to_vec(),
            (None, None) => Vec::new(),
        };
        let own = self.own_part(section.len() as u32);
        let part = FilePart::new(own, &self.meta.keys, self.labels(), vec![self.as_lines()]);
        Ok(FilePart { section, added: &self.added, ..part })
    }

    fn own_part(&self, section: u32) -> [u8; OWN_BYTES] {
        own_part(&self.meta.keys, self.shape.fields(), self.keys, section, self.meta.promised_rate)
    }
}

/// What is said of a second ribbon, in the places where the own part says it of the first one.
fn second_part(thin: &Thin) -> Vec<u8> {
    let mut out = Vec::with_capacity(SECOND_BYTES as usize);
    out.extend(thin.most.to_le_bytes());
    put_ribbon(&mut out, thin.shape.fields(), thin.keys);
    out.extend([0; 20]);
    put_layers(&mut out, thin.shape.fields());
    out
}

/// The second ribbon of a section, behind a first one of so many keys.
fn read_second(section: &[u8], first: &Shape, keys: u64) -> Result<Thin> {
    let (shape, picked) = read_shape(section)?;
    if section[20..40] != [0; 20] {
        return Err(Error::damaged("the bytes before the words of the second ribbon are not zero"));
    }
    check_picked(&shape, picked, keys)?;
    Thin::new(first, shape, picked, u16::from_le_bytes([section[0], section[1]]))
}

/// The columns of a ribbon, its last slots, how many keys are in it, and the words with one column more.
fn put_ribbon(out: &mut Vec<u8>, fields: &Fields, keys: u64) {
    out.extend([fields.value_bits, fields.columns, fields.deep, fields.last_seed]);
    out.extend(fields.last.to_le_bytes());
    out.extend(keys.to_le_bytes());
    out.extend(fields.split.to_le_bytes());
}

/// The layers of a ribbon.
fn put_layers(out: &mut Vec<u8>, fields: &Fields) {
    out.extend(fields.words.iter().flat_map(|words| words.to_le_bytes()));
    out.extend(fields.seeds);
}

/// The own part of a ribbon, with so many bytes behind the records.
pub(crate) fn own_part(
    hasher: &KeyHasher,
    fields: &Fields,
    keys: u64,
    section: u32,
    promised_rate: f64,
) -> [u8; OWN_BYTES] {
    let (domain, hasher) = (hasher.key_domain(), hasher.hasher());
    let mut out = Vec::with_capacity(OWN_BYTES);
    out.extend([hasher.scheme().id(), domain.id()]);
    put_ribbon(&mut out, fields, keys);
    out.extend(section.to_le_bytes());
    out.extend(promised_rate.to_bits().to_le_bytes());
    out.extend(hasher.parameters().to_le_bytes());
    put_layers(&mut out, fields);
    out.extend(self_test_of_spread(hasher).to_le_bytes());
    core::array::from_fn(|i| out[i])
}

/// The scheme and the domain of an own part.
pub(crate) fn read_hash(own: &[u8; OWN_BYTES], of: &'static str) -> Result<(Scheme, KeyDomain)> {
    let scheme = Scheme::from_id(own[0])?;
    known(scheme)?;
    sizing::check_has_hash(of, scheme)?;
    let domain = KeyDomain::from_id(own[1])?;
    domain.check_known()?;
    Ok((scheme, domain))
}

/// The ribbon of an own part, or of a second ribbon's part, and how many keys are in it.
pub(crate) fn read_shape(own: &[u8]) -> Result<(Shape, u64)> {
    let number = |at: usize| u32::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let fields = Fields {
        columns: own[3],
        deep: own[4],
        last_seed: own[5],
        last: u16::from_le_bytes([own[6], own[7]]),
        split: number(16),
        words: core::array::from_fn(|k| number(40 + 4 * k)),
        seeds: core::array::from_fn(|k| own[72 + k]),
        value_bits: own[2],
    };
    fields.check()?;
    let (shape, keys) = (Shape::new(fields)?, long(own, 8));
    check_keys(&shape, keys)?;
    Ok((shape, keys))
}

/// There are keys if and only if there is a ribbon for them, and fewer than 2^56.
pub(crate) fn check_keys(shape: &Shape, keys: u64) -> Result<()> {
    if keys >= MOST_KEYS {
        return Err(Error::parameter("the keys of a ribbon", keys, "fewer than 2^56"));
    }
    if (keys == 0) != shape.is_empty() {
        return Err(Error::damaged(format_args!("{keys} keys in a ribbon of {} words", shape.words())));
    }
    Ok(())
}

/// The hasher of a file with this own part.
pub(crate) fn read_hasher(
    part: &FilePart<'_>,
    (scheme, domain): (Scheme, KeyDomain),
    secret: Option<&SecretKey>,
) -> Result<KeyHasher> {
    let record = part.scheme_record.as_ref().map(|(tag, text)| (*tag, text.as_str()));
    let hasher = Hasher::of_file(scheme, long(&part.own, 32), record, secret)?;
    Ok(KeyHasher::new(hasher, domain, part.recipe))
}

/// Refuses a second ribbon of more keys than the first one has, or of none where there is a ribbon for them.
pub(crate) fn check_picked(shape: &Shape, picked: u64, keys: u64) -> Result<()> {
    if picked > keys {
        return Err(Error::damaged(format_args!("{picked} keys in the second ribbon behind one of {keys}")));
    }
    check_keys(shape, picked)
}

/// A ribbon, what is behind it and how many keys are in it, of which the bits are elsewhere.
pub(crate) struct OfRibbon {
    pub(crate) shape: Shape,
    /// None in a map.
    pub(crate) thin: Option<Box<Thin>>,
    pub(crate) keys: u64,
}

impl OfRibbon {
    pub(crate) fn lines(&self) -> u64 {
        thin::lines(&self.shape, self.thin.as_deref())
    }
}

/// A ribbon and what it is of, as its embedded form has it.
pub(crate) struct RibbonPart<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) thin: Option<&'a Thin>,
    pub(crate) keys: u64,
    pub(crate) hasher: &'a KeyHasher,
    pub(crate) lines: &'a [Line],
}

/// Eight bytes of an own part.
pub(crate) fn long(own: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(core::array::from_fn(|i| own[at + i]))
}

/// How many bytes stand behind the records in a file that begins its own part so: those of a table's U, of a second ribbon, or none.
fn section_of(own: &[u8; OWN_BYTES]) -> Result<u64> {
    match u32::from_le_bytes(core::array::from_fn(|i| own[20 + i])) {
        len @ (0 | NUMBERS_BYTES | SECOND_BYTES) => Ok(len.into()),
        len => Err(Error::parameter("the bytes behind the records of a ribbon filter", len, "0, 8 or 80")),
    }
}

/// U of the table whose numbers are in the ribbon, which are so many.
fn read_numbers(section: &[u8], keys: u64) -> Result<Option<NonZeroU64>> {
    let Some(bytes) = section.first_chunk() else { return Ok(None) };
    let numbers = u64::from_le_bytes(*bytes);
    match NonZeroU64::new(numbers).filter(|numbers| numbers.get() < MOST_KEYS && keys <= numbers.get()) {
        Some(numbers) => Ok(Some(numbers)),
        None => {
            let expected = format!("as many as there are keys ({keys}) or more, at least 1, below 2^56");
            Err(Error::parameter("the numbers of a ribbon filter", numbers, expected))
        }
    }
}

/// A filter of a file that awaits its body.
pub(crate) struct Bodiless {
    meta: Meta,
    shape: Shape,
    thin: Option<Box<Thin>>,
    keys: u64,
    /// Of the writer's self-test.
    sum: u64,
}

/// Lines of the body of a file with this own part and what stands behind its records. No key is needed for that.
#[cfg(feature = "patch")]
pub(crate) fn lines_of(own: &[u8; OWN_BYTES], section: &[u8]) -> Result<u64> {
    let (shape, keys) = read_shape(own)?;
    let thin = match section.len() as u32 {
        SECOND_BYTES => Some(read_second(section, &shape, keys)?),
        _ => None,
    };
    Ok(thin::lines(&shape, thin.as_ref()))
}

/// Reads the own part, with every check that needs no body.
fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Bodiless> {
    let own = &part.own;
    let hash = read_hash(own, "the scheme of a ribbon filter")?;
    if own[2] != 0 {
        return Err(Error::damaged("the byte before the columns of the ribbon is not zero"));
    }
    let ((shape, keys), promised_rate) = (read_shape(own)?, f64::from_bits(long(own, 24)));
    if !is_rate(promised_rate) {
        return Err(no_rate(format_args!("the float of the bits {:#018x}", promised_rate.to_bits())));
    }
    let (numbers, thin) = match part.section.len() as u32 {
        SECOND_BYTES => (None, Some(Box::new(read_second(&part.section, &shape, keys)?))),
        _ => (read_numbers(&part.section, keys)?, None),
    };
    let meta =
        Meta { keys: read_hasher(part, hash, secret)?, promised_rate, labels: part.labels.kept(), numbers };
    Ok(Bodiless { meta, shape, thin, keys, sum: long(own, 80) })
}

impl Kinded for RibbonFilter {
    const ENTRY: Entry = Entry::new(Kind::Ribbon).section(section_of).behind(What::Added);

    type Bodiless = Bodiless;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        of_part(part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let filter =
            RibbonFilter::from_parts(bodiless.meta, (bodiless.shape, bodiless.thin, lines, bodiless.keys));
        RibbonFilter { body_check: checked, ..filter }
    }

    const WITH_BEHIND: Option<fn(Self, Behind) -> Self> =
        Some(|filter, behind| filter.with_added_of_file(behind.hashes));
}

impl AwaitsBody for Bodiless {
    fn lines(&self) -> u64 {
        thin::lines(&self.shape, self.thin.as_deref())
    }

    fn self_test(&self) -> Result<()> {
        check_self_test_of_spread(self.meta.keys.hasher(), self.sum)
    }

    fn check(&self) -> Box<dyn CheckBody> {
        Box::new(Padding { shape: self.shape, thin: self.thin.clone() })
    }
}

/// Bits that stand for nothing are 0. What the others say, any bits do.
pub(crate) struct Padding {
    pub(crate) shape: Shape,
    pub(crate) thin: Option<Box<Thin>>,
}

impl CheckBody for Padding {
    fn check(&self, lines: &[Line]) -> Result<()> {
        let words = bits::words(lines);
        match &self.thin {
            None => self.shape.check_padding(words),
            Some(thin) => thin.check_padding(&self.shape, words),
        }
    }
}

//! The embedded form (FORMAT.md, section 4.8): the bits, and some bytes that refuse what they are
//! not: 16 of a Bloom filter, which is here; of a ribbon see `ribbon`.

use alloc::format;
use alloc::vec::Vec;
use core::ops::{Range, RangeBounds};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::view::place_in;
use crate::bits::shape::Shape;
use crate::bits::{self, LINE_BITS, LINE_BYTES, Line};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::ids::{Kind, Layout, Operation};
use crate::key::KeyHasher;
use crate::kinds::bloom::{BloomFilter, shape_of};
use crate::kinds::storage::{InBytes, InMemory, PlainStorage, StableBytes};

#[cfg(feature = "static")]
mod ribbon;

/// Bytes behind the bits, of a Bloom filter; of other kinds the last of them.
const TRAILER: usize = 16;
/// Bytes of these that the checksum covers.
const SAID: usize = 8;

/// Whose form it is, which its version says: the first of these bytes.
#[derive(Clone, Copy)]
struct Form {
    version: u8,
    kind: Kind,
}

impl Form {
    const BLOOM: Form = Form { version: 0xE1, kind: Kind::Bloom };
    const RIBBON: Form = Form { version: 0xE2, kind: Kind::Ribbon };
    const MAP: Form = Form { version: 0xE3, kind: Kind::Map };

    /// The refusal of the form of another kind, or of none.
    fn refusal(self, version: u8) -> Error {
        let found = [Form::BLOOM, Form::RIBBON, Form::MAP].into_iter().find(|form| form.version == version);
        let Some(found) = found else {
            let known = "225 (a Bloom filter), 226 (a ribbon filter) and 227 (a map)";
            return Error::Unsupported { what: "version of the embedded form", found: version.into(), known };
        };
        let instead = match found.kind {
            Kind::Ribbon => "read its embedded form by `RibbonFilter::from_embedded`",
            Kind::Map => "read its embedded form by `RibbonMap::from_embedded`",
            _ => "read its embedded form by `BloomFilter::from_embedded`",
        };
        Error::NotPossible { kind: found.kind, operation: Operation::BeAnother, instead }
    }
}

/// A number for everything that decides which hash a key gets.
fn check_of_keys(keys: &KeyHasher) -> u64 {
    let hasher = keys.hasher();
    let mut block = Vec::from([hasher.scheme().id(), keys.key_domain().id(), 0, 0]);
    block.extend(keys.recipe().to_flags().to_le_bytes());
    block.extend(hasher.parameters().to_le_bytes());
    if let Some((_, text)) = hasher.record() {
        block.extend(text.as_bytes());
    }
    xxh3_64(&block)
}

/// The bytes before the checksum.
fn said(shape: Shape, keys: u64) -> [u8; SAID] {
    let unused = (shape.lines() * LINE_BITS - shape.bit_len) as u16;
    let [k0, k1] = (shape.num_hashes as u16).to_le_bytes();
    let [u0, u1] = unused.to_le_bytes();
    let [c0, c1, ..] = keys.to_le_bytes();
    [Form::BLOOM.version, shape.layout.id(), k0, k1, u0, u1, c0, c1]
}

/// The checksum of the bits and the bytes behind them.
fn checksum(body: &[u8], said: &[u8], keys: u64) -> u64 {
    xxh3_64_with_seed(said, xxh3_64_with_seed(body, keys))
}

/// The body of bytes in the embedded form, and what is said of it, once the checksum is known to be
/// right. What is said ends with the eight bytes before the checksum, in the same places for every
/// kind: the version first, the check of the keys last. A ribbon has more before them.
fn read_form<'a>(form: Form, bytes: &'a [u8], keys: &KeyHasher) -> Result<(&'a [u8], &'a [u8])> {
    let no_form = |more: usize| {
        Error::damaged(format_args!(
            "an embedded filter has 64 bytes, or a multiple of that, and {more} behind them, and there are {} bytes",
            bytes.len()
        ))
    };
    let Some((_, trailer)) = bytes.split_last_chunk::<TRAILER>() else { return Err(no_form(TRAILER)) };
    if trailer[0] != form.version {
        return Err(form.refusal(trailer[0]));
    }
    let more = TRAILER + if form.kind == Kind::Bloom { 0 } else { trailer[1].into() };
    let body_len = bytes.len().checked_sub(more).filter(|len| *len > 0 && *len as u64 % LINE_BYTES == 0);
    let (body, said) = bytes.split_at(body_len.ok_or_else(|| no_form(more))?);
    let (said, sum) = said.split_at(said.len() - (TRAILER - SAID));
    let check = Fields::at(said, said.len() - 2).u16_le()?;
    let expected = Fields::at(sum, 0).u64_le()?;
    let here = check_of_keys(keys);
    let found = checksum(body, said, here);
    if found != expected && check != here as u16 {
        return Err(Error::OtherKeys {
            property: "key hasher (scheme, seed, secret, key domain, recipe)",
            found: "another one".into(),
            expected: format!("{keys:?}"),
        });
    }
    if found != expected {
        return Err(Error::damaged(format_args!(
            "the embedded filter has the checksum {found:016x}, and {expected:016x} was written"
        )));
    }
    // One filter has one form.
    if check != here as u16 {
        return Err(Error::damaged("the check of the keys is not that which the checksum is of"));
    }
    Ok((body, said))
}

/// What bytes in the embedded form of a Bloom filter say: its shape, and where its bits are.
fn read(bytes: &[u8], keys: &KeyHasher) -> Result<(Shape, Range<usize>)> {
    let (body, said) = read_form(Form::BLOOM, bytes, keys)?;
    let mut fields = Fields::at(said, 1);
    let (layout, num_hashes, unused) = (fields.u8()?, fields.u16_le()?, fields.u16_le()?);
    let bit_len = (body.len() as u64 * 8).saturating_sub(unused.into());
    let shape = shape_of(keys.scheme(), Layout::from_id(layout)?, num_hashes.into(), bit_len)?;
    if shape.lines() * LINE_BYTES != body.len() as u64 {
        return Err(Error::damaged(format_args!("{bit_len} bits do not take {} bytes", body.len())));
    }
    Ok((shape, 0..body.len()))
}

/// Lines as the form has them, with room for so many bytes in all.
fn bytes_of_lines(lines: &[Line], len: u64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let room = usize::try_from(len).ok().and_then(|len| out.try_reserve_exact(len).ok());
    room.ok_or(Error::TooLarge { bytes: len })?;
    for chunk in super::chunks::chunks(lines) {
        out.extend_from_slice(&chunk);
    }
    Ok(out)
}

/// The form of this body, of which this is said.
fn sealed_form(mut body: Vec<u8>, said: &[u8], keys: u64) -> Vec<u8> {
    let checksum = checksum(&body, said, keys);
    body.extend_from_slice(said);
    body.extend(checksum.to_le_bytes());
    body
}

impl<L: PlainStorage> BloomFilter<L> {
    /// The embedded form, for stores that keep many filters and what they have in common elsewhere,
    /// such as the tables of an LSM tree: the bits, and 16 bytes. In those are a checksum, the
    /// layout, the number of hashes and the size, and a check of scheme, seed, secret, key domain
    /// and recipe, so that no other [`KeyHasher`] is taken for this filter's.
    ///
    /// Not kept: capacity, promised rate, what happens past capacity, keys inserted, labels. A
    /// filter of 100 keys at 1 % has 144 bytes; its [file](Self::to_bytes) has 320.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let builder = BloomFilter::builder().seed(42);               // the store's, written down once
    /// let table = builder.clone().build_from(["apple", "banana"])?.to_embedded()?;
    ///
    /// let keys = builder.key_hasher()?;
    /// let table = BloomFilter::from_embedded(&table, &keys)?;
    /// assert!(table.contains_hash(keys.hash("apple")?));           // hashed once for all tables
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for it; [`Error::Damaged`] for a filter that
    /// was opened [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn to_embedded(&self) -> Result<Vec<u8>> {
        self.check_before_copying()?;
        let keys = check_of_keys(&self.meta.keys);
        let body = bytes_of_lines(self.lines.as_lines(), self.embedded_len())?;
        Ok(sealed_form(body, &said(self.meta.shape, keys), keys))
    }

    /// Bytes of the [embedded form](Self::to_embedded).
    #[must_use]
    pub fn embedded_len(&self) -> u64 {
        self.size_in_bytes() + TRAILER as u64
    }
}

impl BloomFilter {
    /// Reads the [embedded form](Self::to_embedded) into a filter in memory: of a filter with this
    /// key hasher, as [`key_hasher`](crate::builders::BloomFilterBuilder::key_hasher) of the
    /// builder gives it. Everything is checked.
    ///
    /// What the form does not keep is worked out from the bits: the capacity is the number of keys
    /// that seem to be in it, however many it was planned for, and the promised rate is the rate
    /// that it has with them. More keys are let in, and
    /// [`is_over_capacity`](Self::is_over_capacity) says so
    /// ([`OverCapacity::Warn`](crate::OverCapacity::Warn)).
    ///
    /// # Errors
    /// [`Error::OtherKeys`] for a filter with another scheme, seed, secret, key domain or recipe;
    /// [`Error::Damaged`], [`Error::Parameter`] and [`Error::Unsupported`] for bytes that are no
    /// such form; [`Error::TooLarge`] where there is no memory for it.
    pub fn from_embedded(bytes: &[u8], keys: &KeyHasher) -> Result<Self> {
        let (shape, body) = read(bytes, keys)?;
        let mut lines = bits::zeroed(shape.lines())?;
        bits::fill_from_bytes(&mut lines, &bytes[body]);
        Self::of_bits(shape, keys, InMemory::new(lines))
    }
}

impl<B: StableBytes> BloomFilter<InBytes<B>> {
    /// [`from_embedded`](BloomFilter::from_embedded) without a copy: the filter is asked where it
    /// lies.
    ///
    /// # Errors
    /// As there, and [`Error::NotInPlace`] where the bytes do not lie at a multiple of 64 in
    /// memory, or the machine is big-endian.
    pub fn view_embedded(bytes: B, keys: &KeyHasher) -> Result<Self> {
        Self::view_embedded_at(bytes, .., keys)
    }

    /// [`view_embedded`](Self::view_embedded) inside larger bytes, such as a table file with many
    /// filters.
    ///
    /// # Errors
    /// As there; [`Error::Parameter`] where the bytes have no such place.
    pub fn view_embedded_at(bytes: B, place: impl RangeBounds<usize>, keys: &KeyHasher) -> Result<Self> {
        let place = place_in(bytes.bytes(), place)?;
        let (shape, body) = read(&bytes.bytes()[place.clone()], keys)?;
        let lines = InBytes::new(bytes, place.start + body.start..place.start + body.end)?;
        Self::of_bits(shape, keys, lines)
    }
}

#[cfg(test)]
mod tests;

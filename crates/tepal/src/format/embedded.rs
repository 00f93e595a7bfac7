//! The embedded form (FORMAT.md, section 4.8): the bits, and a trailer that detects wrong bytes and
//! keys. The 16 bytes of a Bloom filter are here; `ribbon` has the trailer of a ribbon.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use core::ops::{Range, RangeBounds};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::view::place_in;
use crate::bits::shape::Shape;
use crate::bits::{self, LINE_BITS, LINE_BYTES, Line};
use crate::error::{Error, Result, advice};
use crate::fields::Fields;
use crate::ids::{Kind, Layout, Operation};
use crate::key::KeyHasher;
use crate::key::options::KeyOptions;
use crate::kinds::bloom::{BloomFilter, shape_of};
use crate::kinds::storage::{InBytes, Owned, PlainStorage, StableBytes};

#[cfg(feature = "static")]
mod ribbon;

/// Bytes after the bits of a Bloom filter; other kinds have more before these.
const TRAILER: usize = 16;
/// Bytes of the trailer that the checksum covers.
const SAID: usize = 8;

/// The kind of an embedded filter, and its version, which is the first byte of the trailer.
#[derive(Clone, Copy)]
struct EmbeddedForm {
    version: u8,
    kind: Kind,
}

impl EmbeddedForm {
    const BLOOM: EmbeddedForm = EmbeddedForm { version: 0xE1, kind: Kind::Bloom };
    const RIBBON: EmbeddedForm = EmbeddedForm { version: 0xE2, kind: Kind::Ribbon };
    const MAP: EmbeddedForm = EmbeddedForm { version: 0xE3, kind: Kind::Map };

    /// The error for an embedded form of another kind, or of none.
    fn refusal(self, version: u8) -> Error {
        let found = [EmbeddedForm::BLOOM, EmbeddedForm::RIBBON, EmbeddedForm::MAP]
            .into_iter()
            .find(|form| form.version == version);
        let Some(found) = found else {
            let known = "225 (a Bloom filter), 226 (a static filter) and 227 (a map)";
            return Error::Unsupported { what: "version of the embedded form", found: version.into(), known };
        };
        let instead = advice!("read its embedded form as the type of its kind", FromEmbedded);
        Error::NotPossible { kind: found.kind, operation: Operation::BeAnother, instead }
    }
}

/// The key hasher of an embedded filter: the one that the caller gave, or the default one of every
/// builder, which is the owned one.
struct EmbeddedKeys<'k>(Cow<'k, KeyHasher>);

impl<'k> EmbeddedKeys<'k> {
    fn of(given: impl Into<Option<&'k KeyHasher>>) -> Result<Self> {
        Ok(EmbeddedKeys(match given.into() {
            Some(keys) => Cow::Borrowed(keys),
            None => Cow::Owned(KeyOptions::default().key_hasher()?),
        }))
    }
}

/// A hash of everything that decides which hash a key gets.
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

/// The bytes of the trailer before the checksum.
fn said(shape: Shape, keys: u64) -> [u8; SAID] {
    let unused = (shape.lines() * LINE_BITS - shape.bit_len) as u16;
    let [k0, k1] = (shape.num_hashes as u16).to_le_bytes();
    let [u0, u1] = unused.to_le_bytes();
    let [c0, c1, ..] = keys.to_le_bytes();
    [EmbeddedForm::BLOOM.version, shape.layout.id(), k0, k1, u0, u1, c0, c1]
}

/// The checksum of the bits and of the trailer's bytes before it.
fn checksum(body: &[u8], said: &[u8], keys: u64) -> u64 {
    xxh3_64_with_seed(said, xxh3_64_with_seed(body, keys))
}

/// Splits bytes in the embedded form into body and trailer, and checks the checksum. The trailer is
/// returned without the checksum. Its last eight bytes have the same places for every kind: the
/// version first, the check of the keys last. A ribbon has more before them.
fn read_form<'a>(
    form: EmbeddedForm,
    bytes: &'a [u8],
    keys: &EmbeddedKeys<'_>,
) -> Result<(&'a [u8], &'a [u8])> {
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
    let here = check_of_keys(&keys.0);
    let found = checksum(body, said, here);
    if found != expected && check != here as u16 {
        return Err(Error::OtherKeys {
            property: "key hasher (scheme, seed, secret, key domain, recipe)",
            found: "another one".into(),
            expected: match &keys.0 {
                Cow::Borrowed(keys) => format!("{keys:?}"),
                Cow::Owned(_) => "the default one, since none was given,".into(),
            },
        });
    }
    if found != expected {
        return Err(Error::damaged(format_args!(
            "the embedded filter has the checksum {found:016x}, and {expected:016x} was written"
        )));
    }
    // One filter has exactly one embedded form.
    if check != here as u16 {
        return Err(Error::damaged("the check of the keys is not that which the checksum is of"));
    }
    Ok((body, said))
}

/// Parses the embedded form of a Bloom filter: its shape, and the range of its bits.
fn read(bytes: &[u8], keys: &EmbeddedKeys<'_>) -> Result<(Shape, Range<usize>)> {
    let (body, said) = read_form(EmbeddedForm::BLOOM, bytes, keys)?;
    let mut fields = Fields::at(said, 1);
    let (layout, num_hashes, unused) = (fields.u8()?, fields.u16_le()?, fields.u16_le()?);
    let bit_len = (body.len() as u64 * 8).saturating_sub(unused.into());
    let shape = shape_of(keys.0.scheme(), Layout::from_id(layout)?, num_hashes.into(), bit_len)?;
    if shape.lines() * LINE_BYTES != body.len() as u64 {
        return Err(Error::damaged(format_args!("{bit_len} bits do not take {} bytes", body.len())));
    }
    Ok((shape, 0..body.len()))
}

/// Lines in the byte order of the form, with capacity for `len` bytes.
fn bytes_of_lines(lines: &[Line], len: u64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let room = usize::try_from(len).ok().and_then(|len| out.try_reserve_exact(len).ok());
    room.ok_or(Error::TooLarge { bytes: len })?;
    for chunk in super::chunks::chunks(lines) {
        out.extend_from_slice(&chunk);
    }
    Ok(out)
}

/// The embedded form of this body and trailer.
fn sealed_form(mut body: Vec<u8>, said: &[u8], keys: u64) -> Vec<u8> {
    let checksum = checksum(&body, said, keys);
    body.extend_from_slice(said);
    body.extend(checksum.to_le_bytes());
    body
}

impl<L: PlainStorage> BloomFilter<L> {
    /// The embedded form: the bits and 16 bytes. It is for stores with many filters that keep the
    /// common parts elsewhere, for example the tables of an LSM tree. The 16 bytes hold a checksum,
    /// the layout, the number of hashes and the size. They also hold a check of scheme, seed,
    /// secret, key domain and recipe, so that a wrong [`KeyHasher`] is refused.
    ///
    /// Not recorded: capacity, promised rate, the policy past the capacity, the count of keys,
    /// labels. A filter of 100 keys at 1 % takes 144 bytes; its [file](Self::to_bytes) takes 320.
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
    /// [`Error::TooLarge`] if memory is short; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are damaged.
    pub fn to_embedded(&self) -> Result<Vec<u8>> {
        self.check_before_copying()?;
        let keys = check_of_keys(&self.meta.keys);
        let body = bytes_of_lines(self.lines.as_lines(), self.embedded_len())?;
        Ok(sealed_form(body, &said(self.meta.shape, keys), keys))
    }

    /// The length of the [embedded form](Self::to_embedded) in bytes.
    #[must_use]
    pub fn embedded_len(&self) -> u64 {
        self.size_in_bytes() + TRAILER as u64
    }
}

impl BloomFilter {
    /// Reads the [embedded form](Self::to_embedded) into a filter in memory. `keys` is the key
    /// hasher of the filter, which [`key_hasher`](crate::builders::BloomFilterBuilder::key_hasher)
    /// of the builder returns; `None` is the default one. Everything is checked.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let table = BloomFilter::builder().build_from(["apple"])?.to_embedded()?;
    /// assert!(BloomFilter::from_embedded(&table, None)?.contains("apple"));
    ///
    /// // Another hash, seed or recipe is an error, and never a wrong answer.
    /// let seeded = BloomFilter::builder().seed(42).build_from(["apple"])?.to_embedded()?;
    /// assert!(BloomFilter::from_embedded(&seeded, None).is_err());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// The capacity and the rate are not recorded and are estimated from the bits. The capacity is
    /// the estimated number of keys in the filter, and the promised rate is the rate at that
    /// number. Further keys are inserted; [`is_over_capacity`](Self::is_over_capacity) then returns
    /// `true` ([`OverCapacity::Warn`](crate::OverCapacity::Warn)).
    ///
    /// # Errors
    /// [`Error::OtherKeys`] for a filter with another scheme, seed, secret, key domain or recipe;
    /// [`Error::Damaged`], [`Error::Parameter`] and [`Error::Unsupported`] for bytes that are not
    /// an embedded form; [`Error::TooLarge`] if memory is short.
    pub fn from_embedded<'k>(bytes: &[u8], keys: impl Into<Option<&'k KeyHasher>>) -> Result<Self> {
        let keys = EmbeddedKeys::of(keys)?;
        let (shape, body) = read(bytes, &keys)?;
        let mut lines = bits::zeroed(shape.lines())?;
        bits::fill_from_bytes(&mut lines, &bytes[body]);
        Self::of_bits(shape, &keys.0, Owned::new(lines))
    }
}

impl<B: StableBytes> BloomFilter<InBytes<B>> {
    /// Reads the [embedded form](BloomFilter::to_embedded) in place, without a copy. Otherwise like
    /// [`from_embedded`](BloomFilter::from_embedded).
    ///
    /// # Errors
    /// As [`from_embedded`](BloomFilter::from_embedded), and [`Error::NotInPlace`] if the bytes are
    /// not aligned to 64, or the machine is big-endian.
    pub fn view_embedded<'k>(bytes: B, keys: impl Into<Option<&'k KeyHasher>>) -> Result<Self> {
        Self::view_embedded_at(bytes, .., keys)
    }

    /// [`view_embedded`](Self::view_embedded) of a range of larger bytes, for example of a table
    /// file with many filters.
    ///
    /// # Errors
    /// As [`view_embedded`](Self::view_embedded); [`Error::Parameter`] if the range is out of
    /// bounds.
    pub fn view_embedded_at<'k>(
        bytes: B,
        place: impl RangeBounds<usize>,
        keys: impl Into<Option<&'k KeyHasher>>,
    ) -> Result<Self> {
        let keys = EmbeddedKeys::of(keys)?;
        let place = place_in(bytes.bytes(), place)?;
        let (shape, body) = read(&bytes.bytes()[place.clone()], &keys)?;
        let lines = InBytes::new(bytes, place.start + body.start..place.start + body.end)?;
        Self::of_bits(shape, &keys.0, lines)
    }
}

#[cfg(test)]
mod tests;

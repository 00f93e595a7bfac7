//! The embedded form (FORMAT.md, section 4.8): the bits, and 16 bytes that refuse what they are not.

use alloc::format;
use alloc::vec::Vec;
use core::ops::{Range, RangeBounds};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::view::place_in;
use crate::bits::shape::Shape;
use crate::bits::{self, LINE_BITS, LINE_BYTES};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::ids::Layout;
use crate::key::KeyHasher;
use crate::kinds::bloom::{BloomFilter, shape_of};
use crate::kinds::storage::{InBytes, InMemory, PlainStorage, StableBytes};

/// Bytes behind the bits.
const TRAILER: usize = 16;
/// Bytes of it that the checksum covers.
const SAID: usize = 8;
/// The first byte of it: the version of the form.
const VERSION: u8 = 0xE1;

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
    [VERSION, shape.layout.id(), k0, k1, u0, u1, c0, c1]
}

/// The checksum of the bits and the bytes behind them.
fn checksum(body: &[u8], said: &[u8], keys: u64) -> u64 {
    xxh3_64_with_seed(said, xxh3_64_with_seed(body, keys))
}

/// What bytes in the embedded form say, once it is known to be right: the filter's shape, and where its bits are.
fn read(bytes: &[u8], keys: &KeyHasher) -> Result<(Shape, Range<usize>)> {
    let body_len =
        bytes.len().checked_sub(TRAILER).filter(|len| *len > 0 && *len as u64 % LINE_BYTES == 0).ok_or_else(
            || {
                Error::damaged(format_args!(
                    "{} bytes are no embedded filter: 16 more than a multiple of 64",
                    bytes.len()
                ))
            },
        )?;
    let (body, trailer) = bytes.split_at(body_len);
    let mut fields = Fields::at(trailer, 0);
    let version = fields.u8()?;
    if version != VERSION {
        let (what, known) = ("version of the embedded form", "225 (version 1)");
        return Err(Error::Unsupported { what, found: version.into(), known });
    }
    let (layout, num_hashes) = (fields.u8()?, fields.u16_le()?);
    let (unused, check) = (fields.u16_le()?, fields.u16_le()?);
    let expected = fields.u64_le()?;
    let here = check_of_keys(keys);
    let found = checksum(body, &trailer[..SAID], here);
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
    let bit_len = (body_len as u64 * 8).saturating_sub(unused.into());
    let shape = shape_of(keys.scheme(), Layout::from_id(layout)?, num_hashes.into(), bit_len)?;
    if shape.lines() * LINE_BYTES != body_len as u64 {
        return Err(Error::damaged(format_args!("{bit_len} bits do not take {body_len} bytes")));
    }
    Ok((shape, 0..body_len))
}

impl<L: PlainStorage> BloomFilter<L> {
    /// The embedded form, for stores that keep many filters and what they have in common elsewhere, such as the tables of an
    /// LSM tree: the bits, and 16 bytes. In those are a checksum, the layout, the number of hashes and the size, and a check
    /// of scheme, seed, secret, key domain and recipe, so that no other [`KeyHasher`] is taken for this filter's.
    ///
    /// Not kept: capacity, promised rate, what happens past capacity, keys inserted, labels. A filter of 100 keys at 1 % has
    /// 144 bytes; its [file](Self::to_bytes) has 320.
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
    /// [`Error::TooLarge`] where there is no memory for it; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn to_embedded(&self) -> Result<Vec<u8>> {
        self.check_before_copying()?;
        let len = usize::try_from(self.embedded_len());
        let mut out = Vec::new();
        len.ok()
            .and_then(|len| out.try_reserve_exact(len).ok())
            .ok_or(Error::TooLarge { bytes: self.embedded_len() })?;
        for chunk in super::chunks(self.lines.as_lines()) {
            out.extend_from_slice(&chunk);
        }
        let keys = check_of_keys(&self.meta.keys);
        let said = said(self.meta.shape, keys);
        let checksum = checksum(&out, &said, keys);
        out.extend(said);
        out.extend(checksum.to_le_bytes());
        Ok(out)
    }

    /// Bytes of the [embedded form](Self::to_embedded).
    #[must_use]
    pub fn embedded_len(&self) -> u64 {
        self.size_in_bytes() + TRAILER as u64
    }
}

impl BloomFilter {
    /// Reads the [embedded form](Self::to_embedded) into a filter in memory: of a filter with this key hasher, as
    /// [`key_hasher`](crate::BloomFilterBuilder::key_hasher) of the builder gives it. Everything is checked.
    ///
    /// What the form does not keep is worked out from the bits: the capacity is the number of keys that seem to be in it,
    /// however many it was planned for, and the promised rate is the rate that it has with them. More keys are let in, and
    /// [`is_over_capacity`](Self::is_over_capacity) says so ([`OverCapacity::Warn`](crate::OverCapacity::Warn)).
    ///
    /// # Errors
    /// [`Error::OtherKeys`] for a filter with another scheme, seed, secret, key domain or recipe; [`Error::Damaged`],
    /// [`Error::Parameter`] and [`Error::Unsupported`] for bytes that are no such form; [`Error::TooLarge`] where there is
    /// no memory for it.
    pub fn from_embedded(bytes: &[u8], keys: &KeyHasher) -> Result<Self> {
        let (shape, body) = read(bytes, keys)?;
        let mut lines = bits::zeroed(shape.lines())?;
        bits::fill_from_bytes(&mut lines, &bytes[body]);
        Self::of_bits(shape, keys, InMemory::new(lines))
    }
}

impl<B: StableBytes> BloomFilter<InBytes<B>> {
    /// [`from_embedded`](BloomFilter::from_embedded) without a copy: the filter is asked where it lies.
    ///
    /// # Errors
    /// As there, and [`Error::NotInPlace`] where the bytes do not lie at a multiple of 64 in memory, or the machine is
    /// big-endian.
    pub fn view_embedded(bytes: B, keys: &KeyHasher) -> Result<Self> {
        Self::view_embedded_at(bytes, .., keys)
    }

    /// [`view_embedded`](Self::view_embedded) inside larger bytes, such as a table file with many filters.
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

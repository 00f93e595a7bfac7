//! The header: everything of a file that is not the body (FORMAT.md, sections 3 and 4).

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use super::fields::Fields;
use super::open::Open;
use super::seal::SEAL_BYTES;
use crate::bits::LINE_BYTES;
use crate::error::{Error, Result};
use crate::filters::bloom::{Labels, Meta, OverCapacity, check_label};
use crate::hash::{Hasher, KeyDomain, Recipe, Scheme};
use crate::params::check_rate;
use crate::probe::{Layout, Rules, Shape};
use crate::schemes::{Md5Split, Own};

pub(super) const MAGIC: [u8; 8] = *b"\x89TEPAL\r\n";
const VERSION: u16 = 1;
const KIND_BLOOM: u16 = 1;
const FIXED_BYTES: u64 = 128;
/// Bytes of the body under one checksum.
pub(super) const CHUNK_BYTES: u64 = 65_536;
pub(crate) const MOST_RECORDS: u64 = 65_536;
/// Record tags from here on may be ignored.
const IGNORABLE: u16 = 0x8000;
/// The record that holds the 32-byte seed of a scheme.
const SEED_TAG: u16 = 5;
/// Required flag 0: the file ends with a seal.
const SEALED: u32 = 1;
const UNKNOWN_COUNT: u64 = u64::MAX;
const SELF_TEST_KEYS: [&[u8; 17]; 4] =
    [b"tepal self-test 0", b"tepal self-test 1", b"tepal self-test 2", b"tepal self-test 3"];

/// Where the body starts, for a body and records of these lengths.
pub(crate) fn body_offset(body_len: u64, records_len: u64) -> u64 {
    let table = body_len.div_ceil(CHUNK_BYTES) * 8;
    (FIXED_BYTES + records_len + table + 8).next_multiple_of(LINE_BYTES)
}

/// Tag and text of every record that a filter's file has, in order.
fn records<'a>(labels: &'a Labels, hasher: &Hasher) -> impl Iterator<Item = (u16, Cow<'a, str>)> {
    let seed = match hasher.own() {
        Some(Own::ValkeyBloom { seed }) => {
            Some(seed.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        _ => None,
    };
    let labels = labels.tagged().map(|(tag, text)| (tag, Cow::Borrowed(text)));
    labels.chain(seed.map(|seed| (SEED_TAG, Cow::Owned(seed))))
}

/// Bytes of the records of a filter with these labels.
pub(crate) fn records_len(labels: &Labels, hasher: &Hasher) -> u64 {
    records(labels, hasher).map(|(_, text)| 8 + (text.len() as u64).next_multiple_of(8)).sum()
}

/// The bytes before the body.
pub(super) fn encode(
    meta: &Meta,
    rules: &Rules,
    set_bits: u64,
    chunk_table: &[u64],
    sealed: bool,
) -> Vec<u8> {
    let shape = meta.shape;
    let body_len = shape.lines() * LINE_BYTES;
    let records_len = records_len(&meta.labels, &meta.hasher);
    let body_offset = body_offset(body_len, records_len);

    let mut out = Vec::with_capacity(body_offset as usize);
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(KIND_BLOOM.to_le_bytes());
    out.extend((body_offset as u32).to_le_bytes());
    out.extend((body_offset + body_len + if sealed { SEAL_BYTES } else { 0 }).to_le_bytes());
    out.extend(if sealed { SEALED } else { 0 }.to_le_bytes());
    out.extend([0; 4]); // optional flags
    out.extend([shape.layout.id(), meta.hasher.scheme().id(), meta.domain.id(), meta.over_capacity.id()]);
    out.extend(shape.num_hashes.to_le_bytes());
    out.extend(shape.bit_len.to_le_bytes());
    out.extend(meta.capacity.to_le_bytes());
    out.extend(meta.promised_rate.to_bits().to_le_bytes());
    out.extend(meta.hasher.seed_or_check().to_le_bytes());
    out.extend(meta.inserted.unwrap_or(UNKNOWN_COUNT).to_le_bytes());
    out.extend(set_bits.to_le_bytes());
    self_test(&meta.hasher, rules, shape).iter().for_each(|sum| out.extend(sum.to_le_bytes()));
    out.extend((records_len as u32).to_le_bytes());
    out.extend(meta.recipe.to_flags().to_le_bytes());
    for (tag, text) in records(&meta.labels, &meta.hasher) {
        out.extend(tag.to_le_bytes());
        out.extend([0; 2]);
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.as_bytes());
        out.resize(out.len().next_multiple_of(8), 0);
    }
    chunk_table.iter().for_each(|sum| out.extend(sum.to_le_bytes()));
    out.resize(body_offset as usize - 8, 0);
    let checksum = xxh3_64(&out);
    out.extend(checksum.to_le_bytes());
    out
}

/// For each self-test key the sum of its bit positions.
fn self_test(hasher: &Hasher, rules: &Rules, shape: Shape) -> [u64; 4] {
    SELF_TEST_KEYS.map(|key| {
        let mut sum = 0u64;
        let mut add = |position| {
            sum = sum.wrapping_add(position);
            true
        };
        match hasher.own() {
            Some(own) => own.all(key, shape.num_hashes, shape.bit_len, add),
            // A scheme without a rule of its own has a hash.
            None => hasher.hash(key).is_ok_and(|hash| rules.positions(shape, hash).into_iter().all(&mut add)),
        };
        sum
    })
}

/// The lengths that a file claims, compared with the bytes that are there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    pub(super) body_offset: u64,
    file_len: u64,
}

impl Lengths {
    /// Steps 1 and 2 of FORMAT.md, section 4.6: `start` holds the first bytes of a file of `real_len`.
    pub(super) fn read(start: &[u8], real_len: u64) -> Result<Self> {
        if !start.starts_with(&MAGIC) {
            return Err(Error::NotTepal { found: super::looks_like(start) });
        }
        let mut fields = Fields::at(start, MAGIC.len());
        let truncated = |_| Error::damaged(format_args!("it ends after {real_len} bytes, within the header"));
        let version = fields.u16_le().map_err(truncated)?;
        known("file format version", version.into(), VERSION.into(), "version 1")?;
        let kind = fields.u16_le().map_err(truncated)?;
        known("filter kind", kind.into(), KIND_BLOOM.into(), "kind 1 (Bloom filter)")?;
        let body_offset = u64::from(fields.u32_le().map_err(truncated)?);
        let file_len = fields.u64_le().map_err(truncated)?;
        if file_len != real_len {
            return Err(Error::damaged(format_args!("it has {real_len} bytes, and {file_len} were written")));
        }
        let least = super::header::body_offset(1, 0);
        if body_offset % LINE_BYTES != 0 || body_offset < least || body_offset > file_len.min(1 << 31) {
            return Err(Error::damaged(format_args!("the body cannot start at byte {body_offset}")));
        }
        Ok(Lengths { body_offset, file_len })
    }

    /// Where the body must end.
    fn body_end(&self, sealed: bool) -> Option<u64> {
        self.file_len.checked_sub(if sealed { SEAL_BYTES } else { 0 })
    }
}

/// Whether a file with these required flags is sealed. One that this build could not check is refused.
fn sealed(required_flags: u32) -> Result<bool> {
    let (known, words) = match cfg!(feature = "seal") {
        true => (SEALED, "bit 0 (sealed)"),
        false => (0, "none without its feature `seal`"),
    };
    if required_flags & !known != 0 {
        let found = required_flags.into();
        return Err(Error::Unsupported { what: "the set of required feature flags", found, known: words });
    }
    Ok(required_flags & SEALED != 0)
}

/// A header that has passed every check that needs no body.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) lengths: Lengths,
    pub(super) meta: Meta,
    pub(super) set_bits: u64,
    pub(super) chunk_table: Vec<u64>,
    sealed: bool,
}

impl Header {
    /// Bytes of the seal after the body, which the file has been found long enough for.
    pub(super) fn seal_len(&self) -> usize {
        if self.sealed { SEAL_BYTES as usize } else { 0 }
    }

    /// Steps 3 to 6 of FORMAT.md, section 4.6. `head` is everything before the body.
    pub(super) fn decode(lengths: Lengths, head: &[u8], open: &Open<'_>) -> Result<Self> {
        let (protected, checksum) = head.split_at(head.len() - 8);
        let found = xxh3_64(protected);
        let expected = Fields::at(checksum, 0).u64_le()?;
        if found != expected {
            return Err(Error::damaged(format_args!(
                "the header has the checksum {found:016x}, and {expected:016x} was written"
            )));
        }

        let mut fields = Fields::at(protected, 24);
        let sealed = sealed(fields.u32_le()?)?;
        let _optional_flags = fields.u32_le()?;
        let layout = Layout::from_id(fields.u8()?)?;
        let scheme = Scheme::from_id(fields.u8()?)?;
        let domain = KeyDomain::from_id(fields.u8()?)?;
        let over_capacity = OverCapacity::from_id(fields.u8()?)?;
        let num_hashes = fields.u32_le()?;
        let bit_len = fields.u64_le()?;
        let shape = match Own::of(scheme) {
            None => Shape::new(layout, num_hashes, bit_len)?,
            Some(_) if layout == Layout::Scattered => Shape::of_scheme(scheme, num_hashes, bit_len)?,
            Some(_) => {
                let expected = format!("`scattered` with the scheme `{scheme}`");
                return Err(Error::parameter("the layout", layout, expected));
            }
        };
        let capacity = fields.u64_le()?;
        let promised_rate = f64::from_bits(fields.u64_le()?);
        let seed_or_check = fields.u64_le()?;
        let inserted = Some(fields.u64_le()?).filter(|keys| *keys != UNKNOWN_COUNT);
        let set_bits = fields.u64_le()?;
        let self_test_sums = [fields.u64_le()?, fields.u64_le()?, fields.u64_le()?, fields.u64_le()?];
        let records_len = u64::from(fields.u32_le()?);
        let recipe = Recipe::from_flags(fields.u32_le()?)?;

        if capacity == 0 {
            return Err(Error::parameter("the capacity", 0, "1 key or more"));
        }
        check_rate(promised_rate)?;
        if set_bits > shape.bit_len {
            return Err(Error::parameter("the number of set bits", set_bits, shape.bit_len));
        }
        if records_len > MOST_RECORDS || records_len % 8 != 0 {
            return Err(Error::damaged(format_args!("records of {records_len} bytes")));
        }
        let body_len = shape
            .lines()
            .checked_mul(LINE_BYTES)
            .filter(|len| lengths.body_offset.checked_add(*len) == lengths.body_end(sealed))
            .filter(|len| body_offset(*len, records_len) == lengths.body_offset)
            .ok_or_else(|| {
                Error::damaged(format_args!("a body of {} bits does not fit the file", shape.bit_len))
            })?;
        let (labels, scheme_seed) = decode_records(fields.take(records_len as usize)?)?;
        if scheme_seed.is_some() != (scheme == Scheme::ValkeyBloom) {
            return Err(Error::damaged(format_args!("a seed record does not fit the scheme {scheme}")));
        }
        let table = fields.take_claimed(body_len.div_ceil(CHUNK_BYTES) * 8)?;
        let mut chunk_table = Vec::new();
        let too_large = |_| Error::TooLarge { bytes: table.len() as u64 };
        chunk_table.try_reserve_exact(table.len() / 8).map_err(too_large)?;
        chunk_table
            .extend(table.chunks_exact(8).map(|sum| u64::from_le_bytes(core::array::from_fn(|i| sum[i]))));
        if fields.rest().iter().any(|byte| *byte != 0) {
            return Err(Error::damaged("the padding before the body is not zero"));
        }

        let hasher = match (scheme, open.secret) {
            (Scheme::SipHash13, None) => return Err(Error::KeyRequired),
            (Scheme::SipHash13, Some(key)) => Hasher::SipHash13 { key: key.clone() },
            (_, Some(_)) => return Err(Error::KeyNotUsed),
            (Scheme::Xxh3, None) => Hasher::Xxh3 { seed: seed_or_check },
            (Scheme::Xxh64, None) => Hasher::Xxh64,
            (scheme, None) => own_hasher(scheme, seed_or_check, scheme_seed)?,
        };
        if hasher.seed_or_check() != seed_or_check {
            return Err(match scheme {
                Scheme::SipHash13 => Error::WrongKey,
                _ => Error::damaged(format_args!("the scheme {scheme} has no parameter {seed_or_check}")),
            });
        }
        match (sealed, open.seal) {
            (true, None) => return Err(Error::SealRequired),
            (false, Some(_)) => return Err(Error::NotSealed),
            _ => {}
        }
        let sums = self_test(&hasher, &Rules::new(shape), shape);
        if sums != self_test_sums {
            return Err(Error::damaged(format_args!(
                "this build's hash and layout do not give the positions that the writer's gave \
                 ({sums:?} here, {self_test_sums:?} there)"
            )));
        }
        let meta =
            Meta { shape, hasher, domain, over_capacity, capacity, promised_rate, inserted, recipe, labels };
        Ok(Header { lengths, meta, set_bits, chunk_table, sealed })
    }
}

/// The scheme of an article or another program, with the parameters that the header keeps.
fn own_hasher(scheme: Scheme, parameters: u64, seed: Option<[u8; 32]>) -> Result<Hasher> {
    let own = match (scheme, seed) {
        (Scheme::Md5Split, _) => Md5Split::from_flags(parameters).map(Own::Md5Split),
        (Scheme::SparkV2, _) => Some(Own::SparkV2 { seed: parameters as u32 as i32 }),
        (Scheme::ValkeyBloom, Some(seed)) => Some(Own::ValkeyBloom { seed }),
        _ => Own::of(scheme),
    };
    own.map(Hasher::Own)
        .ok_or_else(|| Error::damaged(format_args!("the scheme {scheme} has no parameter {parameters}")))
}

/// The labels, and the seed of a scheme that needs 32 bytes of it.
fn decode_records(records: &[u8]) -> Result<(Labels, Option<[u8; 32]>)> {
    let (mut labels, mut seed) = (Labels::default(), None);
    let mut fields = Fields::at(records, 0);
    let mut last = 0;
    while !fields.rest().is_empty() {
        let (tag, zero) = (fields.u16_le()?, fields.u16_le()?);
        let len = fields.u32_le()? as usize;
        let text = fields.take(len)?;
        let padding = fields.take(len.next_multiple_of(8) - len)?;
        if tag <= last || zero != 0 || padding.iter().any(|byte| *byte != 0) {
            return Err(Error::damaged(format_args!("the record with tag {tag} is out of order")));
        }
        last = tag;
        let text = core::str::from_utf8(text)
            .map_err(|_| Error::damaged(format_args!("the record with tag {tag} is not UTF-8")))?;
        check_label(text)?;
        if tag == SEED_TAG {
            let digits = seed_from_hex(text);
            seed = Some(digits.ok_or_else(|| Error::damaged("the seed record is not 64 hex digits"))?);
        } else if !labels.set(tag, text.to_string()) && tag < IGNORABLE {
            return Err(Error::Unsupported {
                what: "record tag",
                found: tag.into(),
                known: "1 (name), 2 (source), 3 (date), 4 (field) and 5 (seed of the scheme)",
            });
        }
    }
    Ok((labels, seed))
}

/// 32 bytes from 64 hex digits, small letters.
fn seed_from_hex(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut seed = [0; 32];
    for (byte, pair) in seed.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    (digits.len() == 64).then_some(seed)
}

fn known(what: &'static str, found: u64, expected: u64, known: &'static str) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Unsupported { what, found, known }) }
}

#[cfg(test)]
mod tests;

//! The parts of the two files of a patch, and the properties that they must share (FORMAT.md,
//! section 6.1).

use alloc::string::{String, ToString};

use crate::bits::LINE_BYTES;
use crate::error::{Error, Result};
use crate::fields::Fields;
#[cfg(feature = "static")]
use crate::format::behind;
use crate::format::envelope::{self, CHUNK_BYTES, FIXED_BYTES, Lengths, MAGIC, MOST_RECORDS, checksum};
use crate::format::records;
#[cfg(feature = "static")]
use crate::format::seal::SEAL_BYTES;
use crate::ids::{KeyDomain, Kind, Layout, Scheme};
#[cfg(feature = "static")]
use crate::kinds::{AnyFilter, FromFile, Trailer};

/// The first bytes of a patch.
pub(super) const MARK: [u8; 8] = *b"\x89PATCH\r\n";
/// The bytes of both files are one string of bits.
pub(super) const PLAIN: u8 = 1;
/// Both are tepal files of one Bloom filter. Fields that follow from the bits are not in the patch.
pub(super) const TEPAL: u8 = 2;
/// Both are ribbons, and at least one has added keys. The patch contains the difference of the
/// lists.
pub(super) const ADDED: u8 = 3;

/// A file in parts.
pub(super) struct Parts<'a> {
    kind: Kind,
    /// The fixed header, the records, and the section after these.
    pub(super) head: &'a [u8],
    records: &'a [u8],
    pub(super) body: &'a [u8],
    /// For a ribbon: the hashes of the added keys.
    pub(super) added: &'a [u8],
    /// The bytes after the body, or after the added keys and their checksum.
    pub(super) tail: &'a [u8],
}

/// The form of the patch between two files, and their parts.
pub(super) fn of_both<'a>(old: &'a [u8], new: &'a [u8]) -> Result<(u8, Parts<'a>, Parts<'a>)> {
    let form = match (Parts::of(old)?, Parts::of(new)?) {
        (Some(from), Some(to)) if from.kind != to.kind => {
            return Err(incompatible("kind", from.kind.common_name(), to.kind.common_name()));
        }
        (Some(from), Some(to)) if from.kind == Kind::Bloom => Some((TEPAL, from, to)),
        (Some(from), Some(to)) if !from.added.is_empty() || !to.added.is_empty() => Some((ADDED, from, to)),
        _ if old.starts_with(&MAGIC) != new.starts_with(&MAGIC) => {
            return Err(incompatible("file format", name(old), name(new)));
        }
        _ if old.len() != new.len() => return Err(incompatible("length", old.len(), new.len())),
        _ => None,
    };
    let Some((form, from, to)) = form else { return Ok((PLAIN, Parts::bytes(old), Parts::bytes(new))) };
    check_shapes(&from, &to)?;
    Ok((form, from, to))
}

impl<'a> Parts<'a> {
    /// The parts of another program's file, or of a kind that is compared as bytes.
    fn bytes(file: &'a [u8]) -> Self {
        Parts { kind: Kind::Bloom, head: &[], records: &[], body: file, added: &[], tail: &[] }
    }

    /// `None` for another program's file, or for a kind without parts here. Checks everything that
    /// needs no key.
    fn of(file: &'a [u8]) -> Result<Option<Self>> {
        if !file.starts_with(&MAGIC) {
            return Ok(None);
        }
        let lengths = Lengths::read(file, file.len() as u64)?;
        let has_pieces = match lengths.kind {
            Kind::Bloom => true,
            kind => cfg!(feature = "static") && kind == Kind::Ribbon,
        };
        if !has_pieces {
            return Ok(None);
        }
        let (before, rest) = file.split_at(lengths.body_offset as usize);
        let (protected, written) = before.split_at(before.len() - 8);
        if checksum(protected).to_le_bytes() != *written {
            return Err(Error::damaged("the checksum of the header is not that of its bytes"));
        }
        let mut behind_own = Fields::at(protected, 120);
        let records_len = u64::from(behind_own.u32_le()?);
        let _recipe = behind_own.u32_le()?;
        let records = behind_own.take_claimed(records_len)?;
        let (section, body_len) = lengths_of(lengths.kind, protected, behind_own.rest())?;
        let fits = |len: &u64| {
            *len <= rest.len() as u64
                && records_len <= MOST_RECORDS
                && envelope::body_offset(*len, records_len + section) == lengths.body_offset
        };
        let Some(body_len) = body_len.filter(fits) else {
            return Err(Error::damaged("the body that its header tells of does not fit the file"));
        };
        let (body, behind) = rest.split_at(body_len as usize);
        let head = &before[..(FIXED_BYTES + records_len + section) as usize];
        let table = &before[head.len()..];
        for (chunk, written) in body.chunks(CHUNK_BYTES as usize).zip(table.chunks(8)) {
            if checksum(chunk).to_le_bytes() != *written {
                return Err(Error::damaged("a chunk of the body has not the checksum that was written"));
            }
        }
        let (added, tail) = match lengths.kind {
            #[cfg(feature = "static")]
            Kind::Ribbon => added_keys(before, behind)?,
            _ => (&[][..], behind),
        };
        Ok(Some(Parts { kind: lengths.kind, head, records, body, added, tail }))
    }
}

/// The length of the section after the records, and the length of the body if that is possible.
fn lengths_of(kind: Kind, head: &[u8], behind_records: &[u8]) -> Result<(u64, Option<u64>)> {
    #[cfg(feature = "static")]
    if kind == Kind::Ribbon {
        let own = Fields::at(head, 32).array()?;
        let section = (AnyFilter::entry(kind)?.section)(&own)?;
        let section = Fields::at(behind_records, 0).take_claimed(section)?;
        let lines = crate::kinds::ribbon::lines_of(&own, section)?;
        return Ok((section.len() as u64, lines.checked_mul(LINE_BYTES)));
    }
    let (_, _) = (kind, behind_records);
    let bit_len = Fields::at(head, 40).u64_le()?;
    Ok((0, bit_len.div_ceil(8).checked_next_multiple_of(LINE_BYTES)))
}

/// The hashes after the body of a ribbon, and the seal after them.
#[cfg(feature = "static")]
fn added_keys<'a>(before: &[u8], behind: &'a [u8]) -> Result<(&'a [u8], &'a [u8])> {
    let flags = Fields::at(before, 24).u32_le()?;
    let seal = if flags & envelope::SEALED == 0 { 0 } else { SEAL_BYTES as usize };
    let (added, seal) = behind
        .len()
        .checked_sub(seal)
        .filter(|len| (*len > 0) == (flags & envelope::ADDED != 0))
        .map(|len| behind.split_at(len))
        .ok_or_else(|| {
            let len = behind.len();
            Error::damaged(format_args!(
                "{len} bytes behind the body of a static filter, which are not what its flags say is there"
            ))
        })?;
    if added.is_empty() {
        return Ok((added, seal));
    }
    behind::decode(added, Trailer::Added, false, before)?;
    Ok((&added[..added.len() - 8], seal))
}

/// Refuses two filters if their bits or keys have different meanings.
fn check_shapes(old: &Parts<'_>, new: &Parts<'_>) -> Result<()> {
    let (from, to) = (old.head, new.head);
    let is_bloom = old.kind == Kind::Bloom;
    // A ribbon has no layout, so its scheme and key domain are one byte earlier.
    let of_kind = if is_bloom { 32 } else { 31 };
    let byte = |head: &[u8], at: usize| u64::from(head[at]);
    let long = |head: &[u8], at| Fields::at(head, at).u64_le().unwrap_or_default();
    for (property, at, named) in [
        ("layout", 0, (|id| Layout::from_id(id).map(Layout::name)) as fn(u64) -> Result<&'static str>),
        ("scheme", 1, |id| Scheme::from_id(id).map(Scheme::name)),
        ("key domain", 2, |id| KeyDomain::from_id(id).map(KeyDomain::name)),
    ] {
        let at = of_kind + at;
        if at >= 32 && from[at] != to[at] {
            return Err(incompatible(property, named(byte(from, at))?, named(byte(to, at))?));
        }
    }
    let int = |head: &[u8], at| u64::from(Fields::at(head, at).u32_le().unwrap_or_default());
    let of_bits = |number: u64| if is_bloom { number } else { 0 };
    for (property, old, new) in [
        ("number of hashes", of_bits(int(from, 36)), of_bits(int(to, 36))),
        ("number of bits", of_bits(long(from, 40)), of_bits(long(to, 40))),
        ("seed, key or parameter", long(from, 64), long(to, 64)),
        ("recipe", int(from, 124), int(to, 124)),
        // For Bloom filters this length follows from the number of bits.
        ("length without added keys", old.body.len() as u64, new.body.len() as u64),
    ] {
        if old != new {
            return Err(incompatible(property, old, new));
        }
    }
    let of_scheme = |parts: &Parts<'_>| records::decode(parts.records).map(|records| records.1);
    match (of_scheme(old)?, of_scheme(new)?) {
        (old, new) if old == new => Ok(()),
        (old, new) => {
            let text = |record: Option<(u16, String)>| record.map_or_else(Default::default, |r| r.1);
            Err(incompatible("seed or name of the hash", text(old), text(new)))
        }
    }
}

fn incompatible(property: &'static str, expected: impl ToString, found: impl ToString) -> Error {
    Error::Incompatible { property, expected: expected.to_string(), found: found.to_string() }
}

/// A description of the bytes for an error.
pub(super) fn name(bytes: &[u8]) -> &'static str {
    match bytes {
        _ if bytes.starts_with(&MAGIC) => "a tepal file",
        _ if bytes.starts_with(&MARK) => "a patch",
        [] => "no bytes",
        _ => "other bytes",
    }
}

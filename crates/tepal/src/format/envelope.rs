//! The envelope of a tepal file, common to all kinds of filters: the common part of the header, the
//! records, the chunk table, the lengths (FORMAT.md, sections 3 and 4).

use alloc::string::String;
use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(super) use super::chunks::CHUNK_BYTES;
use super::records;
use super::seal::{SEAL_BYTES, SealKey};
use crate::bits::LINE_BYTES;
use crate::bits::memory;
use crate::error::{Error, Looks, Result};
use crate::fields::Fields;
use crate::ids::Kind;
use crate::key::{Recipe, SecretKey};
use crate::kinds::{AwaitsBody, FilePart, FromFile, KindEntry, OWN_BYTES, Trailer, unknown_kind};
use crate::params::Plan;

pub(super) const MAGIC: [u8; 8] = *b"\x89TEPAL\r\n";
/// The version of the format that this build writes; there is no other version.
pub(crate) const VERSION: u16 = 1;
/// Bytes from the beginning of a file to the end of the field for its length.
#[cfg(feature = "std")]
pub(super) const START: usize = 24;
pub(super) const FIXED_BYTES: u64 = 128;
pub(super) const MOST_RECORDS: u64 = 65_536;
/// Required flag 0: the file ends with a seal.
pub(super) const SEALED: u32 = 1;
/// Required flag 1: exceptions follow the body.
const EXCEPTED: u32 = 2;
/// Required flag 2: the exceptions are a divider.
const DIVIDED: u32 = 4;
/// Required flag 3: keys that were added beside a ribbon follow the body.
pub(super) const ADDED: u32 = 8;

/// XXH3-64 with seed 0. It uses the function that also hashes keys, so that a program contains only
/// one.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, 0)
}

/// A description of bytes that are not a tepal file, for the error.
pub(super) fn looks_like(bytes: &[u8]) -> Looks {
    let first = &bytes[..bytes.len().min(8)];
    let is_text = |b: &u8| matches!(b, b'\t'..=b'\r' | b' '..=b'~') || *b >= 0x80;
    // Tests more bytes than the error shows: the first bytes of a filter may be letters by chance.
    let start = &bytes[..bytes.len().min(256)];
    let is_utf8 = core::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    match first {
        [] => Looks::Empty,
        [0x1F, 0x8B, ..] => Looks::Packed("gzip"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Looks::Packed("zstd"),
        [b'P', b'K', 3 | 5, ..] => Looks::Packed("zip"),
        [0x89, b'T', b'E', b'P', b'A', b'L', ..] => Looks::TextMode,
        _ if MAGIC.starts_with(first) => Looks::Cut,
        _ if is_utf8 && start.iter().all(is_text) => Looks::Text(String::from_utf8_lossy(first).into_owned()),
        _ => Looks::Other(first.into()),
    }
}

/// The offset of the body. `body_len` is its length; `records_len` is the length of everything
/// between header and chunk table: records, parts of links, sections.
pub(super) fn body_offset(body_len: u64, records_len: u64) -> u64 {
    let table = body_len.div_ceil(CHUNK_BYTES) * 8;
    (FIXED_BYTES + records_len + table + 8).next_multiple_of(LINE_BYTES)
}

impl Plan {
    /// The length of the file in bytes, without labels.
    #[must_use]
    pub fn file_len(&self) -> u64 {
        body_offset(self.size_in_bytes(), 0) + self.size_in_bytes()
    }
}

/// The length of a filter's file in bytes, without a seal.
pub(super) fn file_len(part: &FilePart<'_>) -> u64 {
    let body_len = part.body_len();
    body_offset(body_len, records::len(part) + behind_records(part)) + body_len + behind_body(part)
}

/// Bytes between the records and the chunk table.
fn behind_records(part: &FilePart<'_>) -> u64 {
    let links = links_len(part.links.len());
    links + part.section.len() as u64
}

/// Bytes of the parts of `links` links.
fn links_len(links: usize) -> u64 {
    (links * OWN_BYTES) as u64
}

/// Bytes between the body and the seal: exceptions or added keys.
fn behind_body(part: &FilePart<'_>) -> u64 {
    super::behind::len(part)
}

/// Encodes everything before the body.
pub(super) fn encode(kind: Kind, part: &FilePart<'_>, chunk_table: &[u64], sealed: bool) -> Result<Vec<u8>> {
    let body_len = part.body_len();
    let records_len = records::len(part);
    let body_offset = body_offset(body_len, records_len + behind_records(part));

    let mut out = memory::room(body_offset as usize)?;
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(kind.id().to_le_bytes());
    out.extend((body_offset as u32).to_le_bytes());
    let (behind, seal_len) = (behind_body(part), if sealed { SEAL_BYTES } else { 0 });
    out.extend((body_offset + body_len + behind + seal_len).to_le_bytes());
    let of_behind = match (behind, part.added) {
        (0, _) => 0,
        (_, []) => EXCEPTED,
        _ => ADDED,
    };
    let flags = if sealed { SEALED } else { 0 } | of_behind;
    #[cfg(feature = "extras")]
    let flags = flags | if part.divider.is_some() { DIVIDED } else { 0 };
    out.extend(flags.to_le_bytes());
    out.extend([0; 4]); // optional flags
    out.extend(part.own);
    out.extend((records_len as u32).to_le_bytes());
    out.extend(part.recipe.to_flags().to_le_bytes());
    records::encode(part, &mut out);
    out.extend(part.links.as_flattened());
    out.extend(&part.section);
    chunk_table.iter().for_each(|sum| out.extend(sum.to_le_bytes()));
    out.resize(body_offset as usize - 8, 0);
    let sum = checksum(&out);
    out.extend(sum.to_le_bytes());
    Ok(out)
}

/// The lengths in a file's header, already compared with the real length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    pub(super) kind: Kind,
    pub(super) body_offset: u64,
    file_len: u64,
}

impl Lengths {
    /// Steps 1 and 2 of FORMAT.md, section 4.6. `start` has the first bytes of a file of `real_len`
    /// bytes.
    pub(super) fn read(start: &[u8], real_len: u64) -> Result<Self> {
        if !start.starts_with(&MAGIC) {
            return Err(Error::NotTepal { found: looks_like(start) });
        }
        let mut fields = Fields::at(start, MAGIC.len());
        let truncated = |_| Error::damaged(format_args!("it ends at byte {real_len}, within the header"));
        let version = fields.u16_le().map_err(truncated)?;
        if version != VERSION {
            let (what, found) = ("file format version", version.into());
            return Err(Error::Unsupported { what, found, known: "version 1" });
        }
        let kind = fields.u16_le().map_err(truncated)?;
        let kind = Kind::with_id(kind).ok_or_else(|| unknown_kind(kind))?;
        let body_offset = u64::from(fields.u32_le().map_err(truncated)?);
        let file_len = fields.u64_le().map_err(truncated)?;
        if file_len != real_len {
            return Err(Error::damaged(format_args!("it has {real_len} bytes, and {file_len} were written")));
        }
        let least = super::envelope::body_offset(1, 0);
        if body_offset % LINE_BYTES != 0 || body_offset < least || body_offset > file_len.min(1 << 31) {
            return Err(Error::damaged(format_args!("the body cannot start at byte {body_offset}")));
        }
        Ok(Lengths { kind, body_offset, file_len })
    }

    /// The offset of the end of the body.
    fn body_end(&self, sealed: bool) -> Option<u64> {
        self.file_len.checked_sub(if sealed { SEAL_BYTES } else { 0 })
    }
}

/// The meaning of a file's required flags.
#[derive(Clone, Copy)]
struct Flags {
    sealed: bool,
    excepted: bool,
    divided: bool,
    added: bool,
}

/// Reads the required flags. A flag that this build does not support is refused.
fn flags(required_flags: u32) -> Result<Flags> {
    let of = |has: bool, flags: u32| if has { flags } else { 0 };
    let known = of(cfg!(feature = "seal"), SEALED)
        | of(cfg!(feature = "extras"), EXCEPTED | DIVIDED)
        | of(cfg!(feature = "static"), ADDED);
    if required_flags & !known != 0 {
        let words = match known == SEALED | EXCEPTED | DIVIDED | ADDED {
            true => "bit 0 (sealed), bit 1 (exceptions), bit 2 (a divider) and bit 3 (added keys)",
            false => "bit 0 (sealed) with the feature seal, bits 1 and 2 with extras, bit 3 with static",
        };
        let found = required_flags.into();
        return Err(Error::Unsupported { what: "the set of required feature flags", found, known: words });
    }
    let has = |flag| required_flags & flag != 0;
    if has(DIVIDED) && !has(EXCEPTED) {
        return Err(Error::damaged("a divider and no exceptions"));
    }
    Ok(Flags { sealed: has(SEALED), excepted: has(EXCEPTED), divided: has(DIVIDED), added: has(ADDED) })
}

/// The keys with which a file is opened.
#[derive(Clone, Copy, Default)]
pub(super) struct GivenKeys<'a> {
    pub(super) secret: Option<&'a SecretKey>,
    pub(super) seal: Option<&'a SealKey>,
    /// May a file be opened without its keys?
    pub(super) may_lack: bool,
}

/// A header that has passed every check that does not need the body.
pub(super) struct Header {
    pub(super) lengths: Lengths,
    pub(super) chunk_table: Vec<u64>,
    flags: Flags,
    /// Bytes between the body and the seal.
    pub(super) behind_len: u64,
    /// The content of these bytes.
    pub(super) behind: Option<Trailer>,
}

/// A parsed header, before the filter is made from it.
struct Start<'a> {
    entry: KindEntry,
    flags: Flags,
    records_len: u64,
    part: FilePart<'static>,
    /// The chunk table and the padding.
    rest: Fields<'a>,
}

impl Header {
    /// The length of the seal in bytes; the file was found long enough for it.
    pub(super) fn seal_len(&self) -> usize {
        if self.flags.sealed { SEAL_BYTES as usize } else { 0 }
    }

    /// Is the section after the body a divider?
    pub(super) fn is_divided(&self) -> bool {
        self.flags.divided
    }

    /// Steps 3 to 6 of FORMAT.md, section 4.6. Returns the filter without its body. `head` is
    /// everything before the body.
    pub(super) fn decode<F: FromFile>(
        lengths: Lengths,
        head: &[u8],
        given: GivenKeys<'_>,
    ) -> Result<(Self, F::Bodiless)> {
        let start = Start::read(F::entry(lengths.kind)?, head)?;
        let bodiless = F::of_part(lengths.kind, &start.part, given.secret)?;
        Ok((start.finish(lengths, &bodiless, given)?, bodiless))
    }
}

impl<'a> Start<'a> {
    /// Parses everything before the chunk table.
    fn read(entry: KindEntry, head: &'a [u8]) -> Result<Self> {
        let (protected, written) = head.split_at(head.len() - 8);
        let found = checksum(protected);
        let expected = Fields::at(written, 0).u64_le()?;
        if found != expected {
            return Err(Error::damaged(format_args!(
                "the header has the checksum {found:016x}, and {expected:016x} was written"
            )));
        }
        let mut fields = Fields::at(protected, 24);
        let flags = flags(fields.u32_le()?)?;
        for (has, what) in [(flags.excepted, Trailer::Exceptions), (flags.added, Trailer::Added)] {
            if has && entry.behind != Some(what) {
                let (what, kind) = (what.name(), entry.kind);
                return Err(Error::damaged(format_args!("{what} of the kind {kind}, which has none")));
            }
        }
        let _optional_flags = fields.u32_le()?;
        let own = fields.array::<OWN_BYTES>()?;
        let records_len = u64::from(fields.u32_le()?);
        let recipe = Recipe::from_flags(fields.u32_le()?)?;
        if records_len > MOST_RECORDS || records_len % 8 != 0 {
            return Err(Error::damaged(format_args!("records of {records_len} bytes")));
        }
        let (labels, scheme_record) = records::decode(fields.take(records_len as usize)?)?;
        let mut links = Vec::new();
        for _ in 0..(entry.links)(&own)? {
            links.push(fields.array::<OWN_BYTES>()?);
        }
        let section = memory::copy_of(fields.take_claimed((entry.section)(&own)?)?)?;
        let part = FilePart {
            own,
            recipe,
            labels,
            scheme_record,
            links,
            section,
            exceptions: &[],
            added: &[],
            #[cfg(feature = "extras")]
            divider: None,
            body: Vec::new(),
        };
        Ok(Start { entry, flags, records_len, part, rest: fields })
    }

    /// Parses the chunk table and the padding. The filter gives the length of its body, and runs
    /// its self-test.
    fn finish(self, lengths: Lengths, filter: &dyn AwaitsBody, given: GivenKeys<'_>) -> Result<Header> {
        let Start { flags, records_len, part, rest: mut fields, .. } = self;
        let tested = match filter.self_test() {
            Err(Error::KeyRequired) if given.may_lack => Ok(()),
            Err(Error::KeyRequired) => return Err(Error::KeyRequired),
            tested => tested,
        };
        let sealed = flags.sealed;
        let behind = |len: u64| lengths.body_end(sealed)?.checked_sub(lengths.body_offset.checked_add(len)?);
        let body_len = filter
            .lines()
            .checked_mul(LINE_BYTES)
            .filter(|len| behind(*len).is_some_and(|behind| (behind > 0) == (flags.excepted || flags.added)))
            .filter(|len| body_offset(*len, records_len + behind_records(&part)) == lengths.body_offset)
            .ok_or_else(|| {
                let bits = filter.lines().saturating_mul(8 * LINE_BYTES);
                Error::damaged(format_args!("a body of {bits} bits does not fit the file"))
            })?;
        let table = fields.take_claimed(body_len.div_ceil(CHUNK_BYTES) * 8)?;
        let mut chunk_table = Vec::new();
        let too_large = |_| Error::TooLarge { bytes: table.len() as u64 };
        chunk_table.try_reserve_exact(table.len() / 8).map_err(too_large)?;
        chunk_table
            .extend(table.chunks_exact(8).map(|sum| u64::from_le_bytes(core::array::from_fn(|i| sum[i]))));
        if fields.rest().iter().any(|byte| *byte != 0) {
            return Err(Error::damaged("the padding before the body is not zero"));
        }
        match (sealed, given.seal) {
            (true, None) if !given.may_lack => return Err(Error::SealRequired),
            (false, Some(_)) => return Err(Error::NotSealed),
            _ => tested?,
        }
        let behind_len = behind(body_len).unwrap_or_default();
        Ok(Header { lengths, chunk_table, flags, behind_len, behind: self.entry.behind })
    }
}

#[cfg(test)]
mod tests;

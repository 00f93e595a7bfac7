//! What makes a filter's file another one of the same shape: the bits that differ, in a few bytes (FORMAT.md, section 6).
//!
//! A patch knows nothing of keys, secrets or seals: it turns the bytes of one file into those of another, and both stand
//! under checksums in it. How the bits are written is in [`gaps`], and patches on disk are in `files`.

#[cfg(feature = "std")]
mod files;
mod gaps;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "std")]
use xxhash_rust::xxh3::Xxh3;

use self::gaps::{Encoder, Positions};
use super::envelope::{self, CHUNK_BYTES, FIXED_BYTES, Lengths, MAGIC, MOST_RECORDS, checksum};
use crate::bits::LINE_BYTES;
use crate::error::{Error, Result};
use crate::fields::{Fields, Put};
use crate::ids::{KeyDomain, Kind, Layout, Scheme};

const MARK: [u8; 8] = *b"\x89PATCH\r\n";
const VERSION: u16 = 1;
/// Bytes before what a patch carries as it is.
const START: usize = 72;
/// The bytes of both files are one string of bits.
const PLAIN: u8 = 1;
/// Both are tepal files of one Bloom filter: what follows from the bits is not carried.
const TEPAL: u8 = 2;
/// More bits than any file has; numbers up to here can be added.
const MOST_BODY: u64 = 1 << 52;

/// What makes an old filter's file the new one, byte for byte: for copies of a filter that are far away, such as on phones.
///
/// It has the bits that differ, within 5 % of what their entropy asks, and what else is new: the count of keys, labels, the
/// seal. Both files are filters of one shape and one hash (`tepal build --like OLD`). Whoever applies a patch needs neither
/// the secret key of the filter nor that of its seal, and the new file is right to the last bit, or there is none.
///
/// ```
/// use tepal::{BloomFilter, Patch};
/// let mut filter = BloomFilter::builder().capacity(10_000).build_from(["apple", "banana"])?;
/// let old = filter.to_bytes()?;
/// filter.insert("cherry")?;
/// let new = filter.to_bytes()?;
///
/// let patch = Patch::between(&old, &new)?;
/// assert!(patch.as_bytes().len() < 300);
/// let received = Patch::from_bytes(patch.as_bytes().to_vec())?;
/// assert_eq!(received.apply(&old)?, new);
/// assert!(received.apply(&new).is_err());        // it is for `old` alone
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Patch {
    bytes: Vec<u8>,
    form: u8,
    /// The bits that are coded are those that stay.
    is_inverted: bool,
    head_len: usize,
    body_len: u64,
    old: Sum,
    new: Sum,
    coded: u64,
    tail_len: usize,
}

/// The length of a file, and XXH3-64 of its bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sum {
    len: u64,
    checksum: u64,
}

impl Sum {
    fn of(bytes: &[u8]) -> Self {
        Sum { len: bytes.len() as u64, checksum: checksum(bytes) }
    }
}

impl Patch {
    /// What makes the file `old` the file `new`.
    ///
    /// # Errors
    /// [`Error::Incompatible`] for two filters of different shape, hash or kind, and for files of another program that differ
    /// in length: bits cannot be compared then. [`Error::Damaged`] for a tepal file that is.
    pub fn between(old: &[u8], new: &[u8]) -> Result<Self> {
        let parts = match (Parts::of(old)?, Parts::of(new)?) {
            (Some(old), Some(new)) => Some((old, new)),
            _ if old.starts_with(&MAGIC) != new.starts_with(&MAGIC) => {
                return Err(incompatible("file format", name(old), name(new)));
            }
            _ if old.len() != new.len() => return Err(incompatible("length", old.len(), new.len())),
            _ => None,
        };
        let (form, head, tail, old_body, new_body) = match &parts {
            Some((old, new)) => {
                check_shapes(old.head, new.head)?;
                (TEPAL, new.head, new.tail, old.body, new.body)
            }
            None => (PLAIN, &[][..], &[][..], old, new),
        };
        let bits = 8 * new_body.len() as u64;
        let flips = words(old_body, new_body).map(|(_, word)| u64::from(word.count_ones())).sum::<u64>();
        let is_inverted = flips > bits - flips;
        let coded = if is_inverted { bits - flips } else { flips };

        let mut out = Vec::new();
        out.extend(MARK);
        out.extend(VERSION.to_le_bytes());
        out.extend([form, is_inverted.into()]);
        out.extend((head.len() as u32).to_le_bytes());
        out.extend((new_body.len() as u64).to_le_bytes());
        for sum in [Sum::of(old), Sum::of(new)] {
            out.extend(sum.len.to_le_bytes());
            out.extend(sum.checksum.to_le_bytes());
        }
        out.extend(coded.to_le_bytes());
        out.extend((tail.len() as u64).to_le_bytes());
        out.bytes(head)?;
        out.bytes(tail)?;
        let mut encoder = Encoder::new(bits, coded, out);
        for (at, word) in words(old_body, new_body) {
            let len = (bits - at).min(64);
            let mut left = if is_inverted { !word & (u64::MAX >> (64 - len)) } else { word };
            while left != 0 {
                encoder.push(at + u64::from(left.trailing_zeros()));
                left &= left - 1;
            }
        }
        let mut out = encoder.finish();
        let sum = checksum(&out);
        out.u64_le(sum)?;
        Self::from_bytes(out)
    }

    /// Reads a patch. Whether it is whole is checked here; which file it is for, when it is applied.
    ///
    /// # Errors
    /// [`Error::Parameter`] for bytes that are no patch; [`Error::Unsupported`] for one of a newer version;
    /// [`Error::Damaged`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        if !bytes.starts_with(&MARK) {
            return Err(Error::parameter(
                "the patch",
                name(&bytes),
                "what `tepal diff` or `Patch::between` made",
            ));
        }
        let mut fields = Fields::at(&bytes, MARK.len());
        let version = fields.u16_le()?;
        if version != VERSION {
            return Err(Error::Unsupported {
                what: "version of a patch",
                found: version.into(),
                known: "version 1",
            });
        }
        let (all, written) = bytes.split_at(bytes.len() - 8);
        if checksum(all).to_le_bytes() != *written {
            return Err(Error::damaged("the checksum of the patch is not that of its bytes"));
        }
        let (form, is_inverted) = (fields.u8()?, fields.u8()?);
        let (head_len, body_len) = (u64::from(fields.u32_le()?), fields.u64_le()?);
        let [old, new] = [
            Sum { len: fields.u64_le()?, checksum: fields.u64_le()? },
            Sum { len: fields.u64_le()?, checksum: fields.u64_le()? },
        ];
        let (coded, tail_len) = (fields.u64_le()?, fields.u64_le()?);
        if form != PLAIN && form != TEPAL || is_inverted > 1 {
            return Err(Error::Unsupported {
                what: "form of a patch",
                found: u64::from(form) | u64::from(is_inverted) << 8,
                known: "1 (bytes) and 2 (a tepal file)",
            });
        }
        let is_sound = match form {
            PLAIN => head_len == 0 && tail_len == 0 && body_len == old.len && body_len == new.len,
            _ => {
                let records =
                    head_len.checked_sub(FIXED_BYTES).filter(|len| *len <= MOST_RECORDS && len % 8 == 0);
                let before = records.map(|records| envelope::body_offset(body_len.min(MOST_BODY), records));
                let new_len = before.and_then(|before| before.checked_add(body_len)?.checked_add(tail_len));
                new_len == Some(new.len) && body_len <= old.len && body_len % LINE_BYTES == 0
            }
        };
        if !is_sound || body_len > MOST_BODY || coded > 4 * body_len {
            return Err(Error::damaged("the lengths in the patch do not fit each other"));
        }
        fields.take_claimed(head_len)?;
        fields.take_claimed(tail_len)?;
        let (head_len, tail_len) = (head_len as usize, tail_len as usize);
        let is_inverted = is_inverted == 1;
        if START + head_len + tail_len > all.len() {
            return Err(Error::damaged("it ends before the code of its bits"));
        }
        Ok(Patch { form, is_inverted, head_len, body_len, old, new, coded, tail_len, bytes })
    }

    /// The patch as bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many bits it changes.
    #[must_use]
    pub fn flips(&self) -> u64 {
        if self.is_inverted { 8 * self.body_len - self.coded } else { self.coded }
    }

    /// Bytes of the file that it is for.
    #[must_use]
    pub fn old_len(&self) -> u64 {
        self.old.len
    }

    /// Bytes of the file that it makes.
    #[must_use]
    pub fn new_len(&self) -> u64 {
        self.new.len
    }

    /// The new file, from the old one.
    ///
    /// # Errors
    /// [`Error::OtherOld`] where the patch is for another file; [`Error::Damaged`] where what it makes is not what it says;
    /// [`Error::TooLarge`] where there is no memory for it.
    pub fn apply(&self, old: &[u8]) -> Result<Vec<u8>> {
        let (head, body) = self.start(old)?;
        let too_large = |_| Error::TooLarge { bytes: self.new.len };
        let mut new = Vec::new();
        new.try_reserve_exact(usize::try_from(self.new.len).map_err(|_| too_large(()))?)
            .map_err(|_| too_large(()))?;
        self.pieces(&head, body, &mut |piece| {
            new.extend_from_slice(piece);
            Ok(())
        })?;
        self.check_new(Sum::of(&new))?;
        Ok(new)
    }

    /// What comes before the body of the new file, and the body of the old one.
    fn start<'a>(&self, old: &'a [u8]) -> Result<(Vec<u8>, &'a [u8])> {
        let found = Sum::of(old);
        if found != self.old {
            return Err(Error::OtherOld { is_new: found == self.new });
        }
        let body = match self.form {
            PLAIN => old,
            _ => {
                // The checksum says that it is the file of which the patch was made.
                let offset = Fields::at(old, 12).u32_le()? as usize;
                let body = old.get(offset..).and_then(|rest| rest.get(..self.body_len as usize));
                body.ok_or_else(|| Error::damaged("the patch is for a file with a larger body"))?
            }
        };
        if self.form == PLAIN {
            return Ok((Vec::new(), body));
        }
        let mut head = self.bytes[START..START + self.head_len].to_vec();
        self.chunks(body, &mut |chunk| {
            head.extend(checksum(chunk).to_le_bytes());
            Ok(())
        })?;
        let offset = envelope::body_offset(self.body_len, self.head_len as u64 - FIXED_BYTES);
        head.resize(offset as usize - 8, 0);
        let sum = checksum(&head);
        head.extend(sum.to_le_bytes());
        Ok((head, body))
    }

    /// Hands out the new file.
    fn pieces(&self, head: &[u8], body: &[u8], out: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        out(head)?;
        self.chunks(body, out)?;
        let tail = START + self.head_len;
        out(&self.bytes[tail..tail + self.tail_len])
    }

    /// Hands out the new body.
    fn chunks(&self, body: &[u8], out: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let code = &self.bytes[START + self.head_len + self.tail_len..self.bytes.len() - 8];
        let mut positions = Positions::new(8 * self.body_len, self.coded, code);
        let mut next = positions.next()?;
        let mut buffer = Vec::new();
        for (start, chunk) in (0u64..).step_by(CHUNK_BYTES as usize).zip(body.chunks(CHUNK_BYTES as usize)) {
            buffer.clear();
            match self.is_inverted {
                true => buffer.extend(chunk.iter().map(|byte| !byte)),
                false => buffer.extend_from_slice(chunk),
            }
            let end = 8 * (start + chunk.len() as u64);
            while let Some(position) = next.filter(|position| *position < end) {
                buffer[(position / 8 - start) as usize] ^= 1 << (position % 8);
                next = positions.next()?;
            }
            out(&buffer)?;
        }
        Ok(())
    }

    /// Is what was made what was meant?
    fn check_new(&self, found: Sum) -> Result<()> {
        match found == self.new {
            true => Ok(()),
            false => Err(Error::damaged("what the patch makes is not what it says")),
        }
    }

    /// Makes the new file and throws it away: is it what was meant?
    #[cfg(feature = "std")]
    fn rehearse(&self, head: &[u8], body: &[u8]) -> Result<()> {
        let (mut len, mut hash) = (0, Xxh3::new());
        self.pieces(head, body, &mut |piece| {
            len += piece.len() as u64;
            hash.update(piece);
            Ok(())
        })?;
        self.check_new(Sum { len, checksum: hash.digest() })
    }
}

impl fmt::Debug for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patch")
            .field("bytes", &self.bytes.len())
            .field("flips", &self.flips())
            .field("old_len", &self.old.len)
            .field("new_len", &self.new.len)
            .finish_non_exhaustive()
    }
}

/// A tepal file of one Bloom filter, in pieces.
struct Parts<'a> {
    /// Fixed header and records.
    head: &'a [u8],
    body: &'a [u8],
    /// What follows the body.
    tail: &'a [u8],
}

impl<'a> Parts<'a> {
    /// Nothing for a file of another kind or program. All that can be checked without a key is.
    fn of(file: &'a [u8]) -> Result<Option<Self>> {
        if !file.starts_with(&MAGIC) {
            return Ok(None);
        }
        let lengths = Lengths::read(file, file.len() as u64)?;
        if lengths.kind != Kind::Bloom {
            return Ok(None);
        }
        let (before, rest) = file.split_at(lengths.body_offset as usize);
        let (protected, written) = before.split_at(before.len() - 8);
        if checksum(protected).to_le_bytes() != *written {
            return Err(Error::damaged("the checksum of the header is not that of its bytes"));
        }
        let records = u64::from(Fields::at(before, 120).u32_le()?);
        let bit_len = Fields::at(before, 40).u64_le()?;
        let body_len = bit_len.div_ceil(8).checked_next_multiple_of(LINE_BYTES).filter(|len| {
            *len <= rest.len() as u64
                && records <= MOST_RECORDS
                && envelope::body_offset(*len, records) == lengths.body_offset
        });
        let Some(body_len) = body_len else {
            return Err(Error::damaged(format_args!("a body of {bit_len} bits does not fit the file")));
        };
        let (body, tail) = rest.split_at(body_len as usize);
        let head = &before[..(FIXED_BYTES + records) as usize];
        let table = &before[head.len()..];
        for (chunk, written) in body.chunks(CHUNK_BYTES as usize).zip(table.chunks(8)) {
            if checksum(chunk).to_le_bytes() != *written {
                return Err(Error::damaged("a chunk of the body has not the checksum that was written"));
            }
        }
        Ok(Some(Parts { head, body, tail }))
    }
}

/// Refuses two heads of filters whose bits mean different things.
fn check_shapes(old: &[u8], new: &[u8]) -> Result<()> {
    let byte = |head: &[u8], at: usize| u64::from(head[at]);
    let long = |head: &[u8], at| Fields::at(head, at).u64_le().unwrap_or_default();
    for (property, at, named) in [
        ("layout", 32, (|id| Layout::from_id(id).map(Layout::name)) as fn(u64) -> Result<&'static str>),
        ("scheme", 33, |id| Scheme::from_id(id).map(Scheme::name)),
        ("key domain", 34, |id| KeyDomain::from_id(id).map(KeyDomain::name)),
    ] {
        if old[at] != new[at] {
            return Err(incompatible(property, named(byte(old, at))?, named(byte(new, at))?));
        }
    }
    let int = |head: &[u8], at| u64::from(Fields::at(head, at).u32_le().unwrap_or_default());
    for (property, old, new) in [
        ("number of hashes", int(old, 36), int(new, 36)),
        ("number of bits", long(old, 40), long(new, 40)),
        ("seed, key or parameter", long(old, 64), long(new, 64)),
        ("recipe", int(old, 124), int(new, 124)),
    ] {
        if old != new {
            return Err(incompatible(property, old, new));
        }
    }
    let of_scheme =
        |head: &[u8]| super::records::decode(&head[FIXED_BYTES as usize..]).map(|records| records.1);
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

/// What bytes are, for an error.
fn name(bytes: &[u8]) -> &'static str {
    match bytes {
        _ if bytes.starts_with(&MAGIC) => "a tepal file",
        _ if bytes.starts_with(&MARK) => "a patch",
        [] => "no bytes",
        _ => "other bytes",
    }
}

/// The bits in which two bodies of one length differ, up to 64 at a time, with the place of the first.
fn words<'a>(old: &'a [u8], new: &'a [u8]) -> impl Iterator<Item = (u64, u64)> + 'a {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let pairs = old.chunks(8).zip(new.chunks(8));
    (0u64..).step_by(64).zip(pairs).map(move |(at, (old, new))| (at, word(old) ^ word(new)))
}

#[cfg(test)]
mod tests;

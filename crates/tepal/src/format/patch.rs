//! A patch makes one filter's file from another of the same shape. It contains the bits that
//! differ, in a compact code (FORMAT.md, section 6).
//!
//! A patch knows nothing of keys, secrets or seals: it turns the bytes of one file into the bytes
//! of another, and contains a checksum of each. [`parts`] finds the parts of a file. [`gaps`] codes
//! the bits, [`added`] the keys that were added beside a ribbon; `files` has patches on disk.

mod added;
#[cfg(feature = "std")]
mod files;
mod gaps;
mod parts;

use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "std")]
use xxhash_rust::xxh3::Xxh3;

use self::added::Added;
use self::gaps::{Bits, Encoder, Positions};
use self::parts::{ADDED, MARK, PLAIN, TEPAL, name};
use super::envelope::{self, CHUNK_BYTES, FIXED_BYTES, MOST_RECORDS, checksum};
use crate::bits::LINE_BYTES;
use crate::bits::memory::copy_of;
use crate::error::{Error, Result, advice};
use crate::fields::{Fields, Put};

const VERSION: u16 = 1;
/// Bytes before the uncoded sections of a patch.
const START: usize = 72;
/// The most bytes between the records and the chunk table of a ribbon's file.
const MOST_SECTION: u64 = 80;
/// The limit of a body's length, larger than any file's. Sums of lengths below it do not overflow.
const MOST_BODY: u64 = 1 << 52;

/// A patch makes the new file of a filter from the old one, byte for byte. It is for distant copies
/// of a filter, for example on phones.
///
/// It contains the bits that differ, at most 5 % above their entropy, and everything else that is
/// new: the count of keys, labels, the seal. Both files must have one shape and one hash
/// (`tepal build --like OLD`). Applying a patch needs neither the filter's secret key nor its seal
/// key. The result is exactly the new file, or an error.
///
/// For two ribbons that differ in their added keys (`RibbonFilter::insert`, `tepal add`), a patch
/// takes about 7 bytes for each new key.
///
/// ```
/// use tepal::{BloomFilter, file::Patch};
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
    /// Are the coded bits the bits that stay equal?
    is_inverted: bool,
    head_len: usize,
    body_len: u64,
    old: Sum,
    new: Sum,
    coded: u64,
    tail_len: usize,
    /// Only in the form [`ADDED`].
    added: Option<Added>,
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

/// The parts of a new file that are made from the old file and the patch.
struct Start<'a> {
    /// All bytes before the body.
    head: Vec<u8>,
    /// The old body.
    body: &'a [u8],
    /// The section of added keys after the new body, with its checksum.
    added: Vec<u8>,
}

impl Patch {
    /// Makes the patch from the file `old` to the file `new`.
    ///
    /// # Errors
    /// [`Error::Incompatible`] for two filters of different shape, hash or kind, for two files of
    /// another program with different lengths, and for two ribbons with different numbers of words:
    /// their bits cannot be compared. [`Error::Damaged`] for a damaged tepal file.
    pub fn between(old: &[u8], new: &[u8]) -> Result<Self> {
        let (form, from, to) = parts::of_both(old, new)?;
        let (head, old_body, new_body) = (to.head, from.body, to.body);
        let (mut tail, added): (_, Option<Added>) = match form {
            #[cfg(feature = "static")]
            ADDED => {
                let (added, tail) = Added::between(from.added, to.added);
                (tail, Some(added))
            }
            _ => (Vec::new(), None),
        };
        tail.extend(to.tail);
        let bits = 8 * new_body.len() as u64;
        let flips = words(old_body, new_body).map(|(_, word)| u64::from(word.count_ones())).sum::<u64>();
        let is_inverted = flips > bits - flips;
        let coded = if is_inverted { bits - flips } else { flips };

        let mut out = Vec::new();
        out.extend(MARK);
        out.extend(VERSION.to_le_bytes());
        let are_kept = added.is_some_and(|added| added.is_inverted());
        out.extend([form, u8::from(is_inverted) | u8::from(are_kept) << 1]);
        out.extend((head.len() as u32).to_le_bytes());
        out.extend((new_body.len() as u64).to_le_bytes());
        for sum in [Sum::of(old), Sum::of(new)] {
            out.extend(sum.len.to_le_bytes());
            out.extend(sum.checksum.to_le_bytes());
        }
        out.extend(coded.to_le_bytes());
        out.extend((tail.len() as u64).to_le_bytes());
        out.bytes(head)?;
        out.bytes(&tail)?;
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

    /// Reads a patch and checks that it is undamaged. [`apply`](Self::apply) checks which file it
    /// is for.
    ///
    /// # Errors
    /// [`Error::Parameter`] for bytes that are not a patch; [`Error::Unsupported`] for a newer
    /// version; [`Error::Damaged`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        if !bytes.starts_with(&MARK) {
            return Err(
                Error::parameter("the patch", name(&bytes), "a patch").with(advice!("make one", MakePatch))
            );
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
        let (form, inverted) = (fields.u8()?, fields.u8()?);
        let (head_len, body_len) = (u64::from(fields.u32_le()?), fields.u64_le()?);
        let [old, new] = [
            Sum { len: fields.u64_le()?, checksum: fields.u64_le()? },
            Sum { len: fields.u64_le()?, checksum: fields.u64_le()? },
        ];
        let (coded, tail_len) = (fields.u64_le()?, fields.u64_le()?);
        if !matches!(form, PLAIN | TEPAL | ADDED) || inverted > if form == ADDED { 3 } else { 1 } {
            return Err(Error::Unsupported {
                what: "form of a patch",
                found: u64::from(form) | u64::from(inverted) << 8,
                known: "1 (bytes), 2 (a Bloom filter) and 3 (a static filter with added keys)",
            });
        }
        // Bytes after the new body.
        let most = if form == ADDED { MOST_RECORDS + MOST_SECTION } else { MOST_RECORDS };
        let records = head_len.checked_sub(FIXED_BYTES).filter(|len| *len <= most && len % 8 == 0);
        let behind = records.and_then(|records| {
            let before = envelope::body_offset(body_len.min(MOST_BODY), records);
            new.len.checked_sub(before)?.checked_sub(body_len)
        });
        let is_sound = match (form, behind) {
            (PLAIN, _) => head_len == 0 && tail_len == 0 && body_len == old.len && body_len == new.len,
            (TEPAL, Some(behind)) => behind == tail_len,
            (_, behind) => behind.is_some(),
        };
        let is_body = form == PLAIN || body_len <= old.len && body_len % LINE_BYTES == 0;
        if !is_sound || !is_body || body_len > MOST_BODY || coded > 4 * body_len {
            return Err(Error::damaged("the lengths in the patch do not fit each other"));
        }
        fields.take_claimed(head_len)?;
        let tail = fields.take_claimed(tail_len)?;
        let added = match (form, behind) {
            (ADDED, Some(behind)) => Some(Added::read(tail, inverted & 2 != 0, old.len, behind)?),
            _ => None,
        };
        let (head_len, tail_len) = (head_len as usize, tail_len as usize);
        let is_inverted = inverted & 1 == 1;
        if START + head_len + tail_len > all.len() {
            return Err(Error::damaged("it ends before the code of its bits"));
        }
        Ok(Patch { form, is_inverted, head_len, body_len, old, new, coded, tail_len, added, bytes })
    }

    /// The patch as bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of bits that it changes. Keys added to a ribbon are not counted
    /// ([`added_keys`](Self::added_keys)).
    #[must_use]
    pub fn flips(&self) -> u64 {
        if self.is_inverted { 8 * self.body_len - self.coded } else { self.coded }
    }

    /// The number of added keys (`RibbonFilter::insert`) that the new file has and the old file
    /// does not have.
    #[must_use]
    pub fn added_keys(&self) -> u64 {
        self.added.map_or(0, |added| added.put())
    }

    /// The number of added keys that the old file has and the new file does not have.
    #[must_use]
    pub fn removed_keys(&self) -> u64 {
        self.added.map_or(0, |added| added.gone())
    }

    /// The length of the old file in bytes.
    #[must_use]
    pub fn old_len(&self) -> u64 {
        self.old.len
    }

    /// The length of the new file in bytes.
    #[must_use]
    pub fn new_len(&self) -> u64 {
        self.new.len
    }

    /// The XXH3-64 of the old file.
    #[must_use]
    pub fn old_checksum(&self) -> u64 {
        self.old.checksum
    }

    /// The XXH3-64 of the new file.
    #[must_use]
    pub fn new_checksum(&self) -> u64 {
        self.new.checksum
    }

    /// Applies the patch to the old file and returns the new one.
    ///
    /// # Errors
    /// [`Error::OtherOld`] if the patch is for another file; [`Error::Damaged`] if the result does
    /// not have the recorded checksum; [`Error::TooLarge`] if memory is short.
    pub fn apply(&self, old: &[u8]) -> Result<Vec<u8>> {
        let start = self.start(old)?;
        let too_large = |_| Error::TooLarge { bytes: self.new.len };
        let mut new = Vec::new();
        new.try_reserve_exact(usize::try_from(self.new.len).map_err(|_| too_large(()))?)
            .map_err(|_| too_large(()))?;
        self.pieces(&start, &mut |piece| {
            new.extend_from_slice(piece);
            Ok(())
        })?;
        self.check_new(Sum::of(&new))?;
        Ok(new)
    }

    /// The parts of the new file; an error if the patch is not for `old`.
    fn start<'a>(&self, old: &'a [u8]) -> Result<Start<'a>> {
        let found = Sum::of(old);
        if found != self.old {
            return Err(Error::OtherOld { is_new: found == self.new });
        }
        if self.form == PLAIN {
            return Ok(Start { head: Vec::new(), body: old, added: Vec::new() });
        }
        // The checksum matched, so this is the file from which the patch was made.
        let offset = Fields::at(old, 12).u32_le()? as usize;
        let of_old = old.get(offset..).and_then(|rest| rest.split_at_checked(self.body_len as usize));
        let (body, behind) =
            of_old.ok_or_else(|| Error::damaged("the patch is for a file with a larger body"))?;
        let mut head = copy_of(&self.bytes[START..START + self.head_len])?;
        self.chunks(body, &mut |chunk| {
            head.extend(checksum(chunk).to_le_bytes());
            Ok(())
        })?;
        let offset = envelope::body_offset(self.body_len, self.head_len as u64 - FIXED_BYTES);
        head.resize(offset as usize - 8, 0);
        let sum = checksum(&head);
        head.extend(sum.to_le_bytes());
        let added = match &self.added {
            Some(added) => added.apply(behind, self.tail(), sum)?,
            None => Vec::new(),
        };
        Ok(Start { head, body, added })
    }

    /// The bytes of the patch for the section after the new body.
    fn tail(&self) -> &[u8] {
        let tail = START + self.head_len;
        &self.bytes[tail..tail + self.tail_len]
    }

    /// Calls `out` with the pieces of the new file.
    fn pieces(&self, start: &Start<'_>, out: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        out(&start.head)?;
        self.chunks(start.body, out)?;
        out(&start.added)?;
        let tail = self.tail();
        out(&tail[self.added.map_or(0, |added| tail.len() - added.seal_len())..])
    }

    /// Calls `out` with the chunks of the new body.
    fn chunks(&self, body: &[u8], out: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let code = &self.bytes[START + self.head_len + self.tail_len..self.bytes.len() - 8];
        let mut positions = Positions::new(8 * self.body_len, self.coded, Bits::new(code));
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
        positions.rest().end()
    }

    /// Checks the length and the checksum of the result.
    fn check_new(&self, found: Sum) -> Result<()> {
        match found == self.new {
            true => Ok(()),
            false => Err(Error::damaged("what the patch makes is not what it says")),
        }
    }

    /// Makes the new file and discards it, to check the result.
    #[cfg(feature = "std")]
    fn rehearse(&self, start: &Start<'_>) -> Result<()> {
        let (mut len, mut hash) = (0, Xxh3::new());
        self.pieces(start, &mut |piece| {
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
            .field("added_keys", &self.added_keys())
            .field("removed_keys", &self.removed_keys())
            .field("old_len", &self.old.len)
            .field("new_len", &self.new.len)
            .finish_non_exhaustive()
    }
}

/// The differing bits of two bodies of one length, up to 64 at a time, with the position of the
/// first.
fn words<'a>(old: &'a [u8], new: &'a [u8]) -> impl Iterator<Item = (u64, u64)> + 'a {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let pairs = old.chunks(8).zip(new.chunks(8));
    (0u64..).step_by(64).zip(pairs).map(move |(at, (old, new))| (at, word(old) ^ word(new)))
}

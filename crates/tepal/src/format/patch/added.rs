//! The keys that were added beside a ribbon: the difference of two lists of their hashes
//! (FORMAT.md, sections 6.1 and 6.3).

use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64_with_seed;

#[cfg(feature = "static")]
use super::gaps::Encoder;
use super::gaps::{Bits, Hashes, Positions, parameter_of_hashes};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::format::seal::SEAL_BYTES;

/// Bytes of the numbers before the coded hashes.
const NUMBERS: usize = 24;

/// The numbers of a difference between two lists, without the coded hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Added {
    /// Keys of the old list.
    old: u64,
    /// The number of keys of the old list that are coded.
    coded: u64,
    /// Are the coded keys the ones that stay?
    is_inverted: bool,
    /// Keys of the new list that are not in the old one.
    put: u64,
    /// Bytes of the seal that follows the list in the new file.
    seal_len: usize,
}

impl Added {
    /// The difference from the hashes `old` to the hashes `new`, and the tail of the patch that
    /// codes it, without a seal. Both lists ascend.
    #[cfg(feature = "static")]
    pub(super) fn between(old: &[u8], new: &[u8]) -> (Self, Vec<u8>) {
        let (mut gone, mut put) = (Vec::new(), Vec::new());
        let mut others = numbers(new).peekable();
        for (place, hash) in (0u64..).zip(numbers(old)) {
            while let Some(other) = others.next_if(|other| *other < hash) {
                put.push(other);
            }
            if others.next_if_eq(&hash).is_none() {
                gone.push(place);
            }
        }
        put.extend(others);

        let keys = old.len() as u64 / 8;
        let is_inverted = keys - (gone.len() as u64) < gone.len() as u64;
        let coded = if is_inverted { keys - gone.len() as u64 } else { gone.len() as u64 };
        let added = Added { old: keys, coded, is_inverted, put: put.len() as u64, seal_len: 0 };
        let mut tail = Vec::new();
        [keys, coded, added.put].iter().for_each(|number| tail.extend(number.to_le_bytes()));
        let mut encoder = Encoder::new(keys, coded, tail);
        if is_inverted {
            let mut gone = gone.into_iter().peekable();
            (0..keys).filter(|place| gone.next_if_eq(place).is_none()).for_each(|place| encoder.push(place));
        } else {
            gone.into_iter().for_each(|place| encoder.push(place));
        }
        encoder.hashes(&put);
        (added, encoder.finish())
    }

    /// Parses the numbers of a tail, for an old file of `old_len` bytes and a new one with `behind`
    /// bytes after its body.
    pub(super) fn read(tail: &[u8], is_inverted: bool, old_len: u64, behind: u64) -> Result<Self> {
        let damaged = || Error::damaged("the numbers of added keys in the patch do not fit its lengths");
        let mut fields = Fields::at(tail, 0);
        let (old, coded, put) = (fields.u64_le()?, fields.u64_le()?, fields.u64_le()?);
        let code = tail.len() - NUMBERS;
        if old > old_len / 8 || coded > old / 2 || put > 8 * code as u64 {
            return Err(damaged());
        }
        let mut added = Added { old, coded, is_inverted, put, seal_len: 0 };
        let seal_len = behind.checked_sub(list_len(added.new_keys())).ok_or_else(damaged)?;
        if !is_seal(seal_len) || seal_len > code as u64 {
            return Err(damaged());
        }
        // Each hash takes at least its remainder and one bit.
        if put.saturating_mul(u64::from(parameter_of_hashes(put)) + 1) > 8 * (code as u64 - seal_len) {
            return Err(damaged());
        }
        added.seal_len = seal_len as usize;
        Ok(added)
    }

    /// Are the coded keys the ones that stay?
    pub(super) fn is_inverted(&self) -> bool {
        self.is_inverted
    }

    /// The number of keys that are added.
    pub(super) fn put(&self) -> u64 {
        self.put
    }

    /// The number of keys that are removed.
    pub(super) fn gone(&self) -> u64 {
        if self.is_inverted { self.old - self.coded } else { self.coded }
    }

    /// Bytes at the end of the tail that are the new file's seal.
    pub(super) fn seal_len(&self) -> usize {
        self.seal_len
    }

    fn new_keys(&self) -> u64 {
        self.old - self.gone() + self.put
    }

    /// The hashes of the new list and their checksum; `header` is the checksum of the new header.
    /// `behind` follows the body of the old file.
    pub(super) fn apply(&self, behind: &[u8], tail: &[u8], header: u64) -> Result<Vec<u8>> {
        if !(behind.len() as u64).checked_sub(list_len(self.old)).is_some_and(is_seal) {
            return Err(Error::damaged(format_args!(
                "the patch is for a file whose number of added keys is {}, and {} bytes are behind the body",
                self.old,
                behind.len()
            )));
        }
        let new_len = list_len(self.new_keys());
        let too_large = |bytes| move |_| Error::TooLarge { bytes };
        let mut out = Vec::new();
        out.try_reserve_exact(new_len as usize).map_err(too_large(new_len))?;
        let mut coded = Vec::new();
        coded.try_reserve_exact(self.coded as usize).map_err(too_large(8 * self.coded))?;

        let code = &tail[NUMBERS..tail.len() - self.seal_len];
        let mut places = Positions::new(self.old, self.coded, Bits::new(code));
        while let Some(place) = places.next()? {
            coded.push(place);
        }
        let mut hashes = Hashes::new(self.put, places.rest());
        let (mut coded, mut next, mut last) = (coded.into_iter().peekable(), hashes.next()?, None);
        for (place, hash) in (0..self.old).zip(numbers(behind)) {
            while let Some(new) = next.filter(|new| *new < hash) {
                out.extend(new.to_le_bytes());
                next = hashes.next()?;
            }
            if next == Some(hash) {
                return Err(Error::damaged("a key is put in that the old file has"));
            }
            if last.replace(hash).is_some_and(|last| last >= hash) {
                return Err(Error::damaged("the added keys of the old file do not ascend"));
            }
            if coded.next_if_eq(&place).is_some() == self.is_inverted {
                out.extend(hash.to_le_bytes());
            }
        }
        while let Some(new) = next {
            out.extend(new.to_le_bytes());
            next = hashes.next()?;
        }
        hashes.rest().end()?;
        if !out.is_empty() {
            let sum = xxh3_64_with_seed(&out, header);
            out.extend(sum.to_le_bytes());
        }
        Ok(out)
    }
}

/// The length in bytes of a list of `keys` hashes and its checksum.
fn list_len(keys: u64) -> u64 {
    if keys == 0 { 0 } else { (keys + 1).saturating_mul(8) }
}

/// Is it the length of a seal, or 0?
fn is_seal(len: u64) -> bool {
    len == 0 || len == SEAL_BYTES
}

/// The numbers of a list.
fn numbers(list: &[u8]) -> impl Iterator<Item = u64> + '_ {
    list.chunks_exact(8).map(|bytes| u64::from_le_bytes(core::array::from_fn(|i| bytes[i])))
}

#[cfg(all(test, feature = "static", feature = "foreign"))]
mod tests;

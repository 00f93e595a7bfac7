//! Keys in very many segments: what a table would not take of one number.
//!
//! Of a number at most 64 slots are in the table, those of its lowest segments; the rest are listed
//! here. So a key in thousands of segments costs its neighbours nothing.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::error::{Error, Result};
use crate::kinds::named::Segment;
use crate::kinds::table::lines::MOST_COPIES;

/// Slots of a number in the table.
pub(super) const IN_TABLE: usize = MOST_COPIES as usize;

/// The most bytes of the list in a file.
pub(super) const MOST_BYTES: u64 = 1 << 29;

/// The segments of numbers beyond their first 64, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wide {
    more: BTreeMap<u64, Vec<u16>>,
    pairs: u64,
    bytes: u64,
}

/// Bytes of a number with so many segments in a file.
fn bytes_of(segments: usize) -> u64 {
    if segments == 0 { 0 } else { 16 + (2 * segments as u64).next_multiple_of(8) }
}

impl Wide {
    /// The segments of a number beyond its first.
    pub(super) fn of(&self, number: u64) -> &[u16] {
        self.more.get(&number).map_or(&[], Vec::as_slice)
    }

    /// All numbers that have some, ascending.
    pub(super) fn numbers(&self) -> impl Iterator<Item = (u64, &[u16])> {
        self.more.iter().map(|(number, segments)| (*number, segments.as_slice()))
    }

    /// How many pairs of number and segment there are.
    pub(super) fn pairs(&self) -> u64 {
        self.pairs
    }

    /// How many numbers.
    pub(super) fn len(&self) -> usize {
        self.more.len()
    }

    /// Bytes in a file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Is a pair among them?
    pub(super) fn has(&self, number: u64, segment: u64) -> bool {
        self.of(number).binary_search_by_key(&segment, |held| (*held).into()).is_ok()
    }

    /// Adds a pair that is not there.
    ///
    /// # Errors
    /// [`Error::Parameter`] where there are too many. Nothing is changed then.
    pub(super) fn insert(&mut self, number: u64, segment: u16) -> Result<()> {
        let held = self.of(number);
        let at = held.partition_point(|held| *held < segment);
        let bytes = self.bytes + bytes_of(held.len() + 1) - bytes_of(held.len());
        if bytes > MOST_BYTES {
            let expected = alloc::format!("at most {MOST_BYTES}; divide the segments among several filters");
            return Err(Error::parameter("the bytes for keys in more than 64 segments", bytes, expected));
        }
        self.more.entry(number).or_default().insert(at, segment);
        (self.pairs, self.bytes) = (self.pairs + 1, bytes);
        Ok(())
    }

    /// Takes the lowest segment of a number.
    pub(super) fn take_first(&mut self, number: u64) -> Option<u16> {
        let segments = self.more.get_mut(&number)?;
        let (first, len) = (segments.remove(0), segments.len());
        if len == 0 {
            self.more.remove(&number);
        }
        (self.pairs, self.bytes) = (self.pairs - 1, self.bytes + bytes_of(len) - bytes_of(len + 1));
        Some(first)
    }

    /// Drops all pairs of a segment. Says how many.
    pub(super) fn drop_segment(&mut self, segment: Segment) -> u64 {
        let mut dropped = 0;
        let mut bytes = 0;
        self.more.retain(|_, segments| {
            if let Ok(at) = segments.binary_search(&segment.0) {
                segments.remove(at);
                dropped += 1;
            }
            bytes += bytes_of(segments.len());
            !segments.is_empty()
        });
        (self.pairs, self.bytes) = (self.pairs - dropped, bytes);
        dropped
    }

    /// All pairs ascending, as entries of so many tag bits.
    pub(super) fn entries(&self, tag_bits: u8) -> impl Iterator<Item = u64> {
        self.more.iter().flat_map(move |(number, segments)| {
            segments.iter().map(move |segment| number << tag_bits | u64::from(*segment))
        })
    }
}

//! Keys in very many segments: a list of the segments that the table does not take for one
//! fingerprint.
//!
//! The table has at most 64 slots of a fingerprint, those of its lowest segments; the other
//! segments are listed here. So a key in thousands of segments does not slow its neighbours.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::error::{Error, Result};
use crate::kinds::named::Segment;
use crate::kinds::table::lines::MOST_COPIES;

/// The most slots of a fingerprint in the table.
pub(super) const IN_TABLE: usize = MOST_COPIES as usize;

/// The most bytes of the list in a file.
pub(super) const MOST_BYTES: u64 = 1 << 29;

/// The segments of fingerprints beyond their first 64, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WideList {
    more: BTreeMap<u64, Vec<u16>>,
    pairs: u64,
    bytes: u64,
}

/// The bytes in a file of a fingerprint with this many listed segments.
fn bytes_of(segments: usize) -> u64 {
    if segments == 0 { 0 } else { 16 + (2 * segments as u64).next_multiple_of(8) }
}

impl WideList {
    /// The listed segments of a fingerprint.
    pub(super) fn of(&self, number: u64) -> &[u16] {
        self.more.get(&number).map_or(&[], Vec::as_slice)
    }

    /// All fingerprints with listed segments, ascending.
    pub(super) fn numbers(&self) -> impl Iterator<Item = (u64, &[u16])> {
        self.more.iter().map(|(number, segments)| (*number, segments.as_slice()))
    }

    /// The number of pairs of fingerprint and segment.
    pub(super) fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The number of fingerprints.
    pub(super) fn len(&self) -> usize {
        self.more.len()
    }

    /// The bytes in a file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether a pair is in the list.
    pub(super) fn has(&self, number: u64, segment: u64) -> bool {
        self.of(number).binary_search_by_key(&segment, |held| (*held).into()).is_ok()
    }

    /// Adds a pair that is not in the list.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the list would be too long. Nothing is changed then.
    pub(super) fn insert(&mut self, number: u64, segment: u16) -> Result<()> {
        let held = self.of(number);
        let at = held.partition_point(|held| *held < segment);
        let bytes = self.bytes + bytes_of(held.len() + 1) - bytes_of(held.len());
        if bytes > MOST_BYTES {
            let expected = alloc::format!("at most {MOST_BYTES}; divide the segments among several filters");
            return Err(Error::parameter(
                "the number of bytes for keys in more than 64 segments",
                bytes,
                expected,
            ));
        }
        self.more.entry(number).or_default().insert(at, segment);
        (self.pairs, self.bytes) = (self.pairs + 1, bytes);
        Ok(())
    }

    /// Removes the lowest listed segment of a fingerprint and returns it.
    pub(super) fn take_first(&mut self, number: u64) -> Option<u16> {
        let segments = self.more.get_mut(&number)?;
        let (first, len) = (segments.remove(0), segments.len());
        if len == 0 {
            self.more.remove(&number);
        }
        (self.pairs, self.bytes) = (self.pairs - 1, self.bytes + bytes_of(len) - bytes_of(len + 1));
        Some(first)
    }

    /// Removes all pairs of a segment. Returns how many.
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

    /// All pairs ascending, as entries of this many tag bits.
    pub(super) fn entries(&self, tag_bits: u8) -> impl Iterator<Item = u64> {
        self.more.iter().flat_map(move |(number, segments)| {
            segments.iter().map(move |segment| number << tag_bits | u64::from(*segment))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(list: &WideList) {
        let counted = |count: fn(usize) -> u64| list.numbers().map(|(_, of)| count(of.len())).sum::<u64>();
        assert_eq!((list.pairs(), list.bytes()), (counted(|len| len as u64), counted(bytes_of)));
    }

    #[test]
    fn every_change_counts_pairs_and_bytes() {
        let mut list = WideList::default();
        for i in 0..60 {
            list.insert(u64::from(i % 3), 100 - i).unwrap();
            check(&list);
        }
        assert_eq!(list.drop_segment(Segment(70)), 1);
        check(&list);
        for number in 0..3 {
            while let Some(first) = list.take_first(number) {
                assert!(!list.has(number, first.into()));
                check(&list);
            }
        }
        assert!(list == WideList::default());
    }

    #[test]
    fn a_list_ends_at_its_most_bytes() {
        let mut list = WideList { bytes: MOST_BYTES - bytes_of(1), ..WideList::default() };
        list.insert(1, 1).unwrap();
        let full = list.clone();
        assert!(matches!(list.insert(2, 1), Err(Error::Parameter { .. })));
        assert!(list == full);
    }
}

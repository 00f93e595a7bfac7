//! Counts the contents of a table.

use crate::bits::table::change::MOST_COPIES;
use crate::bits::table::stream::Stream;
use crate::error::{Error, Result};

/// The counts of a table's contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// The number of slots that are taken.
    pub(crate) slots: u64,
    /// The number of different fingerprints.
    pub(crate) numbers: u64,
    /// The most slots of one fingerprint.
    pub(crate) most_copies: u64,
}

impl Counts {
    /// Counts ascending entries.
    pub(crate) fn of(entries: Stream<'_>, tag_bits: u8) -> Self {
        let mut counting = RunningCounts::default();
        entries.for_each(|entry| _ = counting.count(entry >> tag_bits));
        counting.counts
    }

    /// Checks that no fingerprint has too many slots.
    pub(crate) fn check_copies(&self, tag_bits: u8) -> Result<()> {
        if self.most_copies <= MOST_COPIES.into() { Ok(()) } else { Err(too_many_copies(tag_bits)) }
    }
}

/// The error for a key that has the most copies, if slots count in this many bits.
#[cold]
pub(crate) fn too_many_copies(tag_bits: u8) -> Error {
    Error::TooManyCopies { most: u64::from(MOST_COPIES) << tag_bits, inserted: 0 }
}

/// [`Counts`] of a stream of ascending fingerprints up to now.
#[derive(Default)]
pub(super) struct RunningCounts {
    pub(super) counts: Counts,
    last: Option<u64>,
    copies: u64,
}

impl RunningCounts {
    /// Counts a slot of this fingerprint. Returns whether it equals the one before.
    #[inline]
    pub(super) fn count(&mut self, number: u64) -> bool {
        let is_again = self.last == Some(number);
        if is_again {
            self.copies += 1;
        } else {
            self.counts.numbers += 1;
            (self.last, self.copies) = (Some(number), 1);
        }
        self.counts.slots += 1;
        self.counts.most_copies = self.counts.most_copies.max(self.copies);
        is_again
    }
}

//! What is in a table, counted.

use crate::bits::table::change::MOST_COPIES;
use crate::bits::table::stream::Stream;
use crate::error::{Error, Result};

/// What is in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Slots that are taken.
    pub(crate) slots: u64,
    /// Different numbers.
    pub(crate) numbers: u64,
    /// The most slots of one number.
    pub(crate) most_copies: u64,
}

impl Counts {
    /// Of ascending entries.
    pub(crate) fn of(entries: Stream<'_>, tag_bits: u8) -> Self {
        let mut counting = Counting::default();
        entries.for_each(|entry| _ = counting.count(entry >> tag_bits));
        counting.counts
    }

    /// No number has more slots than it can have.
    pub(crate) fn check_copies(&self, tag_bits: u8) -> Result<()> {
        if self.most_copies <= MOST_COPIES.into() { Ok(()) } else { Err(too_many_copies(tag_bits)) }
    }
}

/// The error for a key that is in as often as it can be, where slots count in so many bits.
#[cold]
pub(crate) fn too_many_copies(tag_bits: u8) -> Error {
    Error::TooManyCopies { most: u64::from(MOST_COPIES) << tag_bits, inserted: 0 }
}

/// [`Counts`] of numbers that come ascending, as far as they have come.
#[derive(Default)]
pub(super) struct Counting {
    pub(super) counts: Counts,
    last: Option<u64>,
    copies: u64,
}

impl Counting {
    /// Counts a slot of this number. Is it one more of the number before?
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

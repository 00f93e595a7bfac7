//! Sorts pairs in the order of their fingerprints, on several threads.

use core::num::NonZeroUsize;

use super::{Segment, SegmentFilter};
use crate::bits::table::spread;
use crate::kinds::table::sort::sort_by_key;

impl SegmentFilter {
    /// Sorts pairs in the order of their fingerprints, which is the same for all filters. Building
    /// from sorted pairs
    /// ([`build_from_hashes`](crate::builders::SegmentFilterBuilder::build_from_hashes),
    /// [`insert_pairs`](Self::insert_pairs)) takes a few passes over them. Equal pairs stand next
    /// to each other.
    ///
    /// ```
    /// use tepal::{SegmentFilter, segments::Segment};
    /// let builder = SegmentFilter::builder();
    /// let hash = |key| builder.key_hasher().unwrap().hash(key).unwrap();
    /// let mut pairs = vec![(hash("a"), Segment::new(0)), (hash("b"), Segment::new(1)), (hash("a"), Segment::new(1))];
    /// SegmentFilter::sort_pairs(&mut pairs, std::thread::available_parallelism().unwrap());
    /// let filter = builder.build_from_hashes(&["mo", "tu"], pairs)?;
    /// assert_eq!((filter.segments("a").count(), filter.segments("b").count()), (2, 1));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn sort_pairs(pairs: &mut [(u64, Segment)], threads: NonZeroUsize) {
        sort_by_key(pairs, threads, |(hash, segment)| (spread(*hash), *segment));
    }
}

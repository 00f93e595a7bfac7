//! Pairs in the order of their numbers, over several threads.

use core::num::NonZeroUsize;

use super::{Segment, SegmentFilter};
use crate::bits::table::spread;
use crate::kinds::bloom::bulk::share_out;

/// Fewer are sorted by one thread.
const FEW: usize = 1 << 16;

impl SegmentFilter {
    /// Sorts pairs by the order of their numbers, which is the same for all filters. To build of sorted ones
    /// ([`build_from_hashes`](crate::SegmentFilterBuilder::build_from_hashes), [`insert_pairs`](Self::insert_pairs)) costs passes over
    /// them. Equal pairs stand next to each other.
    ///
    /// ```
    /// use tepal::{Segment, SegmentFilter};
    /// let builder = SegmentFilter::builder();
    /// let hash = |key| builder.key_hasher().unwrap().hash(key).unwrap();
    /// let mut pairs = vec![(hash("a"), Segment::new(0)), (hash("b"), Segment::new(1)), (hash("a"), Segment::new(1))];
    /// SegmentFilter::sort_pairs(&mut pairs, std::thread::available_parallelism().unwrap());
    /// let filter = builder.build_from_hashes(&["mo", "tu"], pairs)?;
    /// assert_eq!((filter.segments("a").count(), filter.segments("b").count()), (2, 1));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn sort_pairs(pairs: &mut [(u64, Segment)], threads: NonZeroUsize) {
        let by = |pair: &(u64, Segment)| (spread(pair.0), pair.1);
        let mut pieces = alloc::vec![&mut *pairs];
        while pieces.len() < threads.get() && pieces.iter().all(|piece| piece.len() > FEW) {
            let halves = pieces.into_iter().flat_map(|piece| {
                let middle = piece.len() / 2;
                piece.select_nth_unstable_by_key(middle, by);
                let (lower, upper) = piece.split_at_mut(middle);
                [lower, upper]
            });
            pieces = halves.collect();
        }
        share_out(threads.get(), pieces.into_iter(), |piece| piece.sort_unstable_by_key(by));
    }
}

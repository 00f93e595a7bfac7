//! Sorts hashes, alone or with data beside them, in the order of their fingerprints, on several
//! threads.

use core::num::NonZeroUsize;

use crate::kinds::bloom::bulk::share_out;

/// Fewer are sorted on one thread.
pub(super) const FEW: usize = 1 << 16;

/// Sorts by a key that is fast to compute.
pub(super) fn sort_by_key<T: Copy + Send, K: Ord>(
    values: &mut [T],
    threads: NonZeroUsize,
    by: impl Fn(&T) -> K + Copy + Send + Sync,
) {
    let mut pieces = alloc::vec![values];
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

//! How many bits are set, and how many are the capacity.

use super::Meta;
use crate::params::expected_fill;

/// How many bits are set, as far as inserting has to know.
///
/// One key at a time reports each bit it sets, so the count is exact. A batch far from the limit reports
/// nothing, for speed; its keys are added up, each good for k bits at most, and the bits are counted again
/// where that bound passes the limit.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// Set bits when last known.
    pub(super) counted: u64,
    /// Bits that may have been set since.
    pub(super) uncounted: u64,
    /// So many set bits are the capacity; [`NOT_YET`] until somebody has to know, since working it out takes longer than
    /// opening a small filter.
    limit: u64,
}

/// Less than any limit, so that whoever comes to it looks closer.
const NOT_YET: u64 = 0;

impl Tally {
    pub(super) fn new(set_bits: u64) -> Self {
        Tally { counted: set_bits, uncounted: 0, limit: NOT_YET }
    }

    /// So many set bits are the capacity of such a filter.
    fn limit_of(meta: &Meta) -> u64 {
        let shape = meta.shape;
        // The fill is known to 0.03 %: beyond 8 bits a line, the second bit of a word falls on the first a
        // little less often than once in 64. A thousandth more keys raises no rate by more than 2 %.
        let keys = 1.001 * meta.capacity as f64;
        let (fill, deviation) = expected_fill(shape.layout, shape.num_hashes, shape.bit_len, keys);
        let bits = (fill + 5.0 * deviation) * shape.bit_len as f64 + f64::from(shape.num_hashes);
        (bits as u64).min(shape.bit_len)
    }

    /// For bits that change without being told of.
    #[cfg(target_has_atomic = "64")]
    pub(super) fn unknown() -> Self {
        Tally { uncounted: u64::MAX, ..Tally::new(0) }
    }

    /// So many set bits are the capacity.
    pub(super) fn limit(&self, meta: &Meta) -> u64 {
        if self.limit == NOT_YET { Self::limit_of(meta) } else { self.limit }
    }

    /// Might as many bits be set as are the capacity? Where the bound is the truth and the limit known, they are.
    #[inline]
    pub(super) fn may_be_full(&self) -> bool {
        self.bound() >= self.limit
    }

    /// Works the limit out, where that was not done: before [`room`](Self::room) is asked.
    pub(super) fn know_limit(&mut self, meta: &Meta) {
        if self.limit == NOT_YET {
            self.limit = Self::limit_of(meta);
        }
    }

    /// At most so many bits are set.
    pub(super) fn bound(&self) -> u64 {
        self.counted.saturating_add(self.uncounted)
    }

    /// So many keys of k bits surely stay within the limit.
    pub(super) fn room(&self, k: u64) -> usize {
        let keys = self.limit.saturating_sub(self.bound()) / k;
        usize::try_from(keys).unwrap_or(usize::MAX)
    }

    /// Is the bound the truth?
    pub(super) fn is_exact(&self) -> bool {
        self.uncounted == 0
    }

    /// Some keys went in, and may have set so many bits.
    pub(super) fn add_uncounted(&mut self, bits: u64) {
        self.uncounted = self.uncounted.saturating_add(bits);
    }

    /// All bits were counted.
    pub(super) fn recounted(&mut self, bits: u64) {
        (self.counted, self.uncounted) = (bits, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is known of the set bits, and how many keys of k bits surely fit.
    #[test]
    fn a_tally_leaves_room() {
        let mut tally = Tally { counted: 100, uncounted: 0, limit: 1000 };
        assert!(tally.is_exact() && tally.bound() == 100);
        assert_eq!([1, 7, 9, 900, 901].map(|k| tally.room(k)), [900, 128, 100, 1, 0]);
        tally.add_uncounted(50);
        tally.add_uncounted(49);
        assert!(!tally.is_exact() && tally.bound() == 199);
        assert_eq!((tally.room(8), tally.room(9)), (100, 89));
        tally.add_uncounted(u64::MAX);
        assert_eq!((tally.bound(), tally.room(1)), (u64::MAX, 0));
        tally.recounted(999);
        assert!(tally.is_exact() && tally.room(1) == 1 && tally.room(2) == 0);
    }
}

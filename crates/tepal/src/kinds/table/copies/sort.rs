//! Sorts hashes in the order of their fingerprints, on several threads.

use core::num::NonZeroUsize;

use super::QuotientFilter;
use crate::bits::table::{gather, spread};
use crate::kinds::table::sort::sort_by_key;

impl QuotientFilter {
    /// Sorts hashes in the order of their fingerprints, which is the same for all filters. Building
    /// from sorted hashes
    /// ([`build_from_hashes`](crate::builders::QuotientFilterBuilder::build_from_hashes),
    /// [`insert_many_hashes`](Self::insert_many_hashes)) takes one pass over them. Equal hashes
    /// stand next to each other.
    ///
    /// ```
    /// use tepal::QuotientFilter;
    /// let builder = QuotientFilter::builder();
    /// let hasher = builder.key_hasher()?;
    /// let mut hashes = ["a", "b", "a"].map(|key| hasher.hash(key).unwrap()).to_vec();
    /// QuotientFilter::sort_hashes(&mut hashes, std::thread::available_parallelism().unwrap());
    /// hashes.dedup();
    /// assert_eq!(builder.build_from_hashes(hashes)?.len(), 2);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn sort_hashes(hashes: &mut [u64], threads: NonZeroUsize) {
        in_place(hashes, spread);
        sort_by_key(hashes, threads, |hash| *hash);
        in_place(hashes, gather);
    }
}

fn in_place(hashes: &mut [u64], each: impl Fn(u64) -> u64) {
    hashes.iter_mut().for_each(|hash| *hash = each(*hash));
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::kinds::table::sort::FEW;

    #[test]
    fn sorted_hashes_have_ascending_numbers() {
        for count in [0, 1, 2, 1000, FEW + 1, 4 * FEW + 7] {
            for threads in [1, 2, 3, 8] {
                let mut hashes: Vec<u64> = (0..count as u64)
                    .map(|i| (i / 3).wrapping_mul(0xD134_2543_DE82_EF95) ^ (i / 5))
                    .collect();
                let mut expected = hashes.clone();
                expected.sort_unstable_by_key(|hash| spread(*hash));
                QuotientFilter::sort_hashes(&mut hashes, NonZeroUsize::new(threads).unwrap());
                assert!(hashes == expected, "{count} {threads}");
            }
        }
        assert!((0..1000u64).all(|i| gather(spread(i << 40 | i)) == i << 40 | i));
    }
}

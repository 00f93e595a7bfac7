//! How many different keys a list has, in 3 MiB, whatever its length.
//!
//! Linear counting (Whang, Vander-Zanden and Taylor, "A linear-time probabilistic counting
//! algorithm for database applications", 1990): set one bit for each hash and work the number out
//! from the share of set bits. When the bits are nearly all set the count comes from a second array
//! that sees one hash in 16, then from a third that sees one in 256 (multiresolution bitmaps:
//! Estan, Varghese and Fisk, "Bitmap algorithms for counting active flows on high speed links",
//! 2003).
//!
//! The standard error with 2^23 bits, sampling included: 0.024 % at few keys, 0.046 % at 25
//! million, where the second array takes over with 0.08 % and falls to 0.05 % at 400 million, where
//! the third one does the same.

/// The position in an array is so many bits of a hash, after those that sample.
const POSITION_BITS: u32 = 23;
/// Bits of each array: 1 MiB, so that an array stays in the processor's cache.
const BITS: usize = 1 << POSITION_BITS;
/// An array counts well up to this share of set bits.
const NEARLY_FULL: f64 = 0.95;
/// Highest bits of the hash that must be 0 to reach each array.
const SAMPLED_BITS: [u32; 3] = [0, 4, 8];

/// Words of a counter of all hashes.
pub(super) const WORDS: usize = SAMPLED_BITS.len() * BITS / 64;

/// Twice the largest standard error of an estimate, relative: 2.3 % of all estimates are lower by
/// more.
pub(crate) const MARGIN: f64 = 0.0016;

/// Counts different hashes: all of a list, or those of them that begin with the same bits.
#[derive(Clone)]
pub(crate) struct DistinctCounter {
    /// Of each array what these hashes can reach.
    arrays: [Vec<u64>; 3],
}

impl DistinctCounter {
    /// A counter of all hashes that has seen nothing.
    pub(crate) fn new() -> Self {
        Self::of_part(0, 0)
    }

    /// One of `2^bits` counters, which together are one: it is to see the hashes whose highest bits
    /// are `part`.
    pub(crate) fn of_part(bits: u32, part: usize) -> Self {
        let array = |sampled: u32| {
            // Of the highest bits, those that do not sample are the same in all positions.
            let same = bits.saturating_sub(sampled);
            vec![0; if part >> same == 0 { (BITS / 64) >> same } else { 0 }]
        };
        Self { arrays: SAMPLED_BITS.map(array) }
    }

    /// Counts these too.
    pub(crate) fn add(&mut self, hashes: &[u64]) {
        let [all, some, few] = &mut self.arrays;
        let [_, one_in_16, one_in_256] = SAMPLED_BITS;
        for &hash in hashes {
            set(all, hash);
            if hash >> (u64::BITS - one_in_16) == 0 {
                set(some, hash << one_in_16);
                if hash >> (u64::BITS - one_in_256) == 0 {
                    set(few, hash << one_in_256);
                }
            }
        }
    }

    /// Counts what the other one has counted too: as if this one had seen all hashes. Both are of
    /// all hashes.
    pub(super) fn unite(&mut self, other: &Self) {
        for (here, there) in self.arrays.iter_mut().zip(&other.arrays) {
            here.iter_mut().zip(there).for_each(|(here, there)| *here |= there);
        }
    }

    /// What it knows, in words. Of a counter of all hashes these are `WORDS`.
    pub(super) fn words(&self) -> impl Iterator<Item = u64> {
        self.arrays.iter().flatten().copied()
    }

    /// A counter of all hashes from so many of [`words`](Self::words).
    pub(super) fn from_words(mut words: impl Iterator<Item = u64>) -> Self {
        let array = |_| words.by_ref().take(BITS / 64).collect();
        Self { arrays: SAMPLED_BITS.map(array) }
    }

    /// About how many different hashes there were.
    pub(crate) fn estimate(&self) -> f64 {
        Self::estimate_of([self])
    }

    /// About how many different hashes there were in all parts. A part that had none may be
    /// missing.
    pub(crate) fn estimate_of<'a>(parts: impl IntoIterator<Item = &'a Self>) -> f64 {
        let mut set = [0_u64; 3];
        for part in parts {
            for (set, array) in set.iter_mut().zip(&part.arrays) {
                *set += array.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            }
        }
        let mut arrays = set.into_iter().map(|set| set as f64 / BITS as f64).zip(SAMPLED_BITS);
        let usable = arrays.find(|&(share, bits)| share < NEARLY_FULL || bits == SAMPLED_BITS[2]);
        let (share, bits) = usable.unwrap_or_default();
        // Were all bits set, one that is not would be as near.
        let unset = (1.0 - share).max(1.0 / BITS as f64);
        // The same number on every machine, which the system's own logarithm does not promise.
        -libm::log(unset) * BITS as f64 * f64::from(1 << bits)
    }
}

/// How many different keys there are among so many, by an estimate: all of them, where that cannot
/// be told from it.
pub(crate) fn different(keys: u64, estimate: f64) -> u64 {
    if keys as f64 <= estimate * (1.0 + MARGIN) { keys } else { estimate.round() as u64 }
}

/// Sets the bit that the highest bits of a hash name, in an array or in a part of it.
#[inline]
fn set(array: &mut [u64], hash: u64) {
    let position = hash >> (u64::BITS - POSITION_BITS);
    let word = (position / 64) as usize & (array.len() - 1);
    array[word] |= 1 << (position % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The n-th of a sequence of well spread numbers (splitmix64).
    fn spread(n: u64) -> u64 {
        let mut x = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    #[test]
    fn estimates_are_within_the_margin_across_all_arrays() {
        let mut counter = DistinctCounter::new();
        let mut seen = 0_u64;
        for n in [0, 1, 100, 10_000, 1_000_000, 20_000_000, 30_000_000] {
            while seen < n {
                let upto = n.min(seen + 65_536);
                let hashes: Vec<u64> = (seen + 1..=upto).map(spread).collect();
                counter.add(&hashes);
                // Repeats count nothing.
                counter.add(&hashes[..hashes.len() / 2]);
                seen = upto;
            }
            let error = (counter.estimate() - n as f64).abs();
            assert!(error <= 2.0 + 2.0 * MARGIN * n as f64, "{n}: off by {error}");
        }
    }

    /// So many of the first bits of each array are set as chance would set them for `n` different
    /// hashes, off by so many standard deviations.
    fn after(n: f64, deviations: [f64; 3]) -> DistinctCounter {
        let mut counter = DistinctCounter::new();
        for ((array, bits), deviations) in counter.arrays.iter_mut().zip(SAMPLED_BITS).zip(deviations) {
            let (all, one_in) = (BITS as f64, f64::from(1 << bits));
            // A hash reaches the array by chance, and may fall on a bit that is set.
            let load = n / one_in / all;
            let unset = libm::exp(-load);
            let sampled = n / one_in * (1.0 - 1.0 / one_in);
            let variance = all * unset * (1.0 - (1.0 + load) * unset) + sampled * unset * unset;
            let set = all * (1.0 - unset) + deviations * libm::sqrt(variance);
            let set = set.clamp(0.0, all) as usize;
            array[..set / 64].fill(u64::MAX);
            if set % 64 > 0 {
                array[set / 64] = (1 << (set % 64)) - 1;
            }
        }
        counter
    }

    /// One standard deviation of what chance sets moves the estimate by half of the margin at most,
    /// at every number. The margin is a round number: at 410 million it is 1.93 times that.
    #[test]
    fn no_array_is_trusted_for_longer_than_the_margin_allows() {
        let mut n = 1000.0;
        while n < 6.0e9 {
            for deviation in [-1.0, 0.0, 1.0] {
                let found = after(n, [deviation; 3]).estimate();
                let off = (found - n).abs() / n;
                // The bits that are set are whole ones: one more or less.
                let most = if deviation == 0.0 { 1e-6 } else { 0.53 * MARGIN } + 1.5 / n;
                assert!(off <= most, "{n} hashes, {deviation} deviations: {found}, off by {off}");
            }
            n *= 1.15;
        }
    }

    #[test]
    fn parts_count_what_one_counter_counts() {
        for (bits, n) in [(1, 1000), (4, 100_000), (7, 9_000_000), (9, 30_000_000)] {
            let mut whole = DistinctCounter::new();
            let mut parts: Vec<_> = (0..1 << bits).map(|part| DistinctCounter::of_part(bits, part)).collect();
            for hash in (0..n).map(spread) {
                whole.add(&[hash]);
                parts[(hash >> (u64::BITS - bits)) as usize].add(&[hash]);
            }
            assert_eq!(DistinctCounter::estimate_of(&parts), whole.estimate(), "{bits} bits");
            let words = |counter: &DistinctCounter| counter.arrays.iter().map(Vec::len).sum::<usize>();
            assert_eq!(parts.iter().map(words).sum::<usize>(), words(&whole));
        }
    }
}

//! Counts the different keys of a list of any length in 3 MiB.
//!
//! Linear counting (Whang, Vander-Zanden and Taylor, "A linear-time probabilistic counting
//! algorithm for database applications", 1990) sets one bit for each hash and computes the number
//! from the share of set bits. When almost all bits are set, the count comes from a second array
//! that sees one hash in 16, then from a third that sees one in 256 (multiresolution bitmaps:
//! Estan, Varghese and Fisk, "Bitmap algorithms for counting active flows on high speed links",
//! 2003).
//!
//! The standard error with 2^23 bits, including sampling, is 0.024 % at few keys and 0.046 % at 25
//! million. There the second array takes over, with 0.08 %, which falls to 0.05 % at 400 million.
//! There the third array takes over, with the same errors.

/// The number of hash bits that are the position in an array; they follow the sampling bits.
const POSITION_BITS: u32 = 23;
/// The number of bits of each array: 1 MiB, so that an array stays in the processor's cache.
const BITS: usize = 1 << POSITION_BITS;
/// An array gives good counts up to this share of set bits.
const NEARLY_FULL: f64 = 0.95;
/// For each array, how many of the highest bits of a hash must be 0 to reach it.
const SAMPLED_BITS: [u32; 3] = [0, 4, 8];

/// The number of words of a counter of all hashes.
pub(super) const WORDS: usize = SAMPLED_BITS.len() * BITS / 64;

/// Twice the largest relative standard error of an estimate: 2.3 % of all estimates are too low by
/// more than this.
pub(crate) const MARGIN: f64 = 0.0016;

/// Counts different hashes: all of a list, or only those that begin with the same bits.
#[derive(Clone)]
pub(crate) struct DistinctCounter {
    /// Of each array, the part that these hashes can reach.
    arrays: [Vec<u64>; 3],
}

impl DistinctCounter {
    /// Makes a counter of all hashes that has seen none.
    pub(crate) fn new() -> Self {
        Self::of_part(0, 0)
    }

    /// Makes one of `2^bits` counters that together count all hashes. It will see the hashes whose
    /// highest bits are `part`.
    pub(crate) fn of_part(bits: u32, part: usize) -> Self {
        let array = |sampled: u32| {
            // The highest bits that do not sample are the same in all positions.
            let same = bits.saturating_sub(sampled);
            vec![0; if part >> same == 0 { (BITS / 64) >> same } else { 0 }]
        };
        Self { arrays: SAMPLED_BITS.map(array) }
    }

    /// Counts more hashes.
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

    /// Adds what another counter has counted, as if this one had seen its hashes. Both must be
    /// counters of all hashes.
    pub(super) fn unite(&mut self, other: &Self) {
        for (here, there) in self.arrays.iter_mut().zip(&other.arrays) {
            here.iter_mut().zip(there).for_each(|(here, there)| *here |= there);
        }
    }

    /// The state of the counter, in words. For a counter of all hashes these are `WORDS` words.
    pub(super) fn words(&self) -> impl Iterator<Item = u64> {
        self.arrays.iter().flatten().copied()
    }

    /// Makes a counter of all hashes from its [`words`](Self::words).
    pub(super) fn from_words(mut words: impl Iterator<Item = u64>) -> Self {
        let array = |_| words.by_ref().take(BITS / 64).collect();
        Self { arrays: SAMPLED_BITS.map(array) }
    }

    /// The estimated number of different hashes.
    pub(crate) fn estimate(&self) -> f64 {
        Self::estimate_of([self])
    }

    /// The estimated number of different hashes in all parts. A part without hashes may be missing.
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
        // If all bits are set, one unset bit is as good an estimate.
        let unset = (1.0 - share).max(1.0 / BITS as f64);
        // Gives the same number on every machine, which the system's own logarithm does not
        // promise.
        -libm::log(unset) * BITS as f64 * f64::from(1 << bits)
    }
}

/// The number of different keys among `keys` keys, from an estimate. If `keys` is at most the
/// estimate plus its margin, all keys count as different.
pub(crate) fn different(keys: u64, estimate: f64) -> u64 {
    if keys as f64 <= estimate * (1.0 + MARGIN) { keys } else { estimate.round() as u64 }
}

/// Sets the bit for a hash in an array or in a part of it: its position is the highest bits of
/// `hash`.
#[inline]
fn set(array: &mut [u64], hash: u64) {
    let position = hash >> (u64::BITS - POSITION_BITS);
    let word = (position / 64) as usize & (array.len() - 1);
    array[word] |= 1 << (position % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The n-th number of a well-spread sequence (splitmix64).
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
                // Repeats do not count.
                counter.add(&hashes[..hashes.len() / 2]);
                seen = upto;
            }
            let error = (counter.estimate() - n as f64).abs();
            assert!(error <= 2.0 + 2.0 * MARGIN * n as f64, "{n}: off by {error}");
        }
    }

    /// A counter in whose arrays the first bits are set. Their number is the expected number for
    /// `n` different hashes, plus these numbers of standard deviations.
    fn after(n: f64, deviations: [f64; 3]) -> DistinctCounter {
        let mut counter = DistinctCounter::new();
        for ((array, bits), deviations) in counter.arrays.iter_mut().zip(SAMPLED_BITS).zip(deviations) {
            let (all, one_in) = (BITS as f64, f64::from(1 << bits));
            // A hash reaches the array by chance, and may fall on a bit that is set already.
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

    /// At every number of keys, one standard deviation of the set bits moves the estimate by at
    /// most half of the margin. The margin is a round number: at 410 million keys it is 1.93 times
    /// the deviation.
    #[test]
    fn no_array_is_trusted_for_longer_than_the_margin_allows() {
        let mut n = 1000.0;
        while n < 6.0e9 {
            for deviation in [-1.0, 0.0, 1.0] {
                let found = after(n, [deviation; 3]).estimate();
                let off = (found - n).abs() / n;
                // The number of set bits is an integer: one more or less.
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

//! How many different keys a list has, in 3 MiB, whatever its length.
//!
//! Linear counting (Whang, Vander-Zanden and Taylor, "A linear-time probabilistic counting algorithm for database
//! applications", 1990): set one bit for each hash and work the number out from the share of set bits. That is a
//! Bloom filter with k = 1, so the library does it. When the bits are nearly all set the count comes from a second
//! array that sees one hash in 16, then from a third that sees one in 256 (multiresolution bitmaps: Estan, Varghese
//! and Fisk, "Bitmap algorithms for counting active flows on high speed links", 2003).
//!
//! The standard error with 2^23 bits, sampling included: 0.024 % at few keys, 0.046 % at 25 million, where the
//! second array takes over with 0.08 % and falls to 0.05 % at 400 million, where the third one does the same.

use tepal::{BloomFilter, Error, Layout, OverCapacity};

/// Bits of each array: 1 MiB, so that an array stays in the processor's cache.
const BITS: u64 = 1 << 23;
/// An array counts well up to this share of set bits.
const NEARLY_FULL: f64 = 0.95;
/// Low bits of the hash that must be 0 to reach each array. The position comes from the high bits.
const SAMPLED_BITS: [u32; 3] = [0, 4, 8];

/// Twice the largest standard error of an estimate, relative: 2.3 % of all estimates are lower by more.
pub const MARGIN: f64 = 0.0016;

/// Counts different hashes.
pub struct DistinctCounter {
    arrays: [BloomFilter; 3],
    sampled: Vec<u64>,
}

impl DistinctCounter {
    /// A counter that has seen nothing.
    pub fn new() -> Result<Self, Error> {
        let array = || {
            BloomFilter::builder()
                .layout(Layout::Scattered)
                .num_hashes(1)
                .bit_len(BITS)
                .capacity(BITS)
                .over_capacity(OverCapacity::Ignore)
                .build()
        };
        Ok(Self { arrays: [array()?, array()?, array()?], sampled: Vec::new() })
    }

    /// Counts these too.
    pub fn add(&mut self, hashes: &[u64]) -> Result<(), Error> {
        let [all, some, few] = &mut self.arrays;
        all.insert_many_hashes(hashes)?;
        // What the third array sees, the second one has seen too.
        self.sampled.clear();
        self.sampled.extend(hashes.iter().filter(|&hash| hash & mask(SAMPLED_BITS[1]) == 0));
        some.insert_many_hashes(&self.sampled)?;
        self.sampled.retain(|hash| hash & mask(SAMPLED_BITS[2]) == 0);
        few.insert_many_hashes(&self.sampled)
    }

    /// About how many different hashes there were.
    pub fn estimate(&self) -> f64 {
        let scale = |bits: u32| (1_u64 << bits) as f64;
        let usable = self.arrays.iter().zip(SAMPLED_BITS).find(|(array, _)| array.fill_ratio() < NEARLY_FULL);
        let (array, bits) = usable.unwrap_or((&self.arrays[2], SAMPLED_BITS[2]));
        array.estimated_len() * scale(bits)
    }
}

/// The bits that must be 0.
const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
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
        let mut counter = DistinctCounter::new().unwrap();
        let mut seen = 0_u64;
        for n in [0, 1, 100, 10_000, 1_000_000, 20_000_000, 30_000_000] {
            while seen < n {
                let upto = n.min(seen + 65_536);
                let hashes: Vec<u64> = (seen + 1..=upto).map(spread).collect();
                counter.add(&hashes).unwrap();
                // Repeats count nothing.
                counter.add(&hashes[..hashes.len() / 2]).unwrap();
                seen = upto;
            }
            let error = (counter.estimate() - n as f64).abs();
            assert!(error <= 2.0 + 2.0 * MARGIN * n as f64, "{n}: off by {error}");
        }
    }
}

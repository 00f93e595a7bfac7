//! The parities of eight columns of a ribbon, in a version for each CPU level, and the columns'
//! places.

#![allow(unsafe_code)]

/// One version of the computation. Every version gives the same bits.
pub(crate) trait Parities {
    /// The parities of eight pairs of words, the first pair in the lowest bit. A parity counts only
    /// the bits that `halves` selects: its first number selects bits of the first word, its second
    /// number bits of the second word.
    fn parities(first: &[u64; 8], second: &[u64; 8], halves: (u64, u64)) -> u64;
}

/// The version for any machine.
pub(crate) struct Plain;

impl Parities for Plain {
    #[inline(always)]
    fn parities(first: &[u64; 8], second: &[u64; 8], (low, high): (u64, u64)) -> u64 {
        let mut parities = 0;
        for i in 0..8 {
            let ones = ((first[i] & low) ^ (second[i] & high)).count_ones();
            parities |= u64::from(ones & 1) << i;
        }
        parities
    }
}

/// The version for AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Parities for Avx2 {
    // Only the CPU feature is unsafe, the same for each intrinsic.
    #[allow(clippy::multiple_unsafe_ops_per_block)]
    #[inline(always)]
    fn parities(first: &[u64; 8], second: &[u64; 8], (low, high): (u64, u64)) -> u64 {
        use core::arch::x86_64::*;
        /// For each number of four bits, is its number of ones odd? The bit for 0 is the highest.
        const ODD: i32 = 0x6996_0000;
        // SAFETY: only functions of levels with AVX2 name this type, and they run only on a CPU
        // that has it. The loads read four of the eight words from the first on, and the four after
        // them.
        unsafe {
            let (low, high) = (_mm256_set1_epi64x(low as i64), _mm256_set1_epi64x(high as i64));
            let named = |i: usize| {
                let first = _mm256_loadu_si256(first[i..].as_ptr().cast());
                let second = _mm256_loadu_si256(second[i..].as_ptr().cast());
                _mm256_xor_si256(_mm256_and_si256(first, low), _mm256_and_si256(second, high))
            };
            // The lower halves of all eight, and the upper ones: columns 0, 1, 4, 5, 2, 3, 6, 7.
            let (x, y) = (_mm256_castsi256_ps(named(0)), _mm256_castsi256_ps(named(4)));
            let (lower, upper) = (_mm256_shuffle_ps::<0x88>(x, y), _mm256_shuffle_ps::<0xDD>(x, y));
            let folded = _mm256_castps_si256(_mm256_xor_ps(lower, upper));
            let mut folded = _mm256_permute4x64_epi64::<0xD8>(folded);
            // Adding the halves keeps the parity: 32 bits, 16, 8, 4, always the highest.
            folded = _mm256_xor_si256(folded, _mm256_slli_epi32::<16>(folded));
            folded = _mm256_xor_si256(folded, _mm256_slli_epi32::<8>(folded));
            folded = _mm256_xor_si256(folded, _mm256_slli_epi32::<4>(folded));
            let odd = _mm256_sllv_epi32(_mm256_set1_epi32(ODD), _mm256_srli_epi32::<28>(folded));
            u64::from(_mm256_movemask_ps(_mm256_castsi256_ps(odd)) as u32)
        }
    }
}

/// The version for CPUs that count the bits of eight words at once.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(crate) struct Counting;

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
impl Parities for Counting {
    // Only the CPU feature is unsafe, the same for each intrinsic.
    // The feature `avx512` requires the Rust version with these intrinsics.
    #[allow(clippy::multiple_unsafe_ops_per_block, clippy::incompatible_msrv)]
    #[inline(always)]
    fn parities(first: &[u64; 8], second: &[u64; 8], (low, high): (u64, u64)) -> u64 {
        use core::arch::x86_64::*;
        // SAFETY: only the function of the level with AVX-512 and its vector popcount names this
        // type, and it runs only on a CPU that has both. The loads read eight words.
        unsafe {
            let first = _mm512_loadu_si512(first.as_ptr().cast());
            let second = _mm512_loadu_si512(second.as_ptr().cast());
            let first = _mm512_and_si512(first, _mm512_set1_epi64(low as i64));
            let second = _mm512_and_si512(second, _mm512_set1_epi64(high as i64));
            let ones = _mm512_popcnt_epi64(_mm512_xor_si512(first, second));
            u64::from(_mm512_test_epi64_mask(ones, _mm512_set1_epi64(1)))
        }
    }
}

/// Reads columns eight at a time: those of the 64 slots from a start on, and those of the next 64
/// slots.
#[derive(Clone, Copy)]
pub(crate) struct Eights<'a> {
    words: &'a [u64],
    /// The columns of a slot, or one less.
    columns: usize,
    /// The last place at which reading can begin.
    most: usize,
}

impl<'a> Eights<'a> {
    /// `None` if there are too few words for one key.
    #[inline(always)]
    pub(crate) fn new(words: &'a [u64], columns: u8) -> Option<Self> {
        let columns = usize::from(columns);
        let most = words.len().checked_sub(columns + 9)?;
        Some(Eights { words, columns, most })
    }

    /// Eight words from `at` on, and eight words of the next slots, which begin `columns` or
    /// `columns + 1` words later. `None` if there are too few words.
    #[inline(always)]
    pub(crate) fn at(self, at: usize, has_more: bool) -> Option<(&'a [u64; 8], &'a [u64; 8])> {
        if at > self.most {
            return None;
        }
        let next = at + self.columns + usize::from(has_more);
        // SAFETY: `new` checked that there are columns + 9 words from `most` on, and `at` is at
        // most `most`.
        let first = unsafe { self.words.get_unchecked(at..at + 8) };
        // SAFETY: `next` is at most at + columns + 1, and eight words follow it.
        let second = unsafe { self.words.get_unchecked(next..next + 8) };
        Some((first.try_into().ok()?, second.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::mix::finish;

    /// Every level of this machine, compared with the plain version.
    #[test]
    fn every_way_gives_the_same_bits() {
        for i in 0..4000u64 {
            let word = |j: u64| match i % 4 {
                0 => finish(64 * i + j),
                // Few bits, all bits, the bits at the ends.
                1 => 1 << (finish(i) >> (j % 56) & 63),
                2 => u64::MAX << ((j + i / 4) % 64),
                _ => (1 << 63 | 1) >> ((i / 4 + j) % 2),
            };
            let (first, second): ([u64; 8], [u64; 8]) =
                (core::array::from_fn(|j| word(j as u64)), core::array::from_fn(|j| word(8 + j as u64)));
            let halves = (word(16), word(17));
            let plain = Plain::parities(&first, &second, halves);
            for j in 0..8 {
                let ones = (first[j] & halves.0).count_ones() + (second[j] & halves.1).count_ones();
                assert_eq!(plain >> j & 1, u64::from(ones % 2));
            }
            assert!(plain < 256);
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            if std::is_x86_feature_detected!("avx2") {
                assert_eq!(Avx2::parities(&first, &second, halves), plain, "{i}");
            }
            #[cfg(all(target_arch = "x86_64", feature = "avx512", feature = "std"))]
            if std::is_x86_feature_detected!("avx512vpopcntdq") && std::is_x86_feature_detected!("avx512dq") {
                assert_eq!(Counting::parities(&first, &second, halves), plain, "{i}");
            }
        }
    }
}

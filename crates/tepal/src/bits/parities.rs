//! The parities of eight columns of a ribbon, each level its own way, and where the columns are.

#![allow(unsafe_code)]

/// A level's way. Every way gives the same bits.
pub(crate) trait Parities {
    /// For each of eight pairs of words, is the number of their bits odd that are named? Of the
    /// first words by the first of `halves`, of the second by the second. The answer for the first
    /// pair is the lowest bit.
    fn parities(first: &[u64; 8], second: &[u64; 8], halves: (u64, u64)) -> u64;
}

/// The way of a machine of which nothing is known.
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

/// The way of a level with AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Parities for Avx2 {
    // What is unsafe is that the CPU has the level, the same for each.
    #[allow(clippy::multiple_unsafe_ops_per_block)]
    #[inline(always)]
    fn parities(first: &[u64; 8], second: &[u64; 8], (low, high): (u64, u64)) -> u64 {
        use core::arch::x86_64::*;
        /// For each number of four bits, whether the number of ones in it is odd, that of 0 at the
        /// top.
        const ODD: i32 = 0x6996_0000;
        // SAFETY: only the functions of levels with AVX2 name this type, and they are called where
        // the CPU has it. What is loaded are four of the eight words from the first on, and the
        // four behind them.
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
            // What is odd stays so when halves are added to each other: 32 bits, 16, 8, 4, always
            // the highest.
            folded = _mm256_xor_si256(folded, _mm256_slli_epi32::<16>(folded));
            folded = _mm256_xor_si256(folded, _mm256_slli_epi32::<8>(folded));
            folded = _mm256_xor_si256(folded, _mm256_slli_epi32::<4>(folded));
            let odd = _mm256_sllv_epi32(_mm256_set1_epi32(ODD), _mm256_srli_epi32::<28>(folded));
            u64::from(_mm256_movemask_ps(_mm256_castsi256_ps(odd)) as u32)
        }
    }
}

/// The way of a level that counts the bits of eight words at once.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(crate) struct Counting;

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
impl Parities for Counting {
    // What is unsafe is that the CPU has the level, the same for each.
    // The feature wants the Rust that has these.
    #[allow(clippy::multiple_unsafe_ops_per_block, clippy::incompatible_msrv)]
    #[inline(always)]
    fn parities(first: &[u64; 8], second: &[u64; 8], (low, high): (u64, u64)) -> u64 {
        use core::arch::x86_64::*;
        // SAFETY: only the function of the level with AVX-512 and its vectors' counts names this
        // type, and it is called where the CPU has them. What is loaded are eight words.
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

/// Where columns are read, eight at once: those of the 64 slots from a start on, and those of the
/// 64 behind.
#[derive(Clone, Copy)]
pub(crate) struct Eights<'a> {
    words: &'a [u64],
    /// The columns of a slot, or one fewer.
    columns: usize,
    /// Where reading can begin at the most.
    most: usize,
}

impl<'a> Eights<'a> {
    /// Nothing where there are too few words for one key.
    #[inline(always)]
    pub(crate) fn new(words: &'a [u64], columns: u8) -> Option<Self> {
        let columns = usize::from(columns);
        let most = words.len().checked_sub(columns + 9)?;
        Some(Eights { words, columns, most })
    }

    /// Eight words from `at` on, and eight from the next slots' on, which are `columns` behind, or
    /// one more; if there are so many.
    #[inline(always)]
    pub(crate) fn at(self, at: usize, has_more: bool) -> Option<(&'a [u64; 8], &'a [u64; 8])> {
        if at > self.most {
            return None;
        }
        let next = at + self.columns + usize::from(has_more);
        // SAFETY: `new` has seen that there are columns + 9 words from `at` on.
        let first = unsafe { self.words.get_unchecked(at..at + 8) };
        // SAFETY: `next` is at + columns + 1 at the most, and eight words are from there on.
        let second = unsafe { self.words.get_unchecked(next..next + 8) };
        Some((first.try_into().ok()?, second.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::mix::finish;

    /// Each level that this machine has, against the plain one.
    #[test]
    fn every_way_gives_the_same_bits() {
        for i in 0..4000u64 {
            let word = |j: u64| match i % 4 {
                0 => finish(64 * i + j),
                // Few bits, all of them, those at the ends.
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

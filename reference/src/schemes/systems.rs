//! Schemes 21 to 28: the rules of other programs.

use super::fnv_crc::fnv1_64;
use super::murmur::{MURMUR64A_M, murmur3_x64_128, murmur64a, spark_murmur3_32};
use crate::siphash::siphash13;

/// The largest prime below 2^64.
const P: u64 = 18446744073709551557;

/// Scheme 21: the low and the high half of h1, combined in 32 bits.
pub(super) fn guava_mitz32(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    let (h1, _) = murmur3_x64_128(key, 0);
    steps_of_32(h1 as u32, (h1 >> 32) as u32, k, m)
}

/// Scheme 22: h1, h1 + h2, h1 + 2·h2, ... without the top bit.
pub(super) fn guava_mitz64(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    let (h1, h2) = murmur3_x64_128(key, 0);
    let mut positions = Vec::new();
    for i in 0..u64::from(k) {
        let c = h1.wrapping_add(i.wrapping_mul(h2));
        positions.push(c % (1 << 63) % m);
    }
    positions
}

/// Scheme 23: as scheme 21, over Spark's hash.
pub(super) fn spark_v1(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    let h1 = spark_murmur3_32(key, 0);
    let h2 = spark_murmur3_32(key, h1);
    steps_of_32(h1, h2, k, m)
}

/// a + i·b for i from 1 to k in 32 bits; a number whose top bit is set is inverted.
fn steps_of_32(a: u32, b: u32, k: u32, m: u64) -> Vec<u64> {
    let mut positions = Vec::new();
    for i in 1..=k {
        let mut c = a.wrapping_add(i.wrapping_mul(b));
        if c >= 1 << 31 {
            c = !c;
        }
        positions.push(u64::from(c) % m);
    }
    positions
}

/// Scheme 24: the same two hashes from a seed, as signed numbers, combined in 64 bits.
pub(super) fn spark_v2(key: &[u8], seed: i32, k: u32, m: u64) -> Vec<u64> {
    let h1 = spark_murmur3_32(key, seed as u32);
    let h2 = spark_murmur3_32(key, h1);
    let (h1, h2) = (i128::from(h1 as i32), i128::from(h2 as i32));
    let mut positions = Vec::new();
    for i in 0..i128::from(k) {
        // `as` keeps the low 64 bits, which is wrapping. Each number is made anew: the inverted one is not
        // carried on.
        let mut c = (h1 * i128::from(i32::MAX) + (i + 1) * h2) as i64;
        if c < 0 {
            c = !c;
        }
        positions.push(c as u64 % m);
    }
    positions
}

/// Scheme 25: four hashes, from the key and from the key with a byte 01 behind it.
pub(super) fn bits_and_blooms(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    let longer = [key, &[1]].concat();
    let (h0, h1) = murmur3_x64_128(key, 0);
    let (h2, h3) = murmur3_x64_128(&longer, 0);
    let h = [h0, h1, h2, h3];
    let mut positions = Vec::new();
    for i in 0..k as usize {
        let factor = h[2 + ((i + i % 2) % 4) / 2];
        let c = h[i % 2].wrapping_add((i as u64).wrapping_mul(factor));
        positions.push(c % m);
    }
    positions
}

/// Scheme 26: a chain of multiplications, cut to 64 bits before the remainder.
pub(super) fn dcso(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    const G: u64 = 18446744073709550147;
    let mut x = fnv1_64(key) % P;
    let mut positions = Vec::new();
    for _ in 0..k {
        x = x.wrapping_mul(G) % P;
        positions.push(x % m);
    }
    positions
}

/// Scheme 27: MurmurHash64A twice, the first hash the seed of the second.
pub(super) fn redisbloom(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    let a = murmur64a(key, MURMUR64A_M);
    let b = murmur64a(key, a);
    let mut positions = Vec::new();
    for i in 0..u64::from(k) {
        positions.push(a.wrapping_add(i.wrapping_mul(b)) % m);
    }
    positions
}

/// Scheme 28: SipHash-1-3 of the length and the key, under either half of the seed.
pub(super) fn valkey_bloom(key: &[u8], seed: &[u8; 32], k: u32, m: u64) -> Vec<u64> {
    let mut item = (key.len() as u64).to_le_bytes().to_vec();
    item.extend(key);
    let mut halves = [[0; 16]; 2];
    halves[0].copy_from_slice(&seed[..16]);
    halves[1].copy_from_slice(&seed[16..]);
    let (s0, s1) = (siphash13(&halves[0], &item), siphash13(&halves[1], &item));
    let mut positions = Vec::new();
    for i in 0..u64::from(k) {
        positions.push(match i {
            0 => s0 % m,
            1 => s1 % m,
            _ => s0.wrapping_add(i.wrapping_mul(s1)) % P % m,
        });
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_32_bits_by_hand() {
        // 5 - 3 = 2, 5 - 6 = -1 whose complement is 0, 5 - 9 = -4 whose complement is 3.
        assert_eq!(steps_of_32(5, -3i32 as u32, 3, 1 << 40), [2, 0, 3]);
        // 2^31 - 1 + 1 is the least signed number; its complement is the greatest.
        assert_eq!(steps_of_32((1 << 31) - 1, 1, 1, 1 << 40), [(1 << 31) - 1]);
    }

    #[test]
    fn the_empty_key_in_murmur3_is_bit_0() {
        // Both of its hashes are 0.
        assert_eq!(guava_mitz64(b"", 5, 2240), [0; 5]);
        assert_eq!(guava_mitz32(b"", 5, 2240), [0; 5]);
    }

    #[test]
    fn spark_does_not_reach_bits_that_31_bits_cannot_name() {
        let m = 64 << 30;
        for i in 0..1000u32 {
            let v1 = spark_v1(&i.to_le_bytes(), 8, m);
            assert!(v1.iter().all(|&p| p < 1 << 31));
        }
        let v2 = (0..1000u32).flat_map(|i| spark_v2(&i.to_le_bytes(), 0, 8, m));
        assert!(v2.max().unwrap() > m / 8 * 7);
    }
}

//! The rules of other systems' filters: from the bytes of a key to its positions, bit for bit.
//! Each function names the page of documents it was written from in `docs/formats.md`.

use siphasher::sip::SipHasher13;

use super::murmur::{murmur2_64, murmur3_128, spark_murmur3_32};

/// Guava's MURMUR128_MITZ_64: h1, h1 + h2, ... with the sign bit masked off each copy.
pub(super) fn guava_mitz64(key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
    let (h1, h2) = murmur3_128(key, b"");
    let mut combined = h1;
    (0..k).map(move |_| {
        let position = (combined & (u64::MAX >> 1)) % m;
        combined = combined.wrapping_add(h2);
        position
    })
}

/// Guava's MURMUR128_MITZ_32: the halves of h1 in 32-bit arithmetic. Never reaches a bit from 2^31 on.
pub(super) fn guava_mitz32(key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
    let (h1, _) = murmur3_128(key, b"");
    steps_of_32(h1 as i32, (h1 >> 32) as i32, k, m)
}

/// Spark's V1: as Guava's 32-bit strategy, over Spark's own Murmur3.
pub(super) fn spark_v1(key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
    let h1 = spark_murmur3_32(key, 0);
    steps_of_32(h1 as i32, spark_murmur3_32(key, h1) as i32, k, m)
}

/// a + i·b for i from 1 to k in wrapping 32-bit arithmetic; negative numbers are inverted.
fn steps_of_32(a: i32, b: i32, k: u32, m: u64) -> impl Iterator<Item = u64> {
    (1..=k).map(move |i| {
        let combined = a.wrapping_add((i as i32).wrapping_mul(b));
        (if combined < 0 { !combined } else { combined }) as u64 % m
    })
}

/// Spark's V2: the same two hashes with a seed, combined in 64 bits.
pub(super) fn spark_v2(key: &[u8], seed: i32, k: u32, m: u64) -> impl Iterator<Item = u64> {
    let h1 = spark_murmur3_32(key, seed as u32);
    let h2 = i64::from(spark_murmur3_32(key, h1) as i32);
    let mut combined = i64::from(h1 as i32).wrapping_mul(i64::from(i32::MAX));
    (0..k).map(move |_| {
        combined = combined.wrapping_add(h2);
        // The inverted number is not carried into the next step.
        (if combined < 0 { !combined } else { combined }) as u64 % m
    })
}

/// bits-and-blooms: four 64-bit hashes from two runs of Murmur3, the second over the key and a byte 1.
pub(super) fn bits_and_blooms(key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
    let ((h0, h1), (h2, h3)) = (murmur3_128(key, b""), murmur3_128(key, b"\x01"));
    let h = [h0, h1, h2, h3];
    (0..u64::from(k)).map(move |i| {
        let factor = h[(2 + (i + i % 2) % 4 / 2) as usize];
        h[(i % 2) as usize].wrapping_add(i.wrapping_mul(factor)) % m
    })
}

/// DCSO's bloom: FNV-1, then a chain of truncated multiplications mod 2^64 - 59.
pub(super) fn dcso(key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
    const P: u64 = 18_446_744_073_709_551_557;
    const G: u64 = 18_446_744_073_709_550_147;
    let fnv = key
        .iter()
        .fold(14_695_981_039_346_656_037u64, |h, &byte| h.wrapping_mul(1_099_511_628_211) ^ u64::from(byte));
    let mut h = fnv % P;
    (0..k).map(move |_| {
        h = h.wrapping_mul(G) % P;
        h % m
    })
}

/// RedisBloom with its 64-bit option: MurmurHash64A twice, a + i·b.
pub(super) fn redisbloom(key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
    let a = murmur2_64(key, 0xc6a4_a793_5bd1_e995);
    let b = murmur2_64(key, a);
    (0..u64::from(k)).map(move |i| a.wrapping_add(i.wrapping_mul(b)) % m)
}

/// valkey-bloom: SipHash-1-3 of the length and the key under the two halves of a 32-byte seed.
pub(super) fn valkey_bloom(key: &[u8], seed: &[u8; 32], k: u32, m: u64) -> impl Iterator<Item = u64> {
    use core::hash::Hasher;
    const PRIME: u64 = 0xffff_ffff_ffff_ffc5;
    let half = |from: usize| {
        let mut half = [0; 16];
        half.copy_from_slice(&seed[from..from + 16]);
        let mut hasher = SipHasher13::new_with_key(&half);
        hasher.write(&(key.len() as u64).to_le_bytes());
        hasher.write(key);
        hasher.finish()
    };
    let (s0, s1) = (half(0), half(16));
    (0..u64::from(k)).map(move |i| match i {
        0 => s0 % m,
        1 => s1 % m,
        _ => s0.wrapping_add(i.wrapping_mul(s1)) % PRIME % m,
    })
}

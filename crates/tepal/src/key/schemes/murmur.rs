//! The Murmur family in the variants of other programs: MurmurHash3 x64 128, Spark's 32-bit
//! variant, and MurmurHash2 in 64 and 32 bits (Appleby, public domain algorithms). Written here
//! because no maintained crate has these variants without `std`.

fn word(bytes: &[u8]) -> u64 {
    // Up to eight bytes as a little-endian integer; missing bytes are zero.
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn mix64(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// MurmurHash3 x64 128 of `first` followed by `second`, as its two halves.
pub(super) fn murmur3_128(first: &[u8], second: &[u8]) -> (u64, u64) {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let scramble1 = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let scramble2 = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    let (mut h1, mut h2) = (0u64, 0u64);
    let mut block = |bytes: &[u8]| {
        h1 ^= scramble1(word(&bytes[..8]));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= scramble2(word(&bytes[8..]));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    };
    let whole = first.len() - first.len() % 16;
    first[..whole].chunks_exact(16).for_each(&mut block);
    // The rest of the first part and the second part fit in two blocks: the second part is at most
    // one byte.
    let mut tail = [0; 32];
    let rest = first.len() - whole;
    tail[..rest].copy_from_slice(&first[whole..]);
    tail[rest..rest + second.len()].copy_from_slice(second);
    let mut tail = &tail[..rest + second.len()];
    if tail.len() >= 16 {
        block(&tail[..16]);
        tail = &tail[16..];
    }
    h2 ^= scramble2(word(tail.get(8..).unwrap_or(&[])));
    h1 ^= scramble1(word(&tail[..tail.len().min(8)]));
    let len = (first.len() + second.len()) as u64;
    h1 ^= len;
    h2 ^= len;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = mix64(h1);
    h2 = mix64(h2);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2)
}

/// Spark's 32-bit variant: each byte of the tail is sign-extended and mixed as a whole word.
pub(super) fn spark_murmur3_32(key: &[u8], seed: u32) -> u32 {
    let mix = |h: u32, k: u32| {
        let k = k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        (h ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
    };
    let words = key.chunks_exact(4);
    let tail = words.remainder();
    let h = words.fold(seed, |h, bytes| mix(h, word(bytes) as u32));
    let mut h = tail.iter().fold(h, |h, &byte| mix(h, i32::from(byte as i8) as u32));
    h ^= key.len() as u32;
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

/// MurmurHash64A.
pub(super) fn murmur2_64(key: &[u8], seed: u64) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let words = key.chunks_exact(8);
    let tail = words.remainder();
    let start = seed ^ (key.len() as u64).wrapping_mul(M);
    let mut h = words.fold(start, |h, bytes| {
        let mut k = word(bytes).wrapping_mul(M);
        k ^= k >> 47;
        (h ^ k.wrapping_mul(M)).wrapping_mul(M)
    });
    if !tail.is_empty() {
        h = (h ^ word(tail)).wrapping_mul(M);
    }
    h ^= h >> 47;
    h = h.wrapping_mul(M);
    h ^ h >> 47
}

/// a + i·b for i from 1 to k in wrapping 32-bit arithmetic; negative numbers are inverted.
pub(super) fn steps_of_32(a: i32, b: i32, k: u32, m: u64) -> impl Iterator<Item = u64> {
    (1..=k).map(move |i| {
        let combined = a.wrapping_add((i as i32).wrapping_mul(b));
        (if combined < 0 { !combined } else { combined }) as u64 % m
    })
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn published_values() {
        assert_eq!(murmur3_128(b"hello", b""), (0xcbd8_a7b3_41bd_9b02, 0x5b1e_906a_48ae_1d19));
        assert_eq!(murmur3_128(b"", b""), (0, 0));
        assert_eq!(spark_murmur3_32(b"hello", 0), 0xb21f_6e00);
        assert_eq!(spark_murmur3_32(b"\xc3\xa9", 0), 0xf6d6_3f31);
        assert_eq!(spark_murmur3_32(&1u64.to_le_bytes(), 0), 0x5307_5d44);
        assert_eq!(murmur2_64(b"hello", 0xc6a4_a793_5bd1_e995), 0x5ba5_b8a5_9803_e699);
    }

    #[test]
    fn two_parts_are_one_key() {
        let key: Vec<u8> = (0..64).collect();
        for len in 1..64 {
            let (first, last) = key[..len].split_at(len - 1);
            assert_eq!(murmur3_128(first, last), murmur3_128(&key[..len], b""), "{len}");
        }
    }
}

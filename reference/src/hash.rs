//! Section 1.3: the hashes of the schemes 1 to 3, and the finisher for the hashes of scheme 4. Also
//! the hash functions inside the schemes of section 1.4.

use twox_hash::{XxHash3_64, XxHash64};

/// XXH3-64 of some bytes with a seed: scheme 1, and with seed 0 every checksum of a file.
pub fn xxh3(bytes: &[u8], seed: u64) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

/// Section 5: the seed for a purpose; the default seed if there is none.
pub fn seed_for(purpose: Option<&str>) -> u64 {
    let default = xxh3(b"tepal default seed", 0);
    purpose.map_or(default, |text| xxh3(text.as_bytes(), default))
}

/// XXH64 of some bytes with seed 0: scheme 3.
pub fn xxh64(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

/// SipHash-1-3 of some bytes with a key: scheme 2.
pub fn siphash13(key: &[u8; 16], data: &[u8]) -> u64 {
    siphash(1, 3, key, data)
}

/// SipHash of Aumasson and Bernstein, with `c` rounds for each 8 bytes of input and `d` rounds at
/// the end.
pub fn siphash(c: u32, d: u32, key: &[u8; 16], data: &[u8]) -> u64 {
    let k0 = little_endian(&key[..8]);
    let k1 = little_endian(&key[8..]);
    // The four constants spell "somepseudorandomlygeneratedbytes".
    let mut v =
        [k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573];
    // The words of 8 bytes, and a last word: the remaining bytes, and the length in its top byte.
    let whole = data.len() / 8 * 8;
    let mut words: Vec<u64> = data[..whole].chunks(8).map(little_endian).collect();
    words.push(little_endian(&data[whole..]) | (data.len() as u64) << 56);
    for word in words {
        v[3] ^= word;
        for _ in 0..c {
            sip_round(&mut v);
        }
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    for _ in 0..d {
        sip_round(&mut v);
    }
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

/// One round of SipHash.
fn sip_round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[0] = v[0].rotate_left(32);
    v[2] = v[2].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[2] = v[2].rotate_left(32);
}

/// Up to 8 bytes as an integer, the first byte the least significant.
fn little_endian(bytes: &[u8]) -> u64 {
    let mut value = 0;
    for &byte in bytes.iter().rev() {
        value = value << 8 | u64::from(byte);
    }
    value
}

/// FNV-1 in 64 bits: multiply, then XOR the byte.
pub fn fnv1_64(data: &[u8]) -> u64 {
    let mut h: u64 = 14695981039346656037;
    for &byte in data {
        h = h.wrapping_mul(1099511628211);
        h ^= u64::from(byte);
    }
    h
}

/// FNV-1a in 32 bits: XOR the byte, then multiply.
pub fn fnv1a_32(data: &[u8]) -> u32 {
    let mut h: u32 = 0x811C9DC5;
    for &byte in data {
        h ^= u32::from(byte);
        h = h.wrapping_mul(0x01000193);
    }
    h
}

/// CRC-32 of IEEE 802.3: the least significant bit first, all ones before, and inverted after.
pub fn crc32(data: &[u8]) -> u32 {
    let mut crc = 0xffffffff;
    for &byte in data {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            let out = crc & 1;
            crc >>= 1;
            if out == 1 {
                crc ^= 0xedb88320;
            }
        }
    }
    !crc
}

/// MurmurHash3 x64 128 of Appleby: the two halves of its output. Section 1.4 uses seed 0.
pub fn murmur3_x64_128(data: &[u8], seed: u32) -> (u64, u64) {
    const C1: u64 = 0x87c37b91114253d5;
    const C2: u64 = 0x4cf5ad432745937f;
    let first = |word: &[u8]| little_endian(word).wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let second = |word: &[u8]| little_endian(word).wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);

    let (mut h1, mut h2) = (u64::from(seed), u64::from(seed));
    let whole = data.len() / 16 * 16;
    for block in data[..whole].chunks(16) {
        h1 ^= first(&block[..8]);
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dce729);
        h2 ^= second(&block[8..]);
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x38495ab5);
    }
    // The remaining bytes, filled up with zeros. A word of zeros changes nothing.
    let mut rest = [0; 16];
    rest[..data.len() - whole].copy_from_slice(&data[whole..]);
    h1 ^= first(&rest[..8]) ^ data.len() as u64;
    h2 ^= second(&rest[8..]) ^ data.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = finish(h1);
    h2 = finish(h2);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2)
}

/// The 64-bit finalizer of MurmurHash3. Section 1.3 recommends it for weak hashes of callers
/// (scheme 4).
pub fn finish(h: u64) -> u64 {
    let mut x = h;
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ceb9fe1a85ec53);
    x ^= x >> 33;
    x
}

/// Apache Spark's 32-bit Murmur3. It differs from the original in the bytes after the last whole
/// word: each is a word of its own, sign-extended.
pub fn spark_murmur3_32(data: &[u8], seed: u32) -> u32 {
    let whole = data.len() / 4 * 4;
    let mut words: Vec<u32> = data[..whole].chunks(4).map(|word| little_endian(word) as u32).collect();
    for &byte in &data[whole..] {
        words.push(i32::from(byte as i8) as u32);
    }
    let mut h = seed;
    for word in words {
        h ^= word.wrapping_mul(0xcc9e2d51).rotate_left(15).wrapping_mul(0x1b873593);
        h = h.rotate_left(13).wrapping_mul(5).wrapping_add(0xe6546b64);
    }
    h ^= data.len() as u32;
    h ^= h >> 16;
    h = h.wrapping_mul(0x85ebca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2ae35);
    h ^ (h >> 16)
}

/// The multiplier of MurmurHash64A, which is also the first seed of scheme 27.
pub const MURMUR64A_M: u64 = 0xc6a4a7935bd1e995;

/// MurmurHash64A of Appleby, the 64-bit form of MurmurHash2.
pub fn murmur64a(data: &[u8], seed: u64) -> u64 {
    let mut h = seed ^ (data.len() as u64).wrapping_mul(MURMUR64A_M);
    let whole = data.len() / 8 * 8;
    for word in data[..whole].chunks(8) {
        let mut k = little_endian(word).wrapping_mul(MURMUR64A_M);
        k ^= k >> 47;
        h ^= k.wrapping_mul(MURMUR64A_M);
        h = h.wrapping_mul(MURMUR64A_M);
    }
    if whole < data.len() {
        h ^= little_endian(&data[whole..]);
        h = h.wrapping_mul(MURMUR64A_M);
    }
    h ^= h >> 47;
    h = h.wrapping_mul(MURMUR64A_M);
    h ^ (h >> 47)
}

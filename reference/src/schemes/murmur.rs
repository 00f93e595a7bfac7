//! The Murmur hashes of Austin Appleby that schemes 21 to 25 and 27 use, and Spark's variant of one.

/// MurmurHash3 x64 128: the two halves of its output. FORMAT.md uses seed 0.
pub fn murmur3_x64_128(data: &[u8], seed: u32) -> (u64, u64) {
    let mut h1 = u64::from(seed);
    let mut h2 = u64::from(seed);
    let whole = data.len() / 16 * 16;
    for block in data[..whole].chunks(16) {
        h1 ^= scrambled1(little_endian(&block[..8]));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dce729);
        h2 ^= scrambled2(little_endian(&block[8..]));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x38495ab5);
    }
    // What is left over, filled up with zeros. A word of zeros changes nothing.
    let mut rest = [0; 16];
    rest[..data.len() - whole].copy_from_slice(&data[whole..]);
    h1 ^= scrambled1(little_endian(&rest[..8]));
    h2 ^= scrambled2(little_endian(&rest[8..]));

    h1 ^= data.len() as u64;
    h2 ^= data.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = finished(h1);
    h2 = finished(h2);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2)
}

/// What the first half of a block becomes before it is taken in.
fn scrambled1(k: u64) -> u64 {
    k.wrapping_mul(0x87c37b91114253d5).rotate_left(31).wrapping_mul(0x4cf5ad432745937f)
}

/// What the second half of a block becomes: the same multipliers in the other order.
fn scrambled2(k: u64) -> u64 {
    k.wrapping_mul(0x4cf5ad432745937f).rotate_left(33).wrapping_mul(0x87c37b91114253d5)
}

/// The last mixing of 64 bits.
fn finished(mut h: u64) -> u64 {
    h ^= h >> 33;
    h = h.wrapping_mul(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h = h.wrapping_mul(0xc4ceb9fe1a85ec53);
    h ^ (h >> 33)
}

/// Apache Spark's 32-bit Murmur3. It differs from the original in the bytes after the last whole word: each
/// of them is taken in like a word of its own, with its sign carried into the upper 24 bits.
pub fn spark_murmur3_32(data: &[u8], seed: u32) -> u32 {
    let mut h = seed;
    let whole = data.len() / 4 * 4;
    for word in data[..whole].chunks(4) {
        h = spark_mix(h, little_endian(word) as u32);
    }
    for &byte in &data[whole..] {
        h = spark_mix(h, i32::from(byte as i8) as u32);
    }
    h ^= data.len() as u32;
    h ^= h >> 16;
    h = h.wrapping_mul(0x85ebca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2ae35);
    h ^ (h >> 16)
}

/// Takes one word into the 32-bit state.
fn spark_mix(h: u32, word: u32) -> u32 {
    let k = word.wrapping_mul(0xcc9e2d51).rotate_left(15).wrapping_mul(0x1b873593);
    (h ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe6546b64)
}

/// The multiplier of MurmurHash64A, which scheme 27 also takes as its first seed.
pub const MURMUR64A_M: u64 = 0xc6a4a7935bd1e995;

/// MurmurHash64A, the 64-bit form of MurmurHash2.
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

/// Up to 8 bytes as an integer, the first byte the least significant.
fn little_endian(bytes: &[u8]) -> u64 {
    let mut value = 0;
    for &byte in bytes.iter().rev() {
        value = value << 8 | u64::from(byte);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SMHasher's verification value: hash the keys of 0 to 255 bytes 0, 1, 2, ... with the seeds 256, 255,
    /// ..., then all hashes together with seed 0; the first four bytes of that.
    fn smhasher(hash: impl Fn(&[u8], u32) -> Vec<u8>) -> u32 {
        let key: Vec<u8> = (0..=255).collect();
        let mut hashes = Vec::new();
        for len in 0..256 {
            hashes.extend(hash(&key[..len], 256 - len as u32));
        }
        little_endian(&hash(&hashes, 0)[..4]) as u32
    }

    #[test]
    fn murmur3_check_values() {
        assert_eq!(murmur3_x64_128(b"hello", 0), (0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19));
        assert_eq!(murmur3_x64_128(b"", 0), (0, 0));
        let verification = smhasher(|data, seed| {
            let (h1, h2) = murmur3_x64_128(data, seed);
            [h1.to_le_bytes(), h2.to_le_bytes()].concat()
        });
        assert_eq!(verification, 0x6384ba69);
    }

    #[test]
    fn murmur64a_check_values() {
        assert_eq!(murmur64a(b"hello", MURMUR64A_M), 0x5ba5b8a59803e699);
        let verification = smhasher(|data, seed| murmur64a(data, seed.into()).to_le_bytes().to_vec());
        assert_eq!(verification, 0x1f0d3804);
    }

    #[test]
    fn spark_check_values() {
        assert_eq!(spark_murmur3_32(b"hello", 0), 0xb21f6e00);
        assert_eq!(spark_murmur3_32(&[0xC3, 0xA9], 0), 0xf6d63f31);
        assert_eq!(spark_murmur3_32(&1u64.to_le_bytes(), 0), 0x53075d44);
        // Of whole words it is the original Murmur3: "test" of the published values for seed 0.
        assert_eq!(spark_murmur3_32(b"test", 0), 0xba6bd213);
    }
}

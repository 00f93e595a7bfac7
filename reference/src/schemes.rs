//! Section 1.4: schemes that compute positions directly from the bytes of a key, each by its own
//! rule.
//!
//! Sums have types wide enough not to overflow, unless a rule demands wrapping.

use crate::digest::{md5, sha384};
use crate::hash::{MURMUR64A_M, crc32, fnv1_64, fnv1a_32, murmur3_x64_128};
use crate::hash::{murmur64a, siphash13, spark_murmur3_32};

/// The largest prime below 2^64.
const P: u64 = 18446744073709551557;

/// The columns "k, m" and "offset 64" of section 1.4: refuses numbers that the scheme cannot have.
/// `parameter` is the field at offset 64.
pub fn check(scheme: u8, parameter: u64, k: u32, m: u64) -> Result<(), String> {
    let any_k = (1..=2048).contains(&k);
    let words = m % 64 == 0 && m < 64 << 31;
    let (k_fits, m_fits, parameter_fits) = match scheme {
        16 => (any_k, m < 1 << 31, parameter == 0),
        17 => (any_k, true, parameter < 8),
        18 => (k == 7, m == 1 << 25, parameter == 0),
        19 => (k == 3, m < 1 << 32, parameter == 0),
        20 => (k == 12, m.is_power_of_two() && m <= 1 << 32, parameter == 0),
        21..=23 => (any_k, words, parameter == 0),
        24 => (any_k, words, parameter < 1 << 32),
        25 | 26 => (any_k, true, parameter == 0),
        27 | 28 => (any_k, m % 8 == 0, parameter == 0),
        _ => return Err(format!("scheme {scheme} is not known")),
    };
    if !k_fits {
        return Err(format!("scheme {scheme} cannot have k = {k}"));
    }
    if !m_fits || m == 0 || m > 1 << 46 {
        return Err(format!("scheme {scheme} cannot have {m} bits"));
    }
    if !parameter_fits {
        return Err(format!("scheme {scheme} cannot have the parameter {parameter:#x}"));
    }
    Ok(())
}

/// The k positions of a key in m bits, in the order of section 1.4. [`check`] must have accepted
/// the numbers. `seed` is used by scheme 28.
pub fn positions(scheme: u8, parameter: u64, seed: &[u8; 32], key: &[u8], k: u32, m: u64) -> Vec<u64> {
    match scheme {
        16 => md5_presets(key, k, m),
        17 => md5_split(key, parameter, k, m),
        18 => bkdr7(key),
        19 => fnv_crc(key, m),
        20 => sha384(key).chunks(4).map(|word| u64::from(big_endian_u32(word)) % m).collect(),
        21 => {
            let (h1, _) = murmur3_x64_128(key, 0);
            steps_of_32(h1 as u32, (h1 >> 32) as u32, k, m)
        }
        22 => guava_mitz64(key, k, m),
        23 => {
            let h1 = spark_murmur3_32(key, 0);
            steps_of_32(h1, spark_murmur3_32(key, h1), k, m)
        }
        24 => spark_v2(key, parameter as u32, k, m),
        25 => bits_and_blooms(key, k, m),
        26 => dcso(key, k, m),
        27 => redisbloom(key, k, m),
        _ => valkey_bloom(key, seed, k, m),
    }
}

/// Four bytes as an integer, the first byte the most significant.
fn big_endian_u32(word: &[u8]) -> u32 {
    u32::from_be_bytes([word[0], word[1], word[2], word[3]])
}

/// Scheme 16: the digests of a counting byte and the key; each gives four signed 32-bit numbers.
fn md5_presets(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    let mut positions = Vec::new();
    let mut j: u32 = 0;
    while positions.len() < k as usize {
        j += 1;
        let digest = md5(&[&[(j % 256) as u8], key].concat());
        for word in digest.chunks(4) {
            let hash = big_endian_u32(word) as i32;
            positions.push(u64::from(hash.unsigned_abs()) % m);
        }
    }
    positions.truncate(k as usize);
    positions
}

/// Scheme 17: h1 + i·h2 of the halves of one digest. The bits of the parameter choose the byte
/// order and the range of i.
fn md5_split(key: &[u8], parameter: u64, k: u32, m: u64) -> Vec<u64> {
    let mut digest = md5(key);
    if parameter & 1 != 0 {
        digest[..8].reverse();
        digest[8..].reverse();
    }
    // Now both halves are big-endian.
    let mut h = [0u128; 2];
    for i in 0..16 {
        h[i / 8] = h[i / 8] * 256 + u128::from(digest[i]);
    }
    let first = if parameter & 2 != 0 { 0 } else { 1 };
    let mut positions = Vec::new();
    for i in first..first + u128::from(k) {
        let mut sum = h[0] + i * h[1];
        if parameter & 4 != 0 {
            sum %= 1 << 64;
        }
        positions.push((sum % u128::from(m)) as u64);
    }
    positions
}

/// Scheme 18: seven sums over the UTF-16 units of the text.
fn bkdr7(key: &[u8]) -> Vec<u64> {
    // The standard library replaces each maximal piece that is not UTF-8 by one U+FFFD.
    let text = String::from_utf8_lossy(key);
    let mut positions = Vec::new();
    for s in [5, 7, 11, 13, 31, 37, 61] {
        let mut h: u64 = 0;
        for unit in text.encode_utf16() {
            h = (s * h + u64::from(unit)) % (1 << 32);
        }
        positions.push(h % (1 << 25));
    }
    positions
}

/// Scheme 19: FNV-1a and CRC-32, reduced before they are combined.
fn fnv_crc(key: &[u8], m: u64) -> Vec<u64> {
    let a = u64::from(fnv1a_32(key)) % m;
    let b = u64::from(crc32(key)) % m;
    (0..3).map(|i| (a + i * b) % (1 << 32) % m).collect()
}

/// Schemes 21 and 23: a + i·b for i from 1 to k in 32 bits; a number with its top bit set is
/// inverted.
pub fn steps_of_32(a: u32, b: u32, k: u32, m: u64) -> Vec<u64> {
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

/// Scheme 22: h1, h1 + h2, h1 + 2·h2, ... without the top bit.
fn guava_mitz64(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    let (h1, h2) = murmur3_x64_128(key, 0);
    (0..u64::from(k)).map(|i| h1.wrapping_add(i.wrapping_mul(h2)) % (1 << 63) % m).collect()
}

/// Scheme 24: two hashes as signed numbers, combined in 64 bits. Each i starts from h1 again: an
/// inverted number is not used for the next one.
fn spark_v2(key: &[u8], seed: u32, k: u32, m: u64) -> Vec<u64> {
    let h1 = spark_murmur3_32(key, seed);
    let h2 = spark_murmur3_32(key, h1);
    let (h1, h2) = (i128::from(h1 as i32), i128::from(h2 as i32));
    let mut positions = Vec::new();
    for i in 0..i128::from(k) {
        // `as` keeps the low 64 bits, which is wrapping arithmetic.
        let mut c = (h1 * i128::from(i32::MAX) + (i + 1) * h2) as i64;
        if c < 0 {
            c = !c;
        }
        positions.push(c as u64 % m);
    }
    positions
}

/// Scheme 25: four hashes, from the key and from the key followed by a byte 01.
fn bits_and_blooms(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    let (h0, h1) = murmur3_x64_128(key, 0);
    let (h2, h3) = murmur3_x64_128(&[key, &[1]].concat(), 0);
    let h = [h0, h1, h2, h3];
    let mut positions = Vec::new();
    for i in 0..k as usize {
        let factor = h[2 + ((i + i % 2) % 4) / 2];
        positions.push(h[i % 2].wrapping_add((i as u64).wrapping_mul(factor)) % m);
    }
    positions
}

/// Scheme 26: a chain of multiplications, cut to 64 bits before the remainder.
fn dcso(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    const G: u64 = 18446744073709550147;
    let mut x = fnv1_64(key) % P;
    let mut positions = Vec::new();
    for _ in 0..k {
        x = x.wrapping_mul(G) % P;
        positions.push(x % m);
    }
    positions
}

/// Scheme 27: MurmurHash64A twice; the first hash is the seed of the second.
fn redisbloom(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    let a = murmur64a(key, MURMUR64A_M);
    let b = murmur64a(key, a);
    (0..u64::from(k)).map(|i| a.wrapping_add(i.wrapping_mul(b)) % m).collect()
}

/// Scheme 28: SipHash-1-3 of the length and the key, with each half of the seed.
fn valkey_bloom(key: &[u8], seed: &[u8; 32], k: u32, m: u64) -> Vec<u64> {
    let item = [&(key.len() as u64).to_le_bytes(), key].concat();
    let s0 = siphash13(seed[..16].try_into().unwrap(), &item);
    let s1 = siphash13(seed[16..].try_into().unwrap(), &item);
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

/// The seed of scheme 28 in record 5: 64 hexadecimal digits in small letters, and nothing else.
pub fn seed_of(text: &str) -> Result<[u8; 32], String> {
    const DIGITS: &[u8] = b"0123456789abcdef";
    let digit = |letter: u8| DIGITS.iter().position(|&digit| digit == letter);
    let digits: Option<Vec<usize>> = text.bytes().map(digit).collect();
    match digits {
        Some(digits) if digits.len() == 64 => {
            Ok(std::array::from_fn(|i| (16 * digits[2 * i] + digits[2 * i + 1]) as u8))
        }
        _ => Err(format!("record 5 is not a seed: {text:?}")),
    }
}

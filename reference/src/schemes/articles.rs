//! Schemes 16 to 20: the rules of the five articles.

use super::fnv_crc::{crc32, fnv1a_32};
use super::md5::md5;
use super::sha384::sha384;

/// What the second article leaves open about MD5 and its halves; the bits of the field at offset 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Md5Split {
    /// Bit 0: the halves are little-endian numbers, not big-endian ones.
    pub little_endian: bool,
    /// Bit 1: i runs from 0 to k-1, not from 1 to k.
    pub from_zero: bool,
    /// Bit 2: h1 + i·h2 wraps at 2^64 before the remainder is taken.
    pub wrapping: bool,
}

impl Md5Split {
    /// The field at offset 64.
    pub fn bits(self) -> u64 {
        u64::from(self.little_endian) + 2 * u64::from(self.from_zero) + 4 * u64::from(self.wrapping)
    }

    /// From the field at offset 64; nothing where a bit is set that has no meaning.
    pub fn from_bits(bits: u64) -> Option<Md5Split> {
        if bits >= 8 {
            return None;
        }
        let bit = |i: u32| bits >> i & 1 == 1;
        Some(Md5Split { little_endian: bit(0), from_zero: bit(1), wrapping: bit(2) })
    }
}

/// Scheme 16: the digests of a counting byte and the key, four signed 32-bit numbers of each.
pub(super) fn md5_presets(key: &[u8], k: u32, m: u64) -> Vec<u64> {
    let mut positions = Vec::new();
    let mut j: u32 = 0;
    while positions.len() < k as usize {
        j += 1;
        let mut hashed = vec![(j % 256) as u8];
        hashed.extend(key);
        for number in md5(&hashed).chunks(4) {
            let number = i32::from_be_bytes([number[0], number[1], number[2], number[3]]);
            positions.push(i64::from(number).unsigned_abs() % m);
        }
    }
    positions.truncate(k as usize);
    positions
}

/// Scheme 17: h1 + i·h2 of the halves of one digest.
pub(super) fn md5_split(key: &[u8], rule: Md5Split, k: u32, m: u64) -> Vec<u64> {
    let mut digest = md5(key);
    if rule.little_endian {
        digest[..8].reverse();
        digest[8..].reverse();
    }
    // Now both halves are big-endian: the first byte counts most.
    let mut h = [0u128; 2];
    for (i, &byte) in digest.iter().enumerate() {
        h[i / 8] = h[i / 8] * 256 + u128::from(byte);
    }
    let first = if rule.from_zero { 0 } else { 1 };
    let mut positions = Vec::new();
    for i in first..first + u128::from(k) {
        let mut sum = h[0] + i * h[1];
        if rule.wrapping {
            sum %= 1 << 64;
        }
        positions.push((sum % u128::from(m)) as u64);
    }
    positions
}

/// Scheme 18: seven sums over the UTF-16 units of the text; k and m are fixed.
pub(super) fn bkdr7(key: &[u8]) -> Vec<u64> {
    // The standard library puts one U+FFFD for each maximal piece that is not UTF-8.
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
pub(super) fn fnv_crc(key: &[u8], m: u64) -> Vec<u64> {
    let a = u64::from(fnv1a_32(key)) % m;
    let b = u64::from(crc32(key)) % m;
    [0, 1, 2].map(|i| (a + i * b) % (1 << 32) % m).to_vec()
}

/// Scheme 20: the twelve big-endian numbers of one SHA-384 digest.
pub(super) fn sha384_words(key: &[u8], m: u64) -> Vec<u64> {
    let mut positions = Vec::new();
    for word in sha384(key).chunks(4) {
        positions.push(u64::from(u32::from_be_bytes([word[0], word[1], word[2], word[3]])) % m);
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fourth_articles_examples() {
        assert_eq!(fnv_crc(b"apple", 1000), [167, 655, 143]);
        assert_eq!(fnv_crc(b"banana", 1000), [552, 279, 6]);
        assert_eq!(fnv_crc(b"grape", 1000), [840, 401, 962]);
    }

    #[test]
    fn short_texts_in_the_third_article() {
        assert_eq!(bkdr7(b""), [0; 7]);
        assert_eq!(bkdr7("\u{436}".as_bytes()), [0x436; 7]);
        // Outside the BMP two units count: D83D DD11.
        let two: Vec<u64> = [5, 7, 11, 13, 31, 37, 61].iter().map(|s| s * 0xD83D + 0xDD11).collect();
        assert_eq!(bkdr7("\u{1f511}".as_bytes()), two);
    }

    #[test]
    fn ill_formed_pieces_are_counted_as_the_unicode_standard_does() {
        // The Unicode Standard, tables 3-8 to 3-11: how many U+FFFD, and the characters between them.
        for (bytes, text) in [
            (&b"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"[..], "????????A"),
            (b"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "????????A"),
            (b"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "?????A??B"),
            (b"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "????A"),
        ] {
            assert_eq!(bkdr7(bytes), bkdr7(text.replace('?', "\u{fffd}").as_bytes()), "{bytes:x?}");
        }
    }

    #[test]
    fn the_byte_of_the_first_article_comes_round() {
        // 256 digests of four numbers, then the same again.
        let positions = md5_presets(b"key", 1100, 9005);
        assert_eq!(positions[..76], positions[1024..]);
        assert_eq!(positions.len(), 1100);
    }

    #[test]
    fn the_flags_of_the_second_article() {
        for bits in 0..8 {
            assert_eq!(Md5Split::from_bits(bits).map(Md5Split::bits), Some(bits));
        }
        assert_eq!(Md5Split::from_bits(8), None);
        // "": d41d8cd98f00b204 e9800998ecf8427e
        let plain = Md5Split { little_endian: false, from_zero: true, wrapping: true };
        assert_eq!(md5_split(b"", plain, 1, 1 << 46), [0xd41d8cd98f00b204 % (1 << 46)]);
        let little = Md5Split { little_endian: true, ..plain };
        assert_eq!(md5_split(b"", little, 1, 1 << 46), [0x04b2008fd98c1dd4 % (1 << 46)]);
    }
}

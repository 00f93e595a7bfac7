//! FNV-1 in 64 bits, FNV-1a in 32 bits, and CRC-32: schemes 19 and 26.

/// FNV-1 in 64 bits: multiply, then take the byte in.
pub fn fnv1_64(data: &[u8]) -> u64 {
    let mut h: u64 = 14695981039346656037;
    for &byte in data {
        h = h.wrapping_mul(1099511628211);
        h ^= u64::from(byte);
    }
    h
}

/// FNV-1a in 32 bits: take the byte in, then multiply.
pub fn fnv1a_32(data: &[u8]) -> u32 {
    let mut h: u32 = 2166136261;
    for &byte in data {
        h ^= u32::from(byte);
        h = h.wrapping_mul(16777619);
    }
    h
}

/// CRC-32 of IEEE 802.3: bits taken from the least significant on, all ones before and inverted after.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_values() {
        // Noll's test vectors of FNV for "", "a" and "foobar".
        assert_eq!(fnv1_64(b""), 0xcbf29ce484222325);
        assert_eq!(fnv1_64(b"a"), 0xaf63bd4c8601b7be);
        assert_eq!(fnv1_64(b"foobar"), 0x340d8765a4dda9c2);
        assert_eq!(fnv1_64(b"hello"), 0x7b495389bdbdd4c7);
        assert_eq!(fnv1a_32(b""), 0x811c9dc5);
        assert_eq!(fnv1a_32(b"a"), 0xe40c292c);
        assert_eq!(fnv1a_32(b"foobar"), 0xbf9cf968);
        assert_eq!(fnv1a_32(b"apple"), 0x10bc2abf);
        // The check value of every list of CRCs.
        assert_eq!(crc32(b"123456789"), 0xcbf43926);
        assert_eq!(crc32(b""), 0);
    }
}

//! SipHash of Aumasson and Bernstein, in the form SipHash-c-d; section 1.3 uses c = 1 and d = 3.

/// SipHash-1-3 of `data` under `key`: the 8 output bytes read as a little-endian integer.
pub fn siphash13(key: &[u8; 16], data: &[u8]) -> u64 {
    siphash(1, 3, key, data)
}

/// SipHash with `c` rounds for each 8 bytes of input and `d` rounds at the end.
fn siphash(c: u32, d: u32, key: &[u8; 16], data: &[u8]) -> u64 {
    let k0 = little_endian(&key[0..8]);
    let k1 = little_endian(&key[8..16]);
    // The four constants spell "somepseudorandomlygeneratedbytes".
    let mut v =
        [k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573];

    // Whole words of 8 bytes, then a last word: the bytes left over, with the length in its top byte.
    let whole = data.len() / 8 * 8;
    for word in data[..whole].chunks(8) {
        absorb(&mut v, little_endian(word), c);
    }
    let length = (data.len() % 256) as u64;
    absorb(&mut v, little_endian(&data[whole..]) | length << 56, c);

    v[2] ^= 0xff;
    for _ in 0..d {
        round(&mut v);
    }
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

/// Mixes one word of input into the state.
fn absorb(v: &mut [u64; 4], word: u64, rounds: u32) {
    v[3] ^= word;
    for _ in 0..rounds {
        round(v);
    }
    v[0] ^= word;
}

/// One SipRound.
fn round(v: &mut [u64; 4]) {
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
    for (i, &byte) in bytes.iter().enumerate() {
        value |= u64::from(byte) << (8 * i);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of all published check values: the bytes 00 to 0f.
    const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

    #[test]
    fn siphash_1_3_check_values() {
        // Inputs of 0, 1, 2, ... bytes: 00, 00 01, ...; the first, and those around whole words.
        let expected: [(usize, [u8; 8]); 8] = [
            (0, [0xdc, 0xc4, 0x0f, 0x05, 0x58, 0x01, 0xac, 0xab]),
            (1, [0x93, 0xca, 0x57, 0x7d, 0xf3, 0x9b, 0xf4, 0xc9]),
            (7, [0x40, 0x11, 0xb1, 0x9b, 0x98, 0x7d, 0x92, 0xd3]),
            (8, [0x8e, 0x9a, 0x29, 0x8d, 0x11, 0x95, 0x90, 0x36]),
            (9, [0xe4, 0x3d, 0x06, 0x6c, 0xb3, 0x8e, 0xa4, 0x25]),
            (15, [0x56, 0x99, 0x51, 0x2a, 0x6d, 0xd8, 0x20, 0xd3]),
            (16, [0x66, 0x8b, 0x90, 0x7d, 0x1a, 0xdd, 0x4f, 0xcc]),
            (63, [0xa8, 0xb3, 0xbb, 0xb7, 0x62, 0x90, 0x19, 0x9d]),
        ];
        for (len, bytes) in expected {
            let input: Vec<u8> = (0..len as u8).collect();
            assert_eq!(siphash13(&KEY, &input), u64::from_le_bytes(bytes), "length {len}");
        }
        assert_eq!(siphash13(&KEY, b"hello"), 0xb6be2b8cd61385b7);
    }

    #[test]
    fn siphash_2_4_of_the_paper() {
        // Appendix A of the SipHash paper: 15 bytes 00 to 0e.
        let input: Vec<u8> = (0..15).collect();
        assert_eq!(siphash(2, 4, &KEY, &input), 0xa129ca6149be45e5);
    }
}

//! MD5 of RFC 1321, for schemes 16 and 17. Here it only spreads keys over bits; nothing is kept safe by it.

/// How far each round rotates: four numbers for each 16 rounds, used in turn.
const ROTATE: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// MD5 of some bytes.
pub fn md5(data: &[u8]) -> [u8; 16] {
    // The message, a bit 1, zeros, and its length in bits mod 2^64: whole blocks of 64 bytes.
    let mut message = data.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((data.len() as u64).wrapping_mul(8).to_le_bytes());

    let mut state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
    for block in message.chunks(64) {
        absorb(&mut state, block);
    }
    let mut digest = [0; 16];
    for (i, word) in state.iter().enumerate() {
        digest[4 * i..4 * i + 4].copy_from_slice(&word.to_le_bytes());
    }
    digest
}

/// The 64 rounds over one block.
fn absorb(state: &mut [u32; 4], block: &[u8]) {
    let word =
        |i: usize| u32::from_le_bytes([block[4 * i], block[4 * i + 1], block[4 * i + 2], block[4 * i + 3]]);
    let [mut a, mut b, mut c, mut d] = *state;
    for i in 0..64 {
        let (mixed, from) = match i / 16 {
            0 => ((b & c) | (!b & d), i),
            1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
            2 => (b ^ c ^ d, (3 * i + 5) % 16),
            _ => (c ^ (b | !d), 7 * i % 16),
        };
        let sum = a.wrapping_add(mixed).wrapping_add(constant(i)).wrapping_add(word(from));
        (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(ROTATE[i / 16][i % 4])));
    }
    for (word, value) in state.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(value);
    }
}

/// The integer part of 2^32 · |sin(i + 1)|, i + 1 in radians.
fn constant(i: usize) -> u32 {
    (4294967296.0 * ((i + 1) as f64).sin().abs()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::hex;

    #[test]
    fn check_values() {
        // RFC 1321, section A.5.
        for (message, digest) in [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f",
            ),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a",
            ),
        ] {
            assert_eq!(hex(&md5(message.as_bytes())), digest, "{message}");
        }
    }

    #[test]
    fn the_first_and_the_last_constant() {
        // RFC 1321 prints its table in rounds.
        assert_eq!((constant(0), constant(15)), (0xd76aa478, 0x49b40821));
        assert_eq!((constant(16), constant(63)), (0xf61e2562, 0xeb86d391));
    }
}

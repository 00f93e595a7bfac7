//! SHA-384 of FIPS 180-4, for scheme 20.

/// The first 64 bits of the fractional parts of the square roots of the 9th to the 16th prime.
#[rustfmt::skip]
const START: [u64; 8] = [
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939, 0x67332667ffc00b31,
    0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
];

/// The first 64 bits of the fractional parts of the cube roots of the first 80 primes.
#[rustfmt::skip]
const ROUND: [u64; 80] = [
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
];

/// SHA-384 of some bytes.
pub fn sha384(data: &[u8]) -> [u8; 48] {
    // The message, a bit 1, zeros, and its length in bits as 128 bits: whole blocks of 128 bytes.
    let mut message = data.to_vec();
    message.push(0x80);
    while message.len() % 128 != 112 {
        message.push(0);
    }
    message.extend((8 * data.len() as u128).to_be_bytes());

    let mut state = START;
    for block in message.chunks(128) {
        absorb(&mut state, block);
    }
    // SHA-384 is the first six of the eight words.
    let mut digest = [0; 48];
    for (i, word) in state[..6].iter().enumerate() {
        digest[8 * i..8 * i + 8].copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// The 80 rounds over one block.
fn absorb(state: &mut [u64; 8], block: &[u8]) {
    let mut w = [0u64; 80];
    for t in 0..80 {
        w[t] = if t < 16 {
            big_endian(&block[8 * t..8 * t + 8])
        } else {
            let (x, y) = (w[t - 15], w[t - 2]);
            let sigma0 = x.rotate_right(1) ^ x.rotate_right(8) ^ (x >> 7);
            let sigma1 = y.rotate_right(19) ^ y.rotate_right(61) ^ (y >> 6);
            sigma1.wrapping_add(w[t - 7]).wrapping_add(sigma0).wrapping_add(w[t - 16])
        };
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for t in 0..80 {
        let sum1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(sum1).wrapping_add(choice).wrapping_add(ROUND[t]).wrapping_add(w[t]);
        let sum0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t2 = sum0.wrapping_add(majority);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
    }
    for (word, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(value);
    }
}

/// 8 bytes as an integer, the first byte the most significant.
fn big_endian(bytes: &[u8]) -> u64 {
    let mut value = 0;
    for &byte in bytes {
        value = value << 8 | u64::from(byte);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::hex;

    #[test]
    fn check_values() {
        // FIPS 180-4's examples, and the empty message.
        for (message, digest) in [
            (
                "",
                "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
            ),
            (
                "abc",
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039",
            ),
        ] {
            assert_eq!(hex(&sha384(message.as_bytes())), digest, "{message}");
        }
    }

    #[test]
    fn every_length_around_a_block() {
        // Padding fits the last block up to 111 bytes. From another implementation: SHA-384 of 'a' repeated.
        for (len, first_word) in [
            (111, 0x3c37955051cb5c30),
            (112, 0x187d4e07cb306103),
            (127, 0x9bd06b1763c2cf7a),
            (128, 0xedb12730a366098b),
        ] {
            let digest = sha384(&vec![b'a'; len]);
            assert_eq!(big_endian(&digest[..8]), first_word, "length {len}");
        }
    }
}

//! The hash of most keys, prepared once for a filter: XXH3 of bytes, of integers or of their
//! decimal text, without a recipe.
//!
//! XXH3 of up to 16 bytes combines the key with a few words of a fixed secret and the seed, and
//! needs one or two products (xxHash specification 0.2.0, section "XXH3, small inputs"). These
//! words depend only on the seed, so [`Usual`] keeps them for a filter; the crate `xxhash-rust`
//! computes them for each key. The crate hashes keys of other lengths. The text of an integer is
//! hashed here, without a buffer.

use super::decimal::{DECIMAL, Decimal, write_decimal};
use super::key_ref::KeyRef;
use super::recipe::Recipe;
use super::schemes::xxh3;
use crate::bits::mix::{mix, mix_integer};
use crate::ids::KeyDomain;

/// The fast path from a key to its hash, if the filter has one, and the options that chose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Usual {
    /// The word for keys of 4 to 8 bytes.
    eight: u64,
    /// The word for the first eight of 9 to 16 bytes. It is one word of the secret plus the seed;
    /// for the last eight bytes it is another word minus the seed.
    sixteen: u64,
    which: Which,
    // These three fields share one word, to keep a filter small.
    pub(super) domain: KeyDomain,
    pub(super) recipe: Recipe,
}

/// Which keys have the fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// Bytes.
    Bytes,
    /// Integers.
    Integer,
    /// None.
    Neither,
}

/// The first words of XXH3's secret.
const SECRET: [u64; 4] =
    [0xbe4b_a423_396c_feb8, 0x1cad_21f7_2c81_017c, 0xdb97_9083_e96d_d4de, 0x1f67_b3b7_a4a4_4072];
/// Words of the secret, in pairs: bytes 8 to 23, 24 to 39 and 40 to 55.
const SECRET_8: u64 = SECRET[1] ^ SECRET[2];
const SECRET_24: u64 = SECRET[3] ^ 0x78e5_c0cc_4ee6_79cb;
const SECRET_40: u64 = 0x2172_ffcc_7dd0_5a82 ^ 0x8e24_43f7_7446_08b8;

impl Usual {
    /// No key has the fast path.
    pub(super) fn none(domain: KeyDomain, recipe: Recipe) -> Self {
        Usual { which: Which::Neither, domain, recipe, eight: 0, sixteen: 0 }
    }

    /// Bytes with this seed.
    pub(super) fn bytes(seed: u64) -> Self {
        Usual::new(Which::Bytes, KeyDomain::Bytes, seed)
    }

    /// Integers with this seed.
    pub(super) fn integers(seed: u64) -> Self {
        Usual::new(Which::Integer, KeyDomain::Integer, seed)
    }

    fn new(which: Which, domain: KeyDomain, seed: u64) -> Self {
        let sixteen = SECRET_24.wrapping_add(seed);
        Usual { which, domain, recipe: Recipe::new(), eight: secret_of_eight(seed), sixteen }
    }

    /// The fast path of bytes, if bytes have it.
    pub(super) fn of_bytes(&self) -> Option<OfBytes> {
        (self.which == Which::Bytes).then(|| OfBytes { seed: self.seed() })
    }

    /// The fast path of integers, if integers have it.
    pub(super) fn of_integers(&self) -> Option<OfIntegers> {
        self.integer_secret().map(|secret| OfIntegers { secret })
    }

    /// The seed, computed from a word that contains it.
    #[inline(always)]
    pub(super) fn seed(&self) -> u64 {
        self.sixteen.wrapping_sub(SECRET_24)
    }

    /// The word with which the hash combines an integer, if integers have the fast path.
    pub(super) fn integer_secret(&self) -> Option<u64> {
        (self.which == Which::Integer).then_some(self.eight)
    }

    /// [`hash`](Self::hash) in a loop over keys. The hash function computes the words of the seed
    /// once, before the loop.
    #[inline(always)]
    pub(super) fn hash_in_loop(&self, key: KeyRef<'_>) -> Option<u64> {
        match (self.which, key) {
            (Which::Bytes, KeyRef::Bytes(bytes)) => Some(xxh3::hash(bytes, self.seed())),
            _ => self.hash(key),
        }
    }

    /// The hash of a single key, if it has the fast path.
    #[inline(always)]
    pub(crate) fn hash(&self, key: KeyRef<'_>) -> Option<u64> {
        match (self.quick(key), key) {
            (None, KeyRef::Bytes(bytes)) => self.hash_bytes(bytes),
            (None, KeyRef::Unsigned(n)) => self.hash_text(false, n),
            (None, KeyRef::Signed(n)) => self.hash_text(n < 0, n.unsigned_abs()),
            (quick, _) => quick,
        }
    }

    /// The hash of an integer's decimal text; a function call.
    #[inline(always)]
    fn hash_text(&self, negative: bool, n: u64) -> Option<u64> {
        (self.which == Which::Bytes).then(|| hash_decimal(negative, n, self.seed()))
    }

    /// The hash of bytes of any length; a function call.
    #[inline(always)]
    pub(super) fn hash_bytes(&self, bytes: &[u8]) -> Option<u64> {
        (self.which == Which::Bytes).then(|| hash_other(bytes, self.seed()))
    }

    /// [`hash`](Self::hash) of a key that needs no function call: 4 to 16 bytes, or an integer in a
    /// filter of integers. The caller handles all other keys in code that is not inlined.
    #[inline(always)]
    pub(super) fn quick(&self, key: KeyRef<'_>) -> Option<u64> {
        match (self.which, key) {
            (Which::Bytes, KeyRef::Bytes(bytes)) => self.hash_few(bytes),
            (Which::Integer, KeyRef::Unsigned(n)) => Some(mix_integer(self.eight, n)),
            (Which::Integer, KeyRef::Signed(n)) => Some(mix_integer(self.eight, n as u64)),
            _ => None,
        }
    }

    /// The hash of 4 to 16 bytes.
    #[inline(always)]
    fn hash_few(&self, bytes: &[u8]) -> Option<u64> {
        let len = bytes.len() as u64;
        // One comparison for each range of lengths.
        if len.wrapping_sub(9) < 8 {
            if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
                let [first, last] = [first, last].map(|eight| u64::from_le_bytes(*eight));
                return Some(hash_sixteen(self.sixteen, first, last, len));
            }
        }
        if len.wrapping_sub(4) < 5 {
            if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
                let [first, last] = [first, last].map(|four| u64::from(u32::from_le_bytes(*four)));
                return Some(mix(self.eight, first << 32 | last, len));
            }
        }
        None
    }
}

/// The word for keys of 4 to 8 bytes.
#[inline(always)]
fn secret_of_eight(seed: u64) -> u64 {
    SECRET_8.wrapping_sub(seed ^ u64::from((seed as u32).swap_bytes()) << 32)
}

/// The hash of an integer's decimal text. The text stays in registers: written to memory in
/// words and read at other places, it would stall the CPU.
#[inline(never)]
fn hash_decimal(negative: bool, n: u64, seed: u64) -> u64 {
    let text = Decimal::new(negative, n);
    let ([a, b, c], len) = (text.words, text.len as u64);
    match len {
        17.. => hash_thirty_two(seed, [eight_of([a, b], 24 - len), eight_of([b, c], 24 - len)], [b, c], len),
        9.. => hash_sixteen(SECRET_24.wrapping_add(seed), eight_of([b, c], 16 - len), c, len),
        4.. => mix(secret_of_eight(seed), c >> (64 - 8 * len) << 32 | c >> 32, len),
        _ => hash_short_decimal(negative, n, seed),
    }
}

/// [`hash_decimal`] of fewer than four bytes, by the crate. It is a separate function, so that
/// `hash_decimal` needs no stack frame.
#[inline(never)]
fn hash_short_decimal(negative: bool, n: u64, seed: u64) -> u64 {
    xxh3::hash(write_decimal(negative, n, &mut [0; DECIMAL]), seed)
}

/// Eight bytes of sixteen, from byte `start`, which is below 8.
#[inline(always)]
fn eight_of([low, high]: [u64; 2], start: u64) -> u64 {
    ((u128::from(high) << 64 | u128::from(low)) >> (8 * (start % 8))) as u64
}

/// The hash of bytes of any length.
#[inline(never)]
fn hash_other(bytes: &[u8], seed: u64) -> u64 {
    xxh3::hash(bytes, seed)
}

/// A fast path from a key to its hash, for a loop over many keys.
pub(super) trait Way: Copy {
    /// The hash of a key, if it has this fast path.
    fn hash(self, key: KeyRef<'_>) -> Option<u64>;
}

/// Bytes. The crate's hash function computes the words of the seed before the loop.
#[derive(Clone, Copy)]
pub(super) struct OfBytes {
    seed: u64,
}

impl Way for OfBytes {
    #[inline(always)]
    fn hash(self, key: KeyRef<'_>) -> Option<u64> {
        match key {
            KeyRef::Bytes(bytes) => Some(xxh3::hash(bytes, self.seed)),
            KeyRef::Unsigned(n) => Some(hash_decimal(false, n, self.seed)),
            KeyRef::Signed(n) => Some(hash_decimal(n < 0, n.unsigned_abs(), self.seed)),
            KeyRef::Compound(_) => None,
        }
    }
}

/// Integers.
#[derive(Clone, Copy)]
pub(super) struct OfIntegers {
    secret: u64,
}

impl Way for OfIntegers {
    #[inline(always)]
    fn hash(self, key: KeyRef<'_>) -> Option<u64> {
        match key {
            KeyRef::Unsigned(n) => Some(mix_integer(self.secret, n)),
            KeyRef::Signed(n) => Some(mix_integer(self.secret, n as u64)),
            _ => None,
        }
    }
}

/// No key.
#[derive(Clone, Copy)]
pub(super) struct OfNone;

impl Way for OfNone {
    #[inline(always)]
    fn hash(self, _: KeyRef<'_>) -> Option<u64> {
        None
    }
}

/// The hash of 9 to 16 bytes, from the first eight and the last eight. `secret` is the word for the
/// first eight.
#[inline(always)]
fn hash_sixteen(secret: u64, first: u64, last: u64, len: u64) -> u64 {
    let (first, last) = (first ^ secret, last ^ SECRET_24.wrapping_add(SECRET_40).wrapping_sub(secret));
    let sum = len.wrapping_add(first.swap_bytes()).wrapping_add(last);
    avalanche(sum.wrapping_add(folded(first, last)))
}

/// The hash of 17 to 32 bytes, from the first sixteen and the last sixteen.
#[inline(always)]
fn hash_thirty_two(seed: u64, first: [u64; 2], last: [u64; 2], len: u64) -> u64 {
    let half = |[low, high]: [u64; 2], secret: [u64; 2]| {
        folded(low ^ secret[0].wrapping_add(seed), high ^ secret[1].wrapping_sub(seed))
    };
    let sum = len.wrapping_mul(0x9e37_79b1_85eb_ca87);
    let sum = sum.wrapping_add(half(first, [SECRET[0], SECRET[1]]));
    avalanche(sum.wrapping_add(half(last, [SECRET[2], SECRET[3]])))
}

/// The upper half of a product, xor the lower half.
#[inline(always)]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline(always)]
fn avalanche(h: u64) -> u64 {
    let h = (h ^ h >> 37).wrapping_mul(0x1656_6791_9e37_79f9);
    h ^ h >> 32
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;

    /// Bytes of all lengths that are hashed here, and of some lengths that are not, with many
    /// seeds.
    #[test]
    fn hashes_are_those_of_the_crate() {
        let mut random = 0x0dd0_5eed_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for round in 0..20_000 {
            let seed = [0, u64::MAX, xxh3::DEFAULT_SEED, next()][round % 4];
            let (bytes, integers) = (Usual::bytes(seed), Usual::integers(seed));
            let key: Vec<u8> = (0..4).flat_map(|_| next().to_le_bytes()).collect();
            for len in 0..=24 {
                let key = &key[..len];
                assert_eq!(bytes.hash(KeyRef::Bytes(key)), Some(xxh3::hash(key, seed)), "{len} {seed:x}");
                assert_eq!(integers.hash(KeyRef::Bytes(key)), None);
            }
            for n in [0, 1, u64::MAX, 1 << 63, next(), next() >> 40] {
                let expected = Some(xxh3::hash(&n.to_le_bytes(), seed));
                assert_eq!(integers.hash(KeyRef::Unsigned(n)), expected, "{n} {seed:x}");
                assert_eq!(integers.hash(KeyRef::Signed(n as i64)), expected, "{n} {seed:x}");
                // The largest number of digits, or fewer.
                let n = n / 10u64.pow(round as u32 % 20);
                let texts =
                    [n.to_string(), (n as i64).to_string()].map(|text| xxh3::hash(text.as_bytes(), seed));
                assert_eq!(
                    [KeyRef::Unsigned(n), KeyRef::Signed(n as i64)].map(|n| bytes.hash(n)),
                    texts.map(Some)
                );
                let negative = (n as i64).wrapping_neg();
                let expected = xxh3::hash(negative.to_string().as_bytes(), seed);
                assert_eq!(
                    bytes.hash_in_loop(KeyRef::Signed(negative)),
                    Some(expected),
                    "{negative} {seed:x}"
                );
            }
            let none = Usual::none(KeyDomain::Bytes, Recipe::new());
            assert_eq!(none.hash(KeyRef::Bytes(&key)), None);
            assert_eq!(none.hash(KeyRef::Unsigned(seed)), None);
        }
    }
}

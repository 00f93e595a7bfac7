//! The hash of most keys, prepared once for a filter: XXH3 of bytes or of integers, without a
//! recipe.
//!
//! XXH3 of up to 16 bytes combines the key with a few words of a fixed secret and the seed, and
//! needs one or two products (xxHash specification 0.2.0, section "XXH3, small inputs"). These
//! words depend only on the seed; the crate computes them for each key. The crate hashes keys of
//! other lengths.

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
    // In the same word, to keep a filter small.
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

/// Words of XXH3's secret, in pairs: bytes 8 to 23, 24 to 39 and 40 to 55.
const SECRET_8: u64 = 0x1cad_21f7_2c81_017c ^ 0xdb97_9083_e96d_d4de;
const SECRET_24: u64 = 0x1f67_b3b7_a4a4_4072 ^ 0x78e5_c0cc_4ee6_79cb;
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
        let eight = SECRET_8.wrapping_sub(seed ^ u64::from((seed as u32).swap_bytes()) << 32);
        Usual { which, domain, recipe: Recipe::new(), eight, sixteen: SECRET_24.wrapping_add(seed) }
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

    /// The word that an integer is combined with, if integers have the fast path.
    pub(super) fn integer_secret(&self) -> Option<u64> {
        (self.which == Which::Integer).then_some(self.eight)
    }

    /// [`hash`](Self::hash) in a loop over keys. The hash function computes the words of the seed
    /// once, before the loop.
    #[inline(always)]
    pub(super) fn hash_in_loop(&self, key: KeyRef<'_>) -> Option<u64> {
        match (self.which, key) {
            (Which::Bytes, KeyRef::Bytes(bytes)) => Some(xxh3::hash(bytes, self.seed())),
            (Which::Bytes, _) => None,
            _ => self.hash(key),
        }
    }

    /// The hash of a single key, if it has the fast path.
    #[inline(always)]
    pub(crate) fn hash(&self, key: KeyRef<'_>) -> Option<u64> {
        match (self.quick(key), key) {
            (None, KeyRef::Bytes(bytes)) => self.hash_bytes(bytes),
            (quick, _) => quick,
        }
    }

    /// The hash of bytes of any length, by a call.
    #[inline(always)]
    pub(super) fn hash_bytes(&self, bytes: &[u8]) -> Option<u64> {
        (self.which == Which::Bytes).then(|| hash_other(bytes, self.seed()))
    }

    /// [`hash`](Self::hash) of a key that needs no call: 4 to 16 bytes, or an integer. The caller
    /// handles the rest in code that is out of line.
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
                return Some(hash_sixteen(
                    [self.sixteen, (SECRET_24.wrapping_add(SECRET_40)).wrapping_sub(self.sixteen)],
                    u64::from_le_bytes(*first),
                    u64::from_le_bytes(*last),
                    len,
                ));
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
            _ => None,
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

/// The hash of 9 to 16 bytes, from the first eight and the last eight.
#[inline(always)]
fn hash_sixteen(secret: [u64; 2], first: u64, last: u64, len: u64) -> u64 {
    let (first, last) = (first ^ secret[0], last ^ secret[1]);
    let product = u128::from(first) * u128::from(last);
    let sum = len.wrapping_add(first.swap_bytes()).wrapping_add(last);
    let h = sum.wrapping_add(product as u64 ^ (product >> 64) as u64);
    let h = (h ^ h >> 37).wrapping_mul(0x1656_6791_9e37_79f9);
    h ^ h >> 32
}

#[cfg(test)]
mod tests {
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
                assert_eq!((bytes.hash(KeyRef::Unsigned(n)), bytes.hash(KeyRef::Signed(1))), (None, None));
            }
            let none = Usual::none(KeyDomain::Bytes, Recipe::new());
            assert_eq!(none.hash(KeyRef::Bytes(&key)), None);
            assert_eq!(none.hash(KeyRef::Unsigned(seed)), None);
        }
    }
}

//! Random numbers that follow from a seed.

/// Random numbers from a seed (splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014). For samples, not for secrets.
pub struct Random(u64);

impl Random {
    /// The numbers that follow from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// The next number below `bound`. For the small bounds here all numbers are equally likely, to
    /// within 2^-32.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }
}

/// The mixing step of splitmix64.
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers from the seed 1234567, as other programs' splitmix64 gives them.
    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.next_u64(), random.next_u64(), random.next_u64()], first);
        assert!((0..1000).all(|_| random.below(10) < 10));
        let sum: u64 = (0..10_000).map(|_| random.below(10)).sum();
        assert!((44_000..46_000).contains(&sum), "{sum}");
    }
}

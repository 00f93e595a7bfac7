//! Made-up identity numbers of 12 digits. All are different and valid, and no set of them has to be
//! kept.
//!
//! A number is six digits of the birth date, one for century and sex (3 or 4 in the 1900s, 5 or 6
//! in the 2000s), a serial of four digits, and a check digit. Date, sex and serial count through
//! 620,920,000 places; a seeded permutation puts these places in a random order. So the first n
//! numbers are a random sample of n different numbers, and no later number is one of them.

use crate::random::{Random, mix};

/// The first and the last year of birth.
const YEARS: std::ops::RangeInclusive<u32> = 1935..=2019;
/// Places of one day: two sexes, 10,000 serials.
const PLACES_A_DAY: u64 = 20_000;
/// Bits of each half of the numbers that are permuted.
const HALF: u32 = 15;
const HALF_MASK: u32 = (1 << HALF) - 1;

/// The digits of a number.
pub type Iin = [u8; 12];

/// All numbers in a random order.
pub struct Iins {
    /// Year, month and day in digits, and the year.
    days: Vec<([u8; 6], u32)>,
    keys: [u64; 4],
}

impl Iins {
    /// The order that follows from a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        Self { days: days(), keys: std::array::from_fn(|_| random.next_u64()) }
    }

    /// How many places there are. One place in 121 has no number.
    pub fn places(&self) -> u64 {
        self.days.len() as u64 * PLACES_A_DAY
    }

    /// The number at a place of the order, or nothing where that number is never issued. Different
    /// places have different numbers.
    pub fn at(&self, place: u64) -> Option<Iin> {
        // The permutation has more numbers than there are places, so it is applied until it gives a
        // place.
        let mut x = place as u32;
        loop {
            x = self.permute(x);
            if u64::from(x) < self.places() {
                break;
            }
        }
        let (day, rest) = (u64::from(x) / PLACES_A_DAY, u64::from(x) % PLACES_A_DAY);
        let (date, year) = &self.days[day as usize];
        let (sex, serial) = ((rest / 10_000) as u8, rest % 10_000);
        let mut iin = [b'0'; 12];
        iin[..6].copy_from_slice(date);
        iin[6] = if *year < 2000 { b'3' + sex } else { b'5' + sex };
        for (digit, scale) in iin[7..11].iter_mut().zip([1000, 100, 10, 1]) {
            *digit = b'0' + (serial / scale % 10) as u8;
        }
        iin[11] = b'0' + check_digit(&iin)?;
        Some(iin)
    }

    /// A permutation of the numbers below 2^30 (a Feistel network of four rounds).
    fn permute(&self, x: u32) -> u32 {
        let (mut left, mut right) = (x >> HALF, x & HALF_MASK);
        for key in self.keys {
            let mixed = mix(u64::from(right) ^ key) as u32 & HALF_MASK;
            (left, right) = (right, left ^ mixed);
        }
        (left << HALF) | right
    }
}

/// The check digit of the first eleven digits. Gives nothing where the number is never issued.
pub fn check_digit(iin: &Iin) -> Option<u8> {
    const FIRST: [u32; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    const SECOND: [u32; 11] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2];
    let sum = |weights: [u32; 11]| {
        let digits = iin.iter().map(|digit| u32::from(digit - b'0'));
        digits.zip(weights).map(|(digit, weight)| digit * weight).sum::<u32>() % 11
    };
    match sum(FIRST) {
        10 => match sum(SECOND) {
            10 => None,
            digit => Some(digit as u8),
        },
        digit => Some(digit as u8),
    }
}

/// Every day of [`YEARS`].
fn days() -> Vec<([u8; 6], u32)> {
    let mut days = Vec::new();
    for year in YEARS {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for (month, length) in (1..).zip(lengths) {
            for day in 1..=length {
                let mut date = [0; 6];
                for (pair, value) in date.chunks_exact_mut(2).zip([year % 100, month, day]) {
                    pair[0] = b'0' + (value / 10) as u8;
                    pair[1] = b'0' + (value % 10) as u8;
                }
                days.push((date, year));
            }
        }
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn check_digits_of_known_numbers() {
        assert_eq!(check_digit(b"570108428378"), Some(8));
        // 3 x 1 + 7 x 11 = 80 = 3 mod 11.
        assert_eq!(check_digit(b"300000000070"), Some(3));
        // 1 x 10 is 10, so the second weights: 1 x 1.
        assert_eq!(check_digit(b"000000000100"), Some(1));
    }

    /// The same list from every version and on every machine.
    #[test]
    fn the_order_follows_from_the_seed() {
        let iins = Iins::new(7);
        let expected = [
            b"940308352845",
            b"570611443980",
            b"090527512682",
            b"840305499147",
            b"190313537160",
            b"620304450689",
        ];
        for (place, iin) in (0..).zip(expected) {
            assert_eq!(iins.at(place).as_ref(), Some(iin));
        }
    }

    #[test]
    fn one_in_121_is_never_issued() {
        let iins = Iins::new(7);
        let issued = (0..121_000).filter(|&place| iins.at(place).is_some()).count();
        assert!((119_800..120_200).contains(&issued), "{issued}");
    }

    #[test]
    fn numbers_are_valid_and_different() {
        let iins = Iins::new(1);
        assert_eq!(iins.places(), 31_046 * 20_000);
        let all: Vec<Iin> = (0..200_000).filter_map(|place| iins.at(place)).collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        for iin in &all {
            assert_eq!(check_digit(iin), Some(iin[11] - b'0'));
            let number = |at: usize| (iin[at] - b'0') * 10 + iin[at + 1] - b'0';
            assert!((1..=12).contains(&number(2)) && (1..=31).contains(&number(4)));
            match iin[6] {
                b'3' | b'4' => assert!(number(0) >= 35),
                b'5' | b'6' => assert!(number(0) <= 19),
                other => panic!("{other}"),
            }
        }
        // The last places too, and another seed gives another order.
        assert!((iins.places() - 50..iins.places()).any(|place| iins.at(place).is_some()));
        assert_ne!(Iins::new(2).at(5), iins.at(5));
    }
}

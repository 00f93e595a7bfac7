//! A divider: bits that tell the members of a filter from the filter's known false positives
//! (FORMAT.md, section 4.10).
//!
//! Each of these keys has three bits, one in each third of an array. The key's answer is their sum
//! mod 2. Peeling finds the array. A bit that only one key uses can be set for that key whatever
//! its other two bits are, so the key is laid aside. That leaves other bits with only one key, and
//! so on. Then the keys set their bits in the reverse order.

use alloc::vec::Vec;

use crate::bits::memory::{copy_of, push, reserve, zeros};
use crate::error::{Error, Result};
use crate::key::finish_hash;

/// The step of a hash from one of its places to the next: 2^64 over the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Answers no for the exceptions among the keys that it was made of, and yes for the members.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Divider {
    /// The number of exceptions.
    pub(crate) exceptions: u64,
    /// Changes the places of all hashes; the first salt for which peeling succeeds.
    pub(crate) salt: u64,
    /// The number of bits of a third of the array.
    pub(crate) width: u64,
    /// The array; the unused bits of the last word are 0.
    pub(crate) words: Vec<u64>,
}

impl Divider {
    /// Makes a divider from the hashes of all members and of the exceptions (ascending).
    pub(crate) fn new(members: Vec<u64>, exceptions: &[u64]) -> Result<Self> {
        let mut keys = members;
        keys.sort_unstable();
        keys.dedup();
        if exceptions.iter().any(|hash| keys.binary_search(hash).is_ok()) {
            return Err(Error::parameter("an exception", "the hash of a member too", "that of a non-member"));
        }
        reserve(&mut keys, exceptions.len())?;
        keys.extend_from_slice(exceptions);
        let width = width(keys.len() as u64);
        let mut divider = Divider { exceptions: exceptions.len() as u64, salt: 0, width, words: Vec::new() };
        let mut order = Vec::new();
        reserve(&mut order, keys.len())?;
        while !divider.peel(&keys, &mut order)? {
            divider.salt += 1;
        }
        divider.words = zeros((3 * width).div_ceil(64) as usize)?;
        for (hash, place) in order.into_iter().rev() {
            if divider.denies(hash) != exceptions.binary_search(&hash).is_ok() {
                divider.words[place as usize / 64] |= 1 << (place % 64);
            }
        }
        Ok(divider)
    }

    /// A copy in newly allocated memory.
    pub(crate) fn copied(&self) -> Result<Self> {
        Ok(Divider { words: copy_of(&self.words)?, ..*self })
    }

    /// Lays the keys aside in an order in which each has a place that no later key uses. Returns
    /// whether all keys were laid aside.
    fn peel(&self, keys: &[u64], order: &mut Vec<(u64, u64)>) -> Result<bool> {
        order.clear();
        // For each place: the number of keys that use it, and the XOR of their hashes.
        let (mut counts, mut hashes) =
            (zeros::<u32>(3 * self.width as usize)?, zeros::<u64>(3 * self.width as usize)?);
        for hash in keys {
            for place in self.places(*hash) {
                counts[place as usize] += 1;
                hashes[place as usize] ^= hash;
            }
        }
        let mut alone = Vec::new();
        for first in 0..3 * self.width {
            push(&mut alone, first)?;
            while let Some(place) = alone.pop() {
                if counts[place as usize] != 1 {
                    continue;
                }
                let hash = hashes[place as usize];
                order.push((hash, place));
                for other in self.places(hash) {
                    counts[other as usize] -= 1;
                    hashes[other as usize] ^= hash;
                    if counts[other as usize] == 1 {
                        push(&mut alone, other)?;
                    }
                }
            }
        }
        Ok(order.len() == keys.len())
    }

    /// Whether the answer for this hash is no. It has a meaning only for a key for which the
    /// filter's bits say yes.
    pub(crate) fn denies(&self, hash: u64) -> bool {
        let bits = self.places(hash).map(|place| self.words[place as usize / 64] >> (place % 64) & 1);
        bits[0] ^ bits[1] ^ bits[2] == 1
    }

    /// The three places of a hash, one in each third.
    fn places(&self, hash: u64) -> [u64; 3] {
        [0, 1, 2].map(|third| {
            let step = self.salt.wrapping_mul(3).wrapping_add(third + 1);
            let x = finish_hash(hash.wrapping_add(STEP.wrapping_mul(step)));
            third * self.width + ((u128::from(x) * u128::from(self.width)) >> 64) as u64
        })
    }
}

/// The bits of a third for this many keys: 1.23 bits a key in all, with which nearly every salt
/// succeeds, and a few more for small sets.
fn width(keys: u64) -> u64 {
    keys.saturating_mul(41).div_ceil(100).saturating_add(11)
}

/// The bytes in a file of a divider for this many keys, with its checksum.
pub(crate) fn len_in_file(keys: u64) -> u64 {
    width(keys).saturating_mul(3).div_ceil(64).saturating_mul(8).saturating_add(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(from: u64, count: u64) -> Vec<u64> {
        let mut hashes: Vec<u64> = (from..from + count).map(finish_hash).collect();
        hashes.sort_unstable();
        hashes
    }

    #[test]
    fn it_tells_members_from_strangers() {
        for (members, strangers) in
            [(0, 1), (1, 1), (1, 2), (2, 1), (7, 0), (100, 30), (1000, 5000), (50_000, 20_000)]
        {
            let (members, strangers) = (hashes(0, members), hashes(1 << 40, strangers));
            let divider = Divider::new(members.clone(), &strangers).unwrap();
            assert!(!members.iter().any(|hash| divider.denies(*hash)), "{}", members.len());
            assert!(strangers.iter().all(|hash| divider.denies(*hash)), "{}", members.len());
            let keys = (members.len() + strangers.len()) as u64;
            assert_eq!(8 * (divider.words.len() as u64 + 4), len_in_file(keys));
            assert!(64 * (divider.words.len() as u64) < keys * 123 / 100 + 123 + 33 + 64);
            // Every other key gets each answer with probability one half.
            let denied = hashes(1 << 41, 1000).into_iter().filter(|hash| divider.denies(*hash)).count();
            assert!(keys < 1000 || (400..600).contains(&denied), "{denied}");
        }
    }

    #[test]
    fn repeats_and_order_change_nothing() {
        let (mut members, strangers) = (hashes(0, 200), hashes(1 << 40, 100));
        let divider = Divider::new(members.clone(), &strangers).unwrap();
        members.reverse();
        members.extend_from_within(..50);
        assert!(Divider::new(members.clone(), &strangers).unwrap() == divider);
        // A member and an exception with the same hash cannot be told apart.
        members.push(strangers[7]);
        let error = Divider::new(members.clone(), &strangers).unwrap_err();
        assert!(error.to_string().contains("the hash of a member too"), "{error}");
    }

    /// In small sets some keys share all three places: another salt separates them.
    #[test]
    fn a_salt_that_does_is_found() {
        let salts: Vec<u64> = (0..300)
            .map(|n| Divider::new(hashes(n << 20, 4), &hashes(n << 30 | 1 << 50, 3)).unwrap().salt)
            .collect();
        assert!(salts.iter().filter(|salt| **salt == 0).count() > 200, "{salts:?}");
    }
}

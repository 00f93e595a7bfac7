//! Section 4.10: bits that distinguish the members of a filter from its exceptions.

use crate::hash::finish;

/// The divider of a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Divider {
    /// The number of exceptions from which it was made.
    pub exceptions: u64,
    /// The salt that moves the hashes.
    pub salt: u64,
    /// Bits of a third.
    pub width: u64,
    /// The bits of all three thirds.
    pub bits: Vec<bool>,
}

impl Divider {
    /// Makes a divider of these hashes: solves one equation for each hash by elimination.
    pub fn new(members: &[u64], exceptions: &[u64]) -> Result<Divider, String> {
        if exceptions.is_empty() {
            return Err("a divider has exceptions".to_string());
        }
        if members.iter().any(|hash| exceptions.contains(hash)) {
            return Err("a member has the hash of an exception".to_string());
        }
        let keys = (members.len() + exceptions.len()) as u64;
        let width = (41 * keys).div_ceil(100) + 11;
        for salt in 0..1000 {
            let mut divider = Divider {
                exceptions: exceptions.len() as u64,
                salt,
                width,
                bits: vec![false; 3 * width as usize],
            };
            let answers = members.iter().map(|&h| (h, false)).chain(exceptions.iter().map(|&h| (h, true)));
            if divider.solve(answers.collect()) {
                return Ok(divider);
            }
        }
        Err("no salt will do".to_string())
    }

    /// Sets the bits so that each hash has its answer, if there is a solution.
    fn solve(&mut self, answers: Vec<(u64, bool)>) -> bool {
        // An equation: the XOR of some bits is an answer. Each taken equation has a first bit that
        // no later one has.
        let mut taken: Vec<(Vec<bool>, bool)> = Vec::new();
        for (h, answer) in answers {
            let mut row = (vec![false; self.bits.len()], answer);
            for p in self.positions(h) {
                row.0[p as usize] = true;
            }
            for other in &taken {
                let first = other.0.iter().position(|&bit| bit).unwrap_or(0);
                if row.0[first] {
                    add(&mut row, other);
                }
            }
            if row.0.contains(&true) {
                taken.push(row);
            } else if row.1 {
                return false;
            }
        }
        // From the last taken equation to the first: a later one has no first bit of an earlier
        // one.
        for row in taken.iter().rev() {
            let first = row.0.iter().position(|&bit| bit).unwrap_or(0);
            let mut sum = row.1;
            for p in 0..self.bits.len() {
                sum ^= row.0[p] && p != first && self.bits[p];
            }
            self.bits[first] = sum;
        }
        true
    }

    /// The three bits of a hash.
    pub fn positions(&self, h: u64) -> [u64; 3] {
        [0, 1, 2].map(|i| {
            let step = self.salt.wrapping_mul(3).wrapping_add(i + 1).wrapping_mul(0x9E3779B97F4A7C15);
            let x = finish(h.wrapping_add(step));
            i * self.width + ((u128::from(x) * u128::from(self.width)) >> 64) as u64
        })
    }

    /// Does the hash get the answer no although the bits of the filter are set?
    pub fn denies(&self, h: u64) -> bool {
        let [a, b, c] = self.positions(h);
        self.bits[a as usize] ^ self.bits[b as usize] ^ self.bits[c as usize]
    }

    /// The bytes after the body, without their checksum.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for number in [self.exceptions, self.salt, self.width] {
            out.extend(number.to_le_bytes());
        }
        for word in self.bits.chunks(64) {
            let number = (0..word.len()).fold(0, |sum, i| sum | (u64::from(word[i]) << i));
            out.extend(number.to_le_bytes());
        }
        out
    }

    /// Parses these bytes, whose length is a multiple of 8.
    pub fn read(bytes: &[u8]) -> Result<Divider, String> {
        let mut numbers = Vec::new();
        for word in bytes.chunks(8) {
            let mut number = [0; 8];
            number.copy_from_slice(word);
            numbers.push(u64::from_le_bytes(number));
        }
        if numbers.len() < 4 || numbers[0] == 0 || numbers[2] == 0 {
            return Err("the divider has no exceptions, or no bits".to_string());
        }
        let (exceptions, salt, width) = (numbers[0], numbers[1], numbers[2]);
        let words = &numbers[3..];
        if width.checked_mul(3).map(|bits| bits.div_ceil(64)) != Some(words.len() as u64) {
            return Err(format!("a divider of 3 times {width} bits does not take {} words", words.len()));
        }
        let mut bits: Vec<bool> =
            (0..64 * words.len()).map(|p| (words[p / 64] >> (p % 64)) & 1 == 1).collect();
        if bits.split_off(3 * width as usize).contains(&true) {
            return Err("the padding of the divider is not 0".to_string());
        }
        Ok(Divider { exceptions, salt, width, bits })
    }
}

/// Adds an equation to another.
fn add(row: &mut (Vec<bool>, bool), other: &(Vec<bool>, bool)) {
    for p in 0..row.0.len() {
        row.0[p] ^= other.0[p];
    }
    row.1 ^= other.1;
}

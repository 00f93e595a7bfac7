//! Section 2.7: the quotient table, a sorted list of numbers with tags in lines of 512 bits.

use crate::bits::mulhi;

/// Bits of a line.
const LINE_BITS: u64 = 512;
/// The first of the ten bits of a line that hold d.
const D_AT: u64 = 502;
/// The largest d.
pub const MOST_D: u64 = 1022;
/// The most lines after the home lines.
pub const MOST_SPARE: u64 = 64;
/// The most lines of a table.
pub const MOST_LINES: u64 = 1 << 37;
/// The most slots of one number.
pub const MOST_SLOTS: u64 = 64;

/// A number with its tag: one slot of a table. A table is a list of them, ascending.
pub type Slot = (u64, u64);

/// The layout of a table's slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// U: every number is below it.
    pub numbers: u64,
    /// r: the bits of the remainder in a slot.
    pub rem_bits: u32,
    /// v: the bits of a tag.
    pub tag_bits: u32,
    /// B: the buckets of a line.
    pub buckets: u64,
    /// S: the slots of a line.
    pub slots: u64,
    /// The lines after the home lines.
    pub spare: u64,
}

/// The largest U for tags of this many bits: a number with its tag is below 2^64.
pub fn most_numbers(tag_bits: u32) -> u64 {
    (1u128 << (64 - tag_bits)).min((1 << 56) - 1) as u64
}

impl Shape {
    /// Refuses numbers that a table cannot have. All calls below need this to be `Ok`.
    pub fn check(&self) -> Result<(), String> {
        if !(1..=40).contains(&self.rem_bits) || self.tag_bits > 16 {
            return Err(format!("a slot cannot have {} + {} bits", self.rem_bits, self.tag_bits));
        }
        if !(1..=most_numbers(self.tag_bits)).contains(&self.numbers) {
            return Err(format!("U cannot be {}", self.numbers));
        }
        if !(8..=150).contains(&self.buckets) || self.slots == 0 {
            return Err(format!("a line cannot have {} buckets and {} slots", self.buckets, self.slots));
        }
        if self.meta() > 192 || self.meta() + self.slots * u64::from(self.width()) > D_AT {
            return Err(format!("{} buckets and {} slots do not fit a line", self.buckets, self.slots));
        }
        if self.spare > MOST_SPARE {
            return Err(format!("{} spare lines", self.spare));
        }
        if self.lines() > MOST_LINES {
            return Err(format!("{} lines", self.lines()));
        }
        Ok(())
    }

    /// M: the bits of a line that record how many slots each bucket has.
    pub fn meta(&self) -> u64 {
        self.buckets + self.slots + 8
    }

    /// w: the bits of a slot.
    pub fn width(&self) -> u32 {
        self.rem_bits + self.tag_bits
    }

    /// N: the lines that are the home of a number.
    pub fn home_lines(&self) -> u64 {
        self.numbers.div_ceil(self.buckets << self.rem_bits)
    }

    /// The home lines and the spare ones.
    pub fn lines(&self) -> u64 {
        self.home_lines() + self.spare
    }

    /// q: the bucket of a number, counted over the whole table.
    fn bucket(&self, number: u64) -> u64 {
        number >> self.rem_bits
    }
}

/// Spreads similar hashes over all 64-bit numbers. No two hashes have the same result.
pub fn spread(h: u64) -> u64 {
    (h ^ (h >> 32)).wrapping_mul(0x9E3779B97F4A7C15)
}

/// The number y of a hash, of `numbers` = U.
pub fn number(h: u64, numbers: u64) -> u64 {
    mulhi(spread(h), numbers)
}

/// The bits of the lines with these slots, in any order; an error if they do not fit.
pub fn encode(shape: &Shape, slots: &[Slot]) -> Result<Vec<bool>, String> {
    let mut slots = slots.to_vec();
    slots.sort();
    let mut bits = vec![false; (LINE_BITS * shape.lines()) as usize];
    let mut next = 0; // The first slot that is not out.
    let mut begin = 0; // The bucket with which the next line begins.
    for line in 0..shape.lines() {
        let own = line * shape.buckets;
        let d = own - begin;
        if d > MOST_D {
            return Err(format!("line {line} begins {d} buckets before its own first one"));
        }
        let (mut meta, mut values) = (Vec::new(), Vec::new());
        begin = fill(shape, &slots, &mut next, begin..own + shape.buckets, &mut meta, &mut values);

        let line = &mut bits[(LINE_BITS * line) as usize..][..LINE_BITS as usize];
        line[..meta.len()].copy_from_slice(&meta);
        for i in 0..values.len() {
            let at = shape.meta() + i as u64 * u64::from(shape.width());
            put(line, at, shape.width(), values[i]);
        }
        put(line, D_AT, 10, d);
    }
    if begin < shape.lines() * shape.buckets {
        return Err("the last line is full, and something is still to come".to_string());
    }
    Ok(bits)
}

/// Writes slots of these buckets into a line, until no more fit. Returns the bucket with which the
/// next line begins.
fn fill(
    shape: &Shape,
    slots: &[Slot],
    next: &mut usize,
    range: std::ops::Range<u64>,
    meta: &mut Vec<bool>,
    values: &mut Vec<u64>,
) -> u64 {
    let (most_meta, most_values) = (shape.meta() as usize, shape.slots as usize);
    for bucket in range.clone() {
        if meta.len() == most_meta {
            return bucket;
        }
        meta.push(false);
        while *next < slots.len() && shape.bucket(slots[*next].0) == bucket {
            if meta.len() == most_meta || values.len() == most_values {
                meta.resize(most_meta, true);
                return bucket;
            }
            let (number, tag) = slots[*next];
            meta.push(true);
            values.push((number % (1 << shape.rem_bits)) << shape.tag_bits | tag);
            *next += 1;
        }
    }
    range.end
}

/// The slots in some lines. Lines that no encoder wrote give an error or any slots;
/// [`decode_canonical`] detects them.
pub fn decode(shape: &Shape, bits: &[bool]) -> Result<Vec<Slot>, String> {
    let mut slots = Vec::new();
    for line in 0..shape.lines() {
        let bits = &bits[(LINE_BITS * line) as usize..][..LINE_BITS as usize];
        let (own, d) = (line * shape.buckets, get(bits, D_AT, 10));
        if d > own {
            return Err(format!("line {line} begins {d} buckets before its own first one"));
        }
        let (mut zeros, mut ones) = (0, 0);
        for p in 0..shape.meta() {
            if !bits[p as usize] {
                zeros += 1;
                continue;
            }
            // All slots of the line are read; the rest only fills up.
            if ones == shape.slots {
                break;
            }
            if zeros == 0 || zeros > d + shape.buckets {
                return Err(format!("line {line} has a slot of no bucket"));
            }
            let bucket = own - d + zeros - 1;
            let value = get(bits, shape.meta() + ones * u64::from(shape.width()), shape.width());
            slots.push((bucket << shape.rem_bits | value >> shape.tag_bits, value % (1 << shape.tag_bits)));
            ones += 1;
        }
    }
    Ok(slots)
}

/// The slots in some lines, if an encoder would write exactly these lines.
pub fn decode_canonical(shape: &Shape, bits: &[bool]) -> Result<Vec<Slot>, String> {
    let slots = decode(shape, bits)?;
    if encode(shape, &slots)? != bits {
        return Err("the lines are not those of their slots".to_string());
    }
    if slots.iter().any(|slot| slot.0 >= shape.numbers) {
        return Err(format!("a number is not below {}", shape.numbers));
    }
    Ok(slots)
}

/// The tags of a number, found from its home line on, without reading the lines before it.
pub fn find(shape: &Shape, bits: &[bool], number: u64) -> Vec<u64> {
    let mut tags = Vec::new();
    let mut line = shape.bucket(number) / shape.buckets;
    let line_bits = |line: u64| &bits[(LINE_BITS * line) as usize..][..LINE_BITS as usize];
    let mut d = get(line_bits(line), D_AT, 10);
    // The bucket, counted from the one with which the line begins.
    let mut t = shape.bucket(number) % shape.buckets + d;
    loop {
        let bits = line_bits(line);
        let zeros = (0..shape.meta()).filter(|&p| !bits[p as usize]);
        let mut goes_on = true;
        if let Some(zero) = zeros.clone().nth(t as usize) {
            let mut p = zero + 1;
            while p < shape.meta() && bits[p as usize] && p - t - 1 < shape.slots {
                let at = shape.meta() + (p - t - 1) * u64::from(shape.width());
                let value = get(bits, at, shape.width());
                if value >> shape.tag_bits == number % (1 << shape.rem_bits) {
                    tags.push(value % (1 << shape.tag_bits));
                }
                p += 1;
            }
            goes_on = p == shape.meta() || p - t - 1 == shape.slots;
        }
        line += 1;
        if !goes_on || line == shape.lines() {
            return tags;
        }
        let before = d + shape.buckets;
        d = get(line_bits(line), D_AT, 10);
        if d == 0 || t + d < before {
            return tags;
        }
        t = t + d - before;
    }
}

/// The slots of a number with `count` copies: all tags but the first are at their maximum. Without
/// tags each copy is a slot.
pub fn slots_of(number: u64, count: u64, tag_bits: u32) -> Vec<Slot> {
    let most = 1 << tag_bits;
    let mut slots = Vec::new();
    let mut left = count;
    while left > most {
        slots.push((number, most - 1));
        left -= most;
    }
    slots.insert(0, (number, left - 1));
    slots
}

/// Writes the low bits of a value, the lowest first.
fn put(bits: &mut [bool], at: u64, width: u32, value: u64) {
    for i in 0..width {
        bits[(at + u64::from(i)) as usize] = value >> i & 1 == 1;
    }
}

/// Reads bits that [`put`] wrote.
fn get(bits: &[bool], at: u64, width: u32) -> u64 {
    (0..width).map(|i| u64::from(bits[(at + u64::from(i)) as usize]) << i).sum()
}

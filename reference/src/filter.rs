//! A Bloom filter: its fields and bits, the limits of the fields, insert, lookup, the self-test and
//! folding.

use crate::bits::{self, SCATTERED};
use crate::divider::Divider;
use crate::hash::{siphash13, xxh3, xxh64};
use crate::key::{apply_recipe, bytes_of};
use crate::schemes;

/// "Keys inserted" if the number is unknown.
pub const UNKNOWN: u64 = u64::MAX;

/// A Bloom filter: the fields of its file as numbers (section 4.2), and its bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Offset 32: the layout (section 2).
    pub layout: u8,
    /// Offset 33: how the bytes of a key become a hash or positions (sections 1.3 and 1.4).
    pub scheme: u8,
    /// Offset 34: the key domain (section 1.1).
    pub domain: u8,
    /// Offset 35: the policy past the capacity. It has no effect here.
    pub policy: u8,
    /// Offset 36: k.
    pub num_hashes: u32,
    /// Offset 40: the number of bits.
    pub bit_len: u64,
    /// Offset 48: the capacity in keys.
    pub capacity: u64,
    /// Offset 56: the promised false-positive rate.
    pub rate: f64,
    /// Offset 64: the seed, the key check or the parameters of the scheme.
    pub parameter: u64,
    /// Offset 72: the number of given keys, repeats included, or [`UNKNOWN`].
    pub keys_inserted: u64,
    /// Offset 124: the recipe (section 1.2).
    pub recipe: u32,
    /// Tags and values of the records (section 4.3).
    pub records: Vec<(u16, String)>,
    /// The secret key of scheme 2, which is not in the file; zeros under every other scheme.
    pub secret: [u8; 16],
    /// The hashes of the exceptions, ascending (section 4.9).
    pub exceptions: Vec<u64>,
    /// The divider that replaces this list (section 4.10).
    pub divider: Option<Divider>,
    /// The body: `bits[p]` is bit p of section 2.
    pub bits: Vec<bool>,
}

impl Filter {
    /// An empty filter of byte keys for 1 key at a rate of 0.01, without recipe and records.
    pub fn new(layout: u8, scheme: u8, num_hashes: u32, bit_len: u64) -> Filter {
        Filter {
            layout,
            scheme,
            domain: 1,
            policy: 1,
            num_hashes,
            bit_len,
            capacity: 1,
            rate: 0.01,
            parameter: 0,
            keys_inserted: 0,
            recipe: 0,
            records: Vec::new(),
            secret: [0; 16],
            exceptions: Vec::new(),
            divider: None,
            bits: vec![false; bit_len as usize],
        }
    }

    /// Step 4 of section 4.6: refuses fields that a file cannot have. All calls below need this to
    /// be `Ok`.
    pub fn check(&self) -> Result<(), String> {
        let scheme = self.scheme;
        if (1..=4).contains(&scheme) {
            bits::check(self.layout, self.num_hashes, self.bit_len)?;
        } else {
            schemes::check(scheme, self.parameter, self.num_hashes, self.bit_len)?;
            if self.layout != SCATTERED {
                return Err(format!("scheme {scheme} cannot have layout {}", self.layout));
            }
        }
        if matches!(scheme, 3 | 4) && self.parameter != 0 {
            return Err(format!("scheme {scheme} has no parameter"));
        }
        check_records(&self.records)?;
        if self.record(5).is_some() != (scheme == 28) {
            return Err("record 5 is there if and only if the scheme is 28".to_string());
        }
        if let Some(seed) = self.record(5) {
            schemes::seed_of(seed)?;
        }
        if self.record(6).is_some() != (scheme == 4) {
            return Err("record 6 is there if and only if the scheme is 4".to_string());
        }
        if !(1..=7).contains(&self.domain) {
            return Err(format!("key domain {} is not known", self.domain));
        }
        if !(1..=3).contains(&self.policy) {
            return Err(format!("policy {} is not known", self.policy));
        }
        if self.recipe > 3 {
            return Err(format!("recipe {:#x} has unknown bits", self.recipe));
        }
        if self.capacity == 0 {
            return Err("the capacity is 0".to_string());
        }
        // NaN is refused too.
        if !(self.rate > 0.0 && self.rate < 1.0) {
            return Err(format!("the promised rate {} is not between 0 and 1", self.rate));
        }
        Ok(())
    }

    /// The value of a record.
    pub fn record(&self, tag: u16) -> Option<&str> {
        self.records.iter().find(|record| record.0 == tag).map(|record| record.1.as_str())
    }

    /// The positions for the bytes of section 1.1: from their hash (section 2), or directly
    /// (section 1.4).
    pub fn positions(&self, bytes: &[u8]) -> Result<Vec<u64>, String> {
        let (k, bit_len) = (self.num_hashes, self.bit_len);
        let h = match self.scheme {
            1 => xxh3(bytes, self.parameter),
            2 => siphash13(&self.secret, bytes),
            3 => xxh64(bytes),
            4 => return Err("scheme 4 cannot hash a key".to_string()),
            _ => {
                let seed = self.record(5).map_or(Ok([0; 32]), schemes::seed_of)?;
                return Ok(schemes::positions(self.scheme, self.parameter, &seed, bytes, k, bit_len));
            }
        };
        Ok(self.positions_of_hash(h))
    }

    /// The positions of a hash for the schemes 1 to 4 (section 2).
    pub fn positions_of_hash(&self, h: u64) -> Vec<u64> {
        bits::positions(self.layout, self.num_hashes, self.bit_len, h)
    }

    /// Section 4.9: the hash that makes the bytes of section 1.1 an exception.
    fn exception_hash(&self, bytes: &[u8]) -> Result<u64, String> {
        match self.scheme {
            1 => Ok(xxh3(bytes, self.parameter)),
            2 => Ok(siphash13(&self.secret, bytes)),
            3 => Ok(xxh64(bytes)),
            4 => Err("scheme 4 cannot hash a key".to_string()),
            _ => Ok(xxh3(bytes, 0)),
        }
    }

    /// Makes a key an exception.
    pub fn except(&mut self, key: &[u8]) -> Result<(), String> {
        let bytes = bytes_of(self.domain, &apply_recipe(self.recipe, key))?;
        let hash = self.exception_hash(&bytes)?;
        self.exceptions.push(hash);
        self.exceptions.sort();
        self.exceptions.dedup();
        Ok(())
    }

    /// Inserts a key and counts it.
    pub fn insert(&mut self, key: &[u8]) -> Result<(), String> {
        let bytes = bytes_of(self.domain, &apply_recipe(self.recipe, key))?;
        if self.scheme != 4 {
            let hash = self.exception_hash(&bytes)?;
            self.exceptions.retain(|&exception| exception != hash);
        }
        self.set(&self.positions(&bytes)?);
        Ok(())
    }

    /// Inserts a key by its hash, for the schemes 1 to 4, and counts it.
    pub fn insert_hash(&mut self, h: u64) {
        self.exceptions.retain(|&exception| exception != h);
        self.set(&self.positions_of_hash(h));
    }

    fn set(&mut self, positions: &[u64]) {
        for &p in positions {
            self.bits[p as usize] = true;
        }
        if self.keys_inserted != UNKNOWN {
            self.keys_inserted += 1;
        }
    }

    /// Looks up a key: `false` is certain, `true` means perhaps.
    pub fn contains(&self, key: &[u8]) -> Result<bool, String> {
        if self.scheme == 4 {
            return Ok(true);
        }
        let bytes = bytes_of(self.domain, &apply_recipe(self.recipe, key))?;
        Ok(self.all_set(&self.positions(&bytes)?) && !self.denies(self.exception_hash(&bytes)?))
    }

    /// Looks up the hash of a key, for the schemes 1 to 4.
    pub fn contains_hash(&self, h: u64) -> bool {
        self.all_set(&self.positions_of_hash(h)) && !self.denies(h)
    }

    /// Sections 4.9 and 4.10: is the answer no although the bits are set?
    fn denies(&self, h: u64) -> bool {
        match &self.divider {
            Some(divider) => divider.denies(h),
            None => self.exceptions.contains(&h),
        }
    }

    /// Replaces the list of exceptions by a divider. `members` are all keys of the filter.
    pub fn divide(&mut self, members: &[String]) -> Result<(), String> {
        let mut hashes = Vec::new();
        for key in members {
            let bytes = bytes_of(self.domain, &apply_recipe(self.recipe, key.as_bytes()))?;
            hashes.push(self.exception_hash(&bytes)?);
        }
        self.divider = Some(Divider::new(&hashes, &self.exceptions)?);
        self.exceptions.clear();
        Ok(())
    }

    fn all_set(&self, positions: &[u64]) -> bool {
        positions.iter().all(|&p| self.bits[p as usize])
    }

    /// Offset 80: the number of set bits.
    pub fn set_bits(&self) -> u64 {
        self.bits.iter().filter(|&&bit| bit).count() as u64
    }

    /// Offset 88: for each of four fixed keys, hashed without a recipe, the sum of its positions.
    /// Scheme 4 has four fixed hashes instead (section 1.3).
    pub fn self_test(&self) -> Result<[u64; 4], String> {
        let mut sums = [0u64; 4];
        for i in 0..4 {
            let positions = match self.scheme {
                4 => self.positions_of_hash((i as u64 + 1).wrapping_mul(0x9E3779B97F4A7C15)),
                _ => self.positions(format!("tepal self-test {i}").as_bytes())?,
            };
            for p in positions {
                sums[i] = sums[i].wrapping_add(p);
            }
        }
        Ok(sums)
    }

    /// Section 2.6: the folded filter. It has the `factor`-th part of the lines, blocks or bits;
    /// each is the OR of `factor` neighbours. Capacity and promised rate stay unchanged; the caller
    /// sets them.
    pub fn fold(&self, factor: u64) -> Result<Filter, String> {
        if self.scheme > 4 {
            return Err(format!("a filter of scheme {} cannot be folded", self.scheme));
        }
        let neighbours = if self.layout == SCATTERED { 1 } else { bits::unit(self.layout) };
        if factor == 0 || (self.bit_len / neighbours) % factor != 0 {
            return Err(format!("{factor} does not divide {}", self.bit_len / neighbours));
        }
        if !self.exceptions.is_empty() || self.divider.is_some() {
            return Err("a filter with exceptions is not folded".to_string());
        }
        let mut folded = self.clone();
        folded.bit_len = self.bit_len / factor;
        folded.bits = vec![false; folded.bit_len as usize];
        folded.check()?;
        for p in 0..self.bit_len {
            if self.bits[p as usize] {
                let (piece, within) = (p / neighbours, p % neighbours);
                folded.bits[(piece / factor * neighbours + within) as usize] = true;
            }
        }
        Ok(folded)
    }
}

/// Section 4.3: refuses an empty value, a character that steers the text, an unknown tag below
/// 0x8000, and tags that do not ascend.
pub fn check_records(records: &[(u16, String)]) -> Result<(), String> {
    let mut last = 0;
    for (tag, value) in records {
        if *tag == 0 || (8..0x8000).contains(tag) {
            return Err(format!("record {tag} is not known"));
        }
        if value.is_empty() {
            return Err(format!("record {tag} is empty"));
        }
        let refused = |c: char| {
            let c = c as u32;
            c < 0x20
                || (0x7F..=0x9F).contains(&c)
                || c == 0x61C
                || c == 0x200E
                || c == 0x200F
                || (0x2028..=0x202E).contains(&c)
                || (0x2066..=0x2069).contains(&c)
        };
        if value.chars().any(refused) {
            return Err(format!(
                "record {tag} has a control character, or one that turns the direction of text"
            ));
        }
        if *tag <= last {
            return Err(format!("record {tag} comes after record {last}"));
        }
        last = *tag;
    }
    let value = |tag: u16| records.iter().find(|record| record.0 == tag).map(|record| record.1.as_str());
    match (value(7), value(4)) {
        (Some(rows), Some(field)) => check_rows(rows, field),
        (Some("whole"), None) | (None, _) => Ok(()),
        (Some(rows), None) => Err(format!("record 7 cannot be {rows:?} without record 4")),
    }
}

/// Section 4.3: checks the label for rows of which a field is the key.
fn check_rows(rows: &str, field: &str) -> Result<(), String> {
    let is_pointer = field.starts_with('/');
    let mut words: Vec<&str> = rows.split(' ').collect();
    if words.last() == Some(&"empty") {
        words.pop();
    }
    if words.last() == Some(&"nul") && words.first() != Some(&"csv") {
        words.pop();
    }
    let is_byte = |word: &str| {
        let mut all = (0..=255).filter(|b| ![0, b'\n', b'\r', b'"'].contains(b));
        all.any(|b| format!("{b:02x}") == word)
    };
    let good = match words[..] {
        [] => rows == "empty",
        ["json"] => is_pointer,
        ["csv" | "plain", byte] => !is_pointer && is_byte(byte),
        ["csv", byte, escape] => !is_pointer && is_byte(byte) && is_byte(escape) && byte != escape,
        _ => false,
    };
    if good { Ok(()) } else { Err(format!("record 7 cannot be {rows:?} for the field {field:?}")) }
}

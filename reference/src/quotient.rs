//! Section 4.2.2: a filter on a quotient table, which can remove keys and count copies, and its
//! file.

use crate::envelope::{self, Parts};
use crate::hash::siphash13;
use crate::hashing::Hashing;
use crate::read::{refuse, u32_at, u64_at};
use crate::size::table_for;
use crate::table::{MOST_SLOTS, Shape, Slot, decode_canonical, encode, number, slots_of};
use crate::write::{KEY_CHECK, body};

/// Tags without a meaning: there are none.
pub const NOTHING: u8 = 0;
/// The meaning of a tag: how often its number is held.
pub const COUNT: u8 = 1;

/// A quotient filter: the fields of its file as numbers, and the numbers that it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Quotient {
    /// Offset 32: how the bytes of a key become a hash, 1 to 4.
    pub scheme: u8,
    /// Offset 33: the key domain (section 1.1).
    pub domain: u8,
    /// Offset 34: the policy past the capacity.
    pub policy: u8,
    /// Offset 35: the meaning of a tag.
    pub tag: u8,
    /// Offsets 36 to 40 and 96: the table.
    pub shape: Shape,
    /// Offset 48: the capacity in keys.
    pub capacity: u64,
    /// Offset 56: the promised false-positive rate.
    pub rate: f64,
    /// Offset 64: the seed or the key check of the scheme.
    pub parameter: u64,
    /// Offset 100: can keys be removed?
    pub deletable: bool,
    /// Offset 124: the recipe (section 1.2).
    pub recipe: u32,
    /// Tags and values of the records (section 4.3).
    pub records: Vec<(u16, String)>,
    /// The secret key of scheme 2, which is not in the file; zeros under every other scheme.
    pub secret: [u8; 16],
    /// Each number that is held, ascending, and its count.
    pub held: Vec<(u64, u64)>,
}

impl Quotient {
    /// An empty filter of byte keys with scheme 1 and seed 0, without recipe and records, in a
    /// table of this shape.
    pub fn new(tag: u8, shape: Shape, capacity: u64, rate: f64) -> Quotient {
        Quotient {
            scheme: 1,
            domain: 1,
            policy: 1,
            tag,
            shape,
            capacity,
            rate,
            parameter: 0,
            deletable: true,
            recipe: 0,
            records: Vec::new(),
            secret: [0; 16],
            held: Vec::new(),
        }
    }

    /// Refuses fields that a file cannot have.
    pub fn check(&self) -> Result<(), String> {
        self.shape.check()?;
        self.hashing().check()?;
        if !(1..=3).contains(&self.policy) {
            return Err(format!("policy {} is not known", self.policy));
        }
        let allowed: &[u32] = match self.tag {
            NOTHING => &[0],
            COUNT => &[4, 8, 16],
            _ => return Err(format!("tags of the meaning {} are not known", self.tag)),
        };
        if !allowed.contains(&self.shape.tag_bits) {
            return Err(format!("tags of the meaning {} have no {} bits", self.tag, self.shape.tag_bits));
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

    /// The fields that decide how keys are hashed.
    fn hashing(&self) -> Hashing<'_> {
        Hashing {
            scheme: self.scheme,
            domain: self.domain,
            parameter: self.parameter,
            recipe: self.recipe,
            records: &self.records,
            secret: &self.secret,
        }
    }

    /// The hash of a key.
    pub(crate) fn hash_of(&self, key: &[u8]) -> Result<u64, String> {
        self.hashing().hash_of(key)
    }

    /// Inserts a key; a key that is held gets one more copy.
    pub fn insert(&mut self, key: &[u8]) -> Result<(), String> {
        self.insert_hash(self.hash_of(key)?)
    }

    /// Inserts a key by its hash. Refuses a number that already has the largest number of slots.
    pub fn insert_hash(&mut self, h: u64) -> Result<(), String> {
        let y = number(h, self.shape.numbers);
        match self.held.binary_search_by_key(&y, |held| held.0) {
            Ok(at) if self.held[at].1 == MOST_SLOTS << self.shape.tag_bits => {
                return Err(format!("the number {y} is held {} times already", self.held[at].1));
            }
            Ok(at) => self.held[at].1 += 1,
            Err(at) => self.held.insert(at, (y, 1)),
        }
        Ok(())
    }

    /// Removes one copy of a key. Returns whether its number was held.
    pub fn remove(&mut self, key: &[u8]) -> Result<bool, String> {
        let y = number(self.hash_of(key)?, self.shape.numbers);
        let Ok(at) = self.held.binary_search_by_key(&y, |held| held.0) else { return Ok(false) };
        self.held[at].1 -= 1;
        if self.held[at].1 == 0 {
            self.held.remove(at);
        }
        Ok(true)
    }

    /// The number of copies of a key, plus the copies of other keys with the same number. 0 is
    /// certain, and the count is never too small.
    pub fn count(&self, key: &[u8]) -> Result<u64, String> {
        Ok(self.count_hash(self.hash_of(key)?))
    }

    /// The number of copies for the hash of a key.
    pub fn count_hash(&self, h: u64) -> u64 {
        let y = number(h, self.shape.numbers);
        self.held.iter().find(|held| held.0 == y).map_or(0, |held| held.1)
    }

    /// The slots of all numbers, in the order of the lines.
    pub fn slots(&self) -> Vec<Slot> {
        self.held.iter().flat_map(|&(y, count)| slots_of(y, count, self.shape.tag_bits)).collect()
    }

    /// Offset 72: the sum of all counts.
    pub fn keys_held(&self) -> u64 {
        self.held.iter().map(|held| held.1).sum()
    }

    /// Section 5.3: chooses the table for `n` slots, or the next larger one that holds the slots.
    pub fn lay(&mut self, n: u64) -> Result<(), String> {
        self.shape = table_for(n, self.shape.numbers, self.shape.tag_bits, &self.slots())?;
        Ok(())
    }

    /// Offset 112: the sum of the spread hashes of four fixed keys.
    pub fn self_test(&self) -> Result<u64, String> {
        self.hashing().self_test()
    }
}

/// Section 4.2.2: the 88 bytes of a filter's own part.
pub(crate) fn own_part(filter: &Quotient) -> Result<Vec<u8>, String> {
    let shape = &filter.shape;
    let mut own = vec![filter.scheme, filter.domain, filter.policy, filter.tag];
    own.extend([shape.rem_bits as u8, shape.buckets as u8, shape.slots as u8, shape.tag_bits as u8]);
    own.extend(shape.numbers.to_le_bytes());
    own.extend(filter.capacity.to_le_bytes());
    own.extend(filter.rate.to_le_bytes());
    own.extend(filter.parameter.to_le_bytes());
    own.extend(filter.keys_held().to_le_bytes());
    own.extend((filter.slots().len() as u64).to_le_bytes());
    own.extend((filter.held.len() as u64).to_le_bytes());
    own.extend((shape.spare as u32).to_le_bytes());
    own.push(if filter.deletable { 0 } else { 1 });
    own.resize(80, 0);
    own.extend(filter.self_test()?.to_le_bytes());
    Ok(own)
}

/// Parses an own part with the checks of step 4. Returns the filter without its numbers.
pub(crate) fn of_own_part(
    own: &[u8],
    recipe: u32,
    records: &[(u16, String)],
    secret: Option<&[u8; 16]>,
) -> Result<Quotient, String> {
    let filter = Quotient {
        scheme: own[0],
        domain: own[1],
        policy: own[2],
        tag: own[3],
        shape: Shape {
            numbers: u64_at(own, 8),
            rem_bits: u32::from(own[4]),
            tag_bits: u32::from(own[7]),
            buckets: u64::from(own[5]),
            slots: u64::from(own[6]),
            spare: u64::from(u32_at(own, 64)),
        },
        capacity: u64_at(own, 16),
        rate: f64::from_bits(u64_at(own, 24)),
        parameter: u64_at(own, 32),
        deletable: own[68] == 0,
        recipe,
        records: records.to_vec(),
        secret: secret.copied().unwrap_or_default(),
        held: Vec::new(),
    };
    filter.check()?;
    if own[68] > 1 {
        return Err(format!("removal {}", own[68]));
    }
    if own[69..80].iter().any(|&byte| byte != 0) {
        return Err("what follows the removal is not 0".to_string());
    }
    let shape = filter.shape;
    let (keys_held, slots, different) = (u64_at(own, 40), u64_at(own, 48), u64_at(own, 56));
    if slots > shape.slots * shape.lines() || different > slots {
        return Err(format!("{different} numbers in {slots} slots of {} lines", shape.lines()));
    }
    if keys_held < slots || keys_held > slots << shape.tag_bits {
        return Err(format!("{keys_held} keys in {slots} slots"));
    }
    Ok(filter)
}

impl Quotient {
    /// Reads the numbers from the lines of a body, with the checks of step 7.
    pub(crate) fn take_body(&mut self, own: &[u8], body: &[u8]) -> Result<(), String> {
        let bits: Vec<bool> = (0..8 * body.len()).map(|p| body[p / 8] >> (p % 8) & 1 == 1).collect();
        let found = decode_canonical(&self.shape, &bits)?;
        for &(y, tag) in &found {
            match self.held.last_mut() {
                Some(last) if last.0 == y => last.1 += tag + 1,
                _ => self.held.push((y, tag + 1)),
            }
        }
        if let Some((y, count)) = self.held.iter().find(|held| held.1 > MOST_SLOTS << self.shape.tag_bits) {
            return Err(format!("the number {y} is held {count} times"));
        }
        if self.slots() != found {
            return Err("the tags of a number are not those of its count".to_string());
        }
        let counts = (u64_at(own, 40), u64_at(own, 48), u64_at(own, 56));
        if counts != (self.keys_held(), found.len() as u64, self.held.len() as u64) {
            return Err(format!("{} keys in {} slots are held", self.keys_held(), found.len()));
        }
        Ok(())
    }
}

/// Writes the filter's file, sealed if there is a seal key.
pub fn write(filter: &Quotient, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    filter.check()?;
    if filter.scheme == 2 && filter.parameter != siphash13(&filter.secret, KEY_CHECK) {
        return Err("the key check is not that of the secret key".to_string());
    }
    let parts = Parts {
        kind: 3,
        own: own_part(filter)?,
        recipe: filter.recipe,
        records: &filter.records,
        links: Vec::new(),
        body: body(&encode(&filter.shape, &filter.slots())?),
        added: Vec::new(),
    };
    envelope::write(&parts, seal_key)
}

/// Reads a file of kind 3, with the keys and the steps of [`read`](crate::read::read).
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Quotient, String> {
    // Steps 1 to 4.
    let head = envelope::head(file, 3, "quotient filter")?;
    let mut filter =
        of_own_part(head.own(), head.recipe, &head.records, secret).or_else(|why| refuse(4, &why))?;
    // Step 5.
    let body = head.body(0, 64 * filter.shape.lines())?;
    // Step 6: keys, self-test.
    head.check_keys(filter.scheme, filter.parameter, secret, seal_key)?;
    if u64_at(head.own(), 80) != filter.self_test().or_else(|why| refuse(6, &why))? {
        return refuse(6, "the self-test");
    }
    // Step 7: chunks, lines, numbers.
    head.check_chunks(0, body)?;
    filter.take_body(head.own(), body).or_else(|why| refuse(7, &why))?;
    // Step 8.
    head.check_seal(seal_key)?;
    Ok(filter)
}

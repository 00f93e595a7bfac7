//! Section 4.2.4: a filter on a quotient table that forgets a key one window after its last insert,
//! and its file.

use std::collections::BTreeMap;

use crate::envelope::{self, Parts};
use crate::hash::siphash13;
use crate::hashing::Hashing;
use crate::read::{refuse, u32_at, u64_at};
use crate::size::table_for;
use crate::table::{Shape, Slot, decode_canonical, encode, number};
use crate::write::{KEY_CHECK, body};

/// The meaning of a tag: the generation of its number.
pub const GENERATION: u8 = 2;
/// A clock of time.
pub const TIME: u8 = 1;
/// A clock that counts inserted keys.
pub const KEYS: u8 = 2;
/// A clock of time before its first time.
pub const NOT_TOLD: u8 = 3;
/// Stands for an unknown number of keys.
pub const NOT_KNOWN: u64 = u64::MAX;

/// An expiring filter: the fields of its file as numbers, and the generation of each number.
#[derive(Clone, Debug, PartialEq)]
pub struct Expiring {
    /// Offset 32: how the bytes of a key become a hash, 1 to 4.
    pub scheme: u8,
    /// Offset 33: the key domain (section 1.1).
    pub domain: u8,
    /// Offset 34: the policy past the capacity.
    pub policy: u8,
    /// Offsets 36 to 40 and 96: the table.
    pub shape: Shape,
    /// Offset 48: the planned number of keys in a window.
    pub capacity: u64,
    /// Offset 56: the promised false-positive rate.
    pub rate: f64,
    /// Offset 64: the seed or the key check of the scheme.
    pub parameter: u64,
    /// Offset 72: the present value of the clock.
    pub now: u64,
    /// Offset 88: W.
    pub window: u64,
    /// Offset 100: the unit of the clock.
    pub clock: u8,
    /// Offset 101: g.
    pub generations: u8,
    /// Offset 104: the number of inserted keys.
    pub inserted: u64,
    /// Offset 124: the recipe (section 1.2).
    pub recipe: u32,
    /// Tags and values of the records (section 4.3).
    pub records: Vec<(u16, String)>,
    /// The secret key of scheme 2, which is not in the file; zeros under every other scheme.
    pub secret: [u8; 16],
    /// The generation of each number's last insert.
    pub held: BTreeMap<u64, u64>,
}

/// v: the smallest number with 2^v >= g + 2.
pub fn tag_bits(generations: u8) -> u32 {
    (1..).find(|&v| 1 << v >= u32::from(generations) + 2).unwrap()
}

/// Section 5.4: the slots for the keys of a window and one generation.
pub fn slots_for(capacity: u64, generations: u8) -> u64 {
    let g = u128::from(generations);
    (u128::from(capacity) * (g + 1)).div_ceil(g) as u64
}

impl Expiring {
    /// An empty filter of byte keys with scheme 1 and seed 0, without recipe and records, before
    /// the first value of its clock.
    pub fn new(shape: Shape, capacity: u64, rate: f64, clock: u8, window: u64, generations: u8) -> Expiring {
        Expiring {
            scheme: 1,
            domain: 1,
            policy: 1,
            shape,
            capacity,
            rate,
            parameter: 0,
            now: 0,
            window,
            clock,
            generations,
            inserted: 0,
            recipe: 0,
            records: Vec::new(),
            secret: [0; 16],
            held: BTreeMap::new(),
        }
    }

    /// Refuses fields that a file cannot have.
    pub fn check(&self) -> Result<(), String> {
        self.shape.check()?;
        self.hashing().check()?;
        if !(1..=3).contains(&self.policy) {
            return Err(format!("policy {} is not known", self.policy));
        }
        if !(1..=3).contains(&self.clock) {
            return Err(format!("clock {} is not known", self.clock));
        }
        if self.clock == NOT_TOLD && self.now != 0 {
            return Err(format!("a clock that was told no time says {}", self.now));
        }
        if !(1..=254).contains(&self.generations) || self.window < u64::from(self.generations) {
            return Err(format!("{} generations in a window of {}", self.generations, self.window));
        }
        if self.shape.tag_bits != tag_bits(self.generations) {
            return Err(format!("{} generations have no {} bits", self.generations, self.shape.tag_bits));
        }
        if self.capacity == 0 || (self.clock == KEYS && self.capacity < self.window) {
            return Err(format!("the capacity is {}", self.capacity));
        }
        if self.clock == KEYS && self.inserted != self.now {
            return Err(format!("{} keys, and a clock of {}", self.inserted, self.now));
        }
        // NaN is refused too.
        if !(self.rate > 0.0 && self.rate < 1.0) {
            return Err(format!("the promised rate {} is not between 0 and 1", self.rate));
        }
        Ok(())
    }

    /// The generation of a time.
    pub fn generation(&self, time: u64) -> u64 {
        (u128::from(time) * u128::from(self.generations) / u128::from(self.window)) as u64
    }

    /// Sets the clock, if `time` is later; removes numbers that are older than g generations.
    /// Numbers that were inserted before the first time get this time.
    pub fn advance_to(&mut self, time: u64) {
        let generation = self.generation(time);
        if self.clock == NOT_TOLD {
            self.clock = TIME;
            self.held.values_mut().for_each(|came| *came = generation);
        }
        self.now = self.now.max(time);
        let (now, most) = (self.generation(self.now), u64::from(self.generations));
        self.held.retain(|_, came| now - *came <= most);
    }

    /// Sets the clock to an earlier time, which all numbers get; a later time is told as usual.
    pub fn set_clock(&mut self, time: u64) {
        if self.clock != TIME || time >= self.now {
            return self.advance_to(time);
        }
        let generation = self.generation(time);
        self.held.values_mut().for_each(|came| *came = generation);
        self.now = time;
    }

    /// Removes all keys. A clock of time forgets its time; a clock of keys restarts.
    pub fn clear(&mut self) {
        if self.clock == TIME {
            self.clock = NOT_TOLD;
        }
        (self.now, self.inserted) = (0, 0);
        self.held.clear();
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
    fn hash_of(&self, key: &[u8]) -> Result<u64, String> {
        self.hashing().hash_of(key)
    }

    /// Inserts a key at the present time.
    pub fn insert(&mut self, key: &[u8]) -> Result<(), String> {
        self.insert_hash(self.hash_of(key)?);
        Ok(())
    }

    /// Inserts a key by its hash. A clock of keys advances by one.
    pub fn insert_hash(&mut self, h: u64) {
        self.held.insert(number(h, self.shape.numbers), self.generation(self.now));
        self.inserted += 1;
        if self.clock == KEYS {
            self.advance_to(self.now + 1);
        }
    }

    /// The age of a key in generations; `None` if it is not in the filter.
    pub fn age(&self, key: &[u8]) -> Result<Option<u64>, String> {
        Ok(self.age_hash(self.hash_of(key)?))
    }

    /// The age of the hash of a key.
    pub fn age_hash(&self, h: u64) -> Option<u64> {
        let came = self.held.get(&number(h, self.shape.numbers))?;
        Some(self.generation(self.now) - came)
    }

    /// One slot for each number, in the order of the lines.
    pub fn slots(&self) -> Vec<Slot> {
        let tags = 1 << self.shape.tag_bits;
        self.held.iter().map(|(y, came)| (*y, came % tags)).collect()
    }

    /// Section 5.4: chooses the table for the capacity, or the next larger one that holds the
    /// slots.
    pub fn lay(&mut self) -> Result<(), String> {
        let n = slots_for(self.capacity, self.generations);
        self.shape = table_for(n, self.shape.numbers, self.shape.tag_bits, &self.slots())?;
        Ok(())
    }

    /// Offset 112: the sum of the spread hashes of four fixed keys.
    pub fn self_test(&self) -> Result<u64, String> {
        self.hashing().self_test()
    }
}

/// Writes the filter's file, sealed if there is a seal key.
pub fn write(filter: &Expiring, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    filter.check()?;
    if filter.scheme == 2 && filter.parameter != siphash13(&filter.secret, KEY_CHECK) {
        return Err("the key check is not that of the secret key".to_string());
    }
    // 4.2.4, the expiring filter's own part.
    let (shape, slots) = (&filter.shape, filter.slots());
    let mut own = vec![filter.scheme, filter.domain, filter.policy, GENERATION];
    own.extend([shape.rem_bits as u8, shape.buckets as u8, shape.slots as u8, shape.tag_bits as u8]);
    own.extend(shape.numbers.to_le_bytes());
    own.extend(filter.capacity.to_le_bytes());
    own.extend(filter.rate.to_le_bytes());
    own.extend(filter.parameter.to_le_bytes());
    own.extend(filter.now.to_le_bytes());
    own.extend((slots.len() as u64).to_le_bytes());
    own.extend(filter.window.to_le_bytes());
    own.extend((shape.spare as u32).to_le_bytes());
    own.extend([filter.clock, filter.generations, 0, 0]);
    own.extend(filter.inserted.to_le_bytes());
    own.extend(filter.self_test()?.to_le_bytes());
    let parts = Parts {
        kind: 5,
        own,
        recipe: filter.recipe,
        records: &filter.records,
        links: Vec::new(),
        body: body(&encode(shape, &slots)?),
        added: Vec::new(),
    };
    envelope::write(&parts, seal_key)
}

/// Reads a file of kind 5, with the keys and the steps of [`read`](crate::read::read).
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Expiring, String> {
    // Steps 1 to 4.
    let head = envelope::head(file, 5, "expiring filter")?;
    let header = head.header;
    if header[35] != GENERATION {
        return refuse(4, &format!("tags of the meaning {} are not known", header[35]));
    }
    let mut filter = Expiring {
        scheme: header[32],
        domain: header[33],
        policy: header[34],
        shape: Shape {
            numbers: u64_at(header, 40),
            rem_bits: u32::from(header[36]),
            tag_bits: u32::from(header[39]),
            buckets: u64::from(header[37]),
            slots: u64::from(header[38]),
            spare: u64::from(u32_at(header, 96)),
        },
        capacity: u64_at(header, 48),
        rate: f64::from_bits(u64_at(header, 56)),
        parameter: u64_at(header, 64),
        now: u64_at(header, 72),
        window: u64_at(header, 88),
        clock: header[100],
        generations: header[101],
        inserted: u64_at(header, 104),
        recipe: head.recipe,
        records: head.records.clone(),
        secret: secret.copied().unwrap_or_default(),
        held: BTreeMap::new(),
    };
    filter.check().or_else(|why| refuse(4, &why))?;
    if header[102..104] != [0, 0] {
        return refuse(4, "what follows the generations is not 0");
    }
    let (shape, slots) = (filter.shape, u64_at(header, 80));
    if slots > shape.slots * shape.lines() || slots > filter.inserted {
        return refuse(4, &format!("{slots} slots of {} lines, {} keys", shape.lines(), filter.inserted));
    }

    // Step 5.
    let body = head.body(0, 64 * shape.lines())?;
    // Step 6: keys, self-test.
    head.check_keys(filter.scheme, filter.parameter, secret, seal_key)?;
    if u64_at(header, 112) != filter.self_test().or_else(|why| refuse(6, &why))? {
        return refuse(6, "the self-test");
    }

    // Step 7: chunks, lines, numbers and their generations.
    head.check_chunks(0, body)?;
    let bits: Vec<bool> = (0..8 * body.len()).map(|p| body[p / 8] >> (p % 8) & 1 == 1).collect();
    let found = decode_canonical(&shape, &bits).or_else(|why| refuse(7, &why))?;
    if found.len() as u64 != slots {
        return refuse(7, &format!("{} slots are taken", found.len()));
    }
    let (generation, tags) = (filter.generation(filter.now), 1 << shape.tag_bits);
    for (y, tag) in found {
        let age = (generation % tags + tags - tag) % tags;
        if age > generation.min(filter.generations.into()) {
            return refuse(7, &format!("the number {y} is of an age of {age} generations"));
        }
        if filter.held.insert(y, generation - age).is_some() {
            return refuse(7, &format!("the number {y} stands twice"));
        }
    }

    // Step 8.
    head.check_seal(seal_key)?;
    Ok(filter)
}

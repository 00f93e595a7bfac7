//! Section 4.2.5: a filter on a quotient table that tells which segments may hold a key, and its
//! file.

use std::collections::{BTreeMap, BTreeSet};

use crate::envelope::{self, Parts};
use crate::filter::check_records;
use crate::hash::siphash13;
use crate::hashing::Hashing;
use crate::read::{refuse, u16_at, u32_at, u64_at};
use crate::size::table_for;
use crate::table::{MOST_SLOTS, Shape, Slot, decode_canonical, encode, most_numbers, number};
use crate::write::{KEY_CHECK, body};

/// The meaning of a tag: a segment that contains its number.
pub const SEGMENT: u8 = 3;
/// The longest name of a segment, in bytes.
pub const MOST_NAME: usize = 1024;
/// The most bytes of the section of segments, with the lists of numbers in more than 64 segments.
pub const MOST_SECTION: u64 = 65_536 * (16 + 1024) + (1 << 29);

/// A segment filter: the fields of its file as numbers, the segments with their names, and the
/// numbers in each.
#[derive(Clone, Debug, PartialEq)]
pub struct Segmented {
    /// Offset 32: how the bytes of a key become a hash, 1 to 4.
    pub scheme: u8,
    /// Offset 33: the key domain (section 1.1).
    pub domain: u8,
    /// Offset 34: the policy past the capacity.
    pub policy: u8,
    /// Offsets 36 to 40 and 96: the table.
    pub shape: Shape,
    /// Offset 48: the capacity in pairs.
    pub capacity: u64,
    /// Offset 56: the promised rate of wrong segments.
    pub rate: f64,
    /// Offset 64: the seed or the key check of the scheme.
    pub parameter: u64,
    /// Offset 124: the recipe (section 1.2).
    pub recipe: u32,
    /// Tags and values of the records (section 4.3).
    pub records: Vec<(u16, String)>,
    /// The secret key of scheme 2, which is not in the file; zeros under every other scheme.
    pub secret: [u8; 16],
    /// The name of each segment; empty for a segment without a name.
    pub segments: BTreeMap<u16, String>,
    /// Pairs of number and segment.
    pub held: BTreeSet<(u64, u16)>,
}

/// v: the bits for the largest segment number.
pub fn tag_bits(greatest: u16) -> u32 {
    (0..).find(|&v| u32::from(greatest) < 1 << v).unwrap()
}

impl Segmented {
    /// An empty filter of byte keys with scheme 1 and seed 0, without recipe, records and segments.
    pub fn new(shape: Shape, capacity: u64, rate: f64) -> Segmented {
        Segmented {
            scheme: 1,
            domain: 1,
            policy: 1,
            shape,
            capacity,
            rate,
            parameter: 0,
            recipe: 0,
            records: Vec::new(),
            secret: [0; 16],
            segments: BTreeMap::new(),
            held: BTreeSet::new(),
        }
    }

    /// Refuses fields that a file cannot have.
    pub fn check(&self) -> Result<(), String> {
        self.shape.check()?;
        if self.shape.numbers > most_numbers(16) {
            return Err(format!("U cannot be {} with as many segments as there can be", self.shape.numbers));
        }
        self.hashing().check()?;
        if !(1..=3).contains(&self.policy) {
            return Err(format!("policy {} is not known", self.policy));
        }
        if self.capacity == 0 {
            return Err("the capacity is 0".to_string());
        }
        // NaN is refused too.
        if !(self.rate > 0.0 && self.rate < 1.0) {
            return Err(format!("the promised rate {} is not between 0 and 1", self.rate));
        }
        let mut names = BTreeSet::new();
        for (&number, name) in &self.segments {
            if u64::from(number) >> self.shape.tag_bits != 0 {
                return Err(format!("{} bits have no room for segment {number}", self.shape.tag_bits));
            }
            if name.is_empty() {
                continue;
            }
            // A name follows the rules for the text of a record.
            check_records(&[(1, name.clone())])?;
            if name.len() > MOST_NAME || !names.insert(name) {
                return Err(format!("the name of segment {number} is too long, or another one's"));
            }
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
    fn hash_of(&self, key: &[u8]) -> Result<u64, String> {
        self.hashing().hash_of(key)
    }

    /// Inserts a key into a segment.
    pub fn insert(&mut self, segment: u16, key: &[u8]) -> Result<(), String> {
        self.insert_hash(segment, self.hash_of(key)?);
        Ok(())
    }

    /// Inserts a key by its hash.
    pub fn insert_hash(&mut self, segment: u16, h: u64) {
        assert!(self.segments.contains_key(&segment));
        self.held.insert((number(h, self.shape.numbers), segment));
    }

    /// The segments that may hold a key.
    pub fn segments_of(&self, key: &[u8]) -> Result<Vec<u16>, String> {
        Ok(self.segments_of_hash(self.hash_of(key)?))
    }

    /// The segments that may hold the hash of a key.
    pub fn segments_of_hash(&self, h: u64) -> Vec<u16> {
        self.of_number(number(h, self.shape.numbers))
    }

    fn of_number(&self, y: u64) -> Vec<u16> {
        self.held.iter().filter(|pair| pair.0 == y).map(|pair| pair.1).collect()
    }

    /// Removes a segment.
    pub fn drop_segment(&mut self, segment: u16) {
        self.segments.remove(&segment);
        self.held.retain(|pair| pair.1 != segment);
    }

    /// The slots of the table (the 64 lowest segments of each number), and the other segments by
    /// number.
    pub fn slots(&self) -> (Vec<Slot>, BTreeMap<u64, Vec<u16>>) {
        let (mut slots, mut more) = (Vec::new(), BTreeMap::<u64, Vec<u16>>::new());
        let mut last = (0, 0);
        for &(y, segment) in &self.held {
            last = if last.0 == y { (y, last.1 + 1) } else { (y, 1) };
            match last.1 <= MOST_SLOTS {
                true => slots.push((y, segment.into())),
                false => more.entry(y).or_default().push(segment),
            }
        }
        (slots, more)
    }

    /// Section 5.3: chooses the table for the capacity, or the next larger one that holds the
    /// slots.
    pub fn lay(&mut self) -> Result<(), String> {
        let v = tag_bits(self.segments.keys().next_back().copied().unwrap_or(0));
        self.shape = table_for(self.capacity, self.shape.numbers, v, &self.slots().0)?;
        Ok(())
    }

    /// Offset 112: the sum of the spread hashes of four fixed keys.
    pub fn self_test(&self) -> Result<u64, String> {
        self.hashing().self_test()
    }

    /// The section of segments, after the records.
    fn section(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (segment, name) in &self.segments {
            bytes.extend(segment.to_le_bytes());
            bytes.extend((name.len() as u16).to_le_bytes());
            bytes.extend([0; 4]);
            bytes.extend((self.held.iter().filter(|pair| pair.1 == *segment).count() as u64).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        for (y, segments) in self.slots().1 {
            bytes.extend(y.to_le_bytes());
            bytes.extend((segments.len() as u32).to_le_bytes());
            bytes.extend([0; 4]);
            for segment in segments {
                bytes.extend(segment.to_le_bytes());
            }
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        bytes
    }
}

/// Writes the filter's file, sealed if there is a seal key.
pub fn write(filter: &Segmented, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    filter.check()?;
    if filter.scheme == 2 && filter.parameter != siphash13(&filter.secret, KEY_CHECK) {
        return Err("the key check is not that of the secret key".to_string());
    }
    // 4.2.5, the segment filter's own part.
    let (shape, slots, section) = (&filter.shape, filter.slots().0, filter.section());
    let numbers: BTreeSet<u64> = filter.held.iter().map(|pair| pair.0).collect();
    let mut own = vec![filter.scheme, filter.domain, filter.policy, SEGMENT];
    own.extend([shape.rem_bits as u8, shape.buckets as u8, shape.slots as u8, shape.tag_bits as u8]);
    own.extend(shape.numbers.to_le_bytes());
    own.extend(filter.capacity.to_le_bytes());
    own.extend(filter.rate.to_le_bytes());
    own.extend(filter.parameter.to_le_bytes());
    own.extend((filter.held.len() as u64).to_le_bytes());
    own.extend((slots.len() as u64).to_le_bytes());
    own.extend((numbers.len() as u64).to_le_bytes());
    own.extend((shape.spare as u32).to_le_bytes());
    own.extend((filter.segments.len() as u32).to_le_bytes());
    own.extend((section.len() as u64).to_le_bytes());
    own.extend(filter.self_test()?.to_le_bytes());
    let parts = Parts {
        kind: 6,
        own,
        recipe: filter.recipe,
        records: &filter.records,
        links: vec![section],
        body: body(&encode(shape, &slots)?),
        added: Vec::new(),
    };
    envelope::write(&parts, seal_key)
}

/// Are the bytes from `at` + `len` to the next multiple of 8 zero?
fn is_padded(bytes: &[u8], at: usize, len: usize) -> bool {
    bytes.len() >= at + len.next_multiple_of(8)
        && bytes[at + len..at + len.next_multiple_of(8)].iter().all(|&b| b == 0)
}

/// Step 4: the segments in their section with the count of numbers of each, and the segments of
/// numbers in more than 64.
type Section = (BTreeMap<u16, (String, u64)>, Vec<(u64, Vec<u16>)>);

fn read_section(bytes: &[u8], count: u32) -> Result<Section, String> {
    let (mut segments, mut more) = (BTreeMap::new(), Vec::<(u64, Vec<u16>)>::new());
    let mut at = 0;
    let mut next = 0;
    for _ in 0..count {
        if bytes.len() < at + 16 || u32_at(bytes, at + 4) != 0 {
            return Err("a segment ends too early, or has no 0 behind its length".to_string());
        }
        let (number, len, numbers) =
            (u16_at(bytes, at), usize::from(u16_at(bytes, at + 2)), u64_at(bytes, at + 8));
        at += 16;
        if u32::from(number) < next || !is_padded(bytes, at, len) {
            return Err(format!("segment {number} is out of order, or not padded with 0"));
        }
        next = u32::from(number) + 1;
        let name = std::str::from_utf8(&bytes[at..at + len]);
        let name = name.map_err(|_| format!("the name of segment {number} is not UTF-8"))?;
        segments.insert(number, (name.to_string(), numbers));
        at += len.next_multiple_of(8);
    }
    while at < bytes.len() {
        if bytes.len() < at + 16 || u32_at(bytes, at + 12) != 0 {
            return Err("a number ends too early, or has no 0 behind its count".to_string());
        }
        let (y, count) = (u64_at(bytes, at), u32_at(bytes, at + 8) as usize);
        at += 16;
        if count == 0 || more.last().is_some_and(|last| last.0 >= y) || !is_padded(bytes, at, 2 * count) {
            return Err(format!("the number {y} is out of order, or not padded with 0"));
        }
        let of: Vec<u16> = (0..count).map(|i| u16_at(bytes, at + 2 * i)).collect();
        if of.windows(2).any(|pair| pair[0] >= pair[1]) || of.iter().any(|s| !segments.contains_key(s)) {
            return Err(format!("the segments of the number {y}"));
        }
        more.push((y, of));
        at += (2 * count).next_multiple_of(8);
    }
    Ok((segments, more))
}

/// Reads a file of kind 6, with the keys and the steps of [`read`](crate::read::read).
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Segmented, String> {
    // Steps 1 to 4.
    let head = envelope::head(file, 6, "segment filter")?;
    let header = head.header;
    if header[35] != SEGMENT {
        return refuse(4, &format!("tags of the meaning {} are not known", header[35]));
    }
    let len = u64_at(header, 104);
    if len > MOST_SECTION {
        return refuse(4, &format!("segments of {len} bytes"));
    }
    let section = head.section(len)?;
    let (segments, more) = read_section(section, u32_at(header, 100)).or_else(|why| refuse(4, &why))?;
    let mut filter = Segmented {
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
        recipe: head.recipe,
        records: head.records.clone(),
        secret: secret.copied().unwrap_or_default(),
        segments: segments.iter().map(|(number, (name, _))| (*number, name.clone())).collect(),
        held: BTreeSet::new(),
    };
    filter.check().or_else(|why| refuse(4, &why))?;
    let (shape, pairs) = (filter.shape, u64_at(header, 72));
    let (slots, different) = (u64_at(header, 80), u64_at(header, 88));
    let beside: u64 = more.iter().map(|(_, of)| of.len() as u64).sum();
    let in_segments: u128 = segments.values().map(|(_, numbers)| u128::from(*numbers)).sum();
    if slots > shape.slots * shape.lines() || different > slots {
        return refuse(4, &format!("{slots} slots of {} lines, {different} numbers", shape.lines()));
    }
    if u128::from(slots) + u128::from(beside) != u128::from(pairs) || in_segments != u128::from(pairs) {
        return refuse(4, &format!("{pairs} pairs, {slots} slots and {beside} beside them"));
    }

    // Step 5.
    let body = head.body(section.len(), 64 * shape.lines())?;
    // Step 6: keys, self-test.
    head.check_keys(filter.scheme, filter.parameter, secret, seal_key)?;
    if u64_at(header, 112) != filter.self_test().or_else(|why| refuse(6, &why))? {
        return refuse(6, "the self-test");
    }

    // Step 7: chunks, lines, numbers and their segments.
    head.check_chunks(section.len(), body)?;
    let bits: Vec<bool> = (0..8 * body.len()).map(|p| body[p / 8] >> (p % 8) & 1 == 1).collect();
    let found = decode_canonical(&shape, &bits).or_else(|why| refuse(7, &why))?;
    if found.len() as u64 != slots {
        return refuse(7, &format!("{} slots are taken", found.len()));
    }
    for (y, segment) in found.iter().map(|(y, tag)| (*y, *tag as u16)) {
        if !filter.segments.contains_key(&segment) || !filter.held.insert((y, segment)) {
            return refuse(7, &format!("the number {y} is in segment {segment} twice, or there is none"));
        }
    }
    let numbers: BTreeSet<u64> = filter.held.iter().map(|pair| pair.0).collect();
    if numbers.len() as u64 != different {
        return refuse(7, &format!("{} different numbers", numbers.len()));
    }
    for (y, of) in more {
        if numbers.contains(&y) {
            filter.held.extend(of.into_iter().map(|segment| (y, segment)));
        }
    }
    // The lists beside the table contain exactly what does not fit in it.
    if filter.slots().0 != found.iter().map(|slot| (slot.0, slot.1)).collect::<Vec<_>>() {
        return refuse(7, "the table has other slots than the lowest segments of its numbers");
    }
    for (segment, (_, numbers)) in &segments {
        if filter.held.iter().filter(|pair| pair.1 == *segment).count() as u64 != *numbers {
            return refuse(7, &format!("segment {segment} has other than {numbers} numbers"));
        }
    }

    // Step 8.
    head.check_seal(seal_key)?;
    Ok(filter)
}

//! Sections 2.8, 4.2.7 and 5.7: a ribbon that stores a value for each key, and its file.

use std::collections::BTreeMap;

use super::*;
use crate::envelope::{self, Parts};
use crate::filter::check_records;
use crate::read::{refuse, u16_at, u32_at, u64_at};
use crate::write::{KEY_CHECK, body};

/// A map: a ribbon whose lowest columns hold a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The ribbon; its rate is 1 if every key gets a value.
    pub ribbon: Ribbon,
    /// The names of the values from 0 on, with the number of keys of each; empty if the values have
    /// no names.
    pub names: Vec<(String, u64)>,
    /// The greatest value of a key, or the last that has a name; 0 without keys and names.
    pub greatest: u64,
}

/// The bits that are mixed with the value of a key.
fn mask(h: u64, value_bits: u64) -> u64 {
    spread(h) >> 32 & ((1 << value_bits) - 1)
}

impl Map {
    /// A map of byte keys with scheme 1 and seed 0, without recipe, records and keys.
    pub fn new(rate: f64) -> Map {
        let ribbon = Ribbon { shape: RibbonShape::default(), ..Ribbon::new(rate) };
        Map { ribbon, names: Vec::new(), greatest: 0 }
    }

    /// Section 5.7: builds the map from hashes and their values of `value_bits` bits. The names are
    /// given before, without their counts.
    pub fn build(&mut self, pairs: &[(u64, u64)], value_bits: u64) -> Result<(), String> {
        let mut values = BTreeMap::new();
        for &(h, value) in pairs {
            if value >> value_bits > 0 || !self.names.is_empty() && value >= self.names.len() as u64 {
                return Err(format!("the value {value} is too great"));
            }
            if values.insert(h, value).is_some_and(|other| other != value) {
                return Err(format!("the hash {h:#x} has several values"));
            }
        }
        for (value, (_, keys)) in (0..).zip(&mut self.names) {
            *keys = values.values().filter(|held| **held == value).count() as u64;
        }
        self.greatest = match self.names.len() {
            0 => values.values().copied().max().unwrap_or(0),
            names => names as u64 - 1,
        };
        let rate = match self.names.len() {
            0 => self.ribbon.rate,
            names => self.ribbon.rate * 2f64.powi(value_bits as i32) / names as f64,
        };
        let hashes: Vec<u64> = values.keys().copied().collect();
        let stored = |h: u64| values[&h] ^ mask(h, value_bits) | fingerprint(h) << value_bits;
        self.ribbon.build_of(&hashes, rate.min(1.0), value_bits, &stored)
    }

    /// The value of a key, if it has one.
    pub fn get(&self, key: &[u8]) -> Result<Option<u64>, String> {
        Ok(self.get_hash(self.ribbon.hash_of(key)?))
    }

    /// The value for the hash of a key.
    pub fn get_hash(&self, h: u64) -> Option<u64> {
        if self.ribbon.keys == 0 {
            return None;
        }
        let v = self.ribbon.shape.value_bits;
        let (found, columns) = self.ribbon.value(h);
        let value = found & ((1 << v) - 1) ^ mask(h, v);
        let is_its_own = found >> v == fingerprint(h) & ((1 << (columns - v)) - 1);
        (is_its_own && value <= self.greatest).then_some(value)
    }

    /// Refuses fields that a file cannot have.
    pub fn check(&self) -> Result<(), String> {
        let (ribbon, v) = (&self.ribbon, self.ribbon.shape.value_bits);
        if !(1..=32).contains(&v) {
            return Err(format!("values of {v} bits"));
        }
        ribbon.check_ribbon()?;
        // NaN is refused too.
        if !(ribbon.rate > 0.0 && ribbon.rate <= 1.0) {
            return Err(format!("the promised rate {} is not above 0, and at most 1", ribbon.rate));
        }
        let greatest = match self.names.len() as u64 {
            0 if ribbon.keys == 0 => self.greatest == 0,
            0 => self.greatest >> v == 0,
            names => self.greatest == names - 1,
        };
        if !greatest {
            return Err(format!("{} is the greatest value", self.greatest));
        }
        let mut names: Vec<&String> = self.names.iter().map(|(name, _)| name).collect();
        if names.len() as u64 > 1 << v || names.len() > 65_536 {
            return Err(format!("{} names of values of {v} bits", names.len()));
        }
        for name in &names {
            // A name follows the rules for the text of a record.
            check_records(&[(1, name.to_string())])?;
            if name.len() > 1024 {
                return Err("a name of more than 1,024 bytes".to_string());
            }
        }
        names.sort();
        if names.windows(2).any(|two| two[0] == two[1]) {
            return Err("two values have one name".to_string());
        }
        let keys: u128 = self.names.iter().map(|(_, keys)| u128::from(*keys)).sum();
        if !self.names.is_empty() && keys != u128::from(ribbon.keys) {
            return Err(format!("{keys} keys have values with names"));
        }
        Ok(())
    }

    fn section(&self) -> Vec<u8> {
        if self.names.is_empty() {
            return self.greatest.to_le_bytes().to_vec();
        }
        let mut out = Vec::new();
        for (number, (name, keys)) in self.names.iter().enumerate() {
            out.extend((number as u16).to_le_bytes());
            out.extend((name.len() as u16).to_le_bytes());
            out.extend([0; 4]);
            out.extend(keys.to_le_bytes());
            out.extend(name.as_bytes());
            out.resize(out.len().next_multiple_of(8), 0);
        }
        out
    }
}

fn read_section(bytes: &[u8]) -> Result<Vec<(String, u64)>, String> {
    let (mut names, mut at) = (Vec::new(), 0);
    if bytes.is_empty() {
        return Err("no values".to_string());
    }
    while at < bytes.len() {
        let end = |len: usize| at + 16 + len;
        if bytes.len() < end(0) || u32_at(bytes, at + 4) != 0 {
            return Err("a name ends too early, or has no 0 behind its length".to_string());
        }
        let (number, len) = (usize::from(u16_at(bytes, at)), usize::from(u16_at(bytes, at + 2)));
        let padded = end(len.next_multiple_of(8));
        if number != names.len() || bytes.len() < padded || bytes[end(len)..padded].iter().any(|b| *b != 0) {
            return Err(format!("the name of {number} is out of order, or not padded with 0"));
        }
        let name = std::str::from_utf8(&bytes[end(0)..end(len)]).map_err(|_| "a name is not UTF-8")?;
        names.push((name.to_string(), u64_at(bytes, at + 8)));
        at = padded;
    }
    Ok(names)
}

/// Writes the map's file, sealed if there is a seal key.
pub fn write(map: &Map, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    map.check()?;
    let (ribbon, shape, section) = (&map.ribbon, &map.ribbon.shape, map.section());
    if ribbon.scheme == 2 && ribbon.parameter != siphash13(&ribbon.secret, KEY_CHECK) {
        return Err("the key check is not that of the secret key".to_string());
    }
    let mut own = vec![ribbon.scheme, ribbon.domain, shape.value_bits as u8, shape.columns as u8];
    own.extend([shape.deep as u8, shape.last_seed as u8]);
    own.extend((shape.last as u16).to_le_bytes());
    own.extend(ribbon.keys.to_le_bytes());
    own.extend((shape.split as u32).to_le_bytes());
    own.extend((section.len() as u32).to_le_bytes());
    own.extend(ribbon.rate.to_le_bytes());
    own.extend(ribbon.parameter.to_le_bytes());
    for words in shape.words {
        own.extend((words as u32).to_le_bytes());
    }
    own.extend(shape.seeds.map(|seed| seed as u8));
    own.extend(ribbon.self_test()?.to_le_bytes());
    let mut bits = ribbon.bits.clone();
    bits.resize(bits.len().next_multiple_of(512).max(512), false);
    let parts = Parts {
        kind: 8,
        own,
        recipe: ribbon.recipe,
        records: &ribbon.records,
        links: vec![section],
        body: body(&bits),
        added: Vec::new(),
    };
    envelope::write(&parts, seal_key)
}

/// Reads a file of kind 8, with the keys and the steps of [`read`](crate::read::read).
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Map, String> {
    // Steps 1 to 4.
    let head = envelope::head(file, 8, "map")?;
    let own = head.own();
    let section = head.section(u32_at(own, 20).into())?;
    let (names, greatest) = match section.len() {
        8 => (Vec::new(), u64_at(section, 0)),
        _ => {
            let names = read_section(section).or_else(|why| refuse(4, &why))?;
            let last = names.len() as u64 - 1;
            (names, last)
        }
    };
    let mut map = Map {
        ribbon: Ribbon {
            scheme: own[0],
            domain: own[1],
            rate: f64::from_bits(u64_at(own, 24)),
            parameter: u64_at(own, 32),
            recipe: head.recipe,
            records: head.records.to_vec(),
            secret: secret.copied().unwrap_or_default(),
            keys: u64_at(own, 8),
            shape: RibbonShape {
                columns: own[3].into(),
                deep: own[4].into(),
                value_bits: own[2].into(),
                split: u32_at(own, 16).into(),
                words: std::array::from_fn(|k| u32_at(own, 40 + 4 * k).into()),
                seeds: std::array::from_fn(|k| own[72 + k].into()),
                last: u64::from(own[6]) | u64::from(own[7]) << 8,
                last_seed: own[5].into(),
            },
            bits: Vec::new(),
            second: None,
            added: Vec::new(),
            numbers: 0,
        },
        names,
        greatest,
    };
    map.check().or_else(|why| refuse(4, &why))?;
    // Step 5.
    let words = map.ribbon.shape.all_words();
    let body = head.body(section.len(), 64 * words.div_ceil(8).max(1))?;
    // Step 6: keys, self-test.
    head.check_keys(map.ribbon.scheme, map.ribbon.parameter, secret, seal_key)?;
    if u64_at(own, 80) != map.ribbon.self_test().or_else(|why| refuse(6, &why))? {
        return refuse(6, "the self-test");
    }
    // Step 7: chunks, unused bits.
    head.check_chunks(section.len(), body)?;
    map.ribbon.bits = (0..8 * body.len()).map(|p| body[p / 8] >> (p % 8) & 1 == 1).collect();
    map.ribbon.check_unused()?;
    map.ribbon.bits.truncate(64 * words as usize);
    // Step 8.
    head.check_seal(seal_key)?;
    Ok(map)
}

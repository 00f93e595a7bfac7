//! Section 4.2.3: the growing filter, several quotient tables in one file, which link a key goes to, and how a link grows.

use crate::hash::{siphash13, xxh3};
use crate::quotient::{NOTHING, Quotient, of_own_part, own_part};
use crate::read::{read_records, refuse, u16_at, u32_at, u64_at};
use crate::size::{table, table_for};
use crate::table::{MOST_SLOTS, Shape, encode, number};
use crate::write::{CHUNK, KEY_CHECK, MAGIC, body, seal, write_records};

/// Bytes of a link's part.
const OWN: usize = 88;

/// A growing filter: its links, the oldest first, and what they follow from.
#[derive(Clone, Debug, PartialEq)]
pub struct Growing {
    /// The tables. Scheme, parameter, key domain, recipe and records are the same in all of them.
    pub links: Vec<Quotient>,
    /// Offset 36: can keys be taken out?
    pub deletable: bool,
    /// Offset 40: the promised rate of all links together.
    pub rate: f64,
    /// Offset 48: the keys it begins with room for.
    pub first: u64,
}

/// U of link i.
pub fn numbers(first: u64, rate: f64, i: usize) -> Result<u64, String> {
    let least = (first as f64 * 32.0 / rate).ceil();
    if least > ((1u64 << 56) - 64) as f64 {
        return Err(format!("{first} keys at the rate {rate} need too many numbers"));
    }
    let numbers = u128::from((least as u64).next_multiple_of(64)) << (5 * i);
    if numbers >= 1 << 56 {
        return Err(format!("link {i} would have {numbers} numbers"));
    }
    Ok(numbers as u64)
}

/// How many different numbers link i takes.
pub fn capacity(first: u64, i: usize) -> u64 {
    first * 16u64.pow(i as u32 + 1)
}

/// The rate of link i.
pub fn rate(all: f64, i: usize) -> f64 {
    all / (2u64 << i) as f64
}

/// Section 5.5: for so many slots a table is laid out.
pub fn room(shape: &Shape) -> u64 {
    match (shape.home_lines(), shape.spare) {
        (1, 0) => shape.slots,
        (home, _) => 92 * home * shape.slots / 100,
    }
}

/// Section 5.3: the next number of slots that is tried.
fn more(slots: u64) -> u64 {
    slots + slots / 8 + 1
}

impl Growing {
    /// An empty filter like this one link, which says how keys are hashed.
    pub fn new(like: &Quotient, deletable: bool, first: u64, rate: f64) -> Result<Growing, String> {
        let mut filter = Growing { links: vec![like.clone()], deletable, rate, first };
        filter.links = vec![filter.link(0, first)?];
        Ok(filter)
    }

    /// An empty link with room for n slots.
    fn link(&self, i: usize, n: u64) -> Result<Quotient, String> {
        let shape = table(n.max(1), numbers(self.first, self.rate, i)?, 0)?;
        let (capacity, rate) = (capacity(self.first, i), rate(self.rate, i));
        Ok(Quotient {
            shape,
            capacity,
            rate,
            tag: NOTHING,
            policy: 2,
            held: Vec::new(),
            ..self.links[0].clone()
        })
    }

    /// Refuses fields that a file cannot have.
    pub fn check(&self) -> Result<(), String> {
        if self.links.is_empty() || self.links.len() > 10 {
            return Err(format!("{} links", self.links.len()));
        }
        if self.first == 0 {
            return Err("a filter that begins with 0 keys".to_string());
        }
        if !(self.rate > 0.0 && self.rate < 1.0) {
            return Err(format!("the promised rate {} is not between 0 and 1", self.rate));
        }
        let first = &self.links[0];
        for (i, link) in self.links.iter().enumerate() {
            link.check()?;
            let same = link.scheme == first.scheme
                && link.domain == first.domain
                && link.parameter == first.parameter
                && link.recipe == first.recipe
                && link.records == first.records;
            if !same {
                return Err("the links do not hash alike".to_string());
            }
            if link.policy != 2 || link.tag != NOTHING {
                return Err(format!("link {i} has the policy {} and the tag {}", link.policy, link.tag));
            }
            if link.shape.numbers != numbers(self.first, self.rate, i)? {
                return Err(format!("link {i} has {} numbers", link.shape.numbers));
            }
            if link.capacity != capacity(self.first, i) || link.rate != rate(self.rate, i) {
                return Err(format!("link {i} is for {} keys at the rate {}", link.capacity, link.rate));
            }
        }
        Ok(())
    }

    /// The number of a hash in link i.
    fn number(&self, i: usize, h: u64) -> u64 {
        number(h, self.links[i].shape.numbers)
    }

    /// How often the number of a hash is held in link i.
    fn count(&self, i: usize, h: u64) -> u64 {
        self.links[i].count_hash(h)
    }

    /// Whether any link holds a key: `false` is certain, `true` means perhaps.
    pub fn contains(&self, key: &[u8]) -> Result<bool, String> {
        Ok(self.contains_hash(self.links[0].hash_of(key)?))
    }

    /// The same for the hash of a key.
    pub fn contains_hash(&self, h: u64) -> bool {
        (0..self.links.len()).any(|i| self.count(i, h) > 0)
    }

    /// Inserts a key. Says whether it was new.
    pub fn insert(&mut self, key: &[u8]) -> Result<bool, String> {
        self.insert_hash(self.links[0].hash_of(key)?)
    }

    /// Inserts a key by its hash.
    pub fn insert_hash(&mut self, h: u64) -> Result<bool, String> {
        if let Some(holder) = (0..self.links.len()).rev().find(|&i| self.count(i, h) > 0) {
            if self.deletable {
                if self.count(holder, h) == MOST_SLOTS {
                    return Err(format!("a number is held {MOST_SLOTS} times already"));
                }
                self.put(holder, h)?;
            }
            return Ok(false);
        }
        let takes_more = |&i: &usize| (self.links[i].held.len() as u64) < self.links[i].capacity;
        let place = match (0..self.links.len()).find(takes_more) {
            Some(place) => place,
            None => {
                let slots: u64 = self.links.iter().map(Quotient::keys_held).sum();
                self.links.push(self.link(self.links.len(), slots / 8)?);
                self.links.len() - 1
            }
        };
        self.put(place, h)?;
        Ok(true)
    }

    /// Holds the number of a hash once more in link i, which is laid out for more slots where it has no room.
    fn put(&mut self, i: usize, h: u64) -> Result<(), String> {
        let link = &mut self.links[i];
        let slots = link.keys_held();
        let room = room(&link.shape);
        if slots >= room {
            let next = more(room.max(slots));
            link.lay(if slots < link.capacity { next.min(link.capacity) } else { next })?;
        }
        link.insert_hash(h)?;
        if encode(&link.shape, &link.slots()).is_err() {
            link.shape = table_for(more(slots), link.shape.numbers, 0, &link.slots())?;
        }
        Ok(())
    }

    /// Takes a key out where just one link holds its number. Says how many do.
    pub fn remove(&mut self, key: &[u8]) -> Result<usize, String> {
        let h = self.links[0].hash_of(key)?;
        let holders: Vec<usize> = (0..self.links.len()).filter(|&i| self.count(i, h) > 0).collect();
        if let [holder] = holders[..] {
            let y = self.number(holder, h);
            let held = &mut self.links[holder].held;
            if let Ok(at) = held.binary_search_by_key(&y, |held| held.0) {
                held[at].1 -= 1;
                held.retain(|held| held.1 > 0);
            }
        }
        Ok(holders.len())
    }
}

/// Section 3: where the body begins, behind the records, the links' parts and the chunk table.
fn body_offset(records: usize, links: usize, body: u64) -> u64 {
    (128 + records as u64 + (links * OWN) as u64 + 8 * body.div_ceil(CHUNK as u64) + 8).next_multiple_of(64)
}

/// The one file of a filter, sealed where there is a seal key.
pub fn write(filter: &Growing, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    filter.check()?;
    let records = write_records(&filter.links[0].records)?;
    let mut bodies = Vec::new();
    for link in &filter.links {
        bodies.extend(body(&encode(&link.shape, &link.slots())?));
    }
    let offset = body_offset(records.len(), filter.links.len(), bodies.len() as u64);
    let sealed = seal_key.is_some();

    let mut file = Vec::new();
    // 4.1, the common part.
    file.extend(MAGIC);
    file.extend(1u16.to_le_bytes()); // version
    file.extend(4u16.to_le_bytes()); // kind
    file.extend((offset as u32).to_le_bytes());
    file.extend((offset + bodies.len() as u64 + if sealed { 32 } else { 0 }).to_le_bytes());
    file.extend(u32::from(sealed).to_le_bytes()); // required flags
    file.extend(0u32.to_le_bytes()); // optional flags
    // 4.2.3, the growing filter's part.
    file.extend((filter.links.len() as u32).to_le_bytes());
    file.extend(u32::from(filter.deletable).to_le_bytes());
    file.extend(filter.rate.to_le_bytes());
    file.extend(filter.first.to_le_bytes());
    file.resize(120, 0);
    // 4.1 again.
    file.extend((records.len() as u32).to_le_bytes());
    file.extend(filter.links[0].recipe.to_le_bytes());
    // 3: records, parts of the links, chunk table, zero bytes, header checksum, bodies, seal.
    file.extend(records);
    for link in &filter.links {
        file.extend(own_part(link)?);
    }
    for chunk in bodies.chunks(CHUNK) {
        file.extend(xxh3(chunk, 0).to_le_bytes());
    }
    file.resize(offset as usize - 8, 0);
    file.extend(xxh3(&file, 0).to_le_bytes());
    file.extend(bodies);
    if let Some(key) = seal_key {
        file.extend(seal(key, &file)?);
    }
    Ok(file)
}

/// Reads a file of kind 4, with the keys and the steps of [`read`](crate::read::read).
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Growing, String> {
    // Steps 1 to 3, as for one filter.
    if file.len() < 24 || file[..8] != MAGIC || u16_at(file, 8) != 1 || u16_at(file, 10) != 4 {
        return refuse(1, "this is no growing filter");
    }
    let offset = u32_at(file, 12) as usize;
    if u64_at(file, 16) != file.len() as u64 {
        return refuse(2, "the length is another one");
    }
    if offset % 64 != 0 || !(192..=1 << 31).contains(&offset) || offset > file.len() {
        return refuse(2, &format!("body_offset cannot be {offset}"));
    }
    let header = &file[..offset - 8];
    if u64_at(file, offset - 8) != xxh3(header, 0) {
        return refuse(3, "the header checksum is another one");
    }

    // Step 4: flags, records, the filter's part, and that of each link.
    let flags = u32_at(header, 24);
    if flags > 1 {
        return refuse(4, &format!("required flags {flags:#x} are not known"));
    }
    let records_end = 128 + u32_at(header, 120) as usize;
    if records_end % 8 != 0 || records_end > 128 + 65_536 || records_end > header.len() {
        return refuse(4, &format!("records cannot take {} bytes", records_end - 128));
    }
    let records = read_records(&header[128..records_end]).or_else(|why| refuse(4, &why))?;
    let count = u32_at(header, 32) as usize;
    if count == 0 || count > 10 || records_end + count * OWN > header.len() {
        return refuse(4, &format!("{count} links"));
    }
    if u32_at(header, 36) > 1 || header[56..120].iter().any(|&byte| byte != 0) {
        return refuse(4, "the rest of the filter's part is not 0");
    }
    let own = |i: usize| &header[records_end + i * OWN..][..OWN];
    let (mut links, mut bodies) = (Vec::new(), 0);
    for i in 0..count {
        let link = of_own_part(own(i), u32_at(header, 124), &records, secret);
        let link = link.or_else(|why| refuse(4, &format!("link {i}: {why}")))?;
        bodies += 64 * link.shape.lines();
        links.push(link);
    }
    let mut filter = Growing {
        links,
        deletable: header[36] == 1,
        rate: f64::from_bits(u64_at(header, 40)),
        first: u64_at(header, 48),
    };
    filter.check().or_else(|why| refuse(4, &why))?;
    for (i, link) in filter.links.iter().enumerate() {
        let (slots, different) = (u64_at(own(i), 48), u64_at(own(i), 56));
        if different > link.capacity || !filter.deletable && slots != different {
            return refuse(4, &format!("{different} numbers in {slots} slots of link {i}"));
        }
    }

    // Step 5: the lengths that follow, and the padding.
    let sealed = flags == 1;
    let body_end = offset as u64 + bodies;
    if offset as u64 != body_offset(records_end - 128, count, bodies)
        || file.len() as u64 != body_end + if sealed { 32 } else { 0 }
    {
        return refuse(5, "the lengths do not follow from the links");
    }
    let body = &file[offset..body_end as usize];
    let chunks = records_end + count * OWN;
    if header[chunks + 8 * body.len().div_ceil(CHUNK)..].iter().any(|&byte| byte != 0) {
        return refuse(5, "the padding before the header checksum is not 0");
    }

    // Step 6: secret key, seal key, self-test of each link.
    let first = &filter.links[0];
    if secret.is_some() != (first.scheme == 2) || seal_key.is_some() != sealed {
        return refuse(6, "a key is missing, or one too many");
    }
    if let Some(key) = secret {
        if siphash13(key, KEY_CHECK) != first.parameter {
            return refuse(6, "this is not the secret key of the filter");
        }
    }
    for (i, link) in filter.links.iter().enumerate() {
        if u64_at(own(i), 80) != link.self_test().or_else(|why| refuse(6, &why))? {
            return refuse(6, &format!("the self-test of link {i}"));
        }
    }

    // Step 7: chunks, and the numbers of each link in its part of the body.
    for (i, chunk) in body.chunks(CHUNK).enumerate() {
        if u64_at(header, chunks + 8 * i) != xxh3(chunk, 0) {
            return refuse(7, &format!("the checksum of chunk {i} is not that of its bytes"));
        }
    }
    let mut from = 0;
    for (i, link) in filter.links.iter_mut().enumerate() {
        let here = &body[from..][..64 * link.shape.lines() as usize];
        from += here.len();
        link.take_body(own(i), here).or_else(|why| refuse(7, &format!("link {i}: {why}")))?;
    }

    // Step 8: the seal.
    if let Some(key) = seal_key {
        let computed = seal(key, &file[..body_end as usize]).or_else(|why| refuse(8, &why))?;
        if file[body_end as usize..].iter().zip(computed).fold(0, |all, (a, b)| all | (a ^ b)) != 0 {
            return refuse(8, "the seal is not that of this key");
        }
    }
    Ok(filter)
}

//! Section 4.2.3: the growing filter, several quotient tables in one file: which link a key is put
//! in, and how a link grows.

use crate::envelope::{self, OWN, Parts};
use crate::quotient::{NOTHING, Quotient, of_own_part, own_part};
use crate::read::{refuse, u32_at, u64_at};
use crate::size::{table, table_for};
use crate::table::{MOST_SLOTS, Shape, encode, number};
use crate::write::body;

/// A growing filter: its links, the oldest first, and the numbers that determine them.
#[derive(Clone, Debug, PartialEq)]
pub struct Growing {
    /// The tables. All have the same scheme, parameter, key domain, recipe and records.
    pub links: Vec<Quotient>,
    /// Offset 36: can keys be removed?
    pub deletable: bool,
    /// Offset 40: the promised rate of all links together.
    pub rate: f64,
    /// Offset 48: the number of keys for which it has space at first.
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

/// The largest number of different numbers in link i.
pub fn capacity(first: u64, i: usize) -> u64 {
    first * 16u64.pow(i as u32 + 1)
}

/// The promised rate of link i.
pub fn rate(all: f64, i: usize) -> f64 {
    all / (2u64 << i) as f64
}

/// Section 5.5: the number of slots that a table may use.
pub fn room(shape: &Shape) -> u64 {
    match (shape.home_lines(), shape.spare) {
        (1, 0) => shape.slots,
        (home, _) => 92 * home * shape.slots / 100,
    }
}

/// Section 5.3: the next number of slots to try.
fn more(slots: u64) -> u64 {
    slots + slots / 8 + 1
}

impl Growing {
    /// An empty filter with the hash fields of the link `like`.
    pub fn new(like: &Quotient, deletable: bool, first: u64, rate: f64) -> Result<Growing, String> {
        let mut filter = Growing { links: vec![like.clone()], deletable, rate, first };
        filter.links = vec![filter.link(0, first)?];
        Ok(filter)
    }

    /// An empty link with space for n slots.
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
            if !link.deletable {
                return Err(format!("link {i} says of its own whether keys can be taken out"));
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

    /// How often link i holds the number of a hash.
    fn count(&self, i: usize, h: u64) -> u64 {
        self.links[i].count_hash(h)
    }

    /// Looks a key up in all links: `false` is certain, `true` means perhaps.
    pub fn contains(&self, key: &[u8]) -> Result<bool, String> {
        Ok(self.contains_hash(self.links[0].hash_of(key)?))
    }

    /// Looks up the hash of a key.
    pub fn contains_hash(&self, h: u64) -> bool {
        (0..self.links.len()).any(|i| self.count(i, h) > 0)
    }

    /// Inserts a key. Returns whether it was new.
    pub fn insert(&mut self, key: &[u8]) -> Result<bool, String> {
        self.insert_hash(self.links[0].hash_of(key)?)
    }

    /// Inserts a key by its hash.
    pub fn insert_hash(&mut self, h: u64) -> Result<bool, String> {
        if let Some(holder) = (0..self.links.len()).rev().find(|&i| self.count(i, h) > 0) {
            if self.deletable {
                let before = self.links[holder].clone();
                let held = match self.count(holder, h) {
                    MOST_SLOTS => Err(format!("a number is held {MOST_SLOTS} times already")),
                    _ => self.put(holder, h),
                };
                if let Err(refused) = held {
                    self.links[holder] = before;
                    if holder + 1 == self.links.len() {
                        return Err(refused);
                    }
                    self.put_from(holder + 1, h)?;
                }
            }
            return Ok(false);
        }
        self.put_from(0, h)?;
        Ok(true)
    }

    /// Puts the number of a hash into the oldest link, from `from` on, that is not full, or into a
    /// new link.
    fn put_from(&mut self, from: usize, h: u64) -> Result<(), String> {
        let takes_more = |&i: &usize| (self.links[i].held.len() as u64) < self.links[i].capacity;
        let place = match (from..self.links.len()).find(takes_more) {
            Some(place) => place,
            None => {
                let slots: u64 = self.links.iter().map(Quotient::keys_held).sum();
                self.links.push(self.link(self.links.len(), slots / 8)?);
                self.links.len() - 1
            }
        };
        self.put(place, h)
    }

    /// Puts the number of a hash into link i once more. If link i has no space, it gets a larger
    /// table.
    fn put(&mut self, i: usize, h: u64) -> Result<(), String> {
        let link = &mut self.links[i];
        let slots = link.keys_held();
        let room = room(&link.shape);
        if slots >= room {
            let m = room.max(slots);
            let next = if m < 4096 { more(m) } else { m + m / 4 };
            link.lay(if slots < link.capacity { next.min(link.capacity) } else { next })?;
        }
        link.insert_hash(h)?;
        if encode(&link.shape, &link.slots()).is_err() {
            link.shape = table_for(more(slots), link.shape.numbers, 0, &link.slots())?;
        }
        Ok(())
    }

    /// Removes a key if exactly one link holds its number. Returns the number of links that hold
    /// it.
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

/// Writes the filter's file, sealed if there is a seal key.
pub fn write(filter: &Growing, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    filter.check()?;
    // 4.2.3, the growing filter's own part.
    let mut own = (filter.links.len() as u32).to_le_bytes().to_vec();
    own.extend(u32::from(filter.deletable).to_le_bytes());
    own.extend(filter.rate.to_le_bytes());
    own.extend(filter.first.to_le_bytes());
    let mut bodies = Vec::new();
    for link in &filter.links {
        bodies.extend(body(&encode(&link.shape, &link.slots())?));
    }
    let parts = Parts {
        kind: 4,
        own,
        recipe: filter.links[0].recipe,
        records: &filter.links[0].records,
        links: filter.links.iter().map(own_part).collect::<Result<_, _>>()?,
        body: bodies,
        added: Vec::new(),
    };
    envelope::write(&parts, seal_key)
}

/// Reads a file of kind 4, with the keys and the steps of [`read`](crate::read::read).
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Growing, String> {
    // Steps 1 to 4: the own part of the filter, and that of each link.
    let head = envelope::head(file, 4, "growing filter")?;
    let count = u32_at(head.own(), 0) as usize;
    head.check_links(count, 10)?;
    if u32_at(head.own(), 4) > 1 || head.own()[24..].iter().any(|&byte| byte != 0) {
        return refuse(4, "the rest of the filter's part is not 0");
    }
    let (mut links, mut bodies) = (Vec::new(), 0);
    for i in 0..count {
        let link = of_own_part(head.link(i), head.recipe, &head.records, secret);
        let link = link.or_else(|why| refuse(4, &format!("link {i}: {why}")))?;
        bodies += 64 * link.shape.lines();
        links.push(link);
    }
    let mut filter = Growing {
        links,
        deletable: u32_at(head.own(), 4) == 1,
        rate: f64::from_bits(u64_at(head.own(), 8)),
        first: u64_at(head.own(), 16),
    };
    filter.check().or_else(|why| refuse(4, &why))?;
    for (i, link) in filter.links.iter().enumerate() {
        let (slots, different) = (u64_at(head.link(i), 48), u64_at(head.link(i), 56));
        if different > link.capacity || !filter.deletable && slots != different {
            return refuse(4, &format!("{different} numbers in {slots} slots of link {i}"));
        }
    }

    // Step 5.
    let body = head.body(count * OWN, bodies)?;
    // Step 6: keys, and the self-test of each link.
    head.check_keys(filter.links[0].scheme, filter.links[0].parameter, secret, seal_key)?;
    for (i, link) in filter.links.iter().enumerate() {
        if u64_at(head.link(i), 80) != link.self_test().or_else(|why| refuse(6, &why))? {
            return refuse(6, &format!("the self-test of link {i}"));
        }
    }

    // Step 7: chunks, and the numbers of each link in its part of the body.
    head.check_chunks(count * OWN, body)?;
    let mut from = 0;
    for (i, link) in filter.links.iter_mut().enumerate() {
        let here = &body[from..][..64 * link.shape.lines() as usize];
        from += here.len();
        link.take_body(head.link(i), here).or_else(|why| refuse(7, &format!("link {i}: {why}")))?;
    }

    // Step 8.
    head.check_seal(seal_key)?;
    Ok(filter)
}

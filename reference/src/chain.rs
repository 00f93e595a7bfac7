//! Section 4.2.1: the growing chain, several Bloom filters in one file, and from its bytes back to it.

use crate::filter::{Filter, UNKNOWN};
use crate::hash::{siphash13, xxh3};
use crate::read::{read_records, refuse, u16_at, u32_at, u64_at};
use crate::write::{CHUNK, KEY_CHECK, MAGIC, body, body_len, own_part, seal, write_records};

/// Bytes of a filter's own part.
const OWN: usize = 88;

/// A growing chain: its links, the oldest first, and what it promises.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The filters. Scheme, parameter, key domain, recipe and records are the same in all of them.
    pub links: Vec<Filter>,
    /// Offset 36: how many times the keys of the newest link the next one is for, where nobody expects another number.
    pub expansion: u32,
    /// Offset 40: the promised rate of all links together.
    pub rate: f64,
}

impl Chain {
    /// Refuses fields that a file cannot have.
    pub fn check(&self) -> Result<(), String> {
        if self.links.is_empty() || self.links.len() > 64 {
            return Err(format!("{} links", self.links.len()));
        }
        if !(2..=256).contains(&self.expansion) {
            return Err(format!("an expansion of {}", self.expansion));
        }
        if !(self.rate > 0.0 && self.rate < 1.0) {
            return Err(format!("the promised rate {} is not between 0 and 1", self.rate));
        }
        let first = &self.links[0];
        let mut left = self.rate;
        for link in &self.links {
            link.check()?;
            if !(1..=4).contains(&link.scheme) {
                return Err(format!("scheme {} has no 64-bit hash", link.scheme));
            }
            let same = link.scheme == first.scheme
                && link.domain == first.domain
                && link.parameter == first.parameter
                && link.recipe == first.recipe
                && link.records == first.records;
            if !same {
                return Err("the links do not hash alike".to_string());
            }
            if link.policy != 2 {
                return Err(format!("a link has the policy {}", link.policy));
            }
            if link.keys_inserted == UNKNOWN || link.keys_inserted > link.capacity {
                return Err(format!("{} keys in a link for {}", link.keys_inserted, link.capacity));
            }
            left -= link.rate;
        }
        if left < 0.0 {
            return Err("the links promise more than the chain".to_string());
        }
        Ok(())
    }

    /// Inserts a key that no link holds into the first one that is not full. Says whether it was new.
    pub fn insert(&mut self, key: &[u8]) -> Result<bool, String> {
        if self.contains(key)? {
            return Ok(false);
        }
        let link = self.links.iter_mut().find(|link| link.keys_inserted < link.capacity);
        link.ok_or("the chain is full")?.insert(key)?;
        Ok(true)
    }

    /// Whether any link holds a key: `false` is certain, `true` means perhaps.
    pub fn contains(&self, key: &[u8]) -> Result<bool, String> {
        for link in &self.links {
            if link.contains(key)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Section 3: where the body begins, behind the records, the links' parts and the chunk table.
fn body_offset(records: usize, links: usize, body: u64) -> u64 {
    (128 + records as u64 + (links * OWN) as u64 + 8 * body.div_ceil(CHUNK as u64) + 8).next_multiple_of(64)
}

/// The one file of a chain, sealed where there is a seal key.
pub fn write(chain: &Chain, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    chain.check()?;
    let records = write_records(&chain.links[0].records)?;
    let bodies: Vec<u8> = chain.links.iter().flat_map(|link| body(&link.bits)).collect();
    let offset = body_offset(records.len(), chain.links.len(), bodies.len() as u64);
    let sealed = seal_key.is_some();

    let mut file = Vec::new();
    // 4.1, the common part.
    file.extend(MAGIC);
    file.extend(1u16.to_le_bytes()); // version
    file.extend(2u16.to_le_bytes()); // kind
    file.extend((offset as u32).to_le_bytes());
    file.extend((offset + bodies.len() as u64 + if sealed { 32 } else { 0 }).to_le_bytes());
    file.extend(u32::from(sealed).to_le_bytes()); // required flags
    file.extend(0u32.to_le_bytes()); // optional flags
    // 4.2.1, the chain's part.
    file.extend((chain.links.len() as u32).to_le_bytes());
    file.extend(chain.expansion.to_le_bytes());
    file.extend(chain.rate.to_le_bytes());
    file.resize(120, 0);
    // 4.1 again.
    file.extend((records.len() as u32).to_le_bytes());
    file.extend(chain.links[0].recipe.to_le_bytes());
    // 3: records, parts of the links, chunk table, zero bytes, header checksum, bodies, seal.
    file.extend(records);
    for link in &chain.links {
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

/// Reads a file of kind 2, with the keys and the steps of [`read`](crate::read::read).
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Chain, String> {
    // Steps 1 to 3, as for one filter.
    if file.len() < 24 || file[..8] != MAGIC || u16_at(file, 8) != 1 || u16_at(file, 10) != 2 {
        return refuse(1, "this is no growing chain");
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

    // Step 4: flags, records, the chain's part, and that of each link.
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
    if count == 0 || count > 64 || records_end + count * OWN > header.len() {
        return refuse(4, &format!("{count} links"));
    }
    if header[48..120].iter().any(|&byte| byte != 0) {
        return refuse(4, "the rest of the chain's part is not 0");
    }
    let (mut links, mut bodies) = (Vec::new(), 0);
    for i in 0..count {
        let own = &header[records_end + i * OWN..][..OWN];
        let link = Filter {
            layout: own[0],
            scheme: own[1],
            domain: own[2],
            policy: own[3],
            num_hashes: u32_at(own, 4),
            bit_len: u64_at(own, 8),
            capacity: u64_at(own, 16),
            rate: f64::from_bits(u64_at(own, 24)),
            parameter: u64_at(own, 32),
            keys_inserted: u64_at(own, 40),
            recipe: u32_at(header, 124),
            records: records.clone(),
            secret: secret.copied().unwrap_or_default(),
            exceptions: Vec::new(),
            divider: None,
            bits: Vec::new(),
        };
        link.check().or_else(|why| refuse(4, &why))?;
        if u64_at(own, 48) > link.bit_len {
            return refuse(4, &format!("more set bits than bits in link {i}"));
        }
        bodies += body_len(link.bit_len);
        links.push(link);
    }
    let mut chain = Chain { links, expansion: u32_at(header, 36), rate: f64::from_bits(u64_at(header, 40)) };
    chain.check().or_else(|why| refuse(4, &why))?;

    // Step 5: the lengths that follow, and the padding.
    let sealed = flags == 1;
    let body_end = offset as u64 + bodies;
    if offset as u64 != body_offset(records_end - 128, count, bodies)
        || file.len() as u64 != body_end + if sealed { 32 } else { 0 }
    {
        return refuse(5, "the lengths do not follow from the links");
    }
    let body = &file[offset..body_end as usize];
    let table = records_end + count * OWN;
    if header[table + 8 * body.len().div_ceil(CHUNK)..].iter().any(|&byte| byte != 0) {
        return refuse(5, "the padding before the header checksum is not 0");
    }

    // Step 6: secret key, seal key, self-test of each link.
    let scheme = chain.links[0].scheme;
    if secret.is_some() != (scheme == 2) || seal_key.is_some() != sealed {
        return refuse(6, "a key is missing, or one too many");
    }
    if let Some(key) = secret {
        if siphash13(key, KEY_CHECK) != chain.links[0].parameter {
            return refuse(6, "this is not the secret key of the chain");
        }
    }
    for (i, link) in chain.links.iter().enumerate() {
        let sums = link.self_test().or_else(|why| refuse(6, &why))?;
        for test in 0..4 {
            if u64_at(header, records_end + i * OWN + 56 + 8 * test) != sums[test] {
                return refuse(6, &format!("self-test {test} of link {i}"));
            }
        }
    }

    // Step 7: chunks, and the bits of each link in its part of the body.
    for (i, chunk) in body.chunks(CHUNK).enumerate() {
        if u64_at(header, table + 8 * i) != xxh3(chunk, 0) {
            return refuse(7, &format!("the checksum of chunk {i} is not that of its bytes"));
        }
    }
    let mut from = 0;
    for (i, link) in chain.links.iter_mut().enumerate() {
        let here = &body[from..][..body_len(link.bit_len) as usize];
        from += here.len();
        link.bits = (0..8 * here.len()).map(|p| here[p / 8] >> (p % 8) & 1 == 1).collect();
        if link.bits.split_off(link.bit_len as usize).contains(&true) {
            return refuse(7, &format!("the padding after link {i} is not 0"));
        }
        if u64_at(header, records_end + i * OWN + 48) != link.set_bits() {
            return refuse(7, &format!("the set bits of link {i}"));
        }
    }

    // Step 8: the seal.
    if let Some(key) = seal_key {
        let computed = seal(key, &file[..body_end as usize]).or_else(|why| refuse(8, &why))?;
        if file[body_end as usize..].iter().zip(computed).fold(0, |all, (a, b)| all | (a ^ b)) != 0 {
            return refuse(8, "the seal is not that of this key");
        }
    }
    Ok(chain)
}

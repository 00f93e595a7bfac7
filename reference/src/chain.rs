//! Section 4.2.1: the growing chain, several Bloom filters in one file; writing and reading the
//! file.

use crate::envelope::{self, OWN, Parts};
use crate::filter::{Filter, UNKNOWN};
use crate::read::{refuse, u32_at, u64_at};
use crate::write::{body, body_len, own_part};

/// A growing chain: its links, the oldest first, and its promised rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The filters. All have the same scheme, parameter, key domain, recipe and records.
    pub links: Vec<Filter>,
    /// Offset 36: the growth factor from link to link.
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

    /// Inserts a key that is in no link into the first link that is not full. Returns whether it
    /// was new.
    pub fn insert(&mut self, key: &[u8]) -> Result<bool, String> {
        if self.contains(key)? {
            return Ok(false);
        }
        let link = self.links.iter_mut().find(|link| link.keys_inserted < link.capacity);
        link.ok_or("the chain is full")?.insert(key)?;
        Ok(true)
    }

    /// Looks a key up in all links: `false` is certain, `true` means perhaps.
    pub fn contains(&self, key: &[u8]) -> Result<bool, String> {
        for link in &self.links {
            if link.contains(key)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Writes the file of a chain, sealed if there is a seal key.
pub fn write(chain: &Chain, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    chain.check()?;
    // 4.2.1, the chain's own part.
    let mut own = (chain.links.len() as u32).to_le_bytes().to_vec();
    own.extend(chain.expansion.to_le_bytes());
    own.extend(chain.rate.to_le_bytes());
    let parts = Parts {
        kind: 2,
        own,
        recipe: chain.links[0].recipe,
        records: &chain.links[0].records,
        links: chain.links.iter().map(own_part).collect::<Result<_, _>>()?,
        body: chain.links.iter().flat_map(|link| body(&link.bits)).collect(),
        added: Vec::new(),
    };
    envelope::write(&parts, seal_key)
}

/// Reads a file of kind 2, with the keys and the steps of [`read`](crate::read::read).
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Chain, String> {
    // Steps 1 to 4: the own part of the chain, and that of each link.
    let head = envelope::head(file, 2, "growing chain")?;
    let count = u32_at(head.own(), 0) as usize;
    head.check_links(count, 64)?;
    if head.own()[16..].iter().any(|&byte| byte != 0) {
        return refuse(4, "the rest of the chain's part is not 0");
    }
    let (mut links, mut bodies) = (Vec::new(), 0);
    for i in 0..count {
        let own = head.link(i);
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
            recipe: head.recipe,
            records: head.records.clone(),
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
    let mut chain =
        Chain { links, expansion: u32_at(head.own(), 4), rate: f64::from_bits(u64_at(head.own(), 8)) };
    chain.check().or_else(|why| refuse(4, &why))?;

    // Step 5.
    let body = head.body(count * OWN, bodies)?;
    // Step 6: keys, and the self-test of each link.
    head.check_keys(chain.links[0].scheme, chain.links[0].parameter, secret, seal_key)?;
    for (i, link) in chain.links.iter().enumerate() {
        let sums = link.self_test().or_else(|why| refuse(6, &why))?;
        for test in 0..4 {
            if u64_at(head.link(i), 56 + 8 * test) != sums[test] {
                return refuse(6, &format!("self-test {test} of link {i}"));
            }
        }
    }

    // Step 7: chunks, and the bits of each link in its part of the body.
    head.check_chunks(count * OWN, body)?;
    let mut from = 0;
    for (i, link) in chain.links.iter_mut().enumerate() {
        let here = &body[from..][..body_len(link.bit_len) as usize];
        from += here.len();
        link.bits = (0..8 * here.len()).map(|p| here[p / 8] >> (p % 8) & 1 == 1).collect();
        if link.bits.split_off(link.bit_len as usize).contains(&true) {
            return refuse(7, &format!("the padding after link {i} is not 0"));
        }
        if u64_at(head.link(i), 48) != link.set_bits() {
            return refuse(7, &format!("the set bits of link {i}"));
        }
    }

    // Step 8.
    head.check_seal(seal_key)?;
    Ok(chain)
}

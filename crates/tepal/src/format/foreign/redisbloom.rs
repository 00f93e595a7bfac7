//! RedisBloom's chain: the pairs of `BF.SCANDUMP` (iterator, length and data of each, one after the other),
//! or the payload of `DUMP` ([`super::rdb`]).

use alloc::vec;
use alloc::vec::Vec;

use super::rdb;
use super::{Beside, Found, bytes_of, words_from_bytes};
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::filters::AnyFilter;
use crate::filters::bloom::BloomFilter;
use crate::filters::scalable::{Growth, ScalableBloomFilter};
use crate::format::fields::Fields;
use crate::hash::KeyDomain;
use crate::schemes::{Own, sizing};

const FORCE64: u32 = 4;
const NO_SCALING: u32 = 8;
const KNOWN_OPTIONS: u32 = 15;
/// BF.RESERVE's own: sizes not rounded to powers of two, 64-bit hashes.
const RESERVED: u32 = 1 + FORCE64;
/// Data of one pair at the most.
const CHUNK: usize = 16 << 20;
const HEADER: usize = 20;
const LINK: usize = 53;

/// The header's fields that are not the filters'.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rest {
    options: u32,
    growth: u32,
    /// `DUMP` payload, of this RDB version; else the pairs of `SCANDUMP`.
    pub(super) rdb_version: Option<u16>,
    /// Of the links that were read; later ones follow from their rate.
    links: Vec<Kept>,
}

/// What a link's file form keeps beside its bits.
#[derive(Clone, Debug, PartialEq)]
struct Kept {
    error: f64,
    per_entry: f64,
    packed: Option<Vec<u8>>,
}

/// One filter of the chain, as either form of file gives it.
pub(super) struct Link<'a> {
    pub(super) bits: u64,
    pub(super) size: u64,
    pub(super) error: f64,
    pub(super) per_entry: f64,
    pub(super) hashes: u32,
    pub(super) entries: u64,
    pub(super) n2: u64,
    pub(super) body: &'a [u8],
    /// The bits as an RDB file had packed them.
    pub(super) packed: Option<&'a [u8]>,
}

pub(super) fn has_mark(bytes: &[u8]) -> bool {
    rdb::has_mark(bytes) || bytes.starts_with(&1u64.to_le_bytes())
}

pub(super) fn read(bytes: &[u8], domain: KeyDomain) -> Result<(AnyFilter, Beside)> {
    if rdb::has_mark(bytes) {
        return rdb::read(bytes, domain);
    }
    let mut pairs = Fields::at(bytes, 0);
    let (iterator, header) = pair(&mut pairs)?;
    if iterator != 1 {
        return Err(Error::damaged(format_args!("its first pair has the iterator {iterator}, expected 1")));
    }
    let mut fields = Fields::at(header, 0);
    let total = fields.u64_le()?;
    let count = fields.u32_le()?;
    let (options, growth) = (fields.u32_le()?, fields.u32_le()?);
    if header.len() != HEADER + LINK * count as usize {
        return Err(Error::damaged(format_args!(
            "its header has {} bytes for {count} filters",
            header.len()
        )));
    }
    let mut links = Vec::new();
    let mut start = 0u64;
    for _ in 0..count {
        let len = fields.u64_le()?;
        let bits = fields.u64_le()?;
        let size = fields.u64_le()?;
        let (error, per_entry) = (fields.f64_le()?, fields.f64_le()?);
        let hashes = fields.u32_le()?;
        let (entries, n2) = (fields.u64_le()?, fields.u8()?.into());
        if bits != len.saturating_mul(8) {
            return Err(Error::damaged(format_args!("a filter of {len} bytes says {bits} bits")));
        }
        let body = body_of(&mut pairs, start, len)?;
        start = start.saturating_add(len);
        links.push((
            Link { bits, size, error, per_entry, hashes, entries, n2, body: &[], packed: None },
            body,
        ));
    }
    pairs.end()?;
    let links = links.iter().map(|(link, body)| Link { body, ..*link }).collect();
    chain(total, options, growth, links, None, domain)
}

/// The next pair: its iterator and its data.
fn pair<'a>(pairs: &mut Fields<'a>) -> Result<(u64, &'a [u8])> {
    let iterator = pairs.u64_le()?;
    let len = pairs.u32_le()?;
    Ok((iterator, pairs.take_claimed(len.into())?))
}

/// A filter's bytes from the pairs that follow, which say where they stand among all.
fn body_of(pairs: &mut Fields<'_>, start: u64, len: u64) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    while (body.len() as u64) < len {
        let (iterator, data) = pair(pairs)?;
        let done = body.len() as u64 + data.len() as u64;
        if iterator != start.saturating_add(done).saturating_add(1) || done > len || data.is_empty() {
            return Err(Error::damaged(format_args!(
                "a pair has the iterator {iterator} and {} bytes, which is not what comes next",
                data.len()
            )));
        }
        body.extend_from_slice(data);
    }
    Ok(body)
}

/// The chain, after the checks that `BF.LOADCHUNK` makes.
pub(super) fn chain(
    total: u64,
    options: u32,
    growth: u32,
    links: Vec<Link<'_>>,
    rdb_version: Option<u16>,
    domain: KeyDomain,
) -> Result<(AnyFilter, Beside)> {
    if options & !KNOWN_OPTIONS != 0 {
        let known = "1 (not rounded), 2, 4 (64-bit hashes) and 8 (not scaling)";
        return Err(Error::Unsupported { what: "RedisBloom options", found: options.into(), known });
    }
    if options & FORCE64 == 0 {
        let known = "filters with the option 4; load it into a server and build it again";
        return Err(Error::Unsupported {
            what: "RedisBloom filter of 32-bit hashes, options",
            found: options.into(),
            known,
        });
    }
    let sizes = links.iter().try_fold(0u64, |sum, link| sum.checked_add(link.size));
    if links.is_empty() || sizes != Some(total) {
        return Err(Error::damaged(format_args!("it says {total} items in {} filters", links.len())));
    }
    let kept = |link: &Link<'_>| Kept {
        error: link.error,
        per_entry: link.per_entry,
        packed: link.packed.map(<[u8]>::to_vec),
    };
    let rest = Rest { options, growth, rdb_version, links: links.iter().map(kept).collect() };
    let links = links.into_iter().map(|link| link.filter(domain)).collect::<Result<_>>()?;
    let growth = match options & NO_SCALING {
        0 => Growth::RedisBloom { expansion: growth },
        _ => Growth::Fixed,
    };
    Ok((AnyFilter::Scalable(ScalableBloomFilter { links, growth }), Beside::RedisBloom(rest)))
}

impl Link<'_> {
    fn filter(self, domain: KeyDomain) -> Result<BloomFilter> {
        let hashes = libm::ceil(sizing::REDISBLOOM_LN_2 * self.per_entry);
        if !(self.error > 0.0 && self.error < 1.0) || hashes != f64::from(self.hashes) {
            return Err(Error::damaged(format_args!(
                "a filter says error {}, {} bits an entry and {} hashes",
                self.error, self.per_entry, self.hashes
            )));
        }
        // Old files give the modulus as a power of two, too.
        let is_modulus = self.bits.is_power_of_two() && u64::from(self.bits.trailing_zeros()) == self.n2;
        if (self.n2 != 0 && !is_modulus) || self.entries == 0 {
            return Err(Error::damaged(format_args!(
                "a filter says {} bits, a modulus of 2^{} and {} entries",
                self.bits, self.n2, self.entries
            )));
        }
        let found = Found {
            own: Own::RedisBloom,
            domain,
            num_hashes: self.hashes,
            bit_len: self.bits,
            capacity: Some(self.entries),
            rate: Some(self.error),
            inserted: Some(self.size),
        };
        found.filter(words_from_bytes(self.body))
    }
}

impl Rest {
    /// Error and bits an entry of link `i`.
    pub(super) fn link<L: AsRef<[Line]>>(&self, i: usize, link: &BloomFilter<L>) -> (f64, f64) {
        let derived = || {
            let error = link.promised_false_positive_rate();
            (error, sizing::redisbloom_bits_per_key(error))
        };
        self.links.get(i).map_or_else(derived, |kept| (kept.error, kept.per_entry))
    }

    /// The packed form that link `i` was read from.
    pub(super) fn packed(&self, i: usize) -> Option<&[u8]> {
        self.links.get(i)?.packed.as_deref()
    }

    pub(super) fn options(&self) -> u32 {
        self.options
    }

    pub(super) fn growth(&self) -> u32 {
        self.growth
    }
}

pub(super) fn write<L: AsRef<[Line]>>(links: &[BloomFilter<L>], rest: &Rest) -> Result<Vec<u8>> {
    if let Some(version) = rest.rdb_version {
        return Ok(rdb::write(links, rest, version));
    }
    let mut header = Vec::new();
    header.extend(links.iter().map(size).sum::<u64>().to_le_bytes());
    header.extend((links.len() as u32).to_le_bytes());
    header.extend(rest.options.to_le_bytes());
    header.extend(rest.growth.to_le_bytes());
    let mut data = Vec::new();
    let mut at = 1u64;
    for (i, link) in links.iter().enumerate() {
        let (error, per_entry) = rest.link(i, link);
        let len = link.bit_len() / 8;
        for field in [len, link.bit_len(), size(link), error.to_bits(), per_entry.to_bits()] {
            header.extend(field.to_le_bytes());
        }
        header.extend(link.num_hashes().to_le_bytes());
        header.extend(link.capacity().to_le_bytes());
        header.push(0);
        for chunk in bytes_of(link, len as usize).chunks(CHUNK) {
            at += chunk.len() as u64;
            data.extend(at.to_le_bytes());
            data.extend((chunk.len() as u32).to_le_bytes());
            data.extend_from_slice(chunk);
        }
    }
    let mut out = 1u64.to_le_bytes().to_vec();
    out.extend((header.len() as u32).to_le_bytes());
    out.extend(header);
    out.extend(data);
    Ok(out)
}

/// Items in a link.
pub(super) fn size<L: AsRef<[Line]>>(link: &BloomFilter<L>) -> u64 {
    link.keys_inserted().unwrap_or_else(|| link.estimated_len() as u64)
}

/// A single filter as a chain that may not grow.
pub(super) fn chain_of(filter: BloomFilter) -> Result<(AnyFilter, Beside)> {
    // The loader wants hashes = ceil(ln 2 · bits an entry): an error that gives this k, if the own one does not.
    let own = filter.promised_false_positive_rate();
    let k = f64::from(filter.num_hashes());
    let per_entry = sizing::redisbloom_bits_per_key(own);
    let fits = libm::ceil(sizing::REDISBLOOM_LN_2 * per_entry) == k;
    let per_entry = if fits { per_entry } else { (k - 0.5) / sizing::REDISBLOOM_LN_2 };
    let rest = Rest {
        options: RESERVED + NO_SCALING,
        growth: 2,
        rdb_version: None,
        links: vec![Kept { error: own, per_entry, packed: None }],
    };
    let chain = ScalableBloomFilter { links: vec![filter], growth: Growth::Fixed };
    Ok((AnyFilter::Scalable(chain), Beside::RedisBloom(rest)))
}

#[cfg(test)]
mod tests;

//! RedisBloom's chain: the pairs of `BF.SCANDUMP` (iterator, length and data of each, one after the other),
//! or the payload of `DUMP` ([`super::rdb`]).

use alloc::vec;
use alloc::vec::Vec;

use super::rdb;
use super::{Beside, Foreign, Found, Read, Reading, chain, put_bytes, words_of};
use crate::bits::memory::copy_of;
use crate::error::{Error, Obstacle, Result};
use crate::facts::Form;
use crate::fields::{Fields, Put};
use crate::ids::{Format, Scheme};
use crate::key::schemes::{REDISBLOOM_LN_2, redisbloom_bits_per_key};
use crate::kinds::bloom::BloomFilter;
use crate::kinds::chain::{Growth, ScalableBloomFilter};
use crate::kinds::storage::{Mapped, Storage};
use crate::kinds::{AnyFilter, Ref};

const FORCE64: u32 = 4;
const NO_SCALING: u32 = 8;
const KNOWN_OPTIONS: u32 = 15;
/// BF.RESERVE's own: sizes not rounded to powers of two, 64-bit hashes.
const RESERVED: u32 = 1 + FORCE64;
/// Data of one pair at the most.
const CHUNK: usize = 16 << 20;
const HEADER: usize = 20;
const LINK: usize = 53;

/// The format.
#[derive(Debug)]
pub(super) struct RedisBloom;

/// The header's fields that are not the filters'.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) options: u32,
    pub(super) growth: u32,
    /// `DUMP` payload, of this RDB version; else the pairs of `SCANDUMP`.
    rdb_version: Option<u16>,
    /// Of the links that were read; later ones follow from their rate.
    links: Vec<Kept>,
}

/// What a link's file form keeps beside its bits.
#[derive(Debug)]
struct Kept {
    error: f64,
    per_entry: f64,
    packed: Option<Vec<u8>>,
}

impl Kept {
    /// Of a link that was not read. The loader wants hashes = ceil(ln 2 · bits an entry): an error that gives this k, if
    /// the own one does not.
    fn of<L: Storage>(link: &BloomFilter<L>) -> Self {
        let error = link.promised_false_positive_rate();
        let k = f64::from(link.num_hashes());
        let per_entry = redisbloom_bits_per_key(error);
        let fits = libm::ceil(REDISBLOOM_LN_2 * per_entry) == k;
        let per_entry = if fits { per_entry } else { (k - 0.5) / REDISBLOOM_LN_2 };
        Kept { error, per_entry, packed: None }
    }
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
    pub(super) body: Body<'a>,
}

/// The bits of a link.
pub(super) enum Body<'a> {
    /// As they stand in the file, in pieces.
    Pieces(Vec<&'a [u8]>),
    /// As an RDB file had packed them, and unpacked.
    Packed { packed: &'a [u8], unpacked: Vec<u8> },
}

impl Foreign for RedisBloom {
    fn format(&self) -> Format {
        Format::RedisBloom
    }

    fn schemes(&self) -> &'static [Scheme] {
        &[Scheme::RedisBloom]
    }

    fn records_plan(&self) -> bool {
        true
    }

    fn has_mark(&self, bytes: &[u8]) -> bool {
        rdb::has_mark(bytes) || bytes.starts_with(&1u64.to_le_bytes())
    }

    fn read(&self, bytes: &[u8], reading: Reading<'_>) -> Result<Read> {
        if rdb::has_mark(bytes) {
            return rdb::read(bytes, reading);
        }
        let mut pairs = Fields::at(bytes, 0);
        let (iterator, header) = pair(&mut pairs)?;
        if iterator != 1 {
            return Err(Error::damaged(format_args!(
                "its first pair has the iterator {iterator}, expected 1"
            )));
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
            let body = Body::Pieces(body_of(&mut pairs, start, len)?);
            start = start.saturating_add(len);
            links.push(Link { bits, size, error, per_entry, hashes, entries, n2, body });
        }
        pairs.end()?;
        made(total, options, growth, links, None, reading)
    }

    /// A single filter becomes a chain that may not grow; a chain stays what it is.
    fn adopt(&self, filter: AnyFilter) -> Result<Read> {
        let chain = match filter {
            AnyFilter::Scalable(chain) => chain,
            single => ScalableBloomFilter::new(vec![single.into_bloom()?.into_owned()?], Growth::Fixed)?,
        };
        let (options, growth) = match chain.growth() {
            Growth::RedisBloom { expansion } => (RESERVED, *expansion),
            Growth::Fixed | Growth::ValkeyBloom { .. } => (RESERVED + NO_SCALING, 2),
            // It has another scheme, and was refused before.
            Growth::Promise { .. } => (RESERVED + NO_SCALING, 2),
        };
        let links = chain.links().iter().map(Kept::of).collect();
        let header = Header { options, growth, rdb_version: None, links };
        Ok((chain.into(), Ref::new(header)))
    }
}

/// The next pair: its iterator and its data.
fn pair<'a>(pairs: &mut Fields<'a>) -> Result<(u64, &'a [u8])> {
    let iterator = pairs.u64_le()?;
    let len = pairs.u32_le()?;
    Ok((iterator, pairs.take_claimed(len.into())?))
}

/// A filter's bytes from the pairs that follow, which say where they stand among all.
fn body_of<'a>(pairs: &mut Fields<'a>, start: u64, len: u64) -> Result<Vec<&'a [u8]>> {
    let (mut body, mut found) = (Vec::new(), 0u64);
    while found < len {
        let (iterator, data) = pair(pairs)?;
        found += data.len() as u64;
        if iterator != start.saturating_add(found).saturating_add(1) || found > len || data.is_empty() {
            return Err(Error::damaged(format_args!(
                "a pair has the iterator {iterator} and {} bytes, which is not what comes next",
                data.len()
            )));
        }
        body.push(data);
    }
    Ok(body)
}

/// The chain, after the checks that `BF.LOADCHUNK` makes.
pub(super) fn made(
    total: u64,
    options: u32,
    growth: u32,
    links: Vec<Link<'_>>,
    rdb_version: Option<u16>,
    reading: Reading<'_>,
) -> Result<Read> {
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
    let header =
        Header { options, growth, rdb_version, links: links.iter().map(Link::kept).collect::<Result<_>>()? };
    let links = links.into_iter().map(|link| link.filter(reading)).collect::<Result<_>>()?;
    let growth = match options & NO_SCALING {
        0 => Growth::RedisBloom { expansion: growth },
        _ => Growth::Fixed,
    };
    Ok((ScalableBloomFilter::new(links, growth)?.into(), Ref::new(header)))
}

impl Link<'_> {
    fn kept(&self) -> Result<Kept> {
        let packed = match &self.body {
            Body::Packed { packed, .. } => Some(copy_of(packed)?),
            Body::Pieces(_) => None,
        };
        Ok(Kept { error: self.error, per_entry: self.per_entry, packed })
    }

    fn filter(self, reading: Reading<'_>) -> Result<BloomFilter> {
        let hashes = libm::ceil(REDISBLOOM_LN_2 * self.per_entry);
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
        let mut found = Found::of(Scheme::RedisBloom, reading, self.hashes, self.bits);
        (found.capacity, found.rate, found.inserted) =
            (Some(self.entries), Some(self.error), Some(self.size));
        match self.body {
            Body::Pieces(pieces) => found.filter_of_bytes(pieces.into_iter()),
            Body::Packed { unpacked, .. } => found.filter_of_bytes(core::iter::once(unpacked.as_slice())),
        }
    }
}

impl Header {
    /// Error and bits an entry of link `i`: those that were read, where it is still the link that was read.
    pub(super) fn link(&self, i: usize, link: &BloomFilter<Mapped>) -> (f64, f64) {
        let error = link.promised_false_positive_rate();
        let is_the_same = |kept: &&Kept| {
            kept.error == error
                && libm::ceil(REDISBLOOM_LN_2 * kept.per_entry) == f64::from(link.num_hashes())
        };
        let kept = self.links.get(i).filter(is_the_same);
        kept.map_or_else(|| (error, redisbloom_bits_per_key(error)), |kept| (kept.error, kept.per_entry))
    }

    /// The packed form that link `i` was read from.
    pub(super) fn packed(&self, i: usize) -> Option<&[u8]> {
        self.links.get(i)?.packed.as_deref()
    }

    /// The pairs of `SCANDUMP`.
    fn put_pairs(&self, links: &[BloomFilter<Mapped>], out: &mut dyn Put) -> Result<()> {
        out.u64_le(1)?;
        out.u32_le((HEADER + LINK * links.len()) as u32)?;
        out.u64_le(items(links)?)?;
        out.u32_le(links.len() as u32)?;
        out.u32_le(self.options)?;
        out.u32_le(self.growth)?;
        for (i, link) in links.iter().enumerate() {
            let (error, per_entry) = self.link(i, link);
            for field in
                [link.bit_len() / 8, link.bit_len(), size(link), error.to_bits(), per_entry.to_bits()]
            {
                out.u64_le(field)?;
            }
            out.u32_le(link.num_hashes())?;
            out.u64_le(link.capacity())?;
            out.u8(0)?;
        }
        let mut at = 1u64;
        for link in links {
            let mut rest = (link.bit_len() / 8) as usize;
            for words in words_of(link).chunks(CHUNK / 8) {
                let len = rest.min(8 * words.len());
                rest -= len;
                at += len as u64;
                out.u64_le(at)?;
                out.u32_le(len as u32)?;
                put_bytes(out, words, len)?;
            }
        }
        Ok(())
    }
}

impl Beside for Header {
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()> {
        let links = chain(&RedisBloom, filter)?.links();
        match self.rdb_version {
            Some(version) => rdb::write(links, self, version, out),
            None => self.put_pairs(links, out),
        }
    }

    /// Of other programs' files only a `DUMP` payload has one.
    fn has_checksum(&self) -> bool {
        self.rdb_version.is_some()
    }

    fn form(&self) -> Option<Form> {
        Some(if self.rdb_version.is_some() { Form::Dump } else { Form::Pairs })
    }

    fn in_form(&self, form: Form) -> Option<Ref<dyn Beside>> {
        let rdb_version = match form {
            Form::Pairs => None,
            Form::Dump => Some(self.rdb_version.unwrap_or(rdb::VERSION)),
        };
        // Bits that were packed are of use to a dump alone.
        let kept = |kept: &Kept| Kept { packed: rdb_version.and(kept.packed.clone()), ..*kept };
        let links = self.links.iter().map(kept).collect();
        Some(Ref::new(Header { rdb_version, links, ..*self }))
    }
}

/// Items in all links.
pub(super) fn items(links: &[BloomFilter<Mapped>]) -> Result<u64> {
    let all = links.iter().try_fold(0u64, |all, link| all.checked_add(size(link)));
    all.ok_or(Error::Unconvertible {
        format: Format::RedisBloom,
        obstacle: Obstacle::Number { name: "the number of items", found: u64::MAX, most: u64::MAX - 1 },
    })
}

/// Items in a link.
pub(super) fn size<L: Storage>(link: &BloomFilter<L>) -> u64 {
    link.keys_inserted().unwrap_or_else(|| link.estimated_len() as u64)
}

#[cfg(test)]
mod tests;

//! RedisBloom's chain: the pairs of `BF.SCANDUMP` (iterator, length and data of each, in sequence),
//! or the payload of `DUMP` ([`rdb`]). [`mod@chain`] has the fields of both, [`values`] the
//! sequence of the second; [`pairs`] takes pairs as they arrive.

mod chain;
pub(in crate::format) mod pairs;
pub(super) mod rdb;
mod values;

use alloc::vec;
use alloc::vec::Vec;
use core::any::Any;

pub(super) use self::chain::Header;
use self::chain::{Body, FORCE64, Kept, Link, NO_SCALING, check, items, made, size};
use self::values::Engine;
use super::{Beside, Foreign, Read, Reading, put_bytes, with_bytes, words_of};
use crate::error::{Error, Result};
use crate::facts::Form;
use crate::fields::{Fields, Put};
use crate::format::values::{PutValues, Values};
use crate::ids::{Format, Scheme};
use crate::kinds::bloom::BloomFilter;
use crate::kinds::chain::{Growth, ScalableBloomFilter};
use crate::kinds::{AnyFilter, Ref};

/// The default of BF.RESERVE: sizes are not rounded to powers of two, 64-bit hashes.
const RESERVED: u32 = 1 + FORCE64;
/// The most bytes of data in one pair.
const CHUNK: usize = 16 << 20;
const HEADER: usize = 20;
const LINK: usize = 53;

/// The format.
#[derive(Debug)]
pub(super) struct RedisBloom;

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
        let mut claims = Claims::read(header)?;
        let mut start = 0u64;
        for link in &mut claims.links {
            let len = link.bits / 8;
            link.body = Body::Pieces(body_of(&mut pairs, start, len)?);
            start = start.saturating_add(len);
        }
        pairs.end()?;
        claims.made(reading)
    }

    /// A single filter becomes a chain that does not grow; a chain stays unchanged.
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

/// The numbers of the first pair; the bits of its filters are in the pairs that follow.
struct Claims<'a> {
    total: u64,
    options: u32,
    growth: u32,
    links: Vec<Link<'a>>,
}

impl<'a> Claims<'a> {
    fn read(header: &[u8]) -> Result<Self> {
        let mut fields = Fields::at(header, 0);
        let total = fields.u64_le()?;
        let count = fields.u32_le()?;
        let (options, growth) = (fields.u32_le()?, fields.u32_le()?);
        if header.len() as u64 != HEADER as u64 + LINK as u64 * u64::from(count) {
            return Err(Error::damaged(format_args!(
                "its header has {} bytes, and its number of filters is {count}",
                header.len()
            )));
        }
        let mut links = Vec::new();
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
            let body = Body::Pieces(Vec::new());
            links.push(Link { bits, size, error, per_entry, hashes, entries, n2, body });
        }
        Ok(Claims { total, options, growth, links })
    }

    fn check(&self) -> Result<()> {
        check(self.total, self.options, &self.links)
    }

    fn made(self, reading: Reading<'_>) -> Result<Read> {
        made(self.total, self.options, self.growth, self.links, None, reading)
    }
}

/// The next pair: its iterator and its data.
fn pair<'a>(pairs: &mut Fields<'a>) -> Result<(u64, &'a [u8])> {
    let iterator = pairs.u64_le()?;
    let len = pairs.u32_le()?;
    Ok((iterator, pairs.take_claimed(len.into())?))
}

/// A filter's bytes from the next pairs, which contain their offsets.
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

impl Header {
    /// The pairs of `SCANDUMP`.
    fn put_pairs(&self, links: &[BloomFilter], out: &mut dyn Put) -> Result<()> {
        out.u64_le(1)?;
        out.u32_le((HEADER + LINK * links.len()) as u32)?;
        self.put_header(links, out)?;
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

    /// The data of the first pair.
    fn put_header(&self, links: &[BloomFilter], out: &mut dyn Put) -> Result<()> {
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
        Ok(())
    }
}

impl Beside for Header {
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()> {
        let links = super::chain(&RedisBloom, filter)?.links();
        match self.rdb_version {
            Some(version) => rdb::write(links, self, version, out),
            None => self.put_pairs(links, out),
        }
    }

    fn of_module(&self) -> Option<&dyn Any> {
        Some(self)
    }

    /// Among other programs' files, only a `DUMP` payload has one.
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
        // Compressed bits are useful for a dump only.
        let kept = |kept: &Kept| Kept { packed: rdb_version.and(kept.packed.clone()), ..*kept };
        let links = self.links.iter().map(kept).collect();
        Some(Ref::new(Header { rdb_version, links, ..*self }))
    }
}

/// Reads a key from the values that a server hands over.
pub(super) fn read_values(values: &mut dyn Values, reading: Reading<'_>) -> Result<Read> {
    values::read(&mut Engine(values), rdb::VERSION, reading)
}

impl Header {
    /// Hands the filter over to a server, value by value.
    pub(super) fn put_values(&self, filter: &AnyFilter, values: &mut dyn PutValues) -> Result<()> {
        let links = super::chain(&RedisBloom, filter)?.links();
        values::write(links, self, &mut Engine(values))
    }

    /// The pair after this iterator.
    pub(super) fn pair(&self, filter: &AnyFilter, iterator: u64) -> Result<Option<(u64, Vec<u8>)>> {
        let links = super::chain(&RedisBloom, filter)?.links();
        let mut data = Vec::new();
        let Some(mut offset) = iterator.checked_sub(1) else {
            self.put_header(links, &mut data)?;
            return Ok(Some((1, data)));
        };
        for link in links {
            let len = link.bit_len() / 8;
            if offset < len {
                with_bytes(link, |bytes| {
                    let rest = &bytes[offset as usize..];
                    data.bytes(&rest[..rest.len().min(CHUNK)])
                })?;
                return Ok(Some((iterator.saturating_add(data.len() as u64), data)));
            }
            offset -= len;
        }
        Ok(None)
    }
}

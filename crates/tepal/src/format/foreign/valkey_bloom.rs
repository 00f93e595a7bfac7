//! valkey-bloom's `BF.LOAD` blob: how the chain grows, then its filters as the crate `bloomfilter`
//! 3 writes them; all little-endian.

use alloc::vec;
use alloc::vec::Vec;

use super::{Beside, Foreign, ForeignFields, Read, Reading, chain, put_bytes, words_of};
use crate::error::{Error, Result};
use crate::fields::{Fields, Put};
use crate::ids::{Format, Scheme};
use crate::key::schemes::{Hasher, OwnScheme, VALKEY_FIXED_SEED};
use crate::kinds::bloom::BloomFilter;
use crate::kinds::chain::{Growth, ScalableBloomFilter};
use crate::kinds::{AnyFilter, Ref};

/// The format.
#[derive(Debug)]
pub(super) struct ValkeyBloom;

/// The fields of the blob beside the filters.
#[derive(Debug)]
struct Object {
    expansion: u32,
    rate: f64,
    tightening: f64,
    is_seed_random: bool,
}

/// Bytes of an inner blob before its bits: version, length, k, seed.
const INNER_HEAD: u64 = 45;

impl Foreign for ValkeyBloom {
    fn format(&self) -> Format {
        Format::ValkeyBloom
    }

    fn schemes(&self) -> &'static [Scheme] {
        &[Scheme::ValkeyBloom]
    }

    fn records_plan(&self) -> bool {
        true
    }

    fn has_mark(&self, _: &[u8]) -> bool {
        false
    }

    fn read(&self, bytes: &[u8], reading: Reading<'_>) -> Result<Read> {
        let mut fields = Fields::at(bytes, 0);
        version("valkey-bloom object", fields.u8()?)?;
        let expansion = fields.u32_le()?;
        let (rate, tightening) = (fields.f64_le()?, fields.f64_le()?);
        for value in [rate, tightening] {
            if !(value > 0.0 && value <= 1.0) {
                let expected = "greater than 0, at most 1";
                return Err(Error::parameter("the rate or tightening ratio", value, expected));
            }
        }
        let is_seed_random = match fields.u8()? {
            0 => false,
            1 => true,
            found => {
                return Err(Error::damaged(format_args!("its random-seed mark is {found}, neither 0 nor 1")));
            }
        };
        let count = fields.u64_le()?;
        let mut links = Vec::new();
        for j in 0..count {
            let promised = rate * crate::params::power(tightening, j.min(1 << 20) as u32);
            links.push(link(&mut fields, j, promised, reading)?);
        }
        fields.end()?;
        let different = |_| Error::damaged("it has no filter, or filters under different seeds");
        let growth = match expansion {
            0 => Growth::Fixed,
            expansion => Growth::ValkeyBloom { expansion, rate, tightening },
        };
        let chain = ScalableBloomFilter::new(links, growth).map_err(different)?;
        Ok((chain.into(), Ref::new(Object { expansion, rate, tightening, is_seed_random })))
    }

    /// A single filter becomes a chain that does not grow; a chain stays unchanged.
    fn adopt(&self, filter: AnyFilter) -> Result<Read> {
        let fixed = *filter.as_dyn().key_hasher().hasher() == fixed_seed()?;
        let chain = match filter {
            AnyFilter::Scalable(chain) => chain,
            single => ScalableBloomFilter::new(vec![single.into_bloom()?.into_owned()?], Growth::Fixed)?,
        };
        let (expansion, rate, tightening) = match chain.growth() {
            Growth::ValkeyBloom { expansion, rate, tightening } => (*expansion, *rate, *tightening),
            Growth::Fixed | Growth::RedisBloom { .. } => {
                (0, chain.links()[0].promised_false_positive_rate(), 0.5)
            }
            // It has another scheme, and was refused before.
            Growth::Promise { .. } => (0, chain.links()[0].promised_false_positive_rate(), 0.5),
        };
        let object = Object { expansion, rate, tightening, is_seed_random: !fixed };
        Ok((chain.into(), Ref::new(object)))
    }
}

/// The scheme with the fixed seed of valkey-bloom.
fn fixed_seed() -> Result<Hasher> {
    let given = crate::key::schemes::Parameters { seed32: Some(VALKEY_FIXED_SEED), ..Default::default() };
    Hasher::new(Scheme::ValkeyBloom, &given)
}

/// Filter number `j` of the blob.
fn link(fields: &mut Fields<'_>, j: u64, rate: f64, reading: Reading<'_>) -> Result<BloomFilter> {
    let len = fields.u64_le()?;
    let mut inner = Fields::at(fields.take_claimed(len)?, 0);
    version("bloomfilter", inner.u8()?)?;
    let bitmap = inner.u64_le()?;
    let num_hashes = inner.u32_le()?;
    let seed = inner.array::<32>()?;
    let body = inner.take_claimed(bitmap)?;
    inner.end()?;
    let (items, capacity) = (fields.u64_le()?, fields.u64_le()?);
    if items > capacity || capacity == 0 {
        return Err(Error::damaged(format_args!("filter {j} says {items} items of {capacity}")));
    }
    let mut found = ForeignFields::of(Scheme::ValkeyBloom, reading, num_hashes, bitmap.saturating_mul(8));
    found.parameters.seed32 = Some(seed);
    (found.capacity, found.rate, found.inserted) = (Some(capacity), Some(rate), Some(items));
    found.filter_of_bytes(core::iter::once(body))
}

impl Beside for Object {
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()> {
        let links = chain(&ValkeyBloom, filter)?.links();
        out.u8(1)?;
        out.u32_le(self.expansion)?;
        out.f64_le(self.rate)?;
        out.f64_le(self.tightening)?;
        out.u8(self.is_seed_random.into())?;
        out.u64_le(links.len() as u64)?;
        for link in links {
            let bitmap = link.bit_len() / 8;
            let Some(OwnScheme::ValkeyBloom(rule)) = link.meta.keys.own() else {
                return Err(Error::NoHash { scheme: link.scheme() });
            };
            out.u64_le(INNER_HEAD + bitmap)?;
            out.u8(1)?;
            out.u64_le(bitmap)?;
            out.u32_le(link.num_hashes())?;
            out.bytes(&rule.seed)?;
            put_bytes(out, words_of(link), bitmap as usize)?;
            let items = link.keys_inserted().unwrap_or_else(|| link.estimated_len() as u64);
            out.u64_le(items.min(link.capacity()))?;
            out.u64_le(link.capacity())?;
        }
        Ok(())
    }
}

fn version(what: &'static str, found: u8) -> Result<()> {
    match found {
        1 => Ok(()),
        found => Err(Error::Unsupported { what, found: found.into(), known: "version 1" }),
    }
}

#[cfg(test)]
mod tests;

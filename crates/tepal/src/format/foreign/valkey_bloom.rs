//! valkey-bloom's `BF.LOAD` blob: how the chain grows, then its filters as the crate `bloomfilter`
//! 3 writes them; all little-endian. A server's own files have the same filters value by value.

use alloc::vec;
use alloc::vec::Vec;
use core::any::Any;

use super::{Beside, Foreign, ForeignFields, Read, Reading, chain, check_lookup, given, put_bytes, words_of};
use crate::error::{Error, Result};
use crate::fields::{Fields, Put};
use crate::format::values::{PutValues, Values};
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
pub(super) struct Object {
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
        let object = Object {
            expansion: fields.u32_le()?,
            rate: fields.f64_le()?,
            tightening: fields.f64_le()?,
            is_seed_random: mark(fields.u8()?.into())?,
        };
        object.check()?;
        let count = fields.u64_le()?;
        let mut links = Vec::new();
        for j in 0..count {
            let len = fields.u64_le()?;
            let inner = fields.take_claimed(len)?;
            let (items, capacity) = (fields.u64_le()?, fields.u64_le()?);
            links.push(object.link(inner, j, (items, capacity), reading)?);
        }
        fields.end()?;
        object.made(links)
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

/// The values of encoding version 1. All filters but the last are full, and only the last one's
/// number of items is saved.
pub(super) fn read_values(values: &mut dyn Values, reading: Reading<'_>) -> Result<Read> {
    let count = given(values.unsigned())?;
    let expansion = given(values.unsigned())?;
    let expansion = u32::try_from(expansion)
        .map_err(|_| Error::damaged(format_args!("its expansion is {expansion}, more than 32 bits")))?;
    let (rate, tightening) = (given(values.double())?, given(values.double())?);
    let is_seed_random = mark(given(values.unsigned())?)?;
    let object = Object { expansion, rate, tightening, is_seed_random };
    object.check()?;
    let mut links = Vec::new();
    for j in 0..count {
        let inner = given(values.string())?;
        let capacity = given(values.unsigned())?;
        let items = if j + 1 == count { given(values.unsigned())? } else { capacity };
        links.push(object.link(&inner, j, (items, capacity), reading)?);
    }
    object.made(links)
}

/// Whether the seed was drawn.
fn mark(found: u64) -> Result<bool> {
    match found {
        0 => Ok(false),
        1 => Ok(true),
        found => Err(Error::damaged(format_args!("its random-seed mark is {found}, neither 0 nor 1"))),
    }
}

impl Object {
    fn check(&self) -> Result<()> {
        for value in [self.rate, self.tightening] {
            if !(value > 0.0 && value <= 1.0) {
                let expected = "greater than 0, at most 1";
                return Err(Error::parameter("the rate or tightening ratio", value, expected));
            }
        }
        Ok(())
    }

    /// Filter number `j`, from its inner blob.
    fn link(
        &self,
        inner: &[u8],
        j: u64,
        (items, capacity): (u64, u64),
        reading: Reading<'_>,
    ) -> Result<BloomFilter> {
        let rate = self.rate * crate::params::power(self.tightening, j.min(1 << 20) as u32);
        let mut inner = Fields::at(inner, 0);
        version("bloomfilter", inner.u8()?)?;
        let bitmap = inner.u64_le()?;
        let num_hashes = inner.u32_le()?;
        let seed = inner.array::<32>()?;
        let body = inner.take_claimed(bitmap)?;
        inner.end()?;
        if items > capacity || capacity == 0 {
            return Err(Error::damaged(format_args!("filter {j} says {items} items of {capacity}")));
        }
        let bits = bitmap.saturating_mul(8);
        let mut found = ForeignFields::of(Scheme::ValkeyBloom, reading, num_hashes, bits);
        found.parameters.seed32 = Some(seed);
        (found.capacity, found.rate, found.inserted) = (Some(capacity), Some(rate), Some(items));
        found.filter_of_bytes(core::iter::once(body))
    }

    fn made(self, links: Vec<BloomFilter>) -> Result<Read> {
        check_lookup(links.iter().map(|link| link.num_hashes()))?;
        let different = |_| Error::damaged("it has no filter, or filters under different seeds");
        let growth = match self.expansion {
            0 => Growth::Fixed,
            expansion => Growth::ValkeyBloom { expansion, rate: self.rate, tightening: self.tightening },
        };
        let chain = ScalableBloomFilter::new(links, growth).map_err(different)?;
        Ok((chain.into(), Ref::new(self)))
    }
}

/// Writes a filter's inner blob.
fn put_inner(link: &BloomFilter, out: &mut dyn Put) -> Result<()> {
    let Some(OwnScheme::ValkeyBloom(rule)) = link.meta.keys.own() else {
        return Err(Error::NoHash { scheme: link.scheme() });
    };
    let bitmap = link.bit_len() / 8;
    out.u8(1)?;
    out.u64_le(bitmap)?;
    out.u32_le(link.num_hashes())?;
    out.bytes(&rule.seed)?;
    put_bytes(out, words_of(link), bitmap as usize)
}

/// The number of items of a link.
fn items(link: &BloomFilter) -> u64 {
    link.keys_inserted().unwrap_or_else(|| link.estimated_len() as u64).min(link.capacity())
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
            out.u64_le(INNER_HEAD + link.bit_len() / 8)?;
            put_inner(link, out)?;
            out.u64_le(items(link))?;
            out.u64_le(link.capacity())?;
        }
        Ok(())
    }

    fn of_module(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl Object {
    /// Hands the filter over to a server, value by value.
    pub(super) fn put_values(&self, filter: &AnyFilter, values: &mut dyn PutValues) -> Result<()> {
        let links = chain(&ValkeyBloom, filter)?.links();
        values.unsigned(links.len() as u64);
        values.unsigned(self.expansion.into());
        values.double(self.rate);
        values.double(self.tightening);
        values.unsigned(self.is_seed_random.into());
        for (j, link) in links.iter().enumerate() {
            let mut inner = Vec::new();
            put_inner(link, &mut inner)?;
            values.string(&inner);
            values.unsigned(link.capacity());
            if j + 1 == links.len() {
                values.unsigned(items(link));
            }
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

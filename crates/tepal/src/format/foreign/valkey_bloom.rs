//! valkey-bloom's `BF.LOAD` blob: how it grows, then its filters as the crate `bloomfilter` 3 writes them;
//! all little-endian.

use alloc::vec;
use alloc::vec::Vec;

use super::{Beside, Found, bytes_of, words_from_bytes};
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::filters::AnyFilter;
use crate::filters::bloom::BloomFilter;
use crate::filters::scalable::{Growth, ScalableBloomFilter};
use crate::format::fields::Fields;
use crate::hash::KeyDomain;
use crate::schemes::{Own, VALKEY_FIXED_SEED};

/// The blob's fields that are not the filters'.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rest {
    expansion: u32,
    rate: f64,
    tightening: f64,
    is_seed_random: bool,
}

/// Bytes of an inner blob before its bits: version, length, k, seed.
const INNER_HEAD: u64 = 45;

pub(super) fn read(bytes: &[u8], domain: KeyDomain) -> Result<(AnyFilter, Beside)> {
    let mut fields = Fields::at(bytes, 0);
    version("valkey-bloom object", fields.u8()?)?;
    let expansion = fields.u32_le()?;
    let (rate, tightening) = (fields.f64_le()?, fields.f64_le()?);
    for value in [rate, tightening] {
        if !(value > 0.0 && value <= 1.0) {
            return Err(Error::parameter("the rate or tightening ratio", value, "greater than 0, at most 1"));
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
    let mut seeds = Vec::new();
    for j in 0..count {
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
        seeds.push(seed);
        links.push(
            Found {
                own: Own::ValkeyBloom { seed },
                domain,
                num_hashes,
                bit_len: bitmap.saturating_mul(8),
                capacity: Some(capacity),
                rate: Some(rate * crate::params::power(tightening, j.min(1 << 20) as u32)),
                inserted: Some(items),
            }
            .filter(words_from_bytes(body))?,
        );
    }
    fields.end()?;
    if links.is_empty() || seeds.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(Error::damaged("it has no filter, or filters under different seeds"));
    }
    let growth = match expansion {
        0 => Growth::Fixed,
        expansion => Growth::ValkeyBloom { expansion, rate, tightening },
    };
    let rest = Rest { expansion, rate, tightening, is_seed_random };
    Ok((AnyFilter::Scalable(ScalableBloomFilter { links, growth }), Beside::ValkeyBloom(rest)))
}

pub(super) fn write<L: AsRef<[Line]>>(links: &[BloomFilter<L>], rest: &Rest) -> Result<Vec<u8>> {
    let mut out = vec![1];
    out.extend(rest.expansion.to_le_bytes());
    out.extend(rest.rate.to_bits().to_le_bytes());
    out.extend(rest.tightening.to_bits().to_le_bytes());
    out.push(rest.is_seed_random.into());
    out.extend((links.len() as u64).to_le_bytes());
    for link in links {
        let bitmap = link.bit_len() / 8;
        let Some(Own::ValkeyBloom { seed }) = link.meta.hasher.own() else {
            return Err(Error::NoHash { scheme: link.scheme() });
        };
        out.extend((INNER_HEAD + bitmap).to_le_bytes());
        out.push(1);
        out.extend(bitmap.to_le_bytes());
        out.extend(link.num_hashes().to_le_bytes());
        out.extend(seed);
        out.extend(bytes_of(link, bitmap as usize));
        let items = link.keys_inserted().unwrap_or_else(|| link.estimated_len() as u64);
        out.extend(items.min(link.capacity()).to_le_bytes());
        out.extend(link.capacity().to_le_bytes());
    }
    Ok(out)
}

/// A single filter as a chain that may not grow.
pub(super) fn chain_of(filter: BloomFilter) -> Result<(AnyFilter, Beside)> {
    let fixed = filter.meta.hasher.own() == Some(&Own::ValkeyBloom { seed: VALKEY_FIXED_SEED });
    let rate = filter.promised_false_positive_rate();
    let rest = Rest { expansion: 0, rate, tightening: 0.5, is_seed_random: !fixed };
    let chain = ScalableBloomFilter { links: vec![filter], growth: Growth::Fixed };
    Ok((AnyFilter::Scalable(chain), Beside::ValkeyBloom(rest)))
}

fn version(what: &'static str, found: u8) -> Result<()> {
    match found {
        1 => Ok(()),
        found => Err(Error::Unsupported { what, found: found.into(), known: "version 1" }),
    }
}

#[cfg(test)]
mod tests;

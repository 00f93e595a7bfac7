//! DCSO's bloom (Go), flor (Python) and fleur (C): a header of six 8-byte fields, words, and whatever data
//! the user hung on; all little-endian.

use alloc::vec::Vec;

use super::{Beside, Found, words_from_bytes, words_of};
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::filters::AnyFilter;
use crate::filters::bloom::BloomFilter;
use crate::format::fields::Fields;
use crate::hash::KeyDomain;
use crate::schemes::Own;

/// The header's fields that are not the filter's, and the user's data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rest {
    flags: u64,
    capacity: u64,
    rate: f64,
    data: Vec<u8>,
}

impl Rest {
    pub(super) fn new(filter: &AnyFilter) -> Self {
        let filter = &filter.parts()[0];
        let rate = filter.promised_false_positive_rate();
        Rest { flags: 1, capacity: filter.capacity(), rate, data: Vec::new() }
    }
}

pub(super) fn read(bytes: &[u8], domain: KeyDomain) -> Result<(AnyFilter, Beside)> {
    let mut fields = Fields::at(bytes, 0);
    let flags = fields.u64_le()?;
    if flags & 0xFF != 1 {
        let known = "version 1 in the lowest byte of the flags";
        return Err(Error::Unsupported { what: "DCSO version", found: flags & 0xFF, known });
    }
    let capacity = fields.u64_le()?;
    let rate = fields.f64_le()?;
    let k = fields.u64_le()?;
    let num_hashes =
        u32::try_from(k).map_err(|_| Error::parameter("the number of hashes", k, "1 to 65535"))?;
    let bit_len = fields.u64_le()?;
    let inserted = Some(fields.u64_le()?);
    let body = fields.take_claimed(bit_len.div_ceil(64).saturating_mul(8))?;
    let rest = Rest { flags, capacity, rate, data: fields.rest().to_vec() };
    let found = Found {
        own: Own::Dcso,
        domain,
        num_hashes,
        bit_len,
        capacity: Some(capacity),
        rate: Some(rate),
        inserted,
    };
    Ok((AnyFilter::Bloom(found.filter(words_from_bytes(body))?), Beside::Dcso(rest)))
}

pub(super) fn write<L: AsRef<[Line]>>(filter: &BloomFilter<L>, rest: &Rest) -> Result<Vec<u8>> {
    let inserted = filter.keys_inserted().unwrap_or_else(|| filter.estimated_len() as u64);
    let mut out = Vec::new();
    for field in [
        rest.flags,
        rest.capacity,
        rest.rate.to_bits(),
        filter.num_hashes().into(),
        filter.bit_len(),
        inserted,
    ] {
        out.extend(field.to_le_bytes());
    }
    words_of(filter).for_each(|word| out.extend(word.to_le_bytes()));
    out.extend_from_slice(&rest.data);
    Ok(out)
}

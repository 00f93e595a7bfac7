//! Google Guava's `BloomFilter.writeTo`: strategy, k, number of words, words; all big-endian.

use alloc::vec::Vec;

use super::{Beside, Found, words_of};
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::filters::AnyFilter;
use crate::filters::bloom::BloomFilter;
use crate::format::fields::Fields;
use crate::hash::{KeyDomain, Scheme};
use crate::schemes::Own;

pub(super) fn read(bytes: &[u8], domain: KeyDomain) -> Result<(AnyFilter, Beside)> {
    let mut fields = Fields::at(bytes, 0);
    let own = match fields.u8()? {
        0 => Own::GuavaMitz32,
        1 => Own::GuavaMitz64,
        found => {
            let known = "0 (MURMUR128_MITZ_32) and 1 (MURMUR128_MITZ_64)";
            return Err(Error::Unsupported { what: "Guava strategy", found: found.into(), known });
        }
    };
    let num_hashes = fields.u8()?.into();
    let words = positive(fields.i32_be()?)?;
    let body = fields.take_claimed(words * 8)?;
    fields.end()?;
    let found =
        Found { own, domain, num_hashes, bit_len: words * 64, capacity: None, rate: None, inserted: None };
    let filter = found.filter(big_endian(body))?;
    Ok((AnyFilter::Bloom(filter), Beside::Nothing))
}

pub(super) fn write<L: AsRef<[Line]>>(filter: &BloomFilter<L>) -> Result<Vec<u8>> {
    let strategy = u8::from(filter.scheme() == Scheme::GuavaMitz64);
    let num_hashes = u8::try_from(filter.num_hashes()).map_err(|_| {
        Error::parameter("the number of hashes", filter.num_hashes(), "at most 255 in a Guava file")
    })?;
    let mut out = alloc::vec![strategy, num_hashes];
    out.extend(word_count(filter).to_be_bytes());
    words_of(filter).for_each(|word| out.extend(word.to_be_bytes()));
    Ok(out)
}

/// A number of words as Java writes it: signed, but never below 1.
pub(super) fn positive(words: i32) -> Result<u64> {
    match u64::try_from(words) {
        Ok(words) if words > 0 => Ok(words),
        _ => Err(Error::parameter("the number of words", words, "1 or more")),
    }
}

/// The words of a filter whose scheme allows no more than an `i32` of them.
pub(super) fn word_count<L: AsRef<[Line]>>(filter: &BloomFilter<L>) -> i32 {
    (filter.bit_len() / 64) as i32
}

pub(super) fn big_endian(body: &[u8]) -> impl Iterator<Item = u64> {
    body.chunks_exact(8).map(|b| u64::from_be_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
}

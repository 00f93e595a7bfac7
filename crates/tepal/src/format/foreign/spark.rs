//! Apache Spark's `BloomFilter.writeTo`: version, k, seed (V2), number of words, words; all big-endian.

use alloc::vec::Vec;

use super::guava::{big_endian, positive, word_count};
use super::{Beside, Found, words_of};
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::filters::AnyFilter;
use crate::filters::bloom::BloomFilter;
use crate::format::fields::Fields;
use crate::hash::KeyDomain;
use crate::schemes::Own;

pub(super) fn read(bytes: &[u8], domain: KeyDomain) -> Result<(AnyFilter, Beside)> {
    let mut fields = Fields::at(bytes, 0);
    let version = fields.i32_be()?;
    let num_hashes = fields.i32_be()?;
    let num_hashes = u32::try_from(num_hashes)
        .map_err(|_| Error::parameter("the number of hashes", num_hashes, "1 or more"))?;
    let own = match version {
        1 => Own::SparkV1,
        2 => Own::SparkV2 { seed: fields.i32_be()? },
        found => {
            let known = "1 and 2";
            return Err(Error::Unsupported {
                what: "Spark sketch version",
                found: found as u32 as u64,
                known,
            });
        }
    };
    let words = positive(fields.i32_be()?)?;
    let body = fields.take_claimed(words * 8)?;
    fields.end()?;
    let found =
        Found { own, domain, num_hashes, bit_len: words * 64, capacity: None, rate: None, inserted: None };
    Ok((AnyFilter::Bloom(found.filter(big_endian(body))?), Beside::Nothing))
}

pub(super) fn write<L: AsRef<[Line]>>(filter: &BloomFilter<L>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let (version, seed) = match filter.meta.hasher.own() {
        Some(Own::SparkV2 { seed }) => (2i32, Some(*seed)),
        _ => (1, None),
    };
    out.extend(version.to_be_bytes());
    out.extend(filter.num_hashes().to_be_bytes());
    out.extend(seed.map(i32::to_be_bytes).into_iter().flatten());
    out.extend(word_count(filter).to_be_bytes());
    words_of(filter).for_each(|word| out.extend(word.to_be_bytes()));
    Ok(out)
}

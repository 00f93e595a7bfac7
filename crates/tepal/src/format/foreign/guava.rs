//! Google Guava's `BloomFilter.writeTo`: strategy, k, number of words, words; all big-endian.

use super::{Beside, Foreign, ForeignFields, Read, Reading, one, words_of};
use crate::error::{Error, Obstacle, Result};
use crate::fields::{Fields, Put};
use crate::ids::{Format, KeyDomain, Scheme};
use crate::kinds::bloom::BloomFilter;
use crate::kinds::storage::PlainStorage;
use crate::kinds::{AnyFilter, Ref};

/// The format. It has no content beside the filter.
#[derive(Debug)]
pub(super) struct Guava;

impl Foreign for Guava {
    fn format(&self) -> Format {
        Format::Guava
    }

    fn schemes(&self) -> &'static [Scheme] {
        &[Scheme::GuavaMitz64, Scheme::GuavaMitz32]
    }

    fn key_domains(&self) -> &'static [KeyDomain] {
        KeyDomain::ALL
    }

    fn has_mark(&self, _: &[u8]) -> bool {
        false
    }

    fn read(&self, bytes: &[u8], reading: Reading<'_>) -> Result<Read> {
        let mut fields = Fields::at(bytes, 0);
        let scheme = match fields.u8()? {
            0 => Scheme::GuavaMitz32,
            1 => Scheme::GuavaMitz64,
            found => {
                let known = "0 (MURMUR128_MITZ_32) and 1 (MURMUR128_MITZ_64)";
                return Err(Error::Unsupported { what: "Guava strategy", found: found.into(), known });
            }
        };
        let num_hashes = fields.u8()?.into();
        let words = positive(fields.i32_be()?)?;
        let body = fields.take_claimed(words * 8)?;
        fields.end()?;
        let filter = ForeignFields::of(scheme, reading, num_hashes, words * 64)
            .filter_of_words(body, u64::from_be_bytes)?;
        self.adopt(filter.into())
    }

    fn adopt(&self, filter: AnyFilter) -> Result<Read> {
        one(self, &filter)?;
        Ok((filter, Ref::new(Guava)))
    }
}

impl Beside for Guava {
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()> {
        let filter = one(self, filter)?;
        let num_hashes = u8::try_from(filter.num_hashes()).map_err(|_| {
            let (name, found) = ("the number of hashes", filter.num_hashes().into());
            let obstacle = Obstacle::Number { name, found, most: u8::MAX.into() };
            Error::Unconvertible { format: Format::Guava, obstacle }
        })?;
        out.u8(u8::from(filter.scheme() == Scheme::GuavaMitz64))?;
        out.u8(num_hashes)?;
        put_words(filter, out)
    }
}

/// A number of words as Java writes it: signed, but at least 1.
pub(super) fn positive(words: i32) -> Result<u64> {
    match u64::try_from(words) {
        Ok(words) if words > 0 => Ok(words),
        _ => Err(Error::parameter("the number of words", words, "1 or more")),
    }
}

/// Writes the number of words and the words. The scheme ensures that the number fits in an `i32`.
pub(super) fn put_words<L: PlainStorage>(filter: &BloomFilter<L>, out: &mut dyn Put) -> Result<()> {
    out.u32_be((filter.bit_len() / 64) as u32)?;
    out.words(&mut words_of(filter).iter().copied(), u64::to_be_bytes)
}

//! Apache Spark's `BloomFilter.writeTo`: version, k, seed (V2), number of words, words; all
//! big-endian.

use super::guava::{positive, put_words};
use super::{Beside, Foreign, ForeignFields, Read, Reading, one};
use crate::error::{Error, Result};
use crate::fields::{Fields, Put};
use crate::ids::{Format, KeyDomain, Scheme};
use crate::kinds::{AnyFilter, Ref};

/// The format. It has no content beside the filter.
#[derive(Debug)]
pub(super) struct Spark;

impl Foreign for Spark {
    fn format(&self) -> Format {
        Format::Spark
    }

    fn schemes(&self) -> &'static [Scheme] {
        &[Scheme::SparkV2, Scheme::SparkV1]
    }

    fn key_domains(&self) -> &'static [KeyDomain] {
        // `putString`, `putBinary` and `putLong` are its only calls.
        &[KeyDomain::Bytes, KeyDomain::Integer, KeyDomain::Hex]
    }

    fn has_mark(&self, bytes: &[u8]) -> bool {
        matches!(bytes, [0, 0, 0, 1 | 2, ..])
    }

    fn read(&self, bytes: &[u8], reading: Reading<'_>) -> Result<Read> {
        let mut fields = Fields::at(bytes, 0);
        let version = fields.i32_be()?;
        let num_hashes = fields.i32_be()?;
        let num_hashes = u32::try_from(num_hashes)
            .map_err(|_| Error::parameter("the number of hashes", num_hashes, "1 or more"))?;
        let (scheme, seed) = match version {
            1 => (Scheme::SparkV1, None),
            2 => (Scheme::SparkV2, Some(u64::from(fields.i32_be()? as u32))),
            found => {
                let (what, found) = ("Spark sketch version", found as u32 as u64);
                return Err(Error::Unsupported { what, found, known: "1 and 2" });
            }
        };
        let words = positive(fields.i32_be()?)?;
        let body = fields.take_claimed(words * 8)?;
        fields.end()?;
        let mut found = ForeignFields::of(scheme, reading, num_hashes, words * 64);
        found.parameters.seed = seed;
        self.adopt(found.filter_of_words(body, u64::from_be_bytes)?.into())
    }

    fn adopt(&self, filter: AnyFilter) -> Result<Read> {
        one(self, &filter)?;
        Ok((filter, Ref::new(Spark)))
    }
}

impl Beside for Spark {
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()> {
        let filter = one(self, filter)?;
        let seed = filter.seed();
        out.u32_be(if seed.is_some() { 2 } else { 1 })?;
        out.u32_be(filter.num_hashes())?;
        if let Some(seed) = seed {
            out.u32_be(seed as u32)?;
        }
        put_words(filter, out)
    }
}

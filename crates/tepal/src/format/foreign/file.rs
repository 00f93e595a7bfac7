//! A filter together with the format of its file: read, write, convert.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Beside, Format, bits_and_blooms, dcso, guava, parquet_sbbf, redisbloom, spark, valkey_bloom};
use crate::error::{Error, Result};
use crate::filters::AnyFilter;
use crate::filters::bloom::BloomFilter;
use crate::format::looks_like;
use crate::hash::{KeyDomain, Recipe, Scheme, SecretKey};
use crate::probe::Layout;
use crate::schemes::{Own, sizing};

/// What a file may not say of itself.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The format, where the file has no mark.
    pub format: Option<Format>,
    /// How keys become bytes, where the file does not record it; bytes if not given.
    pub key_domain: Option<KeyDomain>,
    /// The secret of a tepal filter that has one.
    pub secret: Option<SecretKey>,
}

/// A filter with the format it was read from or is to be written in.
///
/// ```
/// use tepal::{BloomFilter, FilterFile, Format, Scheme};
/// let mut filter = BloomFilter::builder().scheme(Scheme::GuavaMitz64).capacity(1000).build()?;
/// filter.insert("570108428378")?;
/// let file = FilterFile::new(filter, Format::Guava)?;
/// let bytes = file.to_bytes()?;                  // what Guava's `BloomFilter.readFrom` reads
/// # use tepal::Reading;
/// let reading = Reading { format: Some(Format::Guava), ..Reading::default() };
/// assert!(FilterFile::from_bytes(&bytes, &reading)?.filter().contains("570108428378"));
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FilterFile {
    filter: AnyFilter,
    format: Format,
    beside: Beside,
}

impl FilterFile {
    /// A filter to be written in `format`.
    ///
    /// # Errors
    /// [`Error::Unconvertible`] where the format holds filters of another scheme, kind or layout, or cannot
    /// say what the filter's recipe says.
    pub fn new(filter: BloomFilter, format: Format) -> Result<Self> {
        Self::of(AnyFilter::Bloom(filter), format)
    }

    fn of(filter: AnyFilter, format: Format) -> Result<Self> {
        let unfit = |reason| Err(Error::Unconvertible { format, reason });
        let (first, links) = (&filter.parts()[0], filter.parts().len());
        if format == Format::Tepal {
            if links > 1 {
                return unfit(format!("it is a chain of {links} filters, and a tepal file holds one"));
            }
        } else if !format.schemes().contains(&first.scheme()) {
            let schemes: Vec<String> = format.schemes().iter().map(|scheme| format!("{scheme}")).collect();
            return unfit(format!(
                "its hash scheme is {}, expected {}; bits cannot be turned into those of another hash, so \
                 rebuild it from the keys",
                first.scheme(),
                schemes.join(" or ")
            ));
        } else if format == Format::ParquetSbbf && first.layout() != Layout::SplitBlock {
            return unfit(format!(
                "its layout is {}, expected split-block; rebuild it from the keys",
                first.layout()
            ));
        } else if first.recipe() != Recipe::default() {
            return unfit("it trims keys or ignores their case, which no other program would do".into());
        }
        let (filter, beside) = match (format, filter) {
            (Format::ParquetSbbf, filter) => (filter, Beside::Parquet { header: true }),
            (Format::BitsAndBlooms, filter) => {
                let form = bits_and_blooms::Form::binary(&filter);
                (filter, Beside::BitsAndBlooms(form))
            }
            (Format::Dcso, filter) => {
                let rest = dcso::Rest::new(&filter);
                (filter, Beside::Dcso(rest))
            }
            (Format::RedisBloom, AnyFilter::Bloom(filter)) => redisbloom::chain_of(filter)?,
            (Format::ValkeyBloom, AnyFilter::Bloom(filter)) => valkey_bloom::chain_of(filter)?,
            (_, filter) => (filter, Beside::Nothing),
        };
        let file = FilterFile { filter, format, beside };
        // Other formats cannot hold every number; ours can, and its filters may be large.
        if format != Format::Tepal {
            file.to_bytes()?;
        }
        Ok(file)
    }

    /// Reads a file's bytes. Lengths are compared with the bytes that are there before anything is
    /// allocated.
    ///
    /// Few other formats have a checksum ([`has_checksum`](Self::has_checksum)): where there is none, a file
    /// whose *bits* were changed cannot be told from a good one.
    ///
    /// # Errors
    /// [`Error::NotTepal`] where the format is not told and the file has no mark; [`Error::Damaged`] and
    /// [`Error::Parameter`] where the file is none of its format.
    pub fn from_bytes(bytes: &[u8], reading: &Reading) -> Result<Self> {
        let ours = Format::is_tepal(bytes).then_some(Format::Tepal);
        if let Some(format) = reading.format.or(ours) {
            let (filter, beside) = format.read(bytes, reading)?;
            return Ok(FilterFile { filter, format, beside });
        }
        let domain = reading.key_domain.unwrap_or_default();
        if let Some((format, (filter, beside))) = Format::read_marked(bytes, domain) {
            return match reading.secret {
                Some(_) => Err(Error::KeyNotUsed),
                None => Ok(FilterFile { filter, format, beside }),
            };
        }
        let possible: Vec<&str> = Format::possible(bytes).into_iter().map(Format::name).collect();
        let found = match possible.as_slice() {
            [] => looks_like(bytes),
            names => format!("it has no mark; by its lengths it could be {}", names.join(" or ")),
        };
        Err(Error::NotTepal { found })
    }

    /// The file as bytes: for a filter that was read and not changed, the same bytes.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the filter has grown beyond what its format can hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let parts = self.filter.parts();
        match (&self.beside, self.format) {
            (_, Format::Guava) => guava::write(&parts[0]),
            (_, Format::Spark) => spark::write(&parts[0]),
            (Beside::Parquet { header }, _) => parquet_sbbf::write(&parts[0], *header),
            (Beside::BitsAndBlooms(form), _) => bits_and_blooms::write(&parts[0], form),
            (Beside::Dcso(rest), _) => dcso::write(&parts[0], rest),
            (Beside::RedisBloom(rest), _) => redisbloom::write(parts, rest),
            (Beside::ValkeyBloom(rest), _) => valkey_bloom::write(parts, rest),
            (Beside::Nothing, _) => parts[0].to_bytes(),
        }
    }

    /// The same bits in another format, where that is possible.
    ///
    /// # Errors
    /// [`Error::Unconvertible`] where the other format has another hash or holds another kind: bits cannot be
    /// turned into those of another hash, so the filter must be built again from its keys.
    pub fn convert_to(self, format: Format) -> Result<Self> {
        if format == self.format {
            return Ok(self);
        }
        match (self.filter, format) {
            // A chain of one filter is that filter.
            (AnyFilter::Scalable(mut chain), Format::Tepal) if chain.links.len() == 1 => {
                Self::of(AnyFilter::Bloom(chain.links.remove(0)), format)
            }
            (filter, format) => Self::of(filter, format),
        }
    }

    /// The filter.
    pub fn filter(&self) -> &AnyFilter {
        &self.filter
    }

    /// The filter, to change.
    pub fn filter_mut(&mut self) -> &mut AnyFilter {
        &mut self.filter
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Are the bits under a checksum of the file's format, so that every change of them is found? Of other
    /// programs' files only a `DUMP` payload of Redis has one.
    pub fn has_checksum(&self) -> bool {
        match &self.beside {
            Beside::RedisBloom(rest) => rest.rdb_version.is_some(),
            _ => self.format == Format::Tepal,
        }
    }

    /// What the user of such a filter should know: promises that the format cannot keep.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for part in self.filter.parts() {
            if part.meta.hasher.own().is_some_and(Own::has_31_bit_positions) && part.bit_len() >= 1 << 28 {
                let (m, k) = (part.bit_len(), part.num_hashes());
                let planned = sizing::half_full(k, m);
                let classic = sizing::rate_at(Scheme::GuavaMitz64, k, m, planned);
                let real = sizing::rate_at(part.scheme(), k, m, planned);
                warnings.push(format!(
                    "positions of the scheme {} are 31 bits: half full, a filter of this size errs at {:.2} %, \
                     where {:.2} % would be expected",
                    part.scheme(),
                    100.0 * real,
                    100.0 * classic
                ));
            }
            if part.scheme() == Scheme::Bkdr7 {
                warnings.push("the scheme bkdr7 is weak: colliding keys can be written down by hand".into());
            }
        }
        warnings
    }
}

#[cfg(test)]
mod tests;

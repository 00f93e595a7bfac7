//! Other programs' files: read, asked, added to, united, and written again byte for byte
//! (`docs/formats.md`).
//!
//! A foreign filter keeps its own hash for life. One file here for each format, with a `read` and a `write`.

mod bits_and_blooms;
mod dcso;
mod guava;
mod json;
mod parquet_sbbf;
mod rdb;
mod redisbloom;
mod spark;
mod valkey_bloom;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::header;
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::filters::AnyFilter;
use crate::filters::bloom::{BloomFilter, Labels, Meta, OverCapacity};
use crate::hash::{Hasher, KeyDomain, Recipe, Scheme, SecretKey};
use crate::probe::{Layout, Shape};
use crate::schemes::{Own, sizing};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// tepal's own (`FORMAT.md`).
    Tepal,
    /// Google Guava's `BloomFilter.writeTo`, both strategies.
    Guava,
    /// Apache Spark's sketch, V1 and V2.
    Spark,
    /// Apache Parquet's split-block filter, with or without its Thrift header.
    ParquetSbbf,
    /// The Go library bits-and-blooms v3, binary or JSON.
    BitsAndBlooms,
    /// DCSO's bloom and flor.
    Dcso,
    /// RedisBloom: the pairs of `BF.SCANDUMP`, or a `DUMP` payload.
    RedisBloom,
    /// valkey-bloom's `BF.LOAD` blob.
    ValkeyBloom,
}

impl Format {
    /// Every format this build reads and writes.
    pub const ALL: [Format; 8] = [
        Format::Tepal,
        Format::Guava,
        Format::Spark,
        Format::ParquetSbbf,
        Format::BitsAndBlooms,
        Format::Dcso,
        Format::RedisBloom,
        Format::ValkeyBloom,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Tepal => "tepal",
            Format::Guava => "guava",
            Format::Spark => "spark",
            Format::ParquetSbbf => "parquet-sbbf",
            Format::BitsAndBlooms => "bits-and-blooms",
            Format::Dcso => "dcso",
            Format::RedisBloom => "redisbloom",
            Format::ValkeyBloom => "valkey-bloom",
        }
    }

    /// The format that a file's mark names: bytes that are there for no other reason, or that fit the
    /// length of the file so closely that chance is ruled out. `None` where the format must be told.
    pub fn of(bytes: &[u8]) -> Option<Format> {
        if bytes.starts_with(&header::MAGIC) {
            return Some(Format::Tepal);
        }
        let marked =
            [Format::RedisBloom, Format::ParquetSbbf, Format::Spark, Format::BitsAndBlooms, Format::Dcso];
        marked
            .into_iter()
            .find(|format| format.has_mark(bytes) && format.read(bytes, &Reading::default()).is_ok())
    }

    fn has_mark(self, bytes: &[u8]) -> bool {
        match self {
            Format::RedisBloom => redisbloom::has_mark(bytes),
            Format::ParquetSbbf => bytes.first() == Some(&0x15) && bytes.len() % 32 != 0,
            Format::Spark => matches!(bytes, [0, 0, 0, 1 | 2, ..]),
            Format::BitsAndBlooms => bytes.trim_ascii_start().starts_with(b"{"),
            Format::Dcso => bytes.starts_with(&1u64.to_le_bytes()),
            _ => false,
        }
    }

    /// The formats that these bytes could be, mark or not: for a hint, not for an answer.
    pub fn possible(bytes: &[u8]) -> Vec<Format> {
        let read = |format: &Format| format.read(bytes, &Reading::default()).is_ok();
        Self::ALL.into_iter().filter(|format| *format != Format::Tepal).filter(read).collect()
    }

    fn read(self, bytes: &[u8], reading: &Reading) -> Result<(AnyFilter, Beside)> {
        let domain = reading.key_domain.unwrap_or_default();
        if reading.secret.is_some() && self != Format::Tepal {
            return Err(Error::KeyNotUsed);
        }
        match self {
            Format::Tepal => {
                let filter = super::from_bytes(bytes, reading.secret.as_ref())?;
                if let Some(expected) = reading.key_domain.filter(|domain| *domain != filter.key_domain()) {
                    return Err(Error::Incompatible {
                        property: "key domain",
                        expected: format!("{}", filter.key_domain()),
                        found: format!("{expected}"),
                    });
                }
                Ok((AnyFilter::Bloom(filter), Beside::Nothing))
            }
            Format::Guava => guava::read(bytes, domain),
            Format::Spark => spark::read(bytes, domain),
            Format::ParquetSbbf => parquet_sbbf::read(bytes, domain),
            Format::BitsAndBlooms => bits_and_blooms::read(bytes, domain),
            Format::Dcso => dcso::read(bytes, domain),
            Format::RedisBloom => redisbloom::read(bytes, domain),
            Format::ValkeyBloom => valkey_bloom::read(bytes, domain),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::parameter("the format", name, format_args!("one of {names}"))
        })
    }
}

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

/// What a format keeps beside the filter, so that writing gives the same bytes again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Beside {
    Nothing,
    Parquet { header: bool },
    BitsAndBlooms(bits_and_blooms::Form),
    Dcso(dcso::Rest),
    RedisBloom(redisbloom::Rest),
    ValkeyBloom(valkey_bloom::Rest),
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
    /// [`Error::Incompatible`] where the format holds filters of another scheme, kind or shape: bits
    /// cannot be turned into those of another hash, so it must be built again from its keys.
    pub fn new(filter: BloomFilter, format: Format) -> Result<Self> {
        Self::of(AnyFilter::Bloom(filter), format)
    }

    fn of(filter: AnyFilter, format: Format) -> Result<Self> {
        let fits = match (format, &filter) {
            (Format::Tepal, AnyFilter::Bloom(_)) => true,
            (Format::Tepal, AnyFilter::Scalable(_)) => {
                return Err(Error::Incompatible {
                    property: "kind",
                    expected: "one filter in a tepal file".into(),
                    found: format!("a chain of {}", filter.parts().len()),
                });
            }
            (format, filter) => format.schemes().contains(&filter.scheme()),
        };
        if !fits {
            let schemes: Vec<String> = format.schemes().iter().map(|scheme| format!("{scheme}")).collect();
            return Err(Error::Incompatible {
                property: "hash scheme",
                expected: format!("{} in a file of the format {format}", schemes.join(" or ")),
                found: format!("{}", filter.scheme()),
            });
        }
        let layout = filter.parts()[0].layout();
        if format == Format::ParquetSbbf && layout != Layout::SplitBlock {
            return Err(Error::Incompatible {
                property: "layout",
                expected: format!("{} in a file of the format {format}", Layout::SplitBlock),
                found: format!("{layout}"),
            });
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
        file.to_bytes()?;
        Ok(file)
    }

    /// Reads a file's bytes. Lengths are compared with the bytes that are there before anything is
    /// allocated.
    ///
    /// Only tepal's own format has checksums: a foreign file whose *bits* were changed cannot be told from
    /// a good one.
    ///
    /// # Errors
    /// [`Error::NotTepal`] where the format is not told and the file has no mark; [`Error::Damaged`] and
    /// [`Error::Parameter`] where the file is none of its format.
    pub fn from_bytes(bytes: &[u8], reading: &Reading) -> Result<Self> {
        let format = match reading.format.or_else(|| Format::of(bytes)) {
            Some(format) => format,
            None => {
                let possible: Vec<&str> = Format::possible(bytes).into_iter().map(Format::name).collect();
                let found = match possible.as_slice() {
                    [] => super::looks_like(bytes),
                    names => format!("it has no mark; by its lengths it could be {}", names.join(" or ")),
                };
                return Err(Error::NotTepal { found });
            }
        };
        let (filter, beside) = format.read(bytes, reading)?;
        Ok(FilterFile { filter, format, beside })
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
    /// [`Error::Incompatible`] where the other format has another hash or holds another kind: bits cannot
    /// be turned into those of another hash, so the filter must be built again from its keys.
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

impl Format {
    /// The schemes whose filters it holds.
    fn schemes(self) -> &'static [Scheme] {
        match self {
            Format::Tepal => &Scheme::ALL,
            Format::Guava => &[Scheme::GuavaMitz32, Scheme::GuavaMitz64],
            Format::Spark => &[Scheme::SparkV1, Scheme::SparkV2],
            Format::ParquetSbbf => &[Scheme::Xxh64],
            Format::BitsAndBlooms => &[Scheme::BitsAndBlooms],
            Format::Dcso => &[Scheme::Dcso],
            Format::RedisBloom => &[Scheme::RedisBloom],
            Format::ValkeyBloom => &[Scheme::ValkeyBloom],
        }
    }
}

/// What a foreign file says of its filter, and of the use it was made for where it says that.
struct Found {
    own: Own,
    domain: KeyDomain,
    num_hashes: u32,
    bit_len: u64,
    capacity: Option<u64>,
    rate: Option<f64>,
    inserted: Option<u64>,
}

impl Found {
    /// The filter with these bits, given as 64-bit words; the words were compared with the file's length.
    fn filter(self, words: impl Iterator<Item = u64>) -> Result<BloomFilter> {
        let scheme = self.own.scheme();
        let shape = Shape::of_scheme(scheme, self.num_hashes, self.bit_len)?;
        let mut lines = bits::zeroed(shape.lines())?;
        bits::words_mut(&mut lines).iter_mut().zip(words).for_each(|(word, found)| *word = found);
        let set_bits = bits::count(&lines);
        if bits::count_below(&lines, shape.bit_len) != set_bits {
            return Err(Error::damaged(format_args!(
                "bits are set beyond the last one, {}",
                shape.bit_len - 1
            )));
        }
        let capacity = match self.capacity {
            Some(keys) if keys > 0 => keys,
            _ => sizing::half_full(shape.num_hashes, shape.bit_len),
        };
        let expected = || sizing::rate_at(scheme, shape.num_hashes, shape.bit_len, capacity);
        let promised_rate = self.rate.filter(|rate| *rate > 0.0 && *rate < 1.0).unwrap_or_else(expected);
        let meta =
            foreign_meta(shape, Hasher::Own(self.own), self.domain, capacity, promised_rate, self.inserted);
        Ok(BloomFilter::from_parts(meta, lines, set_bits))
    }
}

fn foreign_meta(
    shape: Shape,
    hasher: Hasher,
    domain: KeyDomain,
    capacity: u64,
    promised_rate: f64,
    inserted: Option<u64>,
) -> Meta {
    Meta {
        shape,
        hasher,
        domain,
        // None of these programs refuses a key for its promise alone.
        over_capacity: OverCapacity::Warn,
        capacity,
        promised_rate,
        inserted,
        recipe: Recipe::default(),
        labels: Labels::default(),
    }
}

/// The first `bits` bits as whole 64-bit words.
fn words_of<L: AsRef<[Line]>>(filter: &BloomFilter<L>) -> impl Iterator<Item = u64> {
    let words = filter.bit_len().div_ceil(64) as usize;
    bits::words(filter.lines.as_ref())[..words].iter().copied()
}

/// Little-endian words from bytes whose last word may be cut.
fn words_from_bytes(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|chunk| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
}

/// The first `len` bytes of the bits, least significant bit first.
fn bytes_of<L: AsRef<[Line]>>(filter: &BloomFilter<L>, len: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = words_of(filter).flat_map(u64::to_le_bytes).collect();
    bytes.truncate(len);
    bytes
}

#[cfg(test)]
mod tests;

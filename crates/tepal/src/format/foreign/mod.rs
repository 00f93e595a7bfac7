//! Other programs' files: read, asked, added to, united, and written again byte for byte
//! (`docs/formats.md`).
//!
//! A foreign filter keeps its own hash for life. One file here for each format, with a `read` and a `write`.

mod bits_and_blooms;
mod dcso;
mod file;
mod guava;
mod json;
mod parquet_sbbf;
mod rdb;
mod redisbloom;
mod spark;
mod valkey_bloom;

use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

pub use file::{FilterFile, Reading};

use super::header;
use super::open::Open;
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::filters::AnyFilter;
use crate::filters::bloom::{BloomFilter, Labels, Meta, OverCapacity};
use crate::hash::{Hasher, KeyDomain, Recipe, Scheme};
use crate::params::keys_for_fill;
use crate::probe::Shape;
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

    /// The format that a file's mark names: bytes that are there for no other reason, or that fit the
    /// length of the file so closely that chance is ruled out. `None` where the format must be told.
    pub fn of(bytes: &[u8]) -> Option<Format> {
        if Self::is_tepal(bytes) {
            return Some(Format::Tepal);
        }
        Self::read_marked(bytes, KeyDomain::default()).map(|(format, _)| format)
    }

    fn is_tepal(bytes: &[u8]) -> bool {
        bytes.starts_with(&header::MAGIC)
    }

    /// The foreign format that the file's mark names, and what was read as that: a mark alone is not enough.
    fn read_marked(bytes: &[u8], domain: KeyDomain) -> Option<(Format, (AnyFilter, Beside))> {
        let marked =
            [Format::RedisBloom, Format::ParquetSbbf, Format::Spark, Format::BitsAndBlooms, Format::Dcso];
        let reading = Reading { key_domain: Some(domain), ..Reading::default() };
        let candidates = marked.into_iter().filter(|format| format.has_mark(bytes));
        candidates.filter_map(|format| Some((format, format.read(bytes, &reading).ok()?))).next()
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
                let open = Open { secret: reading.secret.as_ref(), ..Open::new() };
                let filter = open.from_bytes(bytes)?;
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

/// No program plans more keys a bit than this: a chain's next link is sized by the capacity of its last, and
/// a small file must not ask for a huge one.
const MOST_KEYS_A_BIT: u64 = 64;

impl Found {
    /// The filter with these bits, given as 64-bit words; the words were compared with the file's length.
    fn filter(self, words: impl Iterator<Item = u64>) -> Result<BloomFilter> {
        let scheme = self.own.scheme();
        let shape = Shape::of_scheme(scheme, self.num_hashes, self.bit_len)?;
        if let Some(keys) = self.capacity.filter(|keys| *keys / MOST_KEYS_A_BIT > shape.bit_len) {
            return Err(Error::damaged(format_args!("{} bits are said to hold {keys} keys", shape.bit_len)));
        }
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
            // Not recorded: half of the bits set, or what it holds already.
            _ => {
                let held = keys_for_fill(shape.layout, shape.num_hashes, shape.bit_len, set_bits);
                sizing::half_full(shape.num_hashes, shape.bit_len).max(libm::ceil(held) as u64)
            }
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

/// The filter's bits as whole 64-bit words.
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

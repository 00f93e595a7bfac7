//! Other programs' files: read, asked, added to, united, and written again byte for byte
//! (`docs/formats.md`).
//!
//! A foreign filter keeps its own hash for life. One file here for each format, which implements [`Foreign`]: its mark,
//! how it is read, and what it keeps beside the filter ([`Beside`]), which writes it again. One line in [`of`] joins it.

mod bits_and_blooms;
mod dcso;
mod guava;
mod json;
mod parquet_file;
mod parquet_sbbf;
mod rdb;
mod redisbloom;
mod spark;
mod thrift;
mod valkey_bloom;

use alloc::vec::Vec;

use super::Done;
use super::opened::{Beside, Read};
use crate::bits::{self, Line};
use crate::error::{Error, Looks, Obstacle, Result};
use crate::fields::Put;
use crate::ids::{Format, KeyDomain, Kind, Layout, Operation, OverCapacity, Scheme};
use crate::key::schemes::{Hasher, Parameters, sizing};
use crate::key::{KeyHasher, Recipe};
use crate::kinds::AnyFilter;
use crate::kinds::bloom::{BloomFilter, Meta, shape_of};
use crate::kinds::chain::ScalableBloomFilter;
use crate::kinds::storage::{InMemory, Mapped, PlainStorage};
use crate::params::keys_for_fill;

/// How a file is read.
#[derive(Clone, Copy, Default)]
pub(super) struct Reading<'r> {
    /// What its keys are.
    pub(super) domain: KeyDomain,
    /// Told of what was copied.
    pub(super) done: Option<Done<'r>>,
}

impl Reading<'_> {
    fn done(&self, piece: &[u8]) {
        if let Some(done) = self.done {
            done(piece);
        }
    }
}

/// So many bytes are copied before the file is let go of so far.
const PIECE: usize = 4 << 20;

/// The file format of another program.
pub(super) trait Foreign: Sync {
    fn format(&self) -> Format;

    /// The schemes whose filters it holds, the one that its program uses today first.
    fn schemes(&self) -> &'static [Scheme];

    /// How its program can have made bytes of its keys, the most usual first.
    fn key_domains(&self) -> &'static [KeyDomain] {
        // It takes nothing but bytes.
        &[KeyDomain::Bytes, KeyDomain::Hex]
    }

    /// The one layout that it holds.
    fn layout(&self) -> Option<Layout> {
        None
    }

    /// Do its files say how many keys they were planned for, and at which rate?
    fn records_plan(&self) -> bool {
        false
    }

    /// Do the bytes begin as its files alone do?
    fn has_mark(&self, bytes: &[u8]) -> bool;

    /// Reads a file.
    fn read(&self, bytes: &[u8], reading: Reading<'_>) -> Result<Read>;

    /// A filter of its schemes and layout, to be written for the first time.
    fn adopt(&self, filter: AnyFilter) -> Result<Read>;
}

/// The format's implementation; nothing for our own.
pub(super) fn of(format: Format) -> Option<&'static dyn Foreign> {
    Some(match format {
        Format::Tepal => return None,
        Format::Guava => &guava::Guava,
        Format::Spark => &spark::Spark,
        Format::ParquetSbbf => &parquet_sbbf::ParquetSbbf,
        Format::BitsAndBlooms => &bits_and_blooms::BitsAndBlooms,
        Format::Dcso => &dcso::Dcso,
        Format::RedisBloom => &redisbloom::RedisBloom,
        Format::ValkeyBloom => &valkey_bloom::ValkeyBloom,
    })
}

/// All of them. RedisBloom comes before DCSO: their files begin alike, and RedisBloom's say more.
fn all() -> impl Iterator<Item = &'static dyn Foreign> {
    Format::ALL.iter().rev().filter_map(|format| of(*format))
}

/// Reads a file of a format that was told.
pub(super) fn read(format: Format, bytes: &[u8], reading: Reading<'_>) -> Result<Read> {
    let Some(foreign) = of(format) else {
        return Err(Error::NotTepal { found: super::looks_like(bytes) });
    };
    foreign.read(bytes, reading).map_err(|error| match read_marked(bytes, reading) {
        Some((found, Ok(_))) if found != format => Error::NotOfFormat { format, found },
        _ => error,
    })
}

/// The format that the file's mark names, and what was read as that: a mark alone is not enough. An error only of a file
/// that is right so far, and takes more memory than is allowed; and of a damaged one whose mark leaves no doubt.
pub(super) fn read_marked(bytes: &[u8], reading: Reading<'_>) -> Option<(Format, Result<Read>)> {
    let marked = all().filter(|format| format.has_mark(bytes));
    let mut read = marked.map(|format| (format.format(), format.read(bytes, reading)));
    // Ten bytes are no accident: what begins as a dump is one, if a damaged one.
    let is_dump = rdb::has_mark(bytes);
    read.find(|(format, read)| match read {
        Ok(_) | Err(Error::PastLimit { .. }) => true,
        Err(_) => is_dump && *format == Format::RedisBloom,
    })
}

/// Refuses a key domain that the format's program has no keys of.
pub(super) fn check_domain(format: Format, domain: KeyDomain) -> Result<()> {
    let expected = format.key_domains();
    if expected.contains(&domain) {
        Ok(())
    } else {
        Err(Error::NoSuchKeys { format, found: domain, expected })
    }
}

/// What these bytes are, where they have a filter in them and are none.
pub(super) fn around(bytes: &[u8]) -> Option<Looks> {
    match parquet_file::whole(bytes) {
        Some(file) => Some(Looks::Parquet(file)),
        None => rdb::has_line_end(bytes).then_some(Looks::DumpAndLineEnd),
    }
}

/// [`around`], and what has lost its end.
pub(super) fn around_or_cut(bytes: &[u8]) -> Option<Looks> {
    around(bytes).or_else(|| parquet_file::begins_so(bytes).then(|| Looks::Parquet(parquet_file::cut())))
}

/// Do these bytes begin with the mark of any format?
#[cfg(feature = "std")]
pub(super) fn is_marked(first: &[u8]) -> bool {
    all().any(|format| format.has_mark(first))
}

/// Parquet's bits without a header can be any bytes, and a hint shall not take the memory of them all. Its own writers end
/// at 128 MiB.
const MOST_WITHOUT_HEADER: usize = 128 << 20;

/// The formats that these bytes could be, mark or not: for a hint, not for an answer.
pub(super) fn possible(bytes: &[u8]) -> Vec<Format> {
    let readable = |format: &Format| {
        let is_any = *format == Format::ParquetSbbf && bytes.len() > MOST_WITHOUT_HEADER;
        !is_any && of(*format).is_some_and(|foreign| foreign.read(bytes, Reading::default()).is_ok())
    };
    Format::ALL.iter().copied().filter(readable).collect()
}

/// A filter to be written in a format, if that can hold it.
pub(super) fn adopt(foreign: &dyn Foreign, filter: AnyFilter) -> Result<Read> {
    check(foreign, &filter)?;
    let (format, found, expected) = (foreign.format(), filter.key_domain(), foreign.key_domains());
    if !expected.contains(&found) {
        return Err(Error::Unconvertible { format, obstacle: Obstacle::KeyDomain { found, expected } });
    }
    foreign.adopt(filter)
}

/// Refuses a filter that the format cannot hold.
fn check(foreign: &dyn Foreign, filter: &AnyFilter) -> Result<()> {
    let unfit = |obstacle| Err(Error::Unconvertible { format: foreign.format(), obstacle });
    #[cfg(feature = "extras")]
    if filter.exceptions() > 0 {
        return unfit(Obstacle::Exceptions);
    }
    if !matches!(filter.kind(), Kind::Bloom | Kind::Scalable) {
        return unfit(Obstacle::Kind { found: filter.kind() });
    }
    let found = filter.scheme();
    if !foreign.schemes().contains(&found) {
        if let AnyFilter::Scalable(chain) = filter {
            if chain.is_own() || chain.links().len() > 1 {
                return unfit(Obstacle::Chain { links: chain.links().len() });
            }
        }
        return unfit(Obstacle::Scheme { found, expected: foreign.schemes() });
    }
    if let (Some(expected), AnyFilter::Bloom(filter)) = (foreign.layout(), filter) {
        if filter.layout() != expected {
            return unfit(Obstacle::Layout { found: filter.layout(), expected });
        }
    }
    if !filter.as_dyn().key_hasher().recipe().is_identity() {
        return unfit(Obstacle::Recipe);
    }
    Ok(())
}

/// The one Bloom filter of a format that holds one, checked once more before it is written, and so are its bits where
/// it was opened quick.
fn one<'a>(foreign: &dyn Foreign, filter: &'a AnyFilter) -> Result<&'a BloomFilter<Mapped>> {
    check(foreign, filter)?;
    let obstacle = match filter {
        AnyFilter::Bloom(filter) => {
            filter.check_before_copying()?;
            return Ok(filter);
        }
        AnyFilter::Scalable(chain) => Obstacle::Chain { links: chain.links().len() },
        #[allow(unreachable_patterns, reason = "the kinds of this build")]
        other => Obstacle::Kind { found: other.kind() },
    };
    Err(Error::Unconvertible { format: foreign.format(), obstacle })
}

/// The chain of a format that holds one, checked once more before it is written.
fn chain<'a>(foreign: &dyn Foreign, filter: &'a AnyFilter) -> Result<&'a ScalableBloomFilter> {
    check(foreign, filter)?;
    match filter {
        AnyFilter::Scalable(chain) => Ok(chain),
        other => Err(Error::NotPossible {
            kind: other.kind(),
            operation: Operation::BeAnother,
            instead: "make a file of it with `Opened::new`",
        }),
    }
}

/// What a foreign file says of its filter, and of the use it was made for where it says that.
struct Found<'r> {
    scheme: Scheme,
    parameters: Parameters,
    reading: Reading<'r>,
    layout: Layout,
    num_hashes: u32,
    bit_len: u64,
    capacity: Option<u64>,
    rate: Option<f64>,
    inserted: Option<u64>,
}

/// No program plans more keys a bit than this: a chain's next link is sized by the capacity of its last, and
/// a small file must not ask for a huge one.
const MOST_KEYS_A_BIT: u64 = 64;

impl<'r> Found<'r> {
    /// A filter of a scheme without parameters that says nothing of its use.
    fn of(scheme: Scheme, reading: Reading<'r>, num_hashes: u32, bit_len: u64) -> Self {
        let (parameters, layout) = (Parameters::default(), Layout::Scattered);
        let (capacity, rate, inserted) = (None, None, None);
        Found { scheme, parameters, reading, layout, num_hashes, bit_len, capacity, rate, inserted }
    }

    /// The filter with these bits, given as words of 8 bytes, which were compared with the file's length.
    fn filter_of_words(self, bytes: &[u8], word: impl Fn([u8; 8]) -> u64) -> Result<BloomFilter> {
        let reading = self.reading;
        self.filled(|lines| {
            let mut words = bits::words_mut(lines).iter_mut();
            for piece in bytes.chunks(PIECE) {
                for (b, here) in piece.chunks_exact(8).zip(words.by_ref()) {
                    *here = word([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
                }
                reading.done(piece);
            }
        })
    }

    /// The filter with these bits, given as pieces of bytes, least significant bit first.
    fn filter_of_bytes<'a>(self, pieces: impl Iterator<Item = &'a [u8]>) -> Result<BloomFilter> {
        let reading = self.reading;
        self.filled(|lines| {
            let mut rest: &mut [u8] = bytemuck::cast_slice_mut(lines);
            for piece in pieces.flat_map(|bytes| bytes.chunks(PIECE)) {
                let (here, later) = core::mem::take(&mut rest).split_at_mut(piece.len());
                here.copy_from_slice(piece);
                reading.done(piece);
                rest = later;
            }
            bits::words_mut(lines).iter_mut().for_each(|word| *word = u64::from_le(*word));
        })
    }

    /// The filter whose lines `fill` fills.
    fn filled(self, fill: impl FnOnce(&mut [Line])) -> Result<BloomFilter> {
        let scheme = self.scheme;
        let shape = shape_of(scheme, self.layout, self.num_hashes, self.bit_len)?;
        if let Some(keys) = self.capacity.filter(|keys| *keys / MOST_KEYS_A_BIT > shape.bit_len) {
            return Err(Error::damaged(format_args!("{} bits are said to hold {keys} keys", shape.bit_len)));
        }
        let mut lines = bits::zeroed(shape.lines())?;
        fill(&mut lines);
        let set_bits = bits::count_within(&lines, shape.bit_len)?;
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
        let hasher = Hasher::new(scheme, &self.parameters)?;
        let meta = Meta {
            shape,
            keys: KeyHasher::new(hasher, self.reading.domain, Recipe::default()),
            // None of these programs refuses a key for its promise alone.
            over_capacity: OverCapacity::Warn,
            capacity,
            promised_rate,
            inserted: self.inserted.into(),
            labels: None,
        };
        Ok(BloomFilter::from_parts(meta, InMemory::new(lines), set_bits))
    }
}

/// The k of a file that gives it in 64 bits.
fn num_hashes(k: u64) -> Result<u32> {
    u32::try_from(k).map_err(|_| Error::parameter("the number of hashes", k, "1 to 2048"))
}

/// The filter's bits as whole 64-bit words.
fn words_of<L: PlainStorage>(filter: &BloomFilter<L>) -> &[u64] {
    let words = filter.bit_len().div_ceil(64) as usize;
    &bits::words(filter.lines.as_lines())[..words]
}

/// Writes the first `len` bytes of the words, least significant bit first.
fn put_bytes(out: &mut dyn Put, words: &[u64], len: usize) -> Result<()> {
    let (whole, rest) = (len / 8, len % 8);
    out.words(&mut words[..whole].iter().copied(), u64::to_le_bytes)?;
    match words.get(whole) {
        Some(last) if rest > 0 => out.bytes(&last.to_le_bytes()[..rest]),
        _ => Ok(()),
    }
}

#[cfg(test)]
pub(super) mod tests;

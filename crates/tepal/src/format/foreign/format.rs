//! The trait of another program's format, and functions for all of them.

use alloc::vec::Vec;

use crate::bits;
use crate::error::{Error, Obstacle, Result, advice};
use crate::fields::Put;
use crate::format::beside::Read;
use crate::format::chunks::Done;
use crate::ids::{Format, KeyDomain, Kind, Layout, Operation, Scheme};
use crate::kinds::AnyFilter;
use crate::kinds::bloom::BloomFilter;
use crate::kinds::chain::ScalableBloomFilter;
use crate::kinds::storage::PlainStorage;

/// Options for reading a file.
#[derive(Clone, Copy, Default)]
pub(in crate::format) struct Reading<'r> {
    /// The key domain.
    pub(in crate::format) domain: KeyDomain,
    /// Called with bytes that were copied.
    pub(in crate::format) done: Option<Done<'r>>,
}

impl Reading<'_> {
    pub(super) fn done(&self, piece: &[u8]) {
        if let Some(done) = self.done {
            done(piece);
        }
    }
}

/// The number of bytes that are copied before this part of the file is released.
pub(super) const PIECE: usize = 4 << 20;

/// The file format of another program.
pub(in crate::format) trait Foreign: Sync {
    fn format(&self) -> Format;

    /// The schemes that the format can hold, the one that its program uses today first.
    fn schemes(&self) -> &'static [Scheme];

    /// The key domains of the format, the most common first.
    fn key_domains(&self) -> &'static [KeyDomain] {
        // The program takes only bytes.
        &[KeyDomain::Bytes, KeyDomain::Hex]
    }

    /// The only layout of the format.
    fn layout(&self) -> Option<Layout> {
        None
    }

    /// Do its files record the capacity and the rate?
    fn records_plan(&self) -> bool {
        false
    }

    /// Do the bytes have the mark of the format?
    fn has_mark(&self, bytes: &[u8]) -> bool;

    /// Reads a file.
    fn read(&self, bytes: &[u8], reading: Reading<'_>) -> Result<Read>;

    /// Accepts a filter of its schemes and layout, to be written for the first time.
    fn adopt(&self, filter: AnyFilter) -> Result<Read>;
}

/// The error for a format whose program is no module of a server.
pub(in crate::format) fn no_values(format: Format) -> Error {
    Error::Unsupported {
        what: "values of a server for the file format",
        found: format.id().into(),
        known: "the formats redisbloom and valkey-bloom",
    }
}

/// Refuses a filter that the format cannot hold.
pub(super) fn check(foreign: &dyn Foreign, filter: &AnyFilter) -> Result<()> {
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

/// The Bloom filter of a format that holds one. It is checked again before it is written, including
/// the bits of a filter that was opened quick.
pub(super) fn one<'a>(foreign: &dyn Foreign, filter: &'a AnyFilter) -> Result<&'a BloomFilter> {
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

/// The chain of a format that holds one. It is checked again before it is written.
pub(super) fn chain<'a>(foreign: &dyn Foreign, filter: &'a AnyFilter) -> Result<&'a ScalableBloomFilter> {
    check(foreign, filter)?;
    match filter {
        AnyFilter::Scalable(chain) => Ok(chain),
        other => Err(Error::NotPossible {
            kind: other.kind(),
            operation: Operation::BeAnother,
            instead: advice!("make a file of it", NewFile),
        }),
    }
}

/// The filter's bits as whole 64-bit words.
pub(super) fn words_of<L: PlainStorage>(filter: &BloomFilter<L>) -> &[u64] {
    let words = filter.bit_len().div_ceil(64) as usize;
    &bits::words(filter.lines.as_lines())[..words]
}

/// Writes the first `len` bytes of the words, least significant bit first.
pub(super) fn put_bytes(out: &mut dyn Put, words: &[u64], len: usize) -> Result<()> {
    let (whole, rest) = (len / 8, len % 8);
    out.words(&mut words[..whole].iter().copied(), u64::to_le_bytes)?;
    match words.get(whole) {
        Some(last) if rest > 0 => out.bytes(&last.to_le_bytes()[..rest]),
        _ => Ok(()),
    }
}

/// Passes the bits of a filter as bytes, least significant bit first.
pub(super) fn with_bytes<R>(filter: &BloomFilter, run: impl FnOnce(&[u8]) -> Result<R>) -> Result<R> {
    let (words, len) = (words_of(filter), filter.bit_len().div_ceil(8) as usize);
    if cfg!(target_endian = "little") {
        return run(&bytemuck::cast_slice(words)[..len]);
    }
    let mut bytes = Vec::new();
    put_bytes(&mut bytes, words, len)?;
    run(&bytes)
}

/// A value that a server should have given.
pub(super) fn given<T>(value: Option<T>) -> Result<T> {
    value.ok_or_else(|| {
        Error::damaged("the server has no value, or one of another kind, where its next one is expected")
    })
}

/// The most probes of one lookup in a chain, over all its filters. A chain that holds 10^18 keys
/// has some hundreds.
const MOST_PROBES: u64 = 1 << 14;

/// Refuses a chain whose lookups would cost more than any program's chain: a short file can claim
/// many filters, each with many hashes.
pub(super) fn check_lookup(hashes: impl Iterator<Item = u32>) -> Result<()> {
    let probes: u64 = hashes.map(u64::from).sum();
    if probes <= MOST_PROBES {
        return Ok(());
    }
    Err(Error::damaged(format_args!(
        "a lookup in its filters would read {probes} bits, expected at most {MOST_PROBES}"
    )))
}

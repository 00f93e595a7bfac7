//! The fields of a chain that both forms of a file have.

use alloc::vec::Vec;

use crate::bits::memory::copy_of;
use crate::error::{Error, Obstacle, Result};
use crate::format::beside::Read;
use crate::format::foreign::format::{Reading, check_lookup};
use crate::format::foreign::found::ForeignFields;
use crate::ids::{Format, Scheme};
use crate::key::schemes::{REDISBLOOM_LN_2, redisbloom_bits_per_key};
use crate::kinds::Ref;
use crate::kinds::bloom::BloomFilter;
use crate::kinds::chain::{Growth, ScalableBloomFilter};
use crate::kinds::storage::Storage;

pub(super) const FORCE64: u32 = 4;
pub(super) const NO_SCALING: u32 = 8;
const KNOWN_OPTIONS: u32 = 15;

/// The fields of the header beside the filters.
#[derive(Debug)]
pub(in crate::format::foreign) struct Header {
    pub(super) options: u32,
    pub(super) growth: u32,
    /// The RDB version of a `DUMP` payload; `None` for the pairs of `SCANDUMP`.
    pub(super) rdb_version: Option<u16>,
    /// The links that were read; later links follow from their rate.
    pub(super) links: Vec<Kept>,
}

/// The fields of a link in the file, beside its bits.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) error: f64,
    pub(super) per_entry: f64,
    pub(super) packed: Option<Vec<u8>>,
}

impl Kept {
    /// The fields of a link that was not read. The loader requires hashes = ceil(ln 2 · bits an
    /// entry), so this is an error rate that gives this k, if the link's own rate does not.
    pub(super) fn of<L: Storage>(link: &BloomFilter<L>) -> Self {
        let error = link.promised_false_positive_rate();
        let k = f64::from(link.num_hashes());
        let per_entry = redisbloom_bits_per_key(error);
        let fits = libm::ceil(REDISBLOOM_LN_2 * per_entry) == k;
        let per_entry = if fits { per_entry } else { (k - 0.5) / REDISBLOOM_LN_2 };
        Kept { error, per_entry, packed: None }
    }
}

/// One filter of the chain, from either form of a file.
pub(super) struct Link<'a> {
    pub(super) bits: u64,
    pub(super) size: u64,
    pub(super) error: f64,
    pub(super) per_entry: f64,
    pub(super) hashes: u32,
    pub(super) entries: u64,
    pub(super) n2: u64,
    pub(super) body: Body<'a>,
}

/// The bits of a link.
pub(super) enum Body<'a> {
    /// The bits as they are in the file, in pieces.
    Pieces(Vec<&'a [u8]>),
    /// The compressed bits of an RDB file, and the decompressed ones.
    Packed { packed: &'a [u8], unpacked: Vec<u8> },
    /// A string that a server handed over.
    Whole(Vec<u8>),
}

/// The chain, after the checks that `BF.LOADCHUNK` makes.
pub(super) fn made(
    total: u64,
    options: u32,
    growth: u32,
    links: Vec<Link<'_>>,
    rdb_version: Option<u16>,
    reading: Reading<'_>,
) -> Result<Read> {
    check(total, options, &links)?;
    let header =
        Header { options, growth, rdb_version, links: links.iter().map(Link::kept).collect::<Result<_>>()? };
    let links = links.into_iter().map(|link| link.filter(reading)).collect::<Result<_>>()?;
    let growth = match options & NO_SCALING {
        0 => Growth::RedisBloom { expansion: growth },
        _ => Growth::Fixed,
    };
    Ok((ScalableBloomFilter::new(links, growth)?.into(), Ref::new(header)))
}

/// Checks everything but the bits, before anything is allocated for them.
pub(super) fn check(total: u64, options: u32, links: &[Link<'_>]) -> Result<()> {
    if options & !KNOWN_OPTIONS != 0 {
        let known = "1 (not rounded), 2, 4 (64-bit hashes) and 8 (not scaling)";
        return Err(Error::Unsupported { what: "RedisBloom options", found: options.into(), known });
    }
    if options & FORCE64 == 0 {
        let known = "filters with the option 4; load it into a server and build it again";
        return Err(Error::Unsupported {
            what: "RedisBloom filter of 32-bit hashes, options",
            found: options.into(),
            known,
        });
    }
    let sizes = links.iter().try_fold(0u64, |sum, link| sum.checked_add(link.size));
    if links.is_empty() || sizes != Some(total) {
        return Err(Error::damaged(format_args!(
            "its number of items is {total}, which is not that of its filters ({})",
            links.len()
        )));
    }
    check_lookup(links.iter().map(|link| link.hashes))?;
    links.iter().try_for_each(Link::check)
}

impl Link<'_> {
    fn kept(&self) -> Result<Kept> {
        let packed = match &self.body {
            Body::Packed { packed, .. } => Some(copy_of(packed)?),
            Body::Pieces(_) | Body::Whole(_) => None,
        };
        Ok(Kept { error: self.error, per_entry: self.per_entry, packed })
    }

    fn check(&self) -> Result<()> {
        let hashes = libm::ceil(REDISBLOOM_LN_2 * self.per_entry);
        if !(self.error > 0.0 && self.error < 1.0) || hashes != f64::from(self.hashes) {
            return Err(Error::damaged(format_args!(
                "a filter says error {}, {} bits an entry and {} hashes",
                self.error, self.per_entry, self.hashes
            )));
        }
        // Old files also record the modulus as a power of two.
        let is_modulus = self.bits.is_power_of_two() && u64::from(self.bits.trailing_zeros()) == self.n2;
        if (self.n2 != 0 && !is_modulus) || self.entries == 0 {
            return Err(Error::damaged(format_args!(
                "a filter says {} bits, a modulus of 2^{} and {} entries",
                self.bits, self.n2, self.entries
            )));
        }
        self.found(Reading::default()).shape().map(drop)
    }

    fn found<'r>(&self, reading: Reading<'r>) -> ForeignFields<'r> {
        let found = ForeignFields::of(Scheme::RedisBloom, reading, self.hashes, self.bits);
        let (capacity, rate, inserted) = (Some(self.entries), Some(self.error), Some(self.size));
        ForeignFields { capacity, rate, inserted, ..found }
    }

    fn filter(self, reading: Reading<'_>) -> Result<BloomFilter> {
        let found = self.found(reading);
        match self.body {
            Body::Pieces(pieces) => found.filter_of_bytes(pieces.into_iter()),
            Body::Packed { unpacked, .. } | Body::Whole(unpacked) => {
                found.filter_of_bytes(core::iter::once(unpacked.as_slice()))
            }
        }
    }
}

impl Header {
    /// Error rate and bits an entry of link `i`: the values that were read, if the link is still
    /// that link.
    pub(super) fn link(&self, i: usize, link: &BloomFilter) -> (f64, f64) {
        let error = link.promised_false_positive_rate();
        let is_the_same = |kept: &&Kept| {
            kept.error == error
                && libm::ceil(REDISBLOOM_LN_2 * kept.per_entry) == f64::from(link.num_hashes())
        };
        let kept = self.links.get(i).filter(is_the_same);
        kept.map_or_else(|| (error, redisbloom_bits_per_key(error)), |kept| (kept.error, kept.per_entry))
    }

    /// The compressed bits that link `i` was read from.
    pub(super) fn packed(&self, i: usize) -> Option<&[u8]> {
        self.links.get(i)?.packed.as_deref()
    }
}

/// The number of items in all links.
pub(super) fn items(links: &[BloomFilter]) -> Result<u64> {
    let all = links.iter().try_fold(0u64, |all, link| all.checked_add(size(link)));
    all.ok_or(Error::Unconvertible {
        format: Format::RedisBloom,
        obstacle: Obstacle::Number { name: "the number of items", found: u64::MAX, most: u64::MAX - 1 },
    })
}

/// The number of items in a link.
pub(super) fn size<L: Storage>(link: &BloomFilter<L>) -> u64 {
    link.keys_inserted().unwrap_or_else(|| link.estimated_len() as u64)
}

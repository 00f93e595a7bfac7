//! From key to hash: the closed list of schemes with their frozen ids (FORMAT.md, section 1).
//!
//! This room knows keys and hashes; it knows nothing of bits.

pub(crate) mod key;
mod keys;
mod siphash;
mod xxh;

use core::fmt;
use core::str::FromStr;

pub use key::{Key, KeyDomain, KeyRef, Recipe};
pub use keys::{Column, Keys, Offset};

use crate::error::{Error, Result};
use crate::schemes::Own;

/// How the bytes of a key become a 64-bit hash. Frozen numbers, only ever added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// XXH3-64 with a 64-bit seed that the file keeps: fast, the default. Someone who knows the seed
    /// can choose keys that collide; where keys come from strangers, use [`Scheme::SipHash13`].
    Xxh3,
    /// SipHash-1-3 with a secret 16-byte key that is never in the file: nobody without the key can
    /// choose keys that collide. About four times the cost of XXH3 on short keys.
    SipHash13,
    /// XXH64 with seed 0, as Apache Parquet's Bloom filters use it.
    Xxh64,
    /// First article: MD5 with a counting byte; presets of 10 %, 1 % and 0.1 %.
    Md5Presets,
    /// Second article: the halves of one MD5 digest, h1 + i·h2. In an array of few hundred bits its
    /// positions run in short cycles, and it errs far more often than its formula says.
    Md5Split,
    /// Third article: seven multiplicative hashes over UTF-16 units, always 2^25 bits. Weak: collisions
    /// can be written down by hand.
    Bkdr7,
    /// Fourth article: FNV-1a and CRC-32, three positions.
    FnvCrc,
    /// Fifth article: twelve words of one SHA-384 digest, 2^28 bits.
    Sha384,
    /// Guava's older strategy. Its positions are 31 bits, so it cannot keep its promise from some 100
    /// million keys on.
    GuavaMitz32,
    /// Guava's present strategy.
    GuavaMitz64,
    /// Apache Spark up to 4.0. Its positions are 31 bits, as Guava's older strategy's.
    SparkV1,
    /// Apache Spark from 4.1 on.
    SparkV2,
    /// The Go library bits-and-blooms.
    BitsAndBlooms,
    /// DCSO's bloom and flor.
    Dcso,
    /// RedisBloom, with its 64-bit hashes.
    RedisBloom,
    /// valkey-bloom, under its 32-byte seed.
    ValkeyBloom,
}

impl Scheme {
    /// Every scheme this build knows.
    pub const ALL: [Scheme; 16] = [
        Scheme::Xxh3,
        Scheme::SipHash13,
        Scheme::Xxh64,
        Scheme::Md5Presets,
        Scheme::Md5Split,
        Scheme::Bkdr7,
        Scheme::FnvCrc,
        Scheme::Sha384,
        Scheme::GuavaMitz32,
        Scheme::GuavaMitz64,
        Scheme::SparkV1,
        Scheme::SparkV2,
        Scheme::BitsAndBlooms,
        Scheme::Dcso,
        Scheme::RedisBloom,
        Scheme::ValkeyBloom,
    ];

    /// The number that stands for it in a file.
    pub const fn id(self) -> u8 {
        match self {
            Scheme::Xxh3 => 1,
            Scheme::SipHash13 => 2,
            Scheme::Xxh64 => 3,
            Scheme::Md5Presets => 16,
            Scheme::Md5Split => 17,
            Scheme::Bkdr7 => 18,
            Scheme::FnvCrc => 19,
            Scheme::Sha384 => 20,
            Scheme::GuavaMitz32 => 21,
            Scheme::GuavaMitz64 => 22,
            Scheme::SparkV1 => 23,
            Scheme::SparkV2 => 24,
            Scheme::BitsAndBlooms => 25,
            Scheme::Dcso => 26,
            Scheme::RedisBloom => 27,
            Scheme::ValkeyBloom => 28,
        }
    }

    /// Its name, in texts and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Scheme::Xxh3 => "xxh3",
            Scheme::SipHash13 => "siphash13",
            Scheme::Xxh64 => "xxh64",
            Scheme::Md5Presets => "md5-presets",
            Scheme::Md5Split => "md5-split",
            Scheme::Bkdr7 => "bkdr7",
            Scheme::FnvCrc => "fnv-crc",
            Scheme::Sha384 => "sha384",
            Scheme::GuavaMitz32 => "guava-mitz32",
            Scheme::GuavaMitz64 => "guava-mitz64",
            Scheme::SparkV1 => "spark-v1",
            Scheme::SparkV2 => "spark-v2",
            Scheme::BitsAndBlooms => "bits-and-blooms",
            Scheme::Dcso => "dcso",
            Scheme::RedisBloom => "redisbloom",
            Scheme::ValkeyBloom => "valkey-bloom",
        }
    }

    pub(crate) fn from_id(id: u8) -> Result<Self> {
        Self::ALL.into_iter().find(|s| s.id() == id).ok_or(Error::Unsupported {
            what: "hash scheme",
            found: id.into(),
            known: "1 to 3 and 16 to 28",
        })
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scheme {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|scheme| scheme.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::parameter("the hash scheme", name, format_args!("one of {names}"))
        })
    }
}

/// The secret of the keyed scheme: 16 bytes from a source of random numbers, kept outside every file.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey([u8; 16]);

impl SecretKey {
    /// Wraps 16 secret bytes.
    pub const fn new(bytes: [u8; 16]) -> Self {
        SecretKey(bytes)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// A scheme with its seed or secret: what one filter does with the bytes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hasher {
    Xxh3 {
        seed: u64,
    },
    SipHash13 {
        key: SecretKey,
    },
    Xxh64,
    /// The bits follow from the key by the scheme's own rule; there is no 64-bit hash.
    Own(Own),
}

impl Hasher {
    pub(crate) fn scheme(&self) -> Scheme {
        match self {
            Hasher::Xxh3 { .. } => Scheme::Xxh3,
            Hasher::SipHash13 { .. } => Scheme::SipHash13,
            Hasher::Xxh64 => Scheme::Xxh64,
            Hasher::Own(own) => own.scheme(),
        }
    }

    /// The rule of a scheme that has no 64-bit hash.
    #[inline(always)]
    pub(crate) fn own(&self) -> Option<&Own> {
        match self {
            Hasher::Own(own) => Some(own),
            _ => None,
        }
    }

    /// The hash of key bytes.
    #[inline]
    pub(crate) fn hash(&self, bytes: &[u8]) -> Result<u64> {
        Ok(match self {
            Hasher::Xxh3 { seed } => xxh::xxh3(bytes, *seed),
            Hasher::SipHash13 { key } => siphash::hash(bytes, &key.0),
            Hasher::Xxh64 => xxh::xxh64(bytes),
            Hasher::Own(own) => return Err(Error::NoHash { scheme: own.scheme() }),
        })
    }

    /// The hash of a key in `domain`, or why it is none there. The common cases are inlined into the loops
    /// over keys: there the calls cost as much as the hash.
    #[inline(always)]
    pub(crate) fn hash_key(&self, domain: KeyDomain, key: KeyRef<'_>) -> Result<u64> {
        match (self, domain, key) {
            (Hasher::Xxh3 { seed }, KeyDomain::Bytes, KeyRef::Bytes(bytes)) => Ok(xxh::xxh3(bytes, *seed)),
            (Hasher::Xxh3 { seed }, KeyDomain::Integer, KeyRef::Unsigned(n)) => {
                Ok(xxh::xxh3(&n.to_le_bytes(), *seed))
            }
            _ => self.hash_any_key(domain, key),
        }
    }

    /// [`hash_key`](Self::hash_key) for every scheme, domain and key.
    #[inline(never)]
    fn hash_any_key(&self, domain: KeyDomain, key: KeyRef<'_>) -> Result<u64> {
        domain.encode(key, |bytes| self.hash(bytes))?
    }

    /// What the header keeps at offset 64: the seed, a check of the secret that does not reveal it, or the
    /// parameters of the scheme.
    pub(crate) fn seed_or_check(&self) -> u64 {
        match self {
            Hasher::Xxh3 { seed } => *seed,
            Hasher::SipHash13 { key } => siphash::hash(b"tepal key check", &key.0),
            Hasher::Xxh64 => 0,
            Hasher::Own(own) => own.parameters(),
        }
    }
}

#[cfg(test)]
mod tests;

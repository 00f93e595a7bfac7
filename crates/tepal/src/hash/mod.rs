//! From key to hash: the closed list of schemes with their frozen ids (FORMAT.md, section 1).
//!
//! This room knows keys and hashes; it knows nothing of bits.

pub(crate) mod key;
mod siphash;
mod xxh3;

use core::fmt;
use core::str::FromStr;

pub use key::{Key, KeyDomain, KeyRef, Recipe};

use crate::error::{Error, Result};

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
}

impl Scheme {
    /// Every scheme this build knows.
    pub const ALL: [Scheme; 2] = [Scheme::Xxh3, Scheme::SipHash13];

    /// The number that stands for it in a file.
    pub const fn id(self) -> u8 {
        match self {
            Scheme::Xxh3 => 1,
            Scheme::SipHash13 => 2,
        }
    }

    pub(crate) fn from_id(id: u8) -> Result<Self> {
        Self::ALL.into_iter().find(|s| s.id() == id).ok_or(Error::Unsupported {
            what: "hash scheme",
            found: id.into(),
            known: "1 (xxh3) and 2 (siphash13)",
        })
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scheme::Xxh3 => "xxh3",
            Scheme::SipHash13 => "siphash13",
        })
    }
}

impl FromStr for Scheme {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "xxh3" => Ok(Scheme::Xxh3),
            "siphash13" => Ok(Scheme::SipHash13),
            _ => Err(Error::parameter("the hash scheme", name, "`xxh3` or `siphash13`")),
        }
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

/// A scheme with its seed or secret: the function from key bytes to hash that one filter uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hasher {
    Xxh3 { seed: u64 },
    SipHash13 { key: SecretKey },
}

impl Hasher {
    pub(crate) fn scheme(&self) -> Scheme {
        match self {
            Hasher::Xxh3 { .. } => Scheme::Xxh3,
            Hasher::SipHash13 { .. } => Scheme::SipHash13,
        }
    }

    #[inline(always)]
    pub(crate) fn hash(&self, bytes: &[u8]) -> u64 {
        match self {
            Hasher::Xxh3 { seed } => xxh3::hash(bytes, *seed),
            Hasher::SipHash13 { key } => siphash::hash(bytes, &key.0),
        }
    }

    /// The hash of a key in `domain`, or why it is none there.
    #[inline(always)]
    pub(crate) fn hash_key(&self, domain: KeyDomain, key: KeyRef<'_>) -> Result<u64> {
        match (domain, key) {
            (KeyDomain::Bytes, KeyRef::Bytes(bytes)) => Ok(self.hash(bytes)),
            (KeyDomain::Bytes, KeyRef::Unsigned(n)) => {
                Ok(self.hash(itoa::Buffer::new().format(n).as_bytes()))
            }
            (KeyDomain::Bytes, KeyRef::Signed(n)) => Ok(self.hash(itoa::Buffer::new().format(n).as_bytes())),
            (KeyDomain::Integer, KeyRef::Bytes(text)) => {
                Ok(self.hash(&key::parse_integer(text)?.to_le_bytes()))
            }
            (KeyDomain::Integer, KeyRef::Unsigned(n)) => Ok(self.hash(&n.to_le_bytes())),
            (KeyDomain::Integer, KeyRef::Signed(n)) => Ok(self.hash(&n.to_le_bytes())),
        }
    }

    /// What the header keeps at offset 64: the seed, or a check of the secret that does not reveal it.
    pub(crate) fn seed_or_check(&self) -> u64 {
        match self {
            Hasher::Xxh3 { seed } => *seed,
            Hasher::SipHash13 { .. } => self.hash(b"tepal key check"),
        }
    }
}

#[cfg(test)]
mod tests;

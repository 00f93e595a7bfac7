//! Counts different keys that are on several machines: each machine counts, and the counts are
//! united.

use std::fmt;
use std::vec::Vec;

use super::distinct::{DistinctCounter, WORDS, different};
use super::spool::FEW;
use super::{PIECE, hashes_to_count, room_for, takes_keys};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::key::{KeyHasher, Keys, PreparedKeys, Stretch};

/// The first bytes of an encoded counter. The encoding is for programs of one version, and is no
/// file format.
const MARK: &[u8; 8] = b"tepalcn1";

/// Counts different keys in 3 MiB, whatever their number: to plan one filter for keys that are in
/// several places.
///
/// Each place counts its own keys and sends the bytes of its counter to one place. That place
/// unites the counters and knows the capacity to plan. The capacity does not depend on how the keys
/// were divided. It is the one that [`Gather`](super::Gather) plans if it takes all of them.
///
/// ```
/// use tepal::BloomFilter;
/// use tepal::build::KeyCounter;
/// let hasher = BloomFilter::builder().key_hasher()?;
/// let mut here = KeyCounter::new(hasher.clone())?;
/// here.insert_many(&["apple", "banana"])?;
/// let mut there = KeyCounter::new(hasher.clone())?;
/// there.insert_many(&["banana", "cherry"])?;
///
/// here.union_with(&KeyCounter::from_bytes(hasher, &there.to_bytes())?)?;
/// assert_eq!((here.keys(), here.different(), here.is_exact()), (4, 3, true));
/// assert_eq!(BloomFilter::builder().capacity(here.room()).build()?.capacity(), 3);
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone)]
pub struct KeyCounter {
    hasher: KeyHasher,
    keys: u64,
    seen: Seen,
}

/// What a counter knows of the keys.
#[derive(Clone)]
enum Seen {
    /// The hash of each key, while there are at most `FEW`.
    Few(Vec<u64>),
    Many(DistinctCounter),
}

impl KeyCounter {
    /// Makes a counter that has seen no key. It tells keys apart as filters with this hasher do,
    /// after its recipe.
    ///
    /// # Errors
    /// [`Error::CallerHashes`] for a hasher that takes no keys.
    pub fn new(hasher: KeyHasher) -> Result<Self> {
        takes_keys(&hasher)?;
        Ok(KeyCounter { hasher, keys: 0, seen: Seen::Few(Vec::new()) })
    }

    /// The key hasher, to prepare keys for [`insert_prepared`](Self::insert_prepared).
    #[must_use]
    pub fn key_hasher(&self) -> &KeyHasher {
        &self.hasher
    }

    /// Counts many keys.
    ///
    /// # Errors
    /// [`Error::KeyRefused`] for a key that the key domain does not have. The keys before it are
    /// counted.
    pub fn insert_many<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<()> {
        let mut prepared = PreparedKeys::default();
        for start in (0..keys.len()).step_by(PIECE) {
            let piece = Stretch::new(keys, start, PIECE.min(keys.len() - start));
            let refused = self.hasher.prepare_many(&piece, &mut prepared);
            self.insert_prepared(&prepared)?;
            prepared.clear();
            refused?;
        }
        Ok(())
    }

    /// Counts keys that were prepared by this counter's hasher.
    ///
    /// # Errors
    /// [`Error::NoHash`] for keys that another hasher has prepared.
    pub fn insert_prepared(&mut self, keys: &PreparedKeys) -> Result<()> {
        if !keys.is_empty() && keys.hashes().is_some() != self.hasher.has_hash() {
            return Err(Error::NoHash { scheme: self.hasher.scheme() });
        }
        self.keys += keys.len() as u64;
        let mut room = Vec::new();
        self.see(hashes_to_count(keys, &mut room));
        Ok(())
    }

    /// Adds the hashes of keys that are counted already.
    fn see(&mut self, hashes: &[u64]) {
        if let Seen::Few(few) = &mut self.seen {
            if self.keys <= FEW {
                return few.extend_from_slice(hashes);
            }
            let mut many = DistinctCounter::new();
            many.add(few);
            self.seen = Seen::Many(many);
        }
        if let Seen::Many(many) = &mut self.seen {
            many.add(hashes);
        }
    }

    /// Adds the keys that another counter has counted, as if this one had seen them itself.
    ///
    /// # Errors
    /// [`Error::Incompatible`] if their hashers differ.
    pub fn union_with(&mut self, other: &Self) -> Result<()> {
        self.hasher.check_same(&other.hasher)?;
        self.keys = self.keys.saturating_add(other.keys);
        match &other.seen {
            Seen::Few(few) => self.see(few),
            Seen::Many(there) => {
                self.see(&[]);
                if let Seen::Many(here) = &mut self.seen {
                    here.unite(there);
                }
            }
        }
        Ok(())
    }

    /// The number of keys, repeats included.
    #[must_use]
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// The number of different keys: exact up to 65,536 keys, and above that an estimate with a
    /// standard error below 0.08 %.
    #[must_use]
    pub fn different(&self) -> u64 {
        match &self.seen {
            Seen::Few(few) => {
                let mut hashes = few.clone();
                hashes.sort_unstable();
                hashes.dedup();
                hashes.len() as u64
            }
            Seen::Many(many) => different(self.keys, many.estimate()),
        }
    }

    /// Whether [`different`](Self::different) is exact and not an estimate.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(self.seen, Seen::Few(_))
    }

    /// The capacity to plan for these keys: the number of different keys, plus 0.16 % if that is an
    /// estimate; at least 1.
    #[must_use]
    pub fn room(&self) -> u64 {
        room_for(self.different(), self.is_exact(), self.keys)
    }

    /// Encodes the counter for a program of the same version: at most 3 MiB.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let words: Vec<u64> = match &self.seen {
            Seen::Few(few) => few.clone(),
            Seen::Many(many) => many.words().collect(),
        };
        let mut bytes = Vec::with_capacity(MARK.len() + 8 + 8 * words.len());
        bytes.extend_from_slice(MARK);
        bytes.extend_from_slice(&self.keys.to_le_bytes());
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    /// Decodes a counter with this hasher from [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// [`Error::Damaged`] for other bytes; [`Error::CallerHashes`] as [`new`](Self::new).
    pub fn from_bytes(hasher: KeyHasher, bytes: &[u8]) -> Result<Self> {
        takes_keys(&hasher)?;
        let mut fields = Fields::at(bytes, 0);
        if fields.take(MARK.len())? != MARK {
            return Err(Error::damaged(format_args!("these bytes are no key counter of this version")));
        }
        let keys = fields.u64_le()?;
        let len = if keys <= FEW { keys as usize } else { WORDS };
        let words = (0..len).map(|_| fields.u64_le()).collect::<Result<Vec<_>>>()?;
        fields.end()?;
        let seen = match keys <= FEW {
            true => Seen::Few(words),
            false => Seen::Many(DistinctCounter::from_words(words.into_iter())),
        };
        Ok(KeyCounter { hasher, keys, seen })
    }
}

impl fmt::Debug for KeyCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyCounter").field("keys", &self.keys).field("different", &self.different()).finish()
    }
}

#[cfg(test)]
mod tests;

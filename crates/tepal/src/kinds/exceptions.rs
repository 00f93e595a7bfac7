//! Collects exceptions for a filter (FORMAT.md, section 4.9).

use alloc::vec::Vec;
use core::fmt;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{AnyFilter, divider};
use crate::key::PreparedKeys;

/// A collection of a filter's false positives, keys that are surely no members. It becomes the
/// filter's exceptions, or is compared with a list of members.
///
/// ```
/// use tepal::{BloomFilter, Exceptions, Opened, file::Format, hash::PreparedKeys};
/// let members = BloomFilter::builder().capacity(200).false_positive_rate(0.1).build_from(0..200_u64)?;
/// let file = Opened::new(members, Format::Tepal)?;
/// let mut keys = PreparedKeys::default();
/// for other in 200..1200_u64 {
///     file.key_hasher().prepare(&other, &mut keys)?;
/// }
/// let mut exceptions = Exceptions::new();
/// let wrong = exceptions.take(file.filter(), &keys);    // the false positives: about a tenth
/// assert!(wrong > 0 && wrong < 200);
/// let file = file.except(&exceptions)?;
/// assert!((200..1200_u64).all(|other| !file.contains(&other)));
/// assert!((0..200_u64).all(|member| file.contains(&member)));
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Exceptions {
    /// Ascending, without repeats, after [`sort`](Self::sort).
    pub(super) hashes: Vec<u64>,
    is_sorted: bool,
}

impl Exceptions {
    /// Makes an empty collection.
    #[must_use]
    pub const fn new() -> Self {
        Exceptions { hashes: Vec::new(), is_sorted: true }
    }

    /// Adds the keys for which the filter says yes; other keys need no exception. The filter's key
    /// hasher has prepared the keys. Returns how many were added.
    pub fn take(&mut self, filter: &AnyFilter, keys: &PreparedKeys) -> usize {
        let mut answers = alloc::vec![false; keys.len()];
        filter.contains_prepared(keys, &mut answers);
        let before = self.hashes.len();
        each_hash(keys, |i, hash| {
            if answers[i] {
                self.hashes.push(hash);
            }
        });
        self.is_sorted = false;
        self.hashes.len() - before
    }

    /// Tells which of these keys are in the collection. To be called with the members: a member in
    /// the collection would be missed.
    #[must_use]
    pub fn among(&mut self, keys: &PreparedKeys) -> Vec<bool> {
        self.sort();
        let mut found = Vec::with_capacity(keys.len());
        each_hash(keys, |_, hash| found.push(self.hashes.binary_search(&hash).is_ok()));
        found
    }

    /// The bytes in a file of a list of this many exceptions, with its checksum.
    #[must_use]
    pub const fn list_len(exceptions: u64) -> u64 {
        match exceptions {
            0 => 0,
            count => count.saturating_add(1).saturating_mul(8),
        }
    }

    /// The bytes in a file of a divider between this many exceptions and members
    /// ([`AnyFilter::divide`]).
    #[must_use]
    pub fn divider_len(exceptions: u64, members: u64) -> u64 {
        match exceptions {
            0 => 0,
            count => divider::len_in_file(count.saturating_add(members)),
        }
    }

    /// The number of exceptions.
    #[must_use]
    pub fn count(&mut self) -> usize {
        self.sort();
        self.hashes.len()
    }

    fn sort(&mut self) {
        if !self.is_sorted {
            self.hashes.sort_unstable();
            self.hashes.dedup();
            self.is_sorted = true;
        }
    }
}

impl fmt::Debug for Exceptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exceptions").field("hashes", &self.hashes.len()).finish()
    }
}

/// Calls `with` for each key, with the hash that exceptions are compared by.
pub(super) fn each_hash(keys: &PreparedKeys, mut with: impl FnMut(usize, u64)) {
    match keys.hashes() {
        Some(hashes) => hashes.iter().enumerate().for_each(|(i, hash)| with(i, *hash)),
        None => keys.each().enumerate().for_each(|(i, bytes)| with(i, hash_of_bytes(bytes))),
    }
}

/// The hash of a key for exceptions, under a scheme without a 64-bit hash.
pub(super) fn hash_of_bytes(bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, 0)
}

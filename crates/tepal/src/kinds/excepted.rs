//! A Bloom filter with exceptions: keys that are known to be no members, for which it says no all the same
//! (FORMAT.md, section 4.9).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::bloom::BloomFilter;
use super::storage::Mapped;
use super::{AnyFilter, AwaitsBody, FilePart, Filter};
use crate::error::{Error, Result};
use crate::facts::{Facts, Warning};
use crate::ids::{Kind, OverCapacity};
use crate::key::{Batch, KeyHasher, KeyRef, One, PreparedKeys, SecretKey};

/// Keys that are surely no members, and for which a filter says yes: on their way to its exceptions, or to be compared with
/// lists of members.
///
/// ```
/// use tepal::{BloomFilter, Exceptions, Format, Opened, PreparedKeys};
/// let members = BloomFilter::builder().capacity(200).false_positive_rate(0.1).build_from(0..200_u64)?;
/// let file = Opened::new(members, Format::Tepal)?;
/// let mut keys = PreparedKeys::default();
/// for stranger in 200..1200_u64 {
///     file.key_hasher().prepare(&stranger, &mut keys)?;
/// }
/// let mut exceptions = Exceptions::new();
/// let wrong = exceptions.take(file.filter(), &keys);    // as many as are needed: about a tenth
/// assert!(wrong > 0 && wrong < 200);
/// let file = file.except(&exceptions)?;
/// assert!((200..1200_u64).all(|stranger| !file.contains(&stranger)));
/// assert!((0..200_u64).all(|member| file.contains(&member)));
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Exceptions {
    /// Ascending, each once, after [`sort`](Self::sort).
    hashes: Vec<u64>,
    is_sorted: bool,
}

impl Exceptions {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Exceptions { hashes: Vec::new(), is_sorted: true }
    }

    /// Takes those of the keys for which the filter says yes: an exception for another is not needed. The keys were prepared by
    /// its hasher. Gives how many it took.
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

    /// Which of these keys are among them? To be asked with members: one that is would be a missed key.
    #[must_use]
    pub fn among(&mut self, keys: &PreparedKeys) -> Vec<bool> {
        self.sort();
        let mut found = Vec::with_capacity(keys.len());
        each_hash(keys, |_, hash| found.push(self.hashes.binary_search(&hash).is_ok()));
        found
    }

    /// How many there are.
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

/// Hands out the hash by which each key is known among exceptions.
fn each_hash(keys: &PreparedKeys, mut with: impl FnMut(usize, u64)) {
    match keys.hashes() {
        Some(hashes) => hashes.iter().enumerate().for_each(|(i, hash)| with(i, *hash)),
        None => keys.each().enumerate().for_each(|(i, bytes)| with(i, hash_of_bytes(bytes))),
    }
}

/// The hash of a key under a scheme that has none.
fn hash_of_bytes(bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, 0)
}

/// A Bloom filter that says no for some keys which are known to be no members, though its bits say yes.
///
/// An exception is the 64-bit hash of its key, so that of n members one has the same hash as one of e exceptions with a chance of
/// n·e / 2^64, and would be missed: [`Exceptions::among`] finds it where the members are at hand. A key that is inserted is
/// none any more. It comes from [`Opened::except`](crate::Opened::except) and from files that have exceptions.
#[derive(Clone, PartialEq)]
pub struct ExceptedBloomFilter {
    filter: BloomFilter<Mapped>,
    /// Ascending, each once.
    exceptions: Vec<u64>,
}

impl ExceptedBloomFilter {
    /// How many exceptions there are.
    #[must_use]
    pub fn exceptions(&self) -> u64 {
        self.exceptions.len() as u64
    }

    /// From a file, whose exceptions ascend.
    pub(crate) fn new(filter: BloomFilter<Mapped>, exceptions: Vec<u64>) -> Self {
        ExceptedBloomFilter { filter, exceptions }
    }

    /// The filter, where it has no exceptions (any more).
    pub(crate) fn into_bloom(self) -> Result<BloomFilter<Mapped>> {
        if self.exceptions.is_empty() {
            return Ok(self.filter);
        }
        Err(Error::NotPossible {
            kind: Kind::Bloom,
            operation: "be asked without its exceptions",
            instead: "open it with `tepal::open` or `tepal::from_bytes`, which honour them, and keep it as an `AnyFilter`",
        })
    }

    /// The filter, whose bits say yes for exceptions too.
    pub(super) fn bits(&self) -> &BloomFilter<Mapped> {
        &self.filter
    }

    /// Another filter of the same members, with the same exceptions.
    pub(super) fn same_exceptions(&self, other: AnyFilter) -> AnyFilter {
        other.with_exceptions_of_file(self.exceptions.clone())
    }

    pub(super) fn set_labels(&mut self, labels: crate::facts::Labels) -> Result<()> {
        self.filter.set_labels(labels)
    }

    /// With these exceptions too.
    pub(super) fn with(mut self, more: &Exceptions) -> Self {
        let mut all = core::mem::take(&mut self.exceptions);
        all.extend_from_slice(&more.hashes);
        self.set(all);
        self
    }

    /// Does the key stand among the exceptions?
    fn excepts(&self, key: KeyRef<'_>) -> bool {
        self.hash(One::Key(key)).is_ok_and(|hash| self.is_excepted(hash))
    }

    fn is_excepted(&self, hash: u64) -> bool {
        self.exceptions.binary_search(&hash).is_ok()
    }

    /// The hash by which a key is known among exceptions; an error for a key that cannot be one.
    fn hash(&self, key: One<'_>) -> Result<u64> {
        let keys = &self.filter.meta.keys;
        match key {
            One::Key(key) if keys.has_hash() => keys.hash_any(&key),
            key => key.encode(keys, hash_of_bytes),
        }
    }

    /// Takes the keys that were inserted off the exceptions.
    fn remove(&mut self, keys: Batch<'_>, inserted: usize) {
        let mut removed = Vec::new();
        let mut note = |hash: Result<u64>| {
            removed.extend(hash.ok().filter(|hash| self.is_excepted(*hash)));
        };
        match keys {
            Batch::Hashes(hashes) => hashes.iter().take(inserted).for_each(|hash| note(Ok(*hash))),
            Batch::Bytes(keys) => keys.each().take(inserted).for_each(|bytes| note(Ok(hash_of_bytes(bytes)))),
            Batch::One(key) if inserted > 0 => note(self.hash(key)),
            Batch::One(_) => {}
        }
        if !removed.is_empty() {
            removed.sort_unstable();
            self.exceptions.retain(|hash| removed.binary_search(hash).is_err());
        }
    }

    /// Adds all keys of another one. An exception stays where the other filter says no too; where it may hold the key, the union
    /// may.
    pub(super) fn union_with(&mut self, other: &Self) -> Result<()> {
        self.union_with_parts(&other.filter, &other.exceptions)
    }

    /// [`union_with`](Self::union_with) a filter without exceptions.
    pub(super) fn union_with_bloom(&mut self, other: &BloomFilter<Mapped>) -> Result<()> {
        self.union_with_parts(other, &[])
    }

    fn union_with_parts(&mut self, other: &BloomFilter<Mapped>, others: &[u64]) -> Result<()> {
        self.check_hashes()?;
        self.filter.check_union(other)?;
        let mut kept: Vec<u64> = Vec::new();
        let denied = |filter: &BloomFilter<Mapped>, list: &[u64], hash: u64| {
            !filter.contains_hash(hash) || list.binary_search(&hash).is_ok()
        };
        kept.extend(self.exceptions.iter().filter(|hash| denied(other, others, **hash)));
        kept.extend(others.iter().filter(|hash| denied(&self.filter, &self.exceptions, **hash)));
        self.filter.union_with(other)?;
        self.set(kept);
        Ok(())
    }

    /// Keeps what both have. What is an exception of one is in neither.
    pub(super) fn intersect_with(&mut self, other: &Self) -> Result<()> {
        self.intersect_with_parts(&other.filter, &other.exceptions)
    }

    /// [`intersect_with`](Self::intersect_with) a filter without exceptions.
    pub(super) fn intersect_with_bloom(&mut self, other: &BloomFilter<Mapped>) -> Result<()> {
        self.intersect_with_parts(other, &[])
    }

    fn intersect_with_parts(&mut self, other: &BloomFilter<Mapped>, others: &[u64]) -> Result<()> {
        self.check_hashes()?;
        self.filter.intersect_with(other)?;
        let mut kept = core::mem::take(&mut self.exceptions);
        kept.extend_from_slice(others);
        kept.retain(|hash| self.filter.contains_hash(*hash));
        self.set(kept);
        Ok(())
    }

    fn set(&mut self, mut exceptions: Vec<u64>) {
        exceptions.sort_unstable();
        exceptions.dedup();
        self.exceptions = exceptions;
    }

    /// An exception is asked of another filter by its hash.
    fn check_hashes(&self) -> Result<()> {
        match self.filter.has_hash() || self.exceptions.is_empty() {
            true => Ok(()),
            false => Err(Error::NotPossible {
                kind: Kind::Bloom,
                operation: "be combined with its exceptions, since its scheme has no 64-bit hash",
                instead: "combine the filters without exceptions, and except the strangers of the new one",
            }),
        }
    }
}

impl fmt::Debug for ExceptedBloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExceptedBloomFilter")
            .field("filter", &self.filter)
            .field("exceptions", &self.exceptions.len())
            .finish()
    }
}

impl Filter for ExceptedBloomFilter {
    fn key_hasher(&self) -> &KeyHasher {
        &self.filter.meta.keys
    }

    fn contains(&self, key: KeyRef<'_>) -> bool {
        self.filter.contains(&key) && !self.excepts(key)
    }

    fn contains_batch(&self, keys: Batch<'_>, answers: &mut [bool]) {
        self.filter.answer_batch(keys, answers);
        let has_hash = self.filter.has_hash();
        let deny = |(answer, hash): (&mut bool, u64)| *answer = *answer && !self.is_excepted(hash);
        match keys {
            Batch::Hashes(hashes) if has_hash => {
                answers.iter_mut().zip(hashes.iter().copied()).for_each(deny)
            }
            Batch::Bytes(keys) if !has_hash => {
                answers.iter_mut().zip(keys.each().map(hash_of_bytes)).for_each(deny)
            }
            Batch::One(key) => answers.iter_mut().zip(self.hash(key)).for_each(deny),
            // Keys of another hasher: perhaps.
            Batch::Hashes(_) | Batch::Bytes(_) => {}
        }
    }

    fn insert(&mut self, key: KeyRef<'_>) -> Result<bool> {
        let was_excepted = self.filter.contains(&key) && self.excepts(key);
        let is_new = self.filter.insert(&key)?;
        if was_excepted {
            self.remove(Batch::One(One::Key(key)), 1);
        }
        Ok(is_new || was_excepted)
    }

    fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
        let result = self.filter.insert_batch(keys, done);
        let inserted = match &result {
            Ok(()) => usize::MAX,
            Err(Error::CapacityReached { inserted, .. } | Error::KeysClustered { inserted, .. }) => {
                inserted.saturating_sub(done)
            }
            Err(_) => 0,
        };
        self.remove(keys, inserted);
        result
    }

    fn clear(&mut self) -> Result<()> {
        Filter::clear(&mut self.filter)?;
        self.exceptions = Vec::new();
        Ok(())
    }

    fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        Filter::set_over_capacity(&mut self.filter, policy)
    }

    #[cfg(feature = "foreign")]
    fn set_key_domain(&mut self, domain: crate::ids::KeyDomain) {
        Filter::set_key_domain(&mut self.filter, domain);
    }

    fn false_positive_rate(&self) -> f64 {
        self.filter.false_positive_rate()
    }

    fn promised_false_positive_rate(&self) -> f64 {
        self.filter.promised_false_positive_rate()
    }

    fn capacity(&self) -> u64 {
        self.filter.capacity()
    }

    fn over_capacity(&self) -> OverCapacity {
        self.filter.over_capacity()
    }

    fn is_over_capacity(&self) -> bool {
        self.filter.is_over_capacity()
    }

    fn labels(&self) -> Option<&crate::facts::Labels> {
        Filter::labels(&self.filter)
    }

    fn is_full(&self) -> bool {
        self.filter.is_full()
    }

    fn keys_inserted(&self) -> Option<u64> {
        self.filter.keys_inserted()
    }

    fn estimated_len(&self) -> f64 {
        self.filter.estimated_len()
    }

    fn size_in_bytes(&self) -> u64 {
        self.filter.size_in_bytes()
    }

    fn facts(&self) -> Facts {
        Facts { exceptions: self.exceptions(), ..self.filter.facts() }
    }

    fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        self.filter.fill_of_slices(slices)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.filter.warnings()
    }

    fn verify(&self) -> Result<()> {
        self.filter.verify()
    }

    fn check_before_copying(&self) -> Result<()> {
        self.filter.check_before_copying()
    }

    fn file_part(&self) -> Result<FilePart<'_>> {
        Ok(FilePart { exceptions: &self.exceptions, ..self.filter.part() })
    }

    fn of_file(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Box<dyn AwaitsBody>> {
        BloomFilter::<Mapped>::of_file(part, secret)
    }
}

/// The refusal to bring exceptions into a filter that has none.
pub(super) fn comes_first() -> Error {
    Error::NotPossible {
        kind: Kind::Bloom,
        operation: "take on the exceptions of another",
        instead: "name the filter with exceptions first",
    }
}

impl AnyFilter {
    /// The filter with these exceptions beside those it has: it says no for their keys.
    ///
    /// # Errors
    /// [`Error::NotPossible`] for a chain of filters.
    pub fn except(self, exceptions: &Exceptions) -> Result<AnyFilter> {
        let filter = match self {
            AnyFilter::Bloom(filter) => ExceptedBloomFilter::new(filter, Vec::new()),
            AnyFilter::Excepted(filter) => filter,
            AnyFilter::Scalable(_) => {
                return Err(Error::NotPossible {
                    kind: Kind::Scalable,
                    operation: "have exceptions",
                    instead: "build one Bloom filter of its keys",
                });
            }
        };
        Ok(AnyFilter::Excepted(filter.with(exceptions)))
    }
}

impl AnyFilter {
    /// A filter that was read, with the exceptions of its file.
    pub(crate) fn with_exceptions_of_file(self, exceptions: Vec<u64>) -> AnyFilter {
        match self {
            AnyFilter::Bloom(filter) => ExceptedBloomFilter::new(filter, exceptions).into(),
            other => other,
        }
    }
}

impl From<ExceptedBloomFilter> for AnyFilter {
    fn from(filter: ExceptedBloomFilter) -> Self {
        AnyFilter::Excepted(filter)
    }
}

//! A Bloom filter with exceptions: known non-members for which it says no although its bits say yes
//! (FORMAT.md, section 4.9). A divider can replace the list of exceptions (section 4.10).

use alloc::vec::Vec;
use core::fmt;

use super::bloom::BloomFilter;
use super::divider::Divider;
use super::exceptions::{Exceptions, each_hash, hash_of_bytes};
use super::{AnyFilter, Behind, FilePart, Filter, HONOURS_EXCEPTIONS, Inner, InnerMut, MutableFilter};
use crate::bits::memory;
use crate::error::{Advice, Error, Result, advice};
use crate::facts::{Can, Facts, Warning};
use crate::ids::{Kind, Operation, OverCapacity};
use crate::key::{Batch, KeyHasher, KeyRef, One, PreparedKeys};

/// The bytes of a list of exceptions or a divider in a file, with the checksum.
pub(crate) fn len_in_file(exceptions: &[u64], divider: Option<&Divider>) -> u64 {
    match divider {
        None => Exceptions::list_len(exceptions.len() as u64),
        Some(divider) => 8 * (divider.words.len() as u64 + 4),
    }
}

/// A Bloom filter that says no for a list of known non-members, although its bits say yes.
///
/// An exception is the 64-bit hash of its key. A member that has the same hash as an exception
/// would be missed. For n members and e exceptions the chance of one such member is n·e / 2^64. If
/// the members are at hand, [`Exceptions::among`] finds it. Inserting a key removes its exception.
/// [`Opened::except`](crate::Opened::except) makes such a filter, and files with exceptions hold
/// one.
///
/// In place of the list it may have a divider ([`Opened::divide`](crate::Opened::divide)), and then
/// takes no further key.
///
/// ```
/// use tepal::{BloomFilter, Exceptions, Opened};
/// use tepal::{file::Format, hash::PreparedKeys};
/// let members = BloomFilter::builder().capacity(2).build_from(["apple", "pear"])?;
/// let file = Opened::new(members, Format::Tepal)?;
/// let (mut others, mut exceptions) = (PreparedKeys::default(), Exceptions::new());
/// for other in 0..1000_u32 {
///     file.key_hasher().prepare(&other, &mut others)?;
/// }
/// exceptions.take(file.filter(), &others);     // only the false positives
/// let file = file.except(&exceptions)?;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("fruit.tepal");
/// file.save(&path)?;
/// let fruit = tepal::open(&path)?;
/// assert!(fruit.contains("pear") && (0..1000_u32).all(|other| !fruit.contains(&other)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct ExceptedBloomFilter {
    filter: BloomFilter,
    /// Ascending, without repeats; empty if there is a divider.
    exceptions: Vec<u64>,
    divider: Option<Divider>,
}

impl ExceptedBloomFilter {
    /// The number of exceptions.
    #[must_use]
    pub fn exceptions(&self) -> u64 {
        self.exceptions.len() as u64 + self.divider.as_ref().map_or(0, |divider| divider.exceptions)
    }

    /// The bytes of the exceptions in a file, with their checksum.
    pub(crate) fn exceptions_len(&self) -> u64 {
        len_in_file(&self.exceptions, self.divider.as_ref())
    }

    /// Whether it has a divider in place of a list of exceptions.
    #[must_use]
    pub fn is_divided(&self) -> bool {
        self.divider.is_some()
    }

    /// Makes the filter of a file that has exceptions.
    pub(super) fn of_file(filter: BloomFilter, behind: Behind) -> Self {
        Self::new(filter, behind.hashes, behind.divider)
    }

    /// Makes a filter with ascending exceptions, or with a divider.
    pub(crate) fn new(filter: BloomFilter, exceptions: Vec<u64>, divider: Option<Divider>) -> Self {
        ExceptedBloomFilter { filter, exceptions, divider }
    }

    /// The plain filter, if it has no exceptions.
    pub(crate) fn into_bloom(self) -> Result<BloomFilter> {
        if self.exceptions() == 0 {
            return Ok(self.filter);
        }
        Err(self.refusal(Operation::BeAnother))
    }

    /// The filter itself, whose bits say yes for exceptions too.
    pub(super) fn bits(&self) -> &BloomFilter {
        &self.filter
    }

    /// Gives the same exceptions to another filter of the same members.
    pub(super) fn same_exceptions(&self, other: BloomFilter) -> Result<Self> {
        let divider = self.divider.as_ref().map(Divider::copied).transpose()?;
        Ok(Self::new(other, memory::copy_of(&self.exceptions)?, divider))
    }

    /// Adds exceptions, of those hashes for which the bits say yes. A scheme without a 64-bit hash
    /// cannot tell, and all are added.
    pub(super) fn with(mut self, more: &Exceptions) -> Result<Self> {
        self.check_undivided(Operation::Except)?;
        let mut all = core::mem::take(&mut self.exceptions);
        memory::reserve(&mut all, more.hashes.len())?;
        all.extend(more.hashes.iter().filter(|hash| self.filter.contains_hash(**hash)));
        self.set(all);
        Ok(self)
    }

    /// Replaces the list of exceptions by a divider between these members and all exceptions.
    pub(super) fn divided(mut self, members: &PreparedKeys) -> Result<Self> {
        if !self.exceptions.is_empty() {
            let mut hashes = memory::room(members.len())?;
            each_hash(members, |_, hash| hashes.push(hash));
            self.divider = Some(Divider::new(hashes, &self.exceptions)?);
            self.exceptions = Vec::new();
        }
        Ok(self)
    }

    /// Refuses an operation if there is a divider: a divider answers only for the keys that it was
    /// made of.
    fn check_undivided(&self, operation: Operation) -> Result<()> {
        match self.divider {
            None => Ok(()),
            Some(_) => Err(self.refusal(operation)),
        }
    }

    /// Whether the key is an exception.
    fn excepts(&self, key: KeyRef<'_>) -> bool {
        self.hash(One::Key(key)).is_ok_and(|hash| self.is_excepted(hash))
    }

    fn is_excepted(&self, hash: u64) -> bool {
        match &self.divider {
            None => self.exceptions.binary_search(&hash).is_ok(),
            Some(divider) => divider.denies(hash),
        }
    }

    /// The hash of a key for a comparison with exceptions; an error for a key that cannot be one.
    fn hash(&self, key: One<'_>) -> Result<u64> {
        let keys = &self.filter.meta.keys;
        match key {
            One::Key(key) if keys.has_hash() => keys.hash_any(&key),
            key => keys.encode_one(key, hash_of_bytes),
        }
    }

    /// Removes inserted keys from the exceptions.
    fn remove(&mut self, keys: Batch<'_>, inserted: usize) {
        let mut removed = Vec::new();
        match keys {
            Batch::Hashes(hashes) => {
                hashes.iter().take(inserted).for_each(|hash| self.note_removed(*hash, &mut removed));
            }
            Batch::Bytes(keys) => {
                let hashes = keys.each().take(inserted).map(hash_of_bytes);
                hashes.for_each(|hash| self.note_removed(hash, &mut removed));
            }
            Batch::One(key) if inserted > 0 => {
                let _ = self.hash(key).map(|hash| self.note_removed(hash, &mut removed));
            }
            Batch::One(_) => {}
        }
        if !removed.is_empty() {
            removed.sort_unstable();
            self.exceptions.retain(|hash| removed.binary_search(hash).is_err());
        }
    }

    /// Notes that a hash is no longer an exception.
    fn note_removed(&mut self, hash: u64, removed: &mut Vec<u64>) {
        let Ok(at) = self.exceptions.binary_search(&hash) else { return };
        // Without memory for the notes, removes the exception at once.
        if memory::push(removed, hash).is_err() {
            self.exceptions.remove(at);
        }
    }

    /// Adds all keys of another filter. An exception stays if the other filter says no for its key
    /// too; otherwise the union may hold the key.
    pub(super) fn union_with(&mut self, other: &Self) -> Result<()> {
        other.check_undivided(Operation::Unite)?;
        self.union_with_parts(&other.filter, &other.exceptions)
    }

    /// [`union_with`](Self::union_with) a filter without exceptions.
    pub(super) fn union_with_plain(&mut self, other: &BloomFilter) -> Result<()> {
        self.union_with_parts(other, &[])
    }

    fn union_with_parts(&mut self, other: &BloomFilter, others: &[u64]) -> Result<()> {
        self.check_undivided(Operation::Unite)?;
        self.check_hashes(Operation::Unite)?;
        self.filter.check_union(other)?;
        let mut kept: Vec<u64> = memory::room(self.exceptions.len().saturating_add(others.len()))?;
        let denied = |filter: &BloomFilter, list: &[u64], hash: u64| {
            !filter.contains_hash(hash) || list.binary_search(&hash).is_ok()
        };
        kept.extend(self.exceptions.iter().filter(|hash| denied(other, others, **hash)));
        kept.extend(others.iter().filter(|hash| denied(&self.filter, &self.exceptions, **hash)));
        self.filter.union_with(other)?;
        self.set(kept);
        Ok(())
    }

    /// Keeps the keys that both filters have. A key that is an exception of one filter is in
    /// neither.
    pub(super) fn intersect_with(&mut self, other: &Self) -> Result<()> {
        other.check_undivided(Operation::Intersect)?;
        self.intersect_with_parts(&other.filter, &other.exceptions)
    }

    /// [`intersect_with`](Self::intersect_with) a filter without exceptions.
    pub(super) fn intersect_with_plain(&mut self, other: &BloomFilter) -> Result<()> {
        self.intersect_with_parts(other, &[])
    }

    fn intersect_with_parts(&mut self, other: &BloomFilter, others: &[u64]) -> Result<()> {
        self.check_undivided(Operation::Intersect)?;
        self.check_hashes(Operation::Intersect)?;
        memory::reserve(&mut self.exceptions, others.len())?;
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

    /// Refuses an operation if another filter cannot look up an exception by its hash.
    fn check_hashes(&self, operation: Operation) -> Result<()> {
        match self.filter.has_hash() || self.exceptions.is_empty() {
            true => Ok(()),
            false => Err(Error::NotPossible {
                kind: Kind::Bloom,
                operation,
                instead: advice!(
                    "it has exceptions, and its scheme has no 64-bit hash; combine the filters without exceptions, and except the non-members of the new one"
                ),
            }),
        }
    }
}

impl fmt::Debug for ExceptedBloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExceptedBloomFilter")
            .field("filter", &self.filter)
            .field("exceptions", &self.exceptions())
            .field("divided", &self.is_divided())
            .finish()
    }
}

impl Inner for ExceptedBloomFilter {
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
            // For keys of another hasher the answer is perhaps.
            Batch::Hashes(_) | Batch::Bytes(_) => {}
        }
    }

    fn check_before_copying(&self) -> Result<()> {
        self.filter.check_before_copying()
    }

    fn file_part(&self) -> Result<FilePart<'_>> {
        let (exceptions, divider) = (&self.exceptions, self.divider.as_ref());
        Ok(FilePart { exceptions, divider, ..self.filter.part() })
    }

    fn warnings(&self) -> Vec<Warning> {
        self.filter.warnings()
    }

    fn instead(&self, operation: Operation) -> Advice {
        match operation {
            Operation::BeAnother => HONOURS_EXCEPTIONS,
            Operation::Remove => operation.instead(),
            _ if self.is_divided() => {
                advice!(
                    "its divider knows the keys of one universe, and no others; build it again",
                    ExactOn,
                    ", or with a list of exceptions",
                    ExactAsList
                )
            }
            other => other.instead(),
        }
    }
}

impl InnerMut for ExceptedBloomFilter {
    fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
        self.check_undivided(Operation::Insert)?;
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

    #[cfg(feature = "foreign")]
    fn set_key_domain(&mut self, domain: crate::ids::KeyDomain) {
        self.filter.set_key_domain(domain);
    }
}

impl Filter for ExceptedBloomFilter {
    fn key_hasher(&self) -> &KeyHasher {
        &self.filter.meta.keys
    }

    fn contains_key(&self, key: KeyRef<'_>) -> bool {
        self.filter.contains(&key) && !self.excepts(key)
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

    fn labels(&self) -> &crate::facts::Labels {
        self.filter.labels()
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
        Facts { exceptions: self.exceptions(), is_divided: self.is_divided(), ..self.filter.facts() }
    }

    fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        self.filter.fill_of_slices(slices)
    }

    fn verify(&self) -> Result<()> {
        self.filter.verify()
    }

    fn kind(&self) -> Kind {
        Kind::Bloom
    }

    fn can(&self) -> Can {
        let undivided = !self.is_divided();
        Can {
            insert: undivided,
            unite: undivided,
            intersect: undivided,
            except: undivided,
            ..self.filter.can()
        }
    }

    fn fold_factors(&self) -> Vec<u64> {
        self.filter.fold_factors()
    }

    fn folded_size_in_bytes(&self, factor: u64) -> Option<u64> {
        self.filter.folded_size_in_bytes(factor)
    }
}

impl MutableFilter for ExceptedBloomFilter {
    fn insert_key(&mut self, key: KeyRef<'_>) -> Result<bool> {
        self.check_undivided(Operation::Insert)?;
        // A list may have a hash for which the bits said no until now.
        let was_excepted = self.excepts(key);
        let is_new = self.filter.insert(&key)?;
        if was_excepted {
            self.remove(Batch::One(One::Key(key)), 1);
        }
        Ok(is_new || was_excepted)
    }

    fn clear(&mut self) -> Result<()> {
        self.filter.clear()?;
        (self.exceptions, self.divider) = (Vec::new(), None);
        Ok(())
    }

    fn set_labels(&mut self, labels: crate::facts::Labels) -> Result<()> {
        self.filter.set_labels(labels)
    }

    fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        self.filter.set_over_capacity(policy)
    }

    fn union_with(&mut self, other: &Self) -> Result<()> {
        self.union_with(other)
    }

    fn intersect_with(&mut self, other: &Self) -> Result<()> {
        self.intersect_with(other)
    }
}

/// The error for combining exceptions into a filter that has none.
pub(super) fn comes_first(operation: Operation) -> Error {
    Error::NotPossible {
        kind: Kind::Bloom,
        operation,
        instead: advice!("the other one has exceptions; name that one first"),
    }
}

impl AnyFilter {
    /// The number of keys for which it says no although its bits say yes.
    #[must_use]
    pub fn exceptions(&self) -> u64 {
        match self {
            AnyFilter::Excepted(filter) => filter.exceptions(),
            _ => 0,
        }
    }

    /// The bytes of these exceptions in its file, as a list or a divider.
    #[must_use]
    pub fn exceptions_len(&self) -> u64 {
        match self {
            AnyFilter::Excepted(filter) => filter.exceptions_len(),
            _ => 0,
        }
    }

    /// Adds exceptions: the filter says no for their keys. Exceptions that were taken with another
    /// filter, and for which this one says no by its bits, are left out.
    ///
    /// # Errors
    /// [`Error::NotPossible`] for a chain of filters, and for a filter with a divider
    /// ([`divide`](Self::divide)).
    pub fn except(self, exceptions: &Exceptions) -> Result<AnyFilter> {
        let filter = match self {
            AnyFilter::Bloom(filter) => ExceptedBloomFilter::new(filter, Vec::new(), None),
            AnyFilter::Excepted(filter) => filter,
            #[allow(unreachable_patterns, reason = "if there is only one kind")]
            other => return Err(other.refusal(Operation::Except)),
        };
        Ok(AnyFilter::Excepted(filter.with(exceptions)?))
    }

    /// Adds exceptions, and replaces the list of all exceptions by a divider. A divider takes some
    /// 1.3 bits for each member and each exception; a list takes 64 bits for each exception.
    ///
    /// The divider answers only for the keys that it was made of. So `members` must be all keys of
    /// the filter: a member that is left out may be missed from then on. For the same reason the
    /// filter takes no further key, exception or union. Of the other keys for which the bits say
    /// yes, the divider denies about a half. While it is made, members and exceptions take some 40
    /// bytes of memory each.
    ///
    /// ```
    /// use tepal::{BloomFilter, Exceptions, Opened, file::Format, hash::PreparedKeys};
    /// let members = BloomFilter::builder().capacity(200).false_positive_rate(0.1).build_from(0..200_u64)?;
    /// let file = Opened::new(members, Format::Tepal)?;
    /// let prepared = |range: std::ops::Range<u64>| {
    ///     let mut keys = PreparedKeys::default();
    ///     range.map(|key| file.key_hasher().prepare(&key, &mut keys)).collect::<tepal::Result<()>>().map(|()| keys)
    /// };
    /// let (members, others) = (prepared(0..200)?, prepared(200..10_000)?);
    /// let mut exceptions = Exceptions::new();
    /// exceptions.take(file.filter(), &others);
    /// let file = file.divide(&exceptions, &members)?;
    /// assert!((0..200_u64).all(|member| file.contains(&member)));
    /// assert!(!(200..10_000_u64).any(|other| file.contains(&other)));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`except`](Self::except); [`Error::Parameter`] if a member and an exception have the same
    /// hash; [`Error::NotPossible`] for a filter that has a divider; [`Error::TooLarge`] if there
    /// is no memory.
    pub fn divide(self, exceptions: &Exceptions, members: &PreparedKeys) -> Result<AnyFilter> {
        match self.except(exceptions)? {
            AnyFilter::Excepted(filter) => Ok(AnyFilter::Excepted(filter.divided(members)?)),
            other => Ok(other),
        }
    }
}

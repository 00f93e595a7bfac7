//! A chain of Bloom filters that grows: by the rule of RedisBloom, of valkey-bloom, or of tepal.
//!
//! A key is inserted into the newest filter. When that filter is full, a larger one with a lower
//! rate is added. A key is a member if any filter of the chain holds it. The rules of growth are in
//! [`grow`], the next link is made in [`next`], the plan of tepal's own links is in [`promise`],
//! batch inserts are in [`batch`], and the file part of tepal's own chains is in [`in_file`].

mod batch;
mod builder;
mod grow;
mod in_file;
mod next;
mod promise;

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::bloom::{BloomFilter, after};
use super::generic::Change;
use super::usual_facts::usual_facts;
use super::{FilePart, Filter, Inner, InnerMut, MutableFilter};
use crate::error::{Advice, Error, Result, advice};
use crate::facts::{Can, Facts, Labels, Warning};
use crate::ids::{Kind, Operation, OverCapacity};
use crate::key::{Batch, Key, KeyHasher, KeyRef, KeySink, Keys, One};
pub(crate) use grow::Growth;

/// A Bloom filter that grows by adding larger ones: a key is in any of its [`links`](Self::links).
///
/// `BloomFilterBuilder::build_growing` (feature `extras`) makes tepal's own kind, which keeps one
/// promise for any number of keys. Opening a file of RedisBloom or valkey-bloom, or
/// `BloomFilterBuilder::build_chain` (feature `foreign`), makes a chain that grows as in these
/// programs, with the same sizes and bits.
///
/// ```
/// # #[cfg(feature = "extras")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tepal::{BloomFilter, ScalableBloomFilter};
/// let mut seen = BloomFilter::builder().capacity(1000).false_positive_rate(0.01).build_growing()?;
/// for visitor in 0..5000_u32 {
///     seen.insert(&visitor)?;
/// }
/// assert!(seen.contains(&4999_u32) && seen.links().len() > 1);
/// seen.insert_many(&["alice", "bob"])?;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.tepal");
/// seen.save(&path)?;
/// assert!(ScalableBloomFilter::open(&path)?.contains("alice"));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "extras"))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct ScalableBloomFilter {
    /// At least one.
    links: Vec<BloomFilter>,
    growth: Growth,
    /// Keys given since the newest link was last measured, repeats included.
    given: u64,
    /// The number of keys that the caller expects in the chain; 0 if the caller named none.
    expected: u64,
    /// The file's bits and checks, if the chain was opened and has not changed since.
    whole: Option<Box<super::links::WholeBody>>,
}

/// Two chains are equal if their links are equal: they give every key the same answer for the same
/// reason. Their rule of growth does not matter.
impl PartialEq for ScalableBloomFilter {
    fn eq(&self, other: &ScalableBloomFilter) -> bool {
        self.links == other.links
    }
}

impl ScalableBloomFilter {
    /// A chain of these links, which share a key hasher.
    pub(crate) fn new(links: Vec<BloomFilter>, growth: Growth) -> Result<Self> {
        let Some((first, others)) = links.split_first() else {
            return Err(Error::damaged("a chain without a filter"));
        };
        others.iter().try_for_each(|link| first.meta.keys.check_same(&link.meta.keys))?;
        Ok(ScalableBloomFilter { links, growth, given: 0, expected: 0, whole: None })
    }

    /// The filters of the chain, the oldest first. There is at least one.
    #[must_use]
    pub fn links(&self) -> &[BloomFilter] {
        &self.links
    }

    /// How many times the capacity of its newest link the next one will have; `None` for a chain
    /// that does not grow.
    #[must_use]
    pub fn expansion(&self) -> Option<u32> {
        self.growth.expansion()
    }

    /// The rule by which it grows.
    #[cfg(feature = "foreign")]
    pub(crate) fn growth(&self) -> &Growth {
        &self.growth
    }

    /// Whether it is tepal's own kind, which grows under one promise and has a tepal file.
    pub(crate) fn is_own(&self) -> bool {
        self.growth.is_own()
    }

    /// The link, if the chain has only one.
    pub(crate) fn into_only_link(self) -> core::result::Result<BloomFilter, Self> {
        match <[BloomFilter; 1]>::try_from(self.links) {
            Ok([link]) => Ok(link),
            Err(links) => Err(ScalableBloomFilter { links, ..self }),
        }
    }

    /// The key hasher, for threads and programs that hash keys ahead of a call. All links share it.
    #[must_use]
    pub fn key_hasher(&self) -> KeyHasher {
        self.links[0].key_hasher()
    }

    /// Looks up a key: `false` means surely not in the set, `true` means perhaps. Costs one hash,
    /// and a lookup in each link.
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        let mut sink = KeySink::new();
        let key = key.key(&mut sink);
        match self.links[0].meta.keys.usual_hash(key) {
            Some(hash) => self.holds_hash(hash),
            None => self.contains_any(&{ key }),
        }
    }

    /// Whether a link holds this hash.
    #[inline]
    fn holds_hash(&self, hash: u64) -> bool {
        // The newest link is the largest: most keys are there.
        self.links.iter().rev().any(|link| link.contains_hash(hash))
    }

    /// [`contains`](Self::contains) for every scheme, domain, recipe and key.
    #[inline(never)]
    fn contains_any(&self, key: &KeyRef<'_>) -> bool {
        let keys = &self.links[0].meta.keys;
        if !keys.has_hash() {
            return self.links.iter().rev().any(|link| link.contains(key));
        }
        keys.is_in_any(key, |hash| self.holds_hash(hash))
    }

    /// The false-positive rate now, estimated from the set bits of all links.
    ///
    /// The estimate treats the links as independent. Each link holds other keys, so the true rate
    /// lies between the estimate and the sum of the rates of the [`links`](Self::links). At 1 % the
    /// two differ by some thousandths of the rate, at 40 % by some hundredths.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        any_of(self.links.iter().map(|link| link.false_positive_rate()))
    }

    /// The false-positive rate that all links together promise.
    ///
    /// A chain of tepal's own kind promises the rate that was asked for, with any number of links.
    /// So does a RedisBloom chain that grows: its first link has half of that rate, and each
    /// further link half of the rate of the one before. The first link of a valkey-bloom chain has
    /// the whole rate, and a chain of many links promises almost twice the rate.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        match (&self.growth, self.links.as_slice()) {
            (Growth::Promise { rate, .. }, _) => *rate,
            (Growth::RedisBloom { .. }, [first, ..]) => {
                (2.0 * first.promised_false_positive_rate()).min(1.0 - f64::EPSILON)
            }
            (_, [one]) => one.promised_false_positive_rate(),
            (_, links) => any_of(links.iter().map(|link| link.promised_false_positive_rate())),
        }
    }

    /// Inserts a key that no link holds into the newest link, or into a new link if that one is
    /// full. `true`: the key is surely new.
    ///
    /// # Errors
    /// - [`Error::CapacityReached`] if the chain is full and may not grow;
    /// - [`Error::RateOutOfReach`] if a chain of tepal's own kind is full, and its links leave too
    ///   little of its rate for another link ([`AnyFilter::is_full`](crate::AnyFilter::is_full) is
    ///   `true` then);
    /// - [`Error::TooLarge`] if there is no memory for the next link;
    /// - [`Error::PastLimit`] if the chain would become more than a thousand times larger at once;
    /// - [`Error::KeyRefused`] for a key that the key domain does not have;
    /// - [`Error::KeysClustered`] if the keys of a chain of tepal's own kind crowd few lines.
    ///
    /// The chain is unchanged then.
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        self.insert_one(Batch::One(One::Key(key.key(&mut KeySink::new()))))
    }

    /// Inserts many keys, one after the other.
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The keys before the refused one are inserted:
    /// [`Error::CapacityReached`] says how many.
    pub fn insert_many<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<()> {
        Change::insert_many(self, keys)
    }

    /// [`insert_many`](Self::insert_many) for the keys of an iterator.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_iter<K: Key>(&mut self, keys: impl IntoIterator<Item = K>) -> Result<()> {
        Change::insert_iter(self, keys)
    }

    /// [`insert`](Self::insert) for a batch of one key.
    fn insert_one(&mut self, key: Batch<'_>) -> Result<bool> {
        let keys = &self.links[0].meta.keys;
        let hash;
        let key = match key {
            Batch::One(One::Key(key)) if keys.has_hash() => {
                hash = [keys.hash_any(&key)?];
                Batch::Hashes(&hash)
            }
            Batch::One(One::Encoded(_)) | Batch::Bytes(_) if keys.has_hash() => {
                return Err(Error::NoHash { scheme: keys.scheme() });
            }
            key => key,
        };
        self.look(1)?;
        let holds = |link: &BloomFilter| {
            let mut held = [false];
            link.answer_batch(key, &mut held);
            held[0]
        };
        if self.links.iter().rev().any(holds) {
            return Ok(false);
        }
        self.before_a_change()?;
        let last = self.links.len() - 1;
        if self.room_for(1) > 0 {
            self.links[last].insert_batch(key, 0)?;
            return Ok(true);
        }
        let mut next = self.next_link()?;
        next.insert_batch(key, 0)?;
        self.links.reserve_exact(1);
        self.links.push(next);
        Ok(true)
    }

    fn newest(&self) -> &BloomFilter {
        &self.links[self.links.len() - 1]
    }

    /// How many of this number of new keys still fit into the newest link.
    fn room_for(&self, keys: usize) -> usize {
        let newest = self.newest();
        let inserted = newest.keys_inserted().unwrap_or(newest.capacity());
        usize::try_from(newest.capacity().saturating_sub(inserted)).unwrap_or(usize::MAX).min(keys)
    }

    /// Checks the bits of a file before they are copied, unless that was done. After that the chain
    /// no longer depends on the file.
    fn before_a_change(&mut self) -> Result<()> {
        if self.whole.is_some() {
            self.check_before_copying()?;
            self.whole = None;
        }
        Ok(())
    }

    /// Removes all keys. The chain becomes its first link, empty.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there is no memory for an opened file's first link.
    pub fn clear(&mut self) -> Result<()> {
        self.links[0].clear()?;
        self.links.truncate(1);
        {
            (self.whole, self.given, self.expected) = (None, 0, 0);
        }
        Ok(())
    }

    /// Two chains can be united if their rules of growth are equal and their links have equal
    /// shapes.
    fn check_compatible(&self, other: &ScalableBloomFilter) -> Result<()> {
        let differ = |property, expected, found| Err(Error::Incompatible { property, expected, found });
        if self.growth != other.growth {
            let shown = |growth: &Growth| alloc::format!("{growth}");
            return differ("rule of growth", shown(&self.growth), shown(&other.growth));
        }
        if self.links.len() != other.links.len() {
            let shown = |chain: &ScalableBloomFilter| alloc::format!("{}", chain.links.len());
            return differ("number of filters in the chain", shown(self), shown(other));
        }
        // Checks all links before any changes.
        self.links.iter().zip(&other.links).try_for_each(|(a, b)| a.check_union(b))
    }

    /// Adds all keys of a chain of the same shape. Each link takes the bits of its counterpart and
    /// adds its number of keys: a key that both have counts twice.
    ///
    /// # Errors
    /// [`Error::Incompatible`] if the chains differ in their rule of growth, or in the number or
    /// shape of their links; [`Error::NotPossible`] for chains of tepal's own kind, because the
    /// union would break their promise. The chain is unchanged then.
    pub fn union_with(&mut self, other: &ScalableBloomFilter) -> Result<()> {
        if self.is_own() && other.is_own() {
            self.links[0].meta.keys.check_same(&other.links[0].meta.keys)?;
            return Err(self.refusal(Operation::Unite));
        }
        self.check_compatible(other)?;
        self.links.iter_mut().zip(&other.links).try_for_each(|(a, b)| a.union_with(b))
    }
}

/// The probability that at least one of these independent events happens.
fn any_of(chances: impl Iterator<Item = f64>) -> f64 {
    1.0 - chances.map(|chance| 1.0 - chance).product::<f64>()
}

impl fmt::Debug for ScalableBloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScalableBloomFilter")
            .field("growth", &self.growth)
            .field("links", &self.links)
            .finish()
    }
}

impl Inner for ScalableBloomFilter {
    fn contains_batch(&self, keys: Batch<'_>, answers: &mut [bool]) {
        let (newest, older) = (self.newest(), &self.links[..self.links.len() - 1]);
        newest.answer_batch(keys, answers);
        let mut held = vec![false; if older.is_empty() { 0 } else { answers.len() }];
        for link in older {
            link.answer_batch(keys, &mut held);
            answers.iter_mut().zip(&held).for_each(|(answer, held)| *answer |= held);
        }
    }

    fn check_before_copying(&self) -> Result<()> {
        if let Some(whole) = &self.whole {
            return whole.check_before_copying();
        }
        Ok(())
    }

    fn file_part(&self) -> Result<FilePart<'_>> {
        match self.growth {
            Growth::Promise { expansion, rate } => Ok(self.part(expansion, rate)),
            _ => Err(self.refusal(Operation::BeInFile)),
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings: Vec<_> = self.links.iter().flat_map(|link| link.warnings()).collect();
        warnings.dedup();
        warnings
    }

    fn instead(&self, operation: Operation) -> Advice {
        match operation {
            Operation::Unite => {
                advice!(
                    "ask both of them, or add the keys of the one to the other: the links of both together would be past the promise"
                )
            }
            Operation::Intersect => advice!("intersect single filters"),
            Operation::SetOverCapacity => advice!("its rule of growth, which its file has, decides that"),
            Operation::SetLabels => advice!("keep them beside its file"),
            Operation::BeInFile => advice!("write it in the format of its program"),
            other => other.instead(),
        }
    }
}

impl InnerMut for ScalableBloomFilter {
    fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
        if let Batch::Hashes([_, ..]) = keys {
            // Under a scheme without a 64-bit hash the links answer "perhaps" for a hash, and the
            // key would count as a member.
            self.links[0].meta.keys.check_has_hash()?;
        }
        let mut one = |(done, key)| self.insert_one(key).map(drop).map_err(after(done));
        match keys {
            Batch::Hashes(hashes) => self.insert_hashes(hashes, |_, _| ()).map_err(after(done)),
            Batch::Bytes(keys) => {
                (done..).zip(keys.each().map(|bytes| Batch::One(One::Encoded(bytes)))).try_for_each(one)
            }
            Batch::One(_) => one((done, keys)),
        }
    }

    #[cfg(feature = "foreign")]
    fn set_key_domain(&mut self, domain: crate::ids::KeyDomain) {
        self.links.iter_mut().for_each(|link| link.meta.keys = link.meta.keys.of_domain(domain));
    }
}

impl Filter for ScalableBloomFilter {
    fn key_hasher(&self) -> &KeyHasher {
        &self.links[0].meta.keys
    }

    fn contains_key(&self, key: KeyRef<'_>) -> bool {
        self.contains(&key)
    }

    fn false_positive_rate(&self) -> f64 {
        self.false_positive_rate()
    }

    fn promised_false_positive_rate(&self) -> f64 {
        self.promised_false_positive_rate()
    }

    fn capacity(&self) -> u64 {
        self.links.iter().fold(0, |sum, link| sum.saturating_add(link.capacity()))
    }

    fn over_capacity(&self) -> OverCapacity {
        match self.growth {
            Growth::Fixed => OverCapacity::Refuse,
            Growth::RedisBloom { .. } | Growth::ValkeyBloom { .. } => OverCapacity::Warn,
            Growth::Promise { .. } => OverCapacity::Warn,
        }
    }

    /// A chain grows before it is over capacity.
    fn is_over_capacity(&self) -> bool {
        false
    }

    fn is_full(&self) -> bool {
        if self.is_own() {
            return self.has_ended();
        }
        let newest = self.newest();
        let has_room = newest.keys_inserted().is_some_and(|keys| keys < newest.capacity());
        !has_room && self.over_capacity() == OverCapacity::Refuse
    }

    fn labels(&self) -> &Labels {
        self.links[0].labels()
    }

    fn keys_inserted(&self) -> Option<u64> {
        self.links.iter().try_fold(0u64, |all, link| all.checked_add(link.keys_inserted()?))
    }

    fn estimated_len(&self) -> f64 {
        self.links.iter().map(|link| link.estimated_len()).sum()
    }

    fn size_in_bytes(&self) -> u64 {
        self.links.iter().map(|link| link.size_in_bytes()).sum()
    }

    fn facts(&self) -> Facts {
        Facts {
            expansion: self.growth.expansion(),
            parts: self.links.iter().map(|link| link.part_facts()).collect(),
            ..usual_facts(self)
        }
    }

    fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        let largest = self.links.iter().max_by_key(|link| link.bit_len());
        largest.map_or_else(Vec::new, |link| link.fill_of_slices(slices))
    }

    fn verify(&self) -> Result<()> {
        if let Some(whole) = &self.whole {
            return whole.verify();
        }
        Ok(())
    }

    fn kind(&self) -> Kind {
        Kind::Scalable
    }

    fn can(&self) -> Can {
        let (grow, unite) = (!matches!(self.growth, Growth::Fixed), !self.is_own());
        Can { insert: true, grow, refill: true, unite, ..Can::default() }
    }
}

impl MutableFilter for ScalableBloomFilter {
    fn insert_key(&mut self, key: KeyRef<'_>) -> Result<bool> {
        self.insert(&key)
    }

    fn clear(&mut self) -> Result<()> {
        self.clear()
    }

    fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        match policy == self.over_capacity() {
            true => Ok(()),
            false => Err(self.refusal(Operation::SetOverCapacity)),
        }
    }

    fn set_labels(&mut self, _: Labels) -> Result<()> {
        Err(self.refusal(Operation::SetLabels))
    }

    fn union_with(&mut self, other: &Self) -> Result<()> {
        self.union_with(other)
    }
}

#[cfg(all(test, feature = "foreign"))]
mod tests;

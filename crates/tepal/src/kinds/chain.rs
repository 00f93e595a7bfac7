//! A chain of Bloom filters that grows: RedisBloom's and valkey-bloom's form.
//!
//! A key goes into the newest filter; when that one holds what it was planned for, a larger one with a lower
//! rate is added. A key is held when any filter of the chain holds it.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::bloom::{BloomFilter, after};
use super::{AwaitsBody, FilePart, Filter};
use crate::error::{Error, Result};
use crate::facts::{Facts, Labels, Warning};
use crate::ids::{Kind, OverCapacity};
use crate::key::{Batch, Key, KeyHasher, KeyRef, KeySink, Keys, One, SecretKey};

/// A Bloom filter that grows by adding larger ones: keys are in any of its [`links`](Self::links).
///
/// Made by opening a file of RedisBloom or valkey-bloom, or from nothing by `BloomFilterBuilder::build_chain`; it grows as
/// these programs would have let it grow, with the same sizes and bits.
#[derive(Clone)]
pub struct ScalableBloomFilter {
    /// At least one.
    links: Vec<BloomFilter>,
    growth: Growth,
}

/// One insert makes a chain at most so many times larger, or by this many bytes: its numbers may come from
/// a file that a stranger wrote.
const MOST_GROWTH: u64 = 1024;
const SMALL_GROWTH: u64 = 1 << 20;

/// The rule by which the next filter of the chain follows from the last.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Growth {
    /// Never: the chain is full when its one filter is.
    Fixed,
    /// RedisBloom: `expansion` times the entries, half the error.
    RedisBloom { expansion: u32 },
    /// valkey-bloom: `expansion` times the capacity, filter j at `rate · tightening^j`.
    ValkeyBloom { expansion: u32, rate: f64, tightening: f64 },
}

impl Growth {
    /// How many times the keys of the last link the next one is for.
    fn expansion(&self) -> Option<u32> {
        match self {
            Growth::Fixed => None,
            Growth::RedisBloom { expansion } | Growth::ValkeyBloom { expansion, .. } => Some(*expansion),
        }
    }
}

/// Two chains are equal when their links are: they give every key the same answer for the same reason. How they would
/// grow does not matter.
impl PartialEq for ScalableBloomFilter {
    fn eq(&self, other: &ScalableBloomFilter) -> bool {
        self.links == other.links
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Growth::Fixed => f.write_str("none"),
            Growth::RedisBloom { expansion } => write!(f, "{expansion} times the keys at half the rate"),
            Growth::ValkeyBloom { expansion, rate, tightening } => {
                write!(f, "{expansion} times the keys at {tightening} of the rate, from {rate} on")
            }
        }
    }
}

impl ScalableBloomFilter {
    /// A chain of these links, which share a key hasher.
    pub(crate) fn new(links: Vec<BloomFilter>, growth: Growth) -> Result<Self> {
        let Some((first, others)) = links.split_first() else {
            return Err(Error::damaged("a chain without a filter"));
        };
        others.iter().try_for_each(|link| first.meta.keys.check_same(&link.meta.keys))?;
        Ok(ScalableBloomFilter { links, growth })
    }

    /// The filters of the chain, the oldest first. There is at least one.
    #[must_use]
    pub fn links(&self) -> &[BloomFilter] {
        &self.links
    }

    /// The rule by which it grows.
    #[cfg(feature = "foreign")]
    pub(crate) fn growth(&self) -> &Growth {
        &self.growth
    }

    /// The one filter of a chain of one.
    pub(crate) fn into_only_link(self) -> core::result::Result<BloomFilter, Self> {
        match <[BloomFilter; 1]>::try_from(self.links) {
            Ok([link]) => Ok(link),
            Err(links) => Err(ScalableBloomFilter { links, ..self }),
        }
    }

    /// What the filter does with a key, for threads and programs that hash ahead of it. It is that of all links.
    #[must_use]
    pub fn key_hasher(&self) -> KeyHasher {
        self.links[0].key_hasher()
    }

    /// Is the key in the set? `false` is certain; `true` means perhaps. Costs as much as asking each link.
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        // The newest link is the largest: most keys are there.
        self.links.iter().rev().any(|link| link.contains(key))
    }

    /// The share of wrong answers now, from the set bits of all links.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        any_of(self.links.iter().map(BloomFilter::false_positive_rate))
    }

    /// The share of wrong answers that all links together promise. RedisBloom makes the first link of a chain that grows for
    /// half of what it was asked for, and each further one for half of the one before: so the chain promises what was asked
    /// for, however many links it has. valkey-bloom makes the first for all of it, and a chain of many comes near twice that.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        match (&self.growth, self.links.as_slice()) {
            (Growth::RedisBloom { .. }, [first, ..]) => {
                (2.0 * first.promised_false_positive_rate()).min(1.0 - f64::EPSILON)
            }
            (_, [one]) => one.promised_false_positive_rate(),
            (_, links) => any_of(links.iter().map(BloomFilter::promised_false_positive_rate)),
        }
    }

    /// Inserts a key that no link holds into the newest one, or into a new one where that is full. `true`:
    /// the key is surely new.
    ///
    /// # Errors
    /// [`Error::CapacityReached`] where the chain is full and may not grow; [`Error::TooLarge`] where it would
    /// become more than a thousand times larger at once; [`Error::KeyRefused`] for a key
    /// that the key domain does not have. The chain is unchanged then.
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        self.insert_one(Batch::One(One::Key(key.key(&mut KeySink::new()))))
    }

    /// Inserts many keys, one after the other.
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The keys before the refused one are in: [`Error::CapacityReached`] says how many.
    pub fn insert_many<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<()> {
        let mut sink = KeySink::new();
        (0..keys.len())
            .try_for_each(|i| self.insert(&keys.key(i, sink.cleared())).map(drop).map_err(after(i)))
    }

    /// [`insert`](Self::insert) for a batch of one key.
    fn insert_one(&mut self, key: Batch<'_>) -> Result<bool> {
        let holds = |link: &BloomFilter| {
            let mut held = [false];
            link.answer_batch(key, &mut held);
            held[0]
        };
        if self.links.iter().rev().any(holds) {
            return Ok(false);
        }
        let newest = self.newest();
        if newest.keys_inserted().is_some_and(|keys| keys < newest.capacity()) {
            let last = self.links.len() - 1;
            self.links[last].insert_batch(key, 0)?;
            return Ok(true);
        }
        let mut next = self.next_link()?;
        next.insert_batch(key, 0)?;
        self.links.push(next);
        Ok(true)
    }

    fn newest(&self) -> &BloomFilter {
        &self.links[self.links.len() - 1]
    }

    /// Forgets all keys: the chain as it began, its first filter, empty.
    pub fn clear(&mut self) {
        self.links.truncate(1);
        self.links[0].clear();
    }

    /// Two chains can be united when they grow by one rule and have the same links, one by one.
    fn check_compatible(&self, other: &ScalableBloomFilter) -> Result<()> {
        let differ = |property, expected, found| Err(Error::Incompatible { property, expected, found });
        if self.growth != other.growth {
            let shown = |growth: &Growth| alloc::format!("{growth}");
            return differ("rule of growth", shown(&self.growth), shown(&other.growth));
        }
        if self.links.len() != other.links.len() {
            let shown = |links: &[BloomFilter]| alloc::format!("{}", links.len());
            return differ("number of filters in the chain", shown(&self.links), shown(&other.links));
        }
        // All of them before any changes.
        self.links.iter().zip(&other.links).try_for_each(|(a, b)| a.check_union(b))
    }

    /// Adds all keys of a chain of the same shape: each link takes the bits of its counterpart.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where the chains differ in their rule of growth, or in the number or shape of their
    /// links. The chain is unchanged then.
    pub fn union_with(&mut self, other: &ScalableBloomFilter) -> Result<()> {
        self.check_compatible(other)?;
        self.links.iter_mut().zip(&other.links).try_for_each(|(a, b)| a.union_with(b))
    }

    /// No chain: a key that both have may be in different links of them.
    pub(super) fn intersect_with(&mut self, _other: &ScalableBloomFilter) -> Result<()> {
        Err(self.not_possible("be intersected", "intersect single filters"))
    }

    fn not_possible(&self, operation: &'static str, instead: &'static str) -> Error {
        Error::NotPossible { kind: Kind::Scalable, operation, instead }
    }

    /// The empty filter that comes after the newest.
    fn next_link(&self) -> Result<BloomFilter> {
        let newest = self.newest();
        let full = Error::CapacityReached { capacity: newest.capacity(), inserted: 0 };
        let (expansion, rate) = match &self.growth {
            Growth::Fixed => return Err(full),
            Growth::RedisBloom { expansion } => (*expansion, newest.promised_false_positive_rate() * 0.5),
            Growth::ValkeyBloom { expansion, rate, tightening } => {
                let power = crate::params::power(*tightening, self.links.len() as u32);
                (*expansion, rate * power)
            }
        };
        let capacity = newest.capacity().checked_mul(expansion.into()).ok_or(full)?;
        let size: u64 = self.links.iter().map(BloomFilter::size_in_bytes).sum();
        let most = MOST_GROWTH * size + SMALL_GROWTH;
        newest.same_hasher(capacity, rate, most).map_err(|error| match error {
            Error::TooLarge { bytes } if bytes > most => Error::PastLimit {
                what: "the chain is full, and its next filter would be more than 1,024 times as large as all of them",
                most,
                instead: "build it again with a smaller expansion (`--expansion`), or for more keys (`-n`)",
            },
            other => other,
        })
    }
}

/// The chance that any of these chances comes true.
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

impl Filter for ScalableBloomFilter {
    fn key_hasher(&self) -> &KeyHasher {
        &self.links[0].meta.keys
    }

    fn contains(&self, key: KeyRef<'_>) -> bool {
        self.contains(&key)
    }

    fn contains_batch(&self, keys: Batch<'_>, answers: &mut [bool]) {
        let (newest, older) = (self.newest(), &self.links[..self.links.len() - 1]);
        newest.answer_batch(keys, answers);
        let mut held = vec![false; if older.is_empty() { 0 } else { answers.len() }];
        for link in older {
            link.answer_batch(keys, &mut held);
            answers.iter_mut().zip(&held).for_each(|(answer, held)| *answer |= held);
        }
    }

    fn insert(&mut self, key: KeyRef<'_>) -> Result<bool> {
        self.insert(&key)
    }

    fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
        if let Batch::Hashes([_, ..]) = keys {
            // Of a hash under a scheme without one the links say perhaps, and it would be taken for a key that is in.
            self.links[0].meta.keys.check_has_hash()?;
        }
        let mut one = |(done, key)| self.insert_one(key).map(drop).map_err(after(done));
        match keys {
            Batch::Hashes(hashes) => (done..).zip(hashes.chunks(1).map(Batch::Hashes)).try_for_each(one),
            Batch::Bytes(keys) => {
                (done..).zip(keys.each().map(|bytes| Batch::One(One::Encoded(bytes)))).try_for_each(one)
            }
            Batch::One(_) => one((done, keys)),
        }
    }

    fn clear(&mut self) -> Result<()> {
        self.clear();
        Ok(())
    }

    fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        match policy == self.over_capacity() {
            true => Ok(()),
            false => Err(self.not_possible(
                "change what happens past its capacity",
                "its rule of growth, which its file has, decides that",
            )),
        }
    }

    #[cfg(feature = "foreign")]
    fn set_key_domain(&mut self, domain: crate::ids::KeyDomain) {
        self.links.iter_mut().for_each(|link| link.meta.keys = link.meta.keys.of_domain(domain));
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
        }
    }

    /// A chain grows in time.
    fn is_over_capacity(&self) -> bool {
        false
    }

    fn keys_inserted(&self) -> Option<u64> {
        self.links.iter().try_fold(0u64, |all, link| all.checked_add(link.keys_inserted()?))
    }

    fn estimated_len(&self) -> f64 {
        self.links.iter().map(BloomFilter::estimated_len).sum()
    }

    fn size_in_bytes(&self) -> u64 {
        self.links.iter().map(BloomFilter::size_in_bytes).sum()
    }

    fn facts(&self) -> Facts {
        let hasher = &self.links[0].meta.keys;
        Facts {
            kind: Kind::Scalable,
            scheme: hasher.scheme(),
            seed: hasher.seed(),
            valkey_seed: hasher.valkey_seed(),
            caller_hash: hasher.caller_hash(),
            key_domain: hasher.key_domain(),
            recipe: hasher.recipe(),
            capacity: Filter::capacity(self),
            promised_false_positive_rate: self.promised_false_positive_rate(),
            expansion: self.growth.expansion(),
            over_capacity: self.over_capacity(),
            is_over_capacity: false,
            keys_inserted: self.keys_inserted(),
            estimated_len: self.estimated_len(),
            false_positive_rate: self.false_positive_rate(),
            size_in_bytes: self.size_in_bytes(),
            labels: Labels::default(),
            parts: self.links.iter().map(BloomFilter::part_facts).collect(),
            warnings: self.warnings(),
            file: None,
        }
    }

    fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        let largest = self.links.iter().max_by_key(|link| link.bit_len());
        largest.map_or_else(Vec::new, |link| link.fill_of_slices(slices))
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings: Vec<_> = self.links.iter().flat_map(BloomFilter::warnings).collect();
        warnings.dedup();
        warnings
    }

    fn verify(&self) -> Result<()> {
        Ok(())
    }

    fn check_before_copying(&self) -> Result<()> {
        Ok(())
    }

    fn file_part(&self) -> Result<FilePart<'_>> {
        Err(no_file())
    }

    fn of_file(_: &FilePart<'_>, _: Option<&SecretKey>) -> Result<Box<dyn AwaitsBody>> {
        Err(no_file())
    }
}

fn no_file() -> Error {
    Error::NotPossible {
        kind: Kind::Scalable,
        operation: "be in a tepal file",
        instead: "write it in the format of its program",
    }
}

#[cfg(all(test, feature = "foreign"))]
mod tests;

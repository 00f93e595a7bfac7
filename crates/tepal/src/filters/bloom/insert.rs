//! Inserting, and knowing when it is enough.

use super::storage::{Bits, Storage};
use super::{BATCH, BloomFilter, Meta, OverCapacity};
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::hash::{Key, KeyRef, Keys};
use crate::params::expected_fill;
use crate::schemes::Own;

/// How many bits are set, as far as inserting has to know.
///
/// One key at a time reports each bit it sets, so the count is exact. A batch far from the limit reports
/// nothing, for speed; its keys are added up, each good for k bits at most, and the bits are counted again
/// where that bound passes the limit.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// Set bits when last known.
    counted: u64,
    /// Bits that may have been set since.
    uncounted: u64,
    /// So many set bits are the capacity.
    limit: u64,
}

impl Tally {
    pub(crate) fn new(meta: &Meta, set_bits: u64) -> Self {
        let shape = meta.shape;
        // The fill is known to 0.03 %: beyond 8 bits a line, the second bit of a word falls on the first a
        // little less often than once in 64. A thousandth more keys raises no rate by more than 2 %.
        let keys = 1.001 * meta.capacity as f64;
        let (fill, deviation) = expected_fill(shape.layout, shape.num_hashes, shape.bit_len, keys);
        let bits = (fill + 5.0 * deviation) * shape.bit_len as f64 + f64::from(shape.num_hashes);
        Tally { counted: set_bits, uncounted: 0, limit: (bits as u64).min(shape.bit_len) }
    }

    /// For bits that change without being told of.
    #[cfg(target_has_atomic = "64")]
    pub(super) fn unknown(meta: &Meta) -> Self {
        Tally { uncounted: u64::MAX, ..Tally::new(meta, 0) }
    }

    /// At most so many bits are set.
    fn bound(&self) -> u64 {
        self.counted.saturating_add(self.uncounted)
    }

    /// So many keys of k bits surely stay within the limit.
    pub(super) fn room(&self, k: u64) -> usize {
        let keys = self.limit.saturating_sub(self.bound()) / k;
        usize::try_from(keys).unwrap_or(usize::MAX)
    }

    /// Is the bound the truth?
    pub(super) fn is_exact(&self) -> bool {
        self.uncounted == 0
    }

    /// Some keys went in, and may have set so many bits.
    pub(super) fn add_uncounted(&mut self, bits: u64) {
        self.uncounted = self.uncounted.saturating_add(bits);
    }

    /// All bits were counted.
    pub(super) fn recounted(&mut self, bits: u64) {
        (self.counted, self.uncounted) = (bits, 0);
    }
}

/// With room for fewer keys, they go in one by one.
const FEW: usize = 64;

/// With room for fewer keys than this a line, the bits they set are counted: that costs about what counting
/// all bits does.
const COUNTED_BELOW: usize = 4;

impl<L: AsRef<[Line]>> BloomFilter<L> {
    /// Does the filter hold more than it was planned for, going by its set bits? Its rate is then above
    /// the promise. Always `false` under [`OverCapacity::Ignore`].
    ///
    /// Under [`OverCapacity::Refuse`] inserting never makes it so: the last key may set up to k - 1 bits more than
    /// there was room for, and they count as room. It may be so where keys went in under another policy, or by
    /// several threads at once ([`Shared`](crate::Shared)).
    ///
    /// Costs nothing far below capacity, and one pass over the bits near it after batches.
    pub fn is_over_capacity(&self) -> bool {
        self.meta.over_capacity != OverCapacity::Ignore
            && self.tally.bound() > self.most_bits()
            && self.set_bits() > self.most_bits()
    }
}

impl<L: Storage> BloomFilter<L> {
    /// How many bits are set. Costs one pass over the bits after a batch was inserted and where threads share
    /// the filter, else nothing.
    pub fn set_bits(&self) -> u64 {
        if self.tally.is_exact() {
            return self.tally.counted;
        }
        match self.lines.view().0 {
            Bits::Plain(lines) => self.kernel.count(lines),
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(shared) => self.kernel.shared_count(&shared.lines),
        }
    }

    /// Hashes the keys of a batch, from number `start` on, up to the first that is refused: how many there are
    /// before it, and why it was.
    #[inline]
    pub(super) fn hash_batch<K: Keys + ?Sized>(
        &self,
        keys: &K,
        start: usize,
        hashes: &mut [u64; BATCH],
    ) -> (usize, Result<()>) {
        let mut count = 0;
        for i in start..keys.len().min(start + BATCH) {
            match self.meta.hasher.hash_key(self.meta.domain, keys.key(i)) {
                Ok(hash) => hashes[count] = hash,
                Err(error) => return (count, Err(error)),
            }
            count += 1;
        }
        (count, Ok(()))
    }

    /// [`Error::NoHash`] where the scheme goes from the key straight to the bits.
    #[inline]
    pub(super) fn check_has_hash(&self) -> Result<()> {
        if self.has_hash() { Ok(()) } else { Err(Error::NoHash { scheme: self.scheme() }) }
    }

    /// So many set bits are the capacity.
    pub(super) fn limit(&self) -> u64 {
        self.tally.limit
    }

    /// More set bits than this are more than the capacity. Where new keys are refused at the limit, the last one
    /// before may still have gone k - 1 bits past it.
    pub(super) fn most_bits(&self) -> u64 {
        let last_key = if self.refuses() { u64::from(self.num_hashes()) - 1 } else { 0 };
        self.tally.limit.saturating_add(last_key)
    }

    pub(super) fn refuses(&self) -> bool {
        self.meta.over_capacity == OverCapacity::Refuse
    }

    pub(super) fn capacity_reached(&self, inserted: usize) -> Error {
        Error::CapacityReached { capacity: self.meta.capacity, inserted }
    }
}

/// An error from what followed the first `done` keys of a call, for all of them.
pub(super) fn after(done: usize) -> impl Fn(Error) -> Error {
    move |error| match error {
        Error::CapacityReached { capacity, inserted } => {
            Error::CapacityReached { capacity, inserted: done + inserted }
        }
        other => other,
    }
}

impl BloomFilter {
    /// Inserts a key. `true`: the key is surely new. `false`: it was in already, or looked so.
    ///
    /// From then on [`contains`](Self::contains) answers `true` for this key, for ever.
    ///
    /// # Errors
    /// [`Error::CapacityReached`] for a new key where the filter is full and its policy is
    /// [`OverCapacity::Refuse`]; [`Error::KeyRefused`] for text in an integer filter. The filter is
    /// unchanged then.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        if let Some(own) = self.meta.hasher.own().cloned() {
            return self.insert_own(&own, key.key());
        }
        let hash = self.hash_key(key)?;
        self.insert_hash(hash)
    }

    /// [`insert`](Self::insert) for a key hashed before by [`hash_key`](Self::hash_key).
    ///
    /// # Errors
    /// [`Error::CapacityReached`], as there; [`Error::NoHash`] where the scheme has no 64-bit hash.
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) -> Result<bool> {
        self.check_has_hash()?;
        if self.refuses_now() && !self.contains_hash(hash) {
            return Err(self.capacity_reached(0));
        }
        let new = self.kernel.insert(&self.rules, &mut self.lines, hash);
        self.tally.counted += u64::from(new);
        self.add_to_inserted(1);
        Ok(new > 0)
    }

    /// [`insert`](Self::insert) under a scheme with a rule of its own.
    fn insert_own(&mut self, own: &Own, key: KeyRef<'_>) -> Result<bool> {
        if self.refuses_now() && !self.contains_own(own, key) {
            return Err(self.capacity_reached(0));
        }
        let new = self.set_own(own, key)?;
        self.tally.counted += u64::from(new);
        if new > 0 || !own.counts_only_new() {
            self.add_to_inserted(1);
        }
        Ok(new > 0)
    }

    /// Inserts many keys: hashed and set in batches, with the memory accesses of a batch under way
    /// together. Does not say which keys were new. The keys are a slice or vector of whatever can be a [`Key`],
    /// or a [`Column`](crate::Column).
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The keys before the refused one are in:
    /// [`Error::CapacityReached`] says how many; with [`Error::KeyRefused`] it is all up to the key it
    /// names.
    pub fn insert_many<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<()> {
        if !self.has_hash() {
            return self.insert_each(keys);
        }
        let mut hashes = [0; BATCH];
        for start in (0..keys.len()).step_by(BATCH) {
            let (count, refused) = self.hash_batch(keys, start, &mut hashes);
            self.insert_batch(&hashes[..count], start)?;
            refused?;
        }
        Ok(())
    }

    /// [`insert_many`](Self::insert_many) for keys hashed before.
    ///
    /// # Errors
    /// [`Error::CapacityReached`], as there; [`Error::NoHash`] where the scheme has no 64-bit hash.
    pub fn insert_many_hashes(&mut self, hashes: &[u64]) -> Result<()> {
        self.check_has_hash()?;
        self.insert_batch(hashes, 0)
    }

    fn insert_each<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<()> {
        (0..keys.len()).try_for_each(|i| self.insert(&keys.key(i)).map(drop).map_err(after(i)))
    }

    /// Inserts a batch of which each key may set k bits. Where that many might pass the limit, it goes in by
    /// pieces that cannot: without counting as long as they are large, then counted, at last one by one.
    fn insert_batch(&mut self, mut hashes: &[u64], mut done: usize) -> Result<()> {
        let k = u64::from(self.num_hashes());
        while self.refuses() && !hashes.is_empty() {
            let room = self.tally.room(k);
            let (piece, rest) = hashes.split_at(room.min(hashes.len()));
            let is_exact = self.tally.is_exact();
            if is_exact && room < FEW {
                for (i, &hash) in hashes.iter().enumerate() {
                    self.insert_hash(hash).map_err(|_| self.capacity_reached(done + i))?;
                }
                return Ok(());
            } else if is_exact && room < COUNTED_BELOW * self.lines.len() {
                self.insert_counting(piece);
            } else if rest.is_empty() {
                break;
            } else if piece.is_empty() {
                self.recount();
            } else {
                self.insert_unchecked(piece);
            }
            (hashes, done) = (rest, done + piece.len());
        }
        self.insert_unchecked(hashes);
        Ok(())
    }

    fn insert_counting(&mut self, hashes: &[u64]) {
        self.tally.counted += self.kernel.insert_many_counting(&self.rules, &mut self.lines, hashes);
        self.add_to_inserted(hashes.len() as u64);
    }

    fn insert_unchecked(&mut self, hashes: &[u64]) {
        self.kernel.insert_many(&self.rules, &mut self.lines, hashes);
        let may_set = hashes.len() as u64 * u64::from(self.num_hashes());
        self.tally.add_uncounted(may_set);
        self.add_to_inserted(hashes.len() as u64);
    }

    /// Forgets all keys.
    pub fn clear(&mut self) {
        self.lines.fill(Line([0; 8]));
        self.meta.inserted = Some(0);
        self.tally = Tally::new(&self.meta, 0);
    }

    /// Changes what happens past capacity.
    pub fn set_over_capacity(&mut self, policy: OverCapacity) {
        self.meta.over_capacity = policy;
    }

    /// Must a new key be refused now?
    #[inline]
    fn refuses_now(&mut self) -> bool {
        if !self.refuses() || self.tally.bound() < self.tally.limit {
            return false;
        }
        // After batches the bound may lie well above the truth.
        if !self.tally.is_exact() {
            self.recount();
        }
        self.tally.counted >= self.tally.limit
    }

    pub(super) fn add_to_inserted(&mut self, keys: u64) {
        self.meta.inserted = self.meta.inserted.and_then(|n| n.checked_add(keys));
    }

    /// Counts the set bits.
    pub(super) fn recount(&mut self) {
        self.tally.recounted(self.kernel.count(&self.lines));
    }

    /// Plans the filter for so many keys from now on; the promised rate stays.
    pub(super) fn set_capacity(&mut self, keys: u64) {
        self.meta.capacity = keys;
        self.tally = Tally::new(&self.meta, self.set_bits());
    }
}

#[cfg(test)]
mod tests;

//! A filter into which many threads insert at once.

mod apart;
mod counts;
mod whole;

use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;

use super::BloomFilter;
use super::insert::after;
use super::storage::{PlainStorage, Storage, View, sealed};
use super::tally::{Refusal, Tally};
use crate::bits::atomic::{self, AtomicBool, AtomicLine, AtomicU64};
use crate::bits::{Bits, Line};
use crate::error::{Error, Result};
use crate::ids::OverCapacity;
use crate::key::schemes::{OwnScheme, sizing};
use crate::key::{
    BATCH, Batch, Key, KeyRef, KeySink, Keys, One, Stretch, insert_in_batches, insert_iter_in_batches,
};
use counts::{Counter, Next, Watch};

/// The bits of a filter that threads share: atomic words, set and asked through `&self` without a
/// lock.
///
/// A `BloomFilter<Shared>` is made by [`into_shared`](BloomFilter::into_shared) and lent to threads
/// by a scope or an [`Arc`](alloc::sync::Arc). It sets the same bits as every other filter.
///
/// # What threads can rely on
///
/// On every platform:
///
/// - **An insert that returned is seen by every ask that happens after it**: later on the same
///   thread, or on another one that learned of it through a join, a channel, a lock or anything
///   else that synchronises. So it is for every insert that returned, also for one that found all
///   bits set already.
/// - No bit is ever lost, whatever is inserted at the same time.
/// - `false` from [`contains`](BloomFilter::contains) is certain as ever: no insert of the key
///   happened before the ask.
/// - `true` from [`insert`](Self#method.insert) is certain: no insert of the key happened before
///   this one. Of threads that insert the same new key at the same time, at least one gets `true`,
///   if not all its bits come from other keys; more than one may.
///
/// Between threads that do not synchronise there is no before and after. The bits reach other
/// threads as fast as the machine moves a cache line, but to see one key promises nothing of others
/// inserted before it, nor of other memory: the filter is no substitute for a lock. All accesses
/// are `Relaxed`, and the fences of [`core::sync::atomic`] work on them.
///
/// # What is counted
///
/// [`keys_inserted`](BloomFilter::keys_inserted) is exact, for all inserts that happened before.
/// [`OverCapacity::Refuse`] sets in as for one thread, and lets each thread finish the key, or the
/// piece of a batch (512 keys at most), that it is inserting. When to look is judged by the set
/// bits of a sample: all lines of a filter up to 32 KiB, at least 512 lines and one in 64 of a
/// larger one. Some times, once the keys of the capacity are in, threads wait while one looks at
/// all bits.
///
/// ```
/// use tepal::BloomFilter;
/// let seen = BloomFilter::builder().capacity(1_000_000).false_positive_rate(0.01).build()?.into_shared();
/// std::thread::scope(|scope| {
///     for thread in 0..4u64 {
///         let seen = &seen;
///         scope.spawn(move || (0..1000).try_for_each(|i| seen.insert(&(1000 * thread + i)).map(drop)));
///     }
/// });
/// assert!(seen.contains(&3999u64));
/// seen.into_owned()?.save(tempfile::tempdir()?.path().join("seen.tepal"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shared {
    pub(crate) lines: Vec<AtomicLine>,
    /// Keys inserted since the filter is shared.
    inserted: Counter,
    /// A filter was united with it of which it is not known how many keys it holds.
    uncounted: AtomicBool,
    watch: Watch,
    /// At so many keys the filter is looked at, whatever the sample says.
    look_at_keys: AtomicU64,
    /// It was looked at half-way.
    half_seen: AtomicBool,
    /// The rate for keys like the members, as the bits of an `f64`, where new keys are refused for
    /// that.
    spoiled: AtomicU64,
    /// So many threads set keys apart.
    apart: AtomicU64,
    /// Held more than its capacity before it was shared.
    was_over: bool,
}

impl Shared {
    /// With nothing counted yet.
    fn new(lines: Vec<AtomicLine>, watch: Watch, capacity: u64) -> Self {
        Shared {
            lines,
            inserted: Counter::new(capacity),
            uncounted: AtomicBool::new(false),
            watch,
            look_at_keys: AtomicU64::new(capacity / 2),
            half_seen: AtomicBool::new(false),
            spoiled: AtomicU64::new(0),
            apart: AtomicU64::new(0),
            was_over: false,
        }
    }
}

impl sealed::Sealed for Shared {}

impl Storage for Shared {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View(Bits::Shared(&self.lines))
    }

    fn inserted_since(&self) -> Option<u64> {
        (!self.uncounted.load(Relaxed)).then(|| self.inserted.sum())
    }

    fn into_lines(self) -> Result<Vec<Line>> {
        Ok(atomic::unshare(self.lines))
    }
}

/// Keys that a thread inserts at most without looking whether the filter is full, for each 16 keys
/// of room: with 16 threads no batch goes past the limit.
const ROOM_SHARE: u64 = 16;

/// With room for fewer keys than this in a piece of a batch, they go in one by one.
const FEW: usize = 64;

impl<L> BloomFilter<L> {
    /// Lines of the sample whose set bits are watched.
    fn sample(&self) -> usize {
        let lines = self.meta.shape.lines() as usize;
        // Positions of a scheme of its own may fall unevenly: there the sample is everything.
        if self.meta.keys.has_hash() { atomic::sample(lines) } else { lines }
    }
}

impl BloomFilter {
    /// The same filter, to be shared by threads ([`Shared`]): in the same memory, without a copy.
    ///
    /// Costs a look at every bit where the keys of the capacity are in, else next to nothing.
    #[must_use]
    pub fn into_shared(mut self) -> BloomFilter<Shared> {
        self.settle();
        let (was_over, sample) = (self.is_over_capacity(), self.sample());
        let lines = self.lines.as_lines();
        let share = sample as f64 / lines.len() as f64;
        let in_sample = self.kernel.count(Bits::Plain(&lines[..sample]));
        let watch = Watch::new(share, in_sample);
        let tally = Tally::unknown();
        let lines = Shared {
            was_over,
            ..Shared::new(atomic::share(self.lines.0.into_vec()), watch, self.meta.capacity)
        };
        let shared = BloomFilter { meta: self.meta, kernel: self.kernel, lines, tally, body_check: None };
        shared.look_now();
        shared
    }
}

impl BloomFilter<Shared> {
    /// Inserts a key, while other threads insert and ask. `true`: the key is surely new. `false`:
    /// it was in already, or looked so.
    ///
    /// Every [`contains`](Self::contains) that happens after this call answers `true` for this key,
    /// for ever. What that means between threads is said at [`Shared`].
    ///
    /// Costs a locked operation for each word that the key touches (k of them, at most 8 a line; 4
    /// in the layout `split-block`), and none for a line that has all bits of the key; and one more
    /// to count the key.
    ///
    /// # Errors
    /// [`Error::CapacityReached`] for a new key where the filter is full and its policy is
    /// [`OverCapacity::Refuse`]; [`Error::KeyRefused`] for text in an integer filter. The filter is
    /// unchanged then.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&self, key: &K) -> Result<bool> {
        let mut sink = KeySink::new();
        let key = key.key(&mut sink);
        match self.meta.keys.usual_hash(key) {
            Some(hash) => self.insert_hashed(hash),
            None => self.insert_any(&{ key }),
        }
    }

    /// [`insert`](Self::insert) of every scheme, domain, recipe and key.
    #[inline(never)]
    fn insert_any(&self, key: &KeyRef<'_>) -> Result<bool> {
        match self.meta.keys.own() {
            None => self.insert_hashed(self.meta.keys.hash_any(key)?),
            Some(own) => self.meta.keys.encode(*key, |bytes| self.insert_bytes(own, bytes))?,
        }
    }

    /// [`insert`](Self::insert) for a key hashed before by [`hash_key`](Self::hash_key), or by the
    /// caller under [`Scheme::CallerHash`](crate::Scheme::CallerHash).
    ///
    /// # Errors
    /// [`Error::CapacityReached`], as there; [`Error::NoHash`] where the scheme has no 64-bit hash.
    #[inline]
    pub fn insert_hash(&self, hash: u64) -> Result<bool> {
        self.meta.keys.check_has_hash()?;
        self.insert_hashed(hash)
    }

    #[inline]
    fn insert_hashed(&self, hash: u64) -> Result<bool> {
        if self.refuses_now() {
            self.refuse(self.why(), || Ok(self.contains_hash(hash)))?;
        }
        let new = self.kernel.shared_insert(&self.lines.lines, hash);
        self.note(1, new.sampled.into());
        Ok(new.found > 0)
    }

    /// [`insert`](Self::insert) for the bytes that stand for a key, under a scheme without a hash.
    fn insert_bytes(&self, own: &OwnScheme, bytes: &[u8]) -> Result<bool> {
        if self.refuses_now() {
            self.refuse(self.why(), || self.contains_positions(own, One::Encoded(bytes)))?;
        }
        let shape = self.meta.shape;
        let mut new = 0;
        own.all(bytes, shape.num_hashes, shape.bit_len, |p| {
            new += u64::from(atomic::set_bit(&self.lines.lines, p));
            true
        });
        let counts = new > 0 || !sizing(own.scheme()).is_some_and(|its| its.counts_only_new);
        self.note(counts.into(), new);
        Ok(new > 0)
    }

    /// Inserts many keys, while other threads insert and ask: hashed and set in batches, with the
    /// memory accesses of a batch under way together. Does not say which keys were new.
    ///
    /// Four keys or more for each 64 bytes of the filter are set in an array of their own first, as
    /// many as there is surely room for, which takes as much memory as the filter until they are
    /// in: then a locked operation sets the bits of several keys. Others see these keys all
    /// together.
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The keys before the refused one are in:
    /// [`Error::CapacityReached`] says how many; with [`Error::KeyRefused`] it is all up to the key
    /// it names.
    pub fn insert_many<K: Keys + ?Sized>(&self, keys: &K) -> Result<()> {
        let (apart, all) = self.insert_apart(keys);
        all?;
        insert_in_batches(
            self,
            |filter| &filter.meta.keys,
            &Stretch::new(keys, apart, keys.len() - apart),
            |filter, batch, done| filter.insert_batch(batch, apart + done),
        )
    }

    /// Inserts a batch, of whose call `done` keys are in already.
    fn insert_batch(&self, batch: Batch<'_>, done: usize) -> Result<()> {
        match batch {
            Batch::Hashes(hashes) => self.insert_hashes(hashes, done),
            Batch::One(One::Key(key)) => self.insert(&key).map(drop).map_err(after(done)),
            Batch::Bytes(_) | Batch::One(One::Encoded(_)) => Err(Error::NoHash { scheme: self.scheme() }),
        }
    }

    /// Inserts the keys of an iterator, in batches as [`insert_many`](Self::insert_many) does.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many). The iterator may have been asked for up to 512 keys
    /// more than are in.
    pub fn insert_iter<K: Key>(&self, keys: impl IntoIterator<Item = K>) -> Result<()> {
        insert_iter_in_batches(
            self,
            |filter| &filter.meta.keys,
            keys,
            |filter, batch, done| filter.insert_batch(batch, done),
        )
    }

    /// [`insert_many`](Self::insert_many) for keys hashed before, as
    /// [`insert_hash`](Self::insert_hash).
    ///
    /// # Errors
    /// [`Error::CapacityReached`], as there; [`Error::NoHash`] where the scheme has no 64-bit hash.
    pub fn insert_many_hashes(&self, hashes: &[u64]) -> Result<()> {
        self.meta.keys.check_has_hash()?;
        let apart = self.insert_hashes_apart(hashes);
        self.insert_hashes(&hashes[apart..], apart)
    }

    /// Keys that a thread may insert without looking whether the filter is full.
    fn unwatched(&self) -> usize {
        if !self.refuses() {
            return BATCH;
        }
        let keys = self.lines.watch.room() / (u64::from(self.num_hashes()) * ROOM_SHARE);
        usize::try_from(keys).map_or(BATCH, |keys| keys.min(BATCH))
    }

    /// Inserts a batch by pieces that even sixteen threads together can insert without passing the
    /// limit; one key at a time where such pieces would be small.
    fn insert_hashes(&self, mut hashes: &[u64], mut done: usize) -> Result<()> {
        while !hashes.is_empty() {
            let most = self.unwatched();
            let (piece, rest) = hashes.split_at(hashes.len().min(most.max(FEW)));
            if most < FEW || self.refuses_now() {
                for (i, &hash) in piece.iter().enumerate() {
                    self.insert_hashed(hash).map_err(after(done + i))?;
                }
            } else {
                let sampled = self.kernel.shared_insert_many(&self.lines.lines, piece);
                self.note(piece.len() as u64, sampled);
            }
            (hashes, done) = (rest, done + piece.len());
        }
        Ok(())
    }

    /// Keys were inserted, and bits of the sample set.
    #[inline]
    fn note(&self, keys: u64, sampled: u64) {
        let is_time = self.lines.inserted.add(keys);
        if self.meta.over_capacity != OverCapacity::Ignore {
            self.lines.watch.add(sampled, || self.next());
            if is_time {
                self.look_at_keys();
            }
        }
    }

    /// Keys that were chosen by the filter's own hash may never fall on the sample.
    #[cold]
    fn look_at_keys(&self) {
        let (keys, capacity) = (self.keys_inserted().unwrap_or(u64::MAX), self.meta.capacity);
        let look_at = self.lines.look_at_keys.load(Relaxed);
        if keys < look_at || self.lines.watch.is_full() {
            return;
        }
        let next = if keys < capacity { capacity } else { keys.saturating_add(capacity / 8 + 1) };
        if self.lines.look_at_keys.compare_exchange(look_at, next, Relaxed, Relaxed).is_ok() {
            self.look_now();
        }
    }

    pub(super) fn look_now(&self) {
        if self.meta.over_capacity != OverCapacity::Ignore {
            self.lines.watch.look_now(|| self.next());
        }
    }

    /// Looks whether the filter is full.
    fn next(&self) -> Next {
        let k = u64::from(self.num_hashes());
        let found = match self.meta.keys_left(self.keys_inserted()) {
            Some(left) => {
                let is_half = self.refuses() && self.meta.keys_to_half(left).is_none();
                let first = is_half && !self.lines.half_seen.swap(true, Relaxed);
                // Keys that are in already bring the capacity nearer without setting a bit.
                let bits = left.saturating_mul(k);
                let spoiled = first.then(|| self.measured().spoiled()).flatten();
                spoiled.map_or(Ok((bits, bits / 64)), |rate| Err(Refusal::Spoiled(rate.into())))
            }
            None => self.measured().look().map(|bits| (bits, bits)),
        };
        match found {
            Ok((bits, look_in)) => Next::Room { bits, look_in },
            Err(why) => {
                if let Refusal::Spoiled(rate) = why {
                    self.lines.spoiled.store(rate.get().to_bits(), Relaxed);
                }
                Next::Full
            }
        }
    }

    /// Why new keys are refused, where they are.
    fn why(&self) -> Refusal {
        match f64::from_bits(self.lines.spoiled.load(Relaxed)) {
            0.0 => Refusal::Full,
            rate => Refusal::Spoiled(rate.into()),
        }
    }

    /// Does the filter hold more keys than it was planned for, and is its rate above the promise
    /// for that? As in memory ([`is_over_capacity`](BloomFilter::is_over_capacity)); costs a pass
    /// over the bits once it is full. Always `false` under [`OverCapacity::Ignore`].
    ///
    /// Under [`OverCapacity::Refuse`] inserting never makes it so: it says whether the filter held
    /// more than that before it was shared. The keys that threads finish once it is full are not
    /// looked at.
    #[must_use]
    pub fn is_over_capacity(&self) -> bool {
        match self.meta.over_capacity {
            OverCapacity::Refuse => self.lines.was_over,
            OverCapacity::Warn => self.lines.watch.is_full() && self.is_past_capacity(),
            OverCapacity::Ignore => false,
        }
    }

    #[inline]
    fn refuses_now(&self) -> bool {
        self.refuses() && self.lines.watch.is_full()
    }
}

#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;

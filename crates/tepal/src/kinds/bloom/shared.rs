//! A filter into which many threads insert at once.

mod apart;
mod counts;
mod kind;
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
use counts::{Next, StripedCounter, Watch};

/// The bits of a filter that threads share: atomic words, set and read through `&self` without a
/// lock.
///
/// [`into_shared`](BloomFilter::into_shared) makes a `BloomFilter<Shared>`. A scope or an
/// [`Arc`](alloc::sync::Arc) lends it to threads. It sets the same bits as every other filter.
///
/// # What threads can rely on
///
/// On every platform:
///
/// - **An insert that returned is seen by every lookup that happens after it**: later on the same
///   thread, or on another thread that learned of the insert through a join, a channel, a lock or
///   anything else that synchronises. This holds for every insert that returned, also for one that
///   found all bits set already.
/// - No bit is ever lost, whatever is inserted at the same time.
/// - `false` from [`contains`](BloomFilter::contains) is certain, as in every filter: no insert of
///   the key happened before the lookup.
/// - `true` from [`insert`](Self#method.insert) is certain: no insert of the key happened before
///   this one. If several threads insert the same new key at the same time, at least one gets
///   `true`, unless all its bits come from other keys; more than one may.
///
/// Threads that do not synchronise have no before and after. The bits reach other threads as fast
/// as the machine moves a cache line. But seeing one key promises nothing about keys that were
/// inserted before it, nor about other memory: the filter is no substitute for a lock. All accesses
/// are `Relaxed`, and the fences of [`core::sync::atomic`] work on them.
///
/// # What is counted
///
/// [`keys_inserted`](BloomFilter::keys_inserted) is exact, for all inserts that happened before.
/// [`OverCapacity::Refuse`] begins to refuse at the same point as for one thread. But each thread
/// still finishes the key that it is inserting, or the piece of a batch (512 keys at most).
///
/// The set bits of a sample decide when the filter is checked. The sample is all lines of a filter
/// up to 32 KiB, and at least 512 lines and one in 64 of a larger filter. A few times after the
/// keys of the capacity are inserted, threads wait while one of them checks all bits.
///
/// ```
/// use tepal::BloomFilter;
/// let seen = BloomFilter::builder().capacity(1_000_000).false_positive_rate(0.01).build()?.into_shared()?;
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
    /// Keys inserted since the filter was shared.
    inserted: StripedCounter,
    /// Set if a filter was united with it whose number of keys is not known.
    uncounted: AtomicBool,
    watch: Watch,
    /// At this number of keys the filter is checked, whatever the sample says.
    look_at_keys: AtomicU64,
    /// Set once the filter was checked at half of its capacity.
    half_seen: AtomicBool,
    /// The rate for keys like the members, as the bits of an `f64`, if new keys are refused because
    /// of it.
    spoiled: AtomicU64,
    /// The number of threads that are setting keys apart.
    apart: AtomicU64,
    /// Whether it held more than its capacity before it was shared.
    was_over: bool,
}

impl Shared {
    /// Shares the lines, with nothing counted yet.
    fn new(lines: Vec<AtomicLine>, watch: Watch, capacity: u64) -> Self {
        Shared {
            lines,
            inserted: StripedCounter::new(capacity),
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

/// A thread inserts at most the room divided by this before it checks whether the filter is full.
/// With 16 threads no batch goes past the limit.
const ROOM_SHARE: u64 = 16;

/// If a piece of a batch would have fewer keys than this, they are inserted one by one.
const FEW: usize = 64;

impl<L> BloomFilter<L> {
    /// The number of lines in the sample, whose set bits are watched.
    fn sample(&self) -> usize {
        let lines = self.meta.shape.lines() as usize;
        // The positions of a scheme without a hash may fall unevenly: then the sample is all lines.
        if self.meta.keys.has_hash() { atomic::sample(lines) } else { lines }
    }
}

impl BloomFilter {
    /// Shares the filter between threads ([`Shared`]), in the same memory, without a copy. Only a
    /// filter in an opened file is copied.
    ///
    /// Costs a pass over the bits if the keys of the capacity are inserted; otherwise almost
    /// nothing.
    ///
    /// # Errors
    /// [`Error::TooLarge`] and [`Error::Damaged`] for an opened file; none for a filter in memory.
    pub fn into_shared(mut self) -> Result<BloomFilter<Shared>> {
        self.check_before_copying()?;
        self.settle();
        let (was_over, sample) = (self.is_over_capacity(), self.sample());
        let lines = self.lines.as_lines();
        let share = sample as f64 / lines.len() as f64;
        let in_sample = self.kernel.count(Bits::Plain(&lines[..sample]));
        let watch = Watch::new(share, in_sample);
        let tally = Tally::unknown();
        let lines = Shared {
            was_over,
            ..Shared::new(atomic::share(self.lines.into_lines()?), watch, self.meta.capacity)
        };
        let shared = BloomFilter { meta: self.meta, kernel: self.kernel, lines, tally, body_check: None };
        shared.look_now();
        Ok(shared)
    }
}

impl BloomFilter<Shared> {
    /// Inserts a key, while other threads insert and look up. `true`: the key is surely new.
    /// `false`: it was a member, or a false positive.
    ///
    /// Every [`contains`](Self::contains) that happens after this call always answers `true` for
    /// this key. [`Shared`] says what that means between threads.
    ///
    /// Costs a locked operation for each word that the key touches (k words, at most 8 a line; 4 in
    /// the layout `split-block`), and none for a line that already has all bits of the key. One
    /// more counts the key.
    ///
    /// # Errors
    /// [`Error::CapacityReached`] for a new key if the filter is full and its policy is
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

    /// [`insert`](Self::insert) for every scheme, domain, recipe and key.
    #[inline(never)]
    fn insert_any(&self, key: &KeyRef<'_>) -> Result<bool> {
        match self.meta.keys.own() {
            None => self.insert_hashed(self.meta.keys.hash_any(key)?),
            Some(own) => self.meta.keys.encode(*key, |bytes| self.insert_bytes(own, bytes))?,
        }
    }

    /// [`insert`](Self::insert) for a hash, computed by [`hash_key`](Self::hash_key), or by the
    /// caller under [`Scheme::CallerHash`](crate::Scheme::CallerHash).
    ///
    /// # Errors
    /// [`Error::CapacityReached`], as there; [`Error::NoHash`] if the scheme has no 64-bit hash.
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

    /// [`insert`](Self::insert) for the encoded bytes of a key, under a scheme without a hash.
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

    /// Inserts many keys, while other threads insert and look up. Keys are hashed and set in
    /// batches; the memory accesses of a batch run at the same time. Does not tell which keys were
    /// new.
    ///
    /// If there are four keys or more for each 64 bytes of the filter, and surely room for them,
    /// they are first set in a separate array. It takes as much memory as the filter during the
    /// call. Then one locked operation sets the bits of several keys. Other threads see all these
    /// keys together.
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The keys before the refused one are inserted.
    /// [`Error::CapacityReached`] says how many; [`Error::KeyRefused`] names the refused key.
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

    /// Inserts a batch. `done` keys of the same call are inserted already.
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
    /// As [`insert_many`](Self::insert_many). The call may have taken up to 512 more keys from the
    /// iterator than it inserted.
    pub fn insert_iter<K: Key>(&self, keys: impl IntoIterator<Item = K>) -> Result<()> {
        insert_iter_in_batches(
            self,
            |filter| &filter.meta.keys,
            keys,
            |filter, batch, done| filter.insert_batch(batch, done),
        )
    }

    /// [`insert_many`](Self::insert_many) for hashes, as [`insert_hash`](Self::insert_hash).
    ///
    /// # Errors
    /// [`Error::CapacityReached`], as there; [`Error::NoHash`] if the scheme has no 64-bit hash.
    pub fn insert_many_hashes(&self, hashes: &[u64]) -> Result<()> {
        self.meta.keys.check_has_hash()?;
        let apart = self.insert_hashes_apart(hashes);
        self.insert_hashes(&hashes[apart..], apart)
    }

    /// The number of keys that a thread may insert without checking whether the filter is full.
    fn unwatched(&self) -> usize {
        if !self.refuses() {
            return BATCH;
        }
        let keys = self.lines.watch.room() / (u64::from(self.num_hashes()) * ROOM_SHARE);
        usize::try_from(keys).map_or(BATCH, |keys| keys.min(BATCH))
    }

    /// Inserts a batch in pieces that even sixteen threads together can insert without passing the
    /// limit. If the pieces would be small, inserts one key at a time.
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

    /// Counts inserted keys, and bits that were set in the sample.
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

    /// Checks the filter at a certain number of keys: keys that were chosen by its own hash may
    /// never fall on the sample.
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

    /// Checks whether the filter is full.
    fn next(&self) -> Next {
        let k = u64::from(self.num_hashes());
        let found = match self.meta.keys_left(self.keys_inserted()) {
            Some(left) => {
                let is_half = self.refuses() && self.meta.keys_to_half(left).is_none();
                let first = is_half && !self.lines.half_seen.swap(true, Relaxed);
                // Repeats bring the capacity nearer without setting a bit.
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

    /// The reason why new keys are refused.
    fn why(&self) -> Refusal {
        match f64::from_bits(self.lines.spoiled.load(Relaxed)) {
            0.0 => Refusal::Full,
            rate => Refusal::Spoiled(rate.into()),
        }
    }

    /// Whether the filter holds more keys than it was planned for, and its rate is past the
    /// promise, as [`is_over_capacity`](BloomFilter::is_over_capacity) of a filter in memory. Costs
    /// a pass over the bits once it is full.
    ///
    /// Under [`OverCapacity::Refuse`] inserts never cause it: it tells whether the filter held more
    /// than its capacity before it was shared. Keys that threads finish once it is full do not
    /// count for this.
    #[must_use]
    pub fn is_over_capacity(&self) -> bool {
        match self.meta.over_capacity {
            OverCapacity::Refuse => self.lines.was_over,
            OverCapacity::Warn => self.lines.watch.is_full() && self.is_past_capacity(),
            OverCapacity::Ignore => self.is_past_capacity(),
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

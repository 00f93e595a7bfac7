//! Inserts of one and of many keys.

use alloc::vec::Vec;

use super::storage::{Owned, PlainStorage, Storage, copied};
use super::tally::Tally;
use super::{BloomFilter, BloomMeta};
use crate::bits::kernel::Kernel;
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::ids::OverCapacity;
use crate::key::{Batch, Key, KeyRef, KeySink, Keys, One, PreparedKeys, insert_in_batches};

/// With room for fewer keys, they are inserted one by one.
const FEW: usize = 64;

/// With room for fewer keys than this a line, the bits they set are counted, which costs about as
/// much as counting all bits.
const COUNTED_BELOW: usize = 4;

impl<L: Storage> BloomFilter<L> {
    /// The number of set bits. Costs one pass over the bits after keys were inserted far from the
    /// capacity, and if threads share the filter; otherwise nothing.
    #[must_use]
    pub fn set_bits(&self) -> u64 {
        if self.tally.is_exact() {
            return self.tally.counted;
        }
        self.kernel.count(self.lines.view().0)
    }
}

/// Makes an error of the keys after the first `done` keys of a call an error of the whole call.
pub(crate) fn after(done: usize) -> impl Fn(Error) -> Error {
    move |error| match error {
        Error::CapacityReached { capacity, inserted } => {
            Error::CapacityReached { capacity, inserted: done + inserted }
        }
        Error::KeysClustered { rate, promised, inserted } => {
            Error::KeysClustered { rate, promised, inserted: done + inserted }
        }
        #[cfg(feature = "table")]
        Error::TooManyCopies { most, inserted } => Error::TooManyCopies { most, inserted: done + inserted },
        #[cfg(feature = "table")]
        Error::NumbersClustered { inserted } => Error::NumbersClustered { inserted: done + inserted },
        other => other,
    }
}

impl BloomFilter {
    /// The bits, for changes, and the fields that changing them needs. A file's bits are copied
    /// into memory first.
    #[inline(always)]
    pub(super) fn changeable(&mut self) -> Result<(&BloomMeta, &Kernel, &mut [Line])> {
        if self.lines.own().is_none() {
            self.copy_lines()?;
        }
        // The bits are in memory now.
        Ok((&self.meta, &self.kernel, self.lines.own().unwrap_or_default()))
    }

    /// The bits, for changes.
    pub(super) fn own_lines(&mut self) -> Result<&mut [Line]> {
        self.changeable().map(|(_, _, lines)| lines)
    }

    #[cold]
    fn copy_lines(&mut self) -> Result<()> {
        self.check_before_copying()?;
        let copy = copied(self.lines.as_lines())?;
        self.lines = Owned::new(copy);
        self.body_check = None;
        Ok(())
    }

    /// Inserts a key. `true`: the key is surely new. `false`: it was a member, or a false positive.
    ///
    /// From then on [`contains`](Self::contains) always answers `true` for this key.
    ///
    /// ```
    /// let mut seen = tepal::BloomFilter::builder().capacity(1000).build()?;
    /// assert!(seen.insert("apple")?);          // surely new
    /// assert!(!seen.insert("apple")?);         // a member, or a false positive
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::CapacityReached`] for a new key if the filter is full and its policy is
    ///   [`OverCapacity::Refuse`];
    /// - [`Error::KeysClustered`] if half of the keys of its capacity already spoil its rate;
    /// - [`Error::KeyRefused`] for text in an integer filter;
    /// - [`Error::CallerHashes`] under [`Scheme::CallerHash`](crate::Scheme::CallerHash);
    /// - [`Error::TooLarge`] and [`Error::Damaged`] for an opened file, which is copied into memory
    ///   first.
    ///
    /// The filter is unchanged then.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        let mut sink = KeySink::new();
        let key = key.key(&mut sink);
        match (self.meta.keys.quick_hash(key), key) {
            (Some(hash), _) => self.insert_hashed(hash),
            (None, KeyRef::Bytes(bytes)) => self.insert_bytes(bytes),
            (None, KeyRef::Unsigned(n)) => self.insert_integer(false, n),
            (None, KeyRef::Signed(n)) => self.insert_integer(n < 0, n as u64),
            (None, _) => self.insert_any(&{ key }),
        }
    }

    /// [`insert`](Self::insert) for bytes of every length, in a stack frame of its own.
    #[inline(never)]
    fn insert_bytes(&mut self, bytes: &[u8]) -> Result<bool> {
        match self.meta.keys.usual_hash_of_bytes(bytes) {
            Some(hash) => self.insert_hashed(hash),
            None => self.insert_any(&KeyRef::Bytes(bytes)),
        }
    }

    /// [`insert`](Self::insert) for the 64 bits of an integer whose text is hashed, in a stack
    /// frame of its own.
    #[inline(never)]
    fn insert_integer(&mut self, negative: bool, bits: u64) -> Result<bool> {
        let key = KeyRef::integer(negative, bits);
        match self.meta.keys.usual_hash(key) {
            Some(hash) => self.insert_hashed(hash),
            None => self.insert_any(&{ key }),
        }
    }

    /// [`insert`](Self::insert) for every scheme, domain, recipe and key.
    #[inline(never)]
    pub(super) fn insert_any(&mut self, key: &KeyRef<'_>) -> Result<bool> {
        match self.has_hash() {
            true => self.insert_hashed(self.meta.keys.hash_any(key)?),
            false => self.insert_positions(One::Key(*key)),
        }
    }

    /// [`insert`](Self::insert) for a hash. The hash was computed by this filter's
    /// [`key_hasher`](Self::key_hasher) or an equal one, or by the caller under
    /// [`Scheme::CallerHash`](crate::Scheme::CallerHash). With any other hash the filter counts a
    /// key that no lookup finds.
    ///
    /// # Errors
    /// [`Error::CapacityReached`], as there; [`Error::NoHash`] if the scheme has no 64-bit hash.
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) -> Result<bool> {
        self.insert_hashed(hash)
    }

    /// Far from the capacity the only work beside setting bits is to take the key off the grant.
    #[inline(always)]
    fn insert_hashed(&mut self, hash: u64) -> Result<bool> {
        match self.lines.in_memory() {
            Some(lines) if self.tally.take() => Ok(self.kernel.insert_noting(lines, hash)),
            _ => self.insert_ungranted(hash),
        }
    }

    #[cold]
    #[inline(never)]
    fn insert_ungranted(&mut self, hash: u64) -> Result<bool> {
        // The lines may be a private map's.
        match self.lines.own() {
            Some(lines) if self.tally.take() => return Ok(self.kernel.insert_noting(lines, hash)),
            _ => {}
        }
        self.meta.keys.check_has_hash()?;
        self.settle();
        self.grant_room();
        if self.tally.is_granted() {
            let (_, kernel, lines) = self.changeable()?;
            let is_new = kernel.insert_noting(lines, hash);
            self.tally.take();
            return Ok(is_new);
        }
        self.insert_counted(hash)
    }

    /// Inserts one key near the capacity, and counts the bits that it sets.
    fn insert_counted(&mut self, hash: u64) -> Result<bool> {
        self.make_room(|filter| Ok(filter.contains_hash(hash)))?;
        let (_, kernel, lines) = self.changeable()?;
        let new = kernel.insert(lines, hash);
        self.tally.counted += u64::from(new);
        self.add_to_inserted(1);
        Ok(new > 0)
    }

    /// Inserts many keys, hashed and set in batches; the memory accesses of a batch run at the same
    /// time. Does not tell which keys were new. The keys are a slice or vector of any [`Key`], or a
    /// [`Column`](crate::Column).
    ///
    /// A slice of `u64` is a list of integer keys here. Pass hashes to
    /// [`insert_many_hashes`](Self::insert_many_hashes).
    ///
    /// ```
    /// use tepal::{BloomFilter, Error};
    /// let mut seen = BloomFilter::builder().capacity(100).build()?;
    /// seen.insert_many(&["apple", "banana"])?;
    /// seen.insert_many(&[17u64, 18])?;
    /// match seen.insert_many(&(0..1000u64).collect::<Vec<_>>()) {
    ///     Err(Error::CapacityReached { inserted, .. }) => println!("{inserted} of them are in"),
    ///     other => other?,
    /// }
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The keys before the refused one are inserted.
    /// [`Error::CapacityReached`] says how many; [`Error::KeyRefused`] names the refused key.
    pub fn insert_many<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<()> {
        insert_in_batches(
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
    pub fn insert_many_hashes(&mut self, hashes: &[u64]) -> Result<()> {
        self.meta.keys.check_has_hash()?;
        self.insert_hashes(hashes, 0)
    }

    /// [`insert_many`](Self::insert_many) for keys that this filter's
    /// [`key_hasher`](Self::key_hasher) has prepared.
    ///
    /// # Errors
    /// [`Error::CapacityReached`], as there; [`Error::NoHash`] for keys that were prepared for
    /// another scheme.
    pub fn insert_prepared(&mut self, keys: &PreparedKeys) -> Result<()> {
        self.insert_batch(keys.batch(), 0)
    }

    /// Inserts prepared keys. `done` keys of the same call are inserted already.
    pub(crate) fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
        let one = |key: One<'_>, filter: &mut Self, done| {
            filter.insert_positions(key).map(drop).map_err(after(done))
        };
        match (keys, self.has_hash()) {
            (Batch::Hashes(hashes), true) => self.insert_hashes(hashes, done),
            (Batch::One(One::Key(key)), true) => self.insert(&key).map(drop).map_err(after(done)),
            (Batch::One(key), false) => one(key, self, done),
            (Batch::Bytes(keys), false) => {
                (done..).zip(keys.each()).try_for_each(|(done, bytes)| one(One::Encoded(bytes), self, done))
            }
            (Batch::Hashes([]), false) => Ok(()),
            (Batch::Hashes(_), false) | (Batch::Bytes(_) | Batch::One(One::Encoded(_)), true) => {
                Err(Error::NoHash { scheme: self.scheme() })
            }
        }
    }

    /// Inserts a batch. If keys may be refused, it inserts pieces that surely fit: first without
    /// counting bits while there is much room, then counted, and at the end one by one.
    fn insert_hashes(&mut self, mut hashes: &[u64], mut done: usize) -> Result<()> {
        self.settle();
        while self.refuses() && !hashes.is_empty() {
            let refusal = self.find_room();
            let room = usize::try_from(self.tally.free).unwrap_or(usize::MAX);
            let is_exact = self.tally.is_exact();
            let one_by_one = refusal.is_some() || is_exact && room < FEW;
            let piece = if one_by_one { FEW } else { room };
            let (piece, rest) = hashes.split_at(piece.min(hashes.len()));
            if one_by_one {
                for (i, &hash) in piece.iter().enumerate() {
                    self.insert_counted(hash).map_err(after(done + i))?;
                }
            } else {
                self.tally.free -= piece.len() as u64;
                let counts = is_exact && room < COUNTED_BELOW * self.lines.as_lines().len();
                if counts { self.insert_counting(piece) } else { self.insert_unchecked(piece) }?;
            }
            (hashes, done) = (rest, done + piece.len());
        }
        self.insert_unchecked(hashes)
    }

    fn insert_counting(&mut self, hashes: &[u64]) -> Result<()> {
        let (_, kernel, lines) = self.changeable()?;
        let new = kernel.insert_many_counting(lines, hashes);
        self.tally.counted += new;
        self.add_to_inserted(hashes.len() as u64);
        Ok(())
    }

    fn insert_unchecked(&mut self, hashes: &[u64]) -> Result<()> {
        let (_, kernel, lines) = self.changeable()?;
        kernel.insert_many(lines, hashes);
        self.tally.add_uncounted(hashes.len() as u64);
        self.add_to_inserted(hashes.len() as u64);
        Ok(())
    }

    /// Inserts a batch that is not refused, and tells for each key whether it set a bit. Only keys
    /// that did are counted.
    #[cfg(any(feature = "foreign", feature = "extras"))]
    pub(crate) fn insert_noting(&mut self, hashes: &[u64], is_new: &mut [bool]) -> Result<()> {
        self.settle();
        let (_, kernel, lines) = self.changeable()?;
        kernel.insert_many_noting(lines, hashes, is_new);
        let keys = is_new.iter().filter(|is_new| **is_new).count() as u64;
        self.tally.add_uncounted(keys);
        self.add_to_inserted(keys);
        Ok(())
    }

    /// Removes all keys, of bits in memory of their own.
    pub(super) fn clear_lines(&mut self, fresh: Vec<Line>) {
        match self.lines.own() {
            Some(lines) => lines.fill(Line([0; 8])),
            None => self.lines = Owned::new(fresh),
        }
        self.body_check = None;
        self.meta.inserted = Some(0).into();
        self.tally = Tally::new(0);
    }

    /// Changes the policy for keys past the capacity.
    ///
    /// ```
    /// use tepal::{BloomFilter, OverCapacity};
    /// let mut seen = BloomFilter::builder().capacity(10).build()?;
    /// seen.set_over_capacity(OverCapacity::Warn)?;
    /// seen.insert_iter(0..1000u64)?;           // no key is refused
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// None: other kinds have one policy.
    pub fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        self.settle();
        self.meta.over_capacity = policy;
        // The other policies do not use it.
        self.tally.free = 0;
        Ok(())
    }

    /// Removes all keys.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there is no memory for an opened file's bits; none for a filter in
    /// memory.
    pub fn clear(&mut self) -> Result<()> {
        // No bit of a file is read for this.
        let lines = if self.lines.own().is_some() { 0 } else { self.meta.shape.lines() };
        self.clear_lines(bits::zeroed(lines)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests;

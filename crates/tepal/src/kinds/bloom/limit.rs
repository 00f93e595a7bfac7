//! When a filter is full: the rule by which new keys are refused, and the calls that report it.
//!
//! Two conditions must hold for a new key to be refused. First, the filter was given the keys of
//! its capacity, or the number of its keys is not known. Second, one more key might take the rate
//! past [`WITHIN`] times the promise; the rate is computed from the bits of each line. So no key is
//! refused before the capacity, repeats use up no room, and a filter that is filled until it
//! refuses keeps its promise, however small it is.
//!
//! One refusal happens before the capacity: at half of the keys, if they were chosen by the
//! filter's own hash and spoil the promise for similar keys. Then every key is refused, since in
//! full lines each key looks like a member.

use super::measure::Measured;
use super::storage::{PlainStorage, Storage};
use super::tally::{Refusal, Tally};
use super::{BloomFilter, BloomMeta};
use crate::error::{Error, Result};
use crate::ids::OverCapacity;
use crate::params::WITHIN;

/// More keys than anybody inserts.
const WITHOUT_END: u64 = u64::MAX >> 8;

/// Near its end a filter is checked once in `capacity / LOOK_EVERY` keys. Between two checks the
/// rate grows by less than a hundredth of the promise.
const LOOK_EVERY: u64 = 2048;

/// A filter of fewer lines is checked after each key that sets a bit: one key may add much to the
/// rate.
const EACH_KEY_BELOW: u64 = 256;

/// The next check is after this share of the bits that, by estimate, are left until the filter is
/// full.
const PART_OF_THE_WAY: f64 = 0.75;

/// The room that a filter has left.
enum Room {
    /// This many keys.
    Keys(u64),
    /// Keys that set this many bits.
    Bits(u64),
}

impl BloomMeta {
    /// The number of keys of the capacity that are left; `None` if it is 0 or not known.
    pub(super) fn keys_left(&self, inserted: Option<u64>) -> Option<u64> {
        inserted.and_then(|inserted| self.capacity.checked_sub(inserted)).filter(|keys| *keys > 0)
    }

    /// How many of the `left` keys may be given before half of the capacity is given; `None` if it
    /// is. At that point there is time to report that the keys spoil the promise.
    pub(super) fn keys_to_half(&self, left: u64) -> Option<u64> {
        left.checked_sub(self.capacity / 2).filter(|keys| *keys > 0)
    }

    /// Whether this rate of the present keys is past the promise.
    fn is_past(&self, rate: f64) -> bool {
        rate > WITHIN * self.promised_rate
    }
}

impl<L: Storage> BloomFilter<L> {
    pub(super) fn refuses(&self) -> bool {
        self.meta.over_capacity == OverCapacity::Refuse
    }

    /// Whether it holds more keys than it was planned for, and its rate is past the promise.
    pub(super) fn is_past_capacity(&self) -> bool {
        self.keys_inserted().is_none_or(|keys| keys > self.meta.capacity)
            && self.meta.is_past(self.false_positive_rate())
    }

    /// Whether the filter refuses every new key in its present state.
    ///
    /// Under [`OverCapacity::Refuse`] it does in two cases. Its keys fall on few of its lines. Or
    /// it was given the keys of its capacity (or their number is not known), and one more key might
    /// take its rate past 1.03 times the promised one. A key that is a member, or a false positive,
    /// is always taken.
    ///
    /// A filter that is being filled checks its bits only from time to time. So it may still take
    /// some keys after this says `true`, but not after it was saved and opened.
    ///
    /// Costs nothing up to half of the capacity, and a pass over the bits beyond it.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let mut few = BloomFilter::builder().capacity(10).build()?;
    /// let refused = (0..1000u64).find(|n| few.insert(n).is_err());
    /// assert!(refused.is_some() && few.is_full());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.refuses() && self.measured().room(self.keys_inserted()).is_err()
    }

    /// Refuses the union with another filter if its rate is past the promise. The union has
    /// `set_bits` set bits.
    pub(super) fn check_room_for<M: Storage>(
        &self,
        other: &BloomFilter<M>,
        set_bits: impl FnOnce() -> u64,
    ) -> Result<()> {
        let keys = self.keys_inserted().zip(other.keys_inserted());
        if !self.refuses()
            || keys.is_some_and(|(here, there)| here.saturating_add(there) <= self.meta.capacity)
        {
            return Ok(());
        }
        match self.measured().is_past_with(other.measured(), set_bits()) {
            true => Err(self.capacity_reached()),
            false => Ok(()),
        }
    }

    /// Refuses a key, unless it is a member or a false positive (`held`).
    #[cold]
    pub(super) fn refuse(&self, why: Refusal, held: impl FnOnce() -> Result<bool>) -> Result<()> {
        match why {
            Refusal::Spoiled(rate) => {
                Err(Error::KeysClustered { rate: rate.get(), promised: self.meta.promised_rate, inserted: 0 })
            }
            Refusal::Full if held()? => Ok(()),
            Refusal::Full => Err(self.capacity_reached()),
        }
    }

    fn capacity_reached(&self) -> Error {
        Error::CapacityReached { capacity: self.meta.capacity, inserted: 0 }
    }
}

impl Measured<'_> {
    /// Checks the bits of a filter that was given the keys of its capacity. Returns the number of
    /// bits that may be set before the next check, or why new keys are refused.
    #[cold]
    pub(super) fn look(self) -> core::result::Result<u64, Refusal> {
        if let Some(rate) = self.spoiled() {
            return Err(Refusal::Spoiled(rate.into()));
        }
        let set_bits = self.set_bits();
        let keys = (self.meta.capacity / LOOK_EVERY).max(1);
        let rate = self.rate_over(self.each_line(), || set_bits, keys as f64);
        if self.meta.is_past(rate) {
            return Err(Refusal::Full);
        }
        if self.meta.shape.lines() < EACH_KEY_BELOW {
            return Ok(1);
        }
        // With k bits a key, the rate of many lines grows at most with the k-th power of the set
        // bits. The rate may be too small for a float: twice the bits is a good time for the next
        // check.
        let times =
            libm::pow(WITHIN * self.meta.promised_rate / rate, 1.0 / f64::from(self.meta.shape.num_hashes));
        let missing = PART_OF_THE_WAY * (times - 1.0).min(1.0) * set_bits as f64;
        let half_of_the_others = (self.meta.shape.bit_len - set_bits) / 2;
        Ok((missing as u64).min(half_of_the_others).max(keys))
    }

    /// The room before the next check, or why no new key is taken. Inserts and reports use this one
    /// rule.
    fn room(self, inserted: Option<u64>) -> core::result::Result<Room, Refusal> {
        let Some(left) = self.meta.keys_left(inserted) else {
            return self.look().map(Room::Bits);
        };
        if let Some(keys) = self.meta.keys_to_half(left) {
            return Ok(Room::Keys(keys));
        }
        self.spoiled().map_or(Ok(Room::Keys(left)), |rate| Err(Refusal::Spoiled(rate.into())))
    }

    /// Whether the rate of the union with another filter is past the promise. The union has
    /// `set_bits` set bits.
    fn is_past_with(self, other: Measured<'_>, set_bits: u64) -> bool {
        let united = self.each_line().zip(other.each_line()).map(|(here, there)| here.or(there));
        set_bits > self.set_bits() && self.meta.is_past(self.rate_over(united, || set_bits, 0.0))
    }
}

impl<L: PlainStorage> BloomFilter<L> {
    /// Whether the filter holds more keys than it was planned for, and its rate is more than 1.03
    /// times the promised one. Up to that factor the rate of a filter at its capacity may differ by
    /// chance. The policy does not matter.
    ///
    /// Under [`OverCapacity::Refuse`] inserts do not cause it, with one exception: one filter in
    /// twenty may be above the factor already when its last key is inserted, and repeats that
    /// follow count as keys. Other causes are inserts under another policy, and inserts by several
    /// threads at once ([`Shared`](crate::storage::Shared)).
    ///
    /// Costs nothing up to the capacity, and one pass over the bits beyond it.
    ///
    /// ```
    /// use tepal::{BloomFilter, OverCapacity};
    /// let mut seen = BloomFilter::builder().capacity(100).over_capacity(OverCapacity::Warn).build()?;
    /// seen.insert_iter(0..1000u64)?;
    /// assert!(seen.is_over_capacity() && seen.false_positive_rate() > seen.promised_false_positive_rate());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn is_over_capacity(&self) -> bool {
        self.is_past_capacity()
    }
}

impl BloomFilter {
    /// Makes room for one key, if keys may be refused. `held` tells whether the key is a member or
    /// a false positive.
    #[inline(always)]
    pub(super) fn make_room(&mut self, held: impl FnOnce(&Self) -> Result<bool>) -> Result<()> {
        if !self.refuses() {
            return Ok(());
        }
        match self.tally.free.checked_sub(1) {
            Some(free) => self.tally.free = free,
            None => match self.find_room() {
                Some(why) => self.refuse(why, || held(self))?,
                None => self.tally.free -= 1,
            },
        }
        Ok(())
    }

    /// Finds why new keys are refused, or else how many may be given before the next check. Does
    /// nothing while some may still be given.
    #[cold]
    pub(super) fn find_room(&mut self) -> Option<Refusal> {
        if self.tally.free == 0 && self.tally.refusal.is_none() {
            match self.free_keys() {
                Ok(free) => self.tally.free = free,
                Err(why) => self.tally.refusal = Some(why),
            }
        }
        self.tally.refusal
    }

    /// The number of keys that may be given before the next check, or why none may.
    fn free_keys(&mut self) -> core::result::Result<u64, Refusal> {
        let is_past_capacity = self.meta.keys_left(self.meta.inserted.get()).is_none();
        // After batches, far fewer bits may be set than the keys could have set.
        if is_past_capacity && !self.tally.is_exact() {
            self.recount();
        }
        if !is_past_capacity || self.tally.counted >= self.tally.look_at {
            match self.measured().room(self.meta.inserted.get())? {
                Room::Keys(keys) => return Ok(keys),
                Room::Bits(bits) => self.tally.look_at = self.tally.counted + bits,
            }
        }
        let bits = self.tally.look_at - self.tally.counted;
        Ok((bits / u64::from(self.num_hashes())).max(1))
    }

    /// Counts the keys that were inserted under a grant, and ends it. To be called before anything
    /// else reads the tally or the number of keys, or changes what they depend on.
    #[inline]
    pub(super) fn settle(&mut self) {
        let keys = self.tally.take_back();
        if keys > 0 {
            self.tally.add_uncounted(keys);
            self.add_to_inserted(keys);
        }
    }

    /// Grants room for keys that are inserted one by one, if there is so much room that counting
    /// the bits at its end costs less than counting during the inserts.
    pub(super) fn grant_room(&mut self) {
        let room = if self.refuses() {
            if self.find_room().is_some() {
                return;
            }
            self.tally.free
        } else {
            WITHOUT_END
        };
        if room > self.meta.shape.lines() / 2 {
            self.tally.grant(room);
        }
    }

    /// Adds to the number of keys given, repeats included.
    #[inline]
    pub(super) fn add_to_inserted(&mut self, keys: u64) {
        self.meta.inserted = self.meta.inserted.get().and_then(|n| n.checked_add(keys)).into();
    }

    /// Counts the set bits.
    pub(super) fn recount(&mut self) {
        self.tally.recounted(self.kernel.count(self.lines.view().0));
    }

    /// Counts the set bits, and forgets earlier results, since other bits are set now.
    pub(super) fn count_anew(&mut self) {
        self.settle();
        self.tally = Tally::new(self.kernel.count(self.lines.view().0));
    }

    /// Sets the capacity; the promised rate stays.
    pub(super) fn set_capacity(&mut self, keys: u64) {
        self.meta.capacity = keys;
        self.count_anew();
    }
}

#[cfg(test)]
mod tests;

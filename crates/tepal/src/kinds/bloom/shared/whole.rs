//! Calls that use all bits of a shared filter at once.

use core::sync::atomic::Ordering::Relaxed;

use super::super::BloomFilter;
use super::super::storage::{Owned, PlainStorage};
use super::Shared;
use super::counts::Watch;
use crate::bits::atomic;
use crate::bits::{self, Bits};
use crate::error::Result;

impl BloomFilter<Shared> {
    /// A copy in memory of the present state, while other threads go on. It has every key whose
    /// insert happened before this call, and perhaps some of the others.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) if there is no memory for it.
    pub fn snapshot(&self) -> Result<BloomFilter> {
        let mut lines = bits::zeroed(self.meta.shape.lines())?;
        // Before the bits are read: a key is counted after all its bits are set.
        let inserted = self.keys_inserted();
        for (line, shared) in lines.iter_mut().zip(&self.lines.lines) {
            *line = shared.load();
        }
        let mut meta = self.meta.clone();
        meta.inserted = inserted.into();
        let set_bits = self.kernel.count(Bits::Plain(&lines));
        Ok(BloomFilter::from_parts(meta, Owned::new(lines), set_bits))
    }

    /// Adds all keys of `other`, while other threads insert and look up. `other` is for example a
    /// partial filter that one thread has filled. Every [`contains`](Self::contains) that happens
    /// after this call answers `true` for its keys. Keys that both have count twice in
    /// [`keys_inserted`](BloomFilter::keys_inserted).
    ///
    /// Costs a pass over the bits of both, and another one if the policy is
    /// [`OverCapacity::Refuse`](crate::OverCapacity::Refuse). Its check of the capacity does not
    /// see keys that other threads insert meanwhile.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let builder = BloomFilter::builder().capacity(1000);
    /// let all = builder.clone().build()?.into_shared()?;
    /// std::thread::scope(|scope| {
    ///     for part in [["apple", "pear"], ["cherry", "plum"]] {
    ///         let (all, mut mine) = (&all, builder.clone().build().unwrap());
    ///         scope.spawn(move || mine.insert_many(&part).and_then(|()| all.union_with(&mine)).unwrap());
    ///     }
    /// });
    /// assert!(all.contains("pear") && all.contains("cherry"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`union_with`](BloomFilter::union_with) of a filter in memory. The filter is unchanged
    /// then.
    pub fn union_with<M: PlainStorage>(&self, other: &BloomFilter<M>) -> Result<()> {
        self.check_compatible(other)?;
        other.check_before_copying()?;
        let others = other.lines.as_lines();
        self.check_room_for(other, || atomic::count_union(&self.lines.lines, others))?;
        let sampled = atomic::union(&self.lines.lines, others);
        match other.keys_inserted() {
            Some(keys) => self.note(keys, sampled),
            None => {
                self.lines.uncounted.store(true, Relaxed);
                self.note(0, sampled);
            }
        }
        Ok(())
    }

    /// Removes all keys. This needs exclusive access. While other threads use the filter, replace
    /// it by another one.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let mut seen = BloomFilter::builder().capacity(1000).build()?.into_shared()?;
    /// seen.insert("apple")?;
    /// seen.clear();
    /// assert!(!seen.contains("apple"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn clear(&mut self) {
        let share = self.sample() as f64 / self.meta.shape.lines() as f64;
        let mut lines = core::mem::take(&mut self.lines.lines);
        atomic::clear(&mut lines);
        self.meta.inserted = Some(0).into();
        self.lines = Shared::new(lines, Watch::new(share, 0), self.meta.capacity);
        self.look_now();
    }
}

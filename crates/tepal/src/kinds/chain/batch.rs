//! Many hashed keys into a chain, in their order, and which of them were new.

use super::ScalableBloomFilter;
use crate::error::{Error, Result};
use crate::key::{Batch, One, PreparedKeys};
use crate::kinds::bloom::after;

/// Keys that go through the links together.
const BATCH: usize = 512;

impl ScalableBloomFilter {
    /// Inserts keys that the chain's [`key_hasher`](Self::key_hasher) has prepared, in their order,
    /// and says of each whether it was surely new: `is_new[i]` is for key `i`. A key that stands
    /// twice among them is new once.
    ///
    /// Costs what asking and inserting them in batches costs: the memory accesses of a batch are
    /// under way together.
    ///
    /// ```
    /// use tepal::{BloomFilter, hash::PreparedKeys};
    /// let mut seen = BloomFilter::builder().false_positive_rate(1e-6).build_growing()?;
    /// let (hasher, mut keys) = (seen.key_hasher(), PreparedKeys::default());
    /// for line in ["apple", "banana", "apple"] {
    ///     hasher.prepare(line, &mut keys)?;
    /// }
    /// let mut is_new = [false; 3];
    /// seen.insert_prepared_noting(&keys, &mut is_new)?;
    /// assert_eq!(is_new, [true, true, false]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`insert`](Self::insert), and [`Error::NoHash`] for keys that were prepared for another
    /// scheme. The keys before the refused one are in, and none that `is_new` does not say so of.
    ///
    /// # Panics
    /// If there are not as many answers as keys.
    pub fn insert_prepared_noting(&mut self, keys: &PreparedKeys, is_new: &mut [bool]) -> Result<()> {
        assert_eq!(keys.len(), is_new.len(), "one answer for each key");
        is_new.fill(false);
        match keys.batch() {
            Batch::Hashes(hashes) => {
                if !hashes.is_empty() {
                    self.links[0].meta.keys.check_has_hash()?;
                }
                self.insert_hashes(hashes, |place, new| is_new[place] = new)
            }
            Batch::Bytes(keys) => (0..).zip(keys.each()).try_for_each(|(i, bytes)| {
                is_new[i] = self.insert_one(Batch::One(One::Encoded(bytes))).map_err(after(i))?;
                Ok(())
            }),
            Batch::One(_) => Ok(()),
        }
    }

    /// Inserts hashes in their order. `note` hears of each that was not held before whether it was
    /// new: one that stands twice among them is heard of twice.
    pub(super) fn insert_hashes(&mut self, hashes: &[u64], mut note: impl FnMut(usize, bool)) -> Result<()> {
        (0..).step_by(BATCH).zip(hashes.chunks(BATCH)).try_for_each(|(start, piece)| {
            self.insert_piece(piece, |place, new| note(start + place, new)).map_err(after(start))
        })
    }

    /// [`insert_hashes`](Self::insert_hashes) for at most [`BATCH`] of them.
    fn insert_piece(&mut self, hashes: &[u64], mut note: impl FnMut(usize, bool)) -> Result<()> {
        self.look(hashes.len())?;
        // Those that no link holds so far, and where they stand in the piece.
        let (mut left, mut places, mut answers) = ([0; BATCH], [0u16; BATCH], [false; BATCH]);
        let mut count = hashes.len();
        left[..count].copy_from_slice(hashes);
        (0..).zip(&mut places[..count]).for_each(|(i, place)| *place = i);
        loop {
            // Most keys are in the newest, which is the largest.
            for link in self.links.iter().rev() {
                let answers = &mut answers[..count];
                link.answer_batch(Batch::Hashes(&left[..count]), answers);
                count = keep_strangers(answers, &mut left, &mut places);
            }
            if count == 0 {
                return Ok(());
            }
            let failed = |error: Error| after(usize::from(places[0]))(error);
            self.before_a_change().map_err(failed)?;
            let room = self.room_for(count);
            if room == 0 {
                let next = self.next_link().map_err(failed)?.into_mapped();
                self.links.reserve_exact(1);
                self.links.push(next);
                continue;
            }
            let last = self.links.len() - 1;
            let new = &mut answers[..room];
            self.links[last].insert_noting(&left[..room], new).map_err(failed)?;
            (0..room).for_each(|i| note(places[i].into(), new[i]));
            if room == count {
                return Ok(());
            }
            // The others may be equal to one that is in now.
            left.copy_within(room..count, 0);
            places.copy_within(room..count, 0);
            count -= room;
        }
    }
}

/// Keeps the hashes that were not found, in their order, without a branch. Says how many there are.
#[inline(always)]
fn keep_strangers(found: &[bool], hashes: &mut [u64; BATCH], places: &mut [u16; BATCH]) -> usize {
    let mut count = 0;
    for (i, found) in found.iter().enumerate() {
        (hashes[count], places[count]) = (hashes[i], places[i]);
        count += usize::from(!found);
    }
    count
}

#[cfg(test)]
mod tests;

//! Inserts many hashed keys into a chain, in their order, and tells which were new.

use super::ScalableBloomFilter;
use crate::error::{Error, Result};
use crate::key::{Batch, One, PreparedKeys};
use crate::kinds::bloom::after;

/// The most keys that go through the links together.
const BATCH: usize = 512;

impl ScalableBloomFilter {
    /// Inserts keys that the chain's [`key_hasher`](Self::key_hasher) has prepared, in their order.
    /// `is_new[i]` becomes `true` if key `i` was surely new. A key that stands twice among them is
    /// new once.
    ///
    /// Costs a batch lookup and a batch insert: the keys of a batch wait for memory together.
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
    /// scheme. The keys before the refused one are inserted. No key was inserted for which `is_new`
    /// is `false`.
    ///
    /// # Panics
    /// If the number of answers differs from the number of keys.
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

    /// Inserts hashes in their order. Calls `note` for each hash that the chain did not hold before
    /// the call, with whether it was new: for a hash that stands twice, `note` is called twice.
    pub(super) fn insert_hashes(&mut self, hashes: &[u64], mut note: impl FnMut(usize, bool)) -> Result<()> {
        (0..).step_by(BATCH).zip(hashes.chunks(BATCH)).try_for_each(|(start, piece)| {
            self.insert_piece(piece, |place, new| note(start + place, new)).map_err(after(start))
        })
    }

    /// [`insert_hashes`](Self::insert_hashes) for at most [`BATCH`] hashes.
    fn insert_piece(&mut self, hashes: &[u64], mut note: impl FnMut(usize, bool)) -> Result<()> {
        self.look(hashes.len())?;
        // The hashes that no link holds so far, and their positions in the piece.
        let (mut left, mut places, mut answers) = ([0; BATCH], [0u16; BATCH], [false; BATCH]);
        let mut count = hashes.len();
        left[..count].copy_from_slice(hashes);
        (0..).zip(&mut places[..count]).for_each(|(i, place)| *place = i);
        loop {
            // Most keys are in the newest link, which is the largest.
            for link in self.links.iter().rev() {
                let answers = &mut answers[..count];
                link.answer_batch(Batch::Hashes(&left[..count]), answers);
                count = keep_non_members(answers, &mut left, &mut places);
            }
            if count == 0 {
                return Ok(());
            }
            let failed = |error: Error| after(usize::from(places[0]))(error);
            self.before_a_change().map_err(failed)?;
            let room = self.room_for(count);
            if room == 0 {
                let next = self.next_link().map_err(failed)?;
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
            // The other hashes may equal one that was just inserted.
            left.copy_within(room..count, 0);
            places.copy_within(room..count, 0);
            count -= room;
        }
    }
}

/// Keeps the hashes that were not found, in their order, without a branch. Returns their number.
#[inline(always)]
fn keep_non_members(found: &[bool], hashes: &mut [u64; BATCH], places: &mut [u16; BATCH]) -> usize {
    let mut count = 0;
    for (i, found) in found.iter().enumerate() {
        (hashes[count], places[count]) = (hashes[i], places[i]);
        count += usize::from(!found);
    }
    count
}

//! Adds segments, and inserts keys into them.

use alloc::vec::Vec;

use super::SegmentFilter;
use super::pairs::SegmentsHeld;
use super::wide::IN_TABLE;
use crate::bits::memory;
use crate::bits::table::spread;
use crate::bits::table::stream::Stream;
use crate::error::{Error, Result, advice};
use crate::key::{Batch, Key, KeySink, Keys, One, PreparedKeys, hash_each};
use crate::kinds::bloom::after;
use crate::kinds::named::{Segment, SegmentList, check_segment_name};
use crate::kinds::storage::Ref;
use crate::kinds::table::core::one_by_one;
use crate::kinds::table::join::{Join, in_either, merged};
use crate::kinds::table::lines::Table;

impl SegmentFilter {
    /// The segment of this name; it is added, without keys, if it does not exist. It gets the
    /// lowest unused number. If that number needs another bit of each slot, the table is laid out
    /// again, in one pass.
    ///
    /// ```
    /// # use tepal::SegmentFilter;
    /// let mut days = SegmentFilter::builder().capacity(100).build()?;
    /// let monday = days.add_segment("monday")?;
    /// assert_eq!((days.add_segment("monday")?, days.segment_name(monday)), (monday, Some("monday")));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for an impossible name ([`check_segment_name`]), and for segment
    /// 65,537; [`Error::TooLarge`] if there is no memory; [`Error::Damaged`] for a filter that was
    /// opened [quick](crate::Open::quick) and is damaged. The filter is unchanged then.
    pub fn add_segment(&mut self, name: &str) -> Result<Segment> {
        if let Ok(segment) = self.segments.find(name) {
            return Ok(segment);
        }
        check_segment_name(name)?;
        self.make_room_for(self.segments.free()?)?;
        self.segments.named(name)
    }

    /// Adds a segment that has no name, only a number.
    ///
    /// # Errors
    /// As [`add_segment`](Self::add_segment).
    pub fn add_unnamed_segment(&mut self) -> Result<Segment> {
        let number = self.segments.free()?;
        self.make_room_for(number)?;
        self.segments.add(number, None);
        Ok(Segment(number))
    }

    /// Names or renames a segment.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a segment that does not exist, for an impossible name
    /// ([`check_segment_name`]), and for the name of another segment.
    pub fn rename_segment(&mut self, segment: Segment, name: &str) -> Result<()> {
        self.segments.check(segment)?;
        check_segment_name(name)?;
        match self.segments.find(name) {
            Ok(other) if other != segment => {
                let error = Error::parameter("the name of a segment", name, "one that no other segment has");
                Err(error.with(advice!("take another name, or make one segment of the two", MergeSegments)))
            }
            Ok(_) => Ok(()),
            Err(_) => {
                self.segments.rename(segment, name);
                Ok(())
            }
        }
    }

    /// Makes sure that the slots have room for this segment number.
    fn make_room_for(&mut self, number: u16) -> Result<()> {
        let tag_bits = (16 - number.leading_zeros()) as u8;
        if u32::from(tag_bits) > self.core.table.packing().tag_bits() {
            self.core.table.check_before_copying()?;
            self.core.table.lay_out_tags(tag_bits, self.core.usual_slots())?;
        }
        Ok(())
    }

    /// Inserts a key into a segment. `true`: it is surely new there. If the key is in the segment
    /// already, or is a false positive there, nothing changes.
    ///
    /// # Errors
    /// - [`Error::Parameter`] for a segment that does not exist;
    /// - [`Error::CapacityReached`] for a new key if the filter is full and its policy is
    ///   [`OverCapacity::Refuse`](crate::OverCapacity::Refuse);
    /// - [`Error::KeyRefused`] for a key that the key domain does not have;
    /// - [`Error::CallerHashes`] in a filter with `caller_hash`;
    /// - [`Error::NumbersClustered`] if keys were chosen by the filter's own hash so that their
    ///   fingerprints lie side by side;
    /// - [`Error::TooLarge`] if there is no memory for more lines;
    /// - [`Error::Damaged`] for a filter that was opened [quick](crate::Open::quick) and is
    ///   damaged.
    ///
    /// The filter is unchanged then.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, segment: Segment, key: &K) -> Result<bool> {
        let hash = self.core.meta.keys.hash_ref(key.key(&mut KeySink::new()))?;
        self.insert_hash(segment, hash)
    }

    /// [`insert`](Self::insert) for a hash, computed by [`hash_key`](Self::hash_key), by an equal
    /// [`key_hasher`](Self::key_hasher), or by the caller.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    pub fn insert_hash(&mut self, segment: Segment, hash: u64) -> Result<bool> {
        self.segments.check(segment)?;
        self.core.table.before_a_change()?;
        let (number, tag) = (self.core.table.number(hash), segment.0.into());
        let among = self.core.table.among(number, tag);
        let is_wide = among.slots as usize >= IN_TABLE;
        if among.has_it || (is_wide && self.wide.has(number, tag)) {
            return Ok(false);
        }
        if self.is_full() {
            return Err(self.core.full());
        }
        if !is_wide {
            self.core.table.insert(number, tag, among.slots == 0)?;
        } else if tag > among.last {
            Ref::make_mut(&mut self.wide).insert(number, segment.0)?;
        } else {
            // The greatest tag moves out of the table. The lines have room for another slot of the
            // same fingerprint.
            Ref::make_mut(&mut self.wide).insert(number, among.last as u16)?;
            self.core.table.remove(number, among.last, false)?;
            self.core.table.insert(number, tag, false)?;
        }
        self.segments.grow(segment, 1);
        Ok(true)
    }

    /// [`insert`](Self::insert) for many keys of a segment.
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The keys before the refused one are inserted: the error says
    /// how many.
    pub fn insert_many<K: Keys + ?Sized>(&mut self, segment: Segment, keys: &K) -> Result<()> {
        crate::key::insert_in_batches(
            self,
            |filter| &filter.core.meta.keys,
            keys,
            |filter, batch, done| filter.insert_batch(segment, batch, done),
        )
    }

    /// [`insert`](Self::insert) for the pairs of segment and key of an iterator. If they are many
    /// compared with the filter, they are sorted and merged. Takes 16 bytes a pair meanwhile.
    ///
    /// ```
    /// # use tepal::SegmentFilter;
    /// let mut days = SegmentFilter::builder().capacity(100).build()?;
    /// let [monday, tuesday] = [days.add_segment("monday")?, days.add_segment("tuesday")?];
    /// days.insert_iter([(monday, "apple"), (tuesday, "apple"), (tuesday, "pear")])?;
    /// assert!(days.segments("apple").eq([monday, tuesday]));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many). At a key that the key domain does not have, no pair
    /// is inserted.
    pub fn insert_iter<K: Key>(&mut self, pairs: impl IntoIterator<Item = (Segment, K)>) -> Result<()> {
        let keys = &self.core.meta.keys;
        let pairs = hash_each(pairs, |(segment, key), sink| Ok((keys.hash_ref(key.key(sink))?, segment)))?;
        // Inserting one by one reports the refusal at the right pair.
        if self.core.is_sorted_quicker(pairs.len()) && self.insert_pairs(memory::copy_of(&pairs)?).is_ok() {
            return Ok(());
        }
        (0..).zip(pairs).try_for_each(|(done, (hash, segment))| {
            self.insert_hash(segment, hash).map(drop).map_err(after(done))
        })
    }

    /// [`insert`](Self::insert) for hashes. If they are many compared with the filter, they are
    /// sorted and merged.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_many_hashes(&mut self, segment: Segment, hashes: &[u64]) -> Result<()> {
        if self.core.is_sorted_quicker(hashes.len()) {
            let mut pairs = memory::room(hashes.len())?;
            pairs.extend(hashes.iter().map(|hash| (*hash, segment)));
            // Inserting one by one reports the refusal at the right key.
            if self.insert_pairs(pairs).is_ok() {
                return Ok(());
            }
        }
        let insert = |filter: &mut Self, hash| filter.insert_hash(segment, hash);
        one_by_one(self, |filter| &filter.core, hashes, insert)
    }

    /// [`insert`](Self::insert) for keys that the filter's [`key_hasher`](Self::key_hasher) has
    /// prepared.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_prepared(&mut self, segment: Segment, keys: &PreparedKeys) -> Result<()> {
        self.insert_batch(segment, keys.batch(), 0)
    }

    pub(super) fn insert_batch(&mut self, segment: Segment, keys: Batch<'_>, done: usize) -> Result<()> {
        match keys {
            Batch::Hashes(hashes) => self.insert_many_hashes(segment, hashes).map_err(after(done)),
            Batch::One(One::Key(key)) => self.insert(segment, &key).map(drop).map_err(after(done)),
            // Only filters whose scheme has no hash take bytes.
            Batch::Bytes(_) | Batch::One(One::Encoded(_)) => {
                Err(Error::NoHash { scheme: self.core.meta.keys.scheme() })
            }
        }
    }

    /// Inserts hashes of keys in several segments by sorting their fingerprints, all or none.
    /// Sorted pairs ([`sort_pairs`](Self::sort_pairs)) take less time. The old and the new table
    /// are in memory at the same time.
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The filter is unchanged then.
    pub fn insert_pairs(&mut self, pairs: Vec<(u64, Segment)>) -> Result<()> {
        self.core.table.check_before_copying()?;
        let tag_bits = self.core.tag_bits();
        let entries = entries_of(&self.core.table, &self.segments, pairs)?;
        let new = || Stream::of(entries.iter().copied());
        let both = || in_either(Join::Once, tag_bits, self.all_entries(), new());
        let held =
            SegmentsHeld::new(&self.segments, (self.numbers(), tag_bits, self.core.usual_slots()), &both)?;
        self.core.check_room(held.pairs())?;
        self.set_held(self.segments.copied()?, held);
        Ok(())
    }

    /// All pairs, ascending.
    pub(super) fn all_entries(&self) -> Stream<'_> {
        let wide = self.wide.entries(self.core.tag_bits());
        merged(self.core.table.stream(), Stream::of(wide))
    }
}

/// Pairs of hash and segment as ascending entries of a table, without repeats.
pub(super) fn entries_of(
    table: &Table,
    segments: &SegmentList,
    mut pairs: Vec<(u64, Segment)>,
) -> Result<Vec<u64>> {
    let tag_bits = table.packing().tag_bits();
    if !pairs.is_sorted_by_key(|(hash, _)| spread(*hash)) {
        pairs.sort_unstable_by_key(|(hash, segment)| (spread(*hash), *segment));
    }
    let mut entries = memory::room(pairs.len())?;
    let mut last = None;
    for (hash, segment) in pairs {
        if last != Some(segment) {
            segments.check(segment)?;
            last = Some(segment);
        }
        entries.push(table.number(hash) << tag_bits | u64::from(segment.0));
    }
    // They are nearly sorted: only the segments of one fingerprint may be in any order.
    entries.sort_unstable();
    entries.dedup();
    Ok(entries)
}

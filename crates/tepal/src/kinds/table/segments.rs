//! Which segment may hold a key: one table whose tags are segments.
//!
//! Describing it is in [`builder`], segments and their names in [`named`](super::super::named),
//! inserting in [`insert`], asking in [`ask`] and for many keys in [`answers`], segments that go or
//! come together and two filters as one in [`combine`], pairs of number and segment as streams in
//! `pairs`, numbers in very many segments in `wide`, what a file holds of it in [`part`], what
//! every kind of filter does in [`kind`]. The table is that of [`lines`](super::lines).

mod answers;
mod ask;
mod builder;
mod combine;
mod insert;
mod kind;
mod pairs;
pub(crate) mod part;
#[cfg(feature = "parallel")]
mod sort;
mod wide;

pub use crate::kinds::named::{Segment, check_segment_name};
pub use answers::SegmentAnswers;
pub use ask::Segments;
pub use builder::SegmentFilterBuilder;

use super::calls::one_table;
use super::core::{Meta, TableCore};
use super::lines::Table;
use crate::key::{Batch, Key, Keys, One, PreparedKeys};
use crate::kinds::named::SegmentList;
use crate::kinds::shown::shown;
use crate::kinds::storage::Ref;
use pairs::Held;
use wide::Wide;

/// A filter that says which segments may hold a key: parts of a log, files of a table, days,
/// shards, up to 65,536 of them, and a key may be in any number of them.
///
/// It answers with one lookup what asking a Bloom filter of each segment answers with as many
/// lookups as there are segments. It holds pairs of key and segment. **The promised rate is that of
/// wrong segments**: a key that is in none gets that many on average, over all segments together,
/// and from one segment its share, (numbers in the segment) / U. A key that is in some gets these,
/// certainly, and wrong ones at the same rate.
///
/// [`capacity`](SegmentFilterBuilder::capacity) counts pairs. At 1 % and a million of them a pair
/// takes 9.6 bits with one segment, 13.1 with 8, 16.7 with 64, 21.6 with a thousand and 28.6 with
/// 65,536 ([`planned_size_in_bytes`](SegmentFilterBuilder::planned_size_in_bytes)).
///
/// Where keys are in many segments the table needs more room, for their numbers fill a few places
/// to the brim: of a thousand segments 23.5 bits a pair where each key is in four of them, 29.6 in
/// 16, 41 in 60 (`bench/results/2026-11-23-segments.md`). Beyond 64 segments of a key each takes
/// two bytes beside the table.
///
/// A segment can be [dropped](Self::drop_segment), and [merged](Self::merge_segments) into another,
/// without anybody's keys. A single key cannot be taken out of a segment: another key there may
/// have the same number.
///
/// ```
/// use tepal::SegmentFilter;
/// let builder = SegmentFilter::builder().capacity(1_000_000).false_positive_rate(0.01);
/// let mut days = builder.clone().build()?;
/// let (monday, tuesday) = (days.add_segment("monday")?, days.add_segment("tuesday")?);
/// days.insert(monday, "alice")?;
/// days.insert(tuesday, "alice")?;
/// days.insert(tuesday, "bob")?;
/// assert!(days.segments("alice").eq([monday, tuesday]));
/// assert!(days.segments("bob").eq([tuesday]));
/// days.drop_segment(tuesday)?;
/// assert!(!days.contains("bob") && days.contains_in(monday, "alice"));
///
/// let mut others = builder.build()?;
/// let wednesday = others.add_segment("wednesday")?;
/// others.insert(wednesday, "bob")?;
/// days.union_with(&others)?;                  // segments of one name become one
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("days.tepal");
/// days.save(&path)?;
/// let days = SegmentFilter::open(&path)?;
/// assert!(days.segments("bob").eq(days.segment_by_name("wednesday")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SegmentFilter {
    /// The tags of a number ascend.
    core: TableCore,
    wide: Ref<Wide>,
    segments: SegmentList,
}

impl SegmentFilter {
    fn from_parts(meta: Meta, segments: SegmentList, table: Table, wide: Ref<Wide>) -> Self {
        let room = meta.capacity;
        SegmentFilter { core: TableCore::new(meta, table, room), wide, segments }
    }

    /// It has other segments from now on, which hold this.
    fn set_held(&mut self, mut segments: SegmentList, held: Held) {
        segments.set_lens(&held.lens);
        (self.core.table, self.wide, self.segments) = (held.table, Ref::new(held.wide), segments);
    }

    /// What counts against the capacity: pairs.
    #[inline]
    fn held(&self) -> u64 {
        self.len()
    }

    one_table! {
        /// Pairs of key and segment that the filter was planned for.
        capacity;
        /// The wrong segments that a key in none gets on average, promised as long as the filter
        /// holds no more pairs than its capacity.
        promised_false_positive_rate;
        /// The share of keys in no segment for which [`contains`](Self::contains) says `true`: at
        /// most [`wrong_segments`](Self::wrong_segments), and less where keys are in several. Costs
        /// nothing.
        false_positive_rate;
        /// Bytes of the table in memory, without names, and without what keys in more than 64
        /// segments take beside it.
        size_in_bytes;
        /// Does it hold more pairs than its promise allows? Never under
        /// [`OverCapacity::Ignore`](crate::OverCapacity::Ignore).
        is_over_capacity;
        /// Does it refuse every pair that it does not hold?
        is_full;
        /// Is the key in any segment?
        ///
        /// `false` is certain. `true` means perhaps: about
        /// [`false_positive_rate`](Self::false_positive_rate) of all other keys get it too. A key
        /// that the filter's domain refuses is not in; a filter of the caller's hashes cannot hash
        /// a key, and answers `true`.
        contains;
        contains_many;
    }

    /// The wrong segments that a key in none gets on average now: exact for keys whose hashes are
    /// spread evenly. Costs nothing.
    #[must_use]
    pub fn wrong_segments(&self) -> f64 {
        self.len() as f64 / self.numbers() as f64
    }

    /// How many pairs of key and segment it holds: different ones, but for those few keys of a
    /// segment whose numbers are equal.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.core.table.slots() + self.wide.pairs()
    }

    /// Does it hold no key?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.core.table.slots() == 0
    }

    /// How many segments there are.
    #[must_use]
    pub fn num_segments(&self) -> usize {
        self.segments.listed().len()
    }

    /// The segments, by their numbers.
    pub fn all_segments(&self) -> impl ExactSizeIterator<Item = Segment> + '_ {
        self.segments.listed().iter().map(|listed| Segment(listed.number))
    }

    /// The segment that has this name.
    #[must_use]
    pub fn segment_by_name(&self, name: &str) -> Option<Segment> {
        self.segments.find(name).ok()
    }

    /// The name of a segment, where it has one.
    #[must_use]
    pub fn segment_name(&self, segment: Segment) -> Option<&str> {
        self.segments.name(segment)
    }

    /// How many numbers a segment holds: different keys, but for those few whose numbers are equal.
    /// 0 for a segment that there is not.
    #[must_use]
    pub fn segment_len(&self, segment: Segment) -> u64 {
        self.segments.get(segment).map_or(0, |listed| listed.len)
    }
}

/// Two filters are equal when they give every key the same answer for the same reason: same hash,
/// domain, recipe, numbers, and segments of the same numbers and names. Capacity, labels and how
/// the table is laid out do not matter.
impl PartialEq for SegmentFilter {
    fn eq(&self, other: &SegmentFilter) -> bool {
        self.core == other.core && self.segments == other.segments && self.wide == other.wide
    }
}

impl Eq for SegmentFilter {}

shown!(SegmentFilter: num_segments, len, numbers, capacity, promised_false_positive_rate, size_in_bytes, scheme, seed, key_domain, over_capacity);

#[cfg(test)]
mod tests;

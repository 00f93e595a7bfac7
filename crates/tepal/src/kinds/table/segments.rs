//! Tells which segments may hold a key: one table whose tags are segments.
//!
//! The builder is in [`builder`]; segments and their names are in [`named`](super::super::named);
//! inserts in [`insert`]; lookups of one key in [`ask`] and of many in [`answers`]; changes of
//! whole segments and unions in [`combine`]; streams of pairs of fingerprint and segment in
//! `pairs`; fingerprints in very many segments in `wide`; the file part in [`part`]; the traits of
//! every filter in [`kind`]. The table is that of [`lines`](super::lines).

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
use super::core::{TableCore, TableMeta};
use super::lines::Table;
use crate::key::{Batch, Key, Keys, One, PreparedKeys};
use crate::kinds::named::SegmentList;
use crate::kinds::shown::shown;
use crate::kinds::storage::Ref;
use pairs::SegmentsHeld;
use wide::WideList;

/// A filter that tells which segments may hold a key. Segments are for example parts of a log,
/// files of a table, days or shards; there are up to 65,536 of them, and a key may be in any number
/// of them.
///
/// One lookup replaces a lookup in a Bloom filter of each segment. The filter holds pairs of key
/// and segment. **The promised rate is the mean number of wrong segments** that a key in no segment
/// gets, over all segments together. From one segment it gets that segment's share, (fingerprints
/// in the segment) / U. A key that is in some segments always gets these, and wrong ones at the
/// same rate.
///
/// [`capacity`](SegmentFilterBuilder::capacity) counts pairs. At 1 % and a million pairs, a pair
/// takes 9.6 bits with one segment, 13.1 with 8, 16.7 with 64, 21.6 with a thousand and 28.6 with
/// 65,536 ([`planned_size_in_bytes`](SegmentFilterBuilder::planned_size_in_bytes)).
///
/// If keys are in many segments, the table needs more room, because their fingerprints fill a few
/// places completely. With a thousand segments a pair takes 23.5 bits if each key is in four of
/// them, 29.6 if it is in 16, and 41 if it is in 60 (`bench/results/2026-11-23-segments.md`). After
/// 64 segments of a key, each further one takes two bytes beside the table.
///
/// A segment can be [dropped](Self::drop_segment), and [merged](Self::merge_segments) into another,
/// without its keys. A single key cannot be removed from a segment: another key there may have the
/// same fingerprint.
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
    /// The tags of a fingerprint ascend.
    core: TableCore,
    wide: Ref<WideList>,
    segments: SegmentList,
}

impl SegmentFilter {
    fn from_parts(meta: TableMeta, segments: SegmentList, table: Table, wide: Ref<WideList>) -> Self {
        let room = meta.capacity;
        SegmentFilter { core: TableCore::new(meta, table, room), wide, segments }
    }

    /// Replaces the segments and their contents.
    fn set_held(&mut self, mut segments: SegmentList, held: SegmentsHeld) {
        segments.set_lens(&held.lens);
        (self.core.table, self.wide, self.segments) = (held.table, Ref::new(held.wide), segments);
    }

    /// The number that counts against the capacity: pairs.
    #[inline]
    fn held(&self) -> u64 {
        self.len()
    }

    one_table! {
        /// The number of pairs of key and segment that the filter was planned for.
        capacity;
        /// The mean number of wrong segments of a key in none that is promised while the filter
        /// holds at most its capacity of pairs.
        promised_false_positive_rate;
        /// The share of keys in no segment for which [`contains`](Self::contains) answers `true`:
        /// at most [`wrong_segments`](Self::wrong_segments), and less if keys are in several
        /// segments. Costs nothing.
        false_positive_rate;
        /// The bytes of the table in memory, without the names, and without the extra list for keys
        /// in more than 64 segments.
        size_in_bytes;
        /// Whether it holds more pairs than its promise allows.
        is_over_capacity;
        /// Whether it refuses every pair that it does not hold.
        is_full;
        /// Looks up whether the key is in any segment.
        ///
        /// `false` is certain. `true` means perhaps: about
        /// [`false_positive_rate`](Self::false_positive_rate) of all non-members get it too. For a
        /// key that the filter's domain refuses the answer is `false`. A filter with `caller_hash`
        /// cannot hash a key, and answers `true`.
        contains;
        contains_many;
    }

    /// The mean number of wrong segments that a key in none gets now: exact for keys whose hashes
    /// are spread evenly. Costs nothing.
    #[must_use]
    pub fn wrong_segments(&self) -> f64 {
        self.len() as f64 / self.numbers() as f64
    }

    /// The number of pairs of key and segment that it holds. Two keys of a segment that share a
    /// fingerprint count once, which is rare.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.core.table.slots() + self.wide.pairs()
    }

    /// Whether it holds no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.core.table.slots() == 0
    }

    /// The number of segments.
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

    /// The name of a segment, if it has one.
    #[must_use]
    pub fn segment_name(&self, segment: Segment) -> Option<&str> {
        self.segments.name(segment)
    }

    /// The number of fingerprints of a segment: its different keys, except for the few that share
    /// one. 0 for a segment that does not exist.
    #[must_use]
    pub fn segment_len(&self, segment: Segment) -> u64 {
        self.segments.get(segment).map_or(0, |listed| listed.len)
    }
}

/// Two filters are equal if they give every key the same answer for the same reason: same hash,
/// domain, recipe, fingerprints, and segments of the same numbers and names. Capacity, labels and
/// the layout of the table do not matter.
impl PartialEq for SegmentFilter {
    fn eq(&self, other: &SegmentFilter) -> bool {
        self.core == other.core && self.segments == other.segments && self.wide == other.wide
    }
}

impl Eq for SegmentFilter {}

shown!(SegmentFilter: num_segments, len, numbers, capacity, promised_false_positive_rate, size_in_bytes, scheme, seed, key_domain, over_capacity);

#[cfg(test)]
mod tests;

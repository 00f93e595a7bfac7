//! Which segment may hold a key: one table whose tags are segments.
//!
//! Describing it is in [`builder`], segments and their names in [`named`](super::super::named), inserting in [`insert`], asking in [`ask`] and for many keys in
//! [`answers`], segments that go or come together and two filters as one in [`combine`], pairs of number and segment as streams in
//! `pairs`, numbers in very many segments in `wide`, what a file holds of it in [`part`], what every kind of filter does in [`kind`]. The
//! table is that of [`lines`](super::lines).

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

use core::fmt;

pub use crate::kinds::named::{Segment, check_segment_name};
pub use answers::SegmentAnswers;
pub use ask::Segments;
pub use builder::SegmentFilterBuilder;

use super::copies::Meta;
use super::lines::Table;
use crate::error::Result;
use crate::ids::OverCapacity;
use crate::kinds::calls::about_keys;
use crate::kinds::in_file::Ref;
use crate::kinds::named::SegmentList;
use pairs::Held;
use wide::Wide;

/// A filter that says which segments may hold a key: parts of a log, files of a table, days, shards, up to 65,536 of them, and a key
/// may be in any number of them.
///
/// It answers with one lookup what asking a Bloom filter of each segment answers with as many lookups as there are segments. It holds
/// pairs of key and segment. **The promised rate is that of wrong segments**: a key that is in none gets that many on average, over
/// all segments together, and from one segment its share, (numbers in the segment) / U. A key that is in some gets these, certainly, and
/// wrong ones at the same rate.
///
/// [`capacity`](SegmentFilterBuilder::capacity) counts pairs. At 1 % and a million of them a pair takes 9.6 bits with one segment, 13.1 with
/// 8, 16.7 with 64, 21.6 with a thousand and 28.6 with 65,536 ([`planned_size_in_bytes`](SegmentFilterBuilder::planned_size_in_bytes)).
///
/// Where keys are in many segments the table needs more room, for their numbers fill a few places to the brim: of a thousand segments 23.5
/// bits a pair where each key is in four of them, 29.6 in 16, 41 in 60 (`bench/results/2026-11-23-segments.md`). Beyond 64 segments of
/// a key each takes two bytes beside the table.
///
/// A segment can be [dropped](Self::drop_segment), and [merged](Self::merge_segments) into another, without anybody's keys. A single key
/// cannot be taken out of a segment: another key there may have the same number.
///
/// ```
/// use tepal::SegmentFilter;
/// let mut days = SegmentFilter::builder().capacity(1_000_000).false_positive_rate(0.01).build()?;
/// let (monday, tuesday) = (days.add_segment("monday")?, days.add_segment("tuesday")?);
/// days.insert(monday, "alice")?;
/// days.insert(tuesday, "alice")?;
/// days.insert(tuesday, "bob")?;
/// assert!(days.segments("alice").eq([monday, tuesday]));
/// assert!(days.segments("bob").eq([tuesday]));
/// days.drop_segment(tuesday)?;
/// assert!(!days.contains("bob") && days.contains_in(monday, "alice"));
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone)]
pub struct SegmentFilter {
    /// The tags of a number ascend.
    table: Table,
    wide: Ref<Wide>,
    segments: SegmentList,
    meta: Meta,
    /// So many pairs it may hold.
    most_pairs: u64,
}

impl SegmentFilter {
    fn from_parts(meta: Meta, segments: SegmentList, table: Table, wide: Ref<Wide>) -> Self {
        let by_rate = meta.promised_rate * table.packing().numbers() as f64;
        let most_pairs = meta.capacity.max(by_rate as u64);
        SegmentFilter { table, wide, segments, meta, most_pairs }
    }

    /// The same filter with other segments, which hold this.
    fn with_held(&self, mut segments: SegmentList, held: Held) -> Self {
        segments.set_lens(&held.lens);
        SegmentFilter::from_parts(self.meta.clone(), segments, held.table, Ref::new(held.wide))
    }

    /// Pairs of key and segment that the filter was planned for.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.meta.capacity
    }

    /// The wrong segments that a key in none gets on average, promised as long as the filter holds no more pairs than its capacity.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.promised_rate
    }

    /// The wrong segments that a key in none gets on average now: exact for keys whose hashes are spread evenly. Costs nothing.
    #[must_use]
    pub fn wrong_segments(&self) -> f64 {
        self.len() as f64 / self.numbers() as f64
    }

    /// The share of keys in no segment for which [`contains`](Self::contains) says `true`: at most
    /// [`wrong_segments`](Self::wrong_segments), and less where keys are in several. Costs nothing.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.table.rate()
    }

    /// How many pairs of key and segment it holds: different ones, but for those few keys of a segment whose numbers are equal.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.table.slots() + self.wide.pairs()
    }

    /// Does it hold no key?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.slots() == 0
    }

    /// How many different numbers it holds: different keys, but for those few whose numbers are equal.
    #[must_use]
    pub fn distinct_numbers(&self) -> u64 {
        self.table.distinct()
    }

    /// U: how many numbers there are. Filters of one U and one hash unite.
    #[must_use]
    pub fn numbers(&self) -> u64 {
        self.table.packing().numbers()
    }

    /// Bytes of the table in memory, without names, and without what keys in more than 64 segments take beside it.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.table.packing().bytes()
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

    /// How many numbers a segment holds: different keys, but for those few whose numbers are equal. 0 for a segment that there is not.
    #[must_use]
    pub fn segment_len(&self, segment: Segment) -> u64 {
        self.segments.get(segment).map_or(0, |listed| listed.len)
    }

    /// What happens when more pairs come than the capacity.
    #[must_use]
    pub fn over_capacity(&self) -> OverCapacity {
        self.meta.over_capacity
    }

    /// Changes that.
    ///
    /// # Errors
    /// None: other kinds have one policy.
    pub fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        self.meta.over_capacity = policy;
        Ok(())
    }

    /// Does it hold more pairs than its promise allows? Never under [`OverCapacity::Ignore`].
    #[must_use]
    pub fn is_over_capacity(&self) -> bool {
        self.meta.over_capacity != OverCapacity::Ignore && self.len() > self.most_pairs
    }

    /// Does it refuse every pair that it does not hold?
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.meta.over_capacity == OverCapacity::Refuse && self.len() >= self.most_pairs
    }

    /// What stands in the table: numbers with their segments.
    fn table_pairs(&self) -> impl Iterator<Item = (u64, u64)> {
        let tag_bits = self.table.packing().tag_bits();
        self.table.entries().map(move |entry| (entry >> tag_bits, entry & ((1 << tag_bits) - 1)))
    }

    about_keys!();

    /// Holds the table against what the file says of it. After [`Open::quick`](crate::Open::quick) this is the rest of what opening
    /// checks.
    ///
    /// # Errors
    /// [`Error::Damaged`](crate::Error::Damaged); [`Error::WrongSeal`](crate::Error::WrongSeal) for a file that was changed without
    /// the key of its seal.
    pub fn verify(&self) -> Result<()> {
        self.table.verify()
    }
}

/// Two filters are equal when they give every key the same answer for the same reason: same hash, domain, recipe, numbers, and
/// segments of the same numbers and names. Capacity, labels and how the table is laid out do not matter.
impl PartialEq for SegmentFilter {
    fn eq(&self, other: &SegmentFilter) -> bool {
        self.check_compatible(other).is_ok()
            && self.segments == other.segments
            && self.wide == other.wide
            && self.table_pairs().eq(other.table_pairs())
    }
}

impl Eq for SegmentFilter {}

impl fmt::Debug for SegmentFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SegmentFilter")
            .field("segments", &self.num_segments())
            .field("numbers", &self.numbers())
            .field("capacity", &self.capacity())
            .field("promised_false_positive_rate", &self.promised_false_positive_rate())
            .field("len", &self.len())
            .field("size_in_bytes", &self.size_in_bytes())
            .field("scheme", &self.scheme())
            .field("seed", &self.seed())
            .field("key_domain", &self.key_domain())
            .field("over_capacity", &self.over_capacity())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

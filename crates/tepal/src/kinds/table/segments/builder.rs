//! Describes a filter before it exists.

use alloc::vec::Vec;

use super::SegmentFilter;
use super::insert::entries_of;
use super::pairs::SegmentsHeld;
use crate::bits::table::packing::{Packing, most_numbers};
use crate::bits::table::spread;
use crate::bits::table::stream::Stream;
use crate::error::{Error, Result, advice};
use crate::facts::Labels;
use crate::key::options::KeyOptions;
use crate::key::{Key, hash_each};
use crate::kinds::named::{MOST_SEGMENTS, Segment, SegmentList};
use crate::kinds::storage::Ref;
use crate::kinds::table::builder::{Called, Planned, Promise};
use crate::kinds::table::calls::table_options;
use crate::kinds::table::lines::Table;

/// The most possible fingerprints of a table whose slots have room for every segment.
pub(super) fn most_numbers_of_all() -> u64 {
    most_numbers(16)
}

/// Describes a [`SegmentFilter`]; only the capacity has no default.
///
/// ```
/// use tepal::SegmentFilter;
/// let described = SegmentFilter::builder().capacity(1_000_000).false_positive_rate(0.01);
/// assert_eq!(described.planned_size_in_bytes(1000)? * 8 / 1_000_000, 21);      // bits a pair, with a thousand segments
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct SegmentFilterBuilder {
    keys: KeyOptions,
    labels: Labels,
    promise: Promise,
}

impl SegmentFilter {
    /// Starts to describe a filter.
    pub fn builder() -> SegmentFilterBuilder {
        SegmentFilterBuilder::default()
    }
}

impl SegmentFilterBuilder {
    table_options! {
        "a filter of segments";
        /// The number of pairs of key and segment that the filter will hold: the sum of the
        /// different keys of all segments. This many pairs fit, in however many segments each key
        /// is, unless somebody chose the keys by the filter's hash. It cannot be changed later. A
        /// union needs filters of one capacity and one rate.
        capacity;
        /// The mean number of wrong segments that a key in none gets, at most; the default is 0.01,
        /// one for each hundred keys.
        false_positive_rate;
        /// The policy for more pairs than planned: refuse them (the default), warn, or ignore it.
        /// The table makes room for them, and then its rate is past the promise.
        over_capacity;
    }

    /// The bytes of the table with this many segments when it holds its capacity, for planning
    /// without the table.
    ///
    /// # Errors
    /// As [`build`](Self::build), except for memory; [`Error::Parameter`] for more than 65,536
    /// segments.
    pub fn planned_size_in_bytes(&self, segments: usize) -> Result<u64> {
        let capacity = self.needed_capacity()?;
        let numbers = self.plan(capacity)?.numbers;
        if segments > MOST_SEGMENTS {
            return Err(Error::parameter("the number of segments", segments, "at most 65536"));
        }
        let tag_bits = segments.saturating_sub(1).checked_ilog2().map_or(0, |bits| bits + 1);
        Ok(Packing::for_slots(capacity, numbers, tag_bits as u8)?.bytes())
    }

    fn needed_capacity(&self) -> Result<u64> {
        self.promise.capacity.ok_or_else(|| {
            let error = Error::parameter("the capacity", "not given", "given, in pairs of key and segment");
            error.with(advice!("give it, or give the pairs themselves", Keys))
        })
    }

    /// Builds a filter without segments, with room for its capacity.
    ///
    /// # Errors
    /// [`Error::Parameter`] if no capacity is given, and for impossible values;
    /// [`Error::RateOutOfReach`] for a rate that this many pairs cannot have; [`Error::TooLarge`]
    /// if the machine has no memory for it.
    pub fn build(self) -> Result<SegmentFilter> {
        let planned = self.plan(self.needed_capacity()?)?;
        let table = planned.table()?;
        Ok(SegmentFilter::from_parts(planned.meta, SegmentList::default(), table, Ref::default()))
    }

    /// Builds a filter of these pairs of segment name and key by sorting their fingerprints, many
    /// times as fast as inserting one after the other. Segments get their numbers in the order of
    /// the first use of their names. If no capacity is given, it is the number of different pairs.
    /// Takes 24 bytes a pair in addition to the filter.
    ///
    /// ```
    /// let filter = tepal::SegmentFilter::builder().build_from([("fruit", "apple"), ("colour", "orange"), ("fruit", "orange")])?;
    /// assert_eq!((filter.segments("orange").count(), filter.segments("plum").count()), (2, 0));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build), [`SegmentFilter::add_segment`] and [`SegmentFilter::insert`].
    pub fn build_from<S: AsRef<str>, K: Key>(
        self,
        pairs: impl IntoIterator<Item = (S, K)>,
    ) -> Result<SegmentFilter> {
        let (hasher, mut list) = (self.key_hasher()?, SegmentList::default());
        let hashes = hash_each(pairs, |(name, key), sink| {
            let segment = list.named(name.as_ref())?;
            Ok((hasher.hash_ref(key.key(sink))?, segment))
        })?;
        self.build_of(list, hashes)
    }

    /// [`build_from`](Self::build_from) for hashes, computed by the filter's
    /// [`key_hasher`](Self::key_hasher) or by the caller. A pair's segment is the position of its
    /// name in `names`. Sorted pairs ([`SegmentFilter::sort_pairs`]) take less time.
    ///
    /// # Errors
    /// As [`build_from`](Self::build_from); [`Error::Parameter`] for a repeated name, and for a
    /// pair whose segment has no name.
    pub fn build_from_hashes(
        self,
        names: &[impl AsRef<str>],
        pairs: Vec<(u64, Segment)>,
    ) -> Result<SegmentFilter> {
        let mut list = SegmentList::default();
        for (place, name) in names.iter().enumerate() {
            if usize::from(list.named(name.as_ref())?.0) != place {
                let expected = "a name that no other segment has";
                return Err(Error::parameter("the name of a segment", name.as_ref(), expected));
            }
        }
        self.build_of(list, pairs)
    }

    fn build_of(self, list: SegmentList, mut pairs: Vec<(u64, Segment)>) -> Result<SegmentFilter> {
        pairs.sort_unstable_by_key(|(hash, segment)| (spread(*hash), *segment));
        pairs.dedup();
        let capacity = self.promise.capacity.unwrap_or(pairs.len() as u64).max(1);
        let Planned { meta, numbers, .. } = self.plan(capacity)?;
        let tag_bits = list.tag_bits();
        let empty = Table::new(numbers, tag_bits, 1)?;
        let entries = entries_of(&empty, &list, pairs)?;
        let held =
            SegmentsHeld::new(&list, (numbers, tag_bits, capacity), &|| Stream::of(entries.iter().copied()))?;
        let mut filter = SegmentFilter::from_parts(meta, SegmentList::default(), empty, Ref::default());
        filter.core.check_room(entries.len() as u64)?;
        filter.set_held(list, held);
        Ok(filter)
    }

    fn plan(&self, capacity: u64) -> Result<Planned> {
        // So that the slots have room for every segment.
        let slots = (0, most_numbers_of_all());
        self.promise.plan((self.key_hasher()?, &self.labels), (capacity, capacity.into()), slots, &PAIRS)
    }
}

const PAIRS: Called = Called { least: "1 pair of key and segment or more", all: "pairs", fewer: "pairs" };

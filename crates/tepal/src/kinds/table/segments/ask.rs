//! Lookups of the segments of a key.

use core::slice::Iter;

use super::wide::IN_TABLE;
use super::{SegmentFilter, WideList};
use crate::bits::table::several::Tags;
use crate::key::{Key, is_perhaps_in};
use crate::kinds::named::{Listed, Segment};

impl SegmentFilter {
    /// Looks up a key in one segment. `false` is certain, also for a segment that does not exist.
    /// `true` means perhaps: about [`segment_len`](Self::segment_len) / [`numbers`](Self::numbers)
    /// of the keys outside of the segment get it too.
    ///
    /// ```
    /// # use tepal::SegmentFilter;
    /// let days = SegmentFilter::builder().build_from([("monday", "alice"), ("tuesday", "bob")])?;
    /// let monday = days.segment_by_name("monday").unwrap();
    /// assert!(days.contains_in(monday, "alice") && !days.contains_in(monday, "bob"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn contains_in<K: Key + ?Sized>(&self, segment: Segment, key: &K) -> bool {
        match self.core.meta.keys.hash(key) {
            Ok(hash) => self.contains_hash_in(segment, hash),
            Err(error) => is_perhaps_in(&error) && self.segments.position(segment).is_some(),
        }
    }

    /// [`contains_in`](Self::contains_in) for a hash.
    #[must_use]
    pub fn contains_hash_in(&self, segment: Segment, hash: u64) -> bool {
        let (number, tag) = (self.core.table.number(hash), segment.0.into());
        if tag >> self.core.table.packing().tag_bits() != 0 {
            return false;
        }
        let among = self.core.table.among(number, tag);
        among.has_it || (among.slots as usize >= IN_TABLE && self.wide.has(number, tag))
    }

    /// The segments that may hold the key, by their numbers. All segments of the key are among
    /// them. For a key in no segment the mean number of wrong ones is
    /// [`wrong_segments`](Self::wrong_segments). For a key that the filter's domain refuses there
    /// are none. A filter with `caller_hash` cannot hash a key, and returns all segments.
    ///
    /// Costs one hash and one memory access, seldom two, and more if the key is in many segments.
    /// Allocates nothing.
    ///
    /// ```
    /// # use tepal::SegmentFilter;
    /// let days = SegmentFilter::builder().build_from([("mo", "alice"), ("tu", "bob"), ("we", "alice")])?;
    /// let names: Vec<_> = days.segments("alice").map(|day| days.segment_name(day).unwrap()).collect();
    /// assert_eq!(names, ["mo", "we"]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn segments<K: Key + ?Sized>(&self, key: &K) -> Segments<'_> {
        match self.core.meta.keys.hash(key) {
            Ok(hash) => self.segments_of_hash(hash),
            Err(error) => Segments(SegmentsInner::All(self.perhaps(is_perhaps_in(&error)).iter())),
        }
    }

    /// [`segments`](Self::segments) for a hash.
    pub fn segments_of_hash(&self, hash: u64) -> Segments<'_> {
        let number = self.core.table.number(hash);
        Segments(SegmentsInner::Held {
            tags: self.core.table.tags(number),
            left: IN_TABLE,
            wide: &self.wide,
            number,
        })
    }

    /// All segments, or none.
    pub(super) fn perhaps(&self, perhaps: bool) -> &[Listed] {
        if perhaps { self.segments.listed() } else { &[] }
    }
}

/// The segments that may hold a key, by their numbers: [`SegmentFilter::segments`].
#[derive(Clone)]
#[must_use]
pub struct Segments<'a>(SegmentsInner<'a>);

#[derive(Clone)]
enum SegmentsInner<'a> {
    /// The tags of a fingerprint in the table, and those beside it, if the table has the most.
    Held {
        tags: Tags<'a>,
        left: usize,
        wide: &'a WideList,
        number: u64,
    },
    More(Iter<'a, u16>),
    All(Iter<'a, Listed>),
}

impl Iterator for Segments<'_> {
    type Item = Segment;

    #[inline]
    fn next(&mut self) -> Option<Segment> {
        if let SegmentsInner::Held { tags, left, wide, number } = &mut self.0 {
            if *left > 0 {
                *left -= 1;
                return tags.next().map(|tag| Segment(tag as u16));
            }
            self.0 = SegmentsInner::More(wide.of(*number).iter());
        }
        match &mut self.0 {
            SegmentsInner::More(more) => more.next().map(|number| Segment(*number)),
            SegmentsInner::All(all) => all.next().map(|listed| Segment(listed.number)),
            SegmentsInner::Held { .. } => None,
        }
    }
}

impl core::fmt::Debug for Segments<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

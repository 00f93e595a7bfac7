//! Drops and merges segments, and combines two filters.

use alloc::vec::Vec;

use super::SegmentFilter;
use super::pairs::{Renumbered, SegmentsHeld};
use super::wide::IN_TABLE;
use crate::bits::memory;
use crate::bits::table::stream::Stream;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::kinds::named::{Segment, SegmentList};
use crate::kinds::storage::Ref;
use crate::kinds::table::join::{Join, in_both, in_either};

impl SegmentFilter {
    /// Removes a segment with all its keys, in one pass over the table. Returns how many pairs were
    /// removed. Its name is removed too, and a segment that is added later may get its number. The
    /// table keeps its size ([`shrink_to_fit`](Self::shrink_to_fit)).
    ///
    /// # Errors
    /// [`Error::Parameter`] for a segment that does not exist; [`Error::TooLarge`] and
    /// [`Error::Damaged`] for an opened file, which is copied into memory first. The filter is
    /// unchanged then.
    pub fn drop_segment(&mut self, segment: Segment) -> Result<u64> {
        let dropped = self.segments.check(segment)?.len;
        if dropped > 0 {
            self.core.table.before_a_change()?;
            let mut numbers = memory::room(self.wide.len())?;
            numbers.extend(self.wide.numbers().map(|(number, _)| number));
            self.core.table.drop_tag(segment.0.into())?;
            self.fill_up_after(segment, &numbers)?;
        }
        self.segments.remove(segment);
        Ok(dropped)
    }

    /// After a segment was removed from the table: the fingerprints with segments beside the table
    /// get one of them into the table. The lines have room, since no fingerprint gets more slots
    /// than before.
    fn fill_up_after(&mut self, segment: Segment, numbers: &[u64]) -> Result<()> {
        if numbers.is_empty() {
            return Ok(());
        }
        let wide = Ref::make_mut(&mut self.wide);
        wide.drop_segment(segment);
        for &number in numbers {
            if (self.core.table.among(number, 0).slots as usize) < IN_TABLE {
                if let Some(first) = wide.take_first(number) {
                    self.core.table.insert(number, first.into(), false)?;
                }
            }
        }
        Ok(())
    }

    /// Moves all keys of one segment into another one, and drops it. Takes a second table in
    /// memory.
    ///
    /// ```
    /// # use tepal::SegmentFilter;
    /// let mut days = SegmentFilter::builder().build_from([("sa", "alice"), ("su", "alice"), ("su", "bob")])?;
    /// let (sa, su) = (days.segment_by_name("sa").unwrap(), days.segment_by_name("su").unwrap());
    /// days.merge_segments(sa, su)?;
    /// days.rename_segment(su, "weekend")?;
    /// assert_eq!((days.segment_len(su), days.num_segments()), (2, 1));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`drop_segment`](Self::drop_segment); [`Error::NumbersClustered`] if there is no table
    /// for its fingerprints, as in tiny filters.
    pub fn merge_segments(&mut self, from: Segment, into: Segment) -> Result<()> {
        self.segments.check(from)?;
        self.segments.check(into)?;
        if from == into {
            return Ok(());
        }
        self.core.table.check_before_copying()?;
        let mut segments = self.segments.copied()?;
        segments.remove(from);
        let to = |segment| Some(if segment == from.0 { into.0 } else { segment });
        let tag_bits = self.core.tag_bits();
        let entries = || self.as_of(tag_bits, to);
        let held =
            SegmentsHeld::new(&segments, (self.numbers(), tag_bits, self.core.usual_slots()), &entries)?;
        self.set_held(segments, held);
        Ok(())
    }

    /// Checks that the two can be united: their hasher, domain, recipe and number of possible
    /// fingerprints are equal.
    ///
    /// # Errors
    /// [`Error::Incompatible`], which names the first property in which they differ.
    pub fn check_compatible(&self, other: &SegmentFilter) -> Result<()> {
        self.core.check_compatible(&other.core)
    }

    /// Adds all segments of another filter with their keys. Segments of the same name become one.
    /// The others, and all without a name, get unused numbers. A pair of key and segment that both
    /// hold is held once. Both filters and the union are in memory at the same time.
    ///
    /// ```
    /// # use tepal::SegmentFilter;
    /// let of = |pairs: [(&str, &str); 2]| SegmentFilter::builder().capacity(100).build_from(pairs).unwrap();
    /// let mut both = of([("mo", "alice"), ("tu", "alice")]);
    /// both.union_with(&of([("tu", "bob"), ("we", "alice")]))?;
    /// let names: Vec<_> = both.segments("alice").map(|day| both.segment_name(day).unwrap()).collect();
    /// assert_eq!(names, ["mo", "tu", "we"]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::Incompatible`] if they differ ([`check_compatible`](Self::check_compatible));
    /// - [`Error::CapacityReached`] if the union has more pairs than the capacity allows and the
    ///   policy is [`OverCapacity::Refuse`](crate::OverCapacity::Refuse);
    /// - [`Error::Parameter`] if there would be more than 65,536 segments;
    /// - [`Error::NumbersClustered`] if there is no table for its fingerprints, as in tiny filters;
    /// - [`Error::TooLarge`];
    /// - [`Error::Damaged`] as for [`insert`](Self::insert).
    ///
    /// The filter is unchanged then.
    pub fn union_with(&mut self, other: &SegmentFilter) -> Result<()> {
        self.check_both(other)?;
        let mut segments = self.segments.copied()?;
        let mut numbers = memory::room(other.segments.listed().len())?;
        for listed in other.segments.listed() {
            numbers.push(match &listed.name {
                Some(name) => segments.named(name)?.0,
                None => {
                    let number = segments.free()?;
                    segments.add(number, None);
                    number
                }
            });
        }
        let to = |segment| other.segments.position(Segment(segment)).map(|at| numbers[at]);
        let tag_bits = segments.tag_bits().max(self.core.tag_bits());
        let entries =
            || in_either(Join::Once, tag_bits, self.as_of(tag_bits, Some), other.as_of(tag_bits, to));
        let held =
            SegmentsHeld::new(&segments, (self.numbers(), tag_bits, self.core.usual_slots()), &entries)?;
        self.core.check_room(held.pairs())?;
        self.set_held(segments, held);
        Ok(())
    }

    /// Keeps, of each segment, the keys that the segment of the same name in the other filter has
    /// too. Of the keys of only one, about the share of that segment's rate stays too. All segments
    /// stay, also empty ones.
    ///
    /// # Errors
    /// As [`union_with`](Self::union_with).
    pub fn intersect_with(&mut self, other: &SegmentFilter) -> Result<()> {
        self.check_both(other)?;
        let to = |segment| self.segments.find(other.segments.name(Segment(segment))?).ok().map(|here| here.0);
        let tag_bits = self.core.tag_bits();
        let entries = || in_both(Join::Once, tag_bits, self.all_entries(), other.as_of(tag_bits, to));
        let held =
            SegmentsHeld::new(&self.segments, (self.numbers(), tag_bits, self.core.usual_slots()), &entries)?;
        self.set_held(self.segments.copied()?, held);
        Ok(())
    }

    fn check_both(&self, other: &SegmentFilter) -> Result<()> {
        self.check_compatible(other)?;
        self.core.check_both(&other.core)
    }

    /// All pairs with other segment numbers, as entries of this many tag bits.
    fn as_of<'e>(&'e self, tag_bits: u8, to: impl Fn(u16) -> Option<u16> + 'e) -> Stream<'e> {
        let from_bits = self.core.tag_bits();
        Stream::of(Renumbered::new(self.all_entries(), (from_bits, tag_bits), to))
    }

    /// Lays the table out for the pairs and the segments in it: the same answers, in the fewest
    /// bytes. More pairs or segments lay it out again.
    ///
    /// # Errors
    /// [`Error::NumbersClustered`] if there is no smaller table for its fingerprints, as in tiny
    /// filters; [`Error::TooLarge`] if there is no memory for it; [`Error::Damaged`] as for
    /// [`insert`](Self::insert). The filter is unchanged then.
    pub fn shrink_to_fit(&mut self) -> Result<()> {
        self.core.shrink_to_fit(self.segments.tag_bits())
    }

    /// Removes all keys. Segments and their names stay, and the table keeps its size.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there is no memory for an opened file's table.
    pub fn clear(&mut self) -> Result<()> {
        let none: Vec<u64> = memory::zeros(self.segments.listed().len())?;
        self.core.table.clear()?;
        self.wide = Ref::default();
        self.segments.set_lens(&none);
        Ok(())
    }
}

/// The segment, if there is only one.
pub(super) fn only(segments: &SegmentList) -> Option<Segment> {
    match segments.listed() {
        [only] => Some(Segment(only.number)),
        _ => None,
    }
}

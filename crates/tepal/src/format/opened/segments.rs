//! Calls of an [`Opened`] that change the segments of a [`SegmentFilter`].

use alloc::vec::Vec;

use super::Opened;
use crate::error::Result;
use crate::ids::Operation;
use crate::key::PreparedKeys;
use crate::kinds::table::{Segment, SegmentFilter};
use crate::kinds::{AnyFilter, Filter};

impl Opened {
    /// [`SegmentFilter::add_segment`].
    ///
    /// ```
    /// use tepal::{Opened, SegmentFilter, file::Format};
    /// let days = SegmentFilter::builder().capacity(100).build_from([("monday", "alice")])?;
    /// let mut file = Opened::new(days, Format::Tepal)?;
    /// let tuesday = file.add_segment("tuesday")?;
    /// file.insert_pairs(vec![(file.key_hasher().hash("bob")?, tuesday)])?;
    /// assert!(file.filter().as_segmented().is_some_and(|days| days.contains_in(tuesday, "bob")));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`SegmentFilter::add_segment`]; [`Error::NotPossible`](crate::Error::NotPossible) for a
    /// filter of another kind.
    pub fn add_segment(&mut self, name: &str) -> Result<Segment> {
        self.segments_mut()?.add_segment(name)
    }

    /// [`SegmentFilter::drop_segment`].
    ///
    /// # Errors
    /// As [`SegmentFilter::drop_segment`]; [`Error::NotPossible`](crate::Error::NotPossible) for a
    /// filter of another kind.
    pub fn drop_segment(&mut self, segment: Segment) -> Result<u64> {
        self.segments_mut()?.drop_segment(segment)
    }

    /// [`SegmentFilter::rename_segment`].
    ///
    /// # Errors
    /// As [`SegmentFilter::rename_segment`]; [`Error::NotPossible`](crate::Error::NotPossible) for
    /// a filter of another kind.
    pub fn rename_segment(&mut self, segment: Segment, name: &str) -> Result<()> {
        self.segments_mut()?.rename_segment(segment, name)
    }

    /// [`SegmentFilter::merge_segments`].
    ///
    /// ```
    /// use tepal::{Opened, SegmentFilter, file::Format};
    /// let days = SegmentFilter::builder().build_from([("sa", "alice"), ("su", "bob")])?;
    /// let (sa, su) = (days.segment_by_name("sa").unwrap(), days.segment_by_name("su").unwrap());
    /// let mut file = Opened::new(days, Format::Tepal)?;
    /// file.merge_segments(sa, su)?;
    /// file.rename_segment(su, "weekend")?;
    /// let days = file.filter().as_segmented().unwrap();
    /// assert!(days.segment_name(su) == Some("weekend") && days.contains_in(su, "alice"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`SegmentFilter::merge_segments`]; [`Error::NotPossible`](crate::Error::NotPossible) for
    /// a filter of another kind.
    pub fn merge_segments(&mut self, from: Segment, into: Segment) -> Result<()> {
        self.segments_mut()?.merge_segments(from, into)
    }

    /// [`SegmentFilter::insert_prepared`].
    ///
    /// # Errors
    /// As [`SegmentFilter::insert_prepared`]; [`Error::NotPossible`](crate::Error::NotPossible) for
    /// a filter of another kind.
    pub fn insert_prepared_in(&mut self, segment: Segment, keys: &PreparedKeys) -> Result<()> {
        self.segments_mut()?.insert_prepared(segment, keys)
    }

    /// [`SegmentFilter::insert_pairs`].
    ///
    /// # Errors
    /// As [`SegmentFilter::insert_pairs`]; [`Error::NotPossible`](crate::Error::NotPossible) for a
    /// filter of another kind.
    pub fn insert_pairs(&mut self, pairs: Vec<(u64, Segment)>) -> Result<()> {
        self.segments_mut()?.insert_pairs(pairs)
    }

    fn segments_mut(&mut self) -> Result<&mut SegmentFilter> {
        match &mut self.filter {
            AnyFilter::Segment(filter) => Ok(filter),
            other => Err(other.refusal(Operation::HaveSegments)),
        }
    }
}

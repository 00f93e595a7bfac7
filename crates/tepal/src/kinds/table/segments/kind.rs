//! The traits of every filter, for a segment filter.

use alloc::vec::Vec;

use super::SegmentFilter;
use super::combine::only;
use crate::error::{Advice, Result, advice};
use crate::facts::{Can, Facts};
use crate::ids::Operation;
use crate::key::{Batch, KeyRef};
use crate::kinds::calls::table_calls;
use crate::kinds::named::Segment;
use crate::kinds::usual_facts::usual_facts;
use crate::kinds::{AnyFilter, Filter};

impl SegmentFilter {
    /// Everything about the filter, as data.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts {
            tables: self.core.table_facts(Some(self.len())),
            segments: self.segments.facts(),
            ..usual_facts(self)
        }
    }

    /// The segment of a key that comes without one: the only segment.
    fn only_segment(&self) -> Result<Segment> {
        only(&self.segments).ok_or_else(|| self.refusal(Operation::Insert))
    }
}

impl AnyFilter {
    /// This filter as one that tells which segments hold a key; `None` if it is another kind.
    ///
    /// ```
    /// use tepal::{AnyFilter, SegmentFilter};
    /// let days = SegmentFilter::builder().capacity(100).build_from([("monday", "alice")])?;
    /// let any = AnyFilter::from(days);
    /// assert_eq!(any.as_segmented().map(|days| days.num_segments()), Some(1));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn as_segmented(&self) -> Option<&SegmentFilter> {
        match self {
            AnyFilter::Segment(filter) => Some(filter),
            _ => None,
        }
    }
}

table_calls! {
    SegmentFilter: Segment
    Inner {
        fn instead(&self, operation: Operation) -> Advice {
            match operation {
                Operation::Insert => advice!("name the segment of the key", InsertInSegment),
                Operation::Remove => {
                    advice!("drop a whole segment", DropSegment)
                }
                Operation::Fold => {
                    advice!("build one filter from its keys, or lay its table out for them", ShrinkToFit)
                }
                Operation::BecomeStatic => {
                    advice!("its keys are in segments; build a static filter of segments", StaticSegments)
                }
                other => other.instead(),
            }
        }
    }
    InnerMut {
        fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
            self.insert_batch(self.only_segment()?, keys, done)
        }
    }
    Filter {
        fn can(&self) -> Can {
            Can {
                insert: true,
                set_over_capacity: true,
                refill: true,
                unite: true,
                intersect: true,
                segments: true,
                ..Can::default()
            }
        }

        fn keys_inserted(&self) -> Option<u64> {
            Some(self.len())
        }
    }
    MutableFilter {
        fn insert_key(&mut self, key: KeyRef<'_>) -> Result<bool> {
            self.insert(self.only_segment()?, &key)
        }
    }
}

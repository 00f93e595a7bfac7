//! Kinds that are a sorted table of numbers, or several. What a slot's tag means is in [`copies`]
//! (a quotient filter), [`generations`] (an expiring one), [`segments`]; [`growing`] is a chain of
//! tables.
//!
//! The table itself is in [`lines`]. What the kinds of one table have in common is in [`core`], and
//! which calls in [`calls`]; in [`builder`] what they are planned from, in [`join`] how two become
//! one, in [`part`] how they stand in a file.

mod builder;
mod calls;
mod copies;
mod core;
mod generations;
mod growing;
mod join;
mod lines;
mod part;
mod segments;
#[cfg(feature = "parallel")]
mod sort;

pub use copies::{QuotientFilter, QuotientFilterBuilder};
pub use generations::{ExpiringFilter, ExpiringFilterBuilder};
pub use growing::{GrowingFilter, GrowingFilterBuilder};
pub use segments::{
    Segment, SegmentAnswers, SegmentFilter, SegmentFilterBuilder, Segments, check_segment_name,
};

//! Kinds that are a sorted table of numbers, or several. What a slot's tag means is in [`copies`] (a quotient filter), [`generations`]
//! (an expiring one), [`segments`]; [`growing`] is a chain of tables. The table itself is in [`lines`].

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

pub use copies::{QuotientFilter, QuotientFilterBuilder};
pub use generations::{ExpiringFilter, ExpiringFilterBuilder};
pub use growing::{GrowingFilter, GrowingFilterBuilder};
pub use segments::{
    Segment, SegmentAnswers, SegmentFilter, SegmentFilterBuilder, Segments, check_segment_name,
};

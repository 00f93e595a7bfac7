//! Kinds that are a sorted table of fingerprints, or several tables. They differ in the meaning of
//! a slot's tag: [`copies`] (a quotient filter), [`generations`] (an expiring one), [`segments`].
//! [`growing`] is a chain of tables.
//!
//! The table itself is in [`lines`]. The kinds of one table share [`core`] and the calls of
//! [`calls`]. [`builder`] plans a table, [`join`] combines two, and [`part`] reads and writes their
//! files.

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

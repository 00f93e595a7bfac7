//! Kinds that are a ribbon and do not change: a set of keys in [`filter`], a map from keys to
//! numbers in [`map`].
//!
//! [`lines`] has what both hold, and [`part`] their common file part. [`construct`] computes slots
//! from hashes, and [`pieces`] provides the hashes. [`second`] has the second ribbon for rates
//! between powers of two, and [`plan`] estimates sizes. The ribbon itself is in `bits/ribbon`.

pub(crate) mod construct;
mod filter;
mod lines;
mod map;
mod part;
pub(crate) mod pieces;
mod plan;
mod second;

#[cfg(feature = "extras")]
pub(crate) use filter::part::lines_of;
pub use filter::{RibbonFilter, RibbonFilterBuilder};
pub(crate) use lines::Ribbon;
pub use map::{MapValue, RibbonMap, RibbonMapBuilder, Value};
pub(crate) use map::{checked_greatest, checked_value_bits};

/// The lowest rate of a ribbon.
const LEAST_RATE: f64 = 1.0 / (1u64 << 32) as f64;

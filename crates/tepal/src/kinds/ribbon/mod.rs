//! Kinds that are a ribbon and do not change: a set of keys in [`filter`], a map from keys to
//! numbers in [`map`].
//!
//! What both hold is in [`lines`], what a file holds of both in [`part`]. The way from hashes to
//! slots is in [`construct`], where they come from in [`pieces`], a second ribbon for rates between
//! powers of two in [`second`], what a ribbon will take in [`plan`]. The ribbon itself is
//! `bits/ribbon`.

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
pub(crate) use map::checked_value_bits;
pub use map::{RibbonMap, RibbonMapBuilder};

/// The least rate of a ribbon.
const LEAST_RATE: f64 = 1.0 / (1u64 << 32) as f64;

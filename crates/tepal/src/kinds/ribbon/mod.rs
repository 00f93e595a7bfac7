//! Kinds that are a ribbon and do not change: a set of keys in [`filter`], a map from keys to numbers in [`map`].
//!
//! The way from hashes to slots is in [`construct`], where they come from in [`pieces`], a second ribbon for rates between powers of two in
//! [`second`], what a ribbon will take in [`plan`]. The ribbon itself is `bits/ribbon`.

pub(crate) mod construct;
mod filter;
mod map;
pub(crate) mod pieces;
mod plan;
mod second;

#[cfg(feature = "patch")]
pub(crate) use filter::part::lines_of;
pub(crate) use filter::part::{OfRibbon, RibbonPart, check_keys, check_picked};
pub use filter::{RibbonFilter, RibbonFilterBuilder};
pub(crate) use map::checked_value_bits;
pub use map::{RibbonMap, RibbonMapBuilder};

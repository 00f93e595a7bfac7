//! Work in progress front door.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod bits;
mod error;
mod filters;
mod format;
mod hash;
mod params;
mod probe;

pub use bits::Line;
pub use error::{Error, Result};
pub use filters::bloom::{BloomFilter, BloomFilterBuilder, Labels, OverCapacity};
#[cfg(feature = "std")]
pub use format::map::Mapped;
pub use hash::{Key, KeyDomain, KeyRef, Recipe, Scheme, SecretKey};
pub use params::{Goal, Plan, Request};
pub use probe::Layout;

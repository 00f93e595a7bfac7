//! Apart from `it`, since its allocator counts the bytes of each thread, and fails on request.

#[cfg(feature = "std")]
mod allocation;
#[path = "../shared/allocator.rs"]
mod allocator;
#[cfg(feature = "std")]
mod damaged;
#[cfg(feature = "std")]
mod forge;
#[cfg(feature = "std")]
mod memory;
#[cfg(feature = "std")]
#[path = "../shared/mutate.rs"]
mod mutate;
#[cfg(feature = "std")]
mod operations;
#[cfg(feature = "std")]
mod out_of_memory;
#[cfg(feature = "std")]
#[path = "../shared/mod.rs"]
mod shared;
mod wiped;

#[cfg(feature = "std")]
use shared::{files, kinds, random};

//! Keys: what a key is, and how it becomes a hash.

#[cfg(feature = "std")]
mod recipe;

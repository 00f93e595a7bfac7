//! Keys: what a key is, and how it becomes a hash.

mod domains;
#[cfg(feature = "std")]
mod recipe;

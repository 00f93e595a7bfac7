//! The rules one by one.

mod digests;
mod filters;
mod hashes;
mod keys;
mod schemes;

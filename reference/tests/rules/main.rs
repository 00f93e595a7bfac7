//! The rules one by one.

mod caller_hash;
mod digests;
mod filters;
mod hashes;
mod keys;
mod schemes;

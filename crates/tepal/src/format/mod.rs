//! Filters and files: the code for `FORMAT.md`. No other module knows about files.
//!
//! A tepal file is an envelope around the content of a filter. [`envelope`] handles everything but
//! the bits, with the file's [`records`]; [`check`] checks the bits. [`mod@write`] writes files.
//! [`replace`] saves them atomically; a `stamp` identifies the file to be replaced.
//!
//! [`open`] has the options for opening, and [`opened`] a filter together with its origin. [`map`]
//! maps a file without copying it, [`view`] uses a file inside the caller's bytes. [`seal`]
//! protects files from being exchanged. `patch` makes one file from another, with the bits that
//! differ. [`embedded`] is the form for stores that keep the rest elsewhere: the bits and 16 bytes.
//! `foreign` has other programs' files, each format in one file; `served` has the calls for a
//! filter that is a key of Redis or Valkey, with the server's `values`.

mod behind;
mod beside;
mod check;
mod chunks;
mod embedded;
mod envelope;
#[cfg(feature = "foreign")]
pub(crate) mod foreign;
mod formats;
#[cfg(feature = "std")]
pub(crate) mod map;
mod of_kinds;
pub(crate) mod open;
pub(crate) mod opened;
#[cfg(feature = "extras")]
pub(crate) mod patch;
mod records;
#[cfg(feature = "std")]
pub(crate) mod replace;
#[cfg(test)]
mod samples;
pub(crate) mod seal;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "foreign")]
mod served;
#[cfg(feature = "std")]
mod stamp;
#[cfg(feature = "std")]
mod stream;
#[cfg(feature = "foreign")]
pub(crate) mod values;
pub(crate) mod view;
mod write;

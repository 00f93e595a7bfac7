//! Filters and files: `FORMAT.md` in code. Only this room knows of files.
//!
//! A tepal file is an envelope around what a kind of filter gives and takes: [`envelope`] is
//! everything but the bits, with its [`records`]; [`check`] holds the bits against it;
//! [`mod@write`] writes and [`replace`] saves atomically, over the file that the `stamp` says;
//! [`map`] maps a file without copying it, and [`view`] asks one inside the caller's bytes;
//! [`seal`] is for files that must not be swapped. [`open`] says how to open, and [`opened`] is a
//! filter with where it came from. `patch` makes one file of another, from the bits that differ.
//! The bits with 16 bytes behind them, for stores that keep the rest, are in [`embedded`]. Other
//! programs' files are in `foreign`, one file a format.

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
#[cfg(feature = "std")]
mod stamp;
#[cfg(feature = "std")]
mod stream;
pub(crate) mod view;
mod write;

#[cfg(all(test, feature = "std"))]
mod tests;

//! Files: what is read and written, by whom, and what a file that is replaced or too large does.

#[cfg(feature = "std")]
mod field;
#[cfg(feature = "foreign")]
mod golden;
#[cfg(feature = "std")]
mod kept;
#[cfg(all(feature = "extras", feature = "seal", feature = "std"))]
mod on_disk;
#[cfg(feature = "std")]
mod replaced;
#[cfg(all(feature = "serde", feature = "std"))]
mod serialized;
mod too_large;

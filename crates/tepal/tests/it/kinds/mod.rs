//! Kinds of filters: what all of them promise, over the list in `shared/kinds.rs`, and what one of
//! them promises alone.

#[cfg(feature = "std")]
mod batches;
pub(crate) mod bloom;
#[cfg(any(feature = "extras", feature = "foreign"))]
mod chain;
#[cfg(feature = "table")]
mod clock;
#[cfg(all(feature = "std", feature = "table", feature = "static"))]
mod combined;
#[cfg(all(feature = "extras", feature = "std"))]
mod exceptions;
mod extend;
#[cfg(feature = "std")]
mod folding;
#[cfg(feature = "std")]
mod incompatible;
#[cfg(feature = "static")]
mod map;
#[cfg(feature = "std")]
mod overfilled;
#[cfg(feature = "std")]
mod promises;
mod put_back;
#[cfg(feature = "table")]
mod quotient;
#[cfg(feature = "static")]
mod ribbon;
#[cfg(feature = "table")]
mod segment;
#[cfg(feature = "std")]
mod sequences;
#[cfg(all(feature = "std", feature = "static"))]
mod shared_filter;
#[cfg(feature = "extras")]
mod stray_exceptions;
#[cfg(feature = "table")]
mod table;
#[cfg(feature = "table")]
mod tiny;
#[cfg(feature = "std")]
mod types;

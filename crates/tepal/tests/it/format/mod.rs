//! What each call on files, views and other programs' files promises alone.

mod embedded;
#[cfg(feature = "static")]
mod embedded_ribbon;
mod envelope;
#[cfg(feature = "foreign")]
mod foreign;
#[cfg(all(feature = "std", unix))]
mod lock;
#[cfg(all(feature = "std", unix))]
mod map;
#[cfg(feature = "std")]
mod open;
#[cfg(feature = "foreign")]
mod opened;
#[cfg(feature = "extras")]
mod patch;
#[cfg(all(feature = "extras", feature = "foreign", feature = "static"))]
mod patch_added;
mod placed;
mod samples;
#[cfg(feature = "std")]
mod saved;
mod seal;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "foreign")]
mod served;
#[cfg(feature = "std")]
mod stream;
mod view;
#[cfg(feature = "static")]
mod view_ribbon;

//! The promises of the public calls. Each module is a behaviour; `tests/README.md` lists them.

#[cfg(feature = "parallel")]
mod build;
#[cfg(feature = "std")]
mod examples;
mod files;
mod format;
mod keys;
mod kinds;
mod rates;
#[path = "../shared/mod.rs"]
mod shared;
#[cfg(all(feature = "extras", feature = "std", feature = "table", feature = "static"))]
mod shown;
mod vectors;

//! What a chain of Bloom filters promises alone.

#[cfg(feature = "foreign")]
mod any;
mod batch;
#[cfg(feature = "foreign")]
mod builder;
#[cfg(feature = "foreign")]
mod calls;
mod promise;

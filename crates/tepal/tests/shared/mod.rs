//! What the tests of several behaviours need; programs in `bench/measure` take files of it too.

#![allow(dead_code)] // What one program does not need, another does.

pub(crate) mod families;
pub(crate) mod files;
#[cfg(feature = "std")]
pub(crate) mod groups;
#[cfg(feature = "std")]
pub(crate) mod kinds;
pub(crate) mod random;
pub(crate) mod recorded;
#[cfg(feature = "table")]
pub(crate) mod segment_mixes;
#[cfg(feature = "std")]
pub(crate) mod sequences;
pub(crate) mod trial;

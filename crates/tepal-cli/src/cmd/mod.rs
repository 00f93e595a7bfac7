//! The verbs, one file each: a verb takes checked flags, calls the library, and prints the result.

pub mod add;
mod answer;
pub mod build;
pub mod convert;
pub mod demo;
pub mod diff;
pub mod except;
pub mod get;
pub mod has;
pub mod info;
pub mod manual;
pub mod merge;
pub mod patch;
pub mod plan;
pub mod remove;
pub mod shrink;
pub mod test;
pub mod uniq;
pub mod verify;
pub mod which;

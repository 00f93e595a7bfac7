//! The verbs, one file each: from checked flags to library calls to words.

pub mod add;
pub mod build;
pub mod demo;
pub mod has;
pub mod info;
pub mod manual;
pub mod plan;
pub mod test;

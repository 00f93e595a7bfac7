//! Apart from `it`, since it reads texts and sources: `.ci/mutants`, which changes these, skips it.

#[path = "../shared/files.rs"]
mod files;
mod modules;
mod pages;
mod prose;
mod readme;
mod rooms;

//! Filters from keys that come once, in any number.

mod counter;
mod gather;

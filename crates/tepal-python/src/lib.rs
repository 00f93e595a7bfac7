//! The Python package `tepal`, as a door to the library: it translates keys, columns, answers and errors, and has no filter of
//! its own. `docs/python.md` in the repository is for its users.
//!
//! - `key.rs`: one object as a key. `column/`: many of them, from a buffer or through Arrow. `objects.rs`: from anything that
//!   can be iterated.
//! - `held.rs`: a filter behind a lock. Nobody waits for the lock while holding the interpreter.
//! - `filter.rs`, `mutable.rs`: what every class can do, and every class that changes; then one file a class.
//! - `counter.rs`, `shards.rs`: keys that are in several places, for Spark and its like.
//! - `values.rs`: the values of a map, from columns and objects.
//! - `answers.rs`, `info.rs`, `picture.rs`: what comes back.
//!
//! `unsafe` stands in `column/` (`arrow/`, `buffer.rs`, `numbers.rs`), where other programs' memory is read, and in `key.rs`, for one call of
//! Python that pyo3 does not wrap.

mod answers;
mod bloom;
mod chain;
mod column;
mod counter;
mod error;
mod expiring;
mod filter;
mod held;
mod info;
mod key;
mod map;
mod mutable;
mod objects;
mod open;
mod options;
mod picture;
mod ribbon;
mod segment;
mod shards;
mod table;
mod values;

use pyo3::prelude::*;

/// The native half of the package `tepal`.
#[pymodule]
mod _tepal {
    #[pymodule_export]
    use crate::answers::BooleanColumn;
    #[pymodule_export]
    use crate::bloom::BloomFilter;
    #[pymodule_export]
    use crate::chain::{ExceptedBloomFilter, ScalableBloomFilter};
    #[pymodule_export]
    use crate::counter::KeyCounter;
    #[pymodule_export]
    use crate::expiring::ExpiringFilter;
    #[pymodule_export]
    use crate::filter::Filter;
    #[pymodule_export]
    use crate::map::RibbonMap;
    #[pymodule_export]
    use crate::mutable::MutableFilter;
    #[pymodule_export]
    use crate::open::{open, restore, seed_for};
    #[pymodule_export]
    use crate::ribbon::RibbonFilter;
    #[pymodule_export]
    use crate::segment::SegmentFilter;
    #[pymodule_export]
    use crate::shards::shards_of;
    #[pymodule_export]
    use crate::table::{GrowingFilter, QuotientFilter};
}

//! The Python package `tepal`, as a door to the library: it translates keys, columns, answers and
//! errors, and has no filter of its own. `docs/python.md` in the repository is for its users.
//!
//! - `key.rs`: one object as a key. `column/`: many of them, from a buffer or through Arrow.
//!   `objects.rs`: from anything that can be iterated.
//! - `held.rs`: a filter behind a lock. Nobody waits for the lock while holding the interpreter.
//!   `fork.rs`: such locks in a child of `fork`.
//! - `filter.rs`, `mutable.rs`: what every class can do, and every class that changes; then one
//!   file a class. Below: which one a filter of each kind is of.
//! - `args.rs`, `options.rs`: the arguments of calls.
//! - `sets.rs`: union and intersection, with filters and with keys. `place.rs`: paths and files.
//! - `counter.rs`, `shards.rs`: keys that are in several places, for Spark and its like.
//! - `values.rs`: the values of a map, from columns and objects.
//! - `answers.rs`, `info.rs`, `picture.rs`: what comes back. `over.rs`: the warning past the
//!   capacity.
//!
//! `unsafe` stands in `column/` (`arrow/`, `buffer.rs`), where other programs' memory is read, and
//! in `key.rs`, for one call of Python that pyo3 does not wrap. `tepal-arrow` reads Arrow's memory.

mod answers;
mod args;
mod bloom;
mod chain;
mod column;
mod counter;
mod error;
mod expiring;
mod filter;
mod fork;
mod held;
mod info;
mod key;
mod map;
mod mutable;
mod objects;
mod open;
mod options;
mod over;
mod picture;
mod place;
mod ribbon;
mod segment;
mod segment_answers;
mod sets;
mod shards;
mod table;
mod values;

use pyo3::prelude::*;
use tepal::{AnyFilter, Kind};

use crate::bloom::BloomFilter;
use crate::chain::{ExceptedBloomFilter, ScalableBloomFilter};
use crate::expiring::ExpiringFilter;
use crate::filter::Filter;
use crate::map::RibbonMap;
use crate::mutable::MutableFilter;
use crate::ribbon::RibbonFilter;
use crate::segment::SegmentFilter;
use crate::table::{GrowingFilter, QuotientFilter};

/// The native half of the package `tepal`.
#[pymodule]
mod _tepal {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::fork::register(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

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

/// Makes an object of a class of a filter that was opened, copied or made of others.
type Class = fn(Python<'_>, PyClassInitializer<Filter>) -> PyResult<Py<PyAny>>;

/// A class below `Filter`, with those between in their order.
macro_rules! class {
    ($($class:ident)+) => {
        |py, filter| Ok(Py::new(py, filter$(.add_subclass($class))+)?.into_any())
    };
}

/// The class of each kind.
const CLASSES: [(Kind, Class); 8] = [
    (Kind::Bloom, class!(MutableFilter BloomFilter)),
    (Kind::Scalable, class!(MutableFilter ScalableBloomFilter)),
    (Kind::Quotient, class!(MutableFilter QuotientFilter)),
    (Kind::Growing, class!(MutableFilter GrowingFilter)),
    (Kind::Expiring, class!(MutableFilter ExpiringFilter)),
    (Kind::Segment, class!(SegmentFilter)),
    (Kind::Ribbon, class!(RibbonFilter)),
    (Kind::Map, class!(RibbonMap)),
];

/// The class of a filter; nothing of a kind that has none here.
fn class_of(filter: &AnyFilter) -> Option<Class> {
    if let AnyFilter::Excepted(_) = filter {
        return Some(class!(MutableFilter ExceptedBloomFilter));
    }
    CLASSES.iter().find(|(kind, _)| *kind == filter.kind()).map(|(_, class)| *class)
}

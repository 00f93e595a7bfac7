//! The smallest filter of a set that does not change.

use std::num::NonZeroUsize;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::args::arg;
use crate::filter::{self, Filter, built_skipping};
use crate::held::Held;
use crate::sets::{self, Operand};
use crate::{error, key, objects, options};

/// RibbonFilter(keys, false_positive_rate=0.01, *, threads=1, prefer_speed=False, seed=None,
/// secret_key=None, key_domain="bytes", name=None)
///
/// The smallest filter of a set that does not change: built of all its keys at once, in about two
/// thirds of the bits of a Bloom filter.
///
/// `keys` is whatever `BloomFilter.update` takes. Repeats count once, nulls not at all. Takes some
/// 16 bytes a key while it is built. A few keys that come later may be added, at 8 bytes each,
/// until it is built anew. At rates between powers of two above 1/64 a second ribbon saves up to 3
/// % of the bits; `prefer_speed=True` is without it, quicker to build and to ask.
///
/// >>> blocked = tepal.RibbonFilter(["apple", "banana", "apple"], 0.001)
/// >>> "apple" in blocked, "cherry" in blocked, len(blocked)
/// (True, False, 2)
#[pyclass(frozen, extends = Filter, module = "tepal", name = "RibbonFilter")]
#[derive(Debug)]
pub(crate) struct RibbonFilter;

#[pymethods]
impl RibbonFilter {
    #[new]
    #[pyo3(signature = (keys, false_positive_rate=0.01, *, threads=1, prefer_speed=false, seed=None, secret_key=None, key_domain="bytes", name=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn new(
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arg)] false_positive_rate: f64,
        #[pyo3(from_py_with = arg)] threads: usize,
        #[pyo3(from_py_with = arg)] prefer_speed: bool,
        seed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] key_domain: &str,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let Some(threads) = NonZeroUsize::new(threads).filter(|threads| threads.get() <= 1024) else {
            return Err(error::parameter(py, format!("threads is {threads}; it must be from 1 to 1024")));
        };
        let mut builder =
            tepal::RibbonFilter::builder().false_positive_rate(false_positive_rate).threads(threads);
        if prefer_speed {
            builder = builder.prefer_speed();
        }
        let builder = options::with_keys!(py, builder, seed, secret_key, key_domain, name);
        let hasher = builder.key_hasher().map_err(|error| error::of(py, error))?;
        let (mut hashes, mut nulls) = (Vec::new(), 0);
        objects::hashes(py, &hasher, keys, &mut hashes, &mut nulls)?;
        let filter = built_skipping(py, nulls, || builder.build_from_hashes(hashes))?;
        Ok(filter.add_subclass(RibbonFilter))
    }

    /// Adds a key beside the ribbon, which does not change: 8 bytes. `True`: it is surely new.
    /// `False`: it was in already, or looked so.
    ///
    /// >>> blocked = tepal.RibbonFilter(["apple", "banana"], 0.001)
    /// >>> blocked.add("cherry"), blocked.add("apple"), "cherry" in blocked
    /// (True, False, True)
    /// >>> len(blocked), blocked.added_keys
    /// (3, 1)
    fn add(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let key = key::of(key)?;
        held(this).touch(this.py(), |opened| opened.insert(&key))
    }

    /// Adds all keys of each argument, which is whatever `BloomFilter.update` takes, or another
    /// filter of the same ribbon.
    ///
    /// Nulls of columns are skipped; `nulls_skipped` counts them. The keys of an argument are
    /// sorted, and go in at once: many are quicker so than by `add`. When a key is refused, none of
    /// its argument is in.
    #[pyo3(signature = (*keys))]
    fn update(this: &Bound<'_, Self>, keys: &Bound<'_, PyTuple>) -> PyResult<()> {
        sets::update(this.as_super(), keys)
    }

    /// A new filter with the keys of this one and of all others: iterables and columns of keys, or
    /// filters of the same ribbon.
    #[pyo3(signature = (*others))]
    fn union(this: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        sets::union(this.as_super(), others)
    }

    fn __or__(this: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<Py<PyAny>> {
        sets::union_with(this.as_super(), &other)
    }

    fn __ior__(this: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        sets::update_with(this.as_super(), &other)
    }

    /// How many different keys are in it. One that was made of a table (`to_ribbon`) counts the
    /// different numbers of that table's keys, of which two may have one, and the keys that were
    /// added.
    fn __len__(this: &Bound<'_, Self>) -> PyResult<usize> {
        filter::len(this.py(), held(this))
    }

    /// How many keys were added beside the ribbon. Those that it found anyway are not among them.
    #[getter]
    fn added_keys(this: &Bound<'_, Self>) -> PyResult<u64> {
        let ribbon = held(this).read(this.py(), |opened| opened.filter().facts().ribbon)?;
        Ok(ribbon.map_or(0, |ribbon| ribbon.added))
    }
}

fn held<'a>(this: &'a Bound<'_, RibbonFilter>) -> &'a Held {
    &this.as_super().get().held
}

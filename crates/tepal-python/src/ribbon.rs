//! The smallest filter of a set that does not change.

use std::num::NonZeroUsize;

use pyo3::prelude::*;

use crate::filter::{Filter, built};
use crate::{error, objects, options};

/// RibbonFilter(keys, false_positive_rate=0.01, *, threads=1, seed=None, secret_key=None, key_domain="bytes", name=None)
///
/// The smallest filter of a set that does not change: built of all its keys at once, in about two thirds of the bits of a Bloom
/// filter.
///
/// `keys` is whatever `BloomFilter.update` takes. Repeats count once, nulls not at all. Takes some 16 bytes a key while it is built.
///
/// >>> blocked = tepal.RibbonFilter(["apple", "banana", "apple"], 0.001)
/// >>> "apple" in blocked, "cherry" in blocked, blocked.num_keys
/// (True, False, 2)
#[pyclass(frozen, extends = Filter, module = "tepal", name = "RibbonFilter")]
#[derive(Debug)]
pub(crate) struct RibbonFilter;

#[pymethods]
impl RibbonFilter {
    #[new]
    #[pyo3(signature = (keys, false_positive_rate=0.01, *, threads=1, seed=None, secret_key=None, key_domain="bytes", name=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn new(
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        false_positive_rate: f64,
        threads: usize,
        seed: Option<&Bound<'_, PyAny>>,
        secret_key: Option<&[u8]>,
        key_domain: &str,
        name: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let Some(threads) = NonZeroUsize::new(threads).filter(|threads| threads.get() <= 1024) else {
            return Err(error::parameter(py, format!("threads is {threads}; it must be from 1 to 1024")));
        };
        let builder =
            tepal::RibbonFilter::builder().false_positive_rate(false_positive_rate).threads(threads);
        let builder = options::with_keys!(py, builder, seed, secret_key, key_domain, name);
        let hasher = builder.key_hasher().map_err(|error| error::of(py, error))?;
        let hashes = objects::hashes(py, &hasher, keys)?;
        let filter = built(py, || builder.build_from_hashes(hashes))?;
        Ok(filter.add_subclass(RibbonFilter))
    }

    /// How many different keys are in it.
    #[getter]
    fn num_keys(this: &Bound<'_, Self>) -> PyResult<Option<u64>> {
        this.as_super().get().held.look(this.py(), |opened| match opened.filter() {
            tepal::AnyFilter::Ribbon(filter) => Some(filter.len()),
            _ => None,
        })
    }
}

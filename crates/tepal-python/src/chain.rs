//! Bloom filters in a chain, and with exceptions.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::args::arg;
use crate::filter::{Filter, built};
use crate::mutable::MutableFilter;
use crate::{options, sets};

/// A chain of Bloom filters that grows and keeps one promise. It is filled more quickly than a
/// `GrowingFilter`, and takes more bits.
///
/// The first filter is for `capacity` keys, and each further one for `expansion` times as many.
/// Files of RedisBloom and valkey-bloom with several filters are opened as such chains.
///
/// >>> seen = tepal.ScalableBloomFilter(1000)
/// >>> seen.update(range(10_000))
/// >>> 9_999 in seen, seen.false_positive_rate < 0.01
/// (True, True)
#[pyclass(frozen, extends = MutableFilter, module = "tepal", name = "ScalableBloomFilter")]
#[derive(Debug)]
pub(crate) struct ScalableBloomFilter;

#[pymethods]
impl ScalableBloomFilter {
    #[new]
    #[pyo3(signature = (capacity, false_positive_rate=0.01, *, expansion=4, seed=None, secret_key=None, key_domain="bytes", name=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn new(
        py: Python<'_>,
        capacity: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arg)] false_positive_rate: f64,
        #[pyo3(from_py_with = arg)] expansion: u32,
        seed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] key_domain: &str,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let builder = tepal::BloomFilter::builder()
            .capacity(options::whole("capacity", capacity)?)
            .false_positive_rate(false_positive_rate)
            .expansion(expansion);
        let builder = options::with_keys!(py, builder, seed, secret_key, key_domain, name);
        let filter = built(py, || builder.build_growing())?;
        Ok(filter.add_subclass(MutableFilter).add_subclass(ScalableBloomFilter))
    }
}

/// A Bloom filter that says `False` for known non-members, though its bits say `True`. The command
/// `tepal except` makes its file.
#[pyclass(frozen, extends = MutableFilter, module = "tepal", name = "ExceptedBloomFilter")]
#[derive(Debug)]
pub(crate) struct ExceptedBloomFilter;

#[pymethods]
impl ExceptedBloomFilter {
    /// A new filter with the bits that this one and all others have. Every key of all of them is in
    /// it; of the other keys some remain, so that its rate is above that of a filter built from the
    /// common keys alone.
    #[pyo3(signature = (*others))]
    fn intersection(this: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        sets::intersection(this.as_super().as_super(), others)
    }

    /// Keeps what `intersection` would have. When a filter is refused, those before it are done.
    #[pyo3(signature = (*others))]
    fn intersection_update(this: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<()> {
        sets::intersection_update(this.as_super().as_super(), others)
    }

    fn __and__(this: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<Py<PyAny>> {
        sets::intersection_with(this.as_super().as_super(), other)
    }

    fn __iand__(this: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        sets::intersect_with(this.as_super().as_super(), other)
    }
}

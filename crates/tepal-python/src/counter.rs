//! How many different keys there are in several places together.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};
use tepal::build::KeyCounter as Counter;
use tepal::{
    KeyDomain, Keys,
    hash::{KeyHasher, PreparedKeys},
};

use crate::args::arg;
use crate::column::{self, Fault, Progress, Source};
use crate::fork::{self, Lock};
use crate::held::Gone;
use crate::open::bytes_of;
use crate::{error, objects, options};

/// KeyCounter(key_domain="bytes")
///
/// Counts different keys in 3 MiB, whatever their number: to plan one filter for keys that are in
/// several places. Each place counts its own; united with `|=` they know how many keys to make room
/// for. That is the same number however the keys were divided.
///
/// >>> here, there = tepal.KeyCounter(), tepal.KeyCounter()
/// >>> here.update(["apple", "banana"])
/// >>> there.update(["banana", "cherry"])
/// >>> here |= there
/// >>> here.keys, here.different, here.is_exact
/// (4, 3, True)
/// >>> tepal.BloomFilter(here.capacity).capacity
/// 3
#[pyclass(frozen, weakref, module = "tepal", name = "KeyCounter")]
#[derive(Debug)]
pub(crate) struct KeyCounter {
    counter: Lock<Counter>,
    nulls: AtomicU64,
}

#[pymethods]
impl KeyCounter {
    #[new]
    #[pyo3(signature = (key_domain="bytes"))]
    fn new(py: Python<'_>, #[pyo3(from_py_with = arg)] key_domain: &str) -> PyResult<Self> {
        let counter = Counter::new(hasher(py, options::named(py, key_domain)?)?);
        Ok(KeyCounter::of(counter.map_err(|error| error::of(py, error))?))
    }

    /// Counts all keys of an iterable, a numpy array or an Arrow column too. Nulls are left out;
    /// `nulls_skipped` counts them.
    fn update(&self, py: Python<'_>, keys: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut progress = Progress::default();
        let counted = match column::source(keys, None)? {
            Source::Rows(rows) => rows.each(py, |column| {
                let mut take = |keys: &dyn Keys, _| self.change(|counter| counter.insert_many(keys));
                column::walk(py, column, &mut progress, &mut take)
            }),
            Source::Objects(objects) => {
                let hasher = self.look(py, |counter| counter.key_hasher().clone())?;
                objects::each_batch(py, &hasher, &objects, &mut progress.nulls, &mut |keys: &PreparedKeys| {
                    py.detach(|| self.change(|counter| counter.insert_prepared(keys)))
                        .map_err(|fault| fault.raise(py))
                })
            }
        };
        self.nulls.fetch_add(progress.nulls, Ordering::Relaxed);
        counted
    }

    /// How many nulls `update` has left out, since the counter was made in this process.
    #[getter]
    fn nulls_skipped(&self) -> u64 {
        self.nulls.load(Ordering::Relaxed)
    }

    /// Counts what the other one has counted, as if this one had seen those keys itself.
    fn __ior__(&self, py: Python<'_>, other: &Bound<'_, KeyCounter>) -> PyResult<()> {
        // A copy: two locks at once could wait for each other.
        let other = other.get().look(py, Counter::clone)?;
        py.detach(|| self.change(|counter| counter.union_with(&other))).map_err(|fault| fault.raise(py))
    }

    /// How many keys came, repeats included.
    #[getter]
    fn keys(&self, py: Python<'_>) -> PyResult<u64> {
        self.look(py, Counter::keys)
    }

    /// How many of them are different: exact up to 65,536 keys, and an estimate above, with a
    /// standard error below 0.08 %.
    #[getter]
    fn different(&self, py: Python<'_>) -> PyResult<u64> {
        self.look(py, Counter::different)
    }

    /// Is `different` exact, and no estimate?
    #[getter]
    fn is_exact(&self, py: Python<'_>) -> PyResult<bool> {
        self.look(py, Counter::is_exact)
    }

    /// The capacity of a filter for these keys: the different ones, and where these are an estimate
    /// 0.16 % more; at least 1.
    #[getter]
    fn capacity(&self, py: Python<'_>) -> PyResult<u64> {
        self.look(py, Counter::room)
    }

    /// What keys are: `bytes` or `int64`, or what another program hashes.
    #[getter]
    fn key_domain(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.look(py, |counter| counter.key_hasher().key_domain().name())
    }

    /// What it knows, for `from_bytes` of the same version elsewhere: at most 3 MiB.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.look(py, Counter::to_bytes)?))
    }

    /// The counter that gave these bytes, and had this key domain.
    #[staticmethod]
    #[pyo3(signature = (data, key_domain="bytes"))]
    fn from_bytes(data: &Bound<'_, PyAny>, #[pyo3(from_py_with = arg)] key_domain: &str) -> PyResult<Self> {
        let py = data.py();
        let hasher = hasher(py, options::named(py, key_domain)?)?;
        let counter = Counter::from_bytes(hasher, bytes_of(data)?.as_bytes());
        Ok(KeyCounter::of(counter.map_err(|error| error::of(py, error))?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let class: Bound<'py, PyType> = py.get_type::<KeyCounter>();
        let state = PyTuple::new(
            py,
            [self.to_bytes(py)?.into_any(), self.key_domain(py)?.into_pyobject(py)?.into_any()],
        )?;
        PyTuple::new(py, [class.getattr("from_bytes")?, state.into_any()])
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (keys, different, is_exact) =
            self.look(py, |counter| (counter.keys(), counter.different(), counter.is_exact()))?;
        let about = if is_exact { "" } else { "about " };
        let s = if keys == 1 { "" } else { "s" };
        Ok(format!("<tepal.KeyCounter: {keys} key{s}, {about}{different} different>"))
    }
}

impl KeyCounter {
    fn of(counter: Counter) -> Self {
        KeyCounter { counter: Lock::new(counter), nulls: AtomicU64::new(0) }
    }

    /// A look, which is short.
    fn look<R: Send>(&self, py: Python<'_>, look: impl FnOnce(&Counter) -> R + Send) -> PyResult<R> {
        let here = self.here(py)?;
        Ok(match here.try_read() {
            Some(counter) => look(&counter),
            None => py.detach(|| {
                let _inside = fork::look();
                here.read(look)
            }),
        })
    }

    /// A change by a thread that does not hold the interpreter.
    fn change(&self, change: impl FnOnce(&mut Counter) -> tepal::Result<()>) -> Result<(), Fault> {
        let here = self.counter.here().map_err(|gone| Fault::Gone(gone.into()))?;
        let _inside = fork::change();
        here.write(change).map_err(Fault::Library)
    }

    fn here(&self, py: Python<'_>) -> PyResult<&Lock<Counter>> {
        self.counter.here().map_err(|gone| Gone::from(gone).raise(py))
    }
}

fn hasher(py: Python<'_>, domain: KeyDomain) -> PyResult<KeyHasher> {
    tepal::BloomFilter::builder().key_domain(domain).key_hasher().map_err(|error| error::of(py, error))
}

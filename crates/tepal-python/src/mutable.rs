//! What every class can do whose filters change.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepal::Opened;

use crate::args::arg;
use crate::filter::{self, Filter};
use crate::sets::{self, Operand};

/// A filter that takes keys.
///
/// Many threads may add, update and ask at the same time, and no key is lost: a key is in as soon
/// as the call that adds it has returned. An `update` of many keys goes in piece by piece, and
/// others may see the first pieces before the last.
#[pyclass(frozen, subclass, extends = Filter, module = "tepal", name = "MutableFilter")]
#[derive(Debug)]
pub(crate) struct MutableFilter;

#[pymethods]
impl MutableFilter {
    /// Adds a key. `True`: it is surely new. `False`: it was in already, or looked so.
    ///
    /// A key is a `str` (as UTF-8), `bytes`, an `int` (the same key as its decimal text, unless the
    /// keys are integers), a `uuid.UUID` or an address of `ipaddress` (the same key as its text), a
    /// path of `pathlib` (the bytes of its name), or a tuple or a dataclass of these. The same key
    /// is the same in every language and in the command `tepal`.
    ///
    /// A full filter raises `tepal.CapacityError` for a new key, unless it was made with another
    /// `over_capacity`: with `warn`, the first call that goes past the promise is a `UserWarning`,
    /// after all its keys are in.
    fn add(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let key = held(this).key(key)?;
        held(this).add(this.py(), |opened| opened.insert(&key))
    }

    /// Adds all keys of each argument: an iterable, a numpy array, an Arrow column, or another
    /// filter of the same shape.
    ///
    /// Nulls of columns are skipped; `nulls_skipped` counts them. When a key is refused, those
    /// before it are in.
    #[pyo3(signature = (*keys))]
    fn update(this: &Bound<'_, Self>, keys: &Bound<'_, PyTuple>) -> PyResult<()> {
        sets::update(this.as_super(), keys)
    }

    /// Forgets all keys.
    fn clear(this: &Bound<'_, Self>) -> PyResult<()> {
        held(this).write(this.py(), Opened::clear)
    }

    /// A new filter with the keys of this one and of all others: iterables and columns of keys, or
    /// filters of the same shape and hash.
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

    /// Keys that the filter was planned for.
    #[getter]
    fn capacity(this: &Bound<'_, Self>) -> PyResult<u64> {
        filter::capacity(this.py(), held(this))
    }

    /// What happens when more keys come than `capacity`: `refuse`, `warn` or `ignore`. It can be
    /// set.
    #[getter]
    fn over_capacity(this: &Bound<'_, Self>) -> PyResult<&'static str> {
        filter::over_capacity(this.py(), held(this))
    }

    #[setter]
    fn set_over_capacity(this: &Bound<'_, Self>, policy: &Bound<'_, PyAny>) -> PyResult<()> {
        filter::set_over_capacity(this.py(), held(this), arg(policy)?)
    }

    /// Does it refuse every new key now?
    #[getter]
    fn is_full(this: &Bound<'_, Self>) -> PyResult<bool> {
        held(this).read(this.py(), |opened| opened.filter().is_full())
    }
}

/// The filter behind the object.
pub(crate) fn held<'a>(this: &'a Bound<'_, MutableFilter>) -> &'a crate::held::Held {
    &this.as_super().get().held
}

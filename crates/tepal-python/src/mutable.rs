//! What every class can do whose filters change.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepal::{Opened, OverCapacity};

use crate::filter::{self, Filter, wrap};
use crate::objects::{self, Insert};
use crate::{error, key, options};

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
    /// keys are integers), or a tuple of these. The same key is the same in every language and in
    /// the command `tepal`.
    ///
    /// A full filter raises `tepal.CapacityError` for a new key, unless it was made with another
    /// `over_capacity`.
    fn add(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let key = key::of(key)?;
        held(this).touch(this.py(), |opened| opened.insert(&key))
    }

    /// Adds all keys of each argument: an iterable, a numpy array, an Arrow column, or another
    /// filter of the same shape.
    ///
    /// Returns how many nulls of Arrow columns were skipped. When a key is refused, those before it
    /// are in.
    #[pyo3(signature = (*keys))]
    fn update(this: &Bound<'_, Self>, keys: &Bound<'_, PyTuple>) -> PyResult<u64> {
        let (py, mut nulls, mut done) = (this.py(), 0, 0);
        for keys in keys.iter() {
            match keys.cast::<Filter>() {
                Ok(other) => unite(this, other)?,
                Err(_) => nulls += objects::change(py, held(this), &keys, &mut done, &Insert)?,
            }
        }
        Ok(nulls)
    }

    /// Forgets all keys.
    fn clear(this: &Bound<'_, Self>) -> PyResult<()> {
        held(this).write(this.py(), Opened::clear)
    }

    /// A new filter with the keys of this one and of all others, which must be of the same shape
    /// and hash.
    #[pyo3(signature = (*others))]
    fn union(this: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        let py = this.py();
        let mut all = held(this).read(py, Opened::clone)?;
        for other in others.iter() {
            let Ok(other) = other.cast::<Filter>() else {
                let text = format!("{} is no filter; add keys with update()", key::type_name(&other));
                return Err(error::wrong_type(py, text));
            };
            if is_itself(this, other)? {
                continue;
            }
            let united = other.get().held.read(py, |other| all.union_with(other))?;
            united.map_err(|error| error::of(py, error))?;
        }
        wrap(py, all)
    }

    fn __or__(this: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        if other.cast::<Filter>().is_err() {
            return Ok(this.py().NotImplemented());
        }
        Self::union(this, &PyTuple::new(this.py(), [other])?)
    }

    fn __ior__(this: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        unite(this, other)
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
        held(this).look(this.py(), |opened| opened.filter().over_capacity().name())
    }

    #[setter]
    fn set_over_capacity(this: &Bound<'_, Self>, policy: &str) -> PyResult<()> {
        let policy: OverCapacity = options::named(this.py(), policy)?;
        held(this).touch(this.py(), |opened| opened.set_over_capacity(policy))
    }

    /// Does it hold more keys than it was planned for?
    #[getter]
    fn is_over_capacity(this: &Bound<'_, Self>) -> PyResult<bool> {
        held(this).read(this.py(), |opened| opened.filter().is_over_capacity())
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

fn unite(this: &Bound<'_, MutableFilter>, other: &Bound<'_, Filter>) -> PyResult<()> {
    if is_itself(this, other)? {
        return Ok(());
    }
    held(this).write_with(this.py(), &other.get().held, |here, there| here.union_with(there))
}

/// Is the other one this very filter, so that it has no key to add? Where copies are kept, each key
/// has one more in a union.
fn is_itself(this: &Bound<'_, MutableFilter>, other: &Bound<'_, Filter>) -> PyResult<bool> {
    if !this.is(other) {
        return Ok(false);
    }
    let can = held(this).look(this.py(), |opened| opened.can())?;
    Ok(!can.count && !can.remove)
}

//! What filters have in common with sets: union and intersection, with filters and with keys.

use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PySet, PyTuple};
use tepal::Opened;

use crate::filter::{Filter, wrap};
use crate::held::Held;
use crate::objects::{self, Insert};
use crate::{error, key};

/// The right side of `|=` and `|`: a filter or a set. As with sets, a list is no operand.
pub(crate) struct Operand<'py>(Bound<'py, PyAny>);

impl<'py> FromPyObject<'_, 'py> for Operand<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let is_set = || -> PyResult<bool> {
            let sets = object.py().import("collections.abc")?.getattr("Set")?;
            object.is_instance(&sets)
        };
        let is_operand = object.is_instance_of::<Filter>()
            || object.is_instance_of::<PySet>()
            || object.is_instance_of::<PyFrozenSet>()
            || is_set()?;
        if is_operand {
            return Ok(Operand(object.to_owned()));
        }
        // pyo3 makes `NotImplemented` of it, and Python its own `TypeError`.
        Err(error::wrong_argument(object.py(), "neither a filter nor a set"))
    }
}

/// `update` of every kind whose keys come alone.
pub(crate) fn update(this: &Bound<'_, Filter>, keys: &Bound<'_, PyTuple>) -> PyResult<()> {
    let (held, mut done) = (&this.get().held, 0);
    keys.iter().try_for_each(|keys| match keys.cast::<Filter>() {
        Ok(other) => unite(this, other),
        Err(_) => add(this.py(), held, &keys, &mut done),
    })?;
    held.warn(this.py())
}

/// `|=`.
pub(crate) fn update_with(this: &Bound<'_, Filter>, other: &Operand<'_>) -> PyResult<()> {
    update(this, &PyTuple::new(this.py(), [&other.0])?)
}

/// Adds keys of a list or a column, piece by piece, or all at once where a kind prefers that.
fn add(py: Python<'_>, held: &Held, keys: &Bound<'_, PyAny>, done: &mut usize) -> PyResult<()> {
    let (hasher, can) = held.look(py, |opened| (opened.key_hasher(), opened.can()))?;
    if !can.prefers_all_at_once {
        return objects::change(py, held, keys, done, &Insert);
    }
    let (mut hashes, mut nulls) = (Vec::new(), 0);
    let read = objects::hashes(py, &hasher, keys, &mut hashes, &mut nulls);
    held.count_nulls(nulls);
    read?;
    held.write(py, |opened| opened.insert_many_hashes(&hashes))
}

/// A new filter with the keys of this one and of all others, which are filters, lists or columns.
pub(crate) fn union(this: &Bound<'_, Filter>, others: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    let (py, mut done) = (this.py(), 0);
    let all = Held::new(this.get().held.read(py, Opened::clone)?);
    for other in others.iter() {
        match other.cast::<Filter>() {
            Ok(other) if is_itself(this, other)? => {}
            Ok(other) => all.write_with(py, &other.get().held, |all, other| all.union_with(other))?,
            Err(_) if all.look(py, |all| all.can().segments)? => {
                let text = format!(
                    "{} is no filter, and keys belong to a segment; add them with update(segment, keys)",
                    key::type_name(&other)
                );
                return Err(error::wrong_argument(py, text));
            }
            Err(_) => add(py, &all, &other, &mut done)?,
        }
    }
    all.warn(py)?;
    wrap(py, all)
}

/// `|`.
pub(crate) fn union_with(this: &Bound<'_, Filter>, other: &Operand<'_>) -> PyResult<Py<PyAny>> {
    union(this, &PyTuple::new(this.py(), [&other.0])?)
}

/// Adds the keys of another filter.
fn unite(this: &Bound<'_, Filter>, other: &Bound<'_, Filter>) -> PyResult<()> {
    if is_itself(this, other)? {
        return Ok(());
    }
    this.get().held.write_with(this.py(), &other.get().held, |here, there| here.union_with(there))
}

/// Is the other one this very filter, so that it has no key to add? Where copies are kept, each key
/// has one more in a union.
fn is_itself(this: &Bound<'_, Filter>, other: &Bound<'_, Filter>) -> PyResult<bool> {
    if !this.is(other) {
        return Ok(false);
    }
    let can = this.get().held.look(this.py(), |opened| opened.can())?;
    Ok(!can.count && !can.remove)
}

/// A new filter with what this one and all others have.
pub(crate) fn intersection(this: &Bound<'_, Filter>, others: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    let py = this.py();
    let all = Held::new(this.get().held.read(py, Opened::clone)?);
    intersect(py, &all, others)?;
    wrap(py, all)
}

/// Keeps what this filter and all others have. Nothing changes if one of them is no filter.
pub(crate) fn intersection_update(this: &Bound<'_, Filter>, others: &Bound<'_, PyTuple>) -> PyResult<()> {
    intersect(this.py(), &this.get().held, others)
}

fn intersect(py: Python<'_>, held: &Held, others: &Bound<'_, PyTuple>) -> PyResult<()> {
    let filters = others.iter().map(|other| match other.cast_into::<Filter>() {
        Ok(other) => Ok(other),
        Err(error) => {
            let text = format!(
                "{} is no filter, and only filters have an intersection; for a list write [key for key in keys if key in f]",
                key::type_name(&error.into_inner())
            );
            Err(error::wrong_argument(py, text))
        }
    });
    for other in filters.collect::<PyResult<Vec<_>>>()? {
        held.write_with(py, &other.get().held, |here, there| here.intersect_with(there))?;
    }
    Ok(())
}

/// `&`: only with a filter.
pub(crate) fn intersection_with(this: &Bound<'_, Filter>, other: &Bound<'_, Filter>) -> PyResult<Py<PyAny>> {
    intersection(this, &PyTuple::new(this.py(), [other])?)
}

/// `&=`.
pub(crate) fn intersect_with(this: &Bound<'_, Filter>, other: &Bound<'_, Filter>) -> PyResult<()> {
    intersection_update(this, &PyTuple::new(this.py(), [other])?)
}

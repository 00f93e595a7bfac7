//! Answers in the form that the question had.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList, PyString, PyTuple};
use tepal::{Opened, hash::PreparedKeys};

use crate::column::{self, Bits, Rows, Source};
use crate::held::Held;
use crate::key::ObjectKey;
use crate::{key, map, objects};

/// Answers for an Arrow column: a column of booleans, null where the key was null.
///
/// Whatever reads Arrow columns takes it: `pyarrow.array(answers)`, `polars.Series(answers)`. Asked
/// with a column of pyarrow, polars or pandas, `contains_many` gives one of theirs; this is for all
/// others.
#[pyclass(frozen, module = "tepal")]
#[derive(Debug)]
pub(crate) struct BooleanColumn {
    answers: Bits,
    valid: Option<Bits>,
}

#[pymethods]
impl BooleanColumn {
    fn __len__(&self) -> usize {
        self.answers.len()
    }

    /// The answers as a list of `True`, `False` and, for a null, `None`.
    fn to_list(&self) -> Vec<Option<bool>> {
        let is_valid = |i| self.valid.as_ref().is_none_or(|valid| valid.get(i));
        (0..self.answers.len()).map(|i| is_valid(i).then(|| self.answers.get(i))).collect()
    }

    /// How many answers are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.valid.as_ref().map_or(0, |valid| (0..valid.len()).filter(|&i| !valid.get(i)).count())
    }

    /// The Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // A request is a wish: there is one form of these.
        drop(requested_schema);
        column::export(py, self.answers.clone(), self.valid.clone())
    }

    fn __repr__(&self) -> String {
        format!("<tepal.BooleanColumn: {} answers>", self.answers.len())
    }
}

/// Does the question come from a package that has columns of its own for the answers?
fn has_form(keys: &Bound<'_, PyAny>) -> bool {
    let name = key::type_name(keys);
    ["numpy.", "pandas.", "polars.", "pyarrow."].iter().any(|of| name.starts_with(of))
}

/// What is asked, and the form that its answers get, if it is one of another package. Both are
/// taken before anything is asked: the index or the name of the question may change meanwhile.
fn asked<'py>(keys: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)> {
    if !has_form(keys) {
        return Ok((keys.clone(), None));
    }
    let (keys, form) = keys.py().import("tepal._columns")?.call_method1("asked", (keys,))?.extract()?;
    Ok((keys, Some(form)))
}

/// The form of the question, or that of an Arrow column of some other package.
fn form<'py>(py: Python<'py>, form: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    match form {
        Some(form) => Ok(form),
        None => py.import("tepal._columns")?.call_method0("Arrow"),
    }
}

/// Asks for many keys.
pub(crate) fn contains_many<'py>(held: &Held, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let (keys, form_of) = asked(keys)?;
    let answers = match column::source(&keys, Some(held))? {
        Source::Objects(objects) => {
            let many = |opened: &Opened, keys: &PreparedKeys, answers: &mut [bool]| {
                opened.filter().contains_prepared(keys, answers);
            };
            let one = |opened: &Opened, key: &ObjectKey<'_>| opened.contains(key);
            let answers = objects::ask(py, held, &objects, many, one, || false)?;
            let answers = PyList::new(py, answers)?.into_any();
            if form_of.is_none() {
                return Ok(answers);
            }
            answers
        }
        Source::Rows(rows @ Rows::Buffer(..)) => {
            let answers = of_buffer(py, held, rows)?;
            if form_of.is_none() {
                let bytes = answers.to_vec();
                return Ok(PyList::new(py, bytes.into_iter().map(|answer| answer != 0))?.into_any());
            }
            answers.into_any()
        }
        Source::Rows(rows) => of_arrow(py, held, rows)?.into_any(),
    };
    form(py, form_of)?.call_method1("answers", (answers,))
}

/// The answers for a buffer, a byte each.
fn of_buffer<'py>(py: Python<'py>, held: &Held, rows: Rows<'_>) -> PyResult<Bound<'py, PyByteArray>> {
    let mut answers = Vec::new();
    rows.each(py, |column| {
        answers.resize(column.len(), 0);
        column::ask(py, held, column, &mut |start, piece| {
            for (to, &answer) in answers[start..].iter_mut().zip(piece) {
                *to = u8::from(answer);
            }
        })
    })?;
    Ok(PyByteArray::new(py, &answers))
}

/// The answers for Arrow arrays, a bit each.
fn of_arrow<'py>(py: Python<'py>, held: &Held, rows: Rows<'_>) -> PyResult<Bound<'py, BooleanColumn>> {
    let (mut answers, mut valid) = (Bits::default(), None::<Bits>);
    rows.each(py, |column| {
        let before = answers.len();
        column::ask(py, held, column, &mut |_, piece| answers.extend(piece))?;
        if column.has_nulls() && valid.is_none() {
            valid = Some(Bits::all(before));
        }
        if let Some(valid) = &mut valid {
            (0..column.len()).for_each(|row| valid.push(!column.is_null(row)));
        }
        Ok(())
    })?;
    Bound::new(py, BooleanColumn { answers, valid })
}

/// Asks a map for the values of many keys.
pub(crate) fn get_many<'py>(held: &Held, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let (keys, form_of) = asked(keys)?;
    let source = column::source(&keys, Some(held))?;
    let is_column = !matches!(source, Source::Objects(_) | Source::Rows(Rows::Buffer(..)));
    let values = match source {
        Source::Objects(objects) => {
            let many = |opened: &Opened, keys: &PreparedKeys, values: &mut [Option<u32>]| {
                if let Some(map) = map::map_in(opened) {
                    map.get_prepared(keys, values);
                }
            };
            // A key that cannot be prepared is none of this map.
            objects::ask(py, held, &objects, many, |_, _| None, || None)?
        }
        Source::Rows(rows) => values_of_rows(py, held, rows)?,
    };
    let names = map::names(py, held)?;
    if form_of.is_none() && !is_column {
        return listed(py, &values, &names);
    }
    let mut valid = Bits::default();
    values.iter().for_each(|value| valid.push(value.is_some()));
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.unwrap_or(0).to_ne_bytes()).collect();
    let (bytes, valid) = (PyByteArray::new(py, &bytes), PyByteArray::new(py, valid.as_bytes()));
    form(py, form_of)?.call_method1("values", (bytes, valid, PyList::new(py, names)?))
}

fn values_of_rows(py: Python<'_>, held: &Held, rows: Rows<'_>) -> PyResult<Vec<Option<u32>>> {
    let mut values = Vec::new();
    rows.each(py, |column| {
        let mut all = Ok(());
        let before = values.len();
        values.resize(before + column.len(), None);
        let values = &mut values[before..];
        column::each_row(py, column, &mut |start, keys| {
            let values = &mut values[start..start + keys.len()];
            let asked = held.read_detached(|opened| {
                if let Some(map) = map::map_in(opened) {
                    map.get_many_into(keys, values);
                }
            });
            all = all.and(asked);
            if column.has_nulls() {
                let nulls = values.iter_mut().enumerate().filter(|(i, _)| column.is_null(start + i));
                nulls.for_each(|(_, value)| *value = None);
            }
        })?;
        all.map_err(|gone| gone.raise(py))
    })?;
    Ok(values)
}

fn listed<'py>(
    py: Python<'py>,
    values: &[Option<u32>],
    names: &[Bound<'py, PyString>],
) -> PyResult<Bound<'py, PyAny>> {
    let list = if names.is_empty() {
        PyList::new(py, values)?
    } else {
        PyList::new(py, values.iter().map(|value| value.and_then(|value| names.get(value as usize))))?
    };
    Ok(list.into_any())
}

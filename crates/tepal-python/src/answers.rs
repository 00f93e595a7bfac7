//! Answers in the form that the question had.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList, PyTuple};

use crate::column::{self, Bits, Rows, Source};
use crate::held::Held;
use crate::{key, objects};

/// Answers for an Arrow column: a column of booleans, null where the key was null.
///
/// Whatever reads Arrow columns takes it: `pyarrow.array(answers)`, `polars.Series(answers)`. Asked with a column of pyarrow,
/// polars or pandas, `contains_many` gives one of theirs; this is for all others.
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

/// Asks for many keys.
pub(crate) fn contains_many<'py>(held: &Held, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let name = key::type_name(keys);
    let has_form = ["numpy.", "pandas.", "polars.", "pyarrow."].iter().any(|of| name.starts_with(of));
    let answers = match column::source(keys)? {
        Source::Objects(objects) => PyList::new(py, objects::ask(py, held, &objects)?)?.into_any(),
        Source::Rows(rows @ Rows::Buffer(..)) => {
            let answers = of_buffer(py, held, rows)?;
            if !has_form {
                let bytes = answers.to_vec();
                return Ok(PyList::new(py, bytes.into_iter().map(|answer| answer != 0))?.into_any());
            }
            answers.into_any()
        }
        Source::Rows(rows) => of_arrow(py, held, rows)?.into_any(),
    };
    if answers.is_instance_of::<PyList>() && !has_form {
        return Ok(answers);
    }
    py.import("tepal._columns")?.call_method1("in_form_of", (keys, answers))
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

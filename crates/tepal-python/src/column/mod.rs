//! Columns: many keys in memory that Python does not have to walk through.
//!
//! Whatever the column, its keys go to the filter by pieces, each under one lock, while other
//! threads have the interpreter. Between stretches of a million rows somebody may press Ctrl-C.

mod arrow;
mod buffer;
mod rows;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyString};
use tepal::{Error, KeyRef, KeySink, Keys};
use tepal_arrow::{Broken, Column};

use crate::error;
use crate::held::{Gone, Held};
use crate::key::type_name;
pub(crate) use arrow::{Bits, export};
pub(crate) use rows::Rows;

/// Rows between two looks at Ctrl-C.
const STRETCH: usize = 1 << 20;

/// What stops a bulk call while it does not hold the interpreter.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The library refuses.
    Library(Error),
    /// The column is not what it says.
    Column(String),
    /// A row is no value.
    Value(String),
    /// There is no filter any more.
    Gone(Gone),
}

impl From<Broken> for Fault {
    fn from(broken: Broken) -> Self {
        Fault::Column(broken.0)
    }
}

impl Fault {
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            Fault::Library(error) => error::of(py, error),
            Fault::Column(text) => error::wrong_key(py, text),
            Fault::Value(text) => error::parameter(py, text),
            Fault::Gone(gone) => gone.raise(py),
        }
    }
}

/// Where keys of a call come from.
pub(crate) enum Source<'py> {
    /// Arrays, one or one after the other.
    Rows(Rows<'py>),
    /// Objects, one by one.
    Objects(Objects<'py>),
}

/// Objects that are read one by one.
pub(crate) struct Objects<'py> {
    pub(crate) all: Bound<'py, PyAny>,
    /// Is `None` among them a null, as in a column, and no object that is refused?
    pub(crate) have_nulls: bool,
}

impl Objects<'_> {
    pub(crate) fn is_null(&self, object: &Bound<'_, PyAny>) -> bool {
        self.have_nulls && object.is_none()
    }
}

/// The keys that a call has taken, and the nulls that it has skipped.
#[derive(Default)]
pub(crate) struct Progress {
    pub(crate) done: usize,
    pub(crate) nulls: u64,
}

/// What the object holds, for a filter or for nobody yet: columns by the buffer protocol or through
/// Arrow, else whatever it yields.
pub(crate) fn source<'py>(keys: &Bound<'py, PyAny>, held: Option<&Held>) -> PyResult<Source<'py>> {
    let py = keys.py();
    let is_one = keys.is_instance_of::<PyString>() || keys.is_instance_of::<PyBytes>();
    if is_one || keys.is_instance_of::<PyByteArray>() {
        let text = format!(
            "{} is one key, and many are expected; give a list of keys, or one key to add() and `in`",
            type_name(keys)
        );
        return Err(error::wrong_type(py, text));
    }
    // Before Arrow: what their own ways there would lose.
    if ["pandas.", "polars.", "duckdb.", "_duckdb."].iter().any(|of| type_name(keys).starts_with(of)) {
        let other = py.import("tepal._columns")?.call_method1("of_package", (keys,))?;
        // It hands on what is inside, or a list.
        if other.is_instance_of::<PyList>() {
            return Ok(Source::Objects(Objects { all: other, have_nulls: true }));
        }
        if !other.is(keys) {
            return source(&other, held);
        }
    }
    if let Some(rows) = buffer::rows(keys)? {
        return Ok(Source::Rows(rows));
    }
    if let Some(rows) = arrow::rows(keys, held)? {
        return Ok(Source::Rows(rows));
    }
    Ok(Source::Objects(Objects { all: keys.clone(), have_nulls: false }))
}

/// Hands all keys to `take`, by pieces, while others have the interpreter. `take` is told how many
/// keys were taken before.
pub(crate) fn walk(
    py: Python<'_>,
    column: &dyn Column,
    progress: &mut Progress,
    take: &mut (dyn FnMut(&dyn Keys, usize) -> Result<(), Fault> + Send),
) -> PyResult<()> {
    for start in (0..column.len()).step_by(STRETCH) {
        let end = column.len().min(start + STRETCH);
        py.detach(|| walk_stretch(column, start..end, progress, take)).map_err(|fault| fault.raise(py))?;
        py.check_signals()?;
    }
    Ok(())
}

fn walk_stretch(
    column: &dyn Column,
    rows: std::ops::Range<usize>,
    Progress { done, nulls }: &mut Progress,
    take: &mut (dyn FnMut(&dyn Keys, usize) -> Result<(), Fault> + Send),
) -> Result<(), Fault> {
    let most = column.most();
    for start in rows.clone().step_by(most) {
        let len = most.min(rows.end - start);
        let mut counted = |keys: &dyn Keys| {
            take(keys, *done)?;
            *done += keys.len();
            Ok::<(), Fault>(())
        };
        let keys = column.keys(start, len)?;
        if column.has_nulls() {
            let rows: Vec<_> = (0..len).filter(|&row| !column.is_null(start + row)).collect();
            counted(&Picked { keys: &*keys, rows: &rows })?;
            *nulls += (len - rows.len()) as u64;
        } else {
            counted(&*keys)?;
        }
    }
    Ok(())
}

/// Some rows of a piece, in their order.
struct Picked<'a> {
    keys: &'a dyn Keys,
    rows: &'a [usize],
}

impl Keys for Picked<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn key<'a>(&'a self, i: usize, sink: &'a mut KeySink) -> KeyRef<'a> {
        self.keys.key(self.rows[i], sink)
    }
}

/// The same for what needs no count.
pub(crate) fn each(
    py: Python<'_>,
    column: &dyn Column,
    progress: &mut Progress,
    take: &mut (dyn FnMut(&dyn Keys) -> Result<(), Error> + Send),
) -> PyResult<()> {
    walk(py, column, progress, &mut |keys, _| take(keys).map_err(Fault::Library))
}

/// Hands the keys of all rows to `take`, piece by piece, each with the number of its first row. A
/// null is some key.
pub(crate) fn each_row(
    py: Python<'_>,
    column: &dyn Column,
    take: &mut (dyn FnMut(usize, &dyn Keys) + Send),
) -> PyResult<()> {
    for start in (0..column.len()).step_by(STRETCH) {
        let rows = start..column.len().min(start + STRETCH);
        py.detach(|| each_row_of_stretch(column, rows, take)).map_err(|fault| fault.raise(py))?;
        py.check_signals()?;
    }
    Ok(())
}

fn each_row_of_stretch(
    column: &dyn Column,
    rows: std::ops::Range<usize>,
    take: &mut (dyn FnMut(usize, &dyn Keys) + Send),
) -> Result<(), Fault> {
    let most = column.most();
    for start in rows.clone().step_by(most) {
        take(start, &*column.keys(start, most.min(rows.end - start))?);
    }
    Ok(())
}

/// Answers for all rows, in their order: `put` gets the answers of a piece and the number of its
/// first row. What it gets for a null means nothing.
pub(crate) fn ask(
    py: Python<'_>,
    held: &Held,
    column: &dyn Column,
    put: &mut (dyn FnMut(usize, &[bool]) + Send),
) -> PyResult<()> {
    for start in (0..column.len()).step_by(STRETCH) {
        let end = column.len().min(start + STRETCH);
        py.detach(|| ask_stretch(held, column, start..end, put)).map_err(|fault| fault.raise(py))?;
        py.check_signals()?;
    }
    Ok(())
}

fn ask_stretch(
    held: &Held,
    column: &dyn Column,
    rows: std::ops::Range<usize>,
    put: &mut (dyn FnMut(usize, &[bool]) + Send),
) -> Result<(), Fault> {
    let most = column.most();
    let mut answers = vec![false; most.min(rows.len())];
    for start in rows.clone().step_by(most) {
        let len = most.min(rows.end - start);
        let (keys, answers) = (column.keys(start, len)?, &mut answers[..len]);
        held.read_detached(|opened| opened.filter().contains_many_into(&*keys, answers))
            .map_err(Fault::Gone)?;
        put(start, answers);
    }
    Ok(())
}

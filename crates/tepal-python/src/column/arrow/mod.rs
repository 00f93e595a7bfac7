//! Columns through the Arrow PyCapsule interface: pyarrow, polars, pandas, DuckDB and whatever else
//! speaks it.

mod out;

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

use tepal_arrow::{ArrowArray, ArrowArrayStream, ArrowSchema, Broken, Column, Type};

use super::Rows;
use crate::error;
use crate::held::Held;
use crate::key::type_name;
pub(crate) use out::{Bits, export};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// An array that was handed over, and what it holds.
pub(crate) struct Chunk {
    array: ArrowArray,
    kind: Type,
}

impl Chunk {
    pub(super) fn column(&self) -> Result<Box<dyn Column + '_>, Broken> {
        tepal_arrow::column(&self.array, &self.kind)
    }
}

/// Arrays that come one after the other.
pub(crate) struct Stream<'py> {
    stream: ArrowArrayStream,
    kind: Type,
    /// Kept, in case that the stream stands on it.
    _from: Bound<'py, PyAny>,
}

impl Stream<'_> {
    /// The next array. Whoever makes it may need the interpreter, so it is free meanwhile.
    pub(super) fn next(&mut self, py: Python<'_>) -> PyResult<Option<Chunk>> {
        let stream = &mut self.stream;
        let next = py.detach(|| stream.next());
        py.check_signals()?;
        match next {
            Ok(array) => Ok(array.map(|array| Chunk { array, kind: self.kind.clone() })),
            Err(text) => Err(error::parameter(py, format!("the Arrow stream failed: {text}"))),
        }
    }
}

/// The arrays that the object has, if it has some. UUIDs are refused for a filter that may know
/// them by their bytes.
pub(super) fn rows<'py>(keys: &Bound<'py, PyAny>, held: Option<&Held>) -> PyResult<Option<Rows<'py>>> {
    // A class has the methods, and no array.
    if keys.is_instance_of::<pyo3::types::PyType>() {
        return Ok(None);
    }
    if let Some(method) = keys.getattr_opt("__arrow_c_array__")? {
        let both = method.call0()?;
        let both = both.cast::<PyTuple>().map_err(|_| strange(keys))?;
        if both.len() != 2 {
            return Err(strange(keys));
        }
        let (schema, array) = (both.get_item(0)?, both.get_item(1)?);
        let (schema, array) =
            (pointer(capsule(&schema, keys)?, SCHEMA)?, pointer(capsule(&array, keys)?, ARRAY)?);
        // SAFETY: a capsule of this name points to such a struct, by the interface, and the
        // interpreter is held, so that nobody else takes it at the same time.
        let schema = unsafe { ArrowSchema::take(schema) };
        // SAFETY: as above.
        let array = unsafe { ArrowArray::take(array) };
        return Ok(Some(Rows::Chunk(Chunk { array, kind: kind(keys, &schema, held)? })));
    }
    if let Some(method) = keys.getattr_opt("__arrow_c_stream__")? {
        let stream = method.call0()?;
        let stream = pointer(capsule(&stream, keys)?, STREAM)?;
        // SAFETY: as above.
        let mut stream = unsafe { ArrowArrayStream::take(stream) };
        let schema = keys.py().detach(|| stream.schema());
        let schema =
            schema.map_err(|text| error::parameter(keys.py(), format!("the Arrow stream failed: {text}")))?;
        let kind = kind(keys, &schema, held)?;
        return Ok(Some(Rows::Stream(Stream { stream, kind, _from: keys.clone() })));
    }
    Ok(None)
}

fn kind(keys: &Bound<'_, PyAny>, schema: &ArrowSchema, held: Option<&Held>) -> PyResult<Type> {
    let py = keys.py();
    let kind =
        Type::of(schema).map_err(|found| error::wrong_type(py, format!("{} of {found}", type_name(keys))))?;
    if let Some(held) = held.filter(|_| kind.is_uuid()) {
        held.check_uuids(py)?;
    }
    Ok(kind)
}

fn pointer(capsule: &Bound<'_, PyCapsule>, name: &CStr) -> PyResult<NonNull<c_void>> {
    capsule.pointer_checked(Some(name))
}

fn capsule<'a, 'py>(
    object: &'a Bound<'py, PyAny>,
    keys: &Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, PyCapsule>> {
    object.cast::<PyCapsule>().map_err(|_| strange(keys))
}

/// The error for an object that calls itself a column of Arrow's and gives something else.
fn strange(keys: &Bound<'_, PyAny>) -> PyErr {
    let text = format!("{} gives no Arrow capsules, though it says so; give a list of keys", type_name(keys));
    error::wrong_type(keys.py(), text)
}

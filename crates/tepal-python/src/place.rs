//! Where a filter is read from or saved to: a path, or a file that Python has opened.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::{error, key};

pub(crate) enum Place<'py> {
    Path(PathBuf),
    File(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Place<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(path) = object.extract() {
            return Ok(Place::Path(path));
        }
        // Bytes are a path to Python too, also those of `__fspath__`.
        let is_path = object.is_instance_of::<PyBytes>() || object.hasattr("__fspath__")?;
        if is_path {
            match object.py().import("os")?.call_method1("fsdecode", (object,)) {
                Ok(path) => return Ok(Place::Path(path.extract()?)),
                // What only looks like a path.
                Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => {}
                Err(error) => return Err(error),
            }
        }
        if object.hasattr("read")? || object.hasattr("write")? {
            return Ok(Place::File(object.to_owned()));
        }
        let text = format!(
            "{} is no path and no file; give a str, an os.PathLike, or a binary file",
            key::type_name(&object)
        );
        Err(error::wrong_argument(object.py(), text))
    }
}

/// The call of a file that says whether it can be written, and the mode to open it with.
pub(crate) const WRITE: (&str, &str) = ("writable", "wb");
const READ: (&str, &str) = ("readable", "rb");

fn files<'py>(file: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyModule>> {
    file.py().import("tepal._files")
}

/// Refuses a file of text, and one that was opened for the other way.
pub(crate) fn check(file: &Bound<'_, PyAny>, way: (&str, &str)) -> PyResult<()> {
    files(file)?.call_method1("check", (file, way.0, way.1)).map(drop)
}

pub(crate) fn write(file: &Bound<'_, PyAny>, bytes: &Bound<'_, PyBytes>) -> PyResult<()> {
    files(file)?.call_method1("write", (file, bytes)).map(drop)
}

pub(crate) fn read<'py>(file: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    check(file, READ)?;
    files(file)?.call_method1("read", (file,))
}

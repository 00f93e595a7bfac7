//! Plain arguments of calls: numbers, texts, bytes and flags. One of another type is an error of
//! the package, where pyo3's own would be a bare `TypeError`.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::filter::Filter;
use crate::{error, key, options};

/// A type of argument.
pub(crate) trait Argument<'a, 'py>: Sized {
    fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self>;
}

/// Reads an argument: `#[pyo3(from_py_with = arg)]`. A note of pyo3's tells which one it is.
pub(crate) fn arg<'a, 'py, T: Argument<'a, 'py>>(object: &'a Bound<'py, PyAny>) -> PyResult<T> {
    T::of(object)
}

fn wrong(object: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let text = format!("{} is given where {expected} is expected", key::type_name(object));
    error::wrong_argument(object.py(), text)
}

impl<'a, 'py, T: Argument<'a, 'py>> Argument<'a, 'py> for Option<T> {
    fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        if object.is_none() { Ok(None) } else { T::of(object).map(Some) }
    }
}

impl<'a, 'py> Argument<'a, 'py> for f64 {
    fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        object.extract().map_err(|error: PyErr| match error {
            error if error.is_instance_of::<PyTypeError>(object.py()) => wrong(object, "a number (float)"),
            error if error.is_instance_of::<PyOverflowError>(object.py()) => error::parameter(
                object.py(),
                "a number past the range of a float is given; give a rate below 1",
            ),
            error => error,
        })
    }
}

impl<'a, 'py> Argument<'a, 'py> for &'a str {
    fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        let text = object.cast::<PyString>().map_err(|_| wrong(object, "a text (str)"))?;
        let surrogate = "a text with a surrogate is given, which UTF-8 does not have; leave it out";
        text.to_str().map_err(|_| error::parameter(object.py(), surrogate))
    }
}

impl<'a, 'py> Argument<'a, 'py> for &'a [u8] {
    fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        let bytes = object.cast::<PyBytes>().map_err(|_| wrong(object, "bytes"))?;
        Ok(bytes.as_bytes())
    }
}

impl<'a, 'py> Argument<'a, 'py> for bool {
    fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        object.extract().map_err(|_| wrong(object, "True or False"))
    }
}

impl<'a, 'py> Argument<'a, 'py> for &'a Bound<'py, Filter> {
    fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        object.cast::<Filter>().map_err(|_| wrong(object, "a filter"))
    }
}

macro_rules! whole {
    ($($type:ty)+) => {$(
        impl<'a, 'py> Argument<'a, 'py> for $type {
            fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
                let number = options::whole("the argument", object)?;
                let text = || format!("the argument is {number}; it must be at most {}", <$type>::MAX);
                number.try_into().map_err(|_| error::parameter(object.py(), text()))
            }
        }
    )+};
}
whole!(u8 u32 usize);

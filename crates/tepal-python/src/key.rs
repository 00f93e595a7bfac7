//! A Python object as a key, by the library's rule (FORMAT.md, section 1.1).
//!
//! [`classes`] has the objects of the standard library's classes, which are written in Python.

mod classes;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyString, PyTuple};
use tepal::{Key, KeyRef, KeySink};

use crate::error;

/// Compound keys inside compound keys, at most.
const DEEPEST: usize = 32;

/// A key that was an object.
pub(crate) enum ObjectKey<'a> {
    /// The bytes of a `str` or `bytes`.
    Bytes(&'a [u8]),
    /// Bytes that the object could change, or does not hold in this form.
    Copied(Vec<u8>),
    /// The text of a UUID. A filter of another program may hold its bytes: see `Held::key`.
    Uuid(Box<[u8; 36]>),
    Signed(i64),
    Unsigned(u64),
    /// A tuple or a dataclass.
    Compound(Box<KeySink>),
}

impl Key for ObjectKey<'_> {
    #[inline]
    fn key<'a>(&'a self, _: &'a mut KeySink) -> KeyRef<'a> {
        self.borrowed()
    }
}

impl ObjectKey<'_> {
    /// The key as a copy, which a closure can capture by value.
    #[inline(always)]
    pub(crate) fn borrowed(&self) -> KeyRef<'_> {
        match self {
            ObjectKey::Bytes(bytes) => KeyRef::Bytes(bytes),
            ObjectKey::Copied(bytes) => KeyRef::Bytes(bytes),
            ObjectKey::Uuid(text) => KeyRef::Bytes(&**text),
            ObjectKey::Signed(number) => KeyRef::Signed(*number),
            ObjectKey::Unsigned(number) => KeyRef::Unsigned(*number),
            ObjectKey::Compound(parts) => parts.finish(),
        }
    }
}

/// The object as a key. For an exact `int` or `str` this is one comparison and one call, and the
/// key stays in registers.
#[inline(always)]
pub(crate) fn of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<ObjectKey<'a>> {
    of_part(object, 0)
}

/// [`of`] for a part of a compound key that is itself in this many others.
#[inline(always)]
fn of_part<'a>(object: &'a Bound<'_, PyAny>, depth: usize) -> PyResult<ObjectKey<'a>> {
    if object.is_exact_instance_of::<PyInt>() {
        if let Some(number) = of_64_bits(object) {
            return Ok(ObjectKey::Signed(number));
        }
    } else if object.is_exact_instance_of::<PyString>() {
        if let Ok(text) = object.cast_exact::<PyString>() {
            return of_text(text);
        }
    }
    of_any(object, depth)
}

/// [`of_part`] for an object of any type.
#[inline(never)]
fn of_any<'a>(object: &'a Bound<'_, PyAny>, depth: usize) -> PyResult<ObjectKey<'a>> {
    if let Ok(text) = object.cast::<PyString>() {
        return of_text(text);
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(ObjectKey::Bytes(bytes.as_bytes()));
    }
    if object.is_instance_of::<PyInt>() {
        return of_int(object);
    }
    of_other(object, depth)
}

#[inline(always)]
fn of_text<'a>(text: &'a Bound<'_, PyString>) -> PyResult<ObjectKey<'a>> {
    match text.to_str() {
        Ok(text) => Ok(ObjectKey::Bytes(text.as_bytes())),
        Err(_) => Err(error::wrong_key(
            text.py(),
            "the text has a surrogate, which UTF-8 does not have; give bytes: text.encode('utf-8', 'surrogatepass')",
        )),
    }
}

/// The value of an `int` or a subclass of it, if it fits in an `i64`.
#[inline(always)]
fn of_64_bits(object: &Bound<'_, PyAny>) -> Option<i64> {
    let mut overflow = 0;
    // SAFETY: the object is alive, and this thread holds the interpreter. For an integer the call
    // raises no exception.
    let number = unsafe { ffi::PyLong_AsLongLongAndOverflow(object.as_ptr(), &mut overflow) };
    (overflow == 0).then_some(number)
}

fn of_int(object: &Bound<'_, PyAny>) -> PyResult<ObjectKey<'static>> {
    if object.cast_exact::<PyBool>().is_ok() {
        return Err(refused(object));
    }
    if let Some(number) = of_64_bits(object) {
        return Ok(ObjectKey::Signed(number));
    }
    if let Ok(number) = object.extract::<u64>() {
        return Ok(ObjectKey::Unsigned(number));
    }
    // The decimal text is all there is of numbers past 64 bits.
    let plain = object.py().get_type::<PyInt>().call1((object,))?;
    match plain.str().and_then(|text| Ok(text.to_str()?.as_bytes().to_vec())) {
        Ok(text) => Ok(ObjectKey::Copied(text)),
        Err(_) => Err(error::wrong_key(
            object.py(),
            "the integer has more digits than Python writes (sys.set_int_max_str_digits); give its bytes: n.to_bytes(...)",
        )),
    }
}

fn of_other<'a>(object: &'a Bound<'_, PyAny>, depth: usize) -> PyResult<ObjectKey<'a>> {
    if let Ok(parts) = object.cast::<PyTuple>() {
        return compound(object, depth, parts.iter().map(Ok));
    }
    if let Ok(bytes) = object.cast::<PyByteArray>() {
        return Ok(ObjectKey::Copied(bytes.to_vec()));
    }
    if let Some(fields) = classes::fields(object)? {
        return compound(object, depth, fields);
    }
    if let Some(bytes) = classes::bytes(object)? {
        return Ok(ObjectKey::Copied(bytes));
    }
    if let Some(text) = classes::uuid(object)? {
        return Ok(ObjectKey::Uuid(Box::new(text)));
    }
    // numpy's integers, and whatever else stands for one. numpy's bool does not.
    // SAFETY: the object is alive, and the interpreter is held.
    let is_index = unsafe { ffi::PyIndex_Check(object.as_ptr()) } != 0;
    if is_index && !type_name(object).starts_with("numpy.bool") {
        let number = object.call_method0("__index__").map_err(|_| refused(object))?;
        if number.cast::<PyInt>().is_ok() {
            return of_int(&number);
        }
    }
    Err(refused(object))
}

/// The compound key of these parts of an object; also of none, which is a key.
fn compound<'py>(
    object: &Bound<'_, PyAny>,
    depth: usize,
    parts: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
) -> PyResult<ObjectKey<'static>> {
    if depth == DEEPEST {
        let text = format!(
            "tuples and dataclasses inside others, more than {DEEPEST} deep, are no key; put their parts into one tuple"
        );
        return Err(error::wrong_key(object.py(), text));
    }
    let mut sink = Box::new(KeySink::new());
    for part in parts {
        sink.put(&of_part(&part?, depth + 1)?);
    }
    Ok(ObjectKey::Compound(sink))
}

/// The type's name as it would be imported.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    let class = object.get_type();
    match class.fully_qualified_name() {
        Ok(name) => name.to_string(),
        Err(_) => "an object".into(),
    }
}

/// The error for an object that is no key.
#[cold]
fn refused(object: &Bound<'_, PyAny>) -> PyErr {
    let name = type_name(object);
    let advice = if object.is_none() {
        "leave it out; in an Arrow column nulls are skipped".into()
    } else if name == "bool" || name.starts_with("numpy.bool") {
        "say which text or number stands for it: True is not 1".into()
    } else if object.cast::<PyFloat>().is_ok() || name.starts_with("numpy.float") {
        "floats have other bytes and texts in other languages: round it to an int, or write it as a str"
            .into()
    } else if object.hasattr("__iter__").unwrap_or(false) {
        "many keys go to update() and contains_many(); for one key of several parts give a tuple".into()
    } else {
        String::from(
            "keys are str, bytes, int, UUIDs, IP addresses and paths, and tuples and instances of dataclasses of these",
        )
    };
    error::wrong_type(object.py(), format!("{name} is no key; {advice}"))
}

//! Keys of the standard library's classes: UUIDs, IP addresses, paths, and the fields of
//! dataclasses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString, PyTuple, PyType};
use tepal::{Key, KeyRef, KeySink};

use super::type_name;
use crate::error;

/// A class of a module, which is not imported for it: as long as nobody has imported the module,
/// no object is of the class.
struct Class {
    module: &'static str,
    name: &'static str,
    class: PyOnceLock<Py<PyType>>,
}

static V4: Class = Class::new("ipaddress", "IPv4Address");
static V6: Class = Class::new("ipaddress", "IPv6Address");
static PATH: Class = Class::new("pathlib", "PurePath");
static UUID: Class = Class::new("uuid", "UUID");

impl Class {
    const fn new(module: &'static str, name: &'static str) -> Self {
        Class { module, name, class: PyOnceLock::new() }
    }

    fn has(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = object.py();
        if self.class.get(py).is_none() {
            let modules = py.import("sys")?.getattr("modules")?;
            if !modules.contains(self.module)? {
                return Ok(false);
            }
        }
        object.is_instance(self.class.import(py, self.module, self.name)?)
    }
}

/// The bytes of an address or a path; `None` for any other object.
pub(super) fn bytes(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if V4.has(object)? {
        return of_address(object, |object| Ok(Ipv4Addr::from(packed::<4>(object)?).into())).map(Some);
    }
    if V6.has(object)? {
        return of_address(object, |object| Ok(Ipv6Addr::from(packed::<16>(object)?).into())).map(Some);
    }
    PATH.has(object)?.then(|| of_path(object)).transpose()
}

/// The text of a UUID, as an Arrow column of it has; `None` for any other object.
pub(super) fn uuid(object: &Bound<'_, PyAny>) -> PyResult<Option<[u8; 36]>> {
    if !UUID.has(object)? {
        return Ok(None);
    }
    let bytes = object.getattr("bytes")?;
    match bytes.cast::<PyBytes>().ok().and_then(|bytes| bytes.as_bytes().try_into().ok()) {
        Some(bytes) => Ok(Some(tepal_arrow::uuid_text(&bytes))),
        None => Err(error::wrong_key(object.py(), "a UUID without its 16 bytes is no key; give its text")),
    }
}

/// The key of an address, which the library makes: Python writes some addresses in another way.
fn of_address(
    object: &Bound<'_, PyAny>,
    address: impl Fn(&Bound<'_, PyAny>) -> PyResult<IpAddr>,
) -> PyResult<Vec<u8>> {
    let py = object.py();
    // An interface is an address to Python.
    if object.hasattr("network")? {
        let text = format!(
            "{} is no key; give its address (interface.ip), or the text that is meant",
            type_name(object)
        );
        return Err(error::wrong_type(py, text));
    }
    if object.getattr_opt("scope_id")?.is_some_and(|scope| !scope.is_none()) {
        let text = "an IPv6 address with a scope is no key: the scope holds on one machine; give str(address), or the address without its scope";
        return Err(error::wrong_key(py, text));
    }
    match address(object)?.key(&mut KeySink::new()) {
        KeyRef::Bytes(text) => Ok(text.to_vec()),
        // The library's keys of addresses are texts.
        other => Err(error::wrong_key(py, format!("an address is {other:?}, and a text was expected"))),
    }
}

fn packed<const LEN: usize>(address: &Bound<'_, PyAny>) -> PyResult<[u8; LEN]> {
    let packed = address.getattr("packed")?;
    let bytes = packed.cast::<PyBytes>()?.as_bytes();
    bytes.try_into().map_err(|_| {
        let text = format!("an address of the length {} is no key; it must have {LEN} bytes", bytes.len());
        error::wrong_key(address.py(), text)
    })
}

/// The bytes that the operating system knows a path by.
fn of_path(path: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let py = path.py();
    let name = py.import("os")?.call_method1("fsencode", (path,)).map_err(|error| {
        if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
            return error;
        }
        error::wrong_key(
            py,
            "the path has a surrogate that stands for no byte of a file name; give its bytes",
        )
    })?;
    Ok(name.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// The values of a dataclass's fields that `==` compares, in their order; `None` for any other
/// object.
pub(super) fn fields<'py>(
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<impl Iterator<Item = PyResult<Bound<'py, PyAny>>>>> {
    let class = object.get_type();
    if !class.hasattr("__dataclass_fields__")? {
        return Ok(None);
    }
    let fields = object.py().import("dataclasses")?.call_method1("fields", (class,))?;
    let fields = fields.cast_into::<PyTuple>()?;
    let object = object.clone();
    let value = move |field: Bound<'py, PyAny>| match field.getattr("compare")?.is_truthy()? {
        true => object.getattr(field.getattr("name")?.cast::<PyString>()?).map(Some),
        false => Ok(None),
    };
    Ok(Some((0..fields.len()).filter_map(move |i| fields.get_item(i).and_then(&value).transpose())))
}

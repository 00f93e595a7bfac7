//! Keyword arguments as the library takes them.

use std::str::FromStr;

use pyo3::prelude::*;
use tepal::{Error, SealKey, SecretKey, facts::Labels, file::Format};

use crate::{error, key};

/// A member of a closed set, by its name.
pub(crate) fn named<T: FromStr<Err = Error>>(py: Python<'_>, name: &str) -> PyResult<T> {
    name.parse().map_err(|error| error::of(py, error))
}

/// A whole number from 0 to 2^64 - 1.
pub(crate) fn whole(what: &str, number: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = number.py();
    let is_number = number.hasattr("__index__")? && !number.is_instance_of::<pyo3::types::PyBool>();
    if !is_number {
        let text = format!("{what} is a {}; it must be a whole number (int)", key::type_name(number));
        return Err(error::new(py, "KeyTypeError", text));
    }
    number.extract().map_err(|_| {
        let shown = number.str().map_or_else(|_| "out of reach".into(), |text| text.to_string());
        let shown = if shown.len() > 40 { "of very many digits".into() } else { shown };
        error::parameter(py, format!("{what} is {shown}; it must be from 0 to 2**64 - 1"))
    })
}

pub(crate) fn labels(name: Option<&str>) -> Labels {
    name.map_or_else(Labels::new, |name| Labels::new().name(name))
}

pub(crate) fn format(py: Python<'_>, name: Option<&str>) -> PyResult<Option<Format>> {
    name.map(|name| named(py, name)).transpose()
}

pub(crate) fn secret_key(py: Python<'_>, bytes: Option<&[u8]>) -> PyResult<Option<SecretKey>> {
    let Some(bytes) = bytes else { return Ok(None) };
    let Ok(bytes) = <[u8; 16]>::try_from(bytes) else {
        let text = format!(
            "the secret key has {} bytes; it must have 16: secrets.token_bytes(16) makes one",
            bytes.len()
        );
        return Err(error::new(py, "SecretError", text));
    };
    Ok(Some(SecretKey::new(bytes)))
}

pub(crate) fn seal_key(py: Python<'_>, bytes: Option<&[u8]>) -> PyResult<Option<SealKey>> {
    bytes.map(|bytes| SealKey::new(bytes).map_err(|error| error::of(py, error))).transpose()
}

/// A builder of the library with what all classes have: the seed, the secret key, the key domain
/// and the name.
macro_rules! with_keys {
    ($py:ident, $builder:expr, $seed:ident, $secret_key:ident, $key_domain:ident, $name:ident) => {{
        let mut builder = $builder
            .key_domain($crate::options::named($py, $key_domain)?)
            .labels($crate::options::labels($name));
        if let Some(seed) = $seed {
            builder = builder.seed($crate::options::whole("seed", seed)?);
        }
        if let Some(secret) = $crate::options::secret_key($py, $secret_key)? {
            builder = builder.secret_key(secret);
        }
        builder
    }};
}
pub(crate) use with_keys;

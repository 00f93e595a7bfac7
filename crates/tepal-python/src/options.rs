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
    whole_or(what, number, "")
}

/// The same where something else is taken too, which an error names.
fn whole_or(what: &str, number: &Bound<'_, PyAny>, other: &str) -> PyResult<u64> {
    let py = number.py();
    let is_number = number.hasattr("__index__")? && !number.is_instance_of::<pyo3::types::PyBool>();
    if !is_number {
        let other = if other.is_empty() { String::new() } else { format!(" {other}") };
        let text = format!("{what} is a {}; it must be a whole number (int){other}", key::type_name(number));
        return Err(error::wrong_argument(py, text));
    }
    number.extract().map_err(|_| {
        let shown = number.str().map_or_else(|_| "out of reach".into(), |text| text.to_string());
        let shown = if shown.len() > 40 { "of very many digits".into() } else { shown };
        error::parameter(py, format!("{what} is {shown}; it must be from 0 to 2**64 - 1"))
    })
}

/// A span of time: a whole number in the unit of the caller's clock, or a `timedelta` of whole
/// seconds.
pub(crate) fn span(what: &str, span: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = span.py();
    if !span.is_instance(&py.import("datetime")?.getattr("timedelta")?)? {
        return whole_or(what, span, "or a datetime.timedelta");
    }
    let part = |name| span.getattr(name)?.extract::<i64>();
    let (days, seconds) = (part("days")?, part("seconds")?);
    // pandas has nanoseconds too.
    let rest = part("microseconds")? != 0 || span.hasattr("nanoseconds")? && part("nanoseconds")? != 0;
    match u64::try_from(days * 86_400 + seconds) {
        Ok(seconds) if !rest => Ok(seconds),
        _ => {
            let text = format!("{what} is {}; it must be whole seconds, and not below 0", span.str()?);
            Err(error::parameter(py, text))
        }
    }
}

/// A moment: a whole number in the unit of the caller's clock, or a `datetime` as the whole seconds
/// since 1970 in UTC.
pub(crate) fn time(time: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = time.py();
    let datetime = py.import("datetime")?;
    if !time.is_instance(&datetime.getattr("datetime")?)? {
        return whole_or("time", time, "or a datetime.datetime with a time zone");
    }
    if time.call_method0("utcoffset")?.is_none() {
        let text = "time is a datetime without a time zone; give datetime.now(timezone.utc), or time.astimezone() if it is local";
        return Err(error::parameter(py, text));
    }
    let utc = datetime.getattr("timezone")?.getattr("utc")?;
    let start = datetime.getattr("datetime")?.call1((1970, 1, 1, 0, 0, 0, 0, utc))?;
    let since = time.sub(start)?;
    let part = |name| since.getattr(name)?.extract::<i64>();
    u64::try_from(part("days")? * 86_400 + part("seconds")?)
        .map_err(|_| error::parameter(py, "time is a datetime before 1970; it must not be earlier"))
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
            "the length of the secret key is {}; it must be 16 bytes: secrets.token_bytes(16) makes one",
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

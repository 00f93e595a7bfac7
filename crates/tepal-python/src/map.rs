//! The map from keys to small numbers or names.

use std::num::NonZeroUsize;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};
use tepal::{Error, Opened};

use crate::args::arg;
use crate::filter::{self, Filter, built_skipping};
use crate::held::Held;
use crate::values::{self, Hashed, Values};
use crate::{answers, error, key, options};

/// The smallest map from the keys of a set that does not change to small numbers, or to names. The
/// keys are not in it.
///
/// `pairs` is a dict or another mapping, or an iterable of pairs; `from_columns` takes keys and
/// values apart. A value is an `int` from 0 to 2**32 - 1, or a `str`: then it is a name, and the
/// map has all names. A key that was given has its value, certainly. Another key has none, but for
/// a share of them, `false_positive_rate` (0.01 where nothing is said), that get some value or
/// other. With `known_keys_only` all do: then a key takes the bits of its value and hardly more,
/// and whoever asks has to know that the key was given.
///
/// - `value_bits`: bits of a value, 1 to 32: as many as the greatest takes, where nothing is said.
/// - `names`: the names of the values, that of 0 first; values are names or numbers then. Where it
///   is left out, names are sorted.
///
/// Equal keys with equal values are one; a key with two values is refused. Takes 16 bytes a pair
/// while it is built, and 40 of columns.
///
/// >>> country = tepal.RibbonMap({"alice": "AT", "bob": "CH", "carol": "AT"}, 0.001)
/// >>> country["bob"], country.get("mallory"), country.get("mallory", "nowhere")
/// ('CH', None, 'nowhere')
/// >>> country.get_many(["carol", "mallory"]), len(country), country.names
/// (['AT', None], 3, ['AT', 'CH'])
/// >>> ports = tepal.RibbonMap([("ssh", 22), ("https", 443)])
/// >>> ports["https"], "ssh" in ports, ports.value_bits
/// (443, True, 9)
#[pyclass(frozen, mapping, extends = Filter, module = "tepal", name = "RibbonMap")]
#[derive(Debug)]
pub(crate) struct RibbonMap;

#[pymethods]
impl RibbonMap {
    #[new]
    #[pyo3(signature = (pairs, false_positive_rate=None, *, value_bits=None, names=None, known_keys_only=false, threads=1, seed=None, secret_key=None, key_domain="bytes", name=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn new(
        py: Python<'_>,
        pairs: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arg)] false_positive_rate: Option<f64>,
        value_bits: Option<&Bound<'_, PyAny>>,
        names: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] known_keys_only: bool,
        #[pyo3(from_py_with = arg)] threads: usize,
        seed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] key_domain: &str,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let builder = builder(py, false_positive_rate, known_keys_only, value_bits, threads)?;
        let builder = options::with_keys!(py, builder, seed, secret_key, key_domain, name);
        let hasher = builder.key_hasher().map_err(|error| error::of(py, error))?;
        let mut values = Values::new(py, names)?;
        let pairs = values::read_pairs(pairs, &mut Hashed(&hasher), &mut values)?;
        build(py, builder, pairs, 0, values)
    }

    /// The map of two columns: a key and its value in each row.
    ///
    /// Either is a list or another iterable, a numpy array, or an Arrow column; values are whole
    /// numbers or texts. A row is left out where an Arrow column has a null.
    ///
    /// >>> import numpy
    /// >>> shard = tepal.RibbonMap.from_columns(numpy.arange(1000), numpy.arange(1000) % 8, key_domain="int64")
    /// >>> shard[13], len(shard), shard.value_bits
    /// (5, 1000, 3)
    #[classmethod]
    #[pyo3(signature = (keys, values, false_positive_rate=None, *, value_bits=None, names=None, known_keys_only=false, threads=1, seed=None, secret_key=None, key_domain="bytes", name=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn from_columns(
        class: &Bound<'_, PyType>,
        keys: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arg)] false_positive_rate: Option<f64>,
        value_bits: Option<&Bound<'_, PyAny>>,
        names: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] known_keys_only: bool,
        #[pyo3(from_py_with = arg)] threads: usize,
        seed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] key_domain: &str,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<Py<Self>> {
        let py = class.py();
        let builder = builder(py, false_positive_rate, known_keys_only, value_bits, threads)?;
        let builder = options::with_keys!(py, builder, seed, secret_key, key_domain, name);
        let hasher = builder.key_hasher().map_err(|error| error::of(py, error))?;
        let mut read = Values::new(py, names)?;
        let hashes = values::read(py, keys, &mut Hashed(&hasher))?;
        let values = values::read(py, values, &mut read).inspect_err(|error| {
            // What cannot be read as a column is said of keys else.
            let _ = error.value(py).call_method1("add_note", ("it is about the values, not about the keys",));
        })?;
        if hashes.len() != values.len() {
            let text = format!(
                "the number of keys is {}, that of values {}; there must be one value for each key",
                hashes.len(),
                values.len()
            );
            return Err(error::parameter(py, text));
        }
        let rows = hashes.len();
        let pairs: Vec<_> =
            hashes.into_iter().zip(values).filter_map(|(hash, value)| hash.zip(value)).collect();
        let nulls = (rows - pairs.len()) as u64;
        Py::new(py, build(py, builder, pairs, nulls, read)?)
    }

    fn __getitem__<'py>(this: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        value(this, key)?.ok_or_else(|| PyKeyError::new_err((key.clone().unbind(),)))
    }

    /// The value of a key, or `default` where it has none.
    #[pyo3(signature = (key, default=None, /))]
    fn get<'py>(
        this: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let none = || default.unwrap_or_else(|| this.py().None().into_bound(this.py()));
        Ok(value(this, key)?.unwrap_or_else(none))
    }

    /// The values of many keys, in the form of the question.
    ///
    /// | the keys | the values |
    /// | --- | --- |
    /// | a list or another iterable | a list of `int`, or `str` where values have names; `None` where there is none |
    /// | a numpy array | a masked array of `uint32`, masked where there is none; an array of objects, `str` or `None`, where values have names |
    /// | a pandas Series | a Series with the same index, of pandas' `UInt32`; of objects, where values have names |
    /// | a pandas `Index` | an array of pandas' `UInt32`, `<NA>` where there is none; a numpy array of objects, where values have names |
    /// | a polars Series | a Series of `UInt32` or `String`, null where there is none |
    /// | a column of pyarrow, or another Arrow column | a pyarrow array of `uint32`, or a dictionary of strings; a list without pyarrow |
    ///
    /// A null has no value. A key that the map cannot have, such as text among integers, has none.
    ///
    /// >>> ports = tepal.RibbonMap({"ssh": 22, "https": 443}, 0.001)
    /// >>> ports.get_many(["https", "gopher", "ssh"])
    /// [443, None, 22]
    fn get_many<'py>(this: &Bound<'py, Self>, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        held(this).look(this.py(), can_hash)?.map_err(|error| error::of(this.py(), error))?;
        answers::get_many(held(this), keys)
    }

    /// How many different keys are in it.
    fn __len__(this: &Bound<'_, Self>) -> PyResult<usize> {
        filter::len(this.py(), held(this))
    }

    fn __iter__(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let text = "a map cannot be iterated: its keys are not in it; keep them elsewhere, and ask for them with get_many()";
        Err(error::new(this.py(), "NotPossibleError", text.into()))
    }

    /// The names of the values, that of 0 first; an empty list where values are numbers and no
    /// more.
    #[getter]
    fn names<'py>(this: &Bound<'py, Self>) -> PyResult<Vec<Bound<'py, PyString>>> {
        names(this.py(), held(this))
    }

    /// Bits of a value, 1 to 32.
    #[getter]
    fn value_bits(this: &Bound<'_, Self>) -> PyResult<u8> {
        held(this).look(this.py(), |opened| map_in(opened).map_or(0, tepal::RibbonMap::value_bits))
    }
}

fn held<'a>(this: &'a Bound<'_, RibbonMap>) -> &'a Held {
    &this.as_super().get().held
}

/// The map, which is what an object of this class holds.
pub(crate) fn map_in(opened: &Opened) -> Option<&tepal::RibbonMap> {
    opened.filter().as_valued()
}

/// The names of the values.
pub(crate) fn names<'py>(py: Python<'py>, held: &Held) -> PyResult<Vec<Bound<'py, PyString>>> {
    let names: Vec<String> = held.look(py, |opened| {
        map_in(opened).map_or(Vec::new(), |map| map.names().map(|(name, _)| name.to_owned()).collect())
    })?;
    Ok(names.iter().map(|name| PyString::new(py, name)).collect())
}

/// Refuses a map of hashes that another program made of its keys: it has nothing to say of a key.
fn can_hash(opened: &Opened) -> Result<(), Error> {
    match opened.key_hasher().check(&"") {
        Err(error @ Error::CallerHashes { .. }) => Err(error),
        _ => Ok(()),
    }
}

fn value<'py>(this: &Bound<'py, RibbonMap>, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (py, key) = (this.py(), key::of(key)?);
    let found = held(this).look(py, |opened| {
        let Some(map) = map_in(opened) else { return Ok(None) };
        match map.get(&key) {
            Some(value) => Ok(Some((value.number(), value.name().map(str::to_owned)))),
            None => can_hash(opened).map(|()| None),
        }
    })?;
    let found = found.map_err(|error| error::of(py, error))?;
    Ok(match found {
        Some((_, Some(name))) => Some(PyString::new(py, &name).into_any()),
        Some((value, None)) => Some(value.into_pyobject(py)?.into_any()),
        None => None,
    })
}

fn builder(
    py: Python<'_>,
    rate: Option<f64>,
    known_keys_only: bool,
    value_bits: Option<&Bound<'_, PyAny>>,
    threads: usize,
) -> PyResult<tepal::builders::RibbonMapBuilder> {
    let Some(threads) = NonZeroUsize::new(threads).filter(|threads| threads.get() <= 1024) else {
        return Err(error::parameter(py, format!("threads is {threads}; it must be from 1 to 1024")));
    };
    let mut builder = tepal::RibbonMap::builder().threads(threads);
    match (rate, known_keys_only) {
        (Some(_), true) => {
            let text = "known_keys_only is given with false_positive_rate, and every other key gets a value then; leave one of them out";
            return Err(error::parameter(py, text));
        }
        (Some(rate), false) => builder = builder.false_positive_rate(rate),
        (None, true) => builder = builder.known_keys_only(),
        (None, false) => {}
    }
    if let Some(bits) = value_bits {
        let bits = options::whole("value_bits", bits)?;
        let Some(bits) = u8::try_from(bits).ok().filter(|bits| (1..=32).contains(bits)) else {
            return Err(error::parameter(py, format!("value_bits is {bits}; it must be from 1 to 32")));
        };
        builder = builder.value_bits(bits);
    }
    Ok(builder)
}

fn build(
    py: Python<'_>,
    builder: tepal::builders::RibbonMapBuilder,
    mut pairs: Vec<(u64, u32)>,
    nulls: u64,
    values: Values,
) -> PyResult<PyClassInitializer<RibbonMap>> {
    let names = values.finish(&mut pairs).map_err(|text| error::parameter(py, text))?;
    Ok(built_skipping(py, nulls, || builder.names(names).build_from_hashes(pairs))?.add_subclass(RibbonMap))
}

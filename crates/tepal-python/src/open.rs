//! Files and bytes to filters.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tepal::{Open, Opened};

use crate::args::arg;
use crate::filter::wrap;
use crate::held::Held;
use crate::place::{self, Place};
use crate::{error, key, options};

/// What is asked of a file.
#[derive(Clone, Copy)]
pub(crate) struct OpenOptions<'a> {
    pub(crate) format: Option<&'a str>,
    pub(crate) key_domain: Option<&'a str>,
    pub(crate) secret_key: Option<&'a [u8]>,
    pub(crate) seal_key: Option<&'a [u8]>,
    pub(crate) name: Option<&'a str>,
    pub(crate) quick: bool,
    pub(crate) in_memory: bool,
}

impl OpenOptions<'_> {
    fn with(
        self,
        py: Python<'_>,
        read: impl FnOnce(Open<'_>) -> tepal::Result<Opened> + Send,
    ) -> PyResult<Opened> {
        let secret = options::secret_key(py, self.secret_key)?;
        let seal = options::seal_key(py, self.seal_key)?;
        let mut open = Open::new();
        if let Some(key) = &secret {
            open = open.secret_key(key);
        }
        if let Some(key) = &seal {
            open = open.seal_key(key);
        }
        if let Some(format) = options::format(py, self.format)? {
            open = open.format(format);
        }
        if let Some(domain) = self.key_domain {
            open = open.key_domain(options::named(py, domain)?);
        }
        if let Some(name) = self.name {
            open = open.expect_name(name);
        }
        if self.quick {
            open = open.quick();
        }
        if self.in_memory {
            open = open.in_memory();
        }
        py.detach(|| read(open)).map_err(|error| error::of(py, error))
    }
}

/// The filter in a file, by its path or as Python has opened it: then it is read to its end.
pub(crate) fn open_place(py: Python<'_>, place: Place<'_>, options: OpenOptions<'_>) -> PyResult<Opened> {
    match place {
        Place::Path(path) => options.with(py, |open| open.open(path)),
        Place::File(file) => read_bytes(&place::read(&file)?, options),
    }
}

/// The filter in bytes, a `bytearray`, a `memoryview` or a map.
pub(crate) fn read_bytes(data: &Bound<'_, PyAny>, options: OpenOptions<'_>) -> PyResult<Opened> {
    let bytes = bytes_of(data)?;
    let bytes = bytes.as_bytes();
    options.with(data.py(), |open| open.from_bytes(bytes))
}

/// Bytes that nobody changes: themselves, or a copy.
pub(crate) fn bytes_of<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let py = data.py();
    if let Ok(bytes) = data.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let is_bytes = |buffer: &PyUntypedBuffer| buffer.item_size() == 1 && buffer.is_c_contiguous();
    let Some(buffer) = PyUntypedBuffer::get(data).ok().filter(is_bytes) else {
        let text = format!(
            "{} is not the bytes of a file; give bytes, or its path to tepal.open()",
            key::type_name(data)
        );
        return Err(error::wrong_argument(py, text));
    };
    // They might change meanwhile: `bytes` are a copy of their own.
    let copy = py.get_type::<PyBytes>().call1((data,))?;
    buffer.release(py);
    Ok(copy.cast_into::<PyBytes>()?)
}

/// Opens a filter's file, whatever kind of filter it holds and whichever program wrote it.
///
/// A file of tepal is checked, then mapped; `mapped=False` reads it into memory. Files of Guava,
/// Spark, Parquet, RedisBloom, valkey-bloom, DCSO and bits-and-blooms are read into memory. So is a
/// binary file that Python has opened, such as an `io.BytesIO`: from where it stands to its end.
///
/// - `format`: the program, where its files have no mark, or to refuse all others.
/// - `key_domain`: what the keys were, where the file does not say it; else, what they must be.
/// - `secret_key`, `seal_key`: the key that the filter was made with, that the file was sealed
///   with.
/// - `name`: refuses a filter of another name.
/// - `quick`: checks the head alone; `verify()` checks the rest later.
///
/// >>> import tempfile, os
/// >>> folder = tempfile.TemporaryDirectory()
/// >>> path = os.path.join(folder.name, "seen.tepal")
/// >>> seen = tepal.BloomFilter(1000)
/// >>> seen.add("apple")
/// True
/// >>> seen.save(path)
/// >>> with tepal.open(path) as again:
/// ...     "apple" in again, again == seen
/// (True, True)
/// >>> folder.cleanup()
#[pyfunction]
#[pyo3(signature = (path, *, format=None, key_domain=None, secret_key=None, seal_key=None, name=None, quick=false, mapped=true))]
#[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
pub(crate) fn open(
    py: Python<'_>,
    path: Place<'_>,
    #[pyo3(from_py_with = arg)] format: Option<&str>,
    #[pyo3(from_py_with = arg)] key_domain: Option<&str>,
    #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
    #[pyo3(from_py_with = arg)] seal_key: Option<&[u8]>,
    #[pyo3(from_py_with = arg)] name: Option<&str>,
    #[pyo3(from_py_with = arg)] quick: bool,
    #[pyo3(from_py_with = arg)] mapped: bool,
) -> PyResult<Py<PyAny>> {
    let options = OpenOptions { format, key_domain, secret_key, seal_key, name, quick, in_memory: !mapped };
    wrap(py, Held::new(open_place(py, path, options)?))
}

/// For pickles.
#[pyfunction]
pub(crate) fn restore(data: &Bound<'_, PyAny>, format: &str, key_domain: &str) -> PyResult<Py<PyAny>> {
    let options = OpenOptions {
        format: Some(format),
        key_domain: Some(key_domain),
        secret_key: None,
        seal_key: None,
        name: None,
        quick: false,
        in_memory: true,
    };
    wrap(data.py(), Held::new(read_bytes(data, options)?))
}

/// A seed of its own for a purpose, such as `"shard 3"`: the same one for the same words, always
/// and in every language.
///
/// Keys that were chosen by a hash fall on a few lines of a filter with the same hash and seed,
/// where it errs many times as often as it promises. So it is with the shards of a set that is
/// divided by a filter's hash, and with a filter of the keys that another one let through. Give
/// each of them a purpose of its own.
///
/// >>> shards = [tepal.BloomFilter(1000, seed=tepal.seed_for(f"shard {i}")) for i in range(4)]
#[pyfunction]
pub(crate) fn seed_for(py: Python<'_>, #[pyo3(from_py_with = arg)] purpose: &str) -> PyResult<u64> {
    let keys = tepal::BloomFilter::builder().capacity(1).seed_for(purpose).key_hasher();
    let seed = keys.map_err(|error| error::of(py, error))?.seed();
    seed.ok_or_else(|| error::parameter(py, "this purpose has no seed; choose another one"))
}

//! What every class can do: ask, measure, save, copy.

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use tepal::{AnyFilter, Error, Opened, OverCapacity, Scheme, SealKey, file::Format};

use crate::args::arg;
use crate::held::Held;
use crate::open::{OpenOptions, open_place, read_bytes};
use crate::place::{self, Place};
use crate::{answers, class_of, error, info, key, options, picture};

/// A filter: it answers whether a key was inserted. `False` is certain; `True` means perhaps.
///
/// All classes of filters are subclasses of this one. `tepal.open` says which one a file holds.
///
/// A filter may be used by many threads at once.
#[pyclass(frozen, subclass, weakref, module = "tepal", name = "Filter")]
#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) held: Held,
}

/// A filter that `build` makes, for an object of its class.
pub(crate) fn built<F: Into<AnyFilter>>(
    py: Python<'_>,
    build: impl FnOnce() -> Result<F, Error> + Send,
) -> PyResult<PyClassInitializer<Filter>> {
    built_skipping(py, 0, build)
}

/// The same of keys among which these nulls were.
pub(crate) fn built_skipping<F: Into<AnyFilter>>(
    py: Python<'_>,
    nulls: u64,
    build: impl FnOnce() -> Result<F, Error> + Send,
) -> PyResult<PyClassInitializer<Filter>> {
    let opened = py.detach(|| Opened::new(build()?, Format::Tepal)).map_err(|error| error::of(py, error))?;
    let held = Held::new(opened);
    held.count_nulls(nulls);
    Ok(PyClassInitializer::from(Filter { held }))
}

/// How many keys a filter holds that counts them: `len()` of its class.
pub(crate) fn len(py: Python<'_>, held: &Held) -> PyResult<usize> {
    let keys = held.look(py, |opened| opened.filter().keys_inserted())?;
    Ok(usize::try_from(keys.unwrap_or(0)).unwrap_or(usize::MAX))
}

/// How many keys a filter was planned for: `capacity` of each class that has a plan.
pub(crate) fn capacity(py: Python<'_>, held: &Held) -> PyResult<u64> {
    held.look(py, |opened| opened.filter().capacity())
}

/// What happens past the capacity: `over_capacity` of each class that has a choice.
pub(crate) fn over_capacity(py: Python<'_>, held: &Held) -> PyResult<&'static str> {
    held.look(py, |opened| opened.filter().over_capacity().name())
}

pub(crate) fn set_over_capacity(py: Python<'_>, held: &Held, policy: &str) -> PyResult<()> {
    let policy: OverCapacity = options::named(py, policy)?;
    held.touch(py, |opened| opened.set_over_capacity(policy))
}

/// The filter as an object of the class for its kind. A kind that has no class here can be asked.
pub(crate) fn wrap(py: Python<'_>, held: Held) -> PyResult<Py<PyAny>> {
    let class = held.look(py, |opened| class_of(opened.filter()))?;
    let filter = PyClassInitializer::from(Filter { held });
    match class {
        Some(class) => class(py, filter),
        None => Ok(Py::new(py, filter)?.into_any()),
    }
}

/// The filter, which must be of this class.
fn of_class(class: &Bound<'_, PyType>, opened: Opened) -> PyResult<Py<PyAny>> {
    let py = class.py();
    let kind = opened.filter().kind();
    let wrapped = wrap(py, Held::new(opened))?;
    if wrapped.bind(py).is_instance(class)? {
        return Ok(wrapped);
    }
    let (found, expected) = (key::type_name(wrapped.bind(py)), class.name()?);
    let text = format!(
        "it holds a filter of the kind `{kind}`, and a {expected} was expected; open it with {found}.open or tepal.open"
    );
    Err(error::new(py, "FormatError", text))
}

#[pymethods]
impl Filter {
    /// Is the key in the set? `False` is certain; `True` means perhaps.
    ///
    /// A key is a `str`, `bytes`, an `int`, a UUID, an IP address, a path, or a tuple or a
    /// dataclass of these. A key that the filter cannot have, such as text among integers, was
    /// never inserted.
    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let key = self.held.key(key)?;
        let key = key.borrowed();
        // The usual kind, without asking which one it is by a table of calls.
        self.held.look(py, move |opened| match opened.filter().as_bloom() {
            Some(bloom) => bloom.contains(&key),
            None => opened.filter().contains(&key),
        })
    }

    /// A filter is an object, and true, whether or not a key is in it: `if seen:` is no question
    /// about keys.
    fn __bool__(&self) -> bool {
        true
    }

    /// `sys.getsizeof`: the object and its bits. A map of a file counts in full.
    fn __sizeof__(&self, py: Python<'_>) -> usize {
        let bits = py.detach(|| self.held.read_detached(|opened| opened.filter().size_in_bytes()));
        size_of::<Self>().saturating_add(bits.map_or(0, |bits| usize::try_from(bits).unwrap_or(usize::MAX)))
    }

    /// Answers for many keys, in the form of the question.
    ///
    /// | the keys | the answers |
    /// | --- | --- |
    /// | a list or another iterable | a list of `bool` |
    /// | a numpy array of integers, `S` or `U` | a numpy array of `bool` |
    /// | a column of pyarrow or polars | a boolean column of theirs; null where the key is null |
    /// | a pandas Series | a Series of `bool` with the same index and name; `False` where the key is null |
    /// | a pandas `Index` | a numpy array of `bool`; `False` where the key is null |
    /// | another Arrow column, such as one of DuckDB | a pyarrow array, or `BooleanColumn` without pyarrow |
    ///
    /// Columns are read where they lie, without a loop in Python, and other threads run meanwhile.
    /// Nobody should write to a numpy array while it is read: the filter then asks for whatever
    /// stands there.
    ///
    /// >>> seen = tepal.BloomFilter(1000)
    /// >>> seen.update(["apple", "banana"])
    /// >>> seen.contains_many(["banana", "cherry"])
    /// [True, False]
    fn contains_many<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        answers::contains_many(&self.held, keys)
    }

    /// The share of wrong answers now, from the bits: of keys that were never inserted, so many get
    /// `True`.
    #[getter]
    fn false_positive_rate(&self, py: Python<'_>) -> PyResult<f64> {
        self.held.read(py, |opened| opened.filter().false_positive_rate())
    }

    /// The share of wrong answers promised as long as there are no more keys than `capacity`.
    #[getter]
    fn promised_false_positive_rate(&self, py: Python<'_>) -> PyResult<f64> {
        self.held.look(py, |opened| opened.filter().promised_false_positive_rate())
    }

    /// How many different keys are in it, going by the bits. Costs some passes over them.
    fn estimated_len(&self, py: Python<'_>) -> PyResult<f64> {
        self.held.read(py, |opened| opened.filter().estimated_len())
    }

    /// Keys that were inserted, repeats included: at most so many are different. After a union it
    /// is the sum of both, in which a key that both have counts twice. `None` where that is not
    /// known.
    #[getter]
    fn keys_inserted(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.held.look(py, |opened| opened.filter().keys_inserted())
    }

    /// How many nulls of columns the calls that change it have skipped, since it was made, opened
    /// or copied in this process. No file has this number.
    ///
    /// >>> import pyarrow
    /// >>> seen = tepal.BloomFilter(1000)
    /// >>> seen.update(pyarrow.array(["apple", None, "banana"]))
    /// >>> seen.nulls_skipped
    /// 1
    #[getter]
    fn nulls_skipped(&self) -> u64 {
        self.held.nulls_skipped()
    }

    /// Does it hold more keys than it was planned for, so that its rate is above the promised one?
    /// Its `over_capacity` does not matter. Costs a pass over the bits past the capacity.
    ///
    /// >>> seen = tepal.BloomFilter(100, over_capacity="ignore")
    /// >>> seen.update(range(1000))
    /// >>> seen.is_over_capacity
    /// True
    #[getter]
    fn is_over_capacity(&self, py: Python<'_>) -> PyResult<bool> {
        self.held.read(py, |opened| opened.filter().is_over_capacity())
    }

    /// Bytes that the bits take in memory.
    #[getter]
    fn size_in_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        self.held.look(py, |opened| opened.filter().size_in_bytes())
    }

    /// What keys are: `bytes` or `int64`, or what another program hashes.
    #[getter]
    fn key_domain(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.held.look(py, |opened| opened.filter().key_domain().name())
    }

    /// The name of the set, or `None`. It travels in the file.
    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.held.look(py, |opened| opened.labels().name.clone())
    }

    /// The program whose file it is: `tepal`, or another one for a file that was opened from there.
    #[getter]
    fn format(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.held.look(py, |opened| opened.format().name())
    }

    /// Everything about the filter as a dict, as `tepal info --json` prints it. Costs some passes
    /// over the bits.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (facts, can) = self.held.read(py, |opened| (opened.facts(), opened.can()))?;
        info::dict(py, &facts.map_err(|error| error::of(py, error))?, can)
    }

    /// A filter of its own with the same bits.
    fn copy(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        wrap(py, Held::new(self.held.read(py, Opened::clone)?))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.copy(py)
    }

    /// Saves it: the old file or the new one, whole, whatever happens meanwhile.
    ///
    /// `path` may also be a binary file that Python has opened for writing, such as an
    /// `io.BytesIO`: it gets the bytes where it stands, and stays open.
    ///
    /// `format` names another program whose file it shall be (`guava`, `spark`, ...): it must be
    /// one of its filters. `seal_key` (32 bytes or more) seals the file, so that whoever opens it
    /// with that key knows that it is yours.
    #[pyo3(signature = (path, *, format=None, seal_key=None))]
    fn save(
        &self,
        py: Python<'_>,
        path: Place<'_>,
        #[pyo3(from_py_with = arg)] format: Option<&str>,
        #[pyo3(from_py_with = arg)] seal_key: Option<&[u8]>,
    ) -> PyResult<()> {
        let path = match path {
            Place::Path(path) => path,
            Place::File(file) => {
                // A file that takes no bytes is refused before they are made.
                place::check(&file, place::WRITE)?;
                return place::write(&file, &self.to_bytes(py, format, seal_key)?);
            }
        };
        let format = options::format(py, format)?;
        let seal = options::seal_key(py, seal_key)?;
        let saved = self.held.read(py, |opened| {
            in_format(opened, format, |opened| match &seal {
                Some(key) => opened.save_sealed(&path, key),
                None => opened.save(&path),
            })
        })?;
        saved.map_err(|error| error::of(py, error))
    }

    /// The bytes of its file.
    #[pyo3(signature = (*, format=None, seal_key=None))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arg)] format: Option<&str>,
        #[pyo3(from_py_with = arg)] seal_key: Option<&[u8]>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let format = options::format(py, format)?;
        let seal = options::seal_key(py, seal_key)?;
        let bytes = self.held.read(py, |opened| bytes_of(opened, format, seal.as_ref()))?;
        Ok(PyBytes::new(py, &bytes.map_err(|error| error::of(py, error))?))
    }

    /// Opens a file: checked, then mapped, so that a file of many GiB is there at once and shared
    /// by all processes.
    ///
    /// Nobody may cut or overwrite the file in its place while it is open; `save` never does, it
    /// replaces files. Where that cannot be promised, `from_file` reads it into memory. `path` may
    /// be a binary file that Python has opened, which is read to its end. The options are those of
    /// `tepal.open`.
    #[classmethod]
    #[pyo3(signature = (path, *, format=None, key_domain=None, secret_key=None, seal_key=None, name=None, quick=false))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn open(
        cls: &Bound<'_, PyType>,
        path: Place<'_>,
        #[pyo3(from_py_with = arg)] format: Option<&str>,
        #[pyo3(from_py_with = arg)] key_domain: Option<&str>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] seal_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
        #[pyo3(from_py_with = arg)] quick: bool,
    ) -> PyResult<Py<PyAny>> {
        let options = OpenOptions { format, key_domain, secret_key, seal_key, name, quick, in_memory: false };
        of_class(cls, open_place(cls.py(), path, options)?)
    }

    /// Reads a file of tepal or of another program into memory.
    ///
    /// `format` names the program where its files have no mark (`spark`, `parquet-sbbf`, ...), and
    /// `key_domain` says what its keys were, which such files do not say.
    #[classmethod]
    #[pyo3(signature = (path, *, format=None, key_domain=None, secret_key=None, seal_key=None, name=None))]
    fn from_file(
        cls: &Bound<'_, PyType>,
        path: Place<'_>,
        #[pyo3(from_py_with = arg)] format: Option<&str>,
        #[pyo3(from_py_with = arg)] key_domain: Option<&str>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] seal_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<Py<PyAny>> {
        let options =
            OpenOptions { format, key_domain, secret_key, seal_key, name, quick: false, in_memory: true };
        of_class(cls, open_place(cls.py(), path, options)?)
    }

    /// The filter in the bytes of its file. The options are those of `from_file`.
    #[classmethod]
    #[pyo3(signature = (data, *, format=None, key_domain=None, secret_key=None, seal_key=None, name=None))]
    fn from_bytes(
        cls: &Bound<'_, PyType>,
        data: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arg)] format: Option<&str>,
        #[pyo3(from_py_with = arg)] key_domain: Option<&str>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] seal_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<Py<PyAny>> {
        let options =
            OpenOptions { format, key_domain, secret_key, seal_key, name, quick: false, in_memory: true };
        of_class(cls, read_bytes(data, options)?)
    }

    /// Frees the memory, or the map of the file. Every call after it is a `tepal.ClosedError`.
    ///
    /// Nobody has to: it goes by itself with the last name of the filter. `with tepal.open(...) as
    /// seen:` closes it too.
    fn close(&self, py: Python<'_>) {
        self.held.close(py);
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _type: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) {
        self.held.close(py);
    }

    /// Checks all bits of a filter that was opened `quick`: an error says what is damaged.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.held.read(py, Opened::verify)?.map_err(|error| error::of(py, error))
    }

    /// Pickles carry the bytes of the file.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (bytes, format, domain, is_keyed) = self.held.read(py, |opened| {
            let is_keyed = opened.filter().scheme() == Scheme::SipHash13;
            let bytes = if is_keyed { Ok(Vec::new()) } else { bytes_of(opened, None, None) };
            (bytes, opened.format().name(), opened.filter().key_domain().name(), is_keyed)
        })?;
        if is_keyed {
            let text = "a pickle would need the secret key of the filter, which no file has; send to_bytes(), and read it there with tepal.Filter.from_bytes(..., secret_key=...)";
            return Err(error::new(py, "SecretError", text.into()));
        }
        let bytes = PyBytes::new(py, &bytes.map_err(|error| error::of(py, error))?);
        let restore = py.import("tepal._tepal")?.getattr("restore")?;
        let state = PyTuple::new(
            py,
            [bytes.into_any(), format.into_pyobject(py)?.into_any(), domain.into_pyobject(py)?.into_any()],
        )?;
        PyTuple::new(py, [restore, state.into_any()])
    }

    /// Filters are equal where they give every key the same answer for the same reason: one kind,
    /// one size, one hash, the same bits. Capacity, name and counts do not matter. `<=` is said of
    /// Bloom filters alone.
    fn __richcmp__(
        &self,
        py: Python<'_>,
        other: &Bound<'_, PyAny>,
        operator: CompareOp,
    ) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Filter>() else { return Ok(py.NotImplemented()) };
        let held = &other.get().held;
        let answer = match operator {
            CompareOp::Eq => self.held.read_with(py, held, |a, b| a.filter() == b.filter())?,
            CompareOp::Ne => self.held.read_with(py, held, |a, b| a.filter() != b.filter())?,
            _ => return Ok(py.NotImplemented()),
        };
        Ok(answer.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        let (py, name) = (this.py(), this.get_type().name()?);
        // Also of a filter that was closed: whoever looks for a fault prints it.
        let held = &this.get().held;
        let said = py.detach(|| held.read_detached(|opened| picture::line(&opened.filter().facts())));
        let said = said.as_deref().unwrap_or_else(|gone| gone.in_short());
        Ok(format!("<tepal.{name} {said}>"))
    }

    /// For notebooks: the same with a picture of how full its parts are.
    fn _repr_html_(this: &Bound<'_, Self>) -> PyResult<String> {
        let name = this.get_type().name()?;
        let (facts, fills) = this.get().held.read(this.py(), |opened| {
            let (filter, facts) = (opened.filter(), opened.filter().facts());
            // A filter that is made full has no parts that fill.
            let fills = facts.ribbon.is_none().then(|| filter.fill_of_slices(picture::SLICES));
            (facts, fills)
        })?;
        Ok(picture::html(&name.to_string(), &facts, fills.as_deref()))
    }
}

fn in_format<R>(
    opened: &Opened,
    format: Option<Format>,
    with: impl FnOnce(&Opened) -> Result<R, Error>,
) -> Result<R, Error> {
    match format.filter(|&format| format != opened.format()) {
        Some(format) => with(&opened.clone().convert_to(format)?),
        None => with(opened),
    }
}

fn bytes_of(opened: &Opened, format: Option<Format>, seal: Option<&SealKey>) -> Result<Vec<u8>, Error> {
    in_format(opened, format, |opened| match seal {
        Some(key) => opened.to_bytes_sealed(key),
        None => opened.to_bytes(),
    })
}

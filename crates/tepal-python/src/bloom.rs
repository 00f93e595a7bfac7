//! The Bloom filter.

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::args::arg;
use crate::filter::{Filter, built};
use crate::held::Held;
use crate::mutable::MutableFilter;
use crate::sets;
use crate::{error, options};

/// BloomFilter(capacity, false_positive_rate=0.01, *, layout=None, seed=None, secret_key=None,
/// key_domain="bytes", scheme=None, over_capacity="refuse", name=None)
///
/// A Bloom filter: a set that says `False` for certain and `True` for perhaps, in some ten bits a
/// key.
///
/// `capacity` is how many different keys will come, and `false_positive_rate` the share of all
/// other keys that may get `True` then.
///
/// - `layout`: `line` (one cache line a key), `double`, `split-block`, `scattered`; chosen for the
///   rate where it is not given.
/// - `seed`: an integer. Filters of keys that were divided by a hash, or let through by another
///   filter, need seeds of their own: `seed=tepal.seed_for("shard 3")`.
/// - `secret_key`: 16 bytes, `secrets.token_bytes(16)`. Nobody who has not got them can choose keys
///   that collide. No file has them.
/// - `key_domain`: `bytes`, or `int64` where all keys are integers of 64 bits, which are hashed
///   several times as fast then.
/// - `scheme`: the hash of another program, such as `spark-v2` or `guava-mitz64`, for a filter that
///   is saved in its format.
/// - `over_capacity`: what happens when more keys come: `refuse`; `warn`, which is one
///   `UserWarning` once the promise is passed; or `ignore`.
/// - `name`: travels in the file.
///
/// >>> seen = tepal.BloomFilter(20_000, 0.01, name="seen")
/// >>> seen.add("570108428378")
/// True
/// >>> "570108428378" in seen, "730101300018" in seen
/// (True, False)
/// >>> seen.update(["850514300021", "910227400034"])
/// >>> seen.contains_many(["850514300021", "x"])
/// [True, False]
/// >>> seen
/// <tepal.BloomFilter 'seen': 3 keys of 20,000; wrong answers under 0.000001 %, promised 1 %; 24.9 kB, 0.00904 % filled>
#[pyclass(frozen, extends = MutableFilter, module = "tepal", name = "BloomFilter")]
#[derive(Debug)]
pub(crate) struct BloomFilter;

#[pymethods]
impl BloomFilter {
    #[new]
    #[pyo3(signature = (capacity, false_positive_rate=0.01, *, layout=None, seed=None, secret_key=None, key_domain="bytes", scheme=None, over_capacity="refuse", name=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn new(
        py: Python<'_>,
        capacity: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arg)] false_positive_rate: f64,
        #[pyo3(from_py_with = arg)] layout: Option<&str>,
        seed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] key_domain: &str,
        #[pyo3(from_py_with = arg)] scheme: Option<&str>,
        #[pyo3(from_py_with = arg)] over_capacity: &str,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let builder = tepal::BloomFilter::builder()
            .capacity(options::whole("capacity", capacity)?)
            .false_positive_rate(false_positive_rate)
            .over_capacity(options::named(py, over_capacity)?);
        let mut builder = options::with_keys!(py, builder, seed, secret_key, key_domain, name);
        if let Some(layout) = layout {
            builder = builder.layout(options::named(py, layout)?);
        }
        if let Some(scheme) = scheme {
            builder = builder.scheme(options::named(py, scheme)?);
        }
        let filter = built(py, || builder.build())?;
        Ok(filter.add_subclass(MutableFilter).add_subclass(BloomFilter))
    }

    /// A new filter with the bits that this one and all others have. Every key of all of them is in
    /// it; of the other keys some remain, so that its rate is above that of a filter built from the
    /// common keys alone.
    #[pyo3(signature = (*others))]
    fn intersection(this: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        sets::intersection(this.as_super().as_super(), others)
    }

    /// Keeps what `intersection` would have. When a filter is refused, those before it are done.
    #[pyo3(signature = (*others))]
    fn intersection_update(this: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<()> {
        sets::intersection_update(this.as_super().as_super(), others)
    }

    fn __and__(this: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<Py<PyAny>> {
        sets::intersection_with(this.as_super().as_super(), other)
    }

    fn __iand__(this: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        sets::intersect_with(this.as_super().as_super(), other)
    }

    /// Is every bit of this filter set in the other one too? So it is where all its keys are in the
    /// other one.
    fn issubset(
        this: &Bound<'_, Self>,
        #[pyo3(from_py_with = arg)] other: &Bound<'_, Filter>,
    ) -> PyResult<bool> {
        is_subset(this.py(), held(this), &other.get().held, false)
    }

    /// Is every bit of the other filter set in this one too?
    fn issuperset(
        this: &Bound<'_, Self>,
        #[pyo3(from_py_with = arg)] other: &Bound<'_, Filter>,
    ) -> PyResult<bool> {
        is_subset(this.py(), &other.get().held, held(this), false)
    }

    fn __richcmp__(
        this: &Bound<'_, Self>,
        other: &Bound<'_, PyAny>,
        operator: CompareOp,
    ) -> PyResult<Py<PyAny>> {
        let py = this.py();
        let Ok(other) = other.cast::<Filter>() else { return Ok(py.NotImplemented()) };
        let (here, there) = (held(this), &other.get().held);
        let equal = |py| here.read_with(py, there, |a, b| a.filter() == b.filter());
        let answer = match operator {
            CompareOp::Eq => equal(py)?,
            CompareOp::Ne => !equal(py)?,
            CompareOp::Le => is_subset(py, here, there, false)?,
            CompareOp::Ge => is_subset(py, there, here, false)?,
            CompareOp::Lt => is_subset(py, here, there, true)?,
            CompareOp::Gt => is_subset(py, there, here, true)?,
        };
        Ok(answer.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    /// Makes it smaller, without its keys, as long as its rate stays within `rate`: for a filter
    /// that was built too large. Returns how many times smaller it is.
    fn shrink_to(this: &Bound<'_, Self>, #[pyo3(from_py_with = arg)] rate: f64) -> PyResult<u64> {
        held(this).write(this.py(), |opened| opened.shrink_to(rate))
    }

    /// Bits set for each key.
    #[getter]
    fn num_hashes(this: &Bound<'_, Self>) -> PyResult<Option<u32>> {
        of_bloom(this, |bloom| bloom.num_hashes())
    }

    /// Bits of the array.
    #[getter]
    fn bit_len(this: &Bound<'_, Self>) -> PyResult<Option<u64>> {
        of_bloom(this, |bloom| bloom.bit_len())
    }

    /// The share of bits that are set.
    #[getter]
    fn fill_ratio(this: &Bound<'_, Self>) -> PyResult<Option<f64>> {
        of_bloom(this, |bloom| bloom.fill_ratio())
    }
}

fn held<'a>(this: &'a Bound<'_, BloomFilter>) -> &'a Held {
    &this.as_super().as_super().get().held
}

fn of_bloom<R: Send>(
    this: &Bound<'_, BloomFilter>,
    look: impl FnOnce(&tepal::BloomFilter) -> R + Send,
) -> PyResult<Option<R>> {
    held(this).read(this.py(), |opened| opened.filter().as_bloom().map(look))
}

/// Of two Bloom filters; of `proper` subsets, the other one has more bits. Both are seen at one
/// moment.
fn is_subset(py: Python<'_>, here: &Held, there: &Held, proper: bool) -> PyResult<bool> {
    let is_subset =
        here.read_with(py, there, |a, b| match (a.filter().as_bloom(), b.filter().as_bloom()) {
            (Some(one), Some(other)) => {
                let is_proper = |is_subset| is_subset && !(proper && a.filter() == b.filter());
                one.is_subset(other).map(|is_subset| Some(is_proper(is_subset)))
            }
            _ => Ok(None),
        })?;
    match is_subset.map_err(|error| error::of(py, error))? {
        Some(is_subset) => Ok(is_subset),
        None => Err(error::new(
            py,
            "NotPossibleError",
            "only two Bloom filters can be compared by <= and >=".into(),
        )),
    }
}

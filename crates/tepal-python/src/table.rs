//! Tables of numbers: filters from which keys can be removed, and that grow.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepal::{Error, Opened, file::Format, hash::PreparedKeys};

use crate::args::arg;
use crate::filter::{self, Filter, built, wrap};
use crate::held::Held;
use crate::mutable::{MutableFilter, held};
use crate::objects::{self, Change};
use crate::{error, key, options, sets};

/// A filter whose keys can be removed and are counted.
///
/// `capacity` is how many different keys it holds at once. Where keys come often, `count_bits` (4,
/// 8 or 16) counts them beside each number, so that they take no more room.
///
/// >>> open_sessions = tepal.QuotientFilter(1000, 0.001)
/// >>> open_sessions.update(["alice", "bob", "alice"])
/// >>> open_sessions.count("alice"), open_sessions.remove("bob"), "bob" in open_sessions
/// (2, True, False)
#[pyclass(frozen, extends = MutableFilter, module = "tepal", name = "QuotientFilter")]
#[derive(Debug)]
pub(crate) struct QuotientFilter;

#[pymethods]
impl QuotientFilter {
    #[new]
    #[pyo3(signature = (capacity, false_positive_rate=0.01, *, count_bits=0, seed=None, secret_key=None, key_domain="bytes", over_capacity="refuse", name=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn new(
        py: Python<'_>,
        capacity: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arg)] false_positive_rate: f64,
        #[pyo3(from_py_with = arg)] count_bits: u8,
        seed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] key_domain: &str,
        #[pyo3(from_py_with = arg)] over_capacity: &str,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let builder = tepal::QuotientFilter::builder()
            .capacity(options::whole("capacity", capacity)?)
            .false_positive_rate(false_positive_rate)
            .count_bits(count_bits)
            .over_capacity(options::named(py, over_capacity)?);
        let builder = options::with_keys!(py, builder, seed, secret_key, key_domain, name);
        let filter = built(py, || builder.build())?;
        Ok(filter.add_subclass(MutableFilter).add_subclass(QuotientFilter))
    }

    /// Takes one copy of a key away. Says whether there was one.
    ///
    /// Remove only keys that are in: another key looks like a member at the false-positive rate,
    /// and removing it removes that member.
    fn remove(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        remove(this.as_super(), key)
    }

    /// `remove` without an answer, as a set has it.
    fn discard(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        remove(this.as_super(), key).map(drop)
    }

    /// Takes one copy of each key away. Returns how many copies that were.
    ///
    /// Remove only keys that are in. A list that is removed a second time removes members, at the
    /// false-positive rate. Where that can happen, ask first: `if all(f.contains_many(keys)):
    /// f.remove_many(keys)`.
    fn remove_many(this: &Bound<'_, Self>, keys: &Bound<'_, PyAny>) -> PyResult<u64> {
        remove_many(this.as_super(), keys)
    }

    /// A new filter with the keys that this one and all others have, as often as the one that has
    /// it least. The others must be of the same shape and hash.
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

    /// How many keys it holds, each as often as it was added.
    fn __len__(this: &Bound<'_, Self>) -> PyResult<usize> {
        filter::len(this.py(), held(this.as_super()))
    }

    /// How often a key is in, or more often by mistake, never less.
    fn count(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<u64> {
        let key = key::of(key)?;
        let count = held(this.as_super()).look(this.py(), |opened| opened.filter().count(&key))?;
        Ok(count.unwrap_or(0))
    }

    /// Makes it smaller, without its keys, as long as its rate stays within `rate`. Returns how
    /// many times fewer numbers it has.
    fn shrink_to(this: &Bound<'_, Self>, #[pyo3(from_py_with = arg)] rate: f64) -> PyResult<u64> {
        held(this.as_super()).write(this.py(), |opened| opened.shrink_to(rate))
    }

    /// What it holds as the smallest filter, without its keys: a `RibbonFilter`, which errs at
    /// `rate` in all. The rate here has to be clearly lower.
    fn to_ribbon(this: &Bound<'_, Self>, #[pyo3(from_py_with = arg)] rate: f64) -> PyResult<Py<PyAny>> {
        to_ribbon(this.as_super(), rate)
    }
}

/// A filter that grows: as many keys as come, under one promise.
///
/// It begins with room for `first` keys. With `deletable=True` keys can be removed; each key that
/// is added is then held once more, also one that was in.
///
/// >>> visitors = tepal.GrowingFilter(0.01)
/// >>> visitors.update(range(20_000))
/// >>> visitors.false_positive_rate < 0.01
/// True
#[pyclass(frozen, extends = MutableFilter, module = "tepal", name = "GrowingFilter")]
#[derive(Debug)]
pub(crate) struct GrowingFilter;

#[pymethods]
impl GrowingFilter {
    #[new]
    #[pyo3(signature = (false_positive_rate=0.01, *, first=None, deletable=false, seed=None, secret_key=None, key_domain="bytes", name=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arg)] false_positive_rate: f64,
        first: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] deletable: bool,
        seed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] key_domain: &str,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let builder =
            tepal::GrowingFilter::builder().false_positive_rate(false_positive_rate).deletable(deletable);
        let mut builder = options::with_keys!(py, builder, seed, secret_key, key_domain, name);
        if let Some(first) = first {
            builder = builder.first(options::whole("first", first)?);
        }
        let filter = built(py, || builder.build())?;
        Ok(filter.add_subclass(MutableFilter).add_subclass(GrowingFilter))
    }

    /// Takes a key away, from a filter made with `deletable=True`. `False`: it was not in; or it is
    /// kept, since it looks like another key, which would be lost.
    ///
    /// Remove only keys that are in: another key looks like a member at the false-positive rate,
    /// and removing it removes that member.
    fn remove(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        remove(this.as_super(), key)
    }

    /// `remove` without an answer, as a set has it.
    fn discard(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        remove(this.as_super(), key).map(drop)
    }

    /// Takes each key away. Returns how many were.
    ///
    /// Remove only keys that are in. A list that is removed a second time removes members, at the
    /// false-positive rate. Where that can happen, ask first: `if all(f.contains_many(keys)):
    /// f.remove_many(keys)`.
    fn remove_many(this: &Bound<'_, Self>, keys: &Bound<'_, PyAny>) -> PyResult<u64> {
        remove_many(this.as_super(), keys)
    }

    /// The same keys as one table, which is asked more quickly and takes fewer bits: a
    /// `QuotientFilter` of that rate.
    fn freeze(this: &Bound<'_, Self>, #[pyo3(from_py_with = arg)] rate: f64) -> PyResult<Py<PyAny>> {
        let py = this.py();
        let frozen = held(this.as_super()).read(py, |opened| {
            let mut frozen = opened.clone();
            frozen.shrink_to(rate).map(|_| frozen)
        })?;
        wrap(py, Held::new(frozen.map_err(|error| error::of(py, error))?))
    }

    /// What it holds as the smallest filter, without its keys: a `RibbonFilter`, which errs at
    /// `rate` in all. The rate here has to be clearly lower.
    fn to_ribbon(this: &Bound<'_, Self>, #[pyo3(from_py_with = arg)] rate: f64) -> PyResult<Py<PyAny>> {
        to_ribbon(this.as_super(), rate)
    }

    /// How many keys it holds: those that were new when they came; with `deletable=True` each as
    /// often as it was added.
    fn __len__(this: &Bound<'_, Self>) -> PyResult<usize> {
        filter::len(this.py(), held(this.as_super()))
    }

    /// How many tables it consists of. A key that is not in is looked up in all of them.
    #[getter]
    fn num_links(this: &Bound<'_, Self>) -> PyResult<usize> {
        held(this.as_super()).read(this.py(), |opened| opened.filter().facts().tables.len())
    }
}

/// A ribbon of a table's numbers.
fn to_ribbon(this: &Bound<'_, MutableFilter>, rate: f64) -> PyResult<Py<PyAny>> {
    let py = this.py();
    let ribbon = held(this).read(py, |opened| {
        opened.filter().to_ribbon(rate).and_then(|ribbon| Opened::new(ribbon, Format::Tepal))
    })?;
    wrap(py, Held::new(ribbon.map_err(|error| error::of(py, error))?))
}

fn remove(this: &Bound<'_, MutableFilter>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
    let key = key::of(key)?;
    held(this).touch(this.py(), |opened| Ok(opened.remove(&key)? == tepal::Removal::Removed))
}

/// Keys are removed, and counted.
struct Remove(std::sync::atomic::AtomicU64);

impl Change for Remove {
    fn prepared(&self, opened: &mut Opened, keys: &PreparedKeys) -> Result<(), Error> {
        let removed = opened.remove_prepared(keys)?;
        self.0.fetch_add(removed, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    }
}

fn remove_many(this: &Bound<'_, MutableFilter>, keys: &Bound<'_, PyAny>) -> PyResult<u64> {
    let remove = Remove(0.into());
    objects::change(this.py(), held(this), keys, &mut 0, &remove)?;
    Ok(remove.0.into_inner())
}

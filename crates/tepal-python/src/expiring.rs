//! The filter that forgets keys.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::args::arg;
use crate::filter::{Filter, built};
use crate::mutable::{MutableFilter, held};
use crate::{error, key, options, sets};

/// A filter that forgets keys: a window of time, or of the keys that came last.
///
/// - `window`: keys stay for so long: a `datetime.timedelta`, or an `int` in whatever unit your
///   clock has. Tell it the time with `advance_to(datetime.now(UTC))` or
///   `advance_to(int(time.time()))`; a `datetime` counts as seconds since 1970. Then `capacity` is
///   how many different keys each window may have.
/// - `window_of_keys`: the last so many keys stay.
/// - `generations`: in how many parts a window is counted. A key stays for up to one part more than
///   the window.
///
/// >>> from datetime import timedelta
/// >>> logins = tepal.ExpiringFilter(50_000, window=timedelta(days=1), generations=24)
/// >>> logins.advance_to(1_700_000_000), logins.add("alice")
/// (0, True)
/// >>> logins.advance_to(1_700_000_000 + 30 * 3600) > 0, "alice" in logins
/// (True, False)
#[pyclass(frozen, extends = MutableFilter, module = "tepal", name = "ExpiringFilter")]
#[derive(Debug)]
pub(crate) struct ExpiringFilter;

#[pymethods]
impl ExpiringFilter {
    #[new]
    #[pyo3(signature = (capacity=None, false_positive_rate=0.01, *, window=None, window_of_keys=None, generations=None, seed=None, secret_key=None, key_domain="bytes", over_capacity="refuse", name=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn new(
        py: Python<'_>,
        capacity: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] false_positive_rate: f64,
        window: Option<&Bound<'_, PyAny>>,
        window_of_keys: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] generations: Option<u8>,
        seed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] key_domain: &str,
        #[pyo3(from_py_with = arg)] over_capacity: &str,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let builder = tepal::ExpiringFilter::builder()
            .false_positive_rate(false_positive_rate)
            .over_capacity(options::named(py, over_capacity)?);
        let mut builder = options::with_keys!(py, builder, seed, secret_key, key_domain, name);
        if let Some(capacity) = capacity {
            builder = builder.capacity(options::whole("capacity", capacity)?);
        }
        builder = match (window, window_of_keys) {
            (Some(window), None) => builder.window_of_time(options::span("window", window)?),
            (None, Some(keys)) => builder.window_of_keys(options::whole("window_of_keys", keys)?),
            _ => {
                let text =
                    "a window of time or of keys is expected, and just one; give window= or window_of_keys=";
                return Err(error::parameter(py, text));
            }
        };
        if let Some(generations) = generations {
            builder = builder.generations(generations);
        }
        let filter = built(py, || builder.build())?;
        Ok(filter.add_subclass(MutableFilter).add_subclass(ExpiringFilter))
    }

    /// Tells it the time, by which keys expire. Time does not go back: an earlier time changes
    /// nothing (`set_clock` sets it back, and `clear` forgets it). Returns how many generations
    /// have gone by.
    fn advance_to(this: &Bound<'_, Self>, time: &Bound<'_, PyAny>) -> PyResult<u64> {
        let time = options::time(time)?;
        held(this.as_super()).write(this.py(), |opened| opened.advance_to(time))
    }

    /// Sets the clock, also back: all keys then count as added at this time, and none is lost. For
    /// a filter that was told a time in the future by mistake. A later time is told as by
    /// `advance_to`.
    ///
    /// >>> logins = tepal.ExpiringFilter(50_000, window=3600)
    /// >>> logins.add_at("alice", 1_700_000_000_000)
    /// True
    /// >>> logins.set_clock(1_700_000_000)
    /// >>> logins.now, "alice" in logins
    /// (1700000000, True)
    fn set_clock(this: &Bound<'_, Self>, time: &Bound<'_, PyAny>) -> PyResult<()> {
        let time = options::time(time)?;
        held(this.as_super()).write(this.py(), |opened| opened.set_clock(time))
    }

    /// Tells it the time, as `advance_to` does, and adds a key. `True`: it is surely not in the
    /// window. A key of an earlier time is added as of now.
    ///
    /// >>> logins = tepal.ExpiringFilter(50_000, window=3600)
    /// >>> logins.add_at("alice", 1_700_000_000), logins.add_at("alice", 1_700_000_060), logins.now
    /// (True, False, 1700000060)
    fn add_at(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>, time: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (key, time) = (key::of(key)?, options::time(time)?);
        held(this.as_super()).add(this.py(), |opened| {
            // A key that is refused does not move the clock.
            opened.key_hasher().check(&key)?;
            opened.advance_to(time)?;
            opened.insert(&key)
        })
    }

    /// Was the key added within the window that ends at this time? The filter itself stays at the
    /// time it was told.
    fn contains_at(
        this: &Bound<'_, Self>,
        key: &Bound<'_, PyAny>,
        time: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (key, time) = (key::of(key)?, options::time(time)?);
        let within = of(this, |filter| filter.contains_at(&key, time))?;
        Ok(within.unwrap_or(false))
    }

    /// A new filter with the keys that this one and all others have, each as of the earlier time.
    /// The others must be of the same shape, hash and window.
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

    /// How long ago a key came, in the unit of the window and by its generation; `None` for one
    /// that is not in.
    fn age(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        let key = key::of(key)?;
        Ok(of(this, |filter| filter.age_estimate(&key))?.flatten())
    }

    /// The latest time that it was told, or `None`; in a window of keys, how many were added.
    #[getter]
    fn now(this: &Bound<'_, Self>) -> PyResult<Option<u64>> {
        Ok(of(this, |filter| filter.now())?.flatten())
    }
}

/// A look at the filter.
fn of<R: Send>(
    this: &Bound<'_, ExpiringFilter>,
    look: impl FnOnce(&tepal::ExpiringFilter) -> R + Send,
) -> PyResult<Option<R>> {
    held(this.as_super()).look(this.py(), |opened| opened.filter().as_timed().map(look))
}

//! The filter that says which segments may hold a key.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString, PyTuple};
use tepal::{Error, Opened, hash::PreparedKeys, segments::Segment};

use crate::args::arg;
use crate::filter::{self, Filter, built};
use crate::held::Held;
use crate::{error, key, objects, options, segment_answers, sets};

/// A filter of the parts of a whole (regions, days, shards): which of them may hold a key, in one
/// lookup.
///
/// `capacity` is how many pairs of key and segment it holds, and `false_positive_rate` how many
/// wrong segments a key in none gets, on average. Segments have names, and come with their first
/// key; those of a file may have numbers alone.
///
/// >>> accounts = tepal.SegmentFilter(1000, 0.001)
/// >>> accounts.update("north", ["alice", "bob"])
/// >>> accounts.add("south", "bob")
/// True
/// >>> accounts.segments("bob"), accounts.segments("carol")
/// (('north', 'south'), ())
/// >>> "bob" in accounts, accounts.names
/// (True, ['north', 'south'])
#[pyclass(frozen, extends = Filter, module = "tepal", name = "SegmentFilter")]
#[derive(Debug)]
pub(crate) struct SegmentFilter;

#[pymethods]
impl SegmentFilter {
    #[new]
    #[pyo3(signature = (capacity, false_positive_rate=0.01, *, seed=None, secret_key=None, key_domain="bytes", over_capacity="refuse", name=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn new(
        py: Python<'_>,
        capacity: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arg)] false_positive_rate: f64,
        seed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arg)] secret_key: Option<&[u8]>,
        #[pyo3(from_py_with = arg)] key_domain: &str,
        #[pyo3(from_py_with = arg)] over_capacity: &str,
        #[pyo3(from_py_with = arg)] name: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let builder = tepal::SegmentFilter::builder()
            .capacity(options::whole("capacity", capacity)?)
            .false_positive_rate(false_positive_rate)
            .over_capacity(options::named(py, over_capacity)?);
        let builder = options::with_keys!(py, builder, seed, secret_key, key_domain, name);
        let filter = built(py, || builder.build())?;
        Ok(filter.add_subclass(SegmentFilter))
    }

    /// Adds a key to a segment. `True`: it surely was not in that one.
    fn add(this: &Bound<'_, Self>, segment: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, segment, key) = (this.py(), named(segment)?, key::of(key)?);
        held(this).add(py, |opened| {
            let mut keys = PreparedKeys::default();
            opened.key_hasher().prepare(&key, &mut keys)?;
            let segment = segment.of(opened)?;
            let was_in =
                opened.filter().as_segmented().is_some_and(|filter| filter.contains_in(segment, &key));
            opened.insert_prepared_in(segment, &keys).map(|()| !was_in)
        })
    }

    /// Adds many keys to a segment: whatever `BloomFilter.update` takes. Nulls of columns are
    /// skipped; `nulls_skipped` counts them.
    ///
    /// All keys are read first, at 8 bytes a key, and then added at once to the segment that has
    /// this name at that moment. When a key is refused, those before it are in.
    fn update(this: &Bound<'_, Self>, segment: &Bound<'_, PyAny>, keys: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, segment) = (this.py(), named(segment)?);
        let hasher = held(this).look(py, Opened::key_hasher)?;
        // The keys before the segment: while they are read, it may be dropped, and another one get
        // its number.
        let (mut hashes, mut nulls) = (Vec::new(), 0);
        let read = objects::hashes(py, &hasher, keys, &mut hashes, &mut nulls);
        held(this).count_nulls(nulls);
        held(this).write(py, |opened| {
            let segment = segment.of(opened)?;
            opened.insert_prepared_in(segment, &PreparedKeys::from_hashes(hashes))
        })?;
        read?;
        held(this).warn(py)
    }

    /// Forgets all keys. The segments stay, with their names.
    ///
    /// >>> accounts = tepal.SegmentFilter(1000)
    /// >>> accounts.update("north", ["alice", "bob"])
    /// >>> accounts.clear()
    /// >>> len(accounts), accounts.names
    /// (0, ['north'])
    fn clear(this: &Bound<'_, Self>) -> PyResult<()> {
        held(this).write(this.py(), Opened::clear)
    }

    /// A new filter with the segments of this one and of all others, which must be of the same
    /// shape and hash. Segments of one name become one.
    #[pyo3(signature = (*others))]
    fn union(this: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        sets::union(this.as_super(), others)
    }

    fn __or__(this: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<Py<PyAny>> {
        sets::union(this.as_super(), &PyTuple::new(this.py(), [other])?)
    }

    fn __ior__(this: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        sets::update(this.as_super(), &PyTuple::new(this.py(), [other])?)
    }

    /// A new filter with the pairs of key and segment that this one and all others have, by the
    /// names of the segments.
    #[pyo3(signature = (*others))]
    fn intersection(this: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        sets::intersection(this.as_super(), others)
    }

    /// Keeps what `intersection` would have. When a filter is refused, those before it are done.
    #[pyo3(signature = (*others))]
    fn intersection_update(this: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<()> {
        sets::intersection_update(this.as_super(), others)
    }

    fn __and__(this: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<Py<PyAny>> {
        sets::intersection_with(this.as_super(), other)
    }

    fn __iand__(this: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        sets::intersect_with(this.as_super(), other)
    }

    /// How many pairs of key and segment it holds.
    fn __len__(this: &Bound<'_, Self>) -> PyResult<usize> {
        filter::len(this.py(), held(this))
    }

    /// How many pairs of key and segment it was planned for.
    #[getter]
    fn capacity(this: &Bound<'_, Self>) -> PyResult<u64> {
        filter::capacity(this.py(), held(this))
    }

    /// What happens when more pairs come than `capacity`: `refuse`, `warn` or `ignore`. It can be
    /// set.
    #[getter]
    fn over_capacity(this: &Bound<'_, Self>) -> PyResult<&'static str> {
        filter::over_capacity(this.py(), held(this))
    }

    #[setter]
    fn set_over_capacity(this: &Bound<'_, Self>, policy: &Bound<'_, PyAny>) -> PyResult<()> {
        filter::set_over_capacity(this.py(), held(this), arg(policy)?)
    }

    /// The segments that may hold a key: a tuple of their names, or numbers where they have no
    /// names, as `segments_many` gives for each key.
    fn segments<'py>(this: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, key) = (this.py(), key::of(key)?);
        let found = held(this).look(py, |opened| {
            opened
                .filter()
                .as_segmented()
                .map_or(Vec::new(), |filter| Name::all(filter, filter.segments(&key)))
        })?;
        PyTuple::new(py, found.iter().map(|name| name.object(py)).collect::<PyResult<Vec<_>>>()?)
    }

    /// The segments of many keys: a list with a tuple of their names, or numbers, for each key.
    ///
    /// The keys are whatever `contains_many` takes. A null is in no segment, and neither is a key
    /// that the filter cannot have, such as text among integers.
    ///
    /// >>> days = tepal.SegmentFilter(1000, 0.001)
    /// >>> days.update("monday", ["alice", "bob"])
    /// >>> days.update("tuesday", ["bob"])
    /// >>> days.segments_many(["bob", "carol", "alice"])
    /// [('monday', 'tuesday'), (), ('monday',)]
    fn segments_many<'py>(this: &Bound<'py, Self>, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        segment_answers::segments_many(held(this), keys)
    }

    /// May this segment hold the key?
    fn contains_in(
        this: &Bound<'_, Self>,
        segment: &Bound<'_, PyAny>,
        key: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (py, segment, key) = (this.py(), named(segment)?, key::of(key)?);
        held(this).look(py, |opened| match (opened.filter().as_segmented(), segment.found(opened)) {
            (Some(filter), Some(segment)) => filter.contains_in(segment, &key),
            _ => false,
        })
    }

    /// The names of all segments; numbers of those that have none.
    #[getter]
    fn names<'py>(this: &Bound<'py, Self>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = this.py();
        let found = held(this).look(py, |opened| {
            opened
                .filter()
                .as_segmented()
                .map_or(Vec::new(), |filter| Name::all(filter, filter.all_segments()))
        })?;
        found.into_iter().map(|name| name.object(py)).collect()
    }

    /// Takes a segment away with all its keys. Returns how many keys it had.
    fn drop_segment(this: &Bound<'_, Self>, segment: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (py, segment) = (this.py(), named(segment)?);
        let dropped = held(this).write(py, |opened| {
            segment.found(opened).map(|segment| opened.drop_segment(segment)).transpose()
        })?;
        dropped.ok_or_else(|| no_such(py))
    }

    /// Gives a segment another name, which no other segment may have.
    ///
    /// >>> accounts = tepal.SegmentFilter(1000, 0.001)
    /// >>> accounts.update("north", ["alice", "bob"])
    /// >>> accounts.rename_segment("north", "arctic")
    /// >>> accounts.segments("alice")
    /// ('arctic',)
    fn rename_segment(
        this: &Bound<'_, Self>,
        segment: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arg)] name: &str,
    ) -> PyResult<()> {
        let (py, segment) = (this.py(), named(segment)?);
        let renamed = held(this).write(py, |opened| {
            segment.found(opened).map(|segment| opened.rename_segment(segment, name)).transpose()
        })?;
        renamed.ok_or_else(|| no_such(py))
    }

    /// Moves all keys of a segment into another one, and drops it.
    ///
    /// >>> days = tepal.SegmentFilter(1000)
    /// >>> days.update("saturday", ["alice"])
    /// >>> days.update("sunday", ["alice", "bob"])
    /// >>> days.merge_segments("saturday", "sunday")
    /// >>> days.names, len(days)
    /// (['sunday'], 2)
    fn merge_segments(
        this: &Bound<'_, Self>,
        segment: &Bound<'_, PyAny>,
        into: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (py, from, into) = (this.py(), named(segment)?, named(into)?);
        let merged = held(this).write(py, |opened| {
            let both = from.found(opened).zip(into.found(opened));
            both.map(|(from, into)| opened.merge_segments(from, into)).transpose()
        })?;
        merged.ok_or_else(|| no_such(py))
    }
}

fn held<'a>(this: &'a Bound<'_, SegmentFilter>) -> &'a Held {
    &this.as_super().get().held
}

fn no_such(py: Python<'_>) -> PyErr {
    error::parameter(py, "there is no such segment; `names` has those that there are")
}

/// A segment as Python names it.
#[derive(PartialEq)]
pub(crate) enum Name {
    Text(String),
    Number(u16),
}

fn named(segment: &Bound<'_, PyAny>) -> PyResult<Name> {
    if segment.is_instance_of::<PyString>() {
        return Ok(Name::Text(arg::<&str>(segment)?.to_owned()));
    }
    if segment.cast_exact::<PyInt>().is_ok() {
        if let Ok(number) = segment.extract() {
            return Ok(Name::Number(number));
        }
    }
    let text = format!(
        "a segment is a {}; it must be its name (str), or its number below 65,536",
        key::type_name(segment)
    );
    Err(error::wrong_argument(segment.py(), text))
}

impl Name {
    fn all(filter: &tepal::SegmentFilter, segments: impl Iterator<Item = Segment>) -> Vec<Self> {
        segments.map(|segment| Name::of_segment(filter, segment)).collect()
    }

    pub(crate) fn of_segment(filter: &tepal::SegmentFilter, segment: Segment) -> Self {
        match filter.segment_name(segment) {
            Some(name) => Name::Text(name.into()),
            None => Name::Number(segment.number()),
        }
    }

    /// The segment, made where it is not there.
    fn of(&self, opened: &mut Opened) -> Result<Segment, Error> {
        match self {
            Name::Text(name) => opened.add_segment(name),
            Name::Number(number) => Ok(Segment::new(*number)),
        }
    }

    /// The segment, if it is there.
    fn found(&self, opened: &Opened) -> Option<Segment> {
        let filter = opened.filter().as_segmented()?;
        match self {
            Name::Text(name) => filter.segment_by_name(name),
            Name::Number(number) => filter.all_segments().find(|segment| segment.number() == *number),
        }
    }

    pub(crate) fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Name::Text(name) => name.into_pyobject(py)?.into_any(),
            Name::Number(number) => number.into_pyobject(py)?.into_any(),
        })
    }
}

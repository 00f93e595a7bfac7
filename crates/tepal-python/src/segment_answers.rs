//! The segments of many keys.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use tepal::hash::PreparedKeys;
use tepal::segments::{Segment, SegmentAnswers};
use tepal::{Opened, SegmentFilter};

use crate::column::{self, Rows, Source};
use crate::held::Held;
use crate::key::ObjectKey;
use crate::objects;
use crate::segment::Name;

/// The segments of the keys so far. Each has the name that it had when its key was looked up:
/// between two pieces another thread may drop a segment, and give its number to another.
#[derive(Default)]
struct Found {
    names: Vec<Name>,
    /// By the number of a segment: the piece that found it last, and the place of its name.
    places: Vec<(u32, u32)>,
    /// The number of this piece, from 1.
    piece: u32,
    /// The places of names: those of the first key, then those of the second, and so on.
    segments: Vec<u32>,
    /// Where those of each key end.
    ends: Vec<usize>,
    answers: SegmentAnswers,
}

impl Found {
    /// Appends the answers for a piece of the keys, which are looked up at one moment. A key that
    /// `is_left_out` is in no segment.
    fn append(
        &mut self,
        opened: &Opened,
        ask: impl FnOnce(&SegmentFilter, &mut SegmentAnswers),
        is_left_out: impl Fn(usize) -> bool,
    ) {
        let Some(filter) = opened.filter().as_segmented() else { return };
        let mut answers = std::mem::take(&mut self.answers);
        ask(filter, &mut answers);
        self.piece += 1;
        for (i, of_key) in answers.iter().enumerate() {
            if !is_left_out(i) {
                for segment in of_key {
                    let place = self.place(filter, *segment);
                    self.segments.push(place);
                }
            }
            self.ends.push(self.segments.len());
        }
        self.answers = answers;
    }

    /// Appends the answer for a null.
    fn append_none(&mut self) {
        self.ends.push(self.segments.len());
    }

    /// The place of the name of a segment.
    #[inline]
    fn place(&mut self, filter: &SegmentFilter, segment: Segment) -> u32 {
        match self.places.get(usize::from(segment.number())) {
            Some(&(piece, place)) if piece == self.piece => place,
            _ => self.place_now(filter, segment),
        }
    }

    #[cold]
    fn place_now(&mut self, filter: &SegmentFilter, segment: Segment) -> u32 {
        let (number, name) = (usize::from(segment.number()), Name::of_segment(filter, segment));
        if number >= self.places.len() {
            self.places.resize(number + 1, (0, 0));
        }
        let (piece, before) = self.places[number];
        let place = if piece > 0 && self.names[before as usize] == name {
            before
        } else {
            self.names.push(name);
            self.names.len() as u32 - 1
        };
        self.places[number] = (self.piece, place);
        place
    }

    /// A tuple of the names for each key. Keys in the same one segment, or in none, share a tuple.
    fn listed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let names = self.names.iter().map(|name| name.object(py)).collect::<PyResult<Vec<_>>>()?;
        let none = PyTuple::empty(py);
        let singles = names.iter().map(|name| PyTuple::new(py, [name])).collect::<PyResult<Vec<_>>>()?;
        let mut all = Vec::with_capacity(self.ends.len());
        let mut from = 0;
        for end in &self.ends {
            all.push(match &self.segments[from..*end] {
                [] => none.clone(),
                [place] => singles[*place as usize].clone(),
                several => PyTuple::new(py, several.iter().map(|place| &names[*place as usize]))?,
            });
            from = *end;
        }
        Ok(PyList::new(py, all)?.into_any())
    }
}

/// The segments that may hold each of many keys.
pub(crate) fn segments_many<'py>(held: &Held, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let found = match column::source(keys, Some(held))? {
        Source::Objects(objects) => {
            let found = Mutex::new(Found::default());
            let locked = || found.lock().unwrap_or_else(PoisonError::into_inner);
            let many = |opened: &Opened, keys: &PreparedKeys, _: &mut [()]| {
                locked().append(opened, |filter, answers| filter.segments_prepared(keys, answers), |_| false);
            };
            let one = |opened: &Opened, key: &ObjectKey<'_>| {
                let keys = std::slice::from_ref(key);
                locked().append(opened, |filter, answers| *answers = filter.segments_many(keys), |_| false);
            };
            objects::ask(py, held, &objects, many, one, || locked().append_none())?;
            found.into_inner().unwrap_or_else(PoisonError::into_inner)
        }
        Source::Rows(rows) => of_rows(py, held, rows)?,
    };
    found.listed(py)
}

fn of_rows(py: Python<'_>, held: &Held, rows: Rows<'_>) -> PyResult<Found> {
    let mut found = Found::default();
    rows.each(py, |column| {
        let mut all = Ok(());
        column::each_row(py, column, &mut |start, keys| {
            let is_null = |i| column.has_nulls() && column.is_null(start + i);
            let asked = held.read_detached(|opened| {
                found.append(opened, |filter, answers| *answers = filter.segments_many(keys), is_null);
            });
            all = all.and(asked);
        })?;
        all.map_err(|gone| gone.raise(py))
    })?;
    Ok(found)
}

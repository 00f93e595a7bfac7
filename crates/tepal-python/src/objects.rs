//! Keys that are objects, one by one: hashed while the interpreter is held, inserted and asked in
//! batches without it.

use pyo3::prelude::*;
use tepal::{
    Error, KeySink, Keys, Opened,
    hash::{KeyHasher, PreparedKeys},
};

use crate::column::{self, Fault, Objects, Progress, Source};
use crate::error::{self, after};
use crate::held::Held;
use crate::key::{self, ObjectKey};

/// Keys of a batch.
const BATCH: usize = 4096;
/// With fewer keys than this it is not worth handing the interpreter to others.
const FEW: usize = 256;
/// What an object must be whose keys are taken one by one.
const KEYS: &str = "holds no keys; give a list or another iterable, a numpy array, or an Arrow column";

/// What is done with many keys.
pub(crate) trait Change: Sync {
    fn prepared(&self, opened: &mut Opened, keys: &PreparedKeys) -> Result<(), Error>;

    fn many(&self, opened: &mut Opened, keys: &dyn Keys) -> Result<(), Error> {
        let mut prepared = PreparedKeys::default();
        let all = prepare_all(&opened.key_hasher(), keys, &mut prepared);
        // Those before a key that is refused.
        self.prepared(opened, &prepared)?;
        all
    }
}

fn prepare_all(hasher: &KeyHasher, keys: &dyn Keys, prepared: &mut PreparedKeys) -> Result<(), Error> {
    (0..keys.len()).try_for_each(|i| hasher.prepare(&keys.key(i, &mut KeySink::new()), prepared))
}

/// They are inserted.
pub(crate) struct Insert;

impl Change for Insert {
    fn many(&self, opened: &mut Opened, keys: &dyn Keys) -> Result<(), Error> {
        opened.insert_many(keys)
    }

    fn prepared(&self, opened: &mut Opened, keys: &PreparedKeys) -> Result<(), Error> {
        opened.insert_prepared(keys)
    }
}

/// Puts the hashes of all keys into `all`, for a filter that takes them at once, and counts the
/// nulls that it skips. After an error, `all` has the keys before it.
pub(crate) fn hashes(
    py: Python<'_>,
    hasher: &KeyHasher,
    keys: &Bound<'_, PyAny>,
    all: &mut Vec<u64>,
    nulls: &mut u64,
) -> PyResult<()> {
    match column::source(keys, None)? {
        Source::Rows(rows) => {
            let mut progress = Progress::default();
            let read = rows.each(py, |column| {
                column::each(py, column, &mut progress, &mut |keys| {
                    (0..keys.len()).try_for_each(|i| {
                        all.push(hasher.hash(&keys.key(i, &mut KeySink::new()))?);
                        Ok(())
                    })
                })
            });
            *nulls += progress.nulls;
            read
        }
        Source::Objects(objects) => each_batch(py, hasher, &objects, nulls, &mut |keys| {
            all.extend_from_slice(keys.hashes().unwrap_or_default());
            Ok(())
        }),
    }
}

/// Does it with all keys of a column or of whatever can be iterated, and counts the nulls that it
/// skips. What is before a key that is refused is done; `done` counts the keys of all calls
/// together.
pub(crate) fn change(
    py: Python<'_>,
    held: &Held,
    keys: &Bound<'_, PyAny>,
    done: &mut usize,
    what: &dyn Change,
) -> PyResult<()> {
    let mut progress = Progress { done: *done, nulls: 0 };
    let changed = match column::source(keys, Some(held))? {
        Source::Rows(rows) => rows.each(py, |column| {
            let mut take = |keys: &dyn Keys, done: usize| {
                let changed = held.write_detached(|opened| what.many(opened, keys)).map_err(Fault::Gone)?;
                changed.map_err(|error| Fault::Library(after(done, error)))
            };
            column::walk(py, column, &mut progress, &mut take)
        }),
        Source::Objects(objects) => change_objects(py, held, &objects, &mut progress, what),
    };
    held.count_nulls(progress.nulls);
    *done = progress.done;
    changed
}

fn change_objects(
    py: Python<'_>,
    held: &Held,
    objects: &Objects<'_>,
    Progress { done, nulls }: &mut Progress,
    what: &dyn Change,
) -> PyResult<()> {
    let hasher = held.look(py, Opened::key_hasher)?;
    let mut batch = PreparedKeys::default();
    let mut flush = |batch: &mut PreparedKeys| -> PyResult<()> {
        let before = *done;
        let insert = |opened: &mut Opened| what.prepared(opened, batch).map_err(|error| after(before, error));
        if batch.len() < FEW {
            held.touch(py, insert)?
        } else {
            held.write(py, insert)?
        }
        *done += batch.len();
        batch.clear();
        py.check_signals()
    };
    for (i, object) in iterated(&objects.all, KEYS)?.enumerate() {
        if object.as_ref().is_ok_and(|object| objects.is_null(object)) {
            *nulls += 1;
            continue;
        }
        if let Err(error) = object.and_then(|object| prepare(&hasher, &object, Some(held), &mut batch)) {
            flush(&mut batch)?;
            return Err(numbered(py, error, i, "keys"));
        }
        if batch.len() == BATCH {
            flush(&mut batch)?;
        }
    }
    if batch.is_empty() { Ok(()) } else { flush(&mut batch) }
}

/// Hands all objects to `take` in batches, prepared for this hasher, and counts the nulls.
pub(crate) fn each_batch(
    py: Python<'_>,
    hasher: &KeyHasher,
    objects: &Objects<'_>,
    nulls: &mut u64,
    take: &mut dyn FnMut(&PreparedKeys) -> PyResult<()>,
) -> PyResult<()> {
    let mut batch = PreparedKeys::default();
    let mut flush = |batch: &mut PreparedKeys| -> PyResult<()> {
        take(batch)?;
        batch.clear();
        py.check_signals()
    };
    for (i, object) in iterated(&objects.all, KEYS)?.enumerate() {
        if object.as_ref().is_ok_and(|object| objects.is_null(object)) {
            *nulls += 1;
            continue;
        }
        if let Err(error) = object.and_then(|object| prepare(hasher, &object, None, &mut batch)) {
            flush(&mut batch)?;
            return Err(numbered(py, error, i, "keys"));
        }
        if batch.len() == BATCH {
            flush(&mut batch)?;
        }
    }
    flush(&mut batch)
}

#[inline]
fn prepare(
    hasher: &KeyHasher,
    object: &Bound<'_, PyAny>,
    held: Option<&Held>,
    batch: &mut PreparedKeys,
) -> PyResult<()> {
    let key = match held {
        Some(held) => held.key(object)?,
        None => key::of(object)?,
    };
    hasher.prepare(&key, batch).map_err(|error| error::of(object.py(), error))
}

pub(crate) fn iterated<'py>(
    objects: &Bound<'py, PyAny>,
    expected: &str,
) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
    objects.try_iter().map_err(|error| {
        if !error.is_instance_of::<pyo3::exceptions::PyTypeError>(objects.py()) {
            return error;
        }
        let text = format!("{} {expected}", key::type_name(objects));
        error::wrong_type(objects.py(), text)
    })
}

/// Says which key of the call it was, in an error of ours.
pub(crate) fn numbered(py: Python<'_>, error: PyErr, i: usize, what: &str) -> PyErr {
    let is_ours = py
        .import("tepal._errors")
        .and_then(|errors| errors.getattr("Error"))
        .is_ok_and(|class| error.value(py).is_instance(&class).unwrap_or(false));
    if is_ours {
        // A note stands below the text, from Python 3.11 on.
        let _ =
            error.value(py).call_method1("add_note", (format!("it is number {i} of the {what}, from 0"),));
    }
    error
}

/// Answers for all objects: `many` asks for keys that are prepared, `one` for a key that cannot be,
/// and `null` has the answer for a null.
pub(crate) fn ask<A: Clone + Default + Send>(
    py: Python<'_>,
    held: &Held,
    objects: &Objects<'_>,
    many: impl Fn(&Opened, &PreparedKeys, &mut [A]) + Sync,
    one: impl Fn(&Opened, &ObjectKey<'_>) -> A + Sync,
    null: impl Fn() -> A,
) -> PyResult<Vec<A>> {
    let hasher = held.look(py, Opened::key_hasher)?;
    let (mut batch, mut answers) = (PreparedKeys::default(), Vec::new());
    let flush = |batch: &mut PreparedKeys, answers: &mut Vec<A>| -> PyResult<()> {
        let start = answers.len();
        answers.resize(start + batch.len(), A::default());
        let into = &mut answers[start..];
        let ask = |opened: &Opened| many(opened, batch, into);
        if batch.len() < FEW {
            held.look(py, ask)?
        } else {
            held.read(py, ask)?
        }
        batch.clear();
        py.check_signals()
    };
    for (i, object) in iterated(&objects.all, KEYS)?.enumerate() {
        let asked = object.and_then(|object| {
            if objects.is_null(&object) {
                flush(&mut batch, &mut answers)?;
                answers.push(null());
                return Ok(());
            }
            let key = held.key(&object)?;
            if hasher.prepare(&key, &mut batch).is_err() {
                // It was never inserted, or nobody can say: the library knows which.
                flush(&mut batch, &mut answers)?;
                answers.push(held.look(py, |opened| one(opened, &key))?);
            }
            Ok(())
        });
        asked.map_err(|error| numbered(py, error, i, "keys"))?;
        if batch.len() == BATCH {
            flush(&mut batch, &mut answers)?;
        }
    }
    if !batch.is_empty() {
        flush(&mut batch, &mut answers)?;
    }
    Ok(answers)
}

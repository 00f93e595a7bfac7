//! A filter behind a lock, for many threads.
//!
//! One rule keeps threads from waiting for each other for ever: nobody waits for the lock while
//! holding the interpreter, and nobody asks for the interpreter while holding the lock.

use std::ffi::CString;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use tepal::{Error, KeyDomain, Opened, file::Format};

use crate::error;
use crate::fork::{self, HalfChanged, Lock};
use crate::key::{self, ObjectKey};
use crate::over::Over;

/// A filter with its file's format, or nothing after `close`.
#[derive(Debug)]
pub(crate) struct Held {
    lock: Lock<Option<Opened>>,
    /// The nulls that its calls skipped.
    nulls: AtomicU64,
    over: Over,
}

/// Why there is no filter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gone {
    /// Somebody has closed it.
    Closed,
    /// A thread of the parent process was changing it during the fork.
    HalfChanged,
}

impl From<HalfChanged> for Gone {
    fn from(_: HalfChanged) -> Self {
        Gone::HalfChanged
    }
}

impl Gone {
    /// Why, in a word or two.
    pub(crate) fn in_short(self) -> &'static str {
        match self {
            Gone::Closed => "closed",
            Gone::HalfChanged => "half changed at a fork",
        }
    }

    #[cold]
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        let (class, text) = match self {
            Gone::Closed => ("ClosedError", "the filter was closed; open its file again"),
            Gone::HalfChanged => (
                "ForkError",
                "a thread of the parent process was changing this when the process was forked, and a half-changed \
                 filter would deny keys; open its file in the child, or call fork() when no thread changes it",
            ),
        };
        error::new(py, class, text.into())
    }
}

impl Held {
    pub(crate) fn new(opened: Opened) -> Self {
        Held { lock: Lock::new(Some(opened)), nulls: AtomicU64::new(0), over: Over::default() }
    }

    pub(crate) fn count_nulls(&self, nulls: u64) {
        self.nulls.fetch_add(nulls, Ordering::Relaxed);
    }

    pub(crate) fn nulls_skipped(&self) -> u64 {
        self.nulls.load(Ordering::Relaxed)
    }

    /// The object as a key of this filter.
    #[inline(always)]
    pub(crate) fn key<'a>(&self, object: &'a Bound<'_, PyAny>) -> PyResult<ObjectKey<'a>> {
        let key = key::of(object)?;
        if let ObjectKey::Uuid(_) = key {
            self.check_uuids(object.py())?;
        }
        Ok(key)
    }

    /// Refuses UUIDs for a filter of another program that may know them by text or by their bytes.
    /// Key domains other than `bytes` say which of the two.
    #[cold]
    pub(crate) fn check_uuids(&self, py: Python<'_>) -> PyResult<()> {
        let (format, domain) = self.look(py, |opened| (opened.format(), opened.filter().key_domain()))?;
        if format == Format::Tepal || domain != KeyDomain::Bytes {
            return Ok(());
        }
        let text = format!(
            "a UUID is its text or its 16 bytes in a filter of {format}, and nobody has said which; give str(u) or \
             u.bytes, or a column of these, or open the file with key_domain=\"hex\" if it has the bytes"
        );
        Err(error::wrong_key(py, text))
    }

    /// Adds a key, and warns if the filter is past its capacity: the key is in.
    pub(crate) fn add(
        &self,
        py: Python<'_>,
        insert: impl FnOnce(&mut Opened) -> Result<bool, Error> + Send,
    ) -> PyResult<bool> {
        let (is_new, is_due) = self.touch(py, |opened| Ok((insert(opened)?, self.over.is_due(opened))))?;
        if is_due {
            self.warn(py)?;
        }
        Ok(is_new)
    }

    /// Warns, once, if the filter is past its capacity: after a call that has added all its keys.
    pub(crate) fn warn(&self, py: Python<'_>) -> PyResult<()> {
        if !self.look(py, |opened| self.over.is_due(opened))? {
            return Ok(());
        }
        match self.read(py, |opened| self.over.look(opened))? {
            Some(text) => PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(text)?, 1),
            None => Ok(()),
        }
    }

    /// A short look: the interpreter stays with this thread unless it has to wait for the lock.
    pub(crate) fn look<R: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&Opened) -> R + Send,
    ) -> PyResult<R> {
        let here = self.here(py)?;
        let seen = match here.try_read() {
            Some(held) => held.as_ref().map(look),
            None => py.detach(|| {
                let _inside = fork::look();
                here.read(|held| held.as_ref().map(look))
            }),
        };
        seen.ok_or_else(|| Gone::Closed.raise(py))
    }

    /// A long look: other threads have the interpreter meanwhile.
    pub(crate) fn read<R: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&Opened) -> R + Send,
    ) -> PyResult<R> {
        py.detach(|| self.read_detached(look)).map_err(|gone| gone.raise(py))
    }

    /// A look by a thread that does not hold the interpreter.
    pub(crate) fn read_detached<R>(&self, look: impl FnOnce(&Opened) -> R) -> Result<R, Gone> {
        let here = self.lock.here()?;
        let _inside = fork::look();
        here.read(|held| held.as_ref().map(look)).ok_or(Gone::Closed)
    }

    /// A short change.
    pub(crate) fn touch<R: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Opened) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let here = self.here(py)?;
        let changed = match here.try_write() {
            Some(mut held) => match held.as_mut().map(change) {
                // An early return: copying the whole result, with its space for an error, is slow.
                Some(Ok(done)) => return Ok(done),
                other => other,
            },
            None => py.detach(|| {
                let _inside = fork::change();
                here.write(|held| held.as_mut().map(change))
            }),
        };
        done(py, changed.ok_or(Gone::Closed))
    }

    /// A long change.
    pub(crate) fn write<R: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Opened) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        done(py, py.detach(|| self.write_detached(change)))
    }

    /// A change by a thread that does not hold the interpreter.
    pub(crate) fn write_detached<R>(&self, change: impl FnOnce(&mut Opened) -> R) -> Result<R, Gone> {
        let here = self.lock.here()?;
        let _inside = fork::change();
        here.write(|held| held.as_mut().map(change)).ok_or(Gone::Closed)
    }

    /// A change of this filter by a look at another one. Locks are taken in the order of their
    /// addresses, so that two threads which unite two filters each way never wait for each other.
    pub(crate) fn write_with<R: Send>(
        &self,
        py: Python<'_>,
        other: &Held,
        change: impl FnOnce(&mut Opened, &Opened) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let (here, there) = (self.here(py)?, other.here(py)?);
        let changed = py.detach(|| {
            let _inside = fork::change();
            if std::ptr::eq(here, there) {
                // Under one lock: what came or went between a look and the change would be lost, or
                // come back.
                return here.write(|held| {
                    let held = held.as_mut()?;
                    let same = held.clone();
                    Some(change(held, &same))
                });
            }
            if std::ptr::from_ref(here) < std::ptr::from_ref(there) {
                here.write(|held| there.read(|other| Some(change(held.as_mut()?, other.as_ref()?))))
            } else {
                there.read(|other| here.write(|held| Some(change(held.as_mut()?, other.as_ref()?))))
            }
        });
        done(py, changed.ok_or(Gone::Closed))
    }

    /// A look at two filters.
    pub(crate) fn read_with<R: Send>(
        &self,
        py: Python<'_>,
        other: &Held,
        look: impl FnOnce(&Opened, &Opened) -> R + Send,
    ) -> PyResult<R> {
        let (here, there) = (self.here(py)?, other.here(py)?);
        let seen = py.detach(|| {
            let _inside = fork::look();
            // A lock that is taken twice for reading may wait for a writer between the two.
            if std::ptr::eq(here, there) {
                return here.read(|held| held.as_ref().map(|held| look(held, held)));
            }
            if std::ptr::from_ref(here) < std::ptr::from_ref(there) {
                here.read(|held| there.read(|other| Some(look(held.as_ref()?, other.as_ref()?))))
            } else {
                there.read(|other| here.read(|held| Some(look(held.as_ref()?, other.as_ref()?))))
            }
        });
        seen.ok_or_else(|| Gone::Closed.raise(py))
    }

    /// Frees the memory, or the map of the file.
    pub(crate) fn close(&self, py: Python<'_>) {
        py.detach(|| {
            // What a fork has left half changed goes with the object.
            let Ok(here) = self.lock.here() else { return };
            let _inside = fork::change();
            drop(here.write(Option::take));
        });
    }

    /// The lock of this process.
    #[inline]
    fn here(&self, py: Python<'_>) -> PyResult<&Lock<Option<Opened>>> {
        self.lock.here().map_err(|gone| Gone::from(gone).raise(py))
    }
}

fn done<R>(py: Python<'_>, changed: Result<Result<R, Error>, Gone>) -> PyResult<R> {
    match changed {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(error::of(py, error)),
        Err(gone) => Err(gone.raise(py)),
    }
}

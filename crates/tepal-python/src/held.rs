//! A filter behind a lock, for many threads.
//!
//! One rule keeps threads from waiting for each other for ever: nobody waits for the lock while
//! holding the interpreter, and nobody asks for the interpreter while holding the lock.

use std::ffi::CString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, TryLockError};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use tepal::{Error, Opened};

use crate::error;
use crate::over::Over;

/// A filter with its file's format, or nothing after `close`.
#[derive(Debug)]
pub(crate) struct Held {
    opened: RwLock<Option<Opened>>,
    /// The nulls that its calls skipped.
    nulls: AtomicU64,
    over: Over,
}

impl Held {
    pub(crate) fn new(opened: Opened) -> Self {
        Held { opened: RwLock::new(Some(opened)), nulls: AtomicU64::new(0), over: Over::default() }
    }

    pub(crate) fn count_nulls(&self, nulls: u64) {
        self.nulls.fetch_add(nulls, Ordering::Relaxed);
    }

    pub(crate) fn nulls_skipped(&self) -> u64 {
        self.nulls.load(Ordering::Relaxed)
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
        let seen = match self.opened.try_read() {
            Ok(held) => held.as_ref().map(look),
            Err(TryLockError::Poisoned(held)) => held.into_inner().as_ref().map(look),
            Err(TryLockError::WouldBlock) => py.detach(|| self.read_detached(look)),
        };
        seen.ok_or_else(|| closed(py))
    }

    /// A long look: other threads have the interpreter meanwhile.
    pub(crate) fn read<R: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&Opened) -> R + Send,
    ) -> PyResult<R> {
        py.detach(|| self.read_detached(look)).ok_or_else(|| closed(py))
    }

    /// A look by a thread that does not hold the interpreter. Nothing of a filter that is closed.
    pub(crate) fn read_detached<R>(&self, look: impl FnOnce(&Opened) -> R) -> Option<R> {
        self.opened.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(look)
    }

    /// A short change.
    pub(crate) fn touch<R: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Opened) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let changed = match self.opened.try_write() {
            Ok(mut held) => match held.as_mut().map(change) {
                // An early return: copying the whole result, with its space for an error, is slow.
                Some(Ok(done)) => return Ok(done),
                other => other,
            },
            Err(TryLockError::Poisoned(held)) => held.into_inner().as_mut().map(change),
            Err(TryLockError::WouldBlock) => py.detach(|| self.write_detached(change)),
        };
        done(py, changed)
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
    pub(crate) fn write_detached<R>(&self, change: impl FnOnce(&mut Opened) -> R) -> Option<R> {
        self.opened.write().unwrap_or_else(PoisonError::into_inner).as_mut().map(change)
    }

    /// A change of this filter by a look at another one. Locks are taken in the order of their
    /// addresses, so that two threads which unite two filters each way never wait for each other.
    pub(crate) fn write_with<R: Send>(
        &self,
        py: Python<'_>,
        other: &Held,
        change: impl FnOnce(&mut Opened, &Opened) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let changed = py.detach(|| {
            if std::ptr::eq(self, other) {
                // Under one lock: what came or went between a look and the change would be lost, or
                // come back.
                return self.write_detached(|here| {
                    let same = here.clone();
                    change(here, &same)
                });
            }
            if std::ptr::from_ref(self) < std::ptr::from_ref(other) {
                self.write_detached(|here| other.read_detached(|there| change(here, there)))?
            } else {
                other.read_detached(|there| self.write_detached(|here| change(here, there)))?
            }
        });
        done(py, changed)
    }

    /// A look at two filters.
    pub(crate) fn read_with<R: Send>(
        &self,
        py: Python<'_>,
        other: &Held,
        look: impl FnOnce(&Opened, &Opened) -> R + Send,
    ) -> PyResult<R> {
        let seen = py.detach(|| {
            // A lock that is taken twice for reading may wait for a writer between the two.
            if std::ptr::eq(self, other) {
                return self.read_detached(|here| look(here, here));
            }
            if std::ptr::from_ref(self) < std::ptr::from_ref(other) {
                self.read_detached(|here| other.read_detached(|there| look(here, there)))?
            } else {
                other.read_detached(|there| self.read_detached(|here| look(here, there)))?
            }
        });
        seen.ok_or_else(|| closed(py))
    }

    /// Frees the memory, or the map of the file.
    pub(crate) fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.opened.write().unwrap_or_else(PoisonError::into_inner).take()));
    }
}

fn done<R>(py: Python<'_>, changed: Option<Result<R, Error>>) -> PyResult<R> {
    match changed {
        Some(Ok(done)) => Ok(done),
        Some(Err(error)) => Err(error::of(py, error)),
        None => Err(closed(py)),
    }
}

/// The error of every call after `close`.
pub(crate) fn closed(py: Python<'_>) -> PyErr {
    error::new(py, "ClosedError", "the filter was closed; open its file again".into())
}

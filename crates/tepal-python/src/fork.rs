//! Locks that work in a child of `fork` too.
//!
//! A child has one thread, the one that forked, and every lock as it was: whoever held one is not
//! there to give it back, and what was being changed stays half changed. So [`before`] waits until
//! no call without the interpreter is inside of a lock, and keeps new ones out until the fork is
//! done. Calls that hold the interpreter cannot be inside of one: whoever forks holds it. What the
//! wait did not reach, since it has an end, the child finds out at its first use of a lock.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{
    OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult,
};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// `before` waits for calls that change something, at most.
const FOR_CHANGES: Duration = Duration::from_secs(10);
/// And for those that only look, which the child can do without.
const FOR_LOOKS: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_micros(200);

/// Forks between this process and the one that Python was started in.
static GENERATION: AtomicU64 = AtomicU64::new(0);
/// Forks that have begun and are not done.
static FORKING: AtomicUsize = AtomicUsize::new(0);
/// Calls without the interpreter that change something, and that look.
static CHANGES: AtomicUsize = AtomicUsize::new(0);
static LOOKS: AtomicUsize = AtomicUsize::new(0);

/// A call that is inside, until this goes.
pub(crate) struct Inside(&'static AtomicUsize);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Comes in to look, for a thread that does not hold the interpreter and has no lock.
pub(crate) fn look() -> Inside {
    enter(&LOOKS)
}

/// The same, to change something.
pub(crate) fn change() -> Inside {
    enter(&CHANGES)
}

fn enter(calls: &'static AtomicUsize) -> Inside {
    loop {
        calls.fetch_add(1, Ordering::SeqCst);
        if FORKING.load(Ordering::SeqCst) == 0 {
            return Inside(calls);
        }
        calls.fetch_sub(1, Ordering::SeqCst);
        thread::sleep(PAUSE);
    }
}

/// Has Python call the three functions below at every `os.fork`, where there is one.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let os = module.py().import("os")?;
    let Some(register) = os.getattr_opt("register_at_fork")? else { return Ok(()) };
    let hooks = PyDict::new(module.py());
    hooks.set_item("before", wrap_pyfunction!(before, module)?)?;
    hooks.set_item("after_in_parent", wrap_pyfunction!(after_in_parent, module)?)?;
    hooks.set_item("after_in_child", wrap_pyfunction!(after_in_child, module)?)?;
    register.call((), Some(&hooks)).map(drop)
}

#[pyfunction]
fn before(py: Python<'_>) {
    FORKING.fetch_add(1, Ordering::SeqCst);
    py.detach(|| {
        let begun = Instant::now();
        let is_inside =
            |calls: &AtomicUsize, limit| calls.load(Ordering::SeqCst) > 0 && begun.elapsed() < limit;
        while is_inside(&CHANGES, FOR_CHANGES) || is_inside(&LOOKS, FOR_LOOKS) {
            thread::sleep(PAUSE);
        }
    });
}

#[pyfunction]
fn after_in_parent() {
    // Some programs fork in C, and call this alone.
    let less = |forking: usize| forking.checked_sub(1);
    let _ = FORKING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
}

#[pyfunction]
fn after_in_child() {
    GENERATION.fetch_add(1, Ordering::SeqCst);
    for calls in [&FORKING, &CHANGES, &LOOKS] {
        calls.store(0, Ordering::SeqCst);
    }
}

/// Says of what is behind a lock that a thread of the parent process was changing it during the
/// fork.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfChanged;

/// A lock for reading and writing.
#[derive(Debug)]
pub(crate) struct Lock<T> {
    value: RwLock<T>,
    /// Of the process that its holders are in.
    generation: AtomicU64,
    is_changing: AtomicBool,
    /// In a child, if a thread of the parent holds this lock for ever, and only looked.
    copy: OnceLock<Box<Lock<T>>>,
}

impl<T: Clone> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Lock {
            value: RwLock::new(value),
            generation: AtomicU64::new(GENERATION.load(Ordering::Relaxed)),
            is_changing: AtomicBool::new(false),
            copy: OnceLock::new(),
        }
    }

    /// The lock of this process, whose calls are below. For a thread that holds no lock.
    #[inline]
    pub(crate) fn here(&self) -> Result<&Lock<T>, HalfChanged> {
        if self.generation.load(Ordering::Relaxed) == GENERATION.load(Ordering::Relaxed) {
            return Ok(self);
        }
        self.after_fork()
    }

    #[cold]
    fn after_fork(&self) -> Result<&Lock<T>, HalfChanged> {
        if let Some(copy) = self.copy.get() {
            return copy.here();
        }
        // The interpreter keeps other threads out: two that decide would not agree.
        Python::attach(|_| {
            if let Some(copy) = self.copy.get() {
                return copy.here();
            }
            if self.is_changing.load(Ordering::SeqCst) {
                return Err(HalfChanged);
            }
            if self.try_write().is_some() {
                self.generation.store(GENERATION.load(Ordering::Relaxed), Ordering::Relaxed);
                return Ok(self);
            }
            let value = self.try_read().ok_or(HalfChanged)?.clone();
            self.copy.get_or_init(|| Box::new(Lock::new(value))).here()
        })
    }

    /// Nothing if it would have to wait.
    #[inline]
    pub(crate) fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        got(self.value.try_read())
    }

    /// Nothing if it would have to wait. For a thread that holds the interpreter.
    #[inline]
    pub(crate) fn try_write(&self) -> Option<RwLockWriteGuard<'_, T>> {
        got(self.value.try_write())
    }

    /// Waits, and looks. Only inside of a [`look`] or a [`change`].
    pub(crate) fn read<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.value.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits, and changes it. Only inside of a [`change`].
    pub(crate) fn write<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut value = self.value.write().unwrap_or_else(PoisonError::into_inner);
        self.is_changing.store(true, Ordering::SeqCst);
        let changed = change(&mut value);
        self.is_changing.store(false, Ordering::SeqCst);
        changed
    }
}

fn got<G>(lock: TryLockResult<G>) -> Option<G> {
    match lock {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

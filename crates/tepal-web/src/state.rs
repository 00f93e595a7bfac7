//! Everything that lasts from one call to the next. The module has one thread.

use alloc::vec::Vec;
use core::cell::RefCell;

use tepal::{Opened, SecretKey};

use crate::FAILED;
use crate::make::Making;
use crate::records::Records;
use crate::words::Words;

/// The buffers, and what is open.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) input: Vec<u8>,
    pub(crate) output: Vec<u8>,
    /// The file that is open.
    pub(crate) file: Option<Opened>,
    /// The secret key for the next file.
    pub(crate) secret: Option<SecretKey>,
    /// The filter that was made, until its bytes are taken.
    pub(crate) made: Option<Opened>,
    pub(crate) records: Records,
    pub(crate) making: Option<Making>,
    pub(crate) asked: u64,
    pub(crate) found: u64,
}

struct Alone(RefCell<Option<State>>);

// SAFETY: the module is instantiated without shared memory, so it has one thread.
unsafe impl Sync for Alone {}

static STATE: Alone = Alone(RefCell::new(None));

/// Runs a call with the state.
pub(crate) fn with<R>(run: impl FnOnce(&mut State) -> R) -> R {
    run(STATE.0.borrow_mut().get_or_insert_default())
}

impl State {
    /// Makes room for an input of this length.
    pub(crate) fn room(&mut self, len: usize) -> *mut u8 {
        // The last input may have been a large file.
        self.input = Vec::new();
        if self.input.try_reserve_exact(len).is_err() {
            return core::ptr::null_mut();
        }
        self.input.resize(len, 0);
        self.input.as_mut_ptr()
    }

    /// Sets the result of a call, and returns its length.
    pub(crate) fn give(&mut self, output: Vec<u8>) -> f64 {
        self.output = output;
        self.output.len() as f64
    }

    /// Sets the reason why a call failed.
    pub(crate) fn fail(&mut self, reason: &dyn Words) -> f64 {
        self.output = reason.words().into_bytes();
        FAILED
    }
}

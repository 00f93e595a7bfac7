//! Everything that lasts from one call to the next. The module has one thread.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt::Display;

use tepal::Opened;

use crate::FAILED;
use crate::make::Making;
use crate::records::Records;

/// The buffers, and what is open.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) input: Vec<u8>,
    pub(crate) output: Vec<u8>,
    pub(crate) file: Option<Opened>,
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
    pub(crate) fn fail(&mut self, reason: &dyn Display) -> f64 {
        self.output = reason.to_string().into_bytes();
        FAILED
    }
}

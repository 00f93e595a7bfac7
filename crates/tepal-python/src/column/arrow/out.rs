//! Answers as an Arrow array of booleans.

use std::ffi::c_void;
use std::ptr;

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::ffi::{ArrowArray, ArrowSchema};
use super::{ARRAY, SCHEMA};

/// Bits in the order of Arrow's: the least significant first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

impl Bits {
    /// So many bits that are set.
    pub(crate) fn all(len: usize) -> Self {
        let mut bits = Bits::default();
        (0..len).for_each(|_| bits.push(true));
        bits
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn get(&self, i: usize) -> bool {
        self.bytes[i / 8] & 1 << (i % 8) != 0
    }

    pub(crate) fn push(&mut self, bit: bool) {
        if self.len % 8 == 0 {
            self.bytes.push(0);
        }
        self.bytes[self.len / 8] |= u8::from(bit) << (self.len % 8);
        self.len += 1;
    }

    pub(crate) fn extend(&mut self, bits: &[bool]) {
        let (mut at, mut rest) = (0, bits);
        while self.len % 8 != 0 && at < bits.len() {
            self.push(bits[at]);
            at += 1;
            rest = &bits[at..];
        }
        for eight in rest.chunks(8) {
            let byte = eight.iter().enumerate().fold(0, |byte, (i, &bit)| byte | u8::from(bit) << i);
            self.bytes.push(byte);
        }
        self.len += rest.len();
    }
}

/// What an exported array stands on.
struct Kept {
    answers: Bits,
    valid: Option<Bits>,
    buffers: [*const c_void; 2],
}

/// The schema and the array, as `__arrow_c_array__` gives them.
pub(crate) fn export<'py>(
    py: Python<'py>,
    answers: Bits,
    valid: Option<Bits>,
) -> PyResult<Bound<'py, PyTuple>> {
    const NULLABLE: i64 = 2;
    let mut schema = ArrowSchema::empty();
    schema.format = c"b".as_ptr();
    schema.name = c"".as_ptr();
    schema.flags = NULLABLE;
    schema.release = Some(release_schema);
    let length = answers.len as i64;
    let nulls = valid.as_ref().map_or(0, |valid| (0..valid.len).filter(|&i| !valid.get(i)).count());
    // Kept alive by the array; its vectors do not move any more.
    let mut kept = Box::new(Kept { answers, valid, buffers: [ptr::null(); 2] });
    kept.buffers = [
        kept.valid.as_ref().map_or(ptr::null(), |valid| valid.bytes.as_ptr().cast()),
        kept.answers.bytes.as_ptr().cast(),
    ];
    let kept = Box::into_raw(kept);
    let mut array = ArrowArray::empty();
    array.length = length;
    array.null_count = nulls as i64;
    array.n_buffers = 2;
    // SAFETY: the box was just made.
    array.buffers = unsafe { &raw mut (*kept).buffers }.cast();
    array.private_data = kept.cast();
    array.release = Some(release_array);
    let schema = PyCapsule::new_with_value(py, schema, SCHEMA)?;
    let array = PyCapsule::new_with_value(py, array, ARRAY)?;
    PyTuple::new(py, [schema, array])
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: whoever releases it holds it, and it is one of `export`, whose texts are static.
    unsafe { (*schema).release = None };
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: whoever releases it holds it, and it is one of `export`.
    let array = unsafe { &mut *array };
    array.release = None;
    // SAFETY: `export` put the box there, and it is released once.
    drop(unsafe { Box::from_raw(array.private_data.cast::<Kept>()) });
}

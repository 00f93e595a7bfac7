//! Answers as an Arrow array of booleans.

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

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

/// The schema and the array, as `__arrow_c_array__` gives them.
pub(crate) fn export<'py>(
    py: Python<'py>,
    answers: Bits,
    valid: Option<Bits>,
) -> PyResult<Bound<'py, PyTuple>> {
    let len = answers.len;
    let nulls = valid.as_ref().map_or(0, |valid| (0..valid.len).filter(|&i| !valid.get(i)).count());
    let (schema, array) = tepal_arrow::booleans(answers.bytes, valid.map(|valid| valid.bytes), (len, nulls));
    let schema = PyCapsule::new_with_value(py, schema, SCHEMA)?;
    let array = PyCapsule::new_with_value(py, array, ARRAY)?;
    PyTuple::new(py, [schema, array])
}

//! The arrays of a call, one after the other.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;

use super::Column;
use super::arrow::{Chunk, Stream};

/// Arrays of keys, each of which is read where it lies.
pub(crate) enum Rows<'py> {
    /// A buffer, which is released when this goes.
    Buffer(Box<dyn Column>, PyUntypedBuffer),
    /// One Arrow array.
    Chunk(Chunk),
    /// Arrow arrays that come one after the other.
    Stream(Stream<'py>),
}

impl Rows<'_> {
    /// Hands each array to `take`.
    pub(crate) fn each(
        self,
        py: Python<'_>,
        mut take: impl FnMut(&dyn Column) -> PyResult<()>,
    ) -> PyResult<()> {
        match self {
            Rows::Buffer(column, buffer) => {
                let taken = take(&*column);
                drop(column);
                buffer.release(py);
                taken
            }
            Rows::Chunk(chunk) => take(&*chunk.column().map_err(|fault| fault.raise(py))?),
            Rows::Stream(mut stream) => {
                while let Some(chunk) = stream.next(py)? {
                    take(&*chunk.column().map_err(|fault| fault.raise(py))?)?;
                }
                Ok(())
            }
        }
    }
}

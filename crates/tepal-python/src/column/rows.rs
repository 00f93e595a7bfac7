//! The arrays of a call, one after the other.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;

use tepal_arrow::Column;

use super::arrow::{Chunk, Stream};
use crate::error;

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
            Rows::Chunk(chunk) => take(&*chunk.column().map_err(|broken| error::wrong_key(py, broken.0))?),
            Rows::Stream(mut stream) => {
                while let Some(chunk) = stream.next(py)? {
                    take(&*chunk.column().map_err(|broken| error::wrong_key(py, broken.0))?)?;
                }
                Ok(())
            }
        }
    }
}

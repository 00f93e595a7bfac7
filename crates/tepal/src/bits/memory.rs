//! Allocation that returns an error where Rust's own calls would end the program.

#![cfg_attr(not(all(feature = "table", feature = "static", feature = "extras")), allow(dead_code))]

use alloc::vec::Vec;

use crate::error::{Error, Result};

/// An empty vector with space for this number of values.
pub(crate) fn room<T>(count: usize) -> Result<Vec<T>> {
    let mut room = Vec::new();
    reserve(&mut room, count)?;
    Ok(room)
}

/// Reserves space for this number of further values.
pub(crate) fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<()> {
    let bytes = (values.len() as u64).saturating_add(more as u64).saturating_mul(size_of::<T>() as u64);
    values.try_reserve_exact(more).map_err(|_| Error::TooLarge { bytes })
}

/// Appends a value; reserves space for several if the vector is full.
#[inline]
pub(crate) fn push<T>(values: &mut Vec<T>, value: T) -> Result<()> {
    if values.len() == values.capacity() {
        let bytes = (values.len() as u64).saturating_mul(2 * size_of::<T>() as u64);
        values.try_reserve(1).map_err(|_| Error::TooLarge { bytes })?;
    }
    values.push(value);
    Ok(())
}

/// A vector of this number of zeros.
pub(crate) fn zeros<T: Copy + Default>(count: usize) -> Result<Vec<T>> {
    let mut zeros = room(count)?;
    zeros.resize(count, T::default());
    Ok(zeros)
}

/// A copy of the values in its own memory.
pub(crate) fn copy_of<T: Clone>(values: &[T]) -> Result<Vec<T>> {
    let mut copy = room(values.len())?;
    copy.extend_from_slice(values);
    Ok(copy)
}

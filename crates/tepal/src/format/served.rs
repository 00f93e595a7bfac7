//! Filters of a module in Redis or Valkey: the values of a key in the server's own files, and the
//! pairs of `BF.SCANDUMP` one by one.

use alloc::vec::Vec;

use super::beside::Beside;
use super::foreign::{self, Pairs, no_values};
use super::open::Open;
use super::opened::Opened;
use super::values::{PutValues, Values};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::ids::Format;
use crate::kinds::AnyFilter;

impl Open<'_> {
    /// Reads a key of another program's module from its saved values: RedisBloom's of the encoding
    /// version 4, or valkey-bloom's of the version 1. [`format`](Self::format) tells which.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), and [`Error::Damaged`] if a value is missing;
    /// [`Error::Unsupported`] for a format whose program is no module.
    pub fn from_values(&self, values: &mut dyn Values) -> Result<Opened> {
        let format = self.format.unwrap_or(Format::Tepal);
        let reading = foreign::Reading { domain: self.key_domain.unwrap_or_default(), done: None };
        let read = foreign::read_values(format, values, reading)?;
        foreign::check_domain(format, reading.domain)?;
        Ok(Opened::of_foreign(format, read))
    }
}

impl Opened {
    /// Hands the filter over to a server as the saved values of its program's module:
    /// [`Open::from_values`] reads them.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes); [`Error::Unsupported`] for a format whose program is no
    /// module.
    pub fn put_values(&self, values: &mut dyn PutValues) -> Result<()> {
        foreign::put_values(self.format(), self.of_other_program()?, values)
    }

    /// The pair of `BF.SCANDUMP` that follows this iterator: the next iterator, and the data.
    /// `None` after the last pair, and for an iterator that no pair has. The first iterator is 0.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes); [`Error::Unsupported`] for a format without pairs.
    pub fn pair(&self, iterator: u64) -> Result<Option<(u64, Vec<u8>)>> {
        foreign::pair(self.format(), self.of_other_program()?, iterator)
    }

    fn of_other_program(&self) -> Result<(&AnyFilter, &dyn Beside)> {
        Ok((self.filter(), self.beside().ok_or_else(|| no_values(self.format()))?))
    }
}

impl Pairs {
    /// Makes the filter of all pairs.
    ///
    /// # Errors
    /// [`Error::Damaged`] if bits are missing, and as [`Open::from_bytes`].
    pub fn finish(&self) -> Result<Opened> {
        Ok(Opened::of_foreign(Format::RedisBloom, self.read()?))
    }
}

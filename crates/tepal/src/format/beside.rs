//! The content of another program's file beside the filter.

#[cfg(feature = "foreign")]
use alloc::vec::Vec;
use core::fmt;

use crate::error::Result;
use crate::facts::Form;
use crate::fields::Put;
#[cfg(feature = "foreign")]
use crate::format::values::PutValues;
use crate::kinds::{AnyFilter, Ref};

/// The content of another program's file beside the filter. With it, writing gives the same bytes
/// again.
pub(super) trait Beside: fmt::Debug + Send + Sync {
    /// Writes the file. Returns an error for a filter that the format cannot hold.
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()>;

    /// The calls of a program that is a module of a server; `None` for any other program.
    #[cfg(feature = "foreign")]
    fn served(&self) -> Option<&dyn Served> {
        None
    }

    /// Does a checksum cover the bits?
    fn has_checksum(&self) -> bool {
        false
    }

    /// The form of the file, if the format has two.
    fn form(&self) -> Option<Form> {
        None
    }

    /// The same content in another form; `None` if the format does not have that form.
    fn in_form(&self, _: Form) -> Option<Ref<dyn Beside>> {
        None
    }
}

/// What a module of Redis or Valkey stores of its filter.
#[cfg(feature = "foreign")]
pub(super) trait Served {
    /// Hands the filter over to a server, value by value.
    fn put_values(&self, filter: &AnyFilter, values: &mut dyn PutValues) -> Result<()>;

    /// The pair of `BF.SCANDUMP` after this iterator; `None` after the last one. An error for a
    /// module without that command.
    fn pair(&self, filter: &AnyFilter, iterator: u64) -> Result<Option<(u64, Vec<u8>)>>;
}

/// The result of reading another program's file.
pub(super) type Read = (AnyFilter, Ref<dyn Beside>);

//! The content of another program's file beside the filter.

#[cfg(feature = "foreign")]
use core::any::Any;
use core::fmt;

use crate::error::Result;
use crate::facts::Form;
use crate::fields::Put;
use crate::kinds::{AnyFilter, Ref};

/// The content of another program's file beside the filter. With it, writing gives the same bytes
/// again.
pub(super) trait Beside: fmt::Debug + Send + Sync {
    /// Writes the file. Returns an error for a filter that the format cannot hold.
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()>;

    /// The content as its own type, for a program that is a module of a server: its calls are then
    /// linked only into programs that make them.
    #[cfg(feature = "foreign")]
    fn of_module(&self) -> Option<&dyn Any> {
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

/// The result of reading another program's file.
pub(super) type Read = (AnyFilter, Ref<dyn Beside>);

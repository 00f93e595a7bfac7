//! What stands in a file of another program beside the filter.

use core::fmt;

use crate::error::Result;
use crate::facts::Form;
use crate::fields::Put;
use crate::kinds::{AnyFilter, Ref};

/// What a format of another program keeps beside the filter, so that writing gives the same bytes
/// again.
pub(super) trait Beside: fmt::Debug + Send + Sync {
    /// Writes the file. A filter that the format cannot hold is an error, and never another file.
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()>;

    /// Are the bits under a checksum?
    fn has_checksum(&self) -> bool {
        false
    }

    /// Which form it is, where the format has two.
    fn form(&self) -> Option<Form> {
        None
    }

    /// The same in another form; nothing where the format has no such form.
    fn in_form(&self, _: Form) -> Option<Ref<dyn Beside>> {
        None
    }
}

/// What was read of another program's file.
pub(super) type Read = (AnyFilter, Ref<dyn Beside>);

//! Filters that consist of several, whose bits lie one after the other in the body of a file.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::in_file::{BodyChecked, CheckBody, Ref};
use super::storage::{Mapped, PlainStorage};
use crate::bits::Line;
use crate::error::Result;

/// What the bits of each link must be, and how many lines it has.
pub(crate) struct EachLink(pub(crate) Vec<(usize, Box<dyn CheckBody>)>);

impl CheckBody for EachLink {
    fn check(&self, lines: &[Line]) -> Result<()> {
        let mut rest = lines;
        self.0.iter().try_for_each(|(count, link)| {
            let (here, after) = rest.split_at(*count);
            rest = after;
            link.check(here)
        })
    }
}

/// The bits of an opened file, of all links together, and what they are held against.
#[derive(Clone)]
pub(crate) struct Whole {
    pub(crate) lines: Mapped,
    pub(crate) check: Ref<dyn BodyChecked>,
}

impl Whole {
    /// Holds the bits against what the file says of them.
    pub(crate) fn verify(&self) -> Result<()> {
        self.check.run(self.lines.as_lines())
    }

    /// The same, where it has not been done.
    pub(crate) fn check_before_copying(&self) -> Result<()> {
        if self.check.has_passed() { Ok(()) } else { self.verify() }
    }
}

impl fmt::Debug for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Whole")
    }
}

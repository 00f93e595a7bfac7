//! Where a filter's bits live, as asking sees it.

use alloc::vec::Vec;

#[cfg(target_has_atomic = "64")]
use super::shared::Shared;
use crate::bits::{self, Line};
use crate::error::Result;

/// Where the bits of a filter live: in memory or in an opened file (whatever lends [`Line`]s), or in [`Shared`].
/// Nothing else can be a storage.
pub trait Storage {
    /// The bits, to be asked.
    #[doc(hidden)]
    fn view(&self) -> View<'_>;

    /// The bits in memory: a copy, or the same memory.
    #[doc(hidden)]
    fn into_lines(self) -> Result<Vec<Line>>;
}

/// The bits, to be asked.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(pub(crate) Bits<'a>);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Bits<'a> {
    Plain(&'a [Line]),
    #[cfg(target_has_atomic = "64")]
    Shared(&'a Shared),
}

impl Bits<'_> {
    /// The line as it is now.
    #[inline(always)]
    pub(crate) fn line(self, i: usize) -> Line {
        match self {
            Bits::Plain(lines) => lines[i],
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(shared) => shared.lines[i].load(),
        }
    }
}

impl<L: AsRef<[Line]>> Storage for L {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View(Bits::Plain(self.as_ref()))
    }

    fn into_lines(self) -> Result<Vec<Line>> {
        let lines = self.as_ref();
        let mut copy = bits::zeroed(lines.len() as u64)?;
        copy.copy_from_slice(lines);
        Ok(copy)
    }
}

#[cfg(target_has_atomic = "64")]
impl Storage for Shared {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View(Bits::Shared(self))
    }

    fn into_lines(self) -> Result<Vec<Line>> {
        Ok(bits::atomic::unshare(self.lines))
    }
}

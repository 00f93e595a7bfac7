//! The bits of a lookup, in plain or in shared memory.

#[cfg(target_has_atomic = "64")]
use super::atomic::AtomicLine;
use super::line::Line;

/// The bits of a filter, to be read: in memory, in a mapped file, or shared by threads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bits<'a> {
    Plain(&'a [Line]),
    #[cfg(target_has_atomic = "64")]
    Shared(&'a [AtomicLine]),
}

impl Bits<'_> {
    /// A copy of the line's present value.
    #[inline(always)]
    pub(crate) fn line(self, i: usize) -> Line {
        match self {
            Bits::Plain(lines) => lines[i],
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(lines) => lines[i].load(),
        }
    }
}

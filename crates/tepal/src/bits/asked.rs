//! Bits wherever they are.

#[cfg(target_has_atomic = "64")]
use super::atomic::AtomicLine;
use super::line::Line;

/// The bits of a filter, to be asked: as they lie in memory or in a mapped file, or shared by
/// threads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bits<'a> {
    Plain(&'a [Line]),
    #[cfg(target_has_atomic = "64")]
    Shared(&'a [AtomicLine]),
}

impl Bits<'_> {
    /// The line as it is now.
    #[inline(always)]
    pub(crate) fn line(self, i: usize) -> Line {
        match self {
            Bits::Plain(lines) => lines[i],
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(lines) => lines[i].load(),
        }
    }
}

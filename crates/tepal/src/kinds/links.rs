//! Filters that consist of several links, whose bits follow each other in the body of a file.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::in_file::{AwaitsBody, BodyChecked, CheckBody};
use super::storage::{Owned, PlainStorage, Ref};
use crate::bits::Line;
use crate::error::Result;

/// A filter that is read from a file up to its body: its links and its other properties.
pub(crate) struct Links<L, M> {
    pub(crate) links: Vec<L>,
    pub(crate) meta: M,
}

impl<L: AwaitsBody, M> Links<L, M> {
    /// Gives each link its lines. Returns the filters, the other properties, and the whole body
    /// with its checks, unless `checked` is `None`.
    pub(crate) fn with_lines<T>(
        self,
        lines: Owned,
        checked: Option<Ref<dyn BodyChecked>>,
        with_its_lines: impl Fn(L, Owned) -> T,
    ) -> (Vec<T>, M, Option<Box<WholeBody>>) {
        let lines = lines.shared();
        let mut from = 0;
        let link = |link: L| {
            let here = from..from + link.lines() as usize;
            from = here.end;
            let is_there = here.end <= lines.as_lines().len();
            with_its_lines(link, lines.part(if is_there { here } else { 0..0 }))
        };
        let links = self.links.into_iter().map(link).collect();
        (links, self.meta, checked.map(|check| Box::new(WholeBody { lines, check })))
    }
}

impl<L: AwaitsBody, M> AwaitsBody for Links<L, M> {
    fn lines(&self) -> u64 {
        self.links.iter().fold(0, |sum, link| sum.saturating_add(link.lines()))
    }

    fn self_test(&self) -> Result<()> {
        self.links.iter().try_for_each(AwaitsBody::self_test)
    }

    fn check(&self) -> Box<dyn CheckBody> {
        Box::new(EachLink(self.links.iter().map(|link| (link.lines() as usize, link.check())).collect()))
    }
}

/// The checks of each link's bits, with its number of lines.
struct EachLink(Vec<(usize, Box<dyn CheckBody>)>);

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

/// The bits of an opened file, of all links together, and their checks.
#[derive(Clone)]
pub(crate) struct WholeBody {
    lines: Owned,
    check: Ref<dyn BodyChecked>,
}

impl WholeBody {
    /// Checks the bits against what the file says of them.
    pub(crate) fn verify(&self) -> Result<()> {
        self.check.run(self.lines.as_lines())
    }

    /// [`verify`](Self::verify), unless that has been done.
    pub(crate) fn check_before_copying(&self) -> Result<()> {
        if self.check.has_passed() { Ok(()) } else { self.verify() }
    }
}

impl fmt::Debug for WholeBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WholeBody")
    }
}

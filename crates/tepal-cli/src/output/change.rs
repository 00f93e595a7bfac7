//! Where a filter goes that is read, changed and written again.

use std::path::Path;

use crate::args::ChangeArgs;
use crate::error::Failure;
use crate::output::{Target, is_same_file};

/// A filter that is to be changed: in its own place, or into another file.
pub struct Change<'a> {
    filter: &'a Path,
    /// The other file.
    over: Option<&'a Path>,
    force: bool,
    locked: Option<Target>,
}

impl<'a> Change<'a> {
    /// Locks what is changed in its place, from before it is read until it is saved, so that no
    /// other writer comes between. Of what cannot be opened at all, `open` says more.
    pub fn lock<T>(
        filter: &'a Path,
        args: &'a ChangeArgs,
        open: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<Self, Failure> {
        let ChangeArgs { ref output, force, no_wait, quiet } = *args;
        let over = output.as_deref().filter(|path| !is_same_file(path, filter) || !force);
        let locked = match over {
            Some(_) => None,
            None => Target::lock(filter, no_wait, quiet).or_else(|failure| open().and(Err(failure)))?,
        };
        Ok(Self { filter, over, force, locked })
    }

    /// Is it replaced itself?
    pub fn is_in_place(&self) -> bool {
        self.over.is_none()
    }

    /// Is it a file that can be locked, and is?
    pub fn is_locked(&self) -> bool {
        self.locked.is_some()
    }

    /// Where it goes. What cannot be saved to is refused.
    pub fn target(self) -> Result<Target, Failure> {
        let target = match self.over {
            Some(path) => Target::new(path, self.force)?,
            None => Target::new(self.filter, true)?,
        };
        Ok(self.locked.unwrap_or(target))
    }
}

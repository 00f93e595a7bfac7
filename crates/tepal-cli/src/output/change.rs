//! The place of a filter that is read, changed and written again.

use std::fs;
use std::path::Path;

use crate::args::ChangeArgs;
use crate::error::Failure;
use crate::output::target::is_pipe;
use crate::output::{Target, is_same_file};
use crate::text::message::shown;

/// A filter that is changed: its own file is replaced, or the result is written to another file.
pub struct Change<'a> {
    filter: &'a Path,
    /// The other file.
    over: Option<&'a Path>,
    force: bool,
    locked: Option<Target>,
}

impl<'a> Change<'a> {
    /// Locks a file that will be replaced, before it is read and until it is saved, so that no
    /// other writer changes it in between. If it cannot be locked and `open` fails too, the error
    /// of `open` is returned: it says more.
    pub fn lock<T>(
        filter: &'a Path,
        args: &'a ChangeArgs,
        open: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<Self, Failure> {
        let ChangeArgs { ref output, force, no_wait, quiet } = *args;
        if output.is_none() {
            refuse_pipe(filter)?;
        }
        let over = output.as_deref().filter(|path| !is_same_file(path, filter) || !force);
        let locked = match over {
            Some(_) => None,
            None => Target::lock(filter, no_wait, quiet).or_else(|failure| open().and(Err(failure)))?,
        };
        Ok(Self { filter, over, force, locked })
    }

    /// Is the filter's own file replaced?
    pub fn is_in_place(&self) -> bool {
        self.over.is_none()
    }

    /// Is the filter's own file locked?
    pub fn is_locked(&self) -> bool {
        self.locked.is_some()
    }

    /// The target. A place that cannot be saved to is refused.
    pub fn target(self) -> Result<Target, Failure> {
        let target = match self.over {
            Some(path) => Target::new(path, self.force)?,
            None => Target::new(self.filter, true)?,
        };
        Ok(self.locked.unwrap_or(target))
    }
}

/// Refuses a pipe as the file that is changed: it is not opened, and nothing is read from it.
fn refuse_pipe(filter: &Path) -> Result<(), Failure> {
    match fs::metadata(filter) {
        Ok(found) if is_pipe(&found) => {
            let text =
                "a pipe, which cannot be replaced by the new filter; write that to a file with -o FILE";
            Err(Failure::at(&shown(filter), text))
        }
        _ => Ok(()),
    }
}

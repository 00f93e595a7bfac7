//! `tepal patch`: makes the new filter of an old one and a patch.

use tepal::{Error, file::Patch};

use super::diff::keys;
use crate::args::PatchArgs;
use crate::error::{Failure, Outcome};
use crate::output::{Change, keep, say};
use crate::text::message::{io_text, shown};
use crate::text::number;

/// Runs the verb.
pub fn run(args: &PatchArgs) -> Outcome {
    let name = shown(&args.old);
    if [&args.old, &args.patch].iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::new(
            "- is given for the filter or the patch; both are read more than once, so name files",
        ));
    }
    keep(args.change.output.as_deref(), "the patch", [&args.patch])?;
    let patch = Patch::open(&args.patch).map_err(|error| refused(args, error))?;
    let change = Change::lock(&args.old, &args.change, || Ok(()))?;
    let in_place = change.is_in_place();
    if in_place && !change.is_locked() {
        return Err(Failure::at(&name, no_file(args)));
    }
    let mut target = change.target()?;
    match target.apply(&patch, &args.old)? {
        Ok(()) => {}
        // To do it twice is no error where nothing else was to be made.
        Err(Error::OtherOld { is_new: true, .. }) if in_place => {
            if !args.change.quiet {
                say(&format!("{name}: is what the patch makes already; nothing to do"));
            }
            return Ok(0);
        }
        Err(error @ Error::OtherOld { .. }) => {
            return Err(Failure::at(&shown(&args.patch), format!("not for {name}: {error}")));
        }
        Err(error) => return Err(Failure::at(&shown(&args.patch), error)),
    }
    if !args.change.quiet {
        say(&format!(
            "{}{} changed: {} is the new file, {}",
            keys(&patch),
            number::counted(patch.flips(), "bit"),
            target.name(),
            number::size(patch.new_len())
        ));
    }
    Ok(0)
}

/// What is no ordinary file is not patched in place.
fn no_file(args: &PatchArgs) -> String {
    match std::fs::metadata(&args.old) {
        Err(error) => format!("{}; expected the filter that the patch was made from", io_text(&error)),
        Ok(_) => "not an ordinary file, so it cannot be replaced; name a new one with -o".to_owned(),
    }
}

/// Why a file is no patch.
fn refused(args: &PatchArgs, error: Error) -> Failure {
    let name = shown(&args.patch);
    match error {
        Error::Io { source, .. } => Failure::at(
            &name,
            format!("{}; expected a patch, made with: tepal diff OLD NEW -o PATCH", io_text(&source)),
        ),
        Error::Parameter { found, .. } if found == "a tepal file" => Failure::at(
            &name,
            "a filter, and no patch; name the old filter, then the patch: tepal patch OLD PATCH",
        ),
        Error::Parameter { .. } => {
            Failure::at(&name, "not a patch; make one with: tepal diff OLD NEW -o PATCH")
        }
        error => Failure::at(&name, error),
    }
}

//! `tepal patch`: makes the new filter of an old one and a patch.

use std::io::{Read, stdin};

use serde::Serialize;
use tepal::{Error, file::Patch};

use super::diff::{self, keys};
use crate::args::PatchArgs;
use crate::error::{Failure, Outcome};
use crate::input::source::Source;
use crate::output::{Change, Stdout, keep, refuse_both, say};
use crate::text::message::{io_text, shown};
use crate::text::number;
use crate::text::words::Words;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Where the new file is.
    file: String,
    /// False where the old file was the new one already.
    changed: bool,
    #[serde(flatten)]
    patch: diff::Report,
}

/// Runs the verb.
pub fn run(args: &PatchArgs) -> Outcome {
    let name = shown(&args.old);
    if args.old.as_os_str() == "-" {
        return Err(Failure::new("- is given for the filter, which is read more than once; name a file"));
    }
    refuse_both(args.json, args.change.output.as_deref())?;
    keep(args.change.output.as_deref(), "the patch", [&args.patch])?;
    let patch = read(args)?;
    let change = Change::lock(&args.old, &args.change, || Ok(()))?;
    let in_place = change.is_in_place();
    if in_place && !change.is_locked() {
        return Err(Failure::at(&name, no_file(args)));
    }
    let mut target = change.target()?;
    let changed = match target.apply(&patch, &args.old)? {
        Ok(()) => true,
        // To do it twice is no error where nothing else was to be made.
        Err(Error::OtherOld { is_new: true, .. }) if in_place => {
            if !args.change.quiet {
                say(&format!("{name}: is what the patch makes already; nothing to do"));
            }
            false
        }
        Err(error @ Error::OtherOld { .. }) => {
            return Err(Failure::at(&patch_name(args), format!("not for {name}: {}", error.words())));
        }
        Err(error) => return Err(Failure::at(&patch_name(args), error)),
    };
    if changed && !args.change.quiet {
        say(&format!(
            "{}{} changed: {} is the new file, {}",
            keys(&patch),
            number::counted(patch.flips(), "bit"),
            target.name(),
            number::size(patch.new_len())
        ));
    }
    if args.json {
        let patch = diff::Report::of(&patch);
        Stdout::new().document(&Report { file: target.name(), changed, patch })?;
    }
    Ok(0)
}

/// The most bytes of a patch in standard input, as of a filter in a pipe.
const MOST: u64 = 256 << 20;

/// Reads the patch, which is read once.
fn read(args: &PatchArgs) -> Result<Patch, Failure> {
    if args.patch.as_os_str() != "-" {
        return Patch::open(&args.patch).map_err(|error| refused(args, error));
    }
    let (mut bytes, name) = (Vec::new(), patch_name(args));
    stdin().lock().take(MOST + 1).read_to_end(&mut bytes).map_err(|error| Failure::io(&name, &error))?;
    if bytes.len() as u64 > MOST {
        let text = format!("more than {}; save it to a file, and name that", number::size(MOST));
        return Err(Failure::at(&name, text));
    }
    Patch::from_bytes(bytes).map_err(|error| refused(args, error))
}

/// The patch's name for messages.
fn patch_name(args: &PatchArgs) -> String {
    Source::of(&args.patch).name()
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
    let name = patch_name(args);
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

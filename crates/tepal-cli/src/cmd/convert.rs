//! `tepal convert`: writes the same bits in the format of another program.

use tepal::{Error, FilterFile, Format, KeyDomain};

use crate::args::ConvertArgs;
use crate::error::{Failure, Outcome};
use crate::open::open;
use crate::output::{Target, complain, say};
use crate::secrets::Secrets;
use crate::text::message::shown;

/// Runs the verb.
pub fn run(args: &ConvertArgs) -> Outcome {
    let name = shown(&args.filter);
    let target = Target::new(&args.output, args.force)?;
    let secrets = Secrets::read(&args.keyed)?;
    let opened = open(&args.filter, args.file, &secrets)?;
    let file = opened.into_file().map_err(|error| Failure::at(&name, error))?;
    let from = file.format();
    let before = (from != Format::Tepal).then(|| file.clone());
    let file = file.convert_to(args.to).map_err(|error| Failure::at(&name, refusal(&error, args.to)))?;
    // The seal was checked when the filter was opened. Another program's file cannot have one.
    let seal = secrets.seal.as_ref().filter(|_| args.to == Format::Tepal);
    target.save_file(&file, seal)?;
    if args.quiet {
        return Ok(0);
    }
    say(&format!("{from} to {}, scheme {}: the same bits", args.to, file.filter().scheme()));
    if let Some(text) = unrecorded_encoding(&file) {
        complain(&format!("{}: ! {text}", target.name()));
    }
    if before.is_some_and(|before| !comes_back(&before, &file)) {
        let text = format!("what {from} keeps beside the bits is not in it, and cannot be had back from it");
        complain(&format!("{}: ! {text}", target.name()));
    }
    Ok(0)
}

/// Whether converting the new file back gives the old file, byte for byte.
fn comes_back(old: &FilterFile, new: &FilterFile) -> bool {
    let back = new.clone().convert_to(old.format()).and_then(|file| file.to_bytes());
    matches!((back, old.to_bytes()), (Ok(back), Ok(old)) if back == old)
}

/// Why the bits cannot be in that format, and what to do.
fn refusal(error: &Error, to: Format) -> String {
    let text = error.to_string();
    match text.ends_with("rebuild it from the keys") {
        true => format!("{text} with: tepal build LIST --to {to} -o FILTER"),
        false => text,
    }
}

/// A warning where the new file does not say how keys are encoded, and it is not the default.
fn unrecorded_encoding(file: &FilterFile) -> Option<String> {
    match (file.format(), file.filter().key_domain()) {
        (Format::Tepal, _) | (_, KeyDomain::Bytes) => None,
        (_, domain) => Some(format!("the file does not keep that keys are {domain}: say --keys {domain}")),
    }
}

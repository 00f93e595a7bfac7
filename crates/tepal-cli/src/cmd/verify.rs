//! `tepal verify`: checks that every byte of a filter is what was written.

use std::path::Path;

use serde::Serialize;
use tepal::Format;

use crate::args::VerifyArgs;
use crate::describe_foreign;
use crate::error::{Failure, Outcome};
use crate::open::{Filter, file_len, open_each};
use crate::output::{Stdout, complain};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number::{count, counted};

/// What was found in one file, as `--json` prints it.
#[derive(Default, Serialize)]
struct Verified {
    file: String,
    /// Nothing wrong was found.
    right: bool,
    /// Null where the file has no known format.
    format: Option<&'static str>,
    /// Whether the file has a checksum of its bits, so that every change of them is found.
    checksum: Option<bool>,
    /// How many pieces with a checksum of their own a tepal file has.
    chunks: Option<u64>,
    /// Whether a tepal file is sealed. If it is, the seal is right.
    sealed: Option<bool>,
    file_len: Option<u64>,
    /// What is wrong.
    problem: Option<String>,
}

/// Runs the verb. If a file is damaged, the others are still checked.
pub fn run(args: &VerifyArgs) -> Outcome {
    let secrets = Secrets::read(&args.keyed)?;
    let mut stdout = Stdout::new();
    let mut all = Vec::new();
    for path in &args.filters {
        let verified = open_each(path, args.file, &secrets).and_then(|filter| right(path, &filter));
        let verified = match verified {
            Ok(verified) => verified,
            Err(Failure::Message(text)) => {
                Verified { file: shown(path), problem: Some(text), ..Verified::default() }
            }
            Err(closed) => return Err(closed),
        };
        match &verified.problem {
            Some(text) => complain(text),
            None if !args.json => stdout.write(line(&verified).as_bytes())?,
            None => {}
        }
        all.push(verified);
    }
    if args.json {
        stdout.document(&all)?;
    }
    stdout.flush()?;
    Ok(if all.iter().all(|verified| verified.right) { 0 } else { 2 })
}

/// What is said of a file that could be opened: all that can be checked is right then.
fn right(path: &Path, filter: &Filter) -> Result<Verified, Failure> {
    let verified = Verified { file: shown(path), right: true, ..Verified::default() };
    Ok(match filter {
        Filter::Own(filter) => Verified {
            format: Some(Format::Tepal.name()),
            checksum: Some(true),
            chunks: Some(filter.chunks()),
            sealed: Some(filter.is_sealed()),
            file_len: Some(file_len(filter)),
            ..verified
        },
        Filter::Foreign(file) => Verified {
            format: Some(file.format().name()),
            checksum: Some(file.has_checksum()),
            file_len: Some(describe_foreign::file_len(&shown(path), file)?),
            ..verified
        },
    })
}

/// The line about a file that is right, for people.
fn line(verified: &Verified) -> String {
    let name = &verified.file;
    let len = count(verified.file_len.unwrap_or_default());
    match (verified.chunks, verified.format.unwrap_or_default(), verified.checksum) {
        (Some(chunks), ..) => {
            let seal = if verified.sealed == Some(true) { ", the seal is right" } else { "" };
            format!("{name}: whole, {}, {len} bytes{seal}\n", counted(chunks, "chunk"))
        }
        (None, format, Some(true)) => {
            format!("{name}: {format}, {len} bytes; its lengths, fields and checksum are right\n")
        }
        (None, format, _) => format!(
            "{name}: {format}, {len} bytes; its lengths and fields are right, and there is no checksum by which to \
             check its bits\n"
        ),
    }
}

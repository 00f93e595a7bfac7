//! `tepal verify`: is every byte of these filters what was written?

use serde::Serialize;
use tepal::facts::FileFacts;

use crate::args::VerifyArgs;
use crate::error::{Failure, Outcome};
use crate::open::open_one_of;
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
    /// Null where the file cannot be read as any.
    format: Option<&'static str>,
    /// Whether its bits are under a checksum, so that every change of them is found.
    checksum: Option<bool>,
    /// Pieces of a tepal file with a checksum of their own.
    chunks: Option<u64>,
    /// Whether a tepal file is sealed; the seal is then right.
    sealed: Option<bool>,
    file_len: Option<u64>,
    /// Keys that a tepal file says no for though its bits say yes.
    exceptions: Option<u64>,
    /// What is wrong.
    problem: Option<String>,
}

/// Runs the verb. A file that is damaged does not hide the others.
pub fn run(args: &VerifyArgs) -> Outcome {
    let secrets = Secrets::read(&args.keyed, args.quiet)?;
    let mut stdout = Stdout::new();
    let mut all = Vec::new();
    for path in &args.filters {
        let name = shown(path);
        // Opening checks everything that can be checked.
        let opened = open_one_of(args.filters.len(), path, args.file, &secrets);
        let verified = opened.and_then(|filter| {
            let facts = filter.file_facts().map_err(|error| Failure::at(&name, error))?;
            Ok((facts, filter.filter().exceptions()))
        });
        let verified = match verified {
            Ok((file, exceptions)) => right(name, &file, exceptions),
            Err(Failure::Message(text)) => {
                Verified { file: name, problem: Some(text), ..Verified::default() }
            }
            Err(closed) => return Err(closed),
        };
        match &verified.problem {
            Some(text) => complain(text),
            None if !args.json && !args.quiet => stdout.write(line(&verified).as_bytes())?,
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

/// A file that was opened.
fn right(name: String, file: &FileFacts, exceptions: u64) -> Verified {
    Verified {
        file: name,
        right: true,
        format: Some(file.format.name()),
        checksum: Some(file.has_checksum),
        chunks: file.chunks,
        sealed: file.chunks.map(|_| file.is_sealed),
        file_len: Some(file.file_len),
        exceptions: file.chunks.map(|_| exceptions),
        problem: None,
    }
}

/// The line about a file that is right, for people.
fn line(verified: &Verified) -> String {
    let name = &verified.file;
    let len = count(verified.file_len.unwrap_or_default());
    match (verified.chunks, verified.format.unwrap_or_default(), verified.checksum) {
        (Some(chunks), ..) => {
            let seal = if verified.sealed == Some(true) { ", the seal is right" } else { "" };
            let exceptions = match verified.exceptions {
                Some(count) if count > 0 => format!(", {}", counted(count, "exception")),
                _ => String::new(),
            };
            format!("{name}: whole, {}{exceptions}, {len} bytes{seal}\n", counted(chunks, "chunk"))
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

//! `tepal verify`: is every byte of these filters what was written?

use serde::Serialize;
use tepal::facts::FileFacts;

use crate::args::{FileArgs, VerifyArgs};
use crate::error::{Failure, Outcome};
use crate::open::{KeysOf, open_one_of};
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
    /// Whether a tepal file is sealed.
    sealed: Option<bool>,
    /// Whether the seal was found right: not without its key. Null where there is none.
    seal_checked: Option<bool>,
    /// Whether the secret that was given is that of the filter: not without it. Null where it has
    /// none.
    secret_checked: Option<bool>,
    file_len: Option<u64>,
    /// Keys that a tepal file says no for though its bits say yes.
    exceptions: Option<u64>,
    /// What is wrong.
    problem: Option<String>,
}

/// Runs the verb. A file that is damaged does not hide the others.
pub fn run(args: &VerifyArgs) -> Outcome {
    let secrets = Secrets::read(&args.keyed, args.quiet)?;
    let how = FileArgs { without_keys: true, ..args.file };
    let mut stdout = Stdout::new();
    let mut all = Vec::new();
    for path in &args.filters {
        let name = shown(path);
        // Opening checks everything that can be checked.
        let opened = open_one_of(args.filters.len(), path, how, &secrets);
        let verified = opened.and_then(|filter| {
            let facts = filter.file_facts().map_err(|error| Failure::at(&name, error))?;
            Ok((facts, filter.filter().exceptions(), KeysOf::of(&filter, &secrets)))
        });
        let verified = match verified {
            Ok((file, exceptions, keys)) => {
                let problem = args.require_seal.then(|| no_seal(keys)).flatten();
                let problem = problem.map(|text| format!("{name}: {text}"));
                let right = problem.is_none();
                Verified { right, problem, ..opened_file(name, &file, exceptions, keys) }
            }
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

/// Why `--require-seal` refuses a file.
fn no_seal(keys: KeysOf) -> Option<&'static str> {
    match keys.seal {
        None => Some("has no seal, which --require-seal asks for; get the sealed one from its maker"),
        Some(false) => {
            Some("its seal was not checked, which --require-seal asks for; give its key with --seal FILE")
        }
        Some(true) => None,
    }
}

/// A file that was opened.
fn opened_file(name: String, file: &FileFacts, exceptions: u64, keys: KeysOf) -> Verified {
    Verified {
        file: name,
        right: true,
        format: Some(file.format.name()),
        checksum: Some(file.has_checksum),
        chunks: file.chunks,
        sealed: file.chunks.map(|_| file.is_sealed),
        seal_checked: keys.seal,
        secret_checked: keys.secret,
        file_len: Some(file.file_len),
        exceptions: file.chunks.map(|_| exceptions),
        problem: None,
    }
}

/// What could not be checked without a key.
fn unchecked(verified: &Verified) -> &'static str {
    match (verified.secret_checked, verified.seal_checked) {
        (Some(false), Some(false)) => {
            "; bytes are as written; secret and seal: not checked without their keys"
        }
        (Some(false), _) => "; bytes are as written; secret: not checked without it",
        (_, Some(false)) => "; bytes are as written; seal: not checked without its key",
        _ => "",
    }
}

/// The line about a file that is right, for people.
fn line(verified: &Verified) -> String {
    let name = &verified.file;
    let len = count(verified.file_len.unwrap_or_default());
    match (verified.chunks, verified.format.unwrap_or_default(), verified.checksum) {
        (Some(chunks), ..) => {
            let seal = if verified.seal_checked == Some(true) { ", the seal is right" } else { "" };
            let exceptions = match verified.exceptions {
                Some(count) if count > 0 => format!(", {}", counted(count, "exception")),
                _ => String::new(),
            };
            format!(
                "{name}: whole, {}{exceptions}, {len} bytes{seal}{}\n",
                counted(chunks, "chunk"),
                unchecked(verified)
            )
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

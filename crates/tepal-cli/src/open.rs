//! Opens filters of any program. If one cannot be opened, the error uses the words of the command
//! line.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use tepal::{Error, KeyDomain, Open, Opened, OverCapacity, Scheme, error::Looks, file::Format};

use crate::args::{FileArgs, OpenedAs, listed};
use crate::error::Failure;
use crate::output::complain;
use crate::parquet;
use crate::secrets::Secrets;
use crate::text::message::{io_text, shown};
use crate::text::words::Words;

/// Opens and checks the only filter of a verb. If a secret or a seal key is given, it must be that
/// of the filter.
pub fn open(path: &Path, file: FileArgs, secrets: &Secrets) -> Result<Opened, Failure> {
    open_one_of(1, path, file, secrets)
}

/// Opens several filters. If a secret or a seal key is given, it must be that of each filter.
pub fn open_all<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
    file: FileArgs,
    secrets: &Secrets,
) -> Result<Vec<Opened>, Failure> {
    let paths: Vec<_> = paths.into_iter().collect();
    paths.iter().map(|path| open_one_of(paths.len(), path, file, secrets)).collect()
}

/// Opens one of `filters` filters. A key that is given must fit each of them. If it were used only
/// for files that need it, somebody could replace a keyed file by a file without a key.
pub fn open_one_of(
    filters: usize,
    path: &Path,
    file: FileArgs,
    secrets: &Secrets,
) -> Result<Opened, Failure> {
    let mut open = Open::new();
    if let Some(format) = file.from {
        open = open.format(format);
    }
    if let Some(domain) = file.encoding {
        open = open.key_domain(domain);
    }
    if file.read {
        open = open.in_memory();
    }
    if file.without_keys {
        open = open.without_keys();
    }
    if file.copy_on_write {
        open = open.copy_on_write();
    }
    if file.quick {
        open = open.quick();
    }
    if let Some(key) = &secrets.secret {
        open = open.secret_key(key);
    }
    if let Some(key) = &secrets.seal {
        open = open.seal_key(key);
    }
    if let Some(name) = &secrets.name {
        open = open.expect_name(name);
    }
    let opened = open.open(path).map_err(|error| {
        let apart = if filters > 1 { others_flags(&error) } else { None };
        let why = match &error {
            Error::NotTepal { found: Looks::Parquet(whole), .. } => parquet::why(path, whole),
            Error::Io { source, .. } if path.as_os_str() == "-" && source.kind() == ErrorKind::NotFound => {
                "no such file; a filter in standard input is named /dev/stdin, and - only lines of keys"
                    .to_owned()
            }
            other => why(other, file),
        };
        Failure::at(&shown(path), format!("{why}{}", apart.unwrap_or_default()))
    })?;
    match file.from {
        // With several filters `--from` is only for those whose first bytes do not tell the format.
        Some(format) if filters == 1 && format != opened.format() => {
            Err(Failure::at(&shown(path), other_mark(format, opened.format(), file.opened_as)))
        }
        _ => Ok(opened),
    }
}

/// Which keys a filter has, and whether they were given and found right: nothing where it has none.
#[derive(Clone, Copy)]
pub struct KeysOf {
    /// The secret of its hash.
    pub secret: Option<bool>,
    /// The key of its seal.
    pub seal: Option<bool>,
}

impl KeysOf {
    /// Of a filter that was opened with these. A key that is not its own is refused then.
    pub fn of(file: &Opened, secrets: &Secrets) -> Self {
        let is_keyed = file.filter().scheme() == Scheme::SipHash13;
        Self {
            secret: is_keyed.then_some(secrets.secret.is_some()),
            seal: file.is_sealed().then_some(secrets.seal.is_some()),
        }
    }
}

/// The first eight bytes of an ordinary file, by which its format is known; of anything else none.
pub fn first_bytes(path: &Path) -> Vec<u8> {
    let mut first = Vec::new();
    if fs::metadata(path).is_ok_and(|found| found.is_file()) {
        let _ = File::open(path).and_then(|file| file.take(8).read_to_end(&mut first));
    }
    first
}

/// Is it a patch?
pub fn is_patch(first: &[u8]) -> bool {
    first.starts_with(b"\x89PATCH")
}

/// From this many bytes on, a changed file is mapped, and only the pages that change are copied
/// into memory.
const LARGE: u64 = 256 << 20;

/// How to open a filter that is to be changed.
pub fn to_change(path: &Path, file: FileArgs) -> FileArgs {
    let is_large = fs::metadata(path).is_ok_and(|found| found.len() >= LARGE);
    FileArgs { copy_on_write: is_large, ..file }
}

/// Prints that keys are hashed as bytes, if the program of the file has other keys too and `--keys`
/// is not given.
pub fn note_encoding(path: &Path, opened: &Opened, file: FileArgs) {
    let domains = opened.format().key_domains();
    if file.encoding.is_none() && opened.format() != Format::Tepal && domains.contains(&KeyDomain::Integer) {
        complain(&format!(
            "{}: keys are taken for bytes, for the file does not say what they are; say it with --keys, one of {}",
            shown(path),
            listed(domains)
        ));
    }
}

/// The advice if the secret or the seal key of the other filters does not fit this one.
fn others_flags(error: &Error) -> Option<&'static str> {
    match error {
        Error::KeyNotUsed => {
            Some(". --secret is for each filter that is named: ask this one apart, without it")
        }
        Error::WrongKey => {
            Some(". --secret is for each filter that is named: ask this one apart, with its own")
        }
        Error::NotSealed => Some(". --seal is for each filter that is named: ask this one apart, without it"),
        Error::WrongSeal => {
            Some(". --seal is for each filter that is named: ask this one apart, with its own")
        }
        _ => None,
    }
}

/// Lets inserts go past the capacity, for `--past-promise`. Returns the policy before; `None` for a
/// kind with a rule of its own for this, such as a growing chain.
pub fn ignore_capacity(name: &str, file: &mut Opened) -> Result<Option<OverCapacity>, Failure> {
    let policy = file.filter().over_capacity();
    match file.set_over_capacity(OverCapacity::Ignore) {
        Ok(()) => Ok(Some(policy)),
        Err(Error::NotPossible { .. }) => Ok(None),
        Err(error) => Err(Failure::at(name, error)),
    }
}

/// The reason why a filter cannot be opened with these flags.
fn why(error: &Error, file: FileArgs) -> String {
    match (error, file.from, file.encoding) {
        (Error::OtherKeys { found, .. }, _, Some(encoding)) => wrong_encoding(found, encoding),
        (Error::NoSuchKeys { format, found, expected, .. }, ..) => no_such_keys(*format, *found, expected),
        (Error::NotOfFormat { format, found, .. }, ..) => other_mark(*format, *found, file.opened_as),
        (Error::Damaged { what, .. }, Some(format), _) if format != Format::Tepal => {
            format!("no filter of the format {format}, or a damaged one: {what}")
        }
        (Error::Unsupported { what, found, known, .. }, Some(format), _) if format != Format::Tepal => {
            format!(
                "no filter of the format {format}, or a newer one: {what} {found}, and this tepal knows {known}"
            )
        }
        (Error::Parameter { .. } | Error::RateOutOfReach { .. }, Some(format), _)
            if format != Format::Tepal =>
        {
            format!("no filter of the format {format}, or a damaged one: {}", error.words())
        }
        _ => reason(error, file.opened_as),
    }
}

/// The reason why a format's program cannot have the keys that `--keys` names.
pub fn no_such_keys(format: Format, found: KeyDomain, expected: &[KeyDomain]) -> String {
    format!("{format} has no keys that are {found}; --keys is one of {}", listed(expected))
}

fn other_mark(given: Format, found: Format, opened_as: OpenedAs) -> String {
    let flag = if matches!(opened_as, OpenedAs::Like) { "--to" } else { "--from" };
    format!("its mark says {found}, not {given}; leave {flag} out")
}

fn wrong_encoding(recorded: &str, given: KeyDomain) -> String {
    format!("its keys are {recorded}, not {given}; leave --keys out")
}

/// The reason why a filter cannot be opened.
fn reason(error: &Error, opened_as: OpenedAs) -> String {
    match (error, opened_as) {
        (Error::NotTepal { found, .. }, OpenedAs::State) => {
            format!("not a tepal filter: {found}; name another file, which `uniq` makes")
        }
        (Error::Io { source, .. }, OpenedAs::State) => {
            format!("{}; expected a file that `uniq` makes", io_text(source))
        }
        (Error::Io { source, .. }, _) if source.kind() == ErrorKind::IsADirectory => {
            "a directory; expected a tepal filter".to_owned()
        }
        (Error::Io { source, .. }, _) => {
            format!("{}; expected a tepal filter, made with: tepal build LIST -o FILTER", io_text(source))
        }
        (Error::NotTepal { found: Looks::Other(first), .. }, _) if is_patch(first) => {
            "a patch, and no filter; make the new filter with: tepal patch OLD PATCH -o NEW".to_owned()
        }
        (Error::NotTepal { found: found @ Looks::DumpAndLineEnd, .. }, _) => {
            format!("not a tepal filter: {found}; cut that byte off with: head -c -1 FILTER > DUMP")
        }
        (Error::NotTepal { found: found @ Looks::Unmarked(_), .. }, OpenedAs::Like) => {
            format!("not a tepal filter: {found}; name its format (--to FORMAT)")
        }
        (Error::NotTepal { found: Looks::Unmarked(_), .. }, _) => error.words(),
        (Error::NotTepal { found, .. }, _) => {
            format!("not a tepal filter: {found}; make one with: tepal build LIST -o FILTER")
        }
        (other, _) => other.words(),
    }
}

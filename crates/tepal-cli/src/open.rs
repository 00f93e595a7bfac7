//! Opens filters, our own and other programs', and says in words of the command line why one cannot be opened.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use tepal::{
    AnyFilter, BloomFilter, Error, FilterFile, Format, Key, KeyDomain, Mapped, Open, Reading, Recipe, SealKey,
};

use crate::args::FileArgs;
use crate::describe_foreign::records_plan;
use crate::error::Failure;
use crate::secrets::Secrets;
use crate::text::message::{io_text, shown};

/// A tepal file, mapped.
pub type Own = BloomFilter<Mapped>;

/// An opened filter.
// A command holds a handful of these.
#[allow(clippy::large_enum_variant)]
pub enum Filter {
    /// From a tepal file.
    Own(Own),
    /// From another program's file, in memory.
    Foreign(FilterFile),
}

impl Filter {
    /// The filter, where a hash of 64 bits is all that it needs of a key.
    pub fn hashed(&self) -> Option<&Own> {
        match self {
            Self::Own(filter) if filter.has_hash() => Some(filter),
            _ => None,
        }
    }

    /// What is done to a key first.
    pub fn recipe(&self) -> Recipe {
        match self {
            Self::Own(filter) => filter.recipe(),
            Self::Foreign(_) => Recipe::default(),
        }
    }

    /// What the keys are.
    pub fn key_domain(&self) -> KeyDomain {
        match self {
            Self::Own(filter) => filter.key_domain(),
            Self::Foreign(file) => file.filter().key_domain(),
        }
    }

    /// Answers for keys to which the recipe was applied.
    pub fn contains_many<K: Key>(&self, keys: &[K]) -> Vec<bool> {
        match self {
            Self::Own(filter) => filter.contains_many(keys),
            Self::Foreign(file) => file.filter().contains_many(keys),
        }
    }

    /// Why the key cannot be asked for.
    pub fn check_key(&self, key: &[u8]) -> Result<(), Error> {
        let hashed = match self {
            Self::Own(filter) => filter.hash_key(key),
            Self::Foreign(file) => file.filter().parts()[0].hash_key(key),
        };
        match hashed {
            Ok(_) | Err(Error::NoHash { .. }) => Ok(()),
            Err(refused) => Err(refused),
        }
    }

    /// The share of wrong answers that was promised, where the file says so.
    pub fn promise_on_record(&self) -> Option<f64> {
        match self {
            Self::Own(filter) => Some(filter.promised_false_positive_rate()),
            Self::Foreign(file) => records_plan(file.format()).then(|| promised(file.filter())),
        }
    }

    /// The filter to be changed, with its format.
    pub fn into_file(self) -> Result<FilterFile, Error> {
        match self {
            Self::Own(filter) => FilterFile::new(filter.into_owned()?, Format::Tepal),
            Self::Foreign(file) => Ok(file),
        }
    }
}

/// Bytes of the file that was opened.
pub fn file_len(filter: &Own) -> u64 {
    filter.file_len() + if filter.is_sealed() { SealKey::SEAL_BYTES } else { 0 }
}

/// The share of wrong answers promised by all filters of a chain together.
pub fn promised(filter: &AnyFilter) -> f64 {
    let pass = filter.parts().iter().map(|part| 1.0 - part.promised_false_positive_rate());
    match filter.parts() {
        [one] => one.promised_false_positive_rate(),
        _ => 1.0 - pass.product::<f64>(),
    }
}

/// Opens and checks a filter. Secrets that are given must be the filter's own.
pub fn open(path: &Path, file: FileArgs, secrets: &Secrets) -> Result<Filter, Failure> {
    let mut filters = open_all([path], file, secrets)?;
    match filters.pop() {
        Some(filter) => Ok(filter),
        None => Err(Failure::new("no filter named")),
    }
}

/// Opens a tepal file.
pub fn open_own(path: &Path) -> Result<Own, Failure> {
    Own::open(path).map_err(|error| Failure::at(&shown(path), reason(&error)))
}

/// Opens several filters. A secret that is given must be that of each keyed one, and at least one must be
/// keyed; with a seal key each must be sealed under it.
pub fn open_all<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
    file: FileArgs,
    secrets: &Secrets,
) -> Result<Vec<Filter>, Failure> {
    let mut filters = Vec::new();
    let mut first = None;
    let mut used = false;
    for path in paths {
        let (filter, keyed) = open_one(path, file, secrets)?;
        used |= keyed;
        first = first.or(Some(path));
        filters.push(filter);
    }
    match (&secrets.secret, used, first) {
        (Some(_), false, Some(path)) => Err(Failure::at(&shown(path), reason(&Error::KeyNotUsed))),
        _ => Ok(filters),
    }
}

/// Opens one of several filters that are told of one by one: a secret is for those of them that have one.
pub fn open_each(path: &Path, file: FileArgs, secrets: &Secrets) -> Result<Filter, Failure> {
    open_one(path, file, secrets).map(|(filter, _)| filter)
}

/// The filter, and whether the secret was needed.
fn open_one(path: &Path, file: FileArgs, secrets: &Secrets) -> Result<(Filter, bool), Failure> {
    let fail = |error: Error| Failure::at(&shown(path), reason(&error));
    let mut open = Open::new();
    if let Some(key) = &secrets.seal {
        open = open.seal_key(key);
    }
    let (filter, keyed) = match (open.open(path), &secrets.secret) {
        (Err(Error::KeyRequired), Some(key)) => {
            (Filter::Own(open.secret_key(key).open(path).map_err(fail)?), true)
        }
        (Err(Error::NotTepal { found }), _) => {
            let foreign = foreign(path, file, &found)?;
            match &secrets.seal {
                Some(_) => return Err(fail(Error::NotSealed)),
                None => (Filter::Foreign(foreign), false),
            }
        }
        (opened, _) => (Filter::Own(opened.map_err(fail)?), false),
    };
    match file.encoding.filter(|encoding| *encoding != filter.key_domain()) {
        Some(encoding) => {
            let text = format!("its keys are {}, not {encoding}; leave --keys out", filter.key_domain());
            Err(Failure::at(&shown(path), text))
        }
        None => Ok((filter, keyed)),
    }
}

/// Opens a file that is none of ours; `found` says what it looks like.
fn foreign(path: &Path, file: FileArgs, found: &str) -> Result<FilterFile, Failure> {
    let name = shown(path);
    let not_ours = || Failure::at(&name, reason(&Error::NotTepal { found: found.to_owned() }));
    let input = File::open(path).map_err(|error| Failure::io(&name, &error))?;
    let metadata = input.metadata().map_err(|error| Failure::io(&name, &error))?;
    let format = file.from.filter(|format| *format != Format::Tepal);
    if !metadata.is_file() || (file.from.is_some() && format.is_none()) {
        return Err(not_ours());
    }
    let too_large =
        |_| Failure::at(&name, format!("{} bytes, more than there is memory for", metadata.len()));
    let mut bytes = Vec::new();
    let len = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(len).map_err(too_large)?;
    let mut head = [0; 512];
    let mut input = input.take(metadata.len());
    let read = input.read(&mut head).map_err(|error| Failure::io(&name, &error))?;
    // A list of keys may be long, and need not be read to see that it is one.
    if format.is_none() && is_text(&head[..read]) {
        return Err(not_ours());
    }
    bytes.extend_from_slice(&head[..read]);
    input.read_to_end(&mut bytes).map_err(|error| Failure::io(&name, &error))?;
    let reading = Reading { format, key_domain: file.encoding, secret: None };
    FilterFile::from_bytes(&bytes, &reading).map_err(|error| match (error, format) {
        (Error::NotTepal { found }, _) if found.contains("could be") => {
            let text = format!("not a tepal filter: {found}; say which with --from FORMAT");
            Failure::at(&name, text)
        }
        (Error::NotTepal { .. }, _) => not_ours(),
        (error, Some(format)) => Failure::at(&name, of_other_format(&error, format, &bytes)),
        (error, None) => Failure::at(&name, reason(&error)),
    })
}

/// Why bytes are not of the format that `--from` names.
fn of_other_format(error: &Error, format: Format, bytes: &[u8]) -> String {
    match (Format::of(bytes), error) {
        (Some(marked), _) if marked != format => {
            format!("its mark says {marked}, not {format}; leave --from out")
        }
        (_, Error::Damaged { what }) => format!("no filter of the format {format}, or a damaged one: {what}"),
        _ => format!("no filter of the format {format}, or a damaged one: {error}"),
    }
}

/// Whether a file begins as a text that no format begins with.
fn is_text(head: &[u8]) -> bool {
    let control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    !head.iter().any(control) && !head.trim_ascii_start().starts_with(b"{")
}

/// Why a filter cannot be opened.
fn reason(error: &Error) -> String {
    match error {
        Error::Io { source, .. } if source.kind() == std::io::ErrorKind::IsADirectory => {
            "a directory; expected a tepal filter".to_owned()
        }
        Error::Io { source, .. } => {
            format!("{}; expected a tepal filter, made with: tepal build LIST -o FILTER", io_text(source))
        }
        Error::NotTepal { found } => {
            format!("not a tepal filter: {found}; make one with: tepal build LIST -o FILTER")
        }
        Error::KeyRequired => {
            "made with a secret key, which is not in the file; give it with --secret FILE".to_owned()
        }
        Error::WrongKey => {
            "made with another secret key than the one given; give that one with --secret FILE".to_owned()
        }
        Error::SealRequired => {
            "sealed, and the key of its seal is not in the file; give it with --seal FILE".to_owned()
        }
        Error::WrongSeal => {
            "the seal is not that of the key given: changed by someone who has not the key, or sealed under another; \
             get the file from its maker again"
                .to_owned()
        }
        Error::NotSealed => {
            "not sealed, so it may be anyone's; get the sealed one from its maker, or leave --seal out".to_owned()
        }
        Error::KeyNotUsed => "made without a secret key; leave --secret out".to_owned(),
        other => other.to_string(),
    }
}

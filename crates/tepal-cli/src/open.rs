//! Opens filters, and says in words of the command line why one cannot be opened.

use std::path::Path;

use tepal::{BloomFilter, Error, Mapped, SecretKey};

use crate::error::{Failure, io_text, shown};

/// An opened filter.
pub type Filter = BloomFilter<Mapped>;

/// Opens and checks a filter. A secret that is given must be the filter's own.
pub fn open(path: &Path, secret: Option<&SecretKey>) -> Result<Filter, Failure> {
    let mut filters = open_all([path], secret)?;
    match filters.pop() {
        Some(filter) => Ok(filter),
        None => Err(Failure::new("no filter named")),
    }
}

/// Opens several filters. A secret that is given must be that of each keyed one, and at least one must be keyed.
pub fn open_all<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
    secret: Option<&SecretKey>,
) -> Result<Vec<Filter>, Failure> {
    let mut filters = Vec::new();
    let mut first = None;
    let mut used = false;
    for path in paths {
        let fail = |error: Error| Failure::at(&shown(path), reason(&error));
        let filter = match (Filter::open(path), secret) {
            (Err(Error::KeyRequired), Some(key)) => {
                used = true;
                Filter::open_with_key(path, key).map_err(fail)?
            }
            (opened, _) => opened.map_err(fail)?,
        };
        first = first.or(Some(path));
        filters.push(filter);
    }
    match (secret, used, first) {
        (Some(_), false, Some(path)) => Err(Failure::at(&shown(path), reason(&Error::KeyNotUsed))),
        _ => Ok(filters),
    }
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
        Error::KeyNotUsed => "made without a secret key; leave --secret out".to_owned(),
        other => other.to_string(),
    }
}

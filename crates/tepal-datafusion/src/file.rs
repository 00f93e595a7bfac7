//! Filters' files, each opened once a process.
//!
//! An opened file is known by its path, its size and the time of its last change: a file that was
//! replaced is opened again with the next batch of rows.

use std::fs::{self, Metadata};
use std::path::PathBuf;
use std::str;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use datafusion::error::Result;
use tepal::Opened;
use url::Url;

use crate::words::{failed, refused};

/// Files that stay open. A mapped file takes no memory of its own; other programs' files do.
const MOST: usize = 64;

/// What tells a file from the one that was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    changed: Option<SystemTime>,
    /// A file that was replaced within one tick of the clock has another number.
    #[cfg(unix)]
    number: (u64, u64),
}

impl Stamp {
    fn of(file: &Metadata) -> Self {
        Stamp {
            len: file.len(),
            changed: file.modified().ok(),
            #[cfg(unix)]
            number: (std::os::unix::fs::MetadataExt::dev(file), std::os::unix::fs::MetadataExt::ino(file)),
        }
    }
}

/// A path, and its file when that was opened. The lock is held while the file is opened, so that
/// threads that ask for one file wait for each other, and for no other file.
struct Place {
    path: PathBuf,
    opened: Mutex<Option<(Stamp, Arc<Opened>)>>,
}

/// The places that were asked for, the latest at the end.
static PLACES: Mutex<Vec<Arc<Place>>> = Mutex::new(Vec::new());

fn place(path: PathBuf) -> Arc<Place> {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    let place = match places.iter().rposition(|place| place.path == path) {
        Some(at) => places.remove(at),
        None => Arc::new(Place { path, opened: Mutex::new(None) }),
    };
    if places.len() == MOST {
        places.remove(0);
    }
    places.push(Arc::clone(&place));
    place
}

/// The path of a file that is named by itself or by a URL, such as `file:///data/seen.tepal`.
fn path_of(function: &str, path: &str) -> Result<PathBuf> {
    if !path.contains("://") {
        return Ok(PathBuf::from(path));
    }
    let url = Url::parse(path).ok().filter(|url| url.scheme() == "file");
    url.and_then(|url| url.to_file_path().ok()).ok_or_else(|| {
        let text = format!(
            "'{path}' is no file of this machine, and a filter's file is mapped here: copy it, and give its path or its \
             file:// URL"
        );
        refused(function, text)
    })
}

/// The opened file of this path.
///
/// # Errors
/// What `function` tells of a file that is missing or is no filter.
pub(crate) fn open(function: &str, path: &[u8]) -> Result<Arc<Opened>> {
    let path = str::from_utf8(path).map_err(|_| refused(function, "the path is no UTF-8"))?;
    let place = place(path_of(function, path)?);
    let mut opened = place.opened.lock().unwrap_or_else(PoisonError::into_inner);
    let now = fs::metadata(&place.path)
        .map_err(|error| refused(function, format!("'{path}' cannot be opened: {error}")))?;
    let stamp = Stamp::of(&now);
    match &*opened {
        Some((then, file)) if *then == stamp => Ok(Arc::clone(file)),
        _ => {
            let file =
                tepal::open(&place.path).map_err(|error| failed(&format!("{function}: '{path}'"), &error))?;
            let file = Arc::new(file);
            *opened = Some((stamp, Arc::clone(&file)));
            Ok(file)
        }
    }
}

//! Filters that a query gives as values. A query gives the same bytes with every batch of rows, so
//! the last few filters are kept, by where their bytes are and by the hash of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::arrow::buffer::Buffer;
use datafusion::error::Result;
use tepal::Opened;
use xxhash_rust::xxh3::xxh3_128;

use crate::args::Value;
use crate::words::failed;

/// Filters that are kept. Each takes the memory of its bits.
const MOST: usize = 4;

struct Kept {
    hash: u128,
    len: usize,
    /// Where the bytes were last, and the buffer that holds them there: while it is kept, no other
    /// bytes are there.
    place: Option<(usize, Buffer)>,
    filter: Arc<Opened>,
}

/// The latest at the end.
static FILTERS: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

fn kept() -> MutexGuard<'static, Vec<Kept>> {
    FILTERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The kept filter of which this is true, which becomes the latest.
fn latest(all: &mut Vec<Kept>, is_it: impl Fn(&Kept) -> bool) -> Option<&mut Kept> {
    let found = all.iter().rposition(is_it)?;
    all[found..].rotate_left(1);
    all.last_mut()
}

/// The filter that was opened from the bytes in this very place.
fn at_place(bytes: &[u8]) -> Option<Arc<Opened>> {
    let mut all = kept();
    for kept in all.iter_mut() {
        // Nothing else holds the buffer any more.
        kept.place.take_if(|(_, buffer)| buffer.strong_count() == 1);
    }
    let is_here = |place: &(usize, Buffer)| place.0 == bytes.as_ptr().addr();
    let found = latest(&mut all, |kept| kept.len == bytes.len() && kept.place.as_ref().is_some_and(is_here));
    found.map(|kept| Arc::clone(&kept.filter))
}

/// The filter of these bytes.
///
/// # Errors
/// What `function` tells of bytes that are no filter.
pub(crate) fn open(function: &str, value: &Value<'_>) -> Result<Arc<Opened>> {
    let bytes = value.bytes;
    if let Some(filter) = at_place(bytes) {
        return Ok(filter);
    }
    let (hash, len) = (xxh3_128(bytes), bytes.len());
    let place = value.buffer().map(|buffer| (bytes.as_ptr().addr(), buffer.clone()));
    let mut all = kept();
    if let Some(kept) = latest(&mut all, |kept| (kept.hash, kept.len) == (hash, len)) {
        kept.place = place;
        return Ok(Arc::clone(&kept.filter));
    }
    let filter = Arc::new(tepal::from_bytes(bytes).map_err(|error| failed(function, &error))?);
    if all.len() == MOST {
        all.remove(0);
    }
    all.push(Kept { hash, len, place, filter: Arc::clone(&filter) });
    Ok(filter)
}

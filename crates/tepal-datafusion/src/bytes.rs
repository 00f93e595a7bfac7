//! Filters that a query gives as values. A query gives the same bytes with every batch of rows, so
//! the last few filters are kept, by the hash of their bytes.

use std::sync::{Arc, Mutex, PoisonError};

use datafusion::error::Result;
use tepal::Opened;
use xxhash_rust::xxh3::xxh3_128;

use crate::words::failed;

/// Filters that are kept. Each takes the memory of its bits.
const MOST: usize = 4;

/// The filters, each with the hash and the length of its bytes, the latest at the end.
static FILTERS: Mutex<Vec<(u128, usize, Arc<Opened>)>> = Mutex::new(Vec::new());

/// The filter of these bytes.
///
/// # Errors
/// What `function` tells of bytes that are no filter.
pub(crate) fn open(function: &str, bytes: &[u8]) -> Result<Arc<Opened>> {
    let name = (xxh3_128(bytes), bytes.len());
    let mut filters = FILTERS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = filters.iter().rposition(|(hash, len, _)| (*hash, *len) == name);
    let filter = match found {
        Some(at) => filters.remove(at).2,
        None => Arc::new(tepal::from_bytes(bytes).map_err(|error| failed(function, &error))?),
    };
    if filters.len() == MOST {
        filters.remove(0);
    }
    filters.push((name.0, name.1, Arc::clone(&filter)));
    Ok(filter)
}

//! A filter that all requests of a service share: tasks look up and insert at once, rayon fills it
//! in parallel, and it is saved while they go on.
//!
//! ```sh
//! cargo run --release -p tepal --example web_service
//! ```

use std::error::Error;
use std::sync::Arc;

use rayon::prelude::*;
use tepal::{BloomFilter, storage::Shared};

type Seen = Arc<BloomFilter<Shared>>;

/// A request: is this visitor new? It needs neither a lock nor `&mut`.
async fn request(seen: Seen, visitor: u64) -> tepal::Result<bool> {
    seen.insert(&visitor)
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let seen: Seen = Arc::new(BloomFilter::builder().capacity(200_000).build()?.into_shared()?);

    // At the start: the known visitors, in batches on all processors.
    let known: Vec<u64> = (0..100_000).collect();
    known.par_chunks(4096).try_for_each(|piece| seen.insert_many(piece))?;

    let tasks: Vec<_> =
        (99_000..101_000).map(|visitor| tokio::spawn(request(seen.clone(), visitor))).collect();

    // From time to time, on a thread that may block: a whole file, whatever is inserted meanwhile.
    let path = std::env::temp_dir().join(format!("tepal-web-service-{}.tepal", std::process::id()));
    let (saved, to) = (seen.clone(), path.clone());
    tokio::task::spawn_blocking(move || saved.save(to)).await??;

    let mut new = 0;
    for task in tasks {
        new += u32::from(task.await??);
    }
    assert!((950..=1000).contains(&new), "{new}");
    assert!(seen.contains(&100_999u64) && BloomFilter::open(&path)?.contains(&99_999u64));
    Ok(std::fs::remove_file(path)?)
}

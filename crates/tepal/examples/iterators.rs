//! Lookups and inserts with iterators, filters behind a trait of your own, and errors with anyhow.
//!
//! ```sh
//! cargo run --release -p tepal --example iterators
//! ```

use anyhow::Context;
use tepal::{AnyFilter, BloomFilter, Key};

/// Anything that allows lookups: a filter of any kind and storage, or a list for tests.
trait Known {
    fn knows(&self, key: &str) -> bool;
}

impl Known for AnyFilter {
    fn knows(&self, key: &str) -> bool {
        self.contains(key)
    }
}

impl Known for Vec<&str> {
    fn knows(&self, key: &str) -> bool {
        self.contains(&key)
    }
}

/// The keys that are surely not in the filter, looked up in batches.
fn new_ones<K: Key>(filter: &BloomFilter, keys: impl IntoIterator<Item = K>) -> impl Iterator<Item = K> {
    filter.contains_iter(keys).filter(|(_, held)| !held).map(|(key, _)| key)
}

pub(crate) fn main() -> anyhow::Result<()> {
    let mut seen = BloomFilter::builder().capacity(1000).build()?;
    seen.extend(["apple", "banana"]); // panics when the filter is full
    seen.insert_iter("cherry date".split(' ')).context("the filter is too small")?; // returns the error
    assert_eq!(new_ones(&seen, ["apple", "elder"]).collect::<Vec<_>>(), ["elder"]);

    let known: [Box<dyn Known>; 2] = [Box::new(AnyFilter::from(seen)), Box::new(vec!["fig"])];
    assert!(known[0].knows("date") && known[1].knows("fig"));

    let missing = tepal::open("no such file").context("the list of blocked accounts");
    println!("{:#}", missing.unwrap_err());
    Ok(())
}

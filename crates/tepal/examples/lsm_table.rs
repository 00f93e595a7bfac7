//! A table file of an LSM tree with a thousand filters in it. Lookups read them in place, in the
//! map of the file: nothing is copied, and a key is hashed once for all of them.
//!
//! Each filter is in the embedded form: its bits and 16 bytes. The store keeps what all of them
//! share (the seed). With the feature `static` the same is done with static filters, and the sizes
//! of both are printed for tables of 1,000 to a million keys: the static ones take two thirds of
//! the bytes. (For 100 keys both take two lines of 64 bytes, and the 16 bytes.)
//!
//! ```sh
//! cargo run --release -p tepal --features static --example lsm_table
//! ```

use std::error::Error;
use std::fs::{self, File};
use std::ops::Range;

use tepal::{BloomFilter, builders::BloomFilterBuilder, storage::InBytes};

/// The properties that all filters of the store share.
fn store() -> BloomFilterBuilder {
    BloomFilter::builder().seed(0x5EED).false_positive_rate(0.01)
}

fn keys_of(block: Range<u64>) -> impl Iterator<Item = String> {
    block.map(|key| format!("user{key}"))
}

/// Appends a filter at a multiple of 64, and returns its place.
fn append(table: &mut Vec<u8>, filter: Vec<u8>) -> Range<usize> {
    table.resize(table.len().next_multiple_of(64), 0);
    let start = table.len();
    table.extend(filter);
    start..table.len()
}

/// Writes a table, maps it, and runs lookups in the map.
fn in_map<T>(table: &[u8], ask: impl FnOnce(&[u8]) -> tepal::Result<T>) -> Result<T, Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("tepal-lsm-table-{}", std::process::id()));
    fs::write(&path, table)?;
    // SAFETY: nobody changes the file while it is mapped.
    #[allow(unsafe_code)]
    let map = unsafe { memmap2::Mmap::map(&File::open(&path)?) }?;
    let answer = ask(&map)?;
    drop(map);
    fs::remove_file(&path)?;
    Ok(answer)
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let (mut table, mut index) = (Vec::new(), Vec::new());
    for block in 0..1000 {
        let filter = store().build_from(keys_of(100 * block..100 * (block + 1)))?;
        index.push(append(&mut table, filter.to_embedded()?));
    }
    let keys = store().key_hasher()?;
    let hash = keys.hash("user31415")?;
    let blocks = in_map(&table, |map| {
        let filters: Vec<BloomFilter<InBytes<&[u8]>>> = index
            .into_iter()
            .map(|place| BloomFilter::view_embedded(&map[place], &keys))
            .collect::<tepal::Result<_>>()?;
        Ok((0..1000).filter(|&block| filters[block].contains_hash(hash)).collect::<Vec<usize>>())
    })?;
    println!("user31415 is in block 314, and perhaps in: {blocks:?}; {} bytes in all", table.len());
    assert!(blocks.contains(&314) && blocks.len() < 40);

    #[cfg(feature = "static")]
    ribbons::main(hash)?;
    Ok(())
}

/// Tables do not change, so their filters may be the smallest: the keys of each become a ribbon.
#[cfg(feature = "static")]
mod ribbons {
    use std::error::Error;

    use tepal::{RibbonFilter, builders::RibbonFilterBuilder, storage::InBytes};

    use super::{append, in_map, keys_of, store};

    /// The same hash and the same rate.
    fn static_store() -> RibbonFilterBuilder {
        RibbonFilter::builder().seed(0x5EED).false_positive_rate(0.01)
    }

    pub(crate) fn main(hash: u64) -> Result<(), Box<dyn Error>> {
        let keys = static_store().key_hasher()?;
        let (mut table, mut index) = (Vec::new(), Vec::new());
        for block in 0..1000 {
            let filter = static_store().build_from(keys_of(100 * block..100 * (block + 1)))?;
            index.push(append(&mut table, filter.to_embedded()?));
        }
        let blocks = in_map(&table, |map| {
            let filters: Vec<RibbonFilter<InBytes<&[u8]>>> = index
                .into_iter()
                .map(|place| RibbonFilter::view_embedded(&map[place], &keys))
                .collect::<tepal::Result<_>>()?;
            Ok((0..1000).filter(|&block| filters[block].contains_hash(hash)).collect::<Vec<usize>>())
        })?;
        println!("by static filters perhaps in: {blocks:?}; {} bytes in all", table.len());
        assert!(blocks.contains(&314) && blocks.len() < 40);

        println!("\n{:>9} keys in a table {:>11} {:>11}", "", "Bloom", "ribbon");
        for count in [1000, 10_000, 100_000, 1_000_000] {
            let bloom = store().build_from(keys_of(0..count))?.to_embedded()?.len();
            let ribbon = static_store().build_from(keys_of(0..count))?.to_embedded()?.len();
            println!("{count:>9} {bloom:>27} {ribbon:>11}");
            assert!(ribbon < bloom);
        }
        Ok(())
    }
}

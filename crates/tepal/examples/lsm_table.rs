//! A table file of an LSM tree with a thousand filters in it, asked where they lie in the map of the file: nothing is
//! copied, and a key is hashed once for all of them.
//!
//! Each filter is in the embedded form: its bits and 16 bytes. What all of them have in common (the seed) the store keeps.
//!
//! ```sh
//! cargo run --release -p tepal --example lsm_table
//! ```

use std::error::Error;
use std::fs::{self, File};
use std::ops::Range;

use tepal::{BloomFilter, BloomFilterBuilder, InBytes};

/// What all filters of the store have in common.
fn store() -> BloomFilterBuilder {
    BloomFilter::builder().seed(0x5EED).false_positive_rate(0.01)
}

/// Puts the filter of a block of keys behind what is there, at a multiple of 64, and says where it is.
fn append(table: &mut Vec<u8>, block: Range<u64>) -> tepal::Result<Range<usize>> {
    table.resize(table.len().next_multiple_of(64), 0);
    let start = table.len();
    table.extend(store().build_from(block.map(|key| format!("user{key}")))?.to_embedded()?);
    Ok(start..table.len())
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let mut table = Vec::new();
    let index: Vec<_> = (0..1000)
        .map(|block| append(&mut table, 100 * block..100 * (block + 1)))
        .collect::<Result<_, _>>()?;
    let path = std::env::temp_dir().join(format!("tepal-lsm-table-{}", std::process::id()));
    fs::write(&path, &table)?;

    // SAFETY: nobody changes the file while it is mapped.
    #[allow(unsafe_code)]
    let map = unsafe { memmap2::Mmap::map(&File::open(&path)?) }?;
    let keys = store().key_hasher()?;
    let filters: Vec<BloomFilter<InBytes<&[u8]>>> = index
        .into_iter()
        .map(|place| BloomFilter::view_embedded(&map[place], &keys))
        .collect::<Result<_, _>>()?;

    let hash = keys.hash("user31415")?;
    let blocks: Vec<usize> = (0..1000).filter(|&block| filters[block].contains_hash(hash)).collect();
    println!("user31415 is in block 314, and perhaps in: {blocks:?}; {} bytes in all", map.len());
    assert!(blocks.contains(&314) && blocks.len() < 40);
    drop(filters);
    drop(map);
    Ok(fs::remove_file(&path)?)
}

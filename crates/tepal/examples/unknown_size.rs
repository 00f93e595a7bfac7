//! A set of unknown size: counted in memory, counted on disk, or built too large and made smaller.
//!
//! ```sh
//! cargo run --release -p tepal --features parallel --example unknown_size
//! ```

use tepal::build::Gather;
use tepal::{BloomFilter, file::Format};

pub(crate) fn main() -> tepal::Result<()> {
    // From an iterator: counted first, 8 bytes a key in memory.
    let words = "one two three one two".split(' ');
    let seen = BloomFilter::builder().false_positive_rate(0.001).build_from(words)?;
    assert_eq!(seen.capacity(), 3);

    // From many sources, in any number: counted on disk, in bounded memory; repeats count once.
    let gather = Gather::new(BloomFilter::builder().false_positive_rate(0.01), Format::Tepal)?;
    for day in 0..7u64 {
        gather.insert_many(&(1000 * day..1000 * day + 2000).collect::<Vec<_>>())?;
    }
    let built = gather.finish()?;
    println!("{} keys, {} different", built.keys, built.different);
    assert!((7900..8100).contains(&built.different) && built.file.contains(&7999u64));

    // Built large and folded afterwards, without the keys.
    let mut large = BloomFilter::builder().capacity(1_000_000).build()?;
    large.insert_iter(0..10_000u64)?;
    let before = large.size_in_bytes();
    large.shrink_to(0.01)?;
    assert!(large.size_in_bytes() < before / 10 && large.contains(&9_999u64));
    Ok(())
}

//! Which share of Parquet's row groups their own filters let a query skip, by the number of keys
//! that the query looks for: `cargo run --example pruning`.
//!
//! A row group is skipped if its filter says no to each of the keys. No key is in a group here,
//! which is the best case. Filters of Parquet have a power of two of bits: the first size just
//! fits, the second is rounded up to twice the bits.

use tepal::{BloomFilter, Layout, Scheme};

/// Row groups.
const GROUPS: u64 = 200;
/// Keys in a row group.
const SIZES: [u64; 2] = [88_000, 100_000];

fn main() -> tepal::Result<()> {
    for keys in SIZES {
        let groups = (0..GROUPS)
            .map(|group| {
                let builder =
                    BloomFilter::builder().layout(Layout::SplitBlock).num_hashes(8).scheme(Scheme::Xxh64);
                builder.false_positive_rate(0.01).build_from(group * keys..(group + 1) * keys)
            })
            .collect::<tepal::Result<Vec<_>>>()?;
        println!(
            "{keys} keys in a row group, {:.2} % false positives",
            100.0 * groups[0].false_positive_rate()
        );
        for count in [1, 10, 100, 1000, 10_000] {
            let wanted: Vec<u64> = (1 << 40..(1 << 40) + count).collect();
            let skipped = groups.iter().filter(|group| !group.contains_many(&wanted).contains(&true)).count();
            println!("{count} keys looked for: {:.1} % skipped", 100.0 * skipped as f64 / GROUPS as f64);
        }
    }
    Ok(())
}

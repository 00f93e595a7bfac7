//! Eight filters that threads, processes or machines filled separately, united into one.
//!
//! ```sh
//! cargo run --release -p tepal --example partial_filters
//! ```

use std::thread;

use tepal::BloomFilter;

pub(crate) fn main() -> tepal::Result<()> {
    // All parts have the size of the whole: a filter for an eighth of the keys would have another
    // shape.
    let builder = BloomFilter::builder().capacity(80_000).false_positive_rate(0.01);
    let parts: Vec<tepal::Result<Vec<u8>>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..8u64)
            .map(|part| {
                let builder = builder.clone();
                scope.spawn(move || {
                    let mut filter = builder.build()?;
                    filter.insert_iter((0..10_000).map(|i| (part, i)))?;
                    filter.to_bytes() // what would go over a network
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("it does not panic")).collect()
    });

    let mut all = builder.build()?;
    for part in parts {
        all.union_with(&BloomFilter::from_bytes(&part?)?)?;
    }
    assert!(all.contains(&(7, 9_999)) && all.keys_inserted() == Some(80_000));
    assert!(all.false_positive_rate() < 0.0105);

    // Filters that cannot be united are refused, and the error says why.
    let other = BloomFilter::builder().capacity(80_000).false_positive_rate(0.01).seed(7).build()?;
    println!("{}", all.union_with(&other).unwrap_err());
    Ok(())
}

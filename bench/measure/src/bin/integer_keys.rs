//! The cost of a number as a key. In a filter of bytes its decimal text is hashed, in a filter of
//! integers its 8 bytes. CPU time of the hash alone, the median of nine rounds each.
//!
//! ```sh
//! bench/measure/run integer_keys
//! ```

use std::hint::black_box;

use cpu_time::ProcessTime;
use tepal::{BloomFilter, KeyDomain, hash::KeyHasher};

const KEYS: u64 = 4_000_000;

/// The nanoseconds a key.
fn time(hasher: &KeyHasher, digits: u32) -> f64 {
    let first = 10u64.pow(digits - 1);
    let mut rounds: Vec<f64> = (0..9)
        .map(|_| {
            let start = ProcessTime::now();
            let sum = (first..first + KEYS).fold(0, |sum, key| sum ^ hasher.hash(&key).unwrap_or(0));
            black_box(sum);
            start.elapsed().as_nanos() as f64 / KEYS as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[4]
}

fn main() -> tepal::Result<()> {
    let hasher = |domain| BloomFilter::builder().key_domain(domain).key_hasher();
    let (bytes, integer) = (hasher(KeyDomain::Bytes)?, hasher(KeyDomain::Integer)?);
    println!("digits  as text  as integer  times");
    for digits in [8, 12, 16, 19] {
        let (text, number) = (time(&bytes, digits), time(&integer, digits));
        println!("{digits:6} {text:8.2} {number:11.2} {:6.1}", text / number);
    }
    Ok(())
}

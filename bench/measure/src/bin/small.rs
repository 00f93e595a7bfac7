//! Measures the promise of small filters: `bench/measure/run small [FILTERS]`.
//!
//! Builds many filters of each size, each with a seed of its own, once with the keys of its
//! capacity and once until it refuses a key. Prints how far their rates are from the promise: the
//! mean, how many are beyond 1.03 times, the worst. The rates are computed from the bits. For
//! 30,000 keys it makes a fifth of the filters. A thousand filters of each size take some minutes.

use tepal::{BloomFilter, Layout};

fn main() {
    let filters = std::env::args().nth(1).map_or(Ok(1000), |number| number.parse::<u64>());
    let Ok(filters @ 1..) = filters else {
        eprintln!("usage: small [FILTERS], such as 1000");
        std::process::exit(2);
    };
    println!("| layout | promised | keys | bytes | mean | beyond | worst | full at | mean | worst |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut worst_mean = 0.0_f64;
    let mut too_early = 0;
    for &layout in Layout::ALL {
        for promised in [0.01, 1e-3, 1e-4, 1e-6] {
            for capacity in [1, 2, 10, 50, 100, 1000, 30_000] {
                let filters = if capacity > 1000 { filters.div_ceil(5) } else { filters };
                let builder = BloomFilter::builder().layout(layout).false_positive_rate(promised);
                let builder = builder.capacity(capacity);
                let (mut at_capacity, mut when_full, mut accepted) = (Vec::new(), Vec::new(), 0);
                for seed in 0..filters {
                    let mut filter = builder.clone().seed(seed).build().expect("a small filter");
                    let mut keys = 0u64..;
                    if keys.by_ref().take(capacity as usize).any(|key| filter.insert(&key).is_err()) {
                        too_early += 1;
                    }
                    at_capacity.push(filter.false_positive_rate() / promised);
                    accepted += capacity + keys.take_while(|key| filter.insert(key).is_ok()).count() as u64;
                    when_full.push(filter.false_positive_rate() / promised);
                }
                let beyond = at_capacity.iter().filter(|rate| **rate > 1.03).count();
                let ((mean, worst), (full, worst_full)) = (summed_up(&at_capacity), summed_up(&when_full));
                worst_mean = worst_mean.max(full);
                println!(
                    "| {layout} | {promised:e} | {capacity} | {} | {mean:.3} | {:.1} % | {worst:.2} | {:.1} | {full:.3} | {worst_full:.2} |",
                    builder.plan().expect("a plan").size_in_bytes(),
                    100.0 * beyond as f64 / filters as f64,
                    accepted as f64 / filters as f64,
                );
            }
        }
    }
    println!("\nMean of those filled until they refuse, at worst: {worst_mean:.3} times the promise.");
    println!("Keys refused before the capacity: {too_early}.");
    std::process::exit(i32::from(worst_mean > 1.05 || too_early > 0));
}

/// The mean, and the largest.
fn summed_up(rates: &[f64]) -> (f64, f64) {
    (rates.iter().sum::<f64>() / rates.len() as f64, rates.iter().copied().fold(0.0, f64::max))
}

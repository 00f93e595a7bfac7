//! Ribbon filters at rates between two powers of two: what the second ribbon saves, and what it
//! costs to build and in lookups, compared with the filter built with `prefer_speed`. Each rate is
//! measured with other non-members, and the lookups of members are a million of the filter's own.
//!
//! `bench/measure/run ribbon_rates 1000000` uses a million keys. Nanoseconds a key, the best of
//! five; only the ratios carry over to other machines. With `scan` after the number of keys it
//! prints how many times the least bits such filters take at worst, over 64 rates between each two
//! powers of two.

use std::hint::black_box;
use std::time::Instant;

use tepal::{RibbonFilter, hash::finish_hash};

const RATES: [f64; 8] = [0.4, 0.2, 0.1, 0.07, 0.05, 0.04, 0.0234, 0.01];
/// Non-members by which a rate is measured.
const OTHERS: u64 = 10_000_000;
/// Keys that are looked up in turn.
const ASKED: u64 = 1_000_000;
/// Keys of a batch.
const BATCH: usize = 4096;
/// Rates of a scan between two powers of two.
const SCANNED: u32 = 64;

/// The nanoseconds for each of this many, the best of five times.
fn timed(count: u64, mut work: impl FnMut() -> usize) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let begun = Instant::now();
        black_box(work());
        best = best.min(begun.elapsed().as_secs_f64() * 1e9 / count as f64);
    }
    best
}

fn found_alone(filter: &RibbonFilter, hashes: &[u64]) -> usize {
    hashes.iter().filter(|hash| filter.contains_hash(**hash)).count()
}

fn found_in_batches(filter: &RibbonFilter, hashes: &[u64]) -> usize {
    let mut answers = [false; BATCH];
    let mut found = 0;
    for hashes in hashes.chunks(BATCH) {
        let answers = &mut answers[..hashes.len()];
        filter.contains_many_hashes(hashes, answers);
        found += answers.iter().filter(|held| **held).count();
    }
    found
}

/// The worst size between each two powers of two.
fn scan(members: &[u64]) -> tepal::Result<()> {
    println!("| rates | times the least, at most | at | planned, at most |\n| --- | --: | --: | --: |");
    for power in 1..10 {
        let (mut worst, mut at, mut planned) = (0.0, 0.0, 0.0f64);
        let (most, least) = (0.5f64.powi(power), 0.5f64.powi(power + 1));
        for step in 0..SCANNED {
            // Half of them are just past a step, where a second ribbon may begin or end.
            let step = f64::from(step) + if step % 2 == 0 { 0.02 } else { 0.98 };
            let rate = most - (most - least) * step / f64::from(SCANNED);
            let builder = RibbonFilter::builder().false_positive_rate(rate);
            let over = |bits: u64| bits as f64 / members.len() as f64 / -rate.log2();
            planned = planned.max(over(8 * builder.planned_size_in_bytes(members.len() as u64)?));
            let filter = builder.build_from_hashes(members.to_vec())?;
            assert!(filter.false_positive_rate() <= rate, "{rate}");
            if over(filter.bit_len()) > worst {
                (worst, at) = (over(filter.bit_len()), rate);
            }
        }
        println!("| {least} to {most} | {worst:.4} | {at:.5} | {planned:.4} |");
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let keys = std::env::args().nth(1).map_or(Ok(100_000), |keys| keys.parse::<u64>())?.max(1);
    let members: Vec<u64> = (0..keys).map(finish_hash).collect();
    match std::env::args().nth(2).as_deref() {
        None => (),
        Some("scan") => return Ok(scan(&members)?),
        Some(other) => return Err(format!("`{other}` is none of its words; `scan` is").into()),
    }
    println!(
        "| rate | made | bits a key | times the least | rate expected | measured | sigma | build | hit | miss | hits in batches | misses |"
    );
    println!("| --: | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |");
    let hits: Vec<u64> = (0..ASKED).map(|i| members[(finish_hash(i) % keys) as usize]).collect();
    let misses: Vec<u64> = (1 << 40..(1 << 40) + ASKED).map(finish_hash).collect();
    for rate in RATES {
        for made in ["the smallest", "fast"] {
            let builder = RibbonFilter::builder().false_positive_rate(rate);
            let builder = if made == "fast" { builder.prefer_speed() } else { builder };
            let (hashes, begun) = (members.clone(), Instant::now());
            let filter = builder.build_from_hashes(hashes)?;
            let build = begun.elapsed().as_secs_f64() * 1e9 / keys as f64;
            assert_eq!(found_alone(&filter, &members), members.len(), "a key is lost");
            let (mut wrong, first) = (0, 1u64 << 50);
            for from in (first..first + OTHERS).step_by(BATCH) {
                let others: Vec<u64> =
                    (from..(from + BATCH as u64).min(first + OTHERS)).map(finish_hash).collect();
                wrong += found_in_batches(&filter, &others);
            }
            let expected = filter.false_positive_rate();
            let sigma = (expected * (1.0 - expected) / OTHERS as f64).sqrt();
            let bits = filter.bit_len() as f64 / keys as f64;
            let times = [&hits, &misses]
                .map(|asked| [found_alone, found_in_batches].map(|way| timed(ASKED, || way(&filter, asked))));
            let [[hit, hit_many], [miss, miss_many]] = times;
            println!(
                "| {rate} | {made} | {bits:.3} | {:.4} | {expected:.6} | {:.6} | {sigma:.6} | {build:.0} | {hit:.1} | {miss:.1} | {hit_many:.1} | {miss_many:.1} |",
                bits / -rate.log2(),
                wrong as f64 / OTHERS as f64,
            );
        }
    }
    Ok(())
}

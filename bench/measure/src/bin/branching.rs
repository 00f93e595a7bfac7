//! When to use `contains_branching`: each answer decides the next lookup.
//! `bench/measure/run branching 20000000`.
//!
//! Walks over keys, one step after a "no" and two after a "yes", and prints the nanoseconds of a
//! step for both calls: medians over alternating rounds.

use std::time::Instant;

use tepal::{BloomFilter, KeyDomain, Layout};

const STEPS: usize = 1 << 19;
const ROUNDS: usize = 5;

fn main() -> tepal::Result<()> {
    let n = std::env::args().nth(1).map_or(Ok(1_000_000), |n| n.parse::<u64>());
    let Ok(n @ 1..) = n else {
        eprintln!("usage: branching [KEYS], such as 20000000");
        std::process::exit(2);
    };
    println!("| layout | answers | contains | contains_branching |");
    println!("| --- | --- | --: | --: |");
    for layout in [Layout::Line, Layout::Double, Layout::SplitBlock] {
        let mut filter =
            BloomFilter::builder().capacity(n).layout(layout).key_domain(KeyDomain::Integer).build()?;
        let member = |i: u64| spread(i % n);
        let stranger = |i: u64| spread(n + i);
        filter.insert_many(&(0..n).map(member).collect::<Vec<u64>>())?;
        let questions: [(&str, &dyn Fn(u64) -> u64); 3] = [
            ("yes", &|i| member(spread(i))),
            ("no", &stranger),
            ("either", &|i| if spread(i) & 1 == 0 { member(spread(i)) } else { stranger(i) }),
        ];
        for (answers, key) in questions {
            let keys: Vec<u64> = (0..STEPS as u64).map(key).collect();
            let (mut plain, mut branching) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                plain.push(step_time(&keys, |key| filter.contains(key)));
                branching.push(step_time(&keys, |key| filter.contains_branching(key)));
            }
            println!("| {layout} | {answers} | {:.1} | {:.1} |", median(plain), median(branching));
        }
    }
    Ok(())
}

/// The nanoseconds of a step.
fn step_time(keys: &[u64], contains: impl Fn(&u64) -> bool) -> f64 {
    let (mut at, mut found) = (0, 0);
    let start = Instant::now();
    for _ in 0..STEPS {
        let yes = usize::from(contains(&keys[at]));
        found += yes;
        at = (at + 1 + yes) % STEPS;
    }
    std::hint::black_box(found);
    start.elapsed().as_nanos() as f64 / STEPS as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The n-th of a sequence of different, well-spread numbers (the mixing of SplitMix64).
fn spread(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

//! Compares `insert_bulk_hashes` and `contains_bulk_hashes` with the batch calls:
//! `bench/measure/run bulk 100000000`.
//!
//! Prints the nanoseconds a key for one filter at 1 %, for hashes: CPU time over all threads, and
//! wall time. Medians over alternating rounds. The filters are compared.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use tepal::{BloomFilter, Layout, Result};

const ROUNDS: usize = 3;

/// The CPU and wall time of a call.
fn timed(call: impl FnOnce() -> Result<()>) -> Result<[Duration; 2]> {
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    call()?;
    Ok([cpu.elapsed(), wall.elapsed()])
}

/// The median nanoseconds a key of CPU and wall time.
fn medians(rounds: &[[Duration; 2]], keys: usize) -> [f64; 2] {
    [0, 1].map(|clock| {
        let mut times: Vec<_> = rounds.iter().map(|round| round[clock]).collect();
        times.sort();
        times[times.len() / 2].as_nanos() as f64 / keys as f64
    })
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let keys = arguments.next().map_or(Ok(20_000_000), |n| n.parse());
    let layout = arguments.next().map_or(Ok(Layout::Line), |name| name.parse());
    let (Ok(keys @ 1..), Ok(layout)) = (keys, layout) else {
        eprintln!("usage: bulk [KEYS] [LAYOUT], such as 100000000 double");
        std::process::exit(2);
    };

    let new = || BloomFilter::builder().capacity(keys as u64).layout(layout).build();
    let empty = new()?;
    let hashes = (0..keys as u64).map(|key| empty.hash_key(&key)).collect::<Result<Vec<u64>>>()?;
    // Half of the lookups are of non-members.
    let asked = (0..keys as u64).map(|key| empty.hash_key(&(2 * key))).collect::<Result<Vec<u64>>>()?;
    println!("{keys} keys, {} MB, {layout}, {}\n", empty.size_in_bytes() / 1_000_000, empty.cpu_level());

    // No threads: the batch call.
    let ways = [0, 1, 2].map(NonZeroUsize::new);
    let mut times = ways.map(|_| [Vec::new(), Vec::new()]);
    let mut answers = ways.map(|_| vec![false; keys]);
    for _ in 0..ROUNDS {
        let mut first: Option<BloomFilter> = None;
        for (way, (times, answers)) in ways.iter().zip(times.iter_mut().zip(&mut answers)) {
            let mut filter = new()?;
            times[0].push(timed(|| match way {
                None => filter.insert_many_hashes(&hashes),
                Some(threads) => filter.insert_bulk_hashes(&hashes, *threads),
            })?);
            times[1].push(timed(|| {
                match way {
                    None => filter.contains_many_hashes(&asked, answers),
                    Some(threads) => filter.contains_bulk_hashes(&asked, answers, *threads),
                }
                Ok(())
            })?);
            match &first {
                Some(first) => assert!(filter == *first, "both ways set the same bits"),
                None => first = Some(filter),
            }
        }
        assert!(answers.iter().all(|of_way| *of_way == answers[0]), "both ways answer the same");
    }

    println!("| call | insert, CPU ns | wall ns | ask, CPU ns | wall ns |");
    println!("| --- | --: | --: | --: | --: |");
    for (way, times) in ways.iter().zip(&times) {
        let name = way.map_or("batch".into(), |threads| format!("bulk, threads: {threads}"));
        let [[insert_cpu, insert_wall], [ask_cpu, ask_wall]] = [0, 1].map(|what| medians(&times[what], keys));
        println!("| {name} | {insert_cpu:.2} | {insert_wall:.2} | {ask_cpu:.2} | {ask_wall:.2} |");
    }
    Ok(())
}

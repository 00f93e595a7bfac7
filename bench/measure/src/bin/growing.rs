//! The size and cost of a growing filter that grows from 20,000 keys to 256 times as many. In the
//! same interleaved run: a table that was sized for all keys, and a chain of Bloom filters.
//! `bench/measure/run growing`.

use cpu_time::ThreadTime;
use tepal::{AnyFilter, BloomFilter, GrowingFilter, QuotientFilter, hash::finish_hash};

const FIRST: u64 = 20_000;
const RATE: f64 = 0.01;
const ROUNDS: usize = 3;

/// The nanoseconds of CPU for each of this many keys.
fn timed(keys: u64, work: impl FnOnce()) -> f64 {
    let start = ThreadTime::now();
    work();
    start.elapsed().as_nanos() as f64 / keys as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn builder() -> tepal::builders::GrowingFilterBuilder {
    GrowingFilter::builder().first(FIRST).false_positive_rate(RATE)
}

fn sizes() -> tepal::Result<()> {
    println!("from {FIRST} keys, promised {RATE}");
    println!("| grown | tables | bits a key | mean of the phase before | rate / promise |");
    println!("| --- | --- | --- | --- | --- |");
    let (mut filter, mut next) = (builder().build()?, 0);
    for times in [1, 4, 16, 64, 256] {
        let (mut sum, mut samples) = (0.0, 0);
        while filter.len() < times * FIRST {
            filter.insert_hash(finish_hash(next))?;
            next += 1;
            if next % 500 == 0 {
                sum += filter.size_in_bytes() as f64 * 8.0 / filter.len() as f64;
                samples += 1;
            }
        }
        println!(
            "| {times} x | {} | {:.2} | {:.2} | {:.2} |",
            filter.num_links(),
            filter.size_in_bytes() as f64 * 8.0 / filter.len() as f64,
            sum / f64::from(samples),
            filter.false_positive_rate() / RATE
        );
    }
    Ok(())
}

fn times(grown: u64) -> tepal::Result<()> {
    let keys = grown * FIRST;
    let members: Vec<u64> = (0..keys).map(finish_hash).collect();
    let others: Vec<u64> = (1 << 40..(1 << 40) + keys).map(finish_hash).collect();
    // insert one by one, insert many, lookup of members and non-members one by one, and in batches
    let mut rows: [[Vec<f64>; 6]; 3] = Default::default();
    for _ in 0..ROUNDS {
        let mut growing = builder().build()?;
        let mut batches = builder().build()?;
        let sized = || QuotientFilter::builder().capacity(keys).false_positive_rate(RATE);
        let mut table = sized().build()?;
        let chain = || BloomFilter::builder().capacity(FIRST).false_positive_rate(RATE).build_growing();
        let mut chain = AnyFilter::from(chain()?);
        let each =
            |insert: &mut dyn FnMut(u64)| timed(keys, || members.iter().for_each(|hash| insert(*hash)));
        rows[0][0].push(each(&mut |hash| _ = growing.insert_hash(hash).unwrap()));
        rows[1][0].push(each(&mut |hash| _ = table.insert_hash(hash).unwrap()));
        rows[2][0].push(f64::NAN);
        rows[0][1].push(timed(keys, || batches.insert_many_hashes(&members).unwrap()));
        rows[1][1].push(f64::NAN);
        rows[2][1].push(timed(keys, || chain.insert_many_hashes(&members).unwrap()));
        let mut held = 0u64;
        for (place, hashes) in [(2, &members), (3, &others)] {
            rows[0][place].push(timed(keys, || {
                hashes.iter().for_each(|h| held += u64::from(growing.contains_hash(*h)))
            }));
            rows[1][place]
                .push(timed(keys, || hashes.iter().for_each(|h| held += u64::from(table.contains_hash(*h)))));
            rows[2][place].push(f64::NAN);
        }
        let mut answers = vec![false; members.len()];
        for (place, hashes) in [(4, &members), (5, &others)] {
            rows[0][place].push(timed(keys, || growing.contains_many_hashes(hashes, &mut answers)));
            rows[1][place].push(timed(keys, || table.contains_many_hashes(hashes, &mut answers)));
            rows[2][place].push(timed(keys, || chain.contains_many_hashes(hashes, &mut answers)));
        }
        assert!(held >= 2 * keys);
    }
    println!("\n{grown} x: {keys} keys, ns of CPU a key, median of {ROUNDS}");
    println!("| | insert | in batches | hit | miss | hit, batch | miss, batch |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, row) in ["growing", "table for all", "chain of Bloom filters"].iter().zip(rows) {
        let cells: Vec<_> = row.into_iter().map(|times| format!("{:.1}", median(times))).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    Ok(())
}

fn main() -> tepal::Result<()> {
    sizes()?;
    times(16)?;
    times(64)
}

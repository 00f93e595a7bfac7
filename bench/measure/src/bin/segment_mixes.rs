//! Fills segment filters with pairs of key and segment up to their capacity, in six mixes and by
//! every way of inserting, and stops at the first pair that is refused. Keys that nobody chose must
//! be taken up to the capacity, in however many segments each is.
//!
//! `bench/measure/run segment_mixes 10000` runs ten thousand seeds of each mix.

#[path = "../../../../crates/tepal/tests/shared/segment_mixes.rs"]
mod mixes;

use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seeds = std::env::args().nth(1).map_or(Ok(100), |seeds| seeds.parse::<u64>())?;
    println!("| segments of a key, of how many | filters | pairs | bits a pair, mean and most | seconds |");
    println!("| --- | --: | --: | --: | --: |");
    for mix in mixes::MIXES {
        let (begun, mut count) = (Instant::now(), mixes::Count::default());
        for seed in 0..seeds {
            count += mixes::fill(mix, seed)?;
        }
        println!(
            "| {} of {} | {} | {} | {:.1}, {:.1} | {:.0} |",
            mix.of_a_key,
            mix.segments,
            count.filters,
            count.pairs,
            count.bits / count.filters as f64,
            count.most_bits,
            begun.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

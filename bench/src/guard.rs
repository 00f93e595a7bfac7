//! The speed guard: how much faster the vector loops are than the baseline's, for a half vectorised
//! loop sets the right bits and is found by its time alone.

#![allow(unsafe_code)]

use std::error::Error;
use std::fmt::Write;

use tepal::{BloomFilter, Layout};

use crate::contender::{Calls, Contender, many_keys};
use crate::keys::numbered;
use crate::measure::{median, time_inserts, time_questions};

/// Keys of the filters: all in the second-level cache.
const KEYS: usize = 100_000;
/// Rounds over all filters; a figure is the median.
const ROUNDS: usize = 15;
/// By so much a ratio may fall short. A loop that is half vectorised loses 0.2 to 0.4.
const TOLERANCE: f64 = 0.15;

/// A loop of the library, and how much faster AVX2 is to make it: for a batch of inserts and of
/// questions, half of them hits.
struct Loop {
    name: &'static str,
    layout: Layout,
    num_hashes: u32,
    insert: f64,
    lookup: f64,
}

/// The ratios are what this program found on an AMD EPYC of family 26 with Rust 1.95: whoever
/// changes a loop for the better measures them anew.
const LOOPS: [Loop; 4] = [
    Loop { name: "line, 8 bits", layout: Layout::Line, num_hashes: 8, insert: 2.8, lookup: 3.1 },
    Loop { name: "line, 9 bits", layout: Layout::Line, num_hashes: 9, insert: 3.0, lookup: 3.4 },
    Loop { name: "double, 8 bits", layout: Layout::Double, num_hashes: 8, insert: 3.2, lookup: 2.4 },
    Loop { name: "split-block", layout: Layout::SplitBlock, num_hashes: 8, insert: 3.3, lookup: 4.9 },
];

/// The two levels that are compared.
const LEVELS: [&str; 2] = ["baseline", "avx2"];

/// Measures all loops at both levels, interleaved, and prints the ratios.
///
/// # Errors
/// Where the machine has no AVX2, or a ratio is too low.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    #[cfg(target_arch = "x86_64")]
    let has_avx2 = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let has_avx2 = false;
    if !has_avx2 {
        return Err("the guard compares the baseline with AVX2, which this machine has not".into());
    }

    let present: Vec<u64> = numbered(0..KEYS as u64);
    // Half hits, half misses, in turn.
    let asked: Vec<u64> = numbered(KEYS as u64 / 2..3 * KEYS as u64 / 2);
    let mut answers = vec![false; asked.len()];
    let mut field: Vec<Box<dyn Contender<u64>>> = Vec::new();
    for a_loop in &LOOPS {
        for level in LEVELS {
            field.push(contender(a_loop, level)?);
        }
    }
    let mut times = vec![(Vec::new(), Vec::new()); field.len()];
    for _ in 0..ROUNDS {
        for (contender, (inserts, lookups)) in field.iter_mut().zip(&mut times) {
            inserts.push(time_inserts(contender.as_mut(), &present));
            lookups.push(time_questions(contender.as_ref(), &asked, &mut answers));
        }
    }

    let mut text = format!(
        "# Speed guard\n\nThe time of the baseline's loops divided by that of AVX2, in batches, {KEYS} keys in the \
         cache; medians of {ROUNDS} rounds, CPU time. A ratio may fall short by {:.0} %.\n\n\
         | loop | operation | ratio | expected | |\n| --- | --- | --: | --: | --- |\n",
        100.0 * TOLERANCE
    );
    let mut low = 0;
    for (a_loop, pair) in LOOPS.iter().zip(times.chunks_exact(2)) {
        let operations = [
            ("insert", a_loop.insert, median(&pair[0].0) / median(&pair[1].0)),
            ("lookup", a_loop.lookup, median(&pair[0].1) / median(&pair[1].1)),
        ];
        for (operation, expected, ratio) in operations {
            let is_low = ratio < expected * (1.0 - TOLERANCE);
            low += usize::from(is_low);
            let verdict = if is_low { "**too low**" } else { "as expected" };
            let _ = writeln!(text, "| {} | {operation} | {ratio:.2} | {expected} | {verdict} |", a_loop.name);
        }
    }
    print!("{text}");
    if low > 0 { Err(format!("{low} ratios are too low").into()) } else { Ok(()) }
}

/// A filter that runs the loops of this level.
fn contender(a_loop: &Loop, level: &'static str) -> Result<Box<dyn Contender<u64>>, Box<dyn Error>> {
    // SAFETY: this process has one thread, so nobody reads the environment while it changes.
    unsafe {
        std::env::set_var("TEPAL_CPU_LEVEL", level);
    }
    let builder = BloomFilter::builder().capacity(KEYS as u64).bit_len(16 * KEYS as u64);
    let filter = builder.layout(a_loop.layout).num_hashes(a_loop.num_hashes).build()?;
    if filter.cpu_level() != level {
        return Err(format!("the filter runs {}; expected {level}", filter.cpu_level()).into());
    }
    Ok(many_keys(
        (a_loop.name, Calls::Batch, filter.bit_len()),
        filter,
        |filter: &mut BloomFilter| filter.clear().expect("it is in memory"),
        |filter, hashes| {
            filter.insert_many_hashes(hashes).expect("a filter takes the keys it was planned for")
        },
        |filter, hashes, answers| filter.contains_many_hashes(hashes, answers),
    ))
}

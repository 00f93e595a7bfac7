//! Small filters that two threads fill together.

use std::fmt::Write;
use std::thread;
use std::time::Instant;

use cpu_time::ProcessTime;
use fastbloom::AtomicBloomFilter;
use foldhash::fast::FixedState;
use tepal::{BloomFilter, KeyDomain, Layout, storage::Shared};

use super::{FITS, RATE, ROUNDS, builder};
use crate::keys::{Id, numbered};
use crate::measure::median;

const THREADS: usize = 2;
/// Keys that a round gives to filters of each kind: so many filters that starting the threads does
/// not count.
const KEYS_A_ROUND: usize = 2_000_000;

/// What a round of one contender took: CPU time of all threads and time by the clock, in
/// nanoseconds a key.
type Times = (f64, f64);

/// Each of the threads gives its part of the keys to every filter.
fn fill<F: Sync>(filters: &[F], keys: &[Id], insert: impl Fn(&F, &[Id]) + Sync) -> Times {
    let (cpu, clock) = (ProcessTime::now(), Instant::now());
    thread::scope(|scope| {
        for part in keys.chunks(keys.len().div_ceil(THREADS)) {
            let insert = &insert;
            scope.spawn(move || filters.iter().for_each(|filter| insert(filter, part)));
        }
    });
    let each = (filters.len() * keys.len()) as f64;
    (cpu.elapsed().as_nanos() as f64 / each, clock.elapsed().as_nanos() as f64 / each)
}

/// One table for filters of so many keys.
pub(super) fn table(keys: usize) -> String {
    let filters = KEYS_A_ROUND.div_ceil(keys);
    let keys: Vec<Id> = numbered(0..keys as u64);
    let ours = |layout| -> Vec<BloomFilter<Shared>> {
        let filter =
            || builder(layout, KeyDomain::Bytes, keys.len()).build().and_then(BloomFilter::into_shared);
        (0..filters).map(|_| filter().expect("the layout reaches the rate")).collect()
    };
    let theirs = || -> Vec<AtomicBloomFilter<FixedState>> {
        let filter = || AtomicBloomFilter::with_false_pos(RATE).hasher(FixedState::with_seed(1));
        (0..filters).map(|_| filter().expected_items(keys.len())).collect()
    };
    let one_by_one = |filter: &BloomFilter<Shared>, keys: &[Id]| {
        keys.iter().for_each(|key| {
            filter.insert(key).expect(FITS);
        });
    };
    let slices = |filter: &BloomFilter<Shared>, keys: &[Id]| filter.insert_many(keys).expect(FITS);
    let work: [(&str, &str, &dyn Fn() -> Times); 5] = [
        ("tepal line", "one key", &|| fill(&ours(Layout::Line), &keys, one_by_one)),
        ("tepal line", "slices", &|| fill(&ours(Layout::Line), &keys, slices)),
        ("tepal split-block", "one key", &|| fill(&ours(Layout::SplitBlock), &keys, one_by_one)),
        ("tepal split-block", "slices", &|| fill(&ours(Layout::SplitBlock), &keys, slices)),
        ("fastbloom, foldhash", "one key", &|| {
            fill(&theirs(), &keys, |filter, keys| {
                for key in keys {
                    filter.insert(key);
                }
            })
        }),
    ];
    let mut times = vec![(Vec::new(), Vec::new()); work.len()];
    for _ in 0..ROUNDS {
        for ((_, _, work), (cpu, clock)) in work.iter().zip(&mut times) {
            let took = work();
            cpu.push(took.0);
            clock.push(took.1);
        }
    }
    let mut text = format!(
        "\n## {} keys, 12-byte text: inserted by {THREADS} threads into one filter\n\n\
         | filter | calls | CPU | clock |\n| --- | --- | --: | --: |\n",
        keys.len()
    );
    for ((name, calls, _), (cpu, clock)) in work.iter().zip(&times) {
        let _ = writeln!(text, "| {name} | {calls} | {:.1} | {:.1} |", median(cpu), median(clock));
    }
    text
}

//! A filter that forgets keys: what it takes, what it errs, and what its turns cost, beside the
//! same table without ages.

use std::fmt::Write;
use std::hint::black_box;

use cpu_time::ProcessTime;
use tepal::{ExpiringFilter, QuotientFilter};

use crate::measure::median;

/// Different keys of each window.
const KEYS: [u64; 3] = [100_000, 1_000_000, 10_000_000];
const ROUNDS: usize = 5;
/// Generations of a window, and the rate that is promised.
const SHAPES: [(u8, f64); 5] = [(2, 0.01), (6, 0.01), (14, 0.01), (30, 0.01), (6, 0.001)];
/// The window, in units of time that have a key or more each.
const WINDOW: u64 = 21_000;

/// A hash for each number: the finalizer of SplitMix64.
fn hash(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A filter of windows of so many keys.
fn filter(keys: u64, generations: u8, rate: f64) -> ExpiringFilter {
    ExpiringFilter::builder()
        .capacity(keys)
        .window_of_time(WINDOW)
        .generations(generations)
        .false_positive_rate(rate)
        .caller_hash("SplitMix64")
        .build()
        .expect("a filter of hashes")
}

/// Inserts the keys of a stretch of time, `keys` in each window, each at its time.
fn fill(filter: &mut ExpiringFilter, keys: u64, times: std::ops::Range<u64>) {
    for time in times {
        filter.advance_to(time).expect("a window of time");
        for number in time * keys / WINDOW..(time + 1) * keys / WINDOW {
            filter.insert_hash(hash(number)).expect("it takes the keys it was planned for");
        }
    }
}

/// Nanoseconds a piece.
fn timed<T>(pieces: u64, work: impl FnOnce() -> T) -> f64 {
    let clock = ProcessTime::now();
    black_box(work());
    clock.elapsed().as_nanos() as f64 / pieces as f64
}

/// Sizes, and wrong answers, after four windows of new keys.
fn sizes(text: &mut String) {
    let _ = writeln!(
        text,
        "## Size and wrong answers\n\n1000000 new keys in each window, four windows. *Gone*: wrong answers to keys that came two \
         windows ago and before.\n\n| generations | promised | bits for each key of a window | rate / promise, new keys | the same, \
         gone | members lost |\n| --: | --: | --: | --: | --: | --: |"
    );
    let keys = 1_000_000;
    for (generations, rate) in SHAPES {
        let mut filter = filter(keys, generations, rate);
        let now = 4 * WINDOW - 1;
        fill(&mut filter, keys, 0..now + 1);
        let share = |numbers: std::ops::Range<u64>| {
            let all = numbers.end - numbers.start;
            let found = numbers.filter(|number| filter.contains_hash(hash(*number))).count();
            found as f64 / all as f64
        };
        let lost = keys as f64 * (1.0 - share(3 * keys..4 * keys));
        let _ = writeln!(
            text,
            "| {generations} | {} % | {:.2} | {:.3} | {:.3} | {lost:.0} |",
            100.0 * rate,
            8.0 * filter.size_in_bytes() as f64 / keys as f64,
            share(1 << 40..(1 << 40) + 10_000_000) / rate,
            share(0..2 * keys) / rate,
        );
    }
}

/// One round of one size: nanoseconds of each column.
struct Case {
    keys: u64,
    expiring: ExpiringFilter,
    quotient: QuotientFilter,
}

impl Case {
    const COLUMNS: [&str; 10] = [
        "turn, for each key held",
        "insert",
        "insert, table without ages",
        "hit",
        "hit, without ages",
        "miss",
        "miss, without ages",
        "batch",
        "batch at a later time",
        "batch, without ages",
    ];

    fn new(keys: u64) -> Self {
        let mut expiring = filter(keys, 6, 0.01);
        fill(&mut expiring, keys, 0..2 * WINDOW);
        // As many numbers in as many slots, of which as many are taken.
        let builder = QuotientFilter::builder().capacity(keys + keys / 6).false_positive_rate(0.01);
        let mut quotient = builder.caller_hash("SplitMix64").build().expect("a filter of hashes");
        for number in 5 * keys / 6..2 * keys {
            quotient.insert_hash(hash(number)).expect("it takes the keys it was planned for");
        }
        for number in 5 * keys / 6..keys {
            quotient.remove_hash(hash(number)).expect("it was inserted");
        }
        Case { keys, expiring, quotient }
    }

    fn round(&self) -> [f64; 10] {
        let keys = self.keys;
        let added = || (2 * keys..2 * keys + keys / 6).map(hash);
        let (mut expiring, mut quotient) = (self.expiring.clone(), self.quotient.clone());
        let held = expiring.distinct_numbers();
        let turn = timed(held, || expiring.advance_to(2 * WINDOW).expect("a window of time"));
        let insert = timed(keys / 6, || added().for_each(|hash| assert!(expiring.insert_hash(hash).is_ok())));
        let plain = timed(keys / 6, || added().for_each(|hash| assert!(quotient.insert_hash(hash).is_ok())));
        let asked = keys.min(2_000_000);
        // In an order that is none.
        let hits: Vec<u64> = (0..asked).map(|i| hash(keys + 1 + hash(i) % (keys - 1))).collect();
        let misses: Vec<u64> = (1 << 40..(1 << 40) + asked).map(hash).collect();
        let both: Vec<u64> = hits.iter().zip(&misses).flat_map(|(hit, miss)| [*hit, *miss]).collect();
        let mut answers = vec![false; both.len()];
        let count =
            |hashes: &[u64], ask: &dyn Fn(u64) -> bool| hashes.iter().filter(|hash| ask(**hash)).count();
        let of_expiring = |hash| expiring.contains_hash(hash);
        let of_quotient = |hash| quotient.contains_hash(hash);
        let pieces = both.len() as u64;
        [
            turn,
            insert,
            plain,
            timed(asked, || count(&hits, &of_expiring)),
            timed(asked, || count(&hits, &of_quotient)),
            timed(asked, || count(&misses, &of_expiring)),
            timed(asked, || count(&misses, &of_quotient)),
            timed(pieces, || expiring.contains_many_hashes(&both, &mut answers)),
            timed(pieces, || expiring.contains_many_hashes_at(&both, 2 * WINDOW + 4000, &mut answers)),
            timed(pieces, || quotient.contains_many_hashes(&both, &mut answers)),
        ]
    }
}

/// The tables.
pub(crate) fn run() -> String {
    let mut text = String::from("# A filter that forgets keys\n\n");
    sizes(&mut text);
    let _ = writeln!(
        text,
        "\n## Time\n\nCPU nanoseconds a key, of 6 generations at 1 %, hashes given, medians of {ROUNDS} rounds over all rows. *Without \
         ages*: `QuotientFilter`, as many keys in a table for as many. A generation's keys are inserted after its turn; a batch is half \
         hits.\n\n| keys of a window | {} |\n| --: |{}",
        Case::COLUMNS.join(" | "),
        " --: |".repeat(Case::COLUMNS.len())
    );
    let cases = KEYS.map(Case::new);
    let mut rounds = vec![[const { Vec::new() }; 10]; cases.len()];
    for _ in 0..ROUNDS {
        for (case, times) in cases.iter().zip(&mut rounds) {
            times.iter_mut().zip(case.round()).for_each(|(times, time)| times.push(time));
        }
    }
    for (case, times) in cases.iter().zip(&rounds) {
        let row: Vec<String> = times.iter().map(|times| format!("{:.1}", median(times))).collect();
        let _ = writeln!(text, "| {} | {} |", case.keys, row.join(" | "));
    }
    text
}

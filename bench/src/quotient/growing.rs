//! Filters that grow with their keys, beside a table that was made for all of them.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use cpu_time::ProcessTime;
use tepal::{GrowingFilter, QuotientFilter};

use super::{FITS, Of, PIECE, Row, growable, scalable};
use crate::keys::{ABSENT, numbered};
use crate::measure::{CHUNK, median};

/// The keys that filters are made for, and how many times as many come.
const FIRST: usize = 20_000;
const TIMES: [usize; 5] = [1, 4, 16, 64, 256];
const RATE: f64 = 0.01;
const ROUNDS: usize = 5;
/// Keys that are asked for at each size.
const ASKED: usize = 1 << 20;

fn grown(calls: &'static str, insert: fn(&mut GrowingFilter, &[u64])) -> Box<dyn Row> {
    let empty = || {
        let builder = GrowingFilter::builder().first(FIRST as u64).false_positive_rate(RATE);
        builder.build().expect("the machine has the memory")
    };
    let in_pieces: fn(&GrowingFilter, &[u64], &mut [bool]) = GrowingFilter::contains_many_hashes;
    let one_by_one: fn(&GrowingFilter, &[u64], &mut [bool]) = |filter, hashes, answers| {
        for (hash, answer) in hashes.iter().zip(answers) {
            *answer = filter.contains_hash(*hash);
        }
    };
    Box::new(Of {
        name: "tepal growing",
        calls,
        filter: empty(),
        empty: Box::new(empty),
        bits: |filter| 8 * filter.size_in_bytes(),
        insert,
        contains: if calls == "one key" { one_by_one } else { in_pieces },
        remove: None,
    })
}

/// A table for so many keys, which does not grow.
fn sized(keys: usize) -> Box<dyn Row> {
    let empty = move || {
        let builder = QuotientFilter::builder().capacity(keys as u64).false_positive_rate(RATE);
        builder.build().expect("the machine has the memory")
    };
    Box::new(Of {
        name: "tepal quotient, made for all",
        calls: "one key",
        filter: empty(),
        empty: Box::new(empty),
        bits: |filter: &QuotientFilter| 8 * filter.size_in_bytes(),
        insert: |filter, hashes| {
            for hash in hashes {
                filter.insert_hash(*hash).expect(FITS);
            }
        },
        contains: |filter, hashes, answers| {
            for (hash, answer) in hashes.iter().zip(answers) {
                *answer = filter.contains_hash(*hash);
            }
        },
        remove: None,
    })
}

/// What was found of a row at one size.
#[derive(Default)]
struct Found {
    bits: f64,
    rate: f64,
    lost: usize,
    /// Insert, since the first key; hit, miss.
    times: [Vec<f64>; 3],
}

struct Keys {
    present: Vec<u64>,
    absent: Vec<u64>,
    answers: Vec<bool>,
}

fn seconds(work: impl FnOnce()) -> Duration {
    let clock = ProcessTime::now();
    work();
    clock.elapsed()
}

impl Keys {
    /// Asks a filter that has so many keys now, which took so long to insert.
    fn ask(&mut self, row: &dyn Row, count: usize, inserting: Duration, found: &mut Found) {
        let per_key = |spent: Duration, keys: usize| spent.as_nanos() as f64 / keys as f64;
        found.times[0].push(per_key(inserting, count));
        let Keys { present, absent, answers } = self;
        let mut ask = |hashes: &[u64]| {
            let spent = seconds(|| {
                for (hashes, answers) in hashes.chunks(CHUNK).zip(answers.chunks_mut(CHUNK)) {
                    row.contains(black_box(hashes), &mut answers[..hashes.len()]);
                }
            });
            let held = answers[..hashes.len()].iter().filter(|held| **held).count();
            (per_key(spent, hashes.len()), held)
        };
        let (hit, held) = ask(&present[count - count.min(ASKED)..count]);
        found.lost = found.lost.max(count.min(ASKED) - held);
        let (miss, held) = ask(absent);
        found.rate = held as f64 / absent.len() as f64;
        found.times[1].push(hit);
        found.times[2].push(miss);
        if found.bits == 0.0 {
            found.bits = row.bits() as f64 / count as f64;
        }
    }
}

/// The tables.
pub(super) fn run() -> String {
    let most = FIRST * TIMES[TIMES.len() - 1];
    let absent = numbered(ABSENT..ABSENT + ASKED as u64);
    let mut keys = Keys { present: numbered(0..most as u64), absent, answers: vec![false; ASKED] };
    let mut field: Vec<Box<dyn Row>> = vec![
        grown("one key", |filter, hashes| {
            for hash in hashes {
                filter.insert_hash(*hash).expect(FITS);
            }
        }),
        grown("batch", |filter, hashes| {
            hashes.chunks(PIECE).for_each(|piece| filter.insert_many_hashes(piece).expect(FITS));
        }),
        grown("all at once", |filter, hashes| filter.insert_many_hashes(hashes).expect(FITS)),
        growable("growable-bloom-filter 2.1, XXH3", FIRST, RATE),
        scalable(FIRST, RATE),
    ];
    let mut found: Vec<[Found; 5]> = (0..=field.len()).map(|_| Default::default()).collect();
    let mut random = fastrand::Rng::with_seed(most as u64);
    let mut order: Vec<usize> = (0..=field.len()).collect();
    for _ in 0..ROUNDS {
        random.shuffle(&mut order);
        for &i in &order {
            let (mut spent, mut done) = (Duration::ZERO, 0);
            for (times, found) in TIMES.iter().zip(&mut found[i]) {
                let count = times * FIRST;
                let mut sized = (i == field.len()).then(|| sized(count));
                let row = sized.as_mut().unwrap_or_else(|| &mut field[i]);
                if i == order.len() - 1 || done == 0 {
                    row.clear();
                    (spent, done) = (Duration::ZERO, 0);
                }
                spent += seconds(|| row.insert(black_box(&keys.present[done..count])));
                done = count;
                keys.ask(row.as_ref(), count, spent, found);
            }
        }
    }
    let mut text = format!(
        "\n# Filters that grow\n\nMade for {FIRST} keys at {} %, and given up to 256 times as many. *Insert*: for each key since the \
         first one; *all at once*: those since the size before in one call. *Rate* beside what was promised.\n",
        100.0 * RATE
    );
    for (size, times) in TIMES.iter().enumerate() {
        let _ = writeln!(
            text,
            "\n## {} keys, {times} times as many\n\n| filter | calls | bits a key | rate / promise | lost | insert | hit | miss |\n| --- | \
             --- | --: | --: | --: | --: | --: | --: |",
            times * FIRST
        );
        let sized = sized(FIRST);
        for (row, found) in field.iter().chain([&sized]).zip(&found) {
            let Found { bits, rate, lost, times } = &found[size];
            let [insert, hit, miss] = [0, 1, 2].map(|i| median(&times[i]));
            let _ = writeln!(
                text,
                "| {} | {} | {bits:.2} | {:.2} | {lost} | {insert:.1} | {hit:.1} | {miss:.1} |",
                row.name(),
                row.calls(),
                rate / RATE,
            );
        }
    }
    text
}

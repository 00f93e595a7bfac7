//! The filter of a set that does not change, beside its peers: bits, rate, building, hit and miss,
//! interleaved.
//!
//! All are given the same 64-bit hashes; xorf mixes them once more, sux hashes them again.

use std::fmt::Write;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Instant;

use tepal::{BloomFilter, QuotientFilter, RibbonFilter};
use xorf::{BinaryFuse8, BinaryFuse16, Filter as _};

use crate::contender::Contender;
use crate::contenders::limits::{Fetch, OneLine};
use crate::contenders::peers::{VFilter, vfilter_bits, vfilter_of};
use crate::keys::{ABSENT, numbered};
use crate::measure::{CHUNK, median};
use crate::quotient::timed;

const KEYS: [usize; 3] = [100_000, 1_000_000, 10_000_000];
const RATES: [f64; 4] = [0.1, 0.01, 1.0 / 256.0, 1.0 / 65_536.0];
/// Above this rate most ribbons have a second one behind them.
const SECOND_ABOVE: f64 = 1.0 / 32.0;
/// Different absent keys that are asked in turn; and at most so many of those that are in.
const ASKED: u64 = 1 << 22;

/// The row that is no filter: a random line for each key, prefetched by 32.
const GATHER: &str = "a line for each key, no filter";

/// A row: one filter asked in one way.
trait Row {
    fn name(&self) -> &'static str;
    fn calls(&self) -> &'static str;
    fn build(&mut self, hashes: &[u64]);
    fn bits(&self) -> u64;
    fn contains(&self, hashes: &[u64], answers: &mut [bool]);
}

/// A filter with what calls it.
struct Of<F> {
    name: &'static str,
    calls: &'static str,
    rate: f64,
    filter: Option<F>,
    build: fn(&[u64], f64) -> F,
    bits: fn(&F) -> u64,
    contains: fn(&F, &[u64], &mut [bool]),
}

impl<F> Of<F> {
    fn filter(&self) -> &F {
        self.filter.as_ref().expect("it was built")
    }
}

impl<F> Row for Of<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn calls(&self) -> &'static str {
        self.calls
    }

    fn build(&mut self, hashes: &[u64]) {
        self.filter = None;
        self.filter = Some((self.build)(hashes, self.rate));
    }

    fn bits(&self) -> u64 {
        (self.bits)(self.filter())
    }

    fn contains(&self, hashes: &[u64], answers: &mut [bool]) {
        (self.contains)(self.filter(), hashes, answers);
    }
}

/// Answers one by one.
macro_rules! one_by_one {
    (|$filter:ident: $F:ty, $hash:ident| $answer:expr) => {
        |$filter: &$F, hashes: &[u64], answers: &mut [bool]| {
            for ($hash, answer) in hashes.iter().zip(answers) {
                *answer = $answer;
            }
        }
    };
}

fn field(rate: f64) -> Vec<Box<dyn Row>> {
    const MEMORY: &str = "the machine has the memory";
    let ribbon = |hashes: &[u64], rate: f64| {
        let builder = RibbonFilter::builder().false_positive_rate(rate);
        builder.build_from_hashes(hashes.to_vec()).expect(MEMORY)
    };
    let line = |hashes: &[u64], rate: f64| {
        let builder = BloomFilter::builder().capacity(hashes.len() as u64).false_positive_rate(rate);
        let mut filter = builder.build().expect(MEMORY);
        filter.insert_many_hashes(hashes).expect("it has room for them");
        filter
    };
    let mut field: Vec<Box<dyn Row>> = vec![
        Box::new(Of {
            name: "tepal ribbon",
            calls: "one key",
            rate,
            filter: None,
            build: ribbon,
            bits: RibbonFilter::bit_len,
            contains: one_by_one!(|filter: RibbonFilter, hash| filter.contains_hash(*hash)),
        }),
        Box::new(Of {
            name: "tepal ribbon",
            calls: "many keys",
            rate,
            filter: None,
            build: ribbon,
            bits: RibbonFilter::bit_len,
            contains: RibbonFilter::contains_many_hashes,
        }),
        Box::new(Of {
            name: "tepal Bloom filter, for scale",
            calls: "many keys",
            rate,
            filter: None,
            build: line,
            bits: BloomFilter::bit_len,
            contains: BloomFilter::contains_many_hashes,
        }),
    ];
    if rate > SECOND_ABOVE {
        for (calls, contains) in [
            (
                "one key",
                one_by_one!(|filter: RibbonFilter, hash| filter.contains_hash(*hash)) as fn(&_, &_, &mut _),
            ),
            ("many keys", RibbonFilter::contains_many_hashes),
        ] {
            field.push(Box::new(Of {
                name: "tepal ribbon, prefer_speed",
                calls,
                rate,
                filter: None,
                build: |hashes, rate| {
                    let builder = RibbonFilter::builder().false_positive_rate(rate).prefer_speed();
                    builder.build_from_hashes(hashes.to_vec()).expect(MEMORY)
                },
                bits: RibbonFilter::bit_len,
                contains,
            }));
        }
    }
    field.push(Box::new(Of {
        name: "tepal quotient, for scale",
        calls: "many keys",
        rate,
        filter: None,
        build: |hashes, rate| {
            let builder = QuotientFilter::builder().false_positive_rate(rate);
            builder.build_from_hashes(hashes.to_vec()).expect(MEMORY)
        },
        bits: |filter| 8 * filter.size_in_bytes(),
        contains: QuotientFilter::contains_many_hashes,
    }));
    field.push(Box::new(Of {
        name: "sux 0.15 VFilter",
        calls: "one key",
        rate,
        filter: None,
        build: vfilter_of,
        bits: vfilter_bits,
        contains: one_by_one!(|filter: VFilter, hash| filter.contains(hash)),
    }));
    field.push(Box::new(Of {
        name: GATHER,
        calls: "many keys",
        rate,
        filter: None,
        build: |hashes, rate| {
            let bits = hashes.len() as f64 * -rate.log2();
            OneLine::new(bits as u64, Fetch::InPieces)
        },
        bits: |lines| Contender::<u64>::bits(lines),
        contains: |lines, hashes, answers| lines.contains(hashes, answers),
    }));
    const DIFFERENT: &str = "the keys are different";
    if rate >= 1.0 / 256.0 {
        field.push(Box::new(Of {
            name: "xorf 0.13 BinaryFuse8",
            calls: "one key",
            rate,
            filter: None,
            build: |hashes, _| BinaryFuse8::try_from(hashes).expect(DIFFERENT),
            bits: |filter| 8 * filter.fingerprints.len() as u64,
            contains: one_by_one!(|filter: BinaryFuse8, hash| filter.contains(hash)),
        }));
    } else {
        field.push(Box::new(Of {
            name: "xorf 0.13 BinaryFuse16",
            calls: "one key",
            rate,
            filter: None,
            build: |hashes, _| BinaryFuse16::try_from(hashes).expect(DIFFERENT),
            bits: |filter| 16 * filter.fingerprints.len() as u64,
            contains: one_by_one!(|filter: BinaryFuse16, hash| filter.contains(hash)),
        }));
    }
    field
}

/// What was found of one row.
#[derive(Default)]
struct Found {
    bits: f64,
    rate: f64,
    /// Build, hit, miss.
    times: [Vec<f64>; 3],
}

/// Measures the cases of these keys, or of all.
pub(crate) fn run(keys: &[usize]) -> String {
    let keys = if keys.is_empty() { &KEYS } else { keys };
    let mut text = String::from(
        "# A filter of a set that does not change\n\nCPU nanoseconds a key, medians of rounds in random order, on one busy machine: \
         ratios hold, figures do not. All are given hashes, and built on one thread; the sizes of sux are those of all that it has in memory.\n",
    );
    for &keys in keys {
        for rate in RATES {
            eprintln!("measuring {keys} keys at {rate}");
            text += &table(keys, rate);
        }
    }
    text + &two_threads(keys)
}

/// How long building takes with one thread and with two, by the clock: the machine has to be idle
/// beside it.
fn two_threads(keys: &[usize]) -> String {
    const ROUNDS: usize = 9;
    const RATE: f64 = 1.0 / 256.0;
    let mut text = String::from(
        "\n## Building with two threads, at 2^-8\n\nMilliseconds by the clock, medians of rounds in turn, and the median of their ratios.\n\n\
         | keys | one thread | two | two over one |\n| --: | --: | --: | --: |\n",
    );
    for &keys in keys {
        eprintln!("measuring {keys} keys with two threads");
        let hashes = numbered(0..keys as u64);
        let mut found = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            let [one, two] = [1, 2].map(|threads| {
                let builder = RibbonFilter::builder().false_positive_rate(RATE);
                let builder = builder.threads(NonZeroUsize::new(threads).expect("one or two"));
                let hashes = hashes.clone();
                let clock = Instant::now();
                let filter = builder.build_from_hashes(hashes).expect("the machine has the memory");
                let spent = clock.elapsed().as_secs_f64() * 1e3;
                assert_eq!(filter.len(), keys as u64);
                spent
            });
            [one, two, two / one].into_iter().zip(&mut found).for_each(|(time, found)| found.push(time));
        }
        let [one, two, ratio] = [0, 1, 2].map(|i| median(&found[i]));
        let _ = writeln!(text, "| {keys} | {one:.1} | {two:.1} | {ratio:.2} |");
    }
    text
}

fn table(keys: usize, rate: f64) -> String {
    let present: Vec<u64> = numbered(0..keys as u64);
    let hits = &present[..keys.min(ASKED as usize)];
    let absent: Vec<u64> = numbered(ABSENT..ABSENT + ASKED);
    let mut answers = vec![false; keys.max(ASKED as usize)];
    let mut field = field(rate);
    let mut found: Vec<Found> = field.iter().map(|_| Found::default()).collect();
    let mut random = fastrand::Rng::with_seed(keys as u64);
    let mut order: Vec<usize> = (0..field.len()).collect();
    let rounds = if keys < 4_000_000 { 7 } else { 3 };
    for round in 0..rounds {
        random.shuffle(&mut order);
        for &i in &order {
            let (row, found) = (field[i].as_mut(), &mut found[i]);
            found.times[0].push(timed(keys, |spent| spent(&mut || row.build(black_box(&present)))));
            if round == 0 {
                found.bits = row.bits() as f64 / keys as f64;
                row.contains(&present, &mut answers[..keys]);
                let is_filter = row.name() != GATHER;
                assert!(
                    !is_filter || answers[..keys].iter().all(|held| *held),
                    "{} has lost a key",
                    row.name()
                );
                row.contains(&absent, &mut answers[..absent.len()]);
                let wrong = answers[..absent.len()].iter().filter(|held| **held).count();
                found.rate = wrong as f64 / absent.len() as f64;
            }
            for (at, asked) in [(1, hits), (2, &absent)] {
                found.times[at].push(timed(asked.len(), |spent| {
                    spent(&mut || {
                        for piece in asked.chunks(CHUNK) {
                            row.contains(piece, &mut answers[..piece.len()]);
                            black_box(&mut answers);
                        }
                    });
                }));
            }
        }
    }
    let mut text = format!(
        "\n## {keys} keys at {rate:.2e}\n\n| filter | calls | bits a key | over log2(1/rate measured) | rate, measured | build | hit | miss |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: |\n",
    );
    for (row, found) in field.iter().zip(&found) {
        let [build, hit, miss] = [0, 1, 2].map(|i| median(&found.times[i]));
        if row.name() == GATHER {
            let _ = writeln!(text, "| {GATHER} | {} | | | | | {hit:.1} | {miss:.1} |", row.calls());
            continue;
        }
        let _ = writeln!(
            text,
            "| {} | {} | {:.3} | {:.4} | {:.3e} | {build:.1} | {hit:.1} | {miss:.1} |",
            row.name(),
            row.calls(),
            found.bits,
            found.bits / -found.rate.log2(),
            found.rate,
        );
    }
    text
}

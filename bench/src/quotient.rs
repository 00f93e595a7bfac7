//! The table from which keys can be removed, beside its peers: bits, rate, insert, hit, miss and
//! remove, interleaved.
//!
//! All rows of our own, and those of peers that can, are given the same 64-bit hashes; the others
//! hash an integer themselves.

use std::fmt::Write;
use std::hint::black_box;
use std::io;
use std::time::Duration;

use cpu_time::ProcessTime;
use cuckoofilter::CuckooFilter;
use growable_bloom_filter::GrowableBloom;
use scalable_cuckoo_filter::ScalableCuckooFilter;
use tepal::{BloomFilter, QuotientFilter};

mod growing;

use crate::keys::{ABSENT, numbered};
use crate::measure::{CHUNK, median};

const KEYS: [usize; 3] = [100_000, 1_000_000, 10_000_000];
const RATES: [f64; 2] = [0.01, 0.001];
/// Different absent keys that are asked in turn; and at most so many of those that are in.
const ASKED: u64 = 1 << 22;
/// Keys of one call, in rows that take many.
const PIECE: usize = 1 << 10;
/// Every timed cell works at least this long.
const LEAST_WORK: Duration = Duration::from_millis(20);

const FITS: &str = "a filter takes the keys it was planned for";

/// A row: one filter asked in one way.
trait Row {
    fn name(&self) -> &'static str;
    fn calls(&self) -> &'static str;
    fn bits(&self) -> u64;
    fn clear(&mut self);
    fn insert(&mut self, hashes: &[u64]);
    fn contains(&self, hashes: &[u64], answers: &mut [bool]);
    fn remove(&mut self, hashes: &[u64]) -> bool;
}

/// A filter with what calls it.
struct Of<F> {
    name: &'static str,
    calls: &'static str,
    filter: F,
    empty: Box<dyn Fn() -> F>,
    bits: fn(&F) -> u64,
    insert: fn(&mut F, &[u64]),
    contains: fn(&F, &[u64], &mut [bool]),
    remove: Option<fn(&mut F, &[u64])>,
}

impl<F> Row for Of<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn calls(&self) -> &'static str {
        self.calls
    }

    fn bits(&self) -> u64 {
        (self.bits)(&self.filter)
    }

    fn clear(&mut self) {
        self.filter = (self.empty)();
    }

    fn insert(&mut self, hashes: &[u64]) {
        (self.insert)(&mut self.filter, hashes);
    }

    fn contains(&self, hashes: &[u64], answers: &mut [bool]) {
        (self.contains)(&self.filter, hashes, answers);
    }

    fn remove(&mut self, hashes: &[u64]) -> bool {
        self.remove.map(|remove| remove(&mut self.filter, hashes)).is_some()
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

fn field(keys: usize, rate: f64) -> Vec<Box<dyn Row>> {
    let quotient = move || {
        let builder = QuotientFilter::builder().capacity(keys as u64).false_positive_rate(rate);
        builder.build().expect("the machine has the memory")
    };
    let line = move || {
        let builder = BloomFilter::builder().capacity(keys as u64).false_positive_rate(rate);
        builder.build().expect("the machine has the memory")
    };
    let remove = |filter: &mut QuotientFilter, hashes: &[u64]| {
        hashes.iter().for_each(|hash| assert!(filter.remove_hash(*hash).expect(FITS)));
    };
    let mut field: Vec<Box<dyn Row>> = vec![
        Box::new(Of {
            name: "tepal quotient",
            calls: "one key",
            filter: quotient(),
            empty: Box::new(quotient),
            bits: |filter| 8 * filter.size_in_bytes(),
            insert: |filter, hashes| {
                for hash in hashes {
                    filter.insert_hash(*hash).expect(FITS);
                }
            },
            contains: one_by_one!(|filter: QuotientFilter, hash| filter.contains_hash(*hash)),
            remove: Some(remove),
        }),
        Box::new(Of {
            name: "tepal quotient",
            calls: "batch",
            filter: quotient(),
            empty: Box::new(quotient),
            bits: |filter| 8 * filter.size_in_bytes(),
            insert: |filter, hashes| {
                hashes.chunks(PIECE).for_each(|piece| filter.insert_many_hashes(piece).expect(FITS));
            },
            contains: |filter, hashes, answers| filter.contains_many_hashes(hashes, answers),
            remove: None,
        }),
        Box::new(Of {
            name: "tepal quotient",
            calls: "build_from",
            filter: quotient(),
            empty: Box::new(quotient),
            bits: |filter| 8 * filter.size_in_bytes(),
            insert: |filter, hashes| {
                let builder = QuotientFilter::builder()
                    .capacity(filter.capacity())
                    .false_positive_rate(filter.promised_false_positive_rate());
                *filter = builder.build_from_hashes(hashes.to_vec()).expect(FITS);
            },
            contains: |filter, hashes, answers| filter.contains_many_hashes(hashes, answers),
            remove: None,
        }),
        Box::new(Of {
            name: "tepal Bloom line",
            calls: "one key",
            filter: line(),
            empty: Box::new(line),
            bits: |filter: &BloomFilter| filter.bit_len(),
            insert: |filter, hashes| {
                for hash in hashes {
                    filter.insert_hash(*hash).expect(FITS);
                }
            },
            contains: one_by_one!(|filter: BloomFilter, hash| filter.contains_hash(*hash)),
            remove: None,
        }),
        Box::new(Of {
            name: "tepal Bloom line",
            calls: "batch",
            filter: line(),
            empty: Box::new(line),
            bits: |filter: &BloomFilter| filter.bit_len(),
            insert: |filter, hashes| {
                hashes.chunks(PIECE).for_each(|piece| filter.insert_many_hashes(piece).expect(FITS));
            },
            contains: |filter, hashes, answers| filter.contains_many_hashes(hashes, answers),
            remove: None,
        }),
    ];
    field.extend(peers(keys, rate));
    field
}

/// [`scalable_cuckoo_filter`], made for so many keys.
fn scalable(keys: usize, rate: f64) -> Box<dyn Row> {
    let scalable = move || ScalableCuckooFilter::<u64>::new(keys, rate);
    Box::new(Of {
        name: "scalable_cuckoo_filter 0.5, SipHash",
        calls: "one key",
        filter: scalable(),
        empty: Box::new(scalable),
        bits: |filter| filter.bits(),
        insert: |filter, hashes| hashes.iter().for_each(|hash| filter.insert(hash)),
        contains: one_by_one!(|filter: ScalableCuckooFilter<u64>, hash| filter.contains(hash)),
        remove: Some(|filter, hashes| {
            let removed = hashes.iter().filter(|hash| filter.remove(*hash)).count();
            black_box(removed);
        }),
    })
}

/// [`growable_bloom_filter`], made for so many keys.
fn growable(name: &'static str, keys: usize, rate: f64) -> Box<dyn Row> {
    let growable = move || GrowableBloom::new(rate, keys);
    Box::new(Of {
        name,
        calls: "one key",
        filter: growable(),
        empty: Box::new(growable),
        bits: bits_of_growable,
        insert: |filter, hashes| {
            for hash in hashes {
                filter.insert(hash);
            }
        },
        contains: one_by_one!(|filter: GrowableBloom, hash| filter.contains(hash)),
        remove: None,
    })
}

fn peers(keys: usize, rate: f64) -> Vec<Box<dyn Row>> {
    let fastbloom = move || fastbloom::BloomFilter::with_false_pos(rate).expected_items(keys);
    let qfilter = move || qfilter::Filter::new(keys as u64, rate).expect("a size that it has");
    let cuckoo = move || CuckooFilter::<std::hash::DefaultHasher>::with_capacity(keys);
    vec![
        Box::new(Of {
            name: "fastbloom 0.17",
            calls: "one key",
            filter: fastbloom(),
            empty: Box::new(fastbloom),
            bits: |filter| filter.num_bits() as u64,
            insert: |filter, hashes| {
                for hash in hashes {
                    filter.insert_hash(*hash);
                }
            },
            contains: one_by_one!(|filter: fastbloom::BloomFilter, hash| filter.contains_hash(*hash)),
            remove: None,
        }),
        Box::new(Of {
            name: "qfilter 0.3",
            calls: "one key",
            filter: qfilter(),
            empty: Box::new(qfilter),
            bits: |filter| 8 * filter.memory_usage() as u64,
            insert: |filter: &mut qfilter::Filter, hashes| {
                for hash in hashes {
                    filter.insert_fingerprint(true, *hash).expect(FITS);
                }
            },
            contains: one_by_one!(|filter: qfilter::Filter, hash| filter.contains_fingerprint(*hash)),
            remove: Some(|filter, hashes| {
                hashes.iter().for_each(|hash| assert!(filter.remove_fingerprint(*hash)));
            }),
        }),
        Box::new(Of {
            name: "cuckoofilter 0.5, SipHash",
            calls: "one key",
            filter: cuckoo(),
            empty: Box::new(cuckoo),
            bits: |filter| 8 * filter.memory_usage() as u64,
            // A key that it refuses pushes another one out: counted as lost, below.
            insert: |filter, hashes| {
                for hash in hashes {
                    let _refused = filter.add(hash);
                }
            },
            contains: one_by_one!(
                |filter: CuckooFilter<std::hash::DefaultHasher>, hash| filter.contains(hash)
            ),
            remove: Some(|filter, hashes| {
                let removed = hashes.iter().filter(|hash| filter.delete(*hash)).count();
                black_box(removed);
            }),
        }),
        scalable(keys, rate),
        growable("growable-bloom-filter 2.1, sized, XXH3", keys, rate),
    ]
}

/// It does not tell its size: its JSON has a number for each byte, and a comma behind nearly each.
fn bits_of_growable(filter: &GrowableBloom) -> u64 {
    struct Commas(u64);
    impl io::Write for Commas {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0 += text.iter().filter(|byte| **byte == b',').count() as u64;
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut commas = Commas(0);
    serde_json::to_writer(&mut commas, filter).expect("a filter has a JSON");
    8 * commas.0
}

/// What was found of one row.
#[derive(Default)]
struct Found {
    bits: f64,
    rate: f64,
    lost: usize,
    /// Insert, hit, miss, remove.
    times: [Vec<f64>; 4],
}

/// Measures the cases of these keys, or of all.
pub(crate) fn run(keys: &[usize]) -> String {
    let keys = if keys.is_empty() { &KEYS } else { keys };
    let mut text = String::from(
        "# A table from which keys can be removed\n\nCPU nanoseconds a key, medians of rounds in random order, on one busy machine: \
         ratios hold, figures do not. All are given hashes or, where a hash is named, hash an integer themselves. `lost` are \
         members that the filter denies once it is filled.\n",
    );
    for &keys in keys {
        for rate in RATES {
            eprintln!("measuring {keys} keys at {rate}");
            text += &table(keys, rate);
        }
    }
    eprintln!("measuring filters that grow");
    text + &growing::run()
}

fn table(keys: usize, rate: f64) -> String {
    let present: Vec<u64> = numbered(0..keys as u64);
    let hits = &present[..keys.min(ASKED as usize)];
    let absent: Vec<u64> = numbered(ABSENT..ABSENT + ASKED);
    let mut answers = vec![false; keys.max(ASKED as usize)];
    let mut field = field(keys, rate);
    let mut found: Vec<Found> = field.iter().map(|_| Found::default()).collect();
    let mut random = fastrand::Rng::with_seed(keys as u64);
    let mut order: Vec<usize> = (0..field.len()).collect();
    let rounds = if keys < 4_000_000 { 7 } else { 3 };
    for round in 0..rounds {
        random.shuffle(&mut order);
        for &i in &order {
            let (row, found) = (field[i].as_mut(), &mut found[i]);
            found.times[0].push(timed(keys, |spent| {
                row.clear();
                spent(&mut || row.insert(black_box(&present)));
            }));
            if round == 0 {
                found.bits = row.bits() as f64 / keys as f64;
                row.contains(&present, &mut answers[..keys]);
                found.lost = answers[..keys].iter().filter(|held| !**held).count();
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
            if row.remove(&[]) {
                let mut is_full = true;
                found.times[3].push(timed(keys, |spent| {
                    if !is_full {
                        row.clear();
                        row.insert(&present);
                    }
                    is_full = false;
                    spent(&mut || {
                        row.remove(black_box(&present));
                    });
                }));
            }
        }
    }
    written(keys, rate, &field, &found)
}

/// CPU nanoseconds a key of the part that `pass` hands over, repeated until that was long enough.
pub(crate) fn timed(keys: usize, mut pass: impl FnMut(&mut dyn FnMut(&mut dyn FnMut()))) -> f64 {
    let (mut spent, mut passes) = (Duration::ZERO, 0);
    while spent < LEAST_WORK {
        pass(&mut |work| {
            let clock = ProcessTime::now();
            work();
            spent += clock.elapsed();
        });
        passes += 1;
    }
    spent.as_nanos() as f64 / (passes * keys) as f64
}

fn written(keys: usize, rate: f64, field: &[Box<dyn Row>], found: &[Found]) -> String {
    let mut text = format!(
        "\n## {keys} keys at {} %\n\n| filter | calls | bits a key | rate, measured | lost | insert | hit | miss | remove |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: |\n",
        100.0 * rate
    );
    for (row, found) in field.iter().zip(found) {
        let [insert, hit, miss] = [0, 1, 2].map(|i| median(&found.times[i]));
        let remove = match &found.times[3][..] {
            [] => "-".to_owned(),
            times => format!("{:.1}", median(times)),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.3} % | {} | {insert:.1} | {hit:.1} | {miss:.1} | {remove} |",
            row.name(),
            row.calls(),
            found.bits,
            100.0 * found.rate,
            found.lost,
        );
    }
    text
}

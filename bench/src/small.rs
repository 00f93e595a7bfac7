//! Where most filters live: in the cache, asked and filled one key at a time, small ones by the
//! thousand. The hash is part of every figure.

mod shared;

use std::fmt::Write;
use std::hash::Hash;
use std::hint::black_box;

use cpu_time::ProcessTime;
use foldhash::fast::FixedState;
use sbbf_rs_safe::Filter;
use tepal::{BloomFilter, Key, KeyDomain, Layout, OverCapacity, builders::BloomFilterBuilder};

use crate::contender::{Calls, Contender, many_keys, one_key};
use crate::contenders::{SBBF_RS_SAFE, peers};
use crate::keys::{ABSENT, Family, Id, numbered};
use crate::measure::{Times, median, time_inserts, time_questions};

/// Keys of the filters.
const KEYS: [usize; 3] = [1_000, 100_000, 1_000_000];
/// Different absent keys that are asked in turn.
const MISSES: u64 = 1 << 20;
const RATE: f64 = 0.01;
/// Rounds over all contenders; a figure is the median.
const ROUNDS: usize = 21;
/// Filters of the mixed load, and keys of each.
const FILTERS: usize = 8_000;
const SMALL: usize = 1_000;
/// Questions of a round of the mixed load.
const QUESTIONS: usize = 1 << 20;

const FITS: &str = "a filter takes the keys it was planned for";

/// Measures everything and gives the tables.
pub(crate) fn run() -> String {
    let mut text = format!(
        "# Filters in the cache\n\nCPU nanoseconds a key at {} %, the hash included; medians of {ROUNDS} rounds in random \
         order. `x` columns: sbbf-rs-safe's time divided by this row's in the same round, the median of all rounds.\n",
        100.0 * RATE
    );
    for keys in KEYS {
        text += &table("12-byte text", keys, field::<Id>(keys, KeyDomain::Bytes));
        text +=
            &table("integers of 64 bits, as an integer domain", keys, field::<u64>(keys, KeyDomain::Integer));
    }
    for keys in KEYS {
        text += &shared::table(keys);
    }
    text += &made_and_filled();
    text += &mixed();
    text
}

fn builder(layout: Layout, domain: KeyDomain, keys: usize) -> BloomFilterBuilder {
    BloomFilter::builder().capacity(keys as u64).false_positive_rate(RATE).layout(layout).key_domain(domain)
}

/// Everyone who takes part with keys of this kind.
fn field<K: Family + Key + Hash>(keys: usize, domain: KeyDomain) -> Vec<Box<dyn Contender<K>>> {
    let mut field: Vec<Box<dyn Contender<K>>> = Vec::new();
    for (name, layout) in [
        ("tepal line", Layout::Line),
        ("tepal split-block", Layout::SplitBlock),
        ("tepal double", Layout::Double),
    ] {
        let empty = || builder(layout, domain, keys).build().expect("the layout reaches the rate");
        let bits = empty().bit_len();
        field.push(one_key(
            name,
            bits,
            empty(),
            |filter: &mut BloomFilter| filter.clear().expect("it is in memory"),
            |filter, key: &K| {
                filter.insert(key).expect(FITS);
            },
            |filter, key| filter.contains(key),
        ));
        field.push(many_keys(
            (name, Calls::Batch, bits),
            empty(),
            |filter: &mut BloomFilter| filter.clear().expect("it is in memory"),
            |filter, keys: &[K]| filter.insert_many(keys).expect(FITS),
            |filter, keys, answers| filter.contains_many_into(keys, answers),
        ));
    }
    field.push(peers::fastbloom(keys, RATE));
    field.push(peers::fastbloom_foldhash(keys, RATE));
    // As many bytes as our split block, which sets the same bits; it takes hashes, and gets those
    // of XXH3.
    let bits = builder(Layout::SplitBlock, domain, keys).plan().expect("the layout reaches the rate").bit_len;
    field.push(one_key(
        SBBF_RS_SAFE,
        bits,
        Filter::from_bytes(&vec![0; bits as usize / 8]).expect("whole blocks"),
        |filter: &mut Filter| filter.reset(),
        |filter, key: &K| {
            filter.insert_hash(key.xxh3());
        },
        |filter, key| filter.contains_hash(key.xxh3()),
    ));
    field
}

/// One row a contender: inserts, hits and misses.
fn table<K: Family>(kind: &str, keys: usize, mut field: Vec<Box<dyn Contender<K>>>) -> String {
    let present: Vec<K> = numbered(0..keys as u64);
    let absent: Vec<K> = numbered(ABSENT..ABSENT + MISSES);
    let mut answers = vec![false; keys.max(MISSES as usize)];
    let mut times: Vec<[Times; 3]> = field.iter().map(|_| Default::default()).collect();
    let mut random = fastrand::Rng::with_seed(keys as u64);
    let mut order: Vec<usize> = (0..field.len()).collect();
    for _ in 0..ROUNDS {
        random.shuffle(&mut order);
        for &i in &order {
            let (contender, [insert, hit, miss]) = (field[i].as_mut(), &mut times[i]);
            insert.push(time_inserts(contender, &present));
            hit.push(time_questions(contender, &present, &mut answers));
            assert!(
                answers[..keys.min(1 << 13)].iter().all(|answer| *answer),
                "{} lost a key",
                contender.name()
            );
            miss.push(time_questions(contender, &absent, &mut answers));
        }
    }
    let mut text = format!(
        "\n## {keys} keys: {kind}\n\n| filter | calls | bits a key | insert | hit | miss | insert x | hit x | miss x |\n| --- | --- | --: | --: | --: | --: | --: | --: | --: |\n"
    );
    let base = field.iter().position(|contender| contender.name() == SBBF_RS_SAFE).expect("it takes part");
    for (contender, times_of_it) in field.iter().zip(&times) {
        let [insert, hit, miss] = times_of_it.each_ref().map(Times::median);
        let bits = contender.bits() as f64 / keys as f64;
        let (name, calls) = (contender.name(), contender.calls().label());
        let _ = write!(text, "| {name} | {calls} | {bits:.2} | {insert:.2} | {hit:.2} | {miss:.2} ");
        for (base, these) in times[base].iter().zip(times_of_it) {
            let _ = write!(text, "| {:.2} ", base.over(these));
        }
        text += "|\n";
    }
    text
}

/// CPU nanoseconds of each piece of work: medians of rounds that do all of them in turn.
fn in_turn(times: usize, work: &mut [(&str, &mut dyn FnMut())], each: f64) -> Vec<(String, f64)> {
    let mut spent = vec![Vec::new(); work.len()];
    for _ in 0..ROUNDS {
        for ((_, work), spent) in work.iter_mut().zip(&mut spent) {
            let clock = ProcessTime::now();
            (0..times).for_each(|_| work());
            spent.push(clock.elapsed().as_nanos() as f64 / times as f64 / each);
        }
    }
    work.iter().zip(&spent).map(|((name, _), spent)| ((*name).to_owned(), median(spent))).collect()
}

fn rows(heading: &str, figures: Vec<(String, f64)>) -> String {
    let mut text = format!("\n## {heading}\n\n| | ns |\n| --- | --: |\n");
    for (name, figure) in figures {
        let _ = writeln!(text, "| {name} | {figure:.1} |");
    }
    text
}

fn tepal_small() -> BloomFilter {
    BloomFilter::builder().capacity(black_box(SMALL as u64)).build().expect("a small filter")
}

fn fastbloom_small() -> fastbloom::BloomFilter<FixedState> {
    let filter = fastbloom::BloomFilter::with_false_pos(RATE).hasher(FixedState::with_seed(1));
    filter.expected_items(black_box(SMALL))
}

/// A filter of a thousand keys, from nothing.
fn made_and_filled() -> String {
    let keys: Vec<Id> = numbered(0..SMALL as u64);
    let mut full = tepal_small();
    full.insert_many(&keys).expect(FITS);
    let bytes = full.to_bytes().expect("a small file");
    let odd_rate =
        || BloomFilter::builder().capacity(black_box(SMALL as u64)).false_positive_rate(black_box(0.0123));
    let figures = in_turn(
        200,
        &mut [
            ("plan at 1 %", &mut || {
                let _ = black_box(BloomFilter::builder().capacity(black_box(SMALL as u64)).plan());
            }),
            ("plan at 1.23 %", &mut || {
                let _ = black_box(odd_rate().plan());
            }),
            ("make: tepal", &mut || {
                black_box(tepal_small());
            }),
            ("make: fastbloom", &mut || {
                black_box(fastbloom_small());
            }),
            ("make and fill one by one: tepal", &mut || {
                let mut filter = tepal_small();
                for key in &keys {
                    filter.insert(key).expect(FITS);
                }
                black_box(filter);
            }),
            ("make and fill by a batch: tepal", &mut || {
                let mut filter = tepal_small();
                filter.insert_many(&keys).expect(FITS);
                black_box(filter);
            }),
            ("make and fill: fastbloom, foldhash", &mut || {
                let mut filter = fastbloom_small();
                for key in &keys {
                    filter.insert(key);
                }
                black_box(filter);
            }),
            ("from_bytes, every check: tepal", &mut || {
                black_box(BloomFilter::from_bytes(black_box(&bytes)).expect("its own file"));
            }),
        ],
        1.0,
    );
    rows("A filter of 1000 keys", figures)
}

/// Thousands of small filters asked at random: each question finds its filter out of the
/// first-level cache.
fn mixed() -> String {
    let keys: Vec<Id> = numbered(0..SMALL as u64);
    let mut full = BloomFilter::builder()
        .capacity(SMALL as u64)
        .over_capacity(OverCapacity::Warn)
        .build()
        .expect("small");
    full.insert_many(&keys).expect(FITS);
    let bytes = full.to_bytes().expect("a small file");
    let mut ours: Vec<BloomFilter> =
        (0..FILTERS).map(|_| BloomFilter::from_bytes(&bytes).expect("its own file")).collect();
    let mut theirs: Vec<_> = (0..FILTERS).map(|_| fastbloom_small()).collect();
    for filter in &mut theirs {
        filter.insert_all(&keys);
    }
    let mut random = fastrand::Rng::with_seed(FILTERS as u64);
    let order: Vec<(usize, Id)> =
        (0..QUESTIONS).map(|_| (random.usize(..FILTERS), keys[random.usize(..SMALL)])).collect();
    let ask_ours = |ours: &[BloomFilter]| order.iter().filter(|(i, key)| ours[*i].contains(key)).count();
    let asked = in_turn(
        1,
        &mut [
            ("ask: tepal line", &mut || assert_eq!(black_box(ask_ours(&ours)), QUESTIONS)),
            ("ask: fastbloom, foldhash", &mut || {
                assert_eq!(
                    black_box(order.iter().filter(|(i, key)| theirs[*i].contains(key)).count()),
                    QUESTIONS
                );
            }),
        ],
        QUESTIONS as f64,
    );
    let inserted = in_turn(
        1,
        &mut [
            ("insert what is in: tepal line", &mut || {
                for (i, key) in &order {
                    black_box(ours[*i].insert(key).expect("nothing is refused"));
                }
            }),
            ("insert what is in: fastbloom, foldhash", &mut || {
                for (i, key) in &order {
                    black_box(theirs[*i].insert(key));
                }
            }),
        ],
        QUESTIONS as f64,
    );
    let figures = asked.into_iter().chain(inserted).collect();
    rows(&format!("{FILTERS} filters of 1000 keys, by turns at random"), figures)
}

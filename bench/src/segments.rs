//! Which segment may hold a key: one lookup, beside a Bloom filter of each segment asked one after
//! the other.

use std::fmt::Write;
use std::hint::black_box;

use cpu_time::ProcessTime;
use tepal::{
    BloomFilter, SegmentFilter,
    segments::{Segment, SegmentAnswers},
};

use crate::measure::median;

const PAIRS: u64 = 1_000_000;
const SEGMENTS: [u64; 3] = [8, 64, 1000];
/// The wrong segments that a key in none gets, on average.
const RATE: f64 = 0.01;
const ROUNDS: usize = 5;
/// Keys of one call, in rows that take many.
const PIECE: usize = 1 << 10;
/// Filters that are looked into for the keys asked in a round, together.
const LOOKS: u64 = 1 << 25;

/// A hash for each number: the finalizer of SplitMix64.
fn hash(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// How many segments may hold these keys, taken together.
type Ask = Box<dyn Fn(&[u64]) -> u64>;

/// Something that says in which segments keys may be.
struct Row {
    name: String,
    bits: u64,
    ask: Ask,
    fill: f64,
}

/// Nanoseconds a piece, and what was made.
fn timed<T>(pieces: u64, work: impl FnOnce() -> T) -> (f64, T) {
    let clock = ProcessTime::now();
    let made = black_box(work());
    (clock.elapsed().as_nanos() as f64 / pieces as f64, made)
}

const FITS: &str = "a filter takes the keys it was planned for";

/// The pairs: each key in one segment, key i in segment i mod `segments`.
fn pairs(segments: u64) -> impl Iterator<Item = (u64, Segment)> {
    (0..PAIRS).map(move |i| (hash(i), Segment::new((i % segments) as u16)))
}

fn table(segments: u64) -> [Row; 2] {
    let names: Vec<String> = (0..segments).map(|i| i.to_string()).collect();
    let builder = || SegmentFilter::builder().capacity(PAIRS).false_positive_rate(RATE);
    let (fill, filter) =
        timed(PAIRS, || builder().build_from_hashes(&names, pairs(segments).collect()).expect(FITS));
    let (each, _) = timed(PAIRS, || {
        let mut filter = builder().build().expect(FITS);
        for name in &names {
            filter.add_segment(name).expect(FITS);
        }
        pairs(segments).for_each(|(hash, segment)| assert!(filter.insert_hash(segment, hash).is_ok()));
        filter
    });
    let bits = 8 * filter.size_in_bytes();
    let many = filter.clone();
    let one =
        move |hashes: &[u64]| hashes.iter().map(|hash| filter.segments_of_hash(*hash).count() as u64).sum();
    let batch = move |hashes: &[u64]| {
        let (mut answers, mut found) = (SegmentAnswers::new(), 0);
        for piece in hashes.chunks(PIECE) {
            many.segments_many_hashes(piece, &mut answers);
            found += answers.iter().map(|of_key| of_key.len() as u64).sum::<u64>();
        }
        found
    };
    [
        Row { name: "`SegmentFilter`, one key".into(), bits, ask: Box::new(one), fill: each },
        Row { name: "`SegmentFilter`, batch; built at once".into(), bits, ask: Box::new(batch), fill },
    ]
}

/// A line filter of each segment.
fn lines(segments: u64, rate: f64, of: &str) -> [Row; 2] {
    let (fill, filters) = timed(PAIRS, || {
        let keys = PAIRS.div_ceil(segments);
        let builder = || BloomFilter::builder().capacity(keys).false_positive_rate(rate).build().expect(FITS);
        let mut filters: Vec<BloomFilter> = (0..segments).map(|_| builder()).collect();
        for (hash, segment) in pairs(segments) {
            filters[usize::from(segment.number())].insert_hash(hash).expect(FITS);
        }
        filters
    });
    let bits = filters.iter().map(|filter| 8 * filter.size_in_bytes()).sum();
    let many: Vec<BloomFilter> = filters.clone();
    let one = move |hashes: &[u64]| {
        let of = |hash| filters.iter().filter(|filter| filter.contains_hash(hash)).count() as u64;
        hashes.iter().map(|hash| of(*hash)).sum()
    };
    let batch = move |hashes: &[u64]| {
        let (mut answers, mut found) = ([false; PIECE], 0);
        for piece in hashes.chunks(PIECE) {
            for filter in &many {
                filter.contains_many_hashes(piece, &mut answers[..piece.len()]);
                found += answers[..piece.len()].iter().filter(|held| **held).count() as u64;
            }
        }
        found
    };
    [
        Row { name: format!("`BloomFilter` of each, {of}, one key"), bits, ask: Box::new(one), fill },
        Row { name: format!("`BloomFilter` of each, {of}, batch"), bits, ask: Box::new(batch), fill },
    ]
}

fn fastbloom(segments: u64, rate: f64, of: &str) -> Row {
    let (fill, filters) = timed(PAIRS, || {
        let keys = PAIRS.div_ceil(segments) as usize;
        let made = || fastbloom::BloomFilter::with_false_pos(rate).expected_items(keys);
        let mut filters: Vec<_> = (0..segments).map(|_| made()).collect();
        for (hash, segment) in pairs(segments) {
            filters[usize::from(segment.number())].insert_hash(hash);
        }
        filters
    });
    let bits = filters.iter().map(|filter| filter.num_bits() as u64).sum();
    let ask = move |hashes: &[u64]| {
        let of = |hash| filters.iter().filter(|filter| filter.contains_hash(hash)).count() as u64;
        hashes.iter().map(|hash| of(*hash)).sum()
    };
    Row { name: format!("fastbloom 0.17 of each, {of}, one key"), bits, ask: Box::new(ask), fill }
}

fn field(segments: u64) -> Vec<Row> {
    let together = RATE / segments as f64;
    let mut rows: Vec<Row> = table(segments).into();
    rows.extend(lines(segments, together, "1 % together"));
    rows.extend(lines(segments, RATE, "each 1 %"));
    rows.push(fastbloom(segments, together, "1 % together"));
    rows.push(fastbloom(segments, RATE, "each 1 %"));
    rows
}

/// Keys that are in several segments: so many each, of 1,000.
const SEVERAL: [u64; 6] = [1, 2, 4, 16, 60, 200];

/// What the table takes and costs where keys are in several segments.
fn several(text: &mut String) {
    let _ = writeln!(
        text,
        "\n## Keys in several of 1000 segments\n\n{PAIRS} pairs, built at once; bits of the table, without what keys in more than 64 \
         segments have beside it.\n\n| segments of a key | bits a pair | wrong segments, absent key | hit, each segment told | miss | batch miss \
         |\n| --: | --: | --: | --: | --: | --: |"
    );
    for each in SEVERAL {
        let names: Vec<String> = (0..1000).map(|i| i.to_string()).collect();
        let of =
            |key: u64| (0..each).map(move |i| (hash(key), Segment::new(((hash(key) + i * 4) % 1000) as u16)));
        let pairs = (0..PAIRS / each).flat_map(of).collect();
        let builder = SegmentFilter::builder().capacity(PAIRS).false_positive_rate(RATE);
        let filter = builder.build_from_hashes(&names, pairs).expect(FITS);
        let asked = 1 << 19;
        let hits: Vec<u64> = (0..asked).map(|i| hash(hash(i) % (PAIRS / each))).collect();
        let misses: Vec<u64> = (1 << 40..(1 << 40) + asked).map(hash).collect();
        let mut times = [const { Vec::new() }; 3];
        let (mut answers, mut wrong) = (SegmentAnswers::new(), 0);
        for _ in 0..ROUNDS {
            let ask = |hashes: &[u64]| {
                hashes.iter().map(|hash| filter.segments_of_hash(*hash).count()).sum::<usize>()
            };
            let (hit, found) = timed(asked * each, || ask(&hits));
            assert!(found as u64 >= asked * each, "a member is missed");
            let (miss, found) = timed(asked, || ask(&misses));
            wrong = found;
            let (batch, ()) = timed(asked, || {
                misses.chunks(PIECE).for_each(|piece| filter.segments_many_hashes(piece, &mut answers));
            });
            times.iter_mut().zip([hit, miss, batch]).for_each(|(times, time)| times.push(time));
        }
        let [hit, miss, batch] = times.map(|times| median(&times));
        let _ = writeln!(
            text,
            "| {each} | {:.2} | {:.4} | {hit:.1} | {miss:.1} | {batch:.1} |",
            8.0 * filter.size_in_bytes() as f64 / filter.len() as f64,
            wrong as f64 / asked as f64,
        );
    }
}

/// The tables.
pub(crate) fn run() -> String {
    let mut text = format!(
        "# Which segment may hold a key\n\n{PAIRS} keys, each in one of so many segments, hashes given, CPU nanoseconds, medians of {ROUNDS} \
         rounds over all rows. *1 % together*: each segment's filter is made for 1 % / segments, so that a key in none gets as many wrong \
         segments as of the table, 0.01; *each 1 %*: the usual filters, of which it gets 0.01 times the segments. *Fill*: once, the filters' \
         making included.\n"
    );
    for segments in SEGMENTS {
        eprintln!("measuring {segments} segments");
        let rows = field(segments);
        let mut times = vec![[const { Vec::new() }; 2]; rows.len()];
        let mut wrong = vec![0.0; rows.len()];
        for round in 0..ROUNDS as u64 {
            for (i, row) in rows.iter().enumerate() {
                let looks = if row.name.contains("Segment") { 32 } else { segments };
                let asked = (LOOKS / looks).min(PAIRS);
                // In an order that is none.
                let hits: Vec<u64> = (0..asked).map(|i| hash(hash(i + round) % PAIRS)).collect();
                let first = (1 << 40) + round * PAIRS;
                let misses: Vec<u64> = (first..first + asked).map(hash).collect();
                let (hit, found) = timed(asked, || (row.ask)(&hits));
                assert!(found >= asked, "a member is missed");
                let (miss, found) = timed(asked, || (row.ask)(&misses));
                times[i][0].push(hit);
                times[i][1].push(miss);
                wrong[i] += found as f64 / asked as f64 / ROUNDS as f64;
            }
        }
        let _ = writeln!(
            text,
            "\n## {segments} segments\n\n| | bits a key and segment | wrong segments, absent key | fill a key | hit | miss | miss, for each \
             segment |\n| --- | --: | --: | --: | --: | --: | --: |"
        );
        for ((row, times), wrong) in rows.iter().zip(&times).zip(wrong) {
            let [hit, miss] = [&times[0], &times[1]].map(|times| median(times));
            let _ = writeln!(
                text,
                "| {} | {:.2} | {wrong:.4} | {:.0} | {hit:.1} | {miss:.1} | {:.3} |",
                row.name,
                row.bits as f64 / PAIRS as f64,
                row.fill,
                miss / segments as f64,
            );
        }
    }
    several(&mut text);
    text
}

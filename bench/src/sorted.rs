//! Does it pay to sort many questions by the part of the array that they fall on? Each part is in a
//! nearer cache then; the hashes have to be moved there and the answers back.

use std::fmt::Write;
use std::hint::black_box;

use cpu_time::ProcessTime;
use tepal::BloomFilter;

use crate::measure::median;

/// Keys of the filters: of 1.2, 24 and 120 MB.
const KEYS: [u64; 3] = [1_000_000, 20_000_000, 100_000_000];
/// Questions of a round, half of them hits.
const QUESTIONS: usize = 20_000_000;
/// Parts, as bits of a hash: the parts of the largest filter are 470 and 29 kB.
const BITS: [u32; 2] = [8, 12];
const ROUNDS: usize = 5;

/// A hash for each number: the finalizer of SplitMix64.
fn hash(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Hashes in the order of their highest bits, with their places in the list.
struct Sorted {
    hashes: Vec<u64>,
    places: Vec<u32>,
    answers: Vec<bool>,
}

/// Counts and moves: lines are chosen by the highest bits of a hash.
fn sort(hashes: &[u64], bits: u32, sorted: &mut Sorted) {
    let part = |hash: u64| (hash >> (64 - bits)) as usize;
    let mut next = vec![0_usize; 1 << bits];
    for &hash in hashes {
        next[part(hash)] += 1;
    }
    let mut start = 0;
    for next in &mut next {
        (*next, start) = (start, start + *next);
    }
    for (place, &hash) in (0..).zip(hashes) {
        let next = &mut next[part(hash)];
        (sorted.hashes[*next], sorted.places[*next]) = (hash, place);
        *next += 1;
    }
}

/// The table.
pub(crate) fn run() -> String {
    let mut text = format!(
        "# Questions sorted by part\n\nCPU nanoseconds a question, {QUESTIONS} hashes in one list, half of them hits; medians of \
         {ROUNDS} rounds.\n\n| keys | as they come | parts | sorted: all | sorting | asking | answers back |\n\
         | --: | --: | --: | --: | --: | --: | --: |\n"
    );
    let mut answers = vec![false; QUESTIONS];
    for keys in KEYS {
        let builder = BloomFilter::builder().capacity(keys).caller_hash("SplitMix64");
        let mut filter = builder.build().expect("a filter of hashes");
        for start in (0..keys).step_by(1 << 20) {
            let hashes: Vec<u64> = (start..keys.min(start + (1 << 20))).map(hash).collect();
            filter.insert_many_hashes(&hashes).expect("a filter takes the keys it was planned for");
        }
        let mut random = fastrand::Rng::with_seed(keys);
        let asked: Vec<u64> = (0..QUESTIONS).map(|_| hash(random.u64(..2 * keys))).collect();
        let mut sorted = Sorted {
            hashes: vec![0; QUESTIONS],
            places: vec![0; QUESTIONS],
            answers: vec![false; QUESTIONS],
        };
        let mut plain = Vec::new();
        let mut parts = vec![[const { Vec::new() }; 3]; BITS.len()];
        for _ in 0..ROUNDS {
            let clock = ProcessTime::now();
            filter.contains_many_hashes(&asked, &mut answers);
            plain.push(clock.elapsed().as_nanos() as f64 / QUESTIONS as f64);
            for (bits, [sorting, asking, back]) in BITS.iter().zip(&mut parts) {
                let mut timed = |times: &mut Vec<f64>, work: &mut dyn FnMut(&mut Sorted)| {
                    let clock = ProcessTime::now();
                    work(&mut sorted);
                    times.push(clock.elapsed().as_nanos() as f64 / QUESTIONS as f64);
                };
                timed(sorting, &mut |sorted| sort(&asked, *bits, sorted));
                timed(asking, &mut |sorted| filter.contains_many_hashes(&sorted.hashes, &mut sorted.answers));
                let mut again = vec![false; QUESTIONS];
                timed(back, &mut |sorted| {
                    for (place, answer) in sorted.places.iter().zip(&sorted.answers) {
                        again[*place as usize] = *answer;
                    }
                });
                assert!(black_box(again) == answers, "sorted questions get other answers");
            }
        }
        let plain = median(&plain);
        for (bits, times) in BITS.iter().zip(&parts) {
            let [sorting, asking, back] = times.each_ref().map(|times| median(times));
            let all = sorting + asking + back;
            let _ = writeln!(
                text,
                "| {keys} | {plain:.1} | {} | {all:.1} | {sorting:.1} | {asking:.1} | {back:.1} |",
                1 << bits
            );
        }
    }
    text
}

//! The promise: no member is ever missed, and the false-positive rate is at most the promised one.
//!
//! Two measurements stand side by side. The rate from the set bits is exact for an evenly spread
//! hash, so it shows a difference of 1 %; counting false positives would need 10^10 lookups for
//! that. The counted false positives show that real keys have that rate. Up to 10^7 keys here;
//! `bench/measure/run promise` tests 10^8.

use tepal::{BloomFilter, Layout};

use crate::shared::families::Family;
use crate::shared::trial::{credible, run};

const RATES: [f64; 7] = [0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6];
/// The mean of many filters is at most this many times the promise.
const TOLERANCE: f64 = 1.05;

fn check(layout: Layout, rate: f64, family: Family, n: u64, asked: u64) {
    let label = format!("{layout}, {rate:e}, {family:?}, {n} keys");
    // The rates of small filters differ; the promise is about their mean.
    let trials = (400_000 / n).clamp(1, 400);
    let (mut sum, mut wrong, mut total) = (0.0, 0, 0);
    for seed in 0..trials {
        let outcome = run(layout, rate, family, n, seed, asked / trials);
        assert_eq!(outcome.missed, 0, "{label}");
        sum += outcome.filter.false_positive_rate();
        wrong += outcome.wrong;
        total += outcome.asked;
    }
    let mean = sum / trials as f64;
    assert!(mean <= TOLERANCE * rate, "{label}: {mean:e} from the set bits");
    assert!(wrong as f64 <= credible(total, mean), "{label}: {wrong} of {total}, rate {mean:e}");
    assert!(wrong as f64 <= credible(total, TOLERANCE * rate), "{label}: {wrong} of {total} wrong");
}

/// A test for each layout: each runs beside the others.
macro_rules! for_each_layout {
    ($name:ident, $check:ident) => {
        mod $name {
            use tepal::Layout;

            #[test]
            fn line() {
                super::$check(Layout::Line);
            }

            #[test]
            fn double() {
                super::$check(Layout::Double);
            }

            #[test]
            fn split_block() {
                super::$check(Layout::SplitBlock);
            }

            #[test]
            fn scattered() {
                super::$check(Layout::Scattered);
            }
        }
    };
}

/// A new layout needs its line in the macro above.
#[test]
fn every_layout_is_tested() {
    assert_eq!(Layout::ALL, [Layout::Line, Layout::Double, Layout::SplitBlock, Layout::Scattered]);
}

for_each_layout!(few_keys, check_few);

fn check_few(layout: Layout) {
    for rate in RATES {
        for n in [1, 2, 3, 10, 100, 1000] {
            // Each family in turn: the hash makes them alike, and the larger tests use all.
            let family = Family::ALL[(n % 5) as usize];
            check(layout, rate, family, n, 20_000);
        }
    }
}

for_each_layout!(ten_thousand_to_a_hundred_thousand_keys, check_thousands);

fn check_thousands(layout: Layout) {
    for (i, rate) in RATES.into_iter().enumerate() {
        for (j, family) in Family::ALL.into_iter().enumerate() {
            check(layout, rate, family, if (i + j) % 2 == 0 { 10_000 } else { 100_000 }, 200_000);
        }
    }
}

for_each_layout!(a_million_keys_of_every_family, check_million);

fn check_million(layout: Layout) {
    for family in Family::ALL {
        check(layout, 0.01, family, 1_000_000, 1_000_000);
    }
    check(layout, 1e-6, Family::Uuid, 1_000_000, 2_000_000);
}

for_each_layout!(ten_million_keys, check_ten_million);

fn check_ten_million(layout: Layout) {
    let family = match layout {
        Layout::Line => Family::Iin,
        Layout::Double => Family::Sequential,
        Layout::SplitBlock => Family::Shifted,
        Layout::Scattered => Family::Url,
        layout => panic!("{layout} is new"),
    };
    check(layout, 0.01, family, 10_000_000, 10_000_000);
}

for_each_layout!(rates_are_the_formulas, check_formula);

/// No layout is more than 1 % above its formula, and one line of up to 8 bits has the exact rate
/// over its rotations.
fn check_formula(layout: Layout) {
    for rate in [0.1, 0.01, 1e-3, 1e-4] {
        let n = 2_000_000;
        let builder = BloomFilter::builder().capacity(n).layout(layout);
        let plan = builder.clone().false_positive_rate(rate).plan().unwrap();
        let formula = builder.bit_len(plan.bit_len).num_hashes(plan.num_hashes).plan().unwrap();
        let formula = formula.false_positive_rate;
        let found = run(layout, rate, Family::Sequential, n, 1, 0).filter;
        let ratio = found.false_positive_rate() / formula;
        assert!((0.93..1.01).contains(&ratio), "{layout} {rate:e}: {ratio} of the formula");
        if layout == Layout::Line && plan.num_hashes <= 8 {
            let exact = exact_line_rate(plan.num_hashes, plan.bits_per_key());
            let ratio = found.false_positive_rate() / exact;
            assert!((0.995..1.005).contains(&ratio), "{rate:e}: {ratio} of the exact sum");
        }
        let count = found.estimated_len() / n as f64;
        assert!((0.998..1.002).contains(&count), "{layout} {rate:e}: estimated {}", found.estimated_len());
        assert!(!found.is_over_capacity());
    }
}

/// The exact rate of one line with k <= 8: inclusion and exclusion over the words S of one rotation
/// whose bit is not set, (-1)^|S| exp(-(load / 8) · sum over r of (1 - (63/64)^|S and L_r|)).
fn exact_line_rate(k: u32, bits_per_key: f64) -> f64 {
    const ORDER: [u32; 8] = [0, 1, 3, 7, 6, 2, 4, 5];
    let active = |r: u32| ORDER[..k as usize].iter().fold(0u32, |set, o| set | 1 << ((o + 8 - r) % 8));
    let subsets = (0..256u32).filter(|s| s & !active(0) == 0);
    let term = |s: u32| {
        let lost: f64 = (0..8).map(|r| 1.0 - (63f64 / 64.0).powi((s & active(r)).count_ones() as i32)).sum();
        let sign = if s.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
        sign * (-512.0 / bits_per_key / 8.0 * lost).exp()
    };
    subsets.map(term).sum()
}

//! `sizes.json`: section 5.

use crate::json::{Json, decimal, list, object, plain};
use crate::names;
use tepal_reference::bits::{DOUBLE, LINE, SCATTERED, SPLIT_BLOCK, allowed_k};
use tepal_reference::size::{best, bit_len, chosen, foldable, parquet_bit_len, rate};
use tepal_reference::spread::promise;

const ABOUT: &str = "Rates and sizes (FORMAT.md section 5; not part of the format), to ten digits: compare with a \
    tolerance. rates: R(k, c). exact_line_rates: the exact rate of one line for k up to 8, which the formula of the \
    line approximates. best: the least bits per key over all allowed k, and that k. promises: the lowest rate that \
    filters of a shape can promise, to eight digits. bit_lens: the k and the size a writer gives a filter, in whole \
    lines in every layout. parquet_bit_lens: the same for scheme 3 in the layout split-block. foldable: a step of that, in lines.";

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let mut rates = Vec::new();
    let mut bests = Vec::new();
    let mut bit_lens = Vec::new();
    for layout in names::LAYOUTS {
        let name = names::layout(layout);
        let ks = if layout == SCATTERED {
            vec![1, 2, 3, 5, 7, 10, 13, 20, 33, 64]
        } else {
            allowed_k(layout).collect()
        };
        for k in ks {
            for c in [2.0, 5.0, 8.0, 10.0, 12.5, 16.0, 24.0, 40.0] {
                rates.push(rate_case(layout, k, c, rate(layout, k, c)));
            }
        }
        let out_of_reach = |wanted| format!("layout {name} does not reach {wanted}");
        for wanted in [0.5, 0.1, 0.03, 0.01, 1.0 / 256.0, 1e-3, 1e-4, 1.0 / 65536.0, 1e-6] {
            let (k, c) = best(layout, wanted).ok_or_else(|| out_of_reach(wanted))?;
            bests.push(object([
                ("layout", plain(name)),
                ("false_positive_rate", plain(wanted)),
                ("num_hashes", plain(k)),
                ("bits_per_key", ten_digits(c)),
            ]));
        }
        for wanted in [0.01, 1e-3, 1e-6] {
            let (k, c) = chosen(layout, wanted).ok_or_else(|| out_of_reach(wanted))?;
            for capacity in
                [1, 2, 10, 50, 100, 200, 500, 1000, 5000, 54_321, 1_000_000, 20_000_000, 3_000_000_000]
            {
                bit_lens.push(object([
                    ("layout", plain(name)),
                    ("false_positive_rate", plain(wanted)),
                    ("capacity", decimal(capacity)),
                    ("num_hashes", plain(k)),
                    ("bit_len", decimal(bit_len(layout, (k, c), capacity, wanted))),
                ]));
            }
        }
    }
    let mut promises = Vec::new();
    for (layout, k, bit_len, capacity) in SMALL {
        promises.push(object([
            ("layout", plain(names::layout(layout))),
            ("num_hashes", plain(k)),
            ("bit_len", decimal(bit_len)),
            ("capacity", decimal(capacity)),
            ("promise", digits(promise(layout, k, bit_len, capacity), 7)),
        ]));
    }
    let mut parquet = Vec::new();
    for wanted in [0.01, 1e-3] {
        let chosen = chosen(SPLIT_BLOCK, wanted).ok_or("no split block of this rate")?;
        for capacity in [1, 20, 23, 24, 25, 50, 100, 199, 200, 1000, 54_321, 1_000_000] {
            parquet.push(object([
                ("false_positive_rate", plain(wanted)),
                ("capacity", decimal(capacity)),
                ("bit_len", decimal(parquet_bit_len(chosen, capacity, wanted))),
            ]));
        }
    }
    let mut exact = Vec::new();
    for k in 1..=8 {
        for c in [5.0, 8.0, 10.0, 12.5, 16.0, 24.0] {
            exact.push(rate_case(LINE, k, c, exact_line_rate(k, c)));
        }
    }
    let rounded = |&lines: &u64| object([("lines", decimal(lines)), ("rounded", decimal(foldable(lines)))]);
    Ok(object([
        ("about", plain(ABOUT)),
        ("rates", list(rates)),
        ("exact_line_rates", list(exact)),
        ("best", list(bests)),
        ("promises", list(promises)),
        ("bit_lens", list(bit_lens)),
        ("parquet_bit_lens", list(parquet)),
        ("foldable", list(LINES.iter().map(rounded))),
    ]))
}

fn rate_case(layout: u8, k: u32, c: f64, rate: f64) -> Json {
    object([
        ("layout", plain(names::layout(layout))),
        ("num_hashes", plain(k)),
        ("bits_per_key", plain(c)),
        ("rate", ten_digits(rate)),
    ])
}

/// Numbers of lines on both sides of each change of the rounding.
#[rustfmt::skip]
const LINES: [u64; 29] = [
    1, 2, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4097, 6145, 12_289, 24_577, 36_865, 49_153, 61_441,
    122_881, 184_321, 245_761, 368_641, 737_281, 860_161, 1_290_241, 1_720_321, 2_580_481, 5_160_959,
    5_160_960, 5_160_961, 1_000_000_007,
];

/// Layout, k, `bit_len` and capacity: with one line and with many, with nearly empty and with full
/// lines.
#[rustfmt::skip]
const SMALL: [(u8, u32, u64, u64); 28] = [
    (LINE, 6, 512, 1), (LINE, 6, 512, 50), (LINE, 3, 512, 100), (LINE, 8, 1024, 100), (LINE, 6, 10_240, 1000),
    (LINE, 12, 23_552, 1000), (LINE, 16, 43_008, 1000), (LINE, 6, 1_048_576, 100_000),
    (DOUBLE, 7, 512, 1), (DOUBLE, 7, 512, 50), (DOUBLE, 2, 512, 600), (DOUBLE, 7, 1024, 100),
    (DOUBLE, 13, 20_480, 1000), (DOUBLE, 16, 32_256, 1000), (DOUBLE, 32, 40_960, 700), (DOUBLE, 7, 1_048_576, 100_000),
    (SPLIT_BLOCK, 8, 256, 1), (SPLIT_BLOCK, 8, 512, 30), (SPLIT_BLOCK, 8, 1024, 100), (SPLIT_BLOCK, 8, 10_752, 1000),
    (SPLIT_BLOCK, 8, 1_048_576, 100_000),
    (SCATTERED, 7, 64, 1), (SCATTERED, 7, 512, 50), (SCATTERED, 17, 512, 20), (SCATTERED, 1, 640, 64),
    (SCATTERED, 10, 14_848, 1000), (SCATTERED, 64, 98_304, 1000), (SCATTERED, 7, 1_048_576, 100_000),
];

/// Ten significant digits, more than the precision of the formulas of section 5.
fn ten_digits(value: f64) -> Json {
    digits(value, 9)
}

/// The number of digits after the first.
fn digits(value: f64, more: usize) -> Json {
    plain(format!("{value:.more$e}").parse().unwrap_or(f64::NAN))
}

/// The exact rate of one line for k from 1 to 8, where the formula treats the words of a line as if
/// they were filled independently of each other. With lambda = 512 / c keys a line and L_r the
/// active words of the rotation r (section 2.1), it is the sum over all subsets S of one L_r of
///
/// (-1)^|S| exp(-(lambda / 8) * sum over r of (1 - (63/64)^|S and L_r|))
///
/// by inclusion and exclusion over the words whose bit is *not* set.
pub(crate) fn exact_line_rate(k: u32, c: f64) -> f64 {
    assert!((1..=8).contains(&k), "the exact rate is known for k from 1 to 8, not {k}");
    const ORDER: [u32; 8] = [0, 1, 3, 7, 6, 2, 4, 5];
    let lambda = 512.0 / c;

    // Each L_r as a set of words: bit w is 1 when word w is active.
    let mut words = [0u32; 8];
    for (r, set) in words.iter_mut().enumerate() {
        for w in 0..8 {
            if ORDER[..k as usize].contains(&((w + r as u32) % 8)) {
                *set |= 1 << w;
            }
        }
    }

    let mut sum = 0.0;
    for s in 0..256u32 {
        if s & !words[0] != 0 {
            continue; // not a subset of L_0
        }
        let mut lost = 0.0;
        for set in words {
            lost += 1.0 - (63.0f64 / 64.0).powf((s & set).count_ones().into());
        }
        let sign = if s.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * (-lambda / 8.0 * lost).exp();
    }
    sum
}

//! `sizes.json`: section 5.

use crate::all::ten_digits;
use crate::print::to_json;
use serde::Serialize;
use tepal_reference::bits::Layout;
use tepal_reference::size::{best, bit_len, chosen, exact_line_rate, foldable, rate};

const ABOUT: &str = "Rates and sizes (FORMAT.md section 5; not part of the format), to ten digits: compare with a \
    tolerance. rates: R(k, c). exact_line_rates: the exact rate of one line for k up to 8, which the formula of the \
    line approximates. best: the least bits per key over all allowed k, and that k. bit_lens: the k and the size \
    a writer gives a filter, in whole lines in every layout. foldable: the last step of that, in lines.";

/// The rates for which the best size is given.
const WANTED: [f64; 9] = [0.5, 0.1, 0.03, 0.01, 1.0 / 256.0, 1e-3, 1e-4, 1.0 / 65536.0, 1e-6];

#[derive(Serialize)]
struct Sizes {
    about: &'static str,
    rates: Vec<Rate>,
    exact_line_rates: Vec<Rate>,
    best: Vec<Best>,
    bit_lens: Vec<BitLen>,
    foldable: Vec<Foldable>,
}

#[derive(Serialize)]
struct Rate {
    layout: &'static str,
    num_hashes: u32,
    bits_per_key: f64,
    rate: f64,
}

#[derive(Serialize)]
struct Best {
    layout: &'static str,
    false_positive_rate: f64,
    num_hashes: u32,
    bits_per_key: f64,
}

#[derive(Serialize)]
struct BitLen {
    layout: &'static str,
    false_positive_rate: f64,
    capacity: String,
    num_hashes: u32,
    bit_len: String,
}

#[derive(Serialize)]
struct Foldable {
    lines: String,
    rounded: String,
}

/// The text of the file.
pub(crate) fn json() -> Result<String, String> {
    let sizes = Sizes {
        about: ABOUT,
        rates: rates()?,
        exact_line_rates: exact_line_rates()?,
        best: bests()?,
        bit_lens: bit_lens()?,
        foldable: foldables(),
    };
    to_json(&sizes, 2)
}

fn rates() -> Result<Vec<Rate>, String> {
    let mut cases = Vec::new();
    for layout in Layout::ALL {
        let ks: Vec<u32> = match layout {
            Layout::Scattered => vec![1, 2, 3, 5, 7, 10, 13, 20, 33, 64],
            _ => layout.allowed_k().collect(),
        };
        for k in ks {
            for c in [2.0, 5.0, 8.0, 10.0, 12.5, 16.0, 24.0, 40.0] {
                cases.push(Rate {
                    layout: layout.name(),
                    num_hashes: k,
                    bits_per_key: c,
                    rate: ten_digits(rate(layout, k, c))?,
                });
            }
        }
    }
    Ok(cases)
}

fn exact_line_rates() -> Result<Vec<Rate>, String> {
    let mut cases = Vec::new();
    for k in 1..=8 {
        for c in [5.0, 8.0, 10.0, 12.5, 16.0, 24.0] {
            let rate = ten_digits(exact_line_rate(k, c))?;
            cases.push(Rate { layout: Layout::Line.name(), num_hashes: k, bits_per_key: c, rate });
        }
    }
    Ok(cases)
}

fn bests() -> Result<Vec<Best>, String> {
    let mut cases = Vec::new();
    for layout in Layout::ALL {
        for wanted in WANTED {
            let (num_hashes, c) = best(layout, wanted).ok_or_else(out_of_reach(layout, wanted))?;
            cases.push(Best {
                layout: layout.name(),
                false_positive_rate: wanted,
                num_hashes,
                bits_per_key: ten_digits(c)?,
            });
        }
    }
    Ok(cases)
}

fn bit_lens() -> Result<Vec<BitLen>, String> {
    let mut cases = Vec::new();
    for layout in Layout::ALL {
        for wanted in [0.01, 1e-3, 1e-6] {
            let (num_hashes, c) = chosen(layout, wanted).ok_or_else(out_of_reach(layout, wanted))?;
            for capacity in [1, 50, 1000, 54_321, 1_000_000, 20_000_000, 3_000_000_000] {
                cases.push(BitLen {
                    layout: layout.name(),
                    false_positive_rate: wanted,
                    capacity: capacity.to_string(),
                    num_hashes,
                    bit_len: bit_len(layout, (num_hashes, c), capacity, wanted).to_string(),
                });
            }
        }
    }
    Ok(cases)
}

fn out_of_reach(layout: Layout, wanted: f64) -> impl Fn() -> String {
    move || format!("layout {} does not reach {wanted}", layout.name())
}

fn foldables() -> Vec<Foldable> {
    [
        1,
        2,
        1023,
        1024,
        1025,
        2047,
        2048,
        2049,
        4095,
        4097,
        6145,
        12_289,
        24_577,
        36_865,
        49_153,
        61_441,
        122_881,
        184_321,
        245_761,
        368_641,
        737_281,
        860_161,
        1_290_241,
        1_720_321,
        2_580_481,
        5_160_959,
        5_160_960,
        5_160_961,
        1_000_000_007,
    ]
    .into_iter()
    .map(|lines| Foldable { lines: lines.to_string(), rounded: foldable(lines).to_string() })
    .collect()
}

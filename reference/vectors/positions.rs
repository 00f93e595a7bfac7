//! `positions.json`: sections 2.1 to 2.5.

use crate::all::hex64;
use crate::print::to_json;
use serde::Serialize;
use tepal_reference::bits::{Layout, positions};
use tepal_reference::hash::xxh3;

const ABOUT: &str = "From a hash to its bits (FORMAT.md section 2). `positions` are the k bit positions of `hash` in \
    a filter of `bit_len` bits, in the order in which section 2 names them (the words of a line ascending, those of \
    g before those of g2), repeated positions repeated.";

#[derive(Serialize)]
struct Positions {
    about: &'static str,
    positions: Vec<Case>,
}

#[derive(Serialize)]
struct Case {
    layout: &'static str,
    num_hashes: u32,
    bit_len: String,
    hash: String,
    positions: Vec<String>,
}

/// The text of the file.
pub(crate) fn json() -> Result<String, String> {
    let mut cases = Vec::new();
    for layout in Layout::ALL {
        layout_cases(layout, &mut cases)?;
    }
    to_json(&Positions { about: ABOUT, positions: cases }, 2)
}

/// Not the full product, but every k, every size and every hash with some of the others.
fn layout_cases(layout: Layout, cases: &mut Vec<Case>) -> Result<(), String> {
    let ks: Vec<u32> = match layout {
        Layout::Scattered => vec![1, 2, 3, 7, 16, 33, 64],
        _ => layout.allowed_k().collect(),
    };
    // Two values of k for the sizes and the hashes: a middle one and the largest.
    let some_ks = match layout {
        Layout::Line => [6, 16],
        Layout::Double => [7, 32],
        Layout::SplitBlock => [8, 8],
        Layout::Scattered => [7, 64],
    };
    // More than 2^40 bits, except where the layout ends there.
    let giant = match layout {
        Layout::Line | Layout::Double => (1 << 33) + 7,
        Layout::SplitBlock => 1 << 32,
        Layout::Scattered => (1 << 39) + 7,
    };
    let sizes = [1, 2, 3, 7, 1000, (1 << 20) + 5, giant];
    let random: Vec<u64> = (0..4).map(|i| xxh3(format!("hash {i}").as_bytes(), 0)).collect();
    let hashes = [0, 1, u64::MAX, 1 << 63, random[0], random[1], random[2], random[3]];

    for &k in &ks {
        for (units, hash) in [(7, random[0]), (7, random[1]), (giant, random[2]), (giant, random[3])] {
            cases.push(case(layout, k, units, hash)?);
        }
    }
    let mut some_ks = some_ks.to_vec();
    some_ks.dedup();
    for &k in &some_ks {
        for units in sizes {
            for hash in [random[2], u64::MAX] {
                cases.push(case(layout, k, units, hash)?);
            }
        }
        for hash in hashes {
            cases.push(case(layout, k, 1000, hash)?);
        }
    }
    Ok(())
}

fn case(layout: Layout, k: u32, units: u64, hash: u64) -> Result<Case, String> {
    let bit_len = units * layout.unit();
    layout.check(k, bit_len)?;
    Ok(Case {
        layout: layout.name(),
        num_hashes: k,
        bit_len: bit_len.to_string(),
        hash: hex64(hash),
        positions: positions(layout, k, bit_len, hash).iter().map(u64::to_string).collect(),
    })
}

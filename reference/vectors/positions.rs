//! `positions.json`: sections 2.1 to 2.5.

use crate::json::{Json, decimal, decimals, hex64, list, object, plain};
use crate::names;
use tepal_reference::bits::{self, DOUBLE, LINE, SCATTERED, SPLIT_BLOCK, allowed_k, unit};
use tepal_reference::hash::xxh3;

const ABOUT: &str = "From a hash to its bits (FORMAT.md section 2). `positions` are the k bit positions of `hash` in \
    a filter of `bit_len` bits, in the order in which section 2 names them (the words of a line ascending, those of \
    g before those of g2), repeated positions repeated.";

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let mut cases = Vec::new();
    for layout in names::LAYOUTS {
        for (k, units, hash) in layout_cases(layout) {
            let bit_len = units * unit(layout);
            bits::check(layout, k, bit_len)?;
            cases.push(object([
                ("layout", plain(names::layout(layout))),
                ("num_hashes", plain(k)),
                ("bit_len", decimal(bit_len)),
                ("hash", hex64(hash)),
                ("positions", decimals(&bits::positions(layout, k, bit_len, hash))),
            ]));
        }
    }
    Ok(object([("about", plain(ABOUT)), ("positions", list(cases))]))
}

/// k, the size in lines, blocks or words, and the hash. Not every combination, but every k, every
/// size and every hash with some of the others.
fn layout_cases(layout: u8) -> Vec<(u32, u64, u64)> {
    let ks = if layout == SCATTERED { vec![1, 2, 3, 7, 16, 33, 64] } else { allowed_k(layout).collect() };
    // For the sizes and the hashes: a middle k and the largest.
    let some_ks = match layout {
        LINE => vec![6, 16],
        DOUBLE => vec![7, 32],
        SPLIT_BLOCK => vec![8],
        _ => vec![7, 64],
    };
    // More than 2^40 bits, if the layout allows this size.
    let giant = match layout {
        LINE | DOUBLE => (1 << 33) + 7,
        SPLIT_BLOCK => 1 << 32,
        _ => (1 << 39) + 7,
    };
    let random: Vec<u64> = (0..4).map(|i| xxh3(format!("hash {i}").as_bytes(), 0)).collect();

    let mut cases = Vec::new();
    for k in ks {
        cases.extend([(k, 7, random[0]), (k, 7, random[1]), (k, giant, random[2]), (k, giant, random[3])]);
    }
    for k in some_ks {
        for units in [1, 2, 3, 7, 1000, (1 << 20) + 5, giant] {
            cases.extend([(k, units, random[2]), (k, units, u64::MAX)]);
        }
        for hash in [0, 1, u64::MAX, 1 << 63, random[0], random[1], random[2], random[3]] {
            cases.push((k, 1000, hash));
        }
    }
    cases
}

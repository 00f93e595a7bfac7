//! The map against a list of its pairs.

use alloc::vec::Vec;

use super::*;
use crate::bits::mix::finish;

/// Different hashes, each with a value below a limit.
fn pairs(from: u64, count: usize, below: u64) -> Vec<(u64, u32)> {
    (from << 40..).map(finish).take(count).map(|h| (h, ((h >> 7) % below) as u32)).collect()
}

fn at(rate: f64) -> RibbonMapBuilder {
    match rate {
        1.0 => RibbonMap::builder().known_keys_only(),
        _ => RibbonMap::builder().false_positive_rate(rate),
    }
}

/// Maps of the same pairs whose values have other names, or none, give other answers.
#[test]
fn maps_of_other_names_are_not_equal() {
    let pairs = pairs(77, 1000, 2);
    let named = |names: &[&str]| {
        at(0.01).value_bits(1).names(names.iter().copied()).build_from_hashes(pairs.clone()).unwrap()
    };
    let maps = [named(&[]), named(&["red", "green"]), named(&["red", "blue"]), named(&["green", "red"])];
    for (i, one) in maps.iter().enumerate() {
        for (j, other) in maps.iter().enumerate() {
            // All of them have the same ribbon.
            assert_eq!(one.ribbon.as_lines(), other.ribbon.as_lines());
            assert_eq!(one == other, i == j, "{i} {j}");
        }
    }
}

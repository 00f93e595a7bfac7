//! The formulas against `sizes.json`.

use std::vec::Vec;

use serde_json::Value;

use super::sizes::foldable;
use super::*;

/// The file has ten digits, and the last one is rounded.
const DIGITS: f64 = 6e-10;

fn cases(field: &str) -> Vec<Value> {
    crate::tests::cases("sizes.json", field, 0)
}

fn float(case: &Value, field: &str) -> f64 {
    case[field].as_f64().unwrap_or_else(|| panic!("no number {field} in {case}"))
}

fn layout(case: &Value) -> Layout {
    case["layout"].as_str().unwrap().parse().unwrap()
}

fn num_hashes(case: &Value) -> u32 {
    case["num_hashes"].as_u64().unwrap() as u32
}

#[test]
fn rates() {
    for case in cases("rates") {
        let found = rate::rate(layout(&case), num_hashes(&case), float(&case, "bits_per_key"));
        assert!((found / float(&case, "rate") - 1.0).abs() <= DIGITS, "{found}: {case}");
    }
}

/// The fewest bits for each key, over all k.
#[test]
fn best() {
    for case in cases("best") {
        let (least, most) = layout(&case).num_hashes_range();
        let found =
            rate::least_bits(layout(&case), least..=most, float(&case, "false_positive_rate")).unwrap();
        assert_eq!(found.0, num_hashes(&case), "{case}");
        assert!((found.1 / float(&case, "bits_per_key") - 1.0).abs() <= DIGITS, "{found:?}: {case}");
    }
}

#[test]
fn lines_that_can_be_folded() {
    for case in cases("foldable") {
        let number = |field: &str| -> u64 { case[field].as_str().unwrap().parse().unwrap() };
        assert_eq!(foldable(number("lines")), number("rounded"), "{case}");
    }
}

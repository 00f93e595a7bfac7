//! Checks that the reference still writes the kept JSON files; and tests the rates of section 5.

use crate::json::{list, object, plain};
use crate::sizes::exact_line_rate;
use crate::{all, check, first_difference};
use serde_json::{Value, json};
use std::path::Path;
use tepal_reference::bits::{DOUBLE, LINE, SCATTERED, SPLIT_BLOCK};
use tepal_reference::filter::Filter;
use tepal_reference::size::{best, bit_len, chosen, foldable, least, mean, rate};

/// The path of the kept files, relative to this crate.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/vectors");
/// The command that updates the files.
const WRITE_COMMAND: &str = "cargo run -p tepal-reference -- write testdata/vectors";

#[test]
fn vectors_are_current() {
    if let Err(difference) = check(Path::new(KEPT)) {
        panic!(
            "the test vectors are not what the reference computes: {difference}\n\
             If a rule was meant to change, write them anew:\n    {WRITE_COMMAND}"
        );
    }
}

#[test]
fn vectors_stay_small() {
    let total: usize = all().unwrap().iter().map(|(_, text)| text.len()).sum();
    // Two thirds are hashes, schemes, refused files and positions; the kinds 3 to 8 take 260,000.
    assert!(total < 1_400_000, "{total} bytes");
}

#[test]
fn differences_are_found_and_named() {
    let kept = json!({"a": [1, 0.5, "x"], "b": null});
    assert_eq!(first_difference("", &kept, &kept), None);
    let mut now = kept.clone();
    now["a"][1] = json!(0.5 + 1e-12);
    assert_eq!(first_difference("", &kept, &now), None);
    now["a"][1] = json!(0.5001);
    assert_eq!(first_difference("", &kept, &now).unwrap(), "at /a/1 the file has 0.5, computed 0.5001");
    now["a"] = json!([1]);
    assert!(first_difference("", &kept, &now).unwrap().starts_with("at /a the file has"));
    now = json!({"a": 1});
    assert!(first_difference("", &kept, &now).unwrap().starts_with("at  the file has"));
}

#[test]
fn outer_levels_are_lines_and_inner_levels_are_not() {
    let inner = object([("b", plain(3)), ("c", list([]))]);
    let value = object([("a", list([list([plain(1), plain(2)]), inner])), ("d", list([]))]);
    let text = value.print(2);
    assert_eq!(text, "{\n  \"a\": [\n    [1, 2],\n    {\"b\": 3, \"c\": []}\n  ],\n  \"d\": []\n}\n");
    let expected = json!({"a": [[1, 2], {"b": 3, "c": []}], "d": []});
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
}

#[test]
fn bits_per_key_of_the_design_tables() {
    for (layout, k, wanted, c) in [
        (LINE, 5, 0.01, 10.14),
        (LINE, 6, 0.01, 9.95),
        (LINE, 7, 0.01, 9.96),
        (LINE, 8, 0.01, 10.10),
        (LINE, 8, 1.0 / 256.0, 12.18),
        (LINE, 8, 0.001, 15.72),
        (LINE, 9, 0.001, 15.62),
        (LINE, 12, 1e-4, 22.18),
        (LINE, 14, 1.0 / 65536.0, 28.41),
        (DOUBLE, 6, 0.01, 9.68),
        (DOUBLE, 7, 0.01, 9.67),
        (DOUBLE, 8, 1.0 / 256.0, 11.68),
        (DOUBLE, 10, 0.001, 14.66),
        (DOUBLE, 12, 1e-4, 19.89),
        (DOUBLE, 16, 1.0 / 65536.0, 24.37),
        (DOUBLE, 16, 1e-6, 31.45),
        (DOUBLE, 18, 1e-6, 31.24),
        (SPLIT_BLOCK, 8, 0.01, 10.53),
        (SPLIT_BLOCK, 8, 1.0 / 256.0, 12.85),
        (SPLIT_BLOCK, 8, 0.001, 16.89),
        (SPLIT_BLOCK, 8, 1.0 / 65536.0, 37.77),
        (SCATTERED, 7, 0.01, 9.59),
        (SCATTERED, 10, 0.001, 14.38),
    ] {
        let found = least(|c| rate(layout, k, c), wanted).unwrap();
        assert!((found - c).abs() < 0.006, "layout {layout} k={k} {wanted}: {found}, not {c}");
    }
}

#[test]
fn bits_per_key_by_the_exact_rate() {
    for (k, c) in [(5, 10.12), (6, 9.93), (7, 9.96), (8, 10.10)] {
        let found = least(|c| exact_line_rate(k, c), 0.01).unwrap();
        assert!((found - c).abs() < 0.006, "k={k}: {found}, not {c}");
    }
}

#[test]
fn the_best_k() {
    assert_eq!(best(LINE, 0.01).unwrap().0, 6);
    assert_eq!(best(DOUBLE, 0.01).unwrap().0, 7);
    assert_eq!(best(SPLIT_BLOCK, 0.01).unwrap().0, 8);
    assert_eq!(best(SCATTERED, 0.001).unwrap().0, 10);
    assert_eq!(best(LINE, 0.001).unwrap().0, 9);
    assert_eq!(chosen(LINE, 0.001).unwrap().0, 8);
    assert_eq!(chosen(LINE, 0.01), best(LINE, 0.01));
}

#[test]
fn the_even_double_is_a_square() {
    for (k, c) in [(6, 9.68), (16, 24.37)] {
        let j = f64::from(k / 2);
        let f = mean(1024.0 / c, |i| (1.0 - (1.0 - j / 512.0).powf(i)).powf(j));
        let found = rate(DOUBLE, k, c);
        assert!((found / (f * f) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_exact_rate_is_close_to_the_formula_and_mostly_below() {
    for k in 3..=8 {
        for c in [6.0, 8.0, 10.0, 12.0, 16.0] {
            let ratio = exact_line_rate(k, c) / rate(LINE, k, c);
            assert!((0.97..1.003).contains(&ratio), "k={k} c={c}: {ratio}");
        }
    }
    // With k = 1 both formulas are 1 - e^(-1/c).
    for exact in [exact_line_rate(1, 10.0), rate(LINE, 1, 10.0)] {
        assert!((exact - (1.0 - (-0.1f64).exp())).abs() < 1e-12);
    }
}

#[test]
fn lines_are_rounded_for_folding() {
    assert_eq!(bit_len(LINE, (6, 9.93), 1, 0.01), 512);
    assert_eq!(bit_len(LINE, (6, 9.93), 1000, 0.01), 512 * 20);
    // Eight bits a key are too many for this size: one line more.
    assert_eq!(bit_len(LINE, (8, 10.0), 1000, 0.01), 512 * 21);
    assert_eq!(foldable(1025), 1025);
    assert_eq!(foldable(2047), 2047);
    assert_eq!(foldable(2049), 2050);
    assert_eq!(foldable(5 * 1024 + 1), 5 * 1024 + 4);
    assert_eq!(foldable(5040 * 1024 + 1), 5040 * 1025);
    for lines in (1..20_000_000).step_by(9973) {
        let rounded = foldable(lines);
        assert!(rounded >= lines && (rounded - lines) * 1024 <= lines);
    }
}

#[test]
fn the_measured_rate_is_the_computed_rate() {
    const KEYS: u64 = 200_000;
    for (layout, k, c) in [
        (LINE, 6, 9.93),
        (LINE, 8, 10.10),
        (LINE, 10, 8.0),
        (DOUBLE, 7, 9.66),
        (DOUBLE, 6, 9.68),
        (SPLIT_BLOCK, 8, 10.53),
        (SCATTERED, 7, 9.59),
    ] {
        let bit_len = (c * KEYS as f64 / 512.0) as u64 * 512;
        let mut filter = Filter::new(layout, 1, k, bit_len);
        filter.domain = 2;
        for i in 0..KEYS {
            filter.insert(i.to_string().as_bytes()).unwrap();
        }
        let held = |i: &u64| filter.contains(i.to_string().as_bytes()).unwrap();
        let wrong = (KEYS..2 * KEYS).filter(held).count() as f64;
        let c = bit_len as f64 / KEYS as f64;
        let expected = KEYS as f64 * rate(layout, k, c);
        // Four standard deviations of the count, and the formula may be up to 4 % too high.
        let noise = 4.0 * expected.sqrt();
        assert!(wrong < expected + noise, "layout {layout} k={k}: {wrong}, expected {expected}");
        assert!(wrong > 0.96 * expected - noise, "layout {layout} k={k}: {wrong}, expected {expected}");
        if layout == LINE && k <= 8 {
            let exact = KEYS as f64 * exact_line_rate(k, c);
            assert!((wrong - exact).abs() < noise, "k={k}: {wrong}, exact {exact}");
        }
    }
}

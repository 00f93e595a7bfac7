//! `sizes.json`: promises and sizes of FORMAT.md, section 5, through the library's plans. The
//! library's own tests check its formulas (`params/vectors.rs`).

use serde_json::Value;
use tepal::{BloomFilter, Layout, builders::BloomFilterBuilder};

use super::{cases, layout, number, small, vectors};

fn float(case: &Value, field: &str) -> f64 {
    case[field].as_f64().unwrap_or_else(|| panic!("no number {field} in {case}"))
}

fn builder(case: &Value) -> BloomFilterBuilder {
    BloomFilter::builder().layout(layout(case))
}

#[test]
fn sizes() {
    let file = vectors("sizes.json");
    for case in cases(&file, "bit_lens") {
        let rate = float(case, "false_positive_rate");
        let builder = builder(case).capacity(number(&case["capacity"])).false_positive_rate(rate);
        let plan = builder.plan().unwrap();
        assert_eq!(plan.num_hashes, small(case, "num_hashes"), "{case}");
        assert_eq!(plan.bit_len, number(&case["bit_len"]), "{case}");
    }
}

#[cfg(feature = "foreign")]
#[test]
fn parquet_sizes() {
    let file = vectors("sizes.json");
    for case in cases(&file, "parquet_bit_lens") {
        let builder = BloomFilter::builder().scheme(tepal::Scheme::Xxh64).layout(Layout::SplitBlock);
        let builder = builder.capacity(number(&case["capacity"]));
        let plan = builder.false_positive_rate(float(case, "false_positive_rate")).plan().unwrap();
        assert_eq!(plan.bit_len, number(&case["bit_len"]), "{case}");
    }
}

#[test]
fn promises() {
    let file = vectors("sizes.json");
    for case in cases(&file, "promises") {
        let shape = builder(case).bit_len(number(&case["bit_len"])).num_hashes(small(case, "num_hashes"));
        let found = shape.capacity(number(&case["capacity"])).plan().unwrap().false_positive_rate;
        // No filter promises less, whatever its bits allow.
        let lowest = if layout(case) == Layout::SplitBlock { 1e-8 } else { 1e-12 };
        let expected = float(case, "promise").max(lowest);
        assert!((found / expected - 1.0).abs() < 1e-6, "{found}: {case}");
    }
}

/// The exact rate of a filled filter of layout line, which the formula of the plans only
/// approximates.
#[test]
fn exact_line_rates() {
    const MEMBERS: u64 = 51_200;
    const STRANGERS: u64 = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
    let strangers: Vec<u64> = (MEMBERS..MEMBERS + STRANGERS).collect();
    let file = vectors("sizes.json");
    for case in cases(&file, "exact_line_rates") {
        let (bits, expected) = (float(case, "bits_per_key") * MEMBERS as f64, float(case, "rate"));
        let builder = builder(case).num_hashes(small(case, "num_hashes")).bit_len(bits as u64);
        let filter = builder.capacity(MEMBERS).seed(3).build_from(0..MEMBERS).unwrap();
        let held = filter.contains_many(&strangers).into_iter().filter(|&held| held).count();
        let found = held as f64 / STRANGERS as f64;
        // Non-members differ by chance, and so do filters: the share of set bits to the power of k.
        let k = f64::from(filter.num_hashes());
        let chance = (expected * (1.0 - expected) / STRANGERS as f64).sqrt();
        let fill = k * expected / (MEMBERS as f64 * k).sqrt();
        let most = 5.0 * (chance + fill);
        assert!((found - expected).abs() <= most, "{found}, at most {most} off: {case}");
    }
}

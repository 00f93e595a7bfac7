//! Positions from the independent reference, at sizes that no test could allocate, and the limits
//! of shapes.

use super::*;
use crate::bits::shape::MOST_BITS;

#[test]
fn positions_are_the_references() {
    let decimal = |value: &serde_json::Value| value.as_str().unwrap().parse::<u64>().unwrap();
    for case in crate::tests::cases("positions.json", "positions", 300) {
        let layout: Layout = case["layout"].as_str().unwrap().parse().unwrap();
        let num_hashes = case["num_hashes"].as_u64().unwrap() as u32;
        let shape = Shape::new(layout, num_hashes, decimal(&case["bit_len"])).unwrap();
        let hash = case["hash"].as_str().unwrap().strip_prefix("0x").unwrap();
        let hash = u64::from_str_radix(hash, 16).unwrap();
        let expected: Vec<u64> = case["positions"].as_array().unwrap().iter().map(decimal).collect();
        assert_eq!(Rules::new(shape).positions(shape, hash), expected, "{case}");
    }
}

#[test]
fn shapes_have_limits() {
    for &layout in Layout::ALL {
        let (least, most) = layout.num_hashes_range();
        let unit = layout.unit_bits();
        for (k, bit_len) in
            [(least - 1, unit), (most + 1, unit), (least, 0), (least, unit + 1), (least, MOST_BITS + unit)]
        {
            assert!(Shape::new(layout, k, bit_len).is_err(), "{layout} {k} {bit_len}");
        }
        assert_eq!(Shape::new(layout, most, unit).unwrap().lines(), 1);
    }
    assert!(Shape::new(Layout::SplitBlock, 8, (256 << 32) + 256).is_err());
    assert!(Shape::new(Layout::SplitBlock, 8, 256 << 32).is_ok());
}

/// The range of the hash is spread over all of 0..n, evenly and in order.
#[test]
fn reduction_is_monotone_and_covers() {
    for n in [1, 2, 3, 1000, 1 << 33] {
        assert_eq!(reduce(0, n), 0);
        assert_eq!(reduce(u64::MAX, n), n - 1);
        assert!((0..1000u64).map(|i| reduce(i << 54, n)).is_sorted());
    }
}

//! Inverse pairs, choices and refusals.

use tepal::{BloomFilter, Error, Goal, Layout, builders::BloomFilterBuilder};

const RATES: [f64; 8] = [0.5, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6];

/// A filter with what is given of these.
fn asked(
    capacity: Option<u64>,
    rate: Option<f64>,
    bit_len: Option<u64>,
    layout: Layout,
) -> BloomFilterBuilder {
    let mut builder = BloomFilter::builder().layout(layout);
    if let Some(capacity) = capacity {
        builder = builder.capacity(capacity);
    }
    if let Some(rate) = rate {
        builder = builder.false_positive_rate(rate);
    }
    match bit_len {
        Some(bits) => builder.bit_len(bits),
        None => builder,
    }
}

/// Keys and rate give a size; size and keys give the rate back; size and rate give the keys back.
#[test]
fn inverse_pairs() {
    for &layout in Layout::ALL {
        for wanted in RATES {
            for capacity in [1, 2, 3, 10, 1000, 123_456, 20_000_000, 3_000_000_000] {
                let plan = asked(Some(capacity), Some(wanted), None, layout).plan().unwrap();
                assert_eq!(plan.false_positive_rate, wanted);
                let fixed_k = plan.num_hashes;

                let back = asked(Some(capacity), None, Some(plan.bit_len), layout).num_hashes(fixed_k);
                let rate = back.plan().unwrap().false_positive_rate;
                assert!(rate <= wanted * 1.000_001, "{layout} {wanted} {capacity}: {rate}");
                if capacity > 1_000_000 {
                    assert!(rate >= wanted * 0.98, "{layout} {wanted} {capacity}: {rate}");
                }

                let back = asked(None, Some(wanted), Some(plan.bit_len), layout).num_hashes(fixed_k);
                let keys = back.plan().unwrap().capacity;
                assert!(keys >= capacity, "{layout} {wanted} {capacity}: {keys}");
                if capacity > 1_000_000 {
                    assert!(keys as f64 <= 1.002 * capacity as f64, "{layout} {wanted} {capacity}: {keys}");
                }
            }
        }
    }
}

/// A k outside the layout's range is reported as that, whatever parameters fix the plan and
/// whatever its rate.
#[test]
fn numbers_of_hashes_have_limits() {
    for (layout, k, range) in [
        (Layout::Line, 0, "1 to 16"),
        (Layout::Line, 17, "1 to 16"),
        (Layout::Double, 1, "2 to 32"),
        (Layout::Double, 33, "2 to 32"),
        (Layout::SplitBlock, 7, "8 to 8"),
        (Layout::Scattered, 0, "1 to 64"),
        (Layout::Scattered, 65, "1 to 64"),
    ] {
        for (capacity, rate, bit_len) in
            [(Some(10), Some(1e-6), None), (Some(10), None, Some(512)), (None, Some(1e-6), Some(512))]
        {
            let builder = asked(capacity, rate, bit_len, layout).num_hashes(k);
            let text = builder.plan().unwrap_err().to_string();
            let expected = format!("the number of hashes is {k}; it must be {range} in the layout {layout}");
            assert_eq!(text, expected);
        }
    }
}

#[test]
fn the_goal_chooses_the_layout() {
    let layout = |rate, goal| {
        BloomFilter::builder().capacity(1000).false_positive_rate(rate).goal(goal).plan().unwrap().layout
    };
    assert_eq!(layout(0.01, Goal::Speed), Layout::Line);
    assert_eq!(layout(0.001, Goal::Speed), Layout::Line);
    assert_eq!(layout(0.0009, Goal::Speed), Layout::Double);
    assert_eq!(layout(0.01, Goal::Memory), Layout::Double);
    let by_size = BloomFilter::builder().capacity(1_000_000).bit_len(20_480_000);
    assert_eq!(by_size.clone().plan().unwrap().layout, Layout::Double);
    let by_size = by_size.bit_len(10_240_000);
    assert_eq!(by_size.plan().unwrap().layout, Layout::Line);
}

/// The limits themselves are allowed.
#[test]
fn limits_themselves_are_within() {
    for &layout in Layout::ALL {
        let lowest = if layout == Layout::SplitBlock { 1e-8 } else { 1e-12 };
        let at = asked(Some(1000), Some(lowest), None, layout).plan().unwrap();
        assert_eq!(at.false_positive_rate, lowest, "{layout}");
        assert!(asked(Some(1000), Some(lowest * 0.999), None, layout).plan().is_err(), "{layout}");
        let free = asked(Some(1000), None, Some(10_240), layout).plan().unwrap();
        let rate = free.false_positive_rate;
        assert_eq!(asked(Some(1000), Some(rate), Some(10_240), layout).plan().unwrap(), free);
        let below = asked(Some(1000), Some(rate * (1.0 - 1e-15)), Some(10_240), layout).plan();
        assert!(matches!(below, Err(Error::RateOutOfReach { .. })), "{layout}");
    }
}

/// With 2^40 keys, a non-member's 64-bit hash equals a member's with a probability of 2^-24, which
/// may be a twentieth of the rate.
#[test]
fn the_hash_itself_errs() {
    let floor = 20.0 / f64::from(1u32 << 24);
    let plan = |rate| asked(Some(1 << 40), Some(rate), None, Layout::Scattered).plan();
    assert!(plan(floor).is_ok() && plan(floor * 1.001).is_ok());
    let error = plan(floor * 0.999).unwrap_err().to_string();
    assert!(error.contains("a 64-bit hash alone errs at 6.0e-8"), "{error}");
    // With 64 bits for each key the bits could give a lower rate than the hash.
    let by_size = asked(Some(1 << 40), None, Some(1 << 46), Layout::Scattered).plan().unwrap();
    assert_eq!(by_size.false_positive_rate, floor);
    let few = asked(Some(1), None, Some(5120), Layout::Scattered).plan().unwrap();
    assert_eq!(few.false_positive_rate, 1e-12);
    let many = asked(Some(1 << 16), None, Some(64), Layout::Scattered).plan().unwrap();
    assert_eq!(many.false_positive_rate, 1.0 - f64::EPSILON);
}

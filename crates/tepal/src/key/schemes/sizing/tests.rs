//! The sizes of the original programs, and the parameters that a request leaves open.

use super::*;

/// The scheme's plan for a request.
fn plan(scheme: Scheme, request: &Request) -> Result<Plan> {
    Request { scheme: Some(scheme), ..*request }.plan()
}

fn sized(scheme: Scheme, capacity: u64, rate: f64) -> (u64, u32) {
    let request = Request { capacity: Some(capacity), false_positive_rate: Some(rate), ..Request::default() };
    let plan = plan(scheme, &request).unwrap();
    (plan.bit_len, plan.num_hashes)
}

#[test]
fn sizes_of_the_originals() {
    assert_eq!(sized(Scheme::Md5Presets, 301, 0.1), (1445, 3));
    assert_eq!(sized(Scheme::Md5Presets, 223, 0.01), (2141, 7));
    assert_eq!(sized(Scheme::Md5Presets, 157, 0.001), (2261, 10));
    for (rate, bits, k) in [(0.1, 5, 3), (0.01, 10, 7), (0.001, 15, 10)] {
        assert_eq!(sized(Scheme::Md5Presets, 1, rate), (bits, k));
    }
    assert_eq!(sized(Scheme::Md5Split, 100, 0.01), (959, 7));
    assert_eq!(sized(Scheme::FnvCrc, 1000, 0.01), (12_365, 3));
    assert_eq!(sized(Scheme::FnvCrc, 7, 0.2), (24, 3));
    assert_eq!(sized(Scheme::Sha384, 20_000_000, 0.01), (1 << 28, 12));
    assert_eq!(sized(Scheme::Bkdr7, 5, 0.01), (1 << 25, 7));
    assert_eq!(sized(Scheme::GuavaMitz64, 300, 0.03), (2240, 5));
    assert_eq!(sized(Scheme::GuavaMitz64, 50, 1e-12), (2880, 40));
    assert_eq!(sized(Scheme::GuavaMitz64, 1, 0.35), (64, 2));
    for spark in [Scheme::SparkV1, Scheme::SparkV2] {
        assert_eq!(sized(spark, 300, 0.03), (2240, 5));
        assert_eq!(sized(spark, 1000, 0.001), (14_400, 10));
        assert_eq!(sized(spark, 2, 0.3), (64, 2));
    }
    assert_eq!(sized(Scheme::BitsAndBlooms, 300, 0.03), (2190, 6));
    assert_eq!(sized(Scheme::BitsAndBlooms, 3000, 0.0001), (57_511, 14));
    assert_eq!(sized(Scheme::Dcso, 265, 0.02), (2157, 6));
    assert_eq!(sized(Scheme::Dcso, 25, 0.5), (36, 1));
    assert_eq!(sized(Scheme::RedisBloom, 3000, 0.0001).0, 57_536);
    assert_eq!(sized(Scheme::RedisBloom, 160, 0.02).0, 1344);
    assert_eq!(sized(Scheme::ValkeyBloom, 400, 0.05), (2496, 4));
    assert_eq!(sized(Scheme::ValkeyBloom, 50, 0.02), (408, 6));
}

#[test]
fn what_31_bits_do_to_a_promise() {
    for (keys, expected) in [
        (100_000_000, 0.0111),
        (150_000_000, 0.0140),
        (300_000_000, 0.037),
        (500_000_000, 0.217),
        (1_000_000_000, 0.76),
    ] {
        let (bits, k) = sized(Scheme::GuavaMitz32, keys, 0.01);
        let found = rate_at(Scheme::GuavaMitz32, k, bits, keys);
        assert!((found / expected - 1.0).abs() < 0.02, "{keys}: {found}, expected {expected}");
    }
    assert!((rate_at(Scheme::Sha384, 12, 1 << 28, 20_000_000) - 0.0018).abs() < 0.00005);
}

/// Two of keys, rate and size are given; the third and k follow by the classic formulas.
#[test]
fn what_a_request_leaves_open() {
    let planned = |capacity, bit_len, false_positive_rate| {
        let request = Request { capacity, bit_len: Some(bit_len), false_positive_rate, ..Request::default() };
        let plan = plan(Scheme::BitsAndBlooms, &request).unwrap();
        (plan.num_hashes, plan.capacity, plan.false_positive_rate)
    };
    for (capacity, bits, wanted, k, keys, rate) in [
        (Some(100), 1000, None, 7, 100, 0.008_193_722_065_862_417),
        (Some(1000), 5000, None, 3, 1000, 0.091_848_839_232_940_43),
        (Some(1000), 64, None, 1, 1000, 0.999_999_836_262_287),
        (None, 1000, Some(0.01), 7, 104, 0.009_889_536_856_273_77),
        (None, 5000, Some(0.1), 3, 1039, 0.099_820_804_962_522_59),
        (None, 64, Some(1e-9), 30, 1, 1.561_961_172_826_054_6e-13),
    ] {
        let (found_k, found_keys, found) = planned(capacity, bits, wanted);
        assert_eq!((found_k, found_keys), (k, keys), "{bits} bits");
        assert!((found / rate - 1.0).abs() < 1e-9, "{bits} bits: {found}, expected {rate}");
    }
    assert!(plan(Scheme::BitsAndBlooms, &Request::default()).is_err());
    for (k, m, keys) in [(7, 5000, 495), (3, 100, 23), (7, 64, 6), (9, 1, 1)] {
        assert_eq!(half_full(k, m), keys, "{k} of {m}");
    }
    // Never 0 and never 1, for any number of keys.
    assert_eq!(rate_at(Scheme::Dcso, 1, 64, u64::MAX), 1.0 - f64::EPSILON);
    assert_eq!(rate_at(Scheme::Dcso, 2048, 1 << 46, 1), f64::MIN_POSITIVE);
}

/// Some programs write the requested rate into their files. It is promised for filters of that
/// program's size, and for other sizes if they keep it.
#[test]
fn the_rate_that_is_promised() {
    let promised = |scheme, bit_len| {
        let request =
            Request { capacity: Some(1000), bit_len, false_positive_rate: Some(0.01), ..Request::default() };
        plan(scheme, &request).unwrap().false_positive_rate
    };
    let recording = [Scheme::Dcso, Scheme::RedisBloom, Scheme::ValkeyBloom];
    for scheme in recording {
        assert_eq!(promised(scheme, None), 0.01, "{scheme}");
        // However far their formula is from it.
        let request = Request { capacity: Some(10), false_positive_rate: Some(0.9), ..Request::default() };
        assert_eq!(plan(scheme, &request).unwrap().false_positive_rate, 0.9, "{scheme}");
        // 5 bits for each key do not keep it.
        assert!((promised(scheme, Some(5000)) - 0.0918).abs() < 0.0001, "{scheme}");
    }
    for scheme in [Scheme::GuavaMitz64, Scheme::SparkV2, Scheme::BitsAndBlooms, Scheme::Md5Split] {
        let found = promised(scheme, None);
        assert!(found != 0.01 && (found / 0.01 - 1.0).abs() < 0.05, "{scheme}: {found}");
    }
}

#[test]
fn sizes_end_at_the_largest_filter() {
    let planned = |keys| {
        let request = Request { capacity: Some(keys), false_positive_rate: Some(0.5), ..Request::default() };
        plan(Scheme::RedisBloom, &request)
    };
    assert_eq!(planned(48_775_896_626_292).unwrap().bit_len, 1 << 46);
    let bytes = match planned(48_775_896_626_293) {
        Err(Error::TooLarge { bytes }) => bytes,
        other => panic!("{other:?}"),
    };
    assert_eq!(bytes, (1 << 43) + 8);
}

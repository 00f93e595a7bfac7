//! The formulas compared with figures from the literature, with closed forms and with each other.

use super::*;

#[test]
fn known_figures() {
    for (layout, k, wanted, expected) in [
        (Layout::Line, 6, 0.01, 9.946),
        (Layout::Line, 8, 0.001, 15.72),
        (Layout::Double, 7, 0.01, 9.673),
        (Layout::Double, 10, 0.001, 14.66),
        (Layout::SplitBlock, 8, 0.01, 10.53),
        (Layout::Scattered, 7, 0.01, 9.593),
    ] {
        let found = bits_per_key(layout, k, wanted).unwrap();
        assert!((found - expected).abs() < 0.006, "{layout} {k} {wanted}: {found}");
    }
}

/// Over a Poisson distribution, (1 - q^i)^k is a sum of powers of q, and each power has a closed
/// form.
#[test]
fn the_mixture_is_its_closed_form() {
    let closed = |load: f64, kept: f64, k: u32| {
        let mut choose = 1.0;
        (0..=k).fold(0.0, |sum, j| {
            let term = choose * libm::exp(-load * (1.0 - power(kept, j)));
            choose *= f64::from(k - j) / f64::from(j + 1);
            if j % 2 == 0 { sum + term } else { sum - term }
        })
    };
    for bits_per_key in [0.5, 1.0, 2.0, 3.5, 4.0, 8.0, 20.0] {
        for k in 1..=8 {
            let line = closed(512.0 / bits_per_key, 1.0 - f64::from(k) / 512.0, k);
            assert!((rate(Layout::Line, k, bits_per_key) - line).abs() < 1e-10, "{k} {bits_per_key}");
        }
        let split = closed(256.0 / bits_per_key, 31.0 / 32.0, 8);
        assert!((rate(Layout::SplitBlock, 8, bits_per_key) - split).abs() < 1e-10, "{bits_per_key}");
        let kept = libm::sqrt(508.0 / 512.0 * 509.0 / 512.0);
        let double = |k| closed(1024.0 / bits_per_key, kept, k);
        assert!((rate(Layout::Double, 7, bits_per_key) - double(4) * double(3)).abs() < 1e-10);
    }
}

/// One key sets its k bits, except for two that fall on one place.
#[test]
fn one_key_sets_its_bits() {
    for (layout, k, bit_len, bits) in [
        (Layout::Line, 1, 512, 1.0),
        (Layout::Line, 8, 512, 8.0),
        // From the ninth bit on, each bit falls on the first bit of its word once in 64.
        (Layout::Line, 9, 512, 9.0 - 1.0 / 64.0),
        (Layout::Line, 12, 512, 12.0 - 4.0 / 64.0),
        (Layout::Line, 16, 5120, 16.0 - 8.0 / 64.0),
        (Layout::Double, 7, 1024, 7.0 - 12.0 / 1024.0),
        (Layout::SplitBlock, 8, 256, 8.0),
        (Layout::Scattered, 2, 64, 2.0 - 1.0 / 64.0),
    ] {
        let (fill, _) = expected_fill(layout, k, bit_len, 1.0);
        assert!((fill * bit_len as f64 - bits).abs() < 1e-9, "{layout} {k}: {fill}");
    }
}

/// The smallest size for a rate is at most the size with exactly that rate, also at both ends of
/// the search.
#[test]
fn a_rate_that_is_just_reached_is_reached() {
    let (low, high) = BITS_PER_KEY;
    for &layout in Layout::ALL {
        for bits in [high, 0.5 * (low + high), 0.25 * (low + high) + 0.5 * low] {
            let k = layout.num_hashes_range().0;
            let found = bits_per_key(layout, k, rate(layout, k, bits)).unwrap();
            assert!(found <= bits && found > 0.999 * bits, "{layout}: {found}, {bits}");
        }
        let k = layout.num_hashes_range().0;
        assert_eq!(bits_per_key(layout, k, 0.999 * rate(layout, k, high)), None);
    }
}

#[test]
fn more_bits_never_err_more() {
    for &layout in Layout::ALL {
        let (least, most) = layout.num_hashes_range();
        for k in least..=most {
            let rates = (1..400).map(|i| rate(layout, k, 0.25 * f64::from(i)));
            // Near a rate of 1 the last digits of the sum may rise or fall.
            assert!(rates.is_sorted_by(|a, b| *a >= b * (1.0 - 1e-9)), "{layout} {k}");
        }
    }
}

#[test]
fn filling_and_emptying_are_inverse() {
    for &layout in Layout::ALL {
        let (_, most) = layout.num_hashes_range();
        for keys in [1.0, 10.0, 1000.0, 100_000.0] {
            let bits = 1u64 << 20;
            let (fill, deviation) = expected_fill(layout, most.min(9), bits, keys);
            let set = (fill * bits as f64) as u64;
            let found = keys_for_fill(layout, most.min(9), bits, set);
            assert!((found / keys - 1.0).abs() < 0.12 / keys + 1e-3, "{layout} {keys}: {found}");
            assert!(deviation < 1e-3);
        }
        assert_eq!(keys_for_fill(layout, most, 1 << 20, 0), 0.0);
        assert!(keys_for_fill(layout, most, 1 << 20, 1 << 20).is_finite());
    }
}

#[test]
fn powers() {
    assert_eq!(power(0.5, 0), 1.0);
    assert_eq!(power(0.5, 10), 1.0 / 1024.0);
    assert_eq!(power(3.0, 5), 243.0);
}

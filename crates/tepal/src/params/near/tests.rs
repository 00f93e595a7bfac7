//! The approximations compared with the plain formulas.

use super::*;
use crate::params::{promise as plain_promise, rate::rate as plain_rate};

/// All k of all layouts, from far too few bits to far too many.
#[test]
fn is_as_close_as_it_says() {
    for &layout in Layout::ALL {
        let (least, most) = layout.num_hashes_range();
        for k in least..=most {
            for step in 0..40 {
                // From 0.1 to 1,024 bits a key.
                let bits = 0.1 * libm::pow(10_240.0, f64::from(step) / 39.0);
                let (found, plain) = (rate(layout, k, bits), plain_rate(layout, k, bits));
                // No filter is planned for a lower rate.
                let is_close = plain < 1e-14 || (found / plain - 1.0).abs() < 0.1 * CLOSE;
                assert!(is_close, "{layout} {k} {bits}: {found:e}, {plain:e}");
            }
        }
    }
}

/// Filters of one line and of millions, for one key and for many.
#[test]
fn promises_are_as_close() {
    for &layout in Layout::ALL {
        let (least, most) = layout.num_hashes_range();
        for k in (least..=most).step_by(3) {
            for lines in [1u64, 2, 3, 7, 20, 133, 4000, 3_000_000] {
                for bits_per_key in [0.05, 0.3, 1.0, 4.0, 9.7, 25.0, 90.0, 400.0] {
                    let bit_len = 512 * lines;
                    let keys = ((bit_len as f64 / bits_per_key) as u64).max(1);
                    let found = promise(layout, k, bit_len, keys);
                    let plain = plain_promise(layout, k, bit_len, keys);
                    let is_close = plain < 1e-14 || (found / plain - 1.0).abs() < 0.1 * CLOSE;
                    assert!(is_close, "{layout} {k}, {lines} lines, {keys} keys: {found:e}, {plain:e}");
                }
            }
            // One key in very many lines.
            let [found, plain] = [promise, plain_promise].map(|of| of(layout, k, 1 << 30, 1));
            assert!(
                plain < 1e-14 || (found / plain - 1.0).abs() < CLOSE,
                "{layout} {k}: {found:e}, {plain:e}"
            );
        }
    }
}

#[test]
fn what_is_too_close_is_not_told() {
    for (near, than) in
        [(0.5, Than::Below), (0.01, Than::Close), (0.01 + 1e-12, Than::Close), (0.7, Than::Above)]
    {
        assert_eq!(compare(near, if than == Than::Close { 0.01 } else { 0.6 }), than);
    }
}

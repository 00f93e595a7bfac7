//! The search compared with the plain search, whose result must be within the search's bounds.

use super::*;
use crate::params::{NARROW_WORTH, lowest_rate, narrow_most};

/// Many rates from 0.9 down to the lowest, of all layouts.
#[test]
fn finds_what_the_plain_search_finds() {
    let mut near = 0;
    for &layout in Layout::ALL {
        let (least_k, most_k) = layout.num_hashes_range();
        let ks = least_k..=most_k;
        let narrow = narrow_most(layout);
        for i in 0..150 {
            let wanted = 0.9 * libm::pow(lowest_rate(layout) / 0.9, f64::from(i) / 150.0);
            let (k, bits) = plain_least(layout, ks.clone(), wanted, narrow, NARROW_WORTH).unwrap();
            let found = least(layout, ks.clone(), wanted, narrow, NARROW_WORTH).unwrap();
            assert_eq!(found.num_hashes, k, "{layout} {wanted}");
            assert!((found.low()..=found.high()).contains(&bits), "{layout} {wanted}: {bits}, {found:?}");
            if found.off_by > 0.0 {
                near += 1;
                let finer = found.finer();
                assert!(finer.off_by < 0.02 * found.off_by, "{layout} {wanted}: {finer:?}");
                assert!((finer.low()..=finer.high()).contains(&bits), "{layout} {wanted}: {bits}, {finer:?}");
            }
        }
    }
    // All but the rates that need hardly any bits.
    assert!(near > 590, "{near}");
}

/// If the bounds do not decide, the plain search answers.
#[test]
fn gives_what_follows_from_the_plain_search() {
    for wanted in [0.0123, 3e-5] {
        let found = least(Layout::Line, 1..=16, wanted, None, 1.0).unwrap();
        let (_, bits) = rate::least_bits(Layout::Line, 1..=16, wanted).unwrap();
        assert_eq!(found.give(|bits| bits.to_bits()), bits.to_bits(), "{wanted}");
        for at in [bits, bits * (1.0 + 1e-13), bits * (1.0 - 1e-13), 1.5 * bits] {
            assert_eq!(found.give(|bits| bits >= at), bits >= at, "{wanted} {at}");
        }
    }
    // No k reaches it.
    assert_eq!(least(Layout::Line, 1..=1, 1e-9, None, 1.0), None);
}

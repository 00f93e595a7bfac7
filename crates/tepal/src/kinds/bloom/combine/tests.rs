//! The results of union, intersection and folding, and what they refuse.

use super::super::tests::filled;
use super::*;
use crate::{Layout, OverCapacity};

/// A union of more keys than the capacity, or of an unknown number, is refused if its rate is past
/// the promise. The rate is computed from the lines, not from the number of set bits.
#[test]
fn unions_are_judged_by_their_rate() {
    for &layout in Layout::ALL {
        let builder = BloomFilter::builder().layout(layout).capacity(1000);
        let part = |keys: core::ops::Range<u64>| filled(&builder, keys);
        // Both have the same keys, so the union has no more than one of them: by the known number
        // of keys, or by its bits.
        let mut same = part(0..900);
        same.union_with(&part(0..900)).unwrap();
        assert_eq!((same.keys_inserted(), same.is_over_capacity()), (Some(1800), false));
        for unknown in [false, true] {
            let (mut one, mut other) = (part(0..900), part(900..1800));
            if unknown {
                other.meta.inserted = None.into();
            }
            let before = one.clone();
            let error = one.union_with(&other).unwrap_err();
            assert!(matches!(error, Error::CapacityReached { capacity: 1000, inserted: 0 }), "{error}");
            assert!(one == before && one.keys_inserted() == Some(900));
            one.set_over_capacity(OverCapacity::Warn).unwrap();
            one.union_with(&other).unwrap();
            assert!(one.is_over_capacity(), "{layout}");
            assert_eq!(one.keys_inserted(), (!unknown).then_some(1800));
        }
        // Half of the keys each, with an unknown number of keys.
        let (mut one, mut other) = (part(0..450), part(450..900));
        other.meta.inserted = None.into();
        one.union_with(&other).unwrap();
        assert_eq!((one.keys_inserted(), one.is_over_capacity()), (None, false), "{layout}");
    }
}

//! An inserter has the same effects as inserting one by one, however it ends.

use super::*;
use crate::ids::KeyDomain;
use crate::kinds::bloom::BloomFilterBuilder;
use crate::kinds::storage::PlainStorage;

/// Keys for which the inserter has its fast path.
fn integers() -> BloomFilterBuilder {
    BloomFilter::builder().capacity(20_000).key_domain(KeyDomain::Integer)
}

/// Wherever it stops: all keys are inserted, the count is at most a turn too high, and the filter
/// still works.
#[test]
fn forgotten() {
    for keys in [0, 1, 2, 1023, 1024, 1025, 1026, 5000] {
        let mut filter = integers().build().unwrap();
        let mut inserter = filter.inserter();
        for n in 0..keys {
            inserter.insert(&n).unwrap();
        }
        core::mem::forget(inserter);
        let counted = filter.keys_inserted().unwrap();
        assert!((keys..=keys + TURN).contains(&counted), "{keys} {counted}");
        // The first key of a turn is counted before it.
        assert!(keys != 1 || counted == 1 + TURN, "{counted}");
        assert!((0..keys).all(|n| filter.contains(&n)));
        assert_eq!(filter.set_bits(), crate::bits::count(filter.lines.as_lines()));

        let refused = (keys..).find(|n| filter.insert(n).is_err()).unwrap();
        assert!(refused + TURN >= 20_000 && filter.is_full(), "{keys} {refused}");
        assert!((0..refused).all(|n| filter.contains(&n)));
        assert!(filter.false_positive_rate() <= 1.03 * filter.promised_false_positive_rate());
    }
}

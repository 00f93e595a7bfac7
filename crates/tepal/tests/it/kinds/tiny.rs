//! The smallest filters: what they fold to is known before.

use tepal::{AnyFilter, BloomFilter, Layout, QuotientFilter};

/// The size after a fold, or none if `fold` refuses the factor.
fn folds(filter: &AnyFilter) -> u32 {
    let mut folded = 0;
    for factor in (0..=70).chain(filter.fold_factors()) {
        let mut copy = filter.clone();
        let size = copy.fold(factor).ok().map(|()| copy.size_in_bytes());
        assert_eq!(filter.folded_size_in_bytes(factor), size, "{filter:?} by {factor}");
        folded += u32::from(size.is_some());
    }
    folded
}

#[test]
fn what_a_filter_folds_to_is_known() {
    let mut folded = 0;
    for layout in Layout::ALL {
        for capacity in [1, 2, 7, 60, 300, 3000] {
            let builder = BloomFilter::builder().capacity(capacity).layout(*layout);
            let mut filter = AnyFilter::from(builder.build().unwrap());
            (0..capacity).for_each(|key| _ = filter.insert(&key).unwrap());
            folded += folds(&filter);
        }
    }
    // Tables down to those of which every fingerprint is held after a fold.
    for (capacity, keys) in [(1, 1), (3, 3), (10, 10), (50, 50), (700, 700), (700, 0), (700, 5)] {
        for (rate, count_bits) in [(0.3, 0), (0.03, 0), (0.01, 4)] {
            let builder = QuotientFilter::builder().capacity(capacity).false_positive_rate(rate);
            let mut filter = builder.count_bits(count_bits).build().unwrap();
            (0..keys).for_each(|key| _ = filter.insert(&key).unwrap());
            folded += folds(&filter.into());
        }
    }
    assert!(folded > 300, "{folded}");
}

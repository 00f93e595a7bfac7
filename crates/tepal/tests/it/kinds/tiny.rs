//! The smallest filters: what they fold to is known before, and a table that has no room says what
//! it is.

use tepal::*;

#[test]
fn explore() {
    let mut seen = std::collections::BTreeMap::new();
    let mut note = |what: String, r: Result<()>| {
        let name = match r {
            Ok(()) => return,
            Err(e) => format!("{e:?}").chars().take(24).collect::<String>(),
        };
        *seen.entry((name, what)).or_insert(0u32) += 1;
    };
    for rate in [0.9, 0.7, 0.5, 0.3, 0.1, 0.03, 0.001] {
        for capacity in [1u64, 2, 3, 5, 8, 13, 20, 40, 80, 200] {
            for count_bits in [0, 2] {
                let new = |policy| {
                    QuotientFilter::builder()
                        .capacity(capacity)
                        .false_positive_rate(rate)
                        .count_bits(count_bits)
                        .over_capacity(policy)
                        .seed(3)
                        .build()
                };
                let Ok(empty) = new(OverCapacity::Ignore) else { continue };
                for round in 0..20u64 {
                    let of = |from: u64, keys: u64| {
                        let mut f = empty.clone();
                        for k in from..from + keys {
                            for _ in 0..(1 + round * 3).min(60) {
                                drop(f.insert(&(k % 97)));
                            }
                        }
                        f
                    };
                    let mut a = of(round * 7, 1 + round * 3);
                    let b = of(round * 13, 1 + round * 2);
                    let at = format!("{rate} {capacity} {count_bits}");
                    let mut u = a.clone();
                    note(format!("{at} union"), u.union_with(&b));
                    let mut u = a.clone();
                    note(format!("{at} intersect"), u.intersect_with(&b));
                    for factor in a.fold_factors() {
                        note(format!("{at} fold"), a.clone().fold(factor));
                    }
                    note(format!("{at} shrink"), a.shrink_to_fit());
                }
            }
            let Ok(empty) = SegmentFilter::builder()
                .capacity(capacity)
                .false_positive_rate(rate)
                .over_capacity(OverCapacity::Ignore)
                .seed(3)
                .build()
            else {
                continue;
            };
            for round in 0..6u64 {
                let mut a = empty.clone();
                let all: Vec<_> =
                    (0..20 * (round + 1)).map(|s| a.add_segment(&format!("{s}")).unwrap()).collect();
                for k in 0..1 + 3 * round {
                    for s in &all {
                        drop(a.insert(*s, &k));
                    }
                }
                let at = format!("{rate} {capacity} segments {}", all.len());
                let mut u = a.clone();
                note(format!("{at} merge"), u.merge_segments(all[0], all[1]));
                let b = a.clone();
                let mut u = a.clone();
                note(format!("{at} union"), u.union_with(&b));
                let mut u = a.clone();
                note(format!("{at} intersect"), u.intersect_with(&b));
                note(format!("{at} shrink"), a.shrink_to_fit());
            }
        }
    }
    seen.retain(|(name, _), _| name.contains("Clustered"));
    eprintln!("{seen:#?}");
}

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
        for (rate, count_bits) in [(0.3, 0), (0.03, 0), (0.01, 3)] {
            let builder = QuotientFilter::builder().capacity(capacity).false_positive_rate(rate);
            let mut filter = builder.count_bits(count_bits).build().unwrap();
            (0..keys).for_each(|key| _ = filter.insert(&key).unwrap());
            folded += folds(&filter.into());
        }
    }
    assert!(folded > 300, "{folded}");
}

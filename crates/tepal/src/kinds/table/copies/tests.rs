//! The filter against a list of its keys.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::*;
use crate::OverCapacity;
use crate::bits::table::stream::Stream;
use crate::error::Error;
use crate::kinds::table::lines::laid_out;

fn hash(i: u64) -> u64 {
    let z = (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i >> 7)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB) ^ (z >> 29)
}

/// The copies of each fingerprint, and a filter with them.
#[derive(Default)]
struct Model(BTreeMap<u64, u64>);

impl Model {
    fn check(&self, filter: &QuotientFilter) {
        assert_eq!(filter.len(), self.0.values().sum::<u64>());
        assert_eq!(filter.distinct_numbers(), self.0.len() as u64);
        for (number, copies) in &self.0 {
            assert_eq!(filter.count_of(filter.core.table.copies(*number)), *copies);
        }
        let fields = filter.core.table.packing();
        let counted = Table::check(
            fields,
            filter.core.table.as_lines(),
            filter.core.table.slots(),
            filter.distinct_numbers(),
        );
        assert_eq!(counted.unwrap(), filter.len());
    }
}

#[test]
fn a_filter_is_what_the_copies_of_its_numbers_are() {
    let mut refused = 0;
    for (capacity, rate, count_bits) in [
        (1, 0.5, 0),
        (50, 0.01, 0),
        (60, 0.01, 4),
        (500, 0.1, 4),
        (3000, 0.01, 0),
        (2000, 0.001, 8),
        (700, 1e-6, 16),
        (900, 0.9, 0),
    ] {
        let builder =
            QuotientFilter::builder().capacity(capacity).false_positive_rate(rate).count_bits(count_bits);
        let (mut filter, mut model) = (builder.clone().build().unwrap(), Model::default());
        let mut taken = Vec::new();
        let (mut full, mut copies) = (0, 0);
        for i in 0..12 * capacity + 300 {
            let key = hash(hash(i) % (capacity + capacity / 4 + 1));
            let number = filter.core.table.number(key);
            let held = model.0.get(&number).copied().unwrap_or(0);
            if hash(i * 7) % 5 < 3 {
                match filter.insert_hash(key) {
                    Ok(is_new) => {
                        assert_eq!(is_new, held == 0);
                        *model.0.entry(number).or_default() += 1;
                        taken.push(key);
                    }
                    Err(Error::CapacityReached { .. }) => {
                        assert!(held == 0 && model.0.len() as u64 >= capacity);
                        full += 1;
                    }
                    Err(Error::TooManyCopies { most, .. }) => {
                        assert!(held == 64 << count_bits && most == held);
                        copies += 1;
                    }
                    Err(error) => panic!("{error}"),
                }
            } else {
                assert_eq!(filter.remove_hash(key).unwrap(), held > 0);
                match model.0.get_mut(&number) {
                    Some(1) => drop(model.0.remove(&number)),
                    Some(copies) => *copies -= 1,
                    None => {}
                }
            }
            assert_eq!(filter.contains_hash(key), model.0.contains_key(&number));
            if i % 97 == 0 {
                model.check(&filter);
            }
        }
        model.check(&filter);
        refused += full + copies;
        // The same by sorting.
        let mut sorted = builder.clone().over_capacity(OverCapacity::Ignore).build().unwrap();
        for (number, copies) in &model.0 {
            // Any hash with that fingerprint.
            let key = (0..).map(hash).find(|key| filter.core.table.number(*key) == *number);
            if capacity < 1000 && rate > 1e-4 {
                sorted.insert_sorting(alloc::vec![key.unwrap(); *copies as usize], capacity).unwrap();
            }
        }
        if !sorted.is_empty() {
            assert!(sorted == filter);
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn two_are_one_and_one_is_smaller() {
    for count_bits in [0, 4] {
        let builder = || QuotientFilter::builder().capacity(4000).count_bits(count_bits);
        let of = |keys: core::ops::Range<u32>| builder().build_from(keys).unwrap();
        let mut both = of(0..2500);
        both.union_with(&of(1500..4000)).unwrap();
        let mut one_by_one = of(0..2500);
        one_by_one.insert_many(&(1500..4000).collect::<Vec<u32>>()).unwrap();
        assert!(both == one_by_one && both.len() == 5000);
        let twice = both.clone();
        both.intersect_with(&of(2000..2500)).unwrap();
        assert!(both.len() >= 500 && both.len() < 540 && both.count(&2200u32) == 1);
        let mut folded = twice.clone();
        folded.fold(8).unwrap();
        let numbers = twice.numbers() / 8;
        let entries = |filter: &QuotientFilter| filter.core.table.entries().collect::<Vec<_>>();
        assert_eq!(folded.numbers(), numbers);
        assert_eq!(folded.len(), twice.len());
        assert!((0..4000u32).all(|key| folded.contains(&key)));
        if count_bits == 0 {
            let expected: Vec<u64> = entries(&twice).iter().map(|number| number / 8).collect();
            assert_eq!(entries(&folded), expected);
        }
        let mut shrunk = twice.clone();
        assert_eq!(shrunk.shrink_to(0.09).unwrap(), 8);
        assert!(shrunk.false_positive_rate() <= 0.09 && shrunk.size_in_bytes() < twice.size_in_bytes());
        assert!(matches!(shrunk.shrink_to(0.01), Err(Error::RateOutOfReach { .. })));
        assert!(shrunk.fold(7).is_err());
        let other = QuotientFilter::builder().capacity(3999).count_bits(count_bits).build().unwrap();
        assert!(matches!(shrunk.union_with(&other), Err(Error::Incompatible { .. })));
    }
}

#[test]
fn keys_chosen_for_one_line_are_refused_before_the_table_grows_without_end() {
    let mut filter =
        QuotientFilter::builder().capacity(100_000).over_capacity(OverCapacity::Ignore).build().unwrap();
    let numbers = filter.numbers();
    // The fingerprints from 0 on: a search finds the one hash of each.
    let hash_of = |number: u64| {
        let spread = ((u128::from(number) << 64) / u128::from(numbers) + 1) as u64;
        let h = spread.wrapping_mul(0xF1DE_83E1_9937_733D);
        h ^ (h >> 32)
    };
    let mut refused = None;
    for i in 0..100_000 {
        let key = hash_of(i);
        assert_eq!(filter.core.table.number(key), i);
        if let Err(error) = filter.insert_hash(key) {
            refused = Some((i, error));
            break;
        }
    }
    assert!((0..refused.as_ref().map_or(100_000, |(i, _)| *i)).all(|i| filter.contains_hash(hash_of(i))));
    assert!(filter.size_in_bytes() < 16 * 120_000, "{refused:?} {}", filter.size_in_bytes());
}

/// The tables of `quotient.json` that are larger than planned, because their fingerprints do not
/// fit the table for the capacity.
#[cfg(feature = "std")]
#[test]
fn larger_tables_are_those_of_the_vectors() {
    use crate::bits::table::vectors::{cases, entries, fields, number, numbers_for};
    for case in cases("larger") {
        let tag_bits = number(&case["v"]) as u8;
        let numbers = numbers_for(&case);
        let entries = entries(&case["slots"], numbers, tag_bits);
        let found =
            laid_out(numbers, tag_bits, number(&case["capacity"]), &|| Stream::of(entries.iter().copied()));
        match (found, case["shape"].is_null()) {
            (Ok((packing, lines)), false) => {
                assert_eq!(packing.fields(), fields(&case["shape"]), "{case}");
                assert_eq!(lines.len() as u64, packing.lines(), "{case}");
            }
            (Err(error), true) => assert!(matches!(error, Error::NumbersClustered { .. }), "{error}: {case}"),
            (found, _) => panic!("{:?}: {case}", found.map(|(packing, _)| packing)),
        }
    }
}

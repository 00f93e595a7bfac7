//! The filter against a list of its keys.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::error::Error;
use crate::{Opened, file::Format};
use crate::{Removal, error::Operation};

fn hash(i: u64) -> u64 {
    let z = (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i >> 7)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB) ^ (z >> 29)
}

fn build(first: u64, rate: f64, is_deletable: bool) -> GrowingFilter {
    let builder = GrowingFilter::builder().first(first).false_positive_rate(rate).deletable(is_deletable);
    builder.seed(1).build().unwrap()
}

/// Checks the invariants of every filter: valid tables, and a rate within the promise.
fn check(filter: &GrowingFilter) {
    let plan = &filter.meta.plan;
    for (i, link) in filter.links.iter().enumerate() {
        assert_eq!(Some(link.packing().numbers()), plan.numbers(i));
        assert!(link.distinct() <= plan.capacity(i), "link {i}");
        assert!(link.rate() <= plan.promised(i) * (1.0 + 1e-12), "link {i}");
        let counted = Table::check(link.packing(), link.as_lines(), link.slots(), link.distinct());
        assert_eq!(counted.unwrap(), link.slots());
        assert!(filter.is_deletable() || link.slots() == link.distinct());
    }
    assert!(filter.false_positive_rate() <= filter.promised_false_positive_rate());
}

fn read(filter: &GrowingFilter) -> GrowingFilter {
    let file = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    let opened = crate::from_bytes(&file).unwrap();
    assert_eq!(opened.to_bytes().unwrap(), file);
    match opened.into_filter() {
        crate::AnyFilter::Growing(again) => again,
        other => panic!("{other:?}"),
    }
}

/// The fingerprints of each link.
struct Model {
    links: Vec<BTreeMap<u64, u64>>,
}

impl Model {
    /// Does what the filter does, by its rule in plain code. Returns whether the key was new.
    fn insert(&mut self, filter: &GrowingFilter, key: u64) -> bool {
        if let Some(holder) = self.holders(filter, key).last() {
            let copies = self.links[*holder].get_mut(&number(filter, *holder, key)).unwrap();
            match filter.is_deletable() {
                true if *copies == 64 => self.put(filter, holder + 1, key),
                true => *copies += 1,
                false => {}
            }
            return false;
        }
        self.put(filter, 0, key);
        true
    }

    /// Inserts into the oldest link from `from` on that takes more.
    fn put(&mut self, filter: &GrowingFilter, from: usize, key: u64) {
        let room = |i: usize| (self.links[i].len() as u64) < filter.first() * 16u64.pow(i as u32 + 1);
        let place = (from..self.links.len()).find(|i| room(*i)).unwrap_or_else(|| {
            self.links.push(BTreeMap::new());
            self.links.len() - 1
        });
        self.links[place].insert(number(filter, place, key), 1);
    }

    fn remove(&mut self, filter: &GrowingFilter, key: u64) -> Removal {
        match self.holders(filter, key)[..] {
            [] => Removal::NotHeld,
            [holder] => {
                let number = number(filter, holder, key);
                match self.links[holder].get_mut(&number) {
                    Some(1) => drop(self.links[holder].remove(&number)),
                    copies => *copies.unwrap() -= 1,
                }
                Removal::Removed
            }
            _ => Removal::Kept,
        }
    }

    fn holders(&self, filter: &GrowingFilter, key: u64) -> Vec<usize> {
        (0..self.links.len()).filter(|i| self.links[*i].contains_key(&number(filter, *i, key))).collect()
    }

    fn check(&self, filter: &GrowingFilter) {
        check(filter);
        assert_eq!(filter.num_links(), self.links.len());
        for (table, link) in filter.links.iter().zip(&self.links) {
            let entries = link.iter().flat_map(|(number, copies)| (0..*copies).map(|_| *number));
            assert!(table.entries().eq(entries));
        }
    }
}

/// U of a link is 32 times that of the one before; the first link's U is for twice the keys it
/// takes.
fn number(filter: &GrowingFilter, link: usize, key: u64) -> u64 {
    let spread = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let least = (filter.first() as f64 * 32.0 / filter.promised_false_positive_rate()).ceil() as u64;
    let numbers = least.next_multiple_of(64) * 32u64.pow(link as u32);
    ((u128::from(spread) * u128::from(numbers)) >> 64) as u64
}

/// A million operations, in filters that begin small and large, with removal and without.
#[test]
fn a_filter_is_what_the_numbers_of_its_links_are() {
    let (mut operations, mut kept, mut links) = (0, 0, 0);
    for (first, rate, is_deletable, keys, rounds) in [
        (1, 0.01, false, 3_000, 100_000),
        (3, 0.1, true, 300, 100_000),
        (20, 0.1, true, 2_000, 250_000),
        (10, 0.001, false, 40_000, 250_000),
        (100, 0.1, true, 9_000, 250_000),
        (1000, 1e-6, false, 30_000, 100_000),
    ] {
        let mut filter = build(first, rate, is_deletable);
        let mut model = Model { links: vec![BTreeMap::new()] };
        for i in 0..rounds {
            operations += 1;
            let key = hash(hash(i) % keys);
            match hash(i + 7_000_000) % 8 {
                0..=3 if is_deletable => {
                    let removed = filter.remove_hash(key).unwrap();
                    assert_eq!(removed, model.remove(&filter, key));
                    kept += u64::from(removed == Removal::Kept);
                }
                0..=1 => assert_eq!(filter.contains_hash(key), !model.holders(&filter, key).is_empty()),
                2..=3 => {
                    let keys: Vec<u64> = (0..hash(i) % 5).map(|j| hash(hash(i ^ j) % keys)).collect();
                    let mut answers = vec![false; keys.len()];
                    filter.contains_many_hashes(&keys, &mut answers);
                    let held = |key: &u64| !model.holders(&filter, *key).is_empty();
                    assert_eq!(answers, keys.iter().map(held).collect::<Vec<_>>());
                }
                4 if i % 16 == 0 => {
                    // Some of them twice.
                    let keys: Vec<u64> = (0..hash(i) % 700).map(|j| hash(hash(i ^ j) % keys)).collect();
                    let keys: Vec<u64> = keys.iter().chain(keys.iter().take(9)).copied().collect();
                    if is_deletable && keys.len() > 100 {
                        continue;
                    }
                    let mut is_new = vec![false; keys.len()];
                    match filter.insert_hashes(&keys, |place| is_new[place] = true) {
                        Ok(()) => {
                            let expected: Vec<_> =
                                keys.iter().map(|key| model.insert(&filter, *key)).collect();
                            assert_eq!(is_new, expected);
                        }
                        Err(Error::TooManyCopies { inserted, .. }) => {
                            keys[..inserted].iter().for_each(|key| _ = model.insert(&filter, *key));
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
                _ => match filter.insert_hash(key) {
                    Ok(is_new) => assert_eq!(is_new, model.insert(&filter, key)),
                    Err(Error::TooManyCopies { most: 64, .. }) if is_deletable => {}
                    Err(error) => panic!("{error}"),
                },
            }
            if i % 20_011 == 0 {
                model.check(&filter);
                filter = read(&filter);
            }
            if is_deletable && i == rounds / 2 {
                filter.shrink_to_fit().unwrap();
            }
        }
        model.check(&filter);
        links += filter.num_links();
        // Every member is found.
        assert!(
            (0..keys)
                .map(hash)
                .all(|key| filter.contains_hash(key) != model.holders(&filter, key).is_empty())
        );
    }
    assert!(operations >= 1_000_000 && kept > 10 && links > 12, "{operations} {kept} {links}");
}

/// 272 times the number of keys that it began with, and at no time much more than its promise.
#[test]
fn it_keeps_its_promise_as_it_grows() {
    let mut filter = build(100, 0.01, false);
    let (mut next, mut let_in, mut asked) = (0, 0, 0);
    for keys in [100, 400, 1_600, 6_400, 25_600, 30_000] {
        while filter.len() < keys {
            filter.insert_hash(hash(next)).unwrap();
            next += 1;
        }
        check(&filter);
        assert!((0..next).all(|key| filter.contains_hash(hash(key))));
        let expected = filter.false_positive_rate() * 50_000.0;
        let found = (1 << 40..(1 << 40) + 50_000).filter(|key| filter.contains_hash(hash(*key))).count();
        assert!((found as f64 - expected).abs() < 6.0 * expected.sqrt() + 6.0, "{keys}: {found}, {expected}");
        (let_in, asked) = (let_in + found, asked + 50_000);
        assert_eq!(filter.num_links(), 1 + usize::from(keys > 1_600) + usize::from(keys > 27_200));
    }
    assert!((let_in as f64) < 0.01 * f64::from(asked));
}

/// A set that changes but does not grow takes no more links: links whose keys were removed are
/// filled again.
#[test]
fn what_was_removed_makes_room() {
    let mut filter = build(100, 0.01, true);
    for key in 0..200_000u64 {
        filter.insert_hash(hash(key)).unwrap();
        if key >= 1_500 {
            filter.remove_hash(hash(key - 1_500)).unwrap();
        }
    }
    assert!(filter.num_links() == 1 && filter.len() <= 1_500, "{filter:?}");
    check(&filter);
}

#[test]
fn unions_hold_both_or_are_refused() {
    for is_deletable in [false, true] {
        let fill = |range: core::ops::Range<u64>| {
            let mut filter = build(100, 0.05, is_deletable);
            range.for_each(|key| _ = filter.insert_hash(hash(key)).unwrap());
            filter
        };
        let (mut a, b, all) = (fill(0..700), fill(600..1500), fill(0..1500));
        a.union_with(&b).unwrap();
        check(&a);
        assert!((0..1500).all(|key| a.contains_hash(hash(key))));
        assert_eq!(a == all, !is_deletable);
        assert_eq!(a.len() > 1550, is_deletable, "{a:?}");
        // A filter that has grown has no room in its first link.
        let (mut grown, other) = (fill(0..5_000), fill(5_000..5_010));
        assert_eq!(grown.num_links(), 2);
        let refused = grown.union_with(&other).unwrap_err();
        assert!(matches!(refused, Error::NotPossible { operation: Operation::Unite, .. }), "{refused}");
        assert!(grown == fill(0..5_000));
        // A union with an empty filter changes nothing, whichever has more links.
        let mut empty = fill(0..0);
        empty.union_with(&grown).unwrap();
        grown.union_with(&fill(0..0)).unwrap();
        assert!(empty == grown && read(&empty) == grown);
    }
    for (other, property) in [
        (build(101, 0.05, false), "began"),
        (build(100, 0.06, false), "rate"),
        (build(100, 0.05, true), "removed"),
    ] {
        let refused = build(100, 0.05, false).union_with(&other).unwrap_err();
        assert!(refused.to_string().contains(property), "{refused}");
    }
}

/// If there are no fingerprints for another link, an error says so, and nothing is lost.
#[test]
fn numbers_end() {
    let mut filter = build(10, 2e-14, false);
    let mut full = None;
    for key in 0..200 {
        let error = match filter.insert_hash(hash(key)) {
            Ok(_) => continue,
            Err(error) => error,
        };
        assert!(
            matches!(error, Error::RateOutOfReach { .. }) && error.to_string().contains("2^56"),
            "{error}"
        );
        full.get_or_insert(key);
    }
    assert_eq!((full, filter.len(), filter.num_links()), (Some(160), 160, 1));
    assert!((0..160).all(|key| filter.contains_hash(hash(key))) && filter == read(&filter));
    assert!(filter.facts().is_full && !filter.insert_hash(hash(3)).unwrap());
    // 2^56 itself is too many.
    for (bits, second) in [(45, Some(1 << 55)), (46, None)] {
        let plan = GrowthPlan::new(1, 1.0 / (1u64 << bits) as f64).unwrap();
        assert_eq!((plan.numbers(0), plan.numbers(1)), (Some(32 << bits), second));
    }
    for (first, rate) in [(0, 0.01), (1, 0.0), (1, 1.0), (1, f64::NAN), (u64::MAX, 0.5), (1, 1e-17)] {
        let refused = GrowingFilter::builder().first(first).false_positive_rate(rate).build();
        assert!(
            matches!(refused, Err(Error::Parameter { .. } | Error::RateOutOfReach { .. })),
            "{refused:?}"
        );
    }
}

/// Keys whose fingerprints lie side by side, chosen by somebody who knows the hash, are refused
/// before the lines grow without end.
#[test]
fn chosen_keys_are_refused() {
    let mut filter = build(1000, 0.01, false);
    (0..900).for_each(|key| _ = filter.insert_hash(hash(key)).unwrap());
    let before = filter.size_in_bytes();
    // The hashes of the fingerprints from 0 on: this inverts `spread`.
    let inverse = 0xF1DE_83E1_9937_733Du64;
    let numbers = filter.meta.plan.numbers(0).unwrap();
    let (mut refused, mut taken) = (0, Vec::new());
    for number in 0..3_000u64 {
        let spread = ((u128::from(number) << 64).div_ceil(u128::from(numbers))) as u64;
        let z = spread.wrapping_mul(inverse);
        let key = z ^ (z >> 32);
        match filter.insert_hash(key) {
            Ok(_) => taken.push(key),
            Err(Error::NumbersClustered { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    check(&filter);
    assert!(filter.size_in_bytes() < 60 * before, "{before}, {filter:?}, {refused} refused");
    assert!(
        taken.iter().all(|key| filter.contains_hash(*key))
            && (0..900).all(|key| filter.contains_hash(hash(key)))
    );
}

/// However often keys are inserted again, each table is laid out for its contents: a line that is
/// fuller than planned slows every change.
#[test]
fn copies_have_room() {
    let mut filter = GrowingFilter::builder().first(1000).deletable(true).build().unwrap();
    for round in 0..4 {
        for key in 0..20_000u32 {
            filter.insert(&key).unwrap();
        }
        for link in &filter.links {
            assert!(
                link.slots() <= link.packing().room(),
                "{round}: {} in {}",
                link.slots(),
                link.packing().room()
            );
        }
    }
    assert_eq!(filter.len(), 80_000);
}

/// The rate counts each fingerprint in the oldest link that holds it, even if that link got it
/// later.
#[test]
fn the_rate_is_that_of_the_numbers_in_the_oldest_links() {
    let mut filter = build(100, 0.05, true);
    (0..5_000).for_each(|key| _ = filter.insert_hash(hash(key)).unwrap());
    (0..1_000).for_each(|key| _ = filter.remove_hash(hash(key)).unwrap());
    (5_000..6_000).for_each(|key| _ = filter.insert_hash(hash(key)).unwrap());
    let links: Vec<BTreeSet<u64>> = filter.links.iter().map(|link| link.entries().collect()).collect();
    let [first, second] = &links[..] else { panic!("{filter:?}") };
    let own = second.iter().filter(|number| !first.contains(&(**number / 32))).count();
    assert!(own + 10 < second.len());
    let share = |count: usize, link: usize| count as f64 / filter.links[link].packing().numbers() as f64;
    let rate = share(first.len(), 0) + share(own, 1);
    assert!((filter.false_positive_rate() / rate - 1.0).abs() < 1e-12);
}

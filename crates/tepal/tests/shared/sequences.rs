//! Random operations on a filter, and the exact set that it must never forget a member of.

use std::collections::BTreeSet;

use tepal::{BloomFilter, Error, Opened, OverCapacity, Result};

use crate::kinds::{Door, Opener, Operation, Subject};
use crate::random::Random;

/// Operations of a sequence, at most.
const MOST: usize = 24;

/// One sequence on a small filter of the kind: every other one on the filter's own type, where the tests know it, the
/// rest on the opened file. Gives the number of its operations, and of members asked for.
///
/// # Panics
/// Where a member is missing, or was called new.
pub(crate) fn sequence(subject: &dyn Subject, opener: &Opener, seed: u64) -> (u64, u64) {
    match subject.builder() {
        Some(_) if seed & 1 == 0 => through::<BloomFilter>(subject, opener, seed),
        _ => through::<Opened>(subject, opener, seed),
    }
}

fn through<D: Door>(subject: &dyn Subject, opener: &Opener, seed: u64) -> (u64, u64) {
    let mut random = Random(seed);
    let name = subject.name();
    let capacity = random.size(9) as u64;
    let mut filter = D::of(empty(subject, capacity));
    let mut members = BTreeSet::new();
    // Some keys come again and again, so that intersections and repeats are frequent.
    let range = 1 + random.below(4 * capacity as usize);
    let operations = 1 + random.below(MOST);
    for _ in 0..operations {
        let count = random.below(40);
        let numbers: Vec<u64> = (0..count).map(|_| random.below(range) as u64).collect();
        match random.below(12) {
            0..=3 => insert_each(subject, &mut filter, &numbers, &mut members, seed),
            4..=6 => insert_all(subject, &mut filter, &numbers, &mut members),
            7 | 8 => {
                let mut other = filter.clone();
                other.clear();
                let mut other_members = BTreeSet::new();
                insert_all(subject, &mut other, &numbers, &mut other_members);
                if random.below(3) > 0 {
                    match filter.union_with(&other) {
                        Ok(()) => members.extend(other_members),
                        error => refused_by_chain(subject, error),
                    }
                } else {
                    match filter.intersect_with(&other) {
                        Ok(()) => members.retain(|number| other_members.contains(number)),
                        error => refused_by_chain(subject, error),
                    }
                }
            }
            9 => {
                let rate = (filter.false_positive_rate() * 4.0).clamp(1e-4, 0.9);
                if filter.false_positive_rate() <= rate {
                    filter.shrink_to(rate).unwrap();
                }
            }
            10 => {
                let file = filter.file(opener);
                filter = D::of(opener.read(&file).unwrap());
                assert!(filter.file(opener) == file, "{name}, {seed}: written again, another file");
            }
            _ => {
                if random.below(4) == 0 {
                    filter.clear();
                    members.clear();
                }
            }
        }
    }
    held(subject, &filter, &members, seed);
    (operations as u64, members.len() as u64)
}

/// An empty filter that takes more keys than its capacity, where its kind can.
fn empty(subject: &dyn Subject, capacity: u64) -> Opened {
    let mut filter = subject.empty(capacity).unwrap();
    match filter.set_over_capacity(OverCapacity::Ignore) {
        Ok(()) => {}
        Err(Error::NotPossible { .. }) => assert!(subject.cannot().contains(&Operation::SetOverCapacity)),
        Err(error) => panic!("{}: {error}", subject.name()),
    }
    filter
}

fn insert_each(
    subject: &dyn Subject,
    filter: &mut impl Door,
    numbers: &[u64],
    members: &mut BTreeSet<u64>,
    seed: u64,
) {
    let inserted = subject.keys(numbers).insert_each(filter, |i, new| {
        let first = members.insert(numbers[i]);
        assert!(first || !new, "{}, {seed}: the member {} is new", subject.name(), numbers[i]);
    });
    if inserted.is_err() {
        refused_by_chain(subject, inserted);
    }
}

fn insert_all(subject: &dyn Subject, filter: &mut impl Door, numbers: &[u64], members: &mut BTreeSet<u64>) {
    match subject.keys(numbers).insert_all(filter) {
        Ok(()) => members.extend(numbers),
        refused => {
            if let Err(Error::CapacityReached { inserted, .. }) = refused {
                members.extend(&numbers[..inserted]);
            }
            refused_by_chain(subject, refused);
        }
    }
}

/// A chain has no intersection, may not grow, or has other links; nothing else is refused.
fn refused_by_chain(subject: &dyn Subject, result: Result<()>) {
    let is_chain = subject.cannot().contains(&Operation::Intersect);
    match result.unwrap_err() {
        Error::CapacityReached { .. } | Error::Incompatible { .. } | Error::NotPossible { .. }
            if is_chain => {}
        error => panic!("{}: {error}", subject.name()),
    }
}

fn held(subject: &dyn Subject, filter: &impl Door, members: &BTreeSet<u64>, seed: u64) {
    let numbers: Vec<u64> = members.iter().copied().collect();
    for (number, held) in numbers.iter().zip(subject.keys(&numbers).held(filter)) {
        assert!(held, "{}, {seed}: the member {number} is missing", subject.name());
    }
}

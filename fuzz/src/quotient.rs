//! Quotient filters: an opened filter must answer, be written again and contain inserted keys.
//! Sequences of operations are compared with a list of counts.

use std::collections::BTreeMap;

use tepal::{AnyFilter, Error, Opened, OverCapacity, QuotientFilter, Scheme, file::Format};
use xxhash_rust::xxh3::xxh3_64;

use crate::KEYS;
use crate::open::HASHES;

/// The counts of each key and each hash, alone and in a batch.
fn counts(filter: &QuotientFilter) -> Vec<u64> {
    let counts: Vec<u64> = KEYS.iter().map(|key| filter.count(*key)).collect();
    let hashed: Vec<u64> = HASHES.iter().map(|hash| filter.count_hash(*hash)).collect();
    // With the caller's hashes, a key has no hash: it may be a member, and its count is 0.
    let is_held: Vec<bool> = match filter.scheme() {
        Scheme::CallerHash => vec![true; KEYS.len()],
        _ => counts.iter().map(|count| *count > 0).collect(),
    };
    assert_eq!(filter.contains_many(&KEYS), is_held);
    let mut answers = [false; HASHES.len()];
    filter.contains_many_hashes(&HASHES, &mut answers);
    assert!(answers.iter().zip(&hashed).all(|(answer, count)| *answer == (*count > 0)));
    counts.into_iter().chain(hashed).collect()
}

/// Checks an opened filter.
pub(crate) fn held(filter: &QuotientFilter) {
    let before = counts(filter);
    assert_eq!(filter.facts().tables[0].distinct_numbers, filter.distinct_numbers());
    changed(filter, &before);
    made_other(filter, &before);
}

/// An inserted key is found, and a removed one is gone. In a table in which two keys may share a
/// copy, no key can be removed.
fn changed(held: &QuotientFilter, before: &[u64]) {
    let mut changed = held.clone();
    let mut inserted = Vec::new();
    for hash in HASHES.into_iter().chain(HASHES) {
        let count = changed.count_hash(hash);
        match changed.insert_hash(hash) {
            Ok(is_new) => {
                assert_eq!(is_new, count == 0);
                assert_eq!(changed.count_hash(hash), count + 1);
                inserted.push(hash);
            }
            Err(_) => assert_eq!(changed.count_hash(hash), count),
        }
    }
    assert_eq!(changed.len(), held.len() + inserted.len() as u64);
    for key in KEYS {
        let len = changed.len();
        if changed.insert(key).is_ok() {
            assert!(changed.contains(key));
            assert_eq!(changed.remove(key).is_ok_and(|removed| removed), held.is_deletable());
            assert_eq!(changed.len(), len + u64::from(!held.is_deletable()));
        }
    }
    if !held.is_deletable() {
        assert!(changed.remove_hash(HASHES[0]).is_err());
        return;
    }
    while let Some(hash) = inserted.pop() {
        assert!(changed.remove_hash(hash).unwrap());
    }
    assert!(changed == *held && counts(&changed) == before);
    assert!(!changed.remove_hash(HASHES[0]).unwrap() || before[KEYS.len()] > 0);
}

/// United with itself, intersected with itself, folded, with another table.
fn made_other(held: &QuotientFilter, before: &[u64]) {
    let mut twice = held.clone();
    match twice.union_with(held) {
        Ok(()) => {
            assert_eq!(twice.len(), 2 * held.len());
            assert!(counts(&twice).iter().zip(before).all(|(now, before)| *now == 2 * before));
        }
        Err(_) => assert!(twice == *held),
    }
    let mut both = held.clone();
    both.intersect_with(held).unwrap();
    assert!(both == *held);
    let mut fitted = held.clone();
    if fitted.shrink_to_fit().is_ok() {
        assert!(fitted == *held && counts(&fitted) == before);
    }
    let factors = held.fold_factors();
    for factor in factors.first().into_iter().chain(factors.last()) {
        let mut folded = held.clone();
        match folded.fold(*factor) {
            Ok(()) => {
                assert_eq!((folded.numbers(), folded.len()), (held.numbers() / factor, held.len()));
                assert!(counts(&folded).iter().zip(before).all(|(now, before)| now >= before));
            }
            Err(_) => assert!(folded == *held),
        }
    }
    let mut empty = held.clone();
    empty.clear().unwrap();
    assert!(empty.is_empty() && counts(&empty).iter().all(|count| *count == 0));
}

/// Opened without reading its numbers: lookups in damaged ones never panic, and they are never
/// written.
pub(crate) fn quick(held: &QuotientFilter, sound: bool) {
    for hash in (0..512).map(|i: u64| xxh3_64(&i.to_le_bytes())).chain(HASHES) {
        let (is_held, count) = (held.contains_hash(hash), held.count_hash(hash));
        assert!(is_held == (count > 0) || !sound);
    }
    let mut changed = held.clone();
    if sound {
        let _ = changed.insert_hash(HASHES[0]);
        return;
    }
    assert!(changed.insert_hash(HASHES[0]).is_err());
    assert!(changed.remove_hash(HASHES[0]).is_ok_and(|removed| !removed) || changed.verify().is_err());
    assert!(changed.shrink_to_fit().is_err() && changed.union_with(held).is_err());
    assert!(changed.intersect_with(held).is_err());
    assert!(held.fold_factors().first().is_none_or(|factor| changed.fold(*factor).is_err()));
}

/// The count of each number.
#[derive(Clone, Default)]
struct Model(BTreeMap<u64, u64>);

/// The number of a hash, by FORMAT.md.
pub(crate) fn number(h: u64, numbers: u64) -> u64 {
    let spread = (h ^ (h >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((u128::from(spread) * u128::from(numbers)) >> 64) as u64
}

/// A hash with this number.
fn hash_of(number: u64, numbers: u64) -> u64 {
    let spread = (u128::from(number) << 64).div_ceil(u128::from(numbers)) as u64;
    let h = spread.wrapping_mul(0xF1DE_83E1_9937_733D);
    h ^ (h >> 32)
}

impl Model {
    fn check(&self, filter: &QuotientFilter) {
        assert_eq!(filter.len(), self.0.values().sum::<u64>());
        assert_eq!(filter.distinct_numbers(), self.0.len() as u64);
        for (number, copies) in &self.0 {
            assert_eq!(filter.count_hash(hash_of(*number, filter.numbers())), *copies);
        }
    }
}

/// The first bytes describe a filter, the others are operations.
pub(crate) fn operations(data: &[u8]) {
    let Some((&[capacity, rate, count_bits, policy], steps)) = data.split_first_chunk::<4>() else { return };
    let rate = [0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-9, 0.9, 0.03][usize::from(rate % 8)];
    let policy = OverCapacity::ALL[usize::from(policy) % OverCapacity::ALL.len()];
    let builder = QuotientFilter::builder()
        .capacity(1 + u64::from(capacity) * u64::from(capacity) / 64)
        .false_positive_rate(rate)
        .count_bits([0, 4, 8, 16][usize::from(count_bits % 4)])
        .over_capacity(policy);
    let (mut filter, mut model) = (builder.clone().build().unwrap(), Model::default());
    let most = 64u64 << filter.count_bits();
    let mut folded = 1;
    for step in steps.chunks_exact(3).take(2000) {
        let (what, key, times) = (step[0], xxh3_64(&[step[1], step[0] & 0xC0]), u64::from(step[2]));
        let numbers = filter.numbers();
        let at = number(key, numbers);
        let held = model.0.get(&at).copied().unwrap_or(0);
        match what % 16 {
            0..=6 => match filter.insert_hash(key) {
                Ok(is_new) => {
                    assert_eq!(is_new, held == 0);
                    *model.0.entry(at).or_default() += 1;
                }
                Err(error) => refused(&error, held, most, &filter),
            },
            7..=10 => {
                assert_eq!(filter.remove_hash(key).unwrap(), held > 0);
                if held > 1 {
                    model.0.insert(at, held - 1);
                } else {
                    model.0.remove(&at);
                }
            }
            // The given number of times.
            11 => match filter.insert_many_hashes(&vec![key; times as usize]) {
                Ok(()) if times == 0 => {}
                Ok(()) => *model.0.entry(at).or_default() += times,
                Err(error) => {
                    refused(&error, held, most, &filter);
                    let now = filter.count_hash(key);
                    assert!(now >= held && now < held + times);
                    if now > 0 {
                        model.0.insert(at, now);
                    }
                }
            },
            // Neighbouring numbers from there on.
            12 => {
                let others: Vec<u64> =
                    (at..(at + times).min(numbers)).map(|other| hash_of(other, numbers)).collect();
                let mut other = filter.clone();
                other.clear().unwrap();
                other.set_over_capacity(OverCapacity::Ignore).unwrap();
                if other.insert_many_hashes(&others).is_ok() {
                    let before = filter.clone();
                    match filter.union_with(&other) {
                        Ok(()) => {
                            others.iter().for_each(|h| *model.0.entry(number(*h, numbers)).or_default() += 1);
                        }
                        Err(_) => assert!(filter == before),
                    }
                }
            }
            13 => {
                if filter.shrink_to_fit().is_err() {
                    model.check(&filter);
                }
            }
            14 => {
                let file = Opened::new(filter.clone(), Format::Tepal).unwrap();
                let read = tepal::from_bytes(&file.to_bytes().unwrap()).unwrap();
                let AnyFilter::Quotient(read) = read.into_filter() else { unreachable!() };
                assert!(read == filter);
                filter = read;
            }
            _ => {
                let factors = filter.fold_factors();
                let Some(&factor) = factors.get(times as usize % factors.len().max(1)) else { continue };
                if times < 250 {
                    model.check(&filter);
                } else if filter.fold(factor).is_ok() {
                    folded *= factor;
                    let mut fewer = Model::default();
                    for (number, copies) in model.0 {
                        *fewer.0.entry(number / factor).or_default() += copies;
                    }
                    model = fewer;
                }
            }
        }
        let at = number(key, filter.numbers());
        assert_eq!(filter.count_hash(key), model.0.get(&at).copied().unwrap_or(0));
    }
    model.check(&filter);
    same_as_fresh(filter, &model, builder.over_capacity(OverCapacity::Ignore), folded);
}

/// Checks the error for a key with this many copies.
fn refused(error: &Error, held: u64, most: u64, filter: &QuotientFilter) {
    match error {
        Error::CapacityReached { .. } => assert!(held == 0 && filter.is_full()),
        Error::TooManyCopies { most: at, .. } => assert_eq!(*at, most),
        // Few numbers with many copies fit in no table.
        Error::NumbersClustered { .. } => {}
        error => panic!("{error}"),
    }
}

/// One set has one file after any operations: that of a filter built from the set at once.
fn same_as_fresh(
    mut filter: QuotientFilter,
    model: &Model,
    builder: tepal::builders::QuotientFilterBuilder,
    folded: u64,
) {
    let numbers = filter.numbers();
    let hashes = model.0.iter().flat_map(|(number, copies)| {
        std::iter::repeat_n(hash_of(*number, numbers), (*copies).min(5000) as usize)
    });
    if folded > 1 || model.0.values().any(|copies| *copies > 5000) {
        return;
    }
    let hashes: Vec<u64> = hashes.collect();
    let Ok(mut fresh) = builder.build_from_hashes(hashes) else { return };
    assert!(fresh == filter);
    fresh.set_over_capacity(filter.over_capacity()).unwrap();
    if let (Ok(()), Ok(())) = (fresh.shrink_to_fit(), filter.shrink_to_fit()) {
        let file = |filter| Opened::new(filter, Format::Tepal).unwrap().to_bytes().unwrap();
        assert!(file(fresh) == file(filter));
    }
}

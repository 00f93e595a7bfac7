//! Ten times as many keys as planned: no policy lets the rate rise without a signal, and nobody is lost.

#[path = "shared/kinds.rs"]
mod kinds;

use kinds::{Kind, kinds};
use tepal::{BloomFilter, Error, OverCapacity};

/// Enough that the rate of one filter is near the mean of all.
const CAPACITY: u64 = 20_000;
/// The rate may pass the promise by so much before it is said.
const TOLERANCE: f64 = 1.1;

fn overfilled(kind: &Kind, policy: OverCapacity) {
    let what = format!("{}, {policy}", kind.name);
    let mut filter = kind.builder.clone().capacity(CAPACITY).over_capacity(policy).build().unwrap();
    let capacity = filter.capacity();
    // What the planned number of keys gives: the schemes of other programs promise by formulas of their own.
    let promised = filter.promised_false_positive_rate();
    let mut members = Vec::new();
    let mut refused = 0;
    for times in 1..=10 {
        let keys: Vec<String> = ((times - 1) * capacity..times * capacity).map(|i| kind.key(i)).collect();
        // In batches and one by one.
        let (batch, rest) = keys.split_at(keys.len() / 2);
        match filter.insert_many(batch) {
            Ok(()) => members.extend_from_slice(batch),
            Err(Error::CapacityReached { inserted, .. }) => {
                members.extend_from_slice(&batch[..inserted]);
                refused += batch.len() - inserted;
            }
            Err(error) => panic!("{what}: {error}"),
        }
        for key in rest {
            match filter.insert(key) {
                Ok(_) => members.push(key.clone()),
                Err(Error::CapacityReached { .. }) => refused += 1,
                Err(error) => panic!("{what}: {error}"),
            }
        }
        let told = filter.is_over_capacity();
        let rate = filter.false_positive_rate();
        match policy {
            OverCapacity::Refuse => {
                assert!(rate <= TOLERANCE * promised, "{what}, {times} times: {rate:e}");
                assert_eq!(refused > 0, times > 1, "{what}, {times} times: {refused}");
            }
            OverCapacity::Warn => {
                assert!(
                    told || rate <= TOLERANCE * promised,
                    "{what}, {times} times: {rate:e} and no signal"
                );
                assert_eq!(told, times > 1, "{what}, {times} times");
                assert_eq!(refused, 0, "{what}");
            }
            OverCapacity::Ignore => {
                // Chosen: nobody is told. The rate itself can be asked for.
                assert!(!told && refused == 0, "{what}");
                assert!(times < 3 || rate > TOLERANCE * promised, "{what}, {times} times: {rate:e}");
            }
        }
        missing(&filter, &members, &what);
    }
}

fn missing(filter: &BloomFilter, members: &[String], what: &str) {
    assert!(members.len() >= 10_000, "{what}: {}", members.len());
    assert!(filter.contains_many(members).into_iter().all(|held| held), "{what}: a member is lost");
}

#[test]
fn every_kind_and_policy() {
    for kind in kinds() {
        // Its size is fixed, far beyond these numbers of keys.
        if kind.name == "scheme-bkdr7" {
            continue;
        }
        for policy in [OverCapacity::Refuse, OverCapacity::Warn, OverCapacity::Ignore] {
            overfilled(&kind, policy);
        }
    }
}

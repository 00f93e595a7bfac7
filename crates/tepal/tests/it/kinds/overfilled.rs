//! Ten times the planned number of keys: under no policy does the rate rise without a signal, and
//! no member is lost.

use tepal::{Error, Opened, OverCapacity};

use crate::shared::groups::Group;
use crate::shared::kinds::{Operation, Subject, kinds};

/// Large enough that the rate of one filter is near the mean of all.
const CAPACITY: u64 = 20_000;
/// The rate may be this many times the promise before there is a signal.
const TOLERANCE: f64 = 1.1;

fn overfilled(kind: &dyn Subject, policy: OverCapacity) {
    let what = format!("{}, {policy}", kind.name());
    let mut filter = kind.empty(CAPACITY).unwrap();
    // A chain that grows by itself begins with less.
    if filter.filter().capacity() < CAPACITY {
        filter = kind.empty(3 * CAPACITY).unwrap();
    }
    match filter.set_over_capacity(policy) {
        Ok(()) => {}
        // Its program has another fixed policy.
        Err(Error::NotPossible { .. }) if filter.filter().over_capacity() != policy => {
            return assert!(kind.cannot().contains(&Operation::SetOverCapacity));
        }
        Err(error) => panic!("{what}: {error}"),
    }
    let capacity = filter.filter().capacity();
    let mut members = Vec::new();
    let (mut refused, mut at_capacity) = (0, 0.0);
    for times in 1..=10 {
        let numbers: Vec<u64> = ((times - 1) * capacity..times * capacity).collect();
        // In batches and one by one.
        let (batch, rest) = numbers.split_at(numbers.len() / 2);
        match kind.keys(batch).insert_all(&mut filter) {
            Ok(()) => members.extend_from_slice(batch),
            Err(Error::CapacityReached { inserted, .. }) => {
                members.extend_from_slice(&batch[..inserted]);
                refused += batch.len() - inserted;
            }
            Err(error) => panic!("{what}: {error}"),
        }
        for number in rest {
            match kind.keys(&[*number]).insert_each(&mut filter, |_, _| ()) {
                Ok(()) => members.push(*number),
                Err(Error::CapacityReached { .. }) => refused += 1,
                Err(error) => panic!("{what}: {error}"),
            }
        }
        // A chain that has grown has a new promise. The schemes of other programs promise by their
        // own formulas, and the rate at the planned number of keys may be above that.
        if times == 1 {
            at_capacity = filter.filter().false_positive_rate();
        }
        let promised = filter.filter().promised_false_positive_rate().max(at_capacity);
        let grown = filter.filter().capacity() > capacity;
        let told = filter.filter().is_over_capacity();
        let rate = filter.filter().false_positive_rate();
        match policy {
            OverCapacity::Refuse => {
                assert!(rate <= TOLERANCE * promised, "{what}, {times} times: {rate:e}");
                assert_eq!(refused > 0, times > 1, "{what}, {times} times: {refused}");
                assert!(!grown, "{what}, {times} times");
            }
            OverCapacity::Warn => {
                assert!(
                    told || rate <= TOLERANCE * promised,
                    "{what}, {times} times: {rate:e} and no signal"
                );
                assert_eq!(told || grown, times > 1, "{what}, {times} times");
                assert_eq!(refused, 0, "{what}");
            }
            OverCapacity::Ignore => {
                // Nothing is refused or warned of, but whoever asks is told the truth.
                assert_eq!(told || grown, times > 1, "{what}, {times} times");
                assert_eq!(refused, 0, "{what}");
                assert!(times < 3 || rate > TOLERANCE * promised, "{what}, {times} times: {rate:e}");
            }
            policy => panic!("{what}: the policy {policy} is new"),
        }
        missing(kind, &filter, &members, &what);
    }
}

fn missing(kind: &dyn Subject, filter: &Opened, members: &[u64], what: &str) {
    assert!(members.len() >= 10_000, "{what}: {}", members.len());
    assert!(kind.keys(members).are_held(filter), "{what}: a member is lost");
}

fn check_group(group: Group, policy: OverCapacity) {
    for kind in group.among(kinds()) {
        // Its size is fixed, far above these numbers of keys; its first filter is for 40.
        if ["scheme-bkdr7", "chain-redisbloom-dump"].contains(&kind.name()) {
            continue;
        }
        overfilled(&*kind, policy);
    }
}

mod every_kind_refuses {
    crate::shared::groups::for_each_group!(changing refuses);
}

fn refuses(group: Group) {
    check_group(group, OverCapacity::Refuse);
}

mod every_kind_warns {
    crate::shared::groups::for_each_group!(changing warns);
}

fn warns(group: Group) {
    check_group(group, OverCapacity::Warn);
}

mod every_kind_can_be_told_to_ignore_it {
    crate::shared::groups::for_each_group!(changing ignores);
}

fn ignores(group: Group) {
    check_group(group, OverCapacity::Ignore);
    // The tests cover every policy.
    assert_eq!(OverCapacity::ALL.len(), 3);
}

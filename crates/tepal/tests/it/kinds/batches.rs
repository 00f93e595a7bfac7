//! A batch gives the same results as its keys one by one: it is refused at the same key, and
//! repeats in it are the same key.

use tepal::{Error, Opened, OverCapacity};

use crate::shared::kinds::{Operation, Subject, is_large, kinds, numbers};

/// From 4,096 keys on a table sorts a batch.
const CAPACITY: u64 = 5000;

/// An empty filter that refuses keys past its capacity, of a kind that can.
fn refusing(kind: &dyn Subject, capacity: u64) -> Option<Opened> {
    if kind.cannot().contains(&Operation::SetOverCapacity) || is_large(kind) {
        return None;
    }
    let mut filter = kind.empty(capacity).unwrap();
    filter.set_over_capacity(OverCapacity::Refuse).unwrap();
    Some(filter)
}

/// Inserts numbers one by one, and returns the ones it took.
fn taken(kind: &dyn Subject, filter: &mut Opened, from: u64) -> Vec<u64> {
    let all = numbers(from..from + 4 * CAPACITY);
    let mut taken = 0;
    match kind.keys(&all).insert_each(filter, |i, _| taken = i + 1) {
        Err(Error::CapacityReached { .. }) => all[..taken].to_vec(),
        other => panic!("{}: {other:?} after {taken} keys", kind.name()),
    }
}

/// The last key that a filter takes and the first that it refuses are the same in a batch and one
/// by one; the error of the batch tells how many were inserted.
#[test]
fn a_batch_is_refused_at_the_key_that_is_refused_by_itself() {
    let mut tried = 0;
    for kind in kinds() {
        let name = kind.name();
        let Some(mut one_by_one) = refusing(&*kind, CAPACITY) else { continue };
        let fits = taken(&*kind, &mut one_by_one, 0);
        let too_many = numbers(0..fits.len() as u64 + 1);
        let mut batch = refusing(&*kind, CAPACITY).unwrap();
        kind.keys(&fits).insert_all(&mut batch).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(kind.keys(&fits).are_held(&batch), "{name}");
        let mut batch = refusing(&*kind, CAPACITY).unwrap();
        match kind.keys(&too_many).insert_all(&mut batch) {
            Err(Error::CapacityReached { inserted, .. }) => assert_eq!(inserted, fits.len(), "{name}"),
            other => panic!("{name}: {} keys, {other:?}", too_many.len()),
        }
        assert!(kind.opener().file(&batch) == kind.opener().file(&one_by_one), "{name}: other files");
        // A batch first, and then one by one.
        for first in [fits.len() / 2, CAPACITY as usize - 1, CAPACITY as usize, fits.len()] {
            let mut both = refusing(&*kind, CAPACITY).unwrap();
            let (batch, rest) = too_many.split_at(first.min(fits.len()));
            kind.keys(batch).insert_all(&mut both).unwrap_or_else(|error| panic!("{name}, {first}: {error}"));
            let mut taken = batch.len();
            let refused = kind.keys(rest).insert_each(&mut both, |_, _| taken += 1);
            assert!(matches!(refused, Err(Error::CapacityReached { .. })), "{name}, {first}: {refused:?}");
            assert_eq!(taken, fits.len(), "{name}, {first}");
            let rates = [&both, &one_by_one].map(|filter| filter.filter().false_positive_rate());
            assert!(rates[0] == rates[1] && kind.keys(&fits).are_held(&both), "{name}, {first}: {rates:?}");
        }
        tried += 1;
    }
    assert!(tried >= 20, "{tried}");
}

/// A sorted batch that has one key more often than a table can hold it: it is refused at the same
/// key as one by one. Other kinds take it.
#[test]
fn a_key_that_comes_too_often_in_a_batch() {
    for kind in kinds() {
        let name = kind.name();
        // 64 slots that count to 1, to 16 and to 256.
        for times in [65, 1025, 16_385] {
            if is_large(&*kind) {
                continue;
            }
            let mut often = numbers(0..CAPACITY);
            often.splice(3000..3000, vec![7; times - 1]);
            let [mut batch, mut one_by_one] = [(); 2].map(|()| kind.empty(4 * CAPACITY).unwrap());
            for filter in [&mut batch, &mut one_by_one] {
                match filter.set_over_capacity(OverCapacity::Ignore) {
                    Ok(()) | Err(Error::NotPossible { .. }) => {}
                    Err(error) => panic!("{name}: {error}"),
                }
            }
            let in_batch = kind.keys(&often).insert_all(&mut batch);
            let mut taken = 0;
            let alone = kind.keys(&often).insert_each(&mut one_by_one, |i, _| taken = i + 1);
            match (in_batch, alone) {
                (Ok(()), Ok(())) => {}
                #[cfg(feature = "table")]
                (Err(Error::TooManyCopies { inserted, .. }), Err(Error::TooManyCopies { .. })) => {
                    assert_eq!(inserted, taken, "{name}");
                    assert!(taken >= 3000 && taken < 3000 + times, "{name}: {taken}");
                }
                // A chain that does not grow.
                (Err(Error::CapacityReached { inserted, .. }), Err(Error::CapacityReached { .. })) => {
                    assert_eq!(inserted, taken, "{name}");
                }
                (batch, alone) => panic!("{name}: {batch:?} in a batch, {alone:?} one by one"),
            }
            let file = kind.opener().file(&batch);
            let read = kind.opener().read(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(kind.keys(&often[..taken]).are_held(&read), "{name}");
            let rates = [&batch, &one_by_one].map(|filter| filter.filter().false_positive_rate());
            assert!(rates[0] == rates[1], "{name}: {rates:?}");
        }
    }
}

/// Keys that stand twice in a batch, and members, into an opened filter: the file equals that of
/// the keys one by one, and it can be read.
#[test]
fn repeats_in_a_batch_into_an_opened_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for kind in kinds() {
        let (name, opener) = (kind.name(), kind.opener());
        if is_large(&*kind) {
            continue;
        }
        for members in [0, 1, 40, 400] {
            let filter = kind.filled(1000, &numbers(0..members)).unwrap();
            opener.save(&filter, &path).unwrap();
            let [mut batch, mut one_by_one] = [(); 2].map(|()| opener.open(&path).unwrap());
            let repeated: Vec<u64> = (0..600).map(|i| i * i % 97 + members / 2).collect();
            kind.keys(&repeated).insert_all(&mut batch).unwrap_or_else(|error| panic!("{name}: {error}"));
            kind.keys(&repeated).insert_each(&mut one_by_one, |_, _| ()).unwrap();
            let file = opener.file(&batch);
            let read = opener.read(&file).unwrap_or_else(|error| panic!("{name}, {members}: {error}"));
            assert!(kind.keys(&repeated).are_held(&read), "{name}, {members}");
            assert!(file == opener.file(&one_by_one), "{name}, {members}: other files");
        }
    }
}

/// Large batches into a growing filter are sorted and merged: the file is the same as one by one,
/// across new links.
#[cfg(feature = "table")]
#[test]
fn sorted_batches_grow_as_single_keys() {
    use tepal::{GrowingFilter, hash::finish_hash};
    let hashes: Vec<u64> = (0..60_000u64).map(|i| finish_hash(i * 7 % 50_000)).collect();
    for first in [64, 1000, 20_000] {
        let empty = || GrowingFilter::builder().first(first).build().unwrap();
        let mut singly = empty();
        hashes.iter().for_each(|hash| _ = singly.insert_hash(*hash).unwrap());
        let [mut at_once, mut in_parts] = [empty(), empty()];
        at_once.insert_many_hashes(&hashes).unwrap();
        hashes.chunks(9_000).for_each(|part| in_parts.insert_many_hashes(part).unwrap());
        for (filter, how) in [(at_once, "at once"), (in_parts, "in parts")] {
            assert_eq!(filter.len(), singly.len(), "{first}, {how}");
            assert!(filter.to_bytes().unwrap() == singly.to_bytes().unwrap(), "{first}, {how}");
        }
    }
}

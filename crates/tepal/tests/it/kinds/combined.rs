//! Combinations of two filters: never more keys than the policy allows, and never from unchecked
//! bits.

use std::fs;

use tepal::{Error, Opened, OverCapacity, Result, file::Format};

use crate::shared::kinds::{Numbered, Operation, Subject, all_kinds, is_large, kinds, numbers};

const CAPACITY: u64 = 1000;

/// A filter of this policy with all keys from `from` on that a refusing filter takes.
fn full(kind: &dyn Subject, policy: OverCapacity, from: u64) -> (Opened, Vec<u64>) {
    let mut filter = kind.empty(CAPACITY).unwrap();
    filter.set_over_capacity(OverCapacity::Refuse).unwrap();
    let all = numbers(from..from + 20 * CAPACITY);
    let mut taken = 0;
    let refused = kind.keys(&all).insert_each(&mut filter, |i, _| taken = i + 1);
    assert!(matches!(refused, Err(Error::CapacityReached { .. })), "{}: {refused:?}", kind.name());
    filter.set_over_capacity(policy).unwrap();
    (filter, all[..taken].to_vec())
}

/// Under the policy to refuse, two full filters have no union, and the filter is unchanged. Under
/// the other policies the union has all keys. An intersection is never too large.
#[test]
fn a_union_past_the_capacity() {
    let mut tried = 0;
    for kind in kinds() {
        let (name, cannot) = (kind.name(), kind.cannot());
        let is_alone = cannot.contains(&Operation::Unite) || cannot.contains(&Operation::SetOverCapacity);
        if is_alone || is_large(&*kind) {
            continue;
        }
        tried += 1;
        for policy in OverCapacity::ALL.iter().copied() {
            let (one, mut members) = full(&*kind, policy, 0);
            let (other, others) = full(&*kind, policy, 50_000);
            let before = kind.opener().file(&one);
            let mut union = one.clone();
            match (policy, union.union_with(&other)) {
                (OverCapacity::Refuse, Err(Error::CapacityReached { inserted: 0, .. })) => {
                    assert!(kind.opener().file(&union) == before, "{name}: changed by what was refused");
                }
                (OverCapacity::Warn | OverCapacity::Ignore, Ok(())) => {
                    members.extend(others);
                    assert!(kind.keys(&members).are_held(&union), "{name}, {policy}");
                }
                (policy, other) => panic!("{name}, {policy}: {other:?}"),
            }
            // With itself a filter has a union.
            let mut same = one.clone();
            if kind.kind() != tepal::Kind::Quotient {
                same.union_with(&one).unwrap_or_else(|error| panic!("{name}, {policy}: {error}"));
            }
            if !cannot.contains(&Operation::Intersect) {
                let mut both = one.clone();
                both.intersect_with(&other).unwrap_or_else(|error| panic!("{name}, {policy}: {error}"));
            }
        }
    }
    assert!(tried >= 20, "{tried}");
}

/// A file that was opened quick and whose bits are damaged: every operation that copies its bits
/// finds that, or its result cannot be written.
#[test]
fn bits_that_nobody_has_checked_go_nowhere() {
    type Change = fn(Opened, &Opened) -> Result<Opened>;
    let changes: [(&str, Change); 7] = [
        ("united with it", |mut good, bad| good.union_with(bad).map(|()| good)),
        ("intersected with it", |mut good, bad| good.intersect_with(bad).map(|()| good)),
        ("it, united", |good, bad| bad.clone().also(|bad| bad.union_with(&good))),
        ("it, intersected", |good, bad| bad.clone().also(|bad| bad.intersect_with(&good))),
        ("it, folded", |_, bad| bad.clone().also(|bad| bad.shrink_to(0.9).map(drop))),
        ("it, static", |_, bad| bad.clone().also(|bad| bad.make_static(0.5))),
        ("it, told the time", |_, bad| bad.clone().also(|bad| bad.advance_to(1_790_000_000).map(drop))),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for kind in all_kinds() {
        let (name, opener) = (kind.name(), kind.opener());
        // Another program's file has no checksums.
        if kind.format() != Format::Tepal || is_large(&*kind) {
            continue;
        }
        let good = kind.filled(CAPACITY, &numbers(0..300)).unwrap();
        let mut file = opener.file(&kind.filled(CAPACITY, &numbers(200..500)).unwrap());
        let body = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
        file[body + 30] ^= 4;
        fs::write(&path, &file).unwrap();
        let bad = opener.quick(&path).unwrap();
        assert!(bad.verify().is_err(), "{name}");
        let mut found = 0;
        for (what, change) in changes {
            match change(good.clone(), &bad).and_then(|made| Ok((made.to_bytes()?, made))) {
                Err(Error::Damaged { .. } | Error::WrongSeal) => found += 1,
                Err(Error::NotPossible { .. }) => {}
                // Filters whose positions are remainders do not fold.
                Err(Error::Parameter { .. }) if what == "it, folded" => {}
                // It has removed all keys.
                Ok((_, made)) if made.filter().estimated_len() == 0.0 => {}
                Ok(_) => panic!("{name}, {what}: was not checked, and can be written"),
                Err(error) => panic!("{name}, {what}: {error}"),
            }
        }
        // No key is removed from such bits. Whether one is inserted or not, they are still the bits
        // of the file.
        for number in 240..260 {
            let mut made = bad.clone();
            let removed = match kind.keys(&[number]) {
                Numbered::Texts(texts) => made.remove(&texts[0]),
                Numbered::Hashes(hashes) => made.remove_hash(hashes[0]),
            };
            assert!(
                !matches!(removed, Ok(tepal::Removal::Removed)) && made.to_bytes().is_err(),
                "{name}: {number} went: {removed:?}"
            );
            let mut made = bad.clone();
            let inserted = kind.keys(&[number + 70_000]).insert_all(&mut made);
            assert!(made.to_bytes().is_err(), "{name}: {number} came, {inserted:?}, and it can be written");
        }
        let expected = if kind.cannot().contains(&Operation::Unite) { 0 } else { 2 };
        assert!(found >= expected, "{name}: {found}");
    }
}

trait Also: Sized {
    fn also(self, change: impl FnOnce(&mut Self) -> Result<()>) -> Result<Self>;
}

impl Also for Opened {
    fn also(mut self, change: impl FnOnce(&mut Self) -> Result<()>) -> Result<Self> {
        change(&mut self)?;
        Ok(self)
    }
}

/// A key is removed from an opened file as from a filter in memory, if the kind can remove keys.
#[test]
fn a_key_is_taken_out_of_an_opened_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let mut removable = 0;
    for kind in kinds() {
        let (name, opener) = (kind.name(), kind.opener());
        if is_large(&*kind) {
            continue;
        }
        let mut in_memory = kind.filled(CAPACITY, &numbers(0..300)).unwrap();
        opener.save(&in_memory, &path).unwrap();
        let mut opened = opener.open(&path).unwrap();
        let [here, there] = [&mut in_memory, &mut opened].map(|filter| match kind.keys(&[17]) {
            Numbered::Texts(texts) => filter.remove(&texts[0]),
            Numbered::Hashes(hashes) => filter.remove_hash(hashes[0]),
        });
        match (here, there) {
            (Ok(here), Ok(there)) => assert!(here == there, "{name}"),
            (Err(Error::NotPossible { .. } | Error::NoHash { .. }), Err(_)) => continue,
            other => panic!("{name}: {other:?}"),
        }
        removable += 1;
        assert!(opener.file(&in_memory) == opener.file(&opened), "{name}");
        assert!(kind.keys(&numbers(18..300)).are_held(&opened), "{name}");
    }
    assert!(removable >= 5, "{removable}");
}

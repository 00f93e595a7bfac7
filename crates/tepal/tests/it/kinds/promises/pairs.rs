//! Two filters, other formats, and operations that a kind does not support.

use tepal::{BloomFilter, Error, Kind, Opened, OverCapacity, error::Obstacle, file::Format};

use super::{CAPACITY, FOREIGN, MEMBERS, MORE, check, filled};
use crate::shared::kinds::{Door, NOT_BY_ALL, Operation, is_large, kinds, numbers};

/// A union equals inserting both sets of keys. Filters of different shape or hash have no union.
#[test]
fn unions() {
    for subject in kinds() {
        let subject = &*subject;
        let name = subject.name();
        let opener = subject.opener();
        let (one, other) = (filled(subject, MEMBERS), filled(subject, MORE));
        if subject.cannot().contains(&Operation::Unite) {
            continue;
        }
        let mut united = one.clone();
        united.union_with(&other).unwrap();
        let mut both = one.clone();
        subject.keys(&numbers(MORE)).insert_all(&mut both).unwrap();
        if subject.kind() == Kind::Bloom {
            let set = |filter: &Opened| filter.filter().facts().parts[0].set_bits;
            assert_eq!(set(&united), set(&both), "{name}");
            assert_eq!(united.filter().false_positive_rate(), both.filter().false_positive_rate(), "{name}");
        }

        // Not with a larger one, nor with one of other keys, nor with another kind.
        let file = opener.file(&one);
        let mut larger = subject.empty(100 * CAPACITY).unwrap();
        if larger.filter().size_in_bytes() != one.filter().size_in_bytes() {
            let refused = one.clone().union_with(&larger);
            assert!(matches!(refused, Err(Error::Incompatible { .. })), "{name}: {refused:?}");
            let before = opener.file(&larger);
            let refused = larger.union_with(&one);
            assert!(matches!(refused, Err(Error::Incompatible { .. })), "{name}: {refused:?}");
            assert!(opener.file(&larger) == before, "{name}: changed");
        }
        let mut changed = one.clone();
        let stranger = BloomFilter::builder().capacity(77).seed(77).build().unwrap();
        let stranger = Opened::new(stranger, Format::Tepal).unwrap();
        for refused in [changed.union_with(&stranger), changed.intersect_with(&stranger)] {
            assert!(matches!(refused, Err(Error::Incompatible { .. })), "{name}: {refused:?}");
        }
        assert!(opener.file(&changed) == file, "{name}: changed");
    }
}

/// After a union with an equal filter, the number of different keys is the same. The number of
/// inserted keys is the sum; for a table it is the number of its entries.
#[test]
fn a_union_counts_no_key_that_is_not_there() {
    for subject in kinds() {
        let (name, before) = (subject.name(), filled(&*subject, MEMBERS));
        let mut united = before.clone();
        match united.union_with(&before) {
            Err(Error::NotPossible { .. }) => continue,
            done => done.unwrap(),
        }
        check(&*subject, &united, MEMBERS, "uniting it with itself");
        let (was, is) = (before.facts().unwrap(), united.facts().unwrap());
        assert_eq!(is.estimated_len, was.estimated_len, "{name}");
        assert_eq!(is.false_positive_rate, was.false_positive_rate, "{name}");
        let counts_twice = match subject.kind() {
            Kind::Bloom | Kind::Scalable | Kind::Quotient | Kind::Expiring => true,
            // With copies, if keys can be removed.
            Kind::Growing => is.tables.iter().any(|table| table.taken_slots > table.distinct_numbers),
            Kind::Segment | Kind::Ribbon | Kind::Map => false,
            _ => panic!("{name}: what does a union count?"),
        };
        let given = was.keys_inserted.map(|keys| if counts_twice { 2 * keys } else { keys });
        assert_eq!(is.keys_inserted, given, "{name}");
        if let (Some(keys), [_, ..]) = (is.keys_inserted, is.tables.as_slice()) {
            let different: u64 = is.tables.iter().map(|table| table.distinct_numbers).sum();
            assert!(different <= keys, "{name}");
        }
    }
}

/// If the number of inserted keys is not known for one of two filters, it is not known for their
/// union: any number would be too small.
#[test]
fn a_count_that_is_not_known_stays_unknown() {
    for subject in kinds() {
        let subject = &*subject;
        let name = subject.name();
        let (known, mut unknown) = (filled(subject, MEMBERS), filled(subject, MORE));
        // For an intersection it is not known. A kind without intersections always counts, and so
        // do its unions.
        if unknown.intersect_with(&filled(subject, MORE)).is_err() {
            assert!(subject.cannot().contains(&Operation::Intersect), "{name}");
            assert!(known.filter().keys_inserted().is_some(), "{name}");
            continue;
        }
        let count = |filter: &Opened| filter.filter().keys_inserted();
        // A table counts its entries.
        if matches!(subject.kind(), Kind::Quotient | Kind::Segment) {
            assert!(count(&unknown).is_some(), "{name}");
            continue;
        }
        assert_eq!(count(&unknown), None, "{name}");
        if subject.kind() == Kind::Expiring {
            let (mut one, mut other) = (known.clone(), unknown.clone());
            one.union_with(&unknown).unwrap();
            other.union_with(&known).unwrap();
            assert_eq!((count(&one), count(&other)), (None, None), "{name}");
            let (mut twice, opener) = (known.clone(), subject.opener());
            twice.union_with(&known).unwrap();
            assert_eq!(count(&twice), count(&known).map(|keys| 2 * keys), "{name}");
            assert_eq!(count(&opener.read(&opener.file(&unknown)).unwrap()), None, "{name}");
            continue;
        }
        let counted = |one: &Opened, other: &Opened| {
            let mut united = one.clone();
            united.union_with(other).unwrap();
            let (typed, others) = (BloomFilter::of(one.clone()), BloomFilter::of(other.clone()));
            let shared = typed.into_shared().unwrap();
            shared.union_with(&others).unwrap();
            let shared = shared.into_owned().unwrap().keys_inserted();
            assert_eq!(count(&united), shared, "{name}: shared");
            // Neither more inserts nor a tepal file make it known.
            let before = count(&united).is_some();
            subject.keys(&[5000]).insert_all(&mut united).unwrap();
            assert_eq!(count(&united).is_some(), before, "{name}");
            if subject.format() == Format::Tepal {
                let opener = subject.opener();
                assert_eq!(count(&opener.read(&opener.file(&united)).unwrap()), count(&united), "{name}");
            }
            shared
        };
        let sum = count(&known).map(|keys| 2 * keys);
        assert_eq!(counted(&known, &known), sum, "{name}");
        for (one, other) in [(&known, &unknown), (&unknown, &known), (&unknown, &unknown)] {
            assert_eq!(counted(one, other), None, "{name}");
        }
    }
}

/// An operation that a kind does not support is an error that names the kind and the operation, and
/// changes nothing. The others succeed.
#[test]
fn what_a_kind_cannot_do_it_says() {
    for subject in kinds() {
        let subject = &*subject;
        let name = subject.name();
        let opener = subject.opener();
        let filter = filled(subject, MEMBERS);
        let before = opener.file(&filter);
        for operation in NOT_BY_ALL {
            let mut changed = filter.clone();
            let result = match operation {
                Operation::Unite => changed.union_with(&filter),
                Operation::Intersect => changed.intersect_with(&filter),
                Operation::SetOverCapacity => {
                    let now = filter.filter().over_capacity();
                    let other = OverCapacity::ALL.iter().find(|policy| **policy != now).unwrap();
                    // The present policy can be set again.
                    changed.set_over_capacity(now).and_then(|()| changed.set_over_capacity(*other))
                }
                Operation::BeAnother => filter.clone().into_filter().into_bloom().map(drop),
                other => unreachable!("{other}"),
            };
            let can = match operation {
                Operation::Unite => filter.can().unite,
                Operation::Intersect => filter.can().intersect,
                Operation::SetOverCapacity => filter.can().set_over_capacity,
                _ => result.is_ok(),
            };
            assert_eq!(can, result.is_ok(), "{name}: {operation:?}");
            match result {
                Ok(()) => assert!(!subject.cannot().contains(&operation), "{name}: {operation:?}"),
                Err(error) => {
                    assert!(subject.cannot().contains(&operation), "{name}: {operation:?}: {error}");
                    let text = error.to_string();
                    let Error::NotPossible { kind, operation: named, instead, .. } = error else {
                        panic!("{text}")
                    };
                    assert_eq!((kind, named), (subject.kind(), operation), "{name}");
                    for part in [kind.common_name(), named.name(), &instead.to_string()] {
                        assert!(
                            !part.is_empty() && text.contains(part),
                            "{name}: {part:?} is not in {text:?}"
                        );
                    }
                    assert!(opener.file(&changed) == before, "{name}: {operation:?} changed it");
                }
            }
        }
    }
}

/// A filter that is taken out of its file and put into one again is the same filter: it takes the
/// same keys.
#[test]
fn out_of_a_file_and_into_another() {
    for subject in kinds() {
        let subject = &*subject;
        let name = subject.name();
        let mut filter = filled(subject, MEMBERS);
        let again = Opened::new(filter.clone().into_filter(), subject.format()).unwrap();
        let mut again = subject.opener().without_seal().from_bytes(&again.to_bytes().unwrap()).unwrap();
        check(subject, &again, MEMBERS, "being put into another file");
        let policy = filter.filter().over_capacity();
        if subject.cannot().contains(&Operation::SetOverCapacity) {
            assert_eq!(again.filter().over_capacity(), policy, "{name}: it grows by another rule");
        }
        // For a single filter only a tepal file keeps it.
        again.set_over_capacity(policy).unwrap();
        if is_large(subject) {
            continue;
        }
        let many = subject.keys(&numbers(0..4 * CAPACITY));
        let (before, after) = (many.insert_all(&mut filter), many.insert_all(&mut again));
        assert_eq!(before.is_ok(), after.is_ok(), "{name}: {before:?}, {after:?}");
        let parts = |filter: &Opened| filter.filter().facts().parts.len();
        assert_eq!(parts(&filter), parts(&again), "{name}");
    }
}

/// A format that cannot hold the filter names the reason.
#[test]
fn conversions_that_cannot_be() {
    for subject in kinds() {
        let subject = &*subject;
        let name = subject.name();
        let filter = filled(subject, MEMBERS);
        let before = subject.opener().file(&filter);
        let facts = filter.filter().facts();
        for &format in Format::ALL.iter().filter(|format| **format != subject.format()) {
            let Err(error) = filter.clone().convert_to(format) else { continue };
            let text = error.to_string();
            let obstacle = match error {
                Error::Unconvertible { format: refused, obstacle, .. } if refused == format => obstacle,
                Error::Unsupported { .. } if !FOREIGN => continue,
                _ => panic!("{name} to {format}: {text}"),
            };
            match obstacle {
                Obstacle::Scheme { found, expected, .. } => {
                    assert_eq!((found, expected), (facts.scheme, format.schemes()), "{name} to {format}");
                    assert!(!expected.contains(&found), "{name} to {format}");
                }
                Obstacle::Layout { found, expected, .. } => {
                    assert_eq!((found, Some(expected)), (facts.parts[0].layout, format.layout()), "{name}");
                }
                Obstacle::Chain { links, .. } => assert!(links > 1 && links == facts.parts.len(), "{name}"),
                Obstacle::Kind { found, .. } => {
                    assert!(found == subject.kind() && !facts.tables.is_empty(), "{name}");
                }
                Obstacle::Recipe => assert!(!facts.recipe.is_identity(), "{name}"),
                obstacle => panic!("{name} to {format}: {obstacle:?}"),
            }
        }
        assert!(subject.opener().file(&filter) == before, "{name}");
    }
}

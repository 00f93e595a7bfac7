//! Exceptions: keys that a filter says no for, by every lookup call, and the changes that affect
//! them.

use tepal::{
    AnyFilter, BloomFilter, Error, Exceptions, Open, Opened, OverCapacity, builders::BloomFilterBuilder,
    file::Format, hash::PreparedKeys,
};

fn builder() -> BloomFilterBuilder {
    BloomFilter::builder().capacity(1000).false_positive_rate(0.1).over_capacity(OverCapacity::Ignore)
}

fn keys(name: &str, range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|n| format!("{name} {n}")).collect()
}

fn prepared(file: &Opened, keys: &[String]) -> PreparedKeys {
    let mut prepared = PreparedKeys::default();
    keys.iter().for_each(|key| file.key_hasher().prepare(key, &mut prepared).unwrap());
    prepared
}

fn except(file: Opened, strangers: &[String]) -> Opened {
    let mut exceptions = Exceptions::new();
    let _ = exceptions.take(file.filter(), &prepared(&file, strangers));
    file.except(&exceptions).unwrap()
}

/// A filter of members `m`, which says no for 2000 non-members `s`.
fn excepted(builder: BloomFilterBuilder, members: &[String]) -> Opened {
    let file = Opened::new(builder.build_from(members).unwrap(), Format::Tepal).unwrap();
    except(file, &keys("s", 0..2000))
}

fn schemes() -> Vec<BloomFilterBuilder> {
    #[cfg(feature = "foreign")]
    return vec![builder(), builder().scheme(tepal::Scheme::GuavaMitz64)];
    #[cfg(not(feature = "foreign"))]
    vec![builder()]
}

#[test]
fn every_way_of_asking_says_no() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for builder in schemes() {
        let (members, strangers) = (keys("m", 0..1000), keys("s", 0..2000));
        let file = excepted(builder, &members);
        assert!((100..400).contains(&file.filter().exceptions()));
        file.save(&path).unwrap();
        for file in [
            file.clone(),
            tepal::open(&path).unwrap(),
            Open::new().quick().open(&path).unwrap(),
            Open::new().copy_on_write().open(&path).unwrap(),
            Open::new().in_memory().open(&path).unwrap(),
            Open::new().read_from(&std::fs::read(&path).unwrap()[..]).unwrap(),
        ] {
            let filter = file.filter();
            assert!(
                members.iter().all(|key| file.contains(key))
                    && !strangers.iter().any(|key| file.contains(key))
            );
            assert!(!filter.contains_many(&members).contains(&false));
            assert!(!filter.contains_many(&strangers).contains(&true));
            let (mut bits, mut answers) = (vec![0xFF; 250], vec![true; 2000]);
            filter.contains_many_bits(&strangers, &mut bits);
            filter.contains_prepared(&prepared(&file, &strangers), &mut answers);
            assert!(bits == [0; 250] && !answers.contains(&true));
            if let Some(hashes) = prepared(&file, &strangers).hashes() {
                assert!(!hashes.iter().any(|hash| filter.contains_hash(*hash)));
            }
            #[cfg(feature = "parallel")]
            assert!(
                !filter.contains_bulk(&strangers, std::num::NonZeroUsize::new(2).unwrap()).contains(&true)
            );
            assert_eq!(file.to_bytes().unwrap(), std::fs::read(&path).unwrap());
            assert_eq!(file.facts().unwrap().exceptions, filter.exceptions());
            file.verify().unwrap();
        }
        for refused in [
            BloomFilter::open(&path).map(drop),
            BloomFilter::open_quick(&path).map(drop),
            BloomFilter::from_bytes(&std::fs::read(&path).unwrap()).map(drop),
            BloomFilter::read_from(&std::fs::read(&path).unwrap()[..]).map(drop),
            tepal::open(&path).unwrap().into_filter().into_bloom().map(drop),
        ] {
            let error = refused.unwrap_err();
            assert!(
                matches!(error, Error::NotPossible { operation: tepal::error::Operation::BeAnother, .. }),
                "{error}"
            );
        }
    }
}

#[test]
fn what_is_inserted_is_no_exception() {
    for builder in schemes() {
        let mut file = excepted(builder, &keys("m", 0..1000));
        let strangers = keys("s", 0..2000);
        let mut members: Vec<_> = strangers.iter().step_by(3).cloned().collect();
        let before = file.filter().exceptions();
        assert!(file.insert(&members[0]).unwrap());
        assert!(!file.insert(&members[0]).unwrap());
        file.insert_many(&members[1..200].to_vec()).unwrap();
        file.insert_prepared(&prepared(&file, &members[200..400])).unwrap();
        file.insert_iter(&members[400..500]).unwrap();
        members.truncate(500);
        for file in [file.clone(), tepal::from_bytes(&file.to_bytes().unwrap()).unwrap()] {
            assert!(!file.contains_many(&members).contains(&false));
            assert!(file.filter().exceptions() < before && file.filter().exceptions() > 0);
        }
        // None is left: the file is a plain one again.
        file.insert_many(&strangers).unwrap();
        assert_eq!(file.filter().exceptions(), 0);
        assert!(BloomFilter::from_bytes(&file.to_bytes().unwrap()).is_ok());
    }
}

/// A key that is refused stays an exception.
#[test]
fn a_full_filter_keeps_the_exceptions_that_it_refuses() {
    let mut file = excepted(builder(), &keys("m", 0..1000));
    file.set_over_capacity(OverCapacity::Refuse).unwrap();
    let (new, strangers) = (keys("n", 0..5000), keys("s", 0..2000));
    let all: Vec<_> = new.iter().chain(&strangers).cloned().collect();
    let before = file.filter().exceptions();
    let Err(Error::CapacityReached { inserted, .. }) = file.insert_many(&all) else { panic!() };
    assert!(inserted < new.len());
    assert_eq!(file.filter().exceptions(), before);
    assert!(!file.contains_many(&all[..inserted].to_vec()).contains(&false));
}

/// The same if the refused key is in a later piece of a batch.
#[test]
fn a_refused_batch_takes_no_exception_off_behind_it() {
    let capacity = 40_000u32;
    type Insert = fn(&mut Opened, &[String]) -> tepal::Result<()>;
    let insert: [Insert; 2] = [|file, keys| file.insert_many(keys), |file, keys| file.insert_iter(keys)];
    for builder in schemes() {
        let filter = builder.capacity(capacity.into()).build_from(keys("m", 0..capacity / 2)).unwrap();
        // The non-members for which the bits say yes.
        let excepted: Vec<String> =
            keys("s", 0..60_000).into_iter().filter(|key| filter.contains(key)).collect();
        let mut file = except(Opened::new(filter, Format::Tepal).unwrap(), &excepted);
        file.set_over_capacity(OverCapacity::Refuse).unwrap();
        let before = file.filter().exceptions();
        assert!(before > 20 && before == excepted.len() as u64);
        for insert in insert {
            let mut file = file.clone();
            let new = keys("n", 0..2 * capacity);
            let Err(Error::CapacityReached { inserted: taken, .. }) = insert(&mut file.clone(), &new) else {
                panic!()
            };
            let mut batch = new[..=taken].to_vec();
            batch.extend(excepted.iter().cloned());
            let Err(Error::CapacityReached { inserted, .. }) = insert(&mut file, &batch) else { panic!() };
            assert_eq!((inserted, file.filter().exceptions()), (taken, before));
            assert!(!file.contains_many(&excepted).contains(&true));
            assert!(!file.contains_many(&batch[..taken].to_vec()).contains(&false));
        }
    }
}

/// A union drops an exception of one filter that is a member of the other.
#[test]
fn a_union_asks_both_of_every_exception() {
    let (strangers, others) = (keys("s", 0..2000), keys("m", 400..1000));
    let with: Vec<String> = keys("m", 0..600).into_iter().chain(strangers[..200].to_vec()).collect();
    for builder in schemes().into_iter().take(1) {
        let plain = Opened::new(builder.clone().build_from(&with).unwrap(), Format::Tepal).unwrap();
        // Members here that are exceptions there.
        let one = except(plain, &strangers[200..]);
        let two = excepted(builder, &others);
        assert!(two.filter().exceptions() > 0 && one.filter().exceptions() > 0);
        for (mut union, other) in [(one.clone(), &two), (two.clone(), &one)] {
            union.union_with(other).unwrap();
            assert!(!union.contains_many(&with).contains(&false), "a member of one is an exception of both");
            assert!(!union.contains_many(&others).contains(&false));
        }
    }
}

#[test]
fn unions_and_intersections() {
    let (a, b, strangers) = (keys("m", 0..600), keys("m", 400..1000), keys("s", 0..2000));
    let (one, two) = (excepted(builder(), &a), excepted(builder(), &b));
    let plain = Opened::new(builder().build_from(&b).unwrap(), Format::Tepal).unwrap();

    let mut union = one.clone();
    union.union_with(&two).unwrap();
    assert!(!union.contains_many(&keys("m", 0..1000)).contains(&false));
    // Both say no to every non-member, so each exception of either stays.
    assert!(union.filter().exceptions() >= one.filter().exceptions().max(two.filter().exceptions()));
    let wrong = |file: &Opened| file.contains_many(&strangers).iter().filter(|yes| **yes).count();
    let mut without = Opened::new(builder().build_from(keys("m", 0..1000)).unwrap(), Format::Tepal).unwrap();
    assert!(wrong(&union) < wrong(&without));

    // A key that the other filter may hold is no longer an exception.
    let members_of_other: Vec<_> = strangers.iter().take(100).cloned().collect();
    let mut union = one.clone();
    union
        .union_with(&Opened::new(builder().build_from(&members_of_other).unwrap(), Format::Tepal).unwrap())
        .unwrap();
    assert!(!union.contains_many(&members_of_other).contains(&false));
    let mut union = one.clone();
    union.union_with(&plain).unwrap();
    assert!(!union.contains_many(&keys("m", 0..1000)).contains(&false));

    let mut both = one.clone();
    both.intersect_with(&two).unwrap();
    assert!(!both.contains_many(&keys("m", 400..600)).contains(&false) && wrong(&both) == 0);
    let mut both = one.clone();
    both.intersect_with(&plain).unwrap();
    assert!(!both.contains_many(&keys("m", 400..600)).contains(&false) && wrong(&both) == 0);

    let error = without.union_with(&one).unwrap_err();
    assert!(error.to_string().contains("name that one first"), "{error}");
    let error = without.intersect_with(&one).unwrap_err();
    assert!(error.to_string().contains("name that one first"), "{error}");
}

/// An intersection drops the exceptions for which its bits say no anyway: they would only take
/// room.
#[test]
fn an_intersection_keeps_the_exceptions_that_it_needs() {
    let (a, b, strangers) = (keys("m", 0..600), keys("m", 400..1000), keys("s", 0..2000));
    let plain = |members| Opened::new(builder().build_from(members).unwrap(), Format::Tepal).unwrap();
    let (mut bits, other) = (plain(&a), plain(&b));
    bits.intersect_with(&other).unwrap();
    let needed = bits.contains_many(&strangers).iter().filter(|yes| **yes).count() as u64;
    let (one, two) = (excepted(builder(), &a), excepted(builder(), &b));
    for (mut both, other) in [(one.clone(), &two), (two.clone(), &one), (one.clone(), &other)] {
        both.intersect_with(other).unwrap();
        assert_eq!(both.filter().exceptions(), needed);
        assert!(needed > 0 && needed < one.filter().exceptions());
        assert!(!both.contains_many(&strangers).contains(&true));
    }
}

#[test]
fn members_among_them_are_found() {
    for builder in schemes() {
        let members = keys("m", 0..1000);
        let file = Opened::new(builder.build_from(&members).unwrap(), Format::Tepal).unwrap();
        let mut exceptions = Exceptions::new();
        let mixed: Vec<_> = keys("s", 0..500).into_iter().chain(members[10..12].to_vec()).collect();
        let taken = exceptions.take(file.filter(), &prepared(&file, &mixed));
        assert_eq!(exceptions.count(), taken);
        let among = exceptions.among(&prepared(&file, &members));
        assert_eq!(
            among.iter().enumerate().filter(|(_, yes)| **yes).map(|(i, _)| i).collect::<Vec<_>>(),
            [10, 11]
        );
    }
}

#[test]
fn damaged_exceptions_are_refused() {
    let file = excepted(builder(), &keys("m", 0..1000));
    let bytes = file.to_bytes().unwrap();
    let list = 8 * (file.filter().exceptions() as usize + 1);
    for at in bytes.len() - list..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(tepal::from_bytes(&changed).is_err(), "{at}");
        assert!(tepal::from_bytes(&bytes[..at]).is_err(), "{at}");
    }
    // The exceptions of another file.
    let mut other = excepted(builder(), &keys("o", 0..1000)).to_bytes().unwrap();
    let end = other.len().min(bytes.len());
    let start = end - 64;
    other[start..end].copy_from_slice(&bytes[start..end]);
    assert!(tepal::from_bytes(&other).is_err());
}

#[test]
fn other_kinds_and_formats_have_none() {
    let file = excepted(builder(), &keys("m", 0..1000));
    let mut empty = file.clone();
    empty.clear().unwrap();
    assert_eq!(empty.filter().exceptions(), 0);
    assert!(matches!(file.filter(), AnyFilter::Excepted(_)) && file.filter().kind() == tepal::Kind::Bloom);
    #[cfg(feature = "foreign")]
    {
        let file = excepted(builder().scheme(tepal::Scheme::GuavaMitz64), &keys("m", 0..1000));
        let error = file.convert_to(Format::Guava).unwrap_err();
        assert!(error.to_string().contains("only tepal files hold these"), "{error}");
        let chain =
            BloomFilter::builder().scheme(tepal::Scheme::RedisBloom).capacity(10).build_chain().unwrap();
        assert!(AnyFilter::from(chain).except(&Exceptions::new()).is_err());
        let guava = builder().scheme(tepal::Scheme::GuavaMitz64).build().unwrap();
        let error = Opened::new(guava, Format::Guava).unwrap().except(&Exceptions::new()).unwrap_err();
        assert!(matches!(error, Error::Unconvertible { .. }), "{error}");
    }
}

/// The patch of such a file contains the list.
#[cfg(feature = "extras")]
#[test]
fn patches_have_them() {
    let old = excepted(builder(), &keys("m", 0..900)).to_bytes().unwrap();
    let plain = builder().build_from(keys("m", 0..1000)).unwrap().to_bytes().unwrap();
    let new = excepted(builder(), &keys("m", 0..1000)).to_bytes().unwrap();
    for (from, to) in [(&old, &new), (&plain, &new), (&new, &plain)] {
        assert!(tepal::file::Patch::between(from, to).unwrap().apply(from).unwrap() == *to);
    }
}

/// A folded filter has the same members.
#[test]
fn folding_keeps_them() {
    let members = keys("m", 0..1000);
    let large = builder().capacity(8000);
    let plain = large.clone().build_from(&members).unwrap();
    let mut strangers = keys("s", 0..60_000);
    strangers.retain(|key| plain.contains(key));
    let mut filter = except(excepted(large, &members), &strangers).into_filter();
    assert!(strangers.len() > 5 && filter.exceptions() == strangers.len() as u64);
    assert!(filter.shrink_to(0.1).unwrap() > 1);
    assert_eq!(filter.exceptions(), strangers.len() as u64);
    assert!(!filter.contains_many(&strangers).contains(&true));
    assert!(!filter.contains_many(&members).contains(&false));
}

/// A divider in place of the list: right about members and exceptions by every lookup call, and
/// closed to other keys.
#[test]
fn a_divider_tells_members_from_strangers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for builder in schemes() {
        let (members, strangers) = (keys("m", 0..1000), keys("s", 0..2000));
        let listed = excepted(builder, &members);
        let file = listed.clone().divide(&Exceptions::new(), &prepared(&listed, &members)).unwrap();
        let exceptions = listed.filter().exceptions();
        assert_eq!(file.filter().exceptions(), exceptions);
        let expected = Exceptions::divider_len(exceptions, 1000);
        assert!(
            32 + (1000 + exceptions) * 123 / 800 < expected && expected < 32 + (1000 + exceptions) * 14 / 80
        );
        assert_eq!(
            (file.filter().exceptions_len(), listed.filter().exceptions_len()),
            (expected, 8 * exceptions + 8)
        );
        file.save(&path).unwrap();
        assert_eq!(
            std::fs::metadata(&path).unwrap().len(),
            listed.to_bytes().unwrap().len() as u64 + expected - (8 * exceptions + 8)
        );
        for file in [
            file.clone(),
            tepal::open(&path).unwrap(),
            Open::new().quick().open(&path).unwrap(),
            Open::new().copy_on_write().open(&path).unwrap(),
            Open::new().read_from(&std::fs::read(&path).unwrap()[..]).unwrap(),
        ] {
            assert!(members.iter().all(|key| file.contains(key)));
            assert!(!strangers.iter().any(|key| file.contains(key)));
            assert!(!file.filter().contains_many(&members).contains(&false));
            assert!(!file.filter().contains_many(&strangers).contains(&true));
            if let Some(hashes) = prepared(&file, &strangers).hashes() {
                assert!(!hashes.iter().any(|hash| file.filter().contains_hash(*hash)));
            }
            assert!(file.facts().unwrap().is_divided && !listed.facts().unwrap().is_divided);
            assert_eq!(file.to_bytes().unwrap(), std::fs::read(&path).unwrap());
        }
        assert!(BloomFilter::open(&path).is_err());
        // In another order, and all at once, it is the same file.
        let mut reversed = members.clone();
        reversed.reverse();
        let plain = Opened::new(listed.clone().into_filter(), Format::Tepal).unwrap();
        let again = plain.divide(&Exceptions::new(), &prepared(&listed, &reversed)).unwrap();
        assert!(again.to_bytes().unwrap() == file.to_bytes().unwrap());
        // No other key can be inserted.
        let before = file.to_bytes().unwrap();
        let mut changed = file.clone();
        let mut other = listed.clone();
        let mut stranger = Exceptions::new();
        let _ = stranger.take(listed.filter(), &prepared(&listed, &members[..1]));
        for refused in [
            changed.insert("new").map(drop),
            changed.insert_many(&keys("n", 0..10)),
            changed.insert_prepared(&prepared(&file, &keys("n", 0..10))),
            changed.union_with(&listed),
            changed.intersect_with(&listed),
            other.union_with(&file),
            other.intersect_with(&file),
            file.clone().except(&stranger).map(drop),
        ] {
            let error = refused.unwrap_err();
            assert!(matches!(error, Error::NotPossible { .. }), "{error}");
            assert!(error.to_string().contains("its divider knows"), "{error}");
        }
        assert!(
            changed.to_bytes().unwrap() == before && other.to_bytes().unwrap() == listed.to_bytes().unwrap()
        );
        // A member with the hash of an exception.
        let error = listed.clone().divide(&Exceptions::new(), &prepared(&listed, &strangers)).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
        // After `clear` it is an ordinary filter.
        changed.clear().unwrap();
        assert!(changed.filter().exceptions() == 0 && changed.insert("new").unwrap());
    }
}

#[test]
fn a_damaged_divider_is_refused() {
    let members = keys("m", 0..1000);
    let listed = excepted(builder(), &members);
    let file = listed.clone().divide(&Exceptions::new(), &prepared(&listed, &members)).unwrap();
    let bytes = file.to_bytes().unwrap();
    for at in bytes.len() - file.filter().exceptions_len() as usize..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(tepal::from_bytes(&changed).is_err(), "{at}");
        assert!(tepal::from_bytes(&bytes[..at]).is_err(), "{at}");
    }
}

/// Without exceptions there is no divider, and every reader can read the file. A folded filter
/// keeps its divider, and a patch contains it.
#[test]
fn no_exceptions_folds_and_patches() {
    let members = keys("m", 0..1000);
    let plain = Opened::new(builder().build_from(&members).unwrap(), Format::Tepal).unwrap();
    let divided = plain.clone().divide(&Exceptions::new(), &prepared(&plain, &members)).unwrap();
    assert!(divided.to_bytes().unwrap() == plain.to_bytes().unwrap());
    assert!(BloomFilter::from_bytes(&divided.to_bytes().unwrap()).is_ok());

    let listed = excepted(builder().capacity(20_000), &members);
    let listed = except(listed, &keys("t", 0..40_000));
    let file = listed.clone().divide(&Exceptions::new(), &prepared(&listed, &members)).unwrap();
    let mut folded = file.clone().into_filter();
    folded.shrink_to(0.1).unwrap();
    assert!(!folded.contains_many(&members).contains(&false));
    assert_eq!(folded.exceptions(), file.filter().exceptions());
    #[cfg(feature = "extras")]
    for (from, to) in [(&listed, &file), (&file, &listed)] {
        let (from, to) = (from.to_bytes().unwrap(), to.to_bytes().unwrap());
        assert!(tepal::file::Patch::between(&from, &to).unwrap().apply(&from).unwrap() == to);
    }
}

/// What a filter says of itself is what it says without exceptions.
#[test]
fn facts_are_those_of_the_filter() {
    for policy in OverCapacity::ALL {
        let builder = builder().capacity(2000).over_capacity(*policy);
        let members = keys("m", 0..1000);
        let (file, plain) = (excepted(builder.clone(), &members), builder.build_from(&members).unwrap());
        let (filter, plain) = (file.filter(), AnyFilter::from(plain));
        assert!(filter.exceptions() > 0 && plain.exceptions() == 0);
        assert_eq!((filter.over_capacity(), filter.capacity()), (*policy, 2000));
        let sizes = |filter: &AnyFilter| {
            let factors = filter.fold_factors().into_iter();
            factors.map(|factor| (factor, filter.folded_size_in_bytes(factor).unwrap())).collect::<Vec<_>>()
        };
        assert!(sizes(filter) == sizes(&plain) && !sizes(filter).is_empty());
    }
}

/// Keys that another hasher prepared are perhaps in, even if the filter lists the exceptions of a
/// scheme without a hash by the same numbers.
#[cfg(feature = "foreign")]
#[test]
fn hashes_of_another_hasher_are_no_exceptions() {
    let file = excepted(builder().scheme(tepal::Scheme::GuavaMitz64), &keys("m", 0..1000));
    let other = Opened::new(builder().seed(0).build().unwrap(), Format::Tepal).unwrap();
    let strangers = keys("s", 0..2000);
    assert!(prepared(&file, &strangers).hashes().is_none() && file.filter().exceptions() > 0);
    let mut answers = vec![false; 2000];
    file.filter().contains_prepared(&prepared(&other, &strangers), &mut answers);
    assert!(!answers.contains(&false));
}
